#!/usr/bin/env bash
# No object includes a generated header that ninja may make after it: such a build fails by chance, in a clean tree only.
tree=${BUILD:-build}
[ -s "$tree/build.ninja" ] || { echo "$tree is not a tree of ninja" && exit 1; }
found=$(ninja -C "$tree" -t missingdeps 2>&1) && exit 0
grep '^Missing dep' <<<"$found" || echo "$found"
exit 1

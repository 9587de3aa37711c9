#!/usr/bin/env bash
# speedscope itself, in headless Chromium, opens what we write.
# ctest: timeout=300
. "$(dirname "$0")/lib.sh"
need chromium chromium
need_modules
mkdir -p "$screenshots"

opens() { # FILE FRAME TOTAL
	node "$here/speedscope.js" "$1" "$modules/node_modules/speedscope/dist/release" "$2" "$3" "$screenshots" || fail "$1"
}

for suffix in speedscope.json pb.gz perf; do
	"$STACKTOOL" report -o "$T/p.$suffix" "$ordinary" 2>/dev/null || fail "$suffix"
done
opens "$T/p.speedscope.json" submit_bio 12
opens "$T/p.pb.gz" submit_bio 12
opens "$T/p.perf" submit_bio 1 # it counts the samples of that form, not their periods
printf 'app;left;a;leaf 10\napp;right;leaf 30\n' >"$T/shapes.folded"
opens "$T/shapes.folded" leaf 40
finish

#!/usr/bin/env bash
# A page of a million distinct stacks in headless Chromium.
# ctest: timeout=600
. "$(dirname "$0")/lib.sh"
need chromium chromium
need node nodejs
"$here/stacks" 1000000 >"$T/large.folded"
"$STACKTOOL" flame -o "$T/large.html" "$T/large.folded" || fail large
echo "a million stacks: $(wc -c <"$T/large.folded") bytes of folded text, $(wc -c <"$T/large.html") bytes of HTML"
mkdir -p "$screenshots"
node "$here/large.js" "$T/large.html" "$screenshots" || fail "see above"
# What a reader waits for with a tenth of them. The bound catches what made it seconds; it is for slow machines too.
"$here/stacks" 100000 >"$T/stacks.folded"
"$STACKTOOL" flame -o "$T/stacks.html" "$T/stacks.folded" || fail "100,000 stacks"
MOST=3000 node "$here/speed.js" "$T/stacks.html" || fail "see above"
finish

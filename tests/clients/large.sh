#!/usr/bin/env bash
# A page of a million distinct stacks in headless Chromium.
# ctest: timeout=600
. "$(dirname "$0")/lib.sh"
need chromium chromium
need node nodejs
awk 'BEGIN { srand(1); for (i = 0; i < 1000000; i++) { d = 5 + int(rand() * 12); s = "app" i % 20
	for (k = 0; k < d; k++) s = s ";f" int(rand() * (4 + k * k * 8)); print s ";l" i, 1 + int(rand() * 9) } }' >"$T/large.folded"
"$STACKTOOL" flame -o "$T/large.html" "$T/large.folded" || fail large
echo "a million stacks: $(wc -c <"$T/large.folded") bytes of folded text, $(wc -c <"$T/large.html") bytes of HTML"
mkdir -p "$screenshots"
node "$here/large.js" "$T/large.html" "$screenshots" || fail "see above"
finish

#!/usr/bin/env bash
# The pictures in headless Chromium, worked as a user does. Screenshots stay in the build tree: clients/screenshots.
# ctest: timeout=600
. "$(dirname "$0")/lib.sh"
need chromium chromium
need_modules
cat >"$T/shapes.folded" <<'SHAPES'
app;left;a;leaf 10
app;left;b 20
app;left;c<script>alert(1)</script>;"d" & 'e' 20
app;right;leaf;leaf 30
app;right;z 20
SHAPES
sed 's/30$/50/; s/b 20/b 5/' "$T/shapes.folded" >"$T/now.folded"
"$STACKTOOL" flame -o "$T/shapes.svg" "$T/shapes.folded" || fail svg
"$STACKTOOL" flame -o "$T/shapes.html" "$T/shapes.folded" || fail html
"$STACKTOOL" diff -o "$T/diff.html" "$T/shapes.folded" "$T/now.folded" || fail diff

printf 'app 7/7 [000] 1.0: 3 c: \n\t4000 f+0x1 (/x)\n\napp 7/9 [001] 2.0: 5 c: \n\t4000 f+0x1 (/x)\n' >"$T/threads"
"$STACKTOOL" report --root tid -o "$T/threads.html" "$T/threads" || fail threads

# A million distinct stacks
awk 'BEGIN { srand(1); for (i = 0; i < 1000000; i++) { d = 5 + int(rand() * 12); s = "app" i % 20
	for (k = 0; k < d; k++) s = s ";f" int(rand() * (4 + k * k * 8)); print s ";l" i, 1 + int(rand() * 9) } }' >"$T/large.folded"
"$STACKTOOL" flame -o "$T/large.html" "$T/large.folded" || fail large
echo "a million stacks: $(wc -c <"$T/large.folded") bytes of folded text, $(wc -c <"$T/large.html") bytes of HTML"

mkdir -p "$modules/screenshots"
THREADS_HTML=$T/threads.html LARGE_HTML=$T/large.html node "$here/browser.js" "$T/shapes.svg" "$T/shapes.html" "$T/diff.html" "$modules/screenshots" ||
	fail "see above"

# speedscope itself opens ours
"$STACKTOOL" report -o "$T/p.speedscope.json" "$ordinary" 2>/dev/null
"$STACKTOOL" report -o "$T/p.pb.gz" "$ordinary" 2>/dev/null
"$STACKTOOL" report -o "$T/p.perf" "$ordinary" 2>/dev/null
for file in p.speedscope.json p.pb.gz p.perf shapes.folded; do
	node "$here/speedscope.js" "$T/$file" "$modules/node_modules/speedscope/dist/release" \
		"$([ $file = shapes.folded ] && echo leaf || echo submit_bio)" "$modules/screenshots" || fail "speedscope: $file"
done
finish

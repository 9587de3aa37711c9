#!/usr/bin/env bash
# The pictures in headless Chromium, worked as a user does. Screenshots stay in the build tree: clients/screenshots.
# ctest: browser timeout=120
. "$(dirname "$0")/lib.sh"
need chromium chromium
need node nodejs
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
(cat "$T/shapes.folded" && echo 'app;old 7') >"$T/before.folded"
"$STACKTOOL" diff -o "$T/diff.html" "$T/before.folded" "$T/now.folded" || fail diff

printf 'app 7/7 [000] 1.0: 3 c: \n\t4000 f+0x1 (/x)\n\napp 7/9 [001] 2.0: 5 c: \n\t4000 f+0x1 (/x)\n' >"$T/threads"
"$STACKTOOL" report --root tid -o "$T/threads.html" "$T/threads" || fail threads

mkdir -p "$screenshots"
node "$here/pictures.js" "$T/shapes.svg" "$T/shapes.html" "$T/diff.html" "$T/threads.html" "$screenshots" || fail "see above"
finish

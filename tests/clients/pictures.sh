#!/usr/bin/env bash
# The pictures in headless Chromium, worked as a user does. Screenshots stay in the build tree: clients/screenshots.
# ctest: browser timeout=300
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
(sed 's/30$/50/; s/b 20/b 5/' "$T/shapes.folded" && echo 'no stack') >"$T/now.folded"
"$STACKTOOL" flame -o "$T/shapes.svg" "$T/shapes.folded" || fail svg
"$STACKTOOL" flame -o "$T/shapes.html" "$T/shapes.folded" || fail html
(cat "$T/shapes.folded" && echo 'app;old 7') >"$T/before.folded"
"$STACKTOOL" diff -o "$T/diff.html" "$T/before.folded" "$T/now.folded" || fail diff

printf 'app 7/7 [000] 1.0: 3 c: \n\t4000 f+0x1 (/x)\n\napp 7/9 [001] 2.0: 5 c: \n\t4000 f+0x1 (/x)\n' >"$T/threads"
"$STACKTOOL" report --root tid -o "$T/threads.html" "$T/threads" || fail threads

cat >"$T/view.folded" <<'VIEW'
app;main;read;sys_read_[k];vfs_read_[k] 10
app;main;long_name_of_a_function_with_an_end;f 40
app;main;long_name_of_a_function_with_an_end;f;g 20
app;main;z;f 30
VIEW
"$STACKTOOL" flame -o "$T/view.html" "$T/view.folded" || fail view
"$STACKTOOL" report -v -o "$T/notes.html" "$ordinary" 2>"$T/notes" || fail notes
"$STACKTOOL" report -v -o "$T/notes.svg" "$ordinary" 2>"$T/notes" || fail notes
awk 'BEGIN { for (i = 0; i < 200; i++) printf "app 7/7 [000] %.1f: 1 samples: \n\t%x %s+0x1 (/x)\n\t4 main+0x1 (/x)\n\n", 100 + i / 10, 16 + (i >= 100), i < 100 ? "f" : "g" }' >"$T/times"
"$STACKTOOL" report -o "$T/times.html" "$T/times" || fail times
"$STACKTOOL" report -o "$T/lines.html" "$SOURCE/tests/golden/saved/inlined" 2>"$T/err" || fail lines

mkdir -p "$screenshots"
node "$here/pictures.js" "$T/shapes.svg" "$T/shapes.html" "$T/diff.html" "$T/threads.html" "$T/view.html" "$T/notes.svg" "$T/notes.html" \
	"$T/notes" "$T/times.html" "$T/lines.html" "$screenshots" || fail "see above"
node "$here/monkey.js" "$T/view.html" "$T/diff.html" "$T/times.html" "$T/lines.html" || fail "see above"
finish

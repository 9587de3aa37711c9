#!/usr/bin/env bash
# Every form of output of saved profiles and folded text against expected/documents-*, byte by byte, without the scripts
# of the pictures; and what goes wrong in one clear line. `documents.sh --accept` writes the files. Needs no privilege.
set -u
: "${STACKTOOL:?path of the tool}"
here=$(cd "$(dirname "$0")" && pwd)
corpus=$here/saved
expected=$here/expected
accept=${1:-}
export LC_ALL=C
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
failures=0

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# The program's own script and style are not what is compared; its version is not either.
without_scripts() {
	awk '/^<style>/ { skip = 1 } /^<script( type="text\/ecmascript")?>/ { skip = 1 }
		!skip { print } /^<\/style>/ { skip = 0 } /^(\]\]>)?<\/script>/ && skip { skip = 0 }' | sed 's/"tool":"[^"]*"/"tool":"…"/'
}

# golden NAME ARG…: what the tool prints
golden() {
	local name=documents-$1
	shift
	"$STACKTOOL" "$@" 2>"$T/err" | without_scripts >"$T/out"
	[ "${PIPESTATUS[0]}" = 0 ] || fail "$*: $(cat "$T/err")"
	if [ "$accept" = --accept ]; then
		cp "$T/out" "$expected/$name"
	else
		diff -u "$expected/$name" "$T/out" || fail "$name"
	fi
}

# wrong STATUS REGEX ARG…: one line on stderr, nothing on stdout
wrong() {
	local status=$1 regex=$2
	shift 2
	"$STACKTOOL" "$@" >"$T/out" 2>"$T/err" </dev/null
	[ $? = "$status" ] || fail "$*: status is not $status: $(cat "$T/err")"
	[ -s "$T/out" ] && fail "$*: writes to stdout"
	grep -qE -- "$regex" "$T/err" || fail "$*: '$(cat "$T/err")' does not match $regex"
}

cat >"$T/shapes" <<'SHAPES'
app;main;read;-;sys_read_[k];vfs_read_[k] 10
app;main;write;-;sys_write_[k] 5
java;Lcom/x/A:::run_[j];Lcom/x/B:::go_[i];std::vector<int>::push_back(int&&) 3
web (x);main;<script>alert(1)</script>;"q" & 'r' 7
app;main;main;main 4
SHAPES
cp "$here/../fuzz/corpus/perf_script/odd" "$T/perf"
golden perf.txt report "$T/perf"
golden perf.perf report --format perf "$T/perf"
golden perf.tree report --tree "$T/perf"
golden perf.summary report --format summary "$T/perf"
sed 's/10$/30/; s/5$/1/; /^java/d' "$T/shapes" >"$T/now"
echo 'app;main;new 6' >>"$T/now"

for profile in profile-default profile-hostile merge inlined guessed; do
	golden "$profile.tree" report --tree --least 0 "$corpus/$profile"
	golden "$profile.functions" report --functions "$corpus/$profile"
	golden "$profile.summary" report --format summary "$corpus/$profile"
	golden "$profile.json" report --format json "$corpus/$profile"
	golden "$profile.speedscope.json" report --format speedscope "$corpus/$profile"
	golden "$profile.perf" report --format perf "$corpus/$profile"
	golden "$profile.svg" report --format svg "$corpus/$profile"
	golden "$profile.html" report --format html "$corpus/$profile"
done
for profile in offwaketime-reasons wakeuptime-both; do
	golden "$profile.summary" report --format summary "$corpus/$profile"
	golden "$profile.tree" report --tree --least 0 "$corpus/$profile"
	golden "$profile.perf" report --format perf "$corpus/$profile"
done
golden inlined.txt report "$corpus/inlined"
golden inlined.folded report -f -a "$corpus/inlined"
golden offcputime-histogram.json report --format json "$corpus/offcputime-histogram"
golden processes.json report --format json "$corpus/processes"
golden no-threads.perf report --format perf "$corpus/no-threads"
golden shapes.svg flame "$T/shapes"
golden shapes-java.svg flame --colors java --inverted --title '<&>' --width 600 --root none "$T/shapes"
golden shapes-callers.tree report --tree --reverse --root none --least 20 "$T/shapes"
golden shapes-filtered.folded report --include '^main$' --exclude vfs_read "$T/shapes"
printf 'a 1/1 [000] %s: 2 c: \n\t1 %s (m)\n\n' 7.5 f 7.0 g 9.25 f >"$T/times"
golden times.html report --format html "$T/times"
golden times.speedscope.json report --format speedscope "$T/times"
golden diff.txt diff "$T/shapes" "$T/now"
golden diff-normalized.txt diff -n --top 3 "$T/shapes" "$T/now"
golden diff.folded diff -f "$T/shapes" "$T/now"
"$STACKTOOL" diff "$T/now" "$T/now" 2>/dev/null | tail -n 1 | grep -qxF '(no function has changed)' || fail "diff of equal profiles"
golden diff.svg diff --format svg "$T/shapes" "$T/now"
golden diff.html diff --format html "$T/shapes" "$T/now"

# What the two profiles lack is said of each.
"$STACKTOOL" diff "$corpus/packed" "$T/shapes" 2>"$T/err" >/dev/null || fail "diff of a profile with notes"
cmp -s "$T/err" <(echo "$corpus/packed:" && "$STACKTOOL" report "$corpus/packed" 2>&1 >/dev/null) || fail "diff: notes: $(cat "$T/err")"
echo 'no stack' >>"$T/now"
"$STACKTOOL" diff "$T/shapes" "$T/now" 2>&1 >/dev/null |
	cmp -s - <(printf '%s\n' "$T/now:" "WARNING: 1 line is not a folded stack and was skipped") || fail "diff: lines that were left out"
for form in svg html; do
	"$STACKTOOL" diff --format $form "$T/shapes" "$T/now" 2>/dev/null | grep -q 'now: WARNING: 1 line is not a folded stack and was skipped' ||
		fail "diff: a $form without the notes of both profiles"
done
printf 'a 1/1 [000] 1.000000:        500 page-faults: \n\t            1000 f (m)\n\n' >"$T/faults"
"$STACKTOOL" diff "$T/faults" "$T/shapes" 2>&1 >/dev/null | grep -qx 'WARNING: comparing page-faults with samples' ||
	fail "diff: two units"
"$STACKTOOL" diff "$T/faults" "$T/faults" 2>&1 >/dev/null | grep -q 'comparing' && fail "diff: one unit"
printf 'a 1 [000] 1.0: 5 \033[31mev:\n\t1 f (x)\n\n' >"$T/hostile.perf"
"$STACKTOOL" diff "$T/hostile.perf" "$T/shapes" >"$T/out" 2>&1
grep -q $'\033' "$T/out" && fail "diff: the name of an event reaches the terminal unescaped"
grep -qx 'WARNING: comparing \\x1b\[31mev with samples' "$T/out" || fail "diff: a hostile unit: $(cat "$T/out")"
sed -i '$d' "$T/now"

# Two programs: all would be new or gone with the command in front, so it is left out, unless it is requested.
sed 's/^[^;]*;/other;/' "$T/now" >"$T/other"
golden diff-other.svg diff --format svg "$T/shapes" "$T/other"
grep -qx 'NOTE: no command is in both profiles: stacks are compared without the command; --root comm keeps it' "$T/err" || fail "diff of two programs: $(cat "$T/err")"
"$STACKTOOL" diff --root none --format svg "$T/shapes" "$T/other" 2>"$T/err" | sed '/id="missing"/d' >"$T/none.svg"
grep . "$T/err" && fail "diff --root none has a NOTE"
"$STACKTOOL" diff --format svg "$T/shapes" "$T/other" 2>/dev/null | sed '/id="missing"/d' | cmp - "$T/none.svg" || fail "two programs are not compared as with --root none"
"$STACKTOOL" diff -f "$T/shapes" "$T/other" 2>/dev/null | grep -qx 'main;read;sys_read;vfs_read 10 30' || fail 'diff -f of two programs'
"$STACKTOOL" diff -f --root comm "$T/shapes" "$T/other" 2>"$T/err" | grep -q '^other;main;read;.* 0 30$' || fail "diff -f --root comm"
grep -qx 'NOTE: no command is in both profiles, so no stack is in both; --root none compares them without it' "$T/err" || fail "diff --root comm: $(cat "$T/err")"

# Several -o: each is what it would be alone.
"$STACKTOOL" report -f -o "$T/all.txt" -o "$T/all.stk" "$T/shapes" && cmp "$T/all.txt" <("$STACKTOOL" report -f "$T/shapes") || fail "-f and two files"
"$STACKTOOL" report -o "$T/all.svg" -o "$T/all.html" -o "$T/all.json" -o "$T/all.pb.gz" --output "$T/all.folded" "$T/shapes" || fail "five files"

# wrote LINES ARG…: stderr names the written files
wrote() {
	local lines=$1
	shift
	"$STACKTOOL" "$@" 2>&1 >/dev/null | sed "s|$T/||; s/[0-9]* kB/N kB/" | grep ' wrote ' >"$T/lines"
	[ "$(cat "$T/lines")" = "$lines" ] || fail "$*: '$(cat "$T/lines")', not '$lines'"
}
printf 'sh;main;work 3\nsh;main;rest 1\n' >"$T/four"
printf 'sh;main;work 1\n' >"$T/one"
wrote 'stacktool report: wrote a.svg (4 samples, N kB)
stacktool report: wrote a.txt (4 samples, N kB)' report -o "$T/a.svg" -o "$T/a.txt" "$T/four"
wrote 'stacktool flame: wrote a.svg (4 samples, N kB)' flame -o "$T/a.svg" "$T/four"
wrote 'stacktool diff: wrote a.html (4 to 1 samples, N kB)' diff -o "$T/a.html" "$T/four" "$T/one"
wrote '' report -q -o "$T/a.svg" "$T/four"
wrote '' report "$T/four"
for form in svg html json pb.gz folded stk; do
	"$STACKTOOL" report -o "$T/one.$form" "$T/shapes" && cmp "$T/one.$form" "$T/all.$form" || fail "one of several: $form"
done
"$STACKTOOL" diff -o "$T/all.svg" -o "$T/all.html" -o "$T/all.folded" "$T/shapes" "$T/other" 2>"$T/err" || fail "a difference in three files"
[ "$(grep -vc '^stacktool diff: wrote ' "$T/err")" = 1 ] || fail "a difference in three files: $(cat "$T/err")"
for form in svg html folded; do
	"$STACKTOOL" diff -o "$T/one.$form" "$T/shapes" "$T/other" 2>/dev/null && cmp "$T/one.$form" "$T/all.$form" || fail "a difference in one of three: $form"
done
wrong 2 "argument -o/--output: '.*/a.svg': given twice" report -o "$T/a.svg" -o "$T/a.svg" "$T/shapes"
wrong 2 "argument -o/--output: '.*/./a.svg': given twice" report -o "$T/a.svg" -o "$T/./a.svg" "$T/shapes"

# The same picture from a file, a pipe and a saved profile of the same stacks
"$STACKTOOL" flame -o "$T/a.svg" "$T/shapes" || fail "flame -o"
"$STACKTOOL" flame <"$T/shapes" | cmp - "$T/a.svg" || fail "stdin"
"$STACKTOOL" report -o "$T/saved.stk" "$T/shapes" || fail "folded text as a saved profile"
"$STACKTOOL" report --format svg "$T/saved.stk" | cmp - "$T/a.svg" || fail "through a saved profile"
"$STACKTOOL" report "$T/shapes" | sort >"$T/again"
sort "$T/shapes" | cmp - "$T/again" || fail "folded text does not come back"
[ "$(stat -c %a "$T/a.svg")" = 600 ] || fail "others may read a.svg"

# Every kind of file that is read takes every option, and says so where it has not kept what is requested.
"$STACKTOOL" report -o "$T/kinds.perf" "$corpus/profile-default" 2>/dev/null && "$STACKTOOL" report -f -o "$T/kinds.folded" "$corpus/profile-default" 2>/dev/null ||
	fail "one profile as three kinds of file"
for kind in "$corpus/profile-default" "$T/kinds.perf" "$T/kinds.folded"; do
	for options in '' -d -a -s -A -v --plain --by-name --lines --inlines --text '--max-depth 3' '--exclude nowhere' '--comm .'; do
		# shellcheck disable=SC2086
		total=$("$STACKTOOL" report -f ${options/--text/} "$kind" 2>/dev/null | awk '{ sum += $NF } END { print sum + 0 }')
		[ "$total" = 17 ] || fail "report -f $options $kind: $total events"
		# shellcheck disable=SC2086
		"$STACKTOOL" report $options "$kind" >/dev/null 2>&1 || fail "report $options $kind"
	done
	for form in text json svg html pprof speedscope perf stk summary; do
		"$STACKTOOL" report --format $form "$kind" >"$T/form" 2>/dev/null && [ -s "$T/form" ] || fail "report --format $form $kind"
	done
	for form in --tree --functions --tree\ --reverse '--tree --root none'; do
		# shellcheck disable=SC2086
		"$STACKTOOL" report $form "$kind" 2>/dev/null | grep -q . || fail "report $form $kind"
	done
	"$STACKTOOL" report -f --comm nobody "$kind" 2>"$T/err" | grep . && fail "--comm nobody $kind"
	grep -qx 'NOTE: no stack matches the filters' "$T/err" || fail "an empty report of $kind: $(cat "$T/err")"
	wrong 1 "argument --root: this profile has no cgroups: record it with '--root container'" report --tree --root container "$kind"
done
for asked in '-p 1' '--tree --root pid' '--tree --root tid'; do
	# shellcheck disable=SC2086
	wrong 1 "this profile has no (process|thread) ids" report $asked "$T/kinds.folded"
done
wrong 1 "this profile has no process ids" diff --root pid -o "$T/kinds.svg" "$T/kinds.folded" "$T/kinds.folded"
wrong 1 "argument --since: this profile has neither times nor intervals" report --since 1 "$T/kinds.folded"
"$STACKTOOL" report --functions --top 1 "$T/shapes" | grep -q 'more functions; --top N shows more' || fail "--top does not say how to see more"
"$STACKTOOL" report --tree --root none --least 40 "$T/shapes" >"$T/least" || fail "--least"
awk 'NR > 1 && $1 + 0 < 40' "$T/least" | grep . && fail "--least 40 shows smaller branches"
printf 'app;a 7\napp;b 789\n' | "$STACKTOOL" report --tree - | grep 0.88 && fail "--tree shows 0.88 percent, and says 1"
wrong 1 "neither a saved profile" report "$STACKTOOL"
wrong 1 "neither a saved profile|not folded stacks" report "$expected/profile-default.txt"

# Notes that only say that all is well need -v.
for applet in "report $corpus/inlined" "diff $corpus/inlined $corpus/inlined"; do
	# shellcheck disable=SC2086
	"$STACKTOOL" $applet 2>&1 >/dev/null | grep 'complete' && fail "$applet: a note that all is well"
	# shellcheck disable=SC2086
	"$STACKTOOL" ${applet/ / -v } 2>&1 >/dev/null | grep -qx 'NOTE: all 31 user stacks complete' || fail "$applet: nothing with -v"
done

# -q: the same rows without a header, a footer and notes
for profile in profile-default stackcount-Ti; do
	"$STACKTOOL" report "$corpus/$profile" 2>/dev/null | grep -vE '^(Sampling|Tracing|Detaching)' | grep . >"$T/rows"
	"$STACKTOOL" report -q "$corpus/$profile" 2>"$T/err" | grep . | cmp - "$T/rows" || fail "-q $profile"
	grep -q '^NOTE' "$T/err" && fail "-q $profile has notes"
done

# and no empty line in front of it, so no rows are no bytes
"$STACKTOOL" report -q --comm nobody "$corpus/profile-default" >"$T/out" 2>/dev/null || fail "-q without rows"
[ -s "$T/out" ] && fail "-q without rows prints $(wc -c <"$T/out") bytes"
"$STACKTOOL" report -q "$corpus/profile-default" 2>/dev/null | head -n 1 | grep -q . || fail "-q begins with an empty line"

# --max-depth changes no sum, in any form, and nothing is deeper.
sum_of() {
	"$STACKTOOL" report "$@" 2>/dev/null | awk '{ sum += $NF } END { print sum + 0 }'
}
for profile in profile-default profile-hostile profile-cut-afd merge packed; do
	[ "$(sum_of -f --max-depth 1 "$corpus/$profile")" = "$(sum_of -f "$corpus/$profile")" ] || fail "--max-depth 1 changes $profile"
done
printf 'app;[truncated by --max-depth];read;-;[truncated by --max-depth];vfs_read_[k] 10\n' >"$T/cut"
"$STACKTOOL" report --max-depth 1 --include '^vfs_read' "$T/shapes" | cmp - "$T/cut" || fail "--max-depth 1"
"$STACKTOOL" report --max-depth 2 --format json "$T/shapes" >"$T/out" || fail "--max-depth in JSON"
grep -q '"total":29,' "$T/out" || fail "--max-depth changes the total of JSON"
[ "$(grep -o '"user_status":"cut"' "$T/out" | wc -l)" = 3 ] || fail "what is cut in JSON"
"$STACKTOOL" report --max-depth 1 --tree --root none --least 0 "$T/shapes" >"$T/out" || fail "--max-depth in a tree"
grep -qF '[truncated by --max-depth]' "$T/out" || fail "nothing is cut in a tree"
wrong 2 "argument --max-depth: .0. is out of range: give 1 or more" report --max-depth 0 "$T/shapes"


# An option that belongs to another form than the one asked for is not ignored.
wrong 2 "argument --lines: takes no value" report --lines=3 "$T/shapes"
wrong 2 "argument --least: only with --tree" report --least 3 "$T/shapes"
wrong 2 "argument --least: only with --tree" report --functions --least 3 "$T/shapes"
wrong 2 "argument --top: only for the table" diff -f --top 3 "$T/shapes" "$T/now"
wrong 2 "argument --root: only for flame graphs" report --root pid "$T/shapes"
wrong 2 "argument --root: only for flame graphs" report --root none -o "$T/a.folded" "$T/shapes"
wrong 2 "argument --text: not allowed with argument -o/--output, which selects folded" report --text -o "$T/a.folded" "$T/shapes"
wrong 2 "argument -f/--folded: not allowed with argument --format, which selects text" report -f --format text "$T/shapes"
wrong 2 "argument -f/--folded: not allowed with argument --format, which selects text" profile -f --format text 1
"$STACKTOOL" report -f "$T/shapes" >"$T/lines" || fail "-f"
"$STACKTOOL" report -f -o "$T/lines.txt" "$T/shapes" && cmp "$T/lines" "$T/lines.txt" || fail "-f into a .txt"

# --top N: the heaviest rows, as in the applets that collect, and the heaviest functions of a table, as in diff
"$STACKTOOL" report -f --top 2 "$T/shapes" | cmp - <("$STACKTOOL" report -f "$T/shapes" | tail -n 2) || fail "--top 2 of rows"
"$STACKTOOL" report -f --top 99 "$T/shapes" | cmp - "$T/lines" || fail "--top 99 of rows"
"$STACKTOOL" report --format json --top 2 "$T/shapes" | grep -q '"total":17,' || fail "--top 2 of JSON"
"$STACKTOOL" report --tree --top 2 "$T/shapes" | awk 'NR > 1 { sum += $4 } END { exit sum != 17 }' || fail "--top 2 of a tree"
"$STACKTOOL" report --functions "$T/shapes" | head -n 3 >"$T/two.functions"
for top in '--top 2' --top=2 '--to 2' --to=2; do
	# shellcheck disable=SC2086
	"$STACKTOOL" report --functions $top "$T/shapes" | head -n -1 | cmp - "$T/two.functions" || fail "$top"
done
wrong 2 "argument --top: needs a value|argument --top" report "$T/shapes" --top
wrong 2 "argument --top" report --top=x "$T/shapes"
wrong 2 "argument --top" report --top 0 "$T/shapes"
for look in '--title x' '--colors java' --inverted '--min-width 1'; do
	# shellcheck disable=SC2086
	wrong 2 "argument ${look%% *}: only for svg" report $look "$T/shapes"
	# shellcheck disable=SC2086
	wrong 2 "argument ${look%% *}: only for svg" report $look -o "$T/a.json" "$T/shapes"
	# shellcheck disable=SC2086
	"$STACKTOOL" report $look -o "$T/look.html" "$T/shapes" || fail "$look in a page"
done
wrong 2 "argument --reverse: only for svg" report -f --reverse "$T/shapes"
wrong 2 "argument --width: only for svg" report --width 600 -o "$T/a.html" "$T/shapes"
wrong 2 "argument --title: only for svg" profile --title x 1
"$STACKTOOL" report --title x -o "$T/look.speedscope.json" "$T/shapes" || fail "a title in speedscope"

# A histogram is in text and JSON; who asks for it where none is gets an answer.
cmp -s <("$STACKTOOL" report --histogram "$corpus/offcputime-histogram" 2>/dev/null) "$expected/offcputime-histogram.txt" ||
	fail "--histogram changes a report that has one"
[ "$("$STACKTOOL" report -q "$corpus/offcputime-histogram" 2>/dev/null | grep -c 'all stacks')" = 0 ] || fail "-q: a histogram of all stacks"
"$STACKTOOL" report --tree "$corpus/offcputime-histogram" 2>/dev/null | grep -qF usecs && fail "a histogram in a tree"
wrong 1 "merge': has no histogram: only runs of .* with --histogram or --timestamps have one" report --histogram "$corpus/merge"
wrong 1 "has no histogram" report --histogram "$T/shapes"
wrong 2 "argument --tree: not allowed with argument --histogram" report --histogram --tree "$corpus/offcputime-histogram"
wrong 2 "argument --histogram: not supported by format svg: use text, json or stk" report --histogram --format svg "$corpus/offcputime-histogram"
wrong 2 "argument --histogram: not supported by format folded" report --histogram -o "$T/a.folded" "$corpus/offcputime-histogram"

wrong 2 "unknown suffix" report -o "$T/a.png" "$T/shapes"
# The name of a file says what is in it, also to --tree, --functions and -f.
wrong 2 "argument --tree: not allowed with argument -o/--output: '.*/a.svg' selects svg" report --tree -o "$T/a.svg" "$T/shapes"
wrong 2 "argument --functions: not allowed with argument --format, which selects json" report --functions --format json "$T/shapes"
wrong 2 "argument -o/--output: not allowed with a screen" report --tui -o "$T/b.svg" "$T/shapes"
wrong 2 "argument --format: not allowed with a screen" report --tui --format svg "$T/shapes"
wrong 2 "argument -f/--folded: not allowed with .*: '.*/a.svg' selects svg" diff -f -o "$T/a.svg" "$T/shapes" "$T/now"
wrong 2 "argument -f/--folded: not allowed with argument --format, which selects pprof" diff -f --format pprof "$T/shapes" "$T/now"
wrong 2 "argument --format: json: not allowed with argument -o/--output: '.*/refused.svg' selects svg" report --format json -o "$T/refused.svg" "$T/shapes"
wrong 2 "argument --format: svg: not allowed with .*: '.*/a.speedscope.json' selects speedscope" flame --format svg -o "$T/a.speedscope.json" "$T/shapes"
wrong 2 "argument --format: perf: not allowed with .*: '.*/%n.folded' selects folded" profile --format perf -o "$T/%n.folded" 1
wrong 2 "argument -f/--folded: not allowed with .*: '.*/refused.svg' selects svg" report -f -o "$T/refused.svg" "$T/shapes"
wrong 2 "argument -f/--folded: not allowed with argument --format, which selects json" profile -f --format json 1
wrong 2 "argument --save: '.*/refused.svg' selects svg, but profiles are saved as stk" profile --save "$T/refused.svg" 1
wrong 2 "argument -o/--output: '-': not a file name" report -f -o - "$T/shapes"
wrong 2 "argument -o/--output: '-': not a file name" report --format svg -o - "$T/shapes"
wrong 2 "argument -o/--output: '-': not a file name" report --tree -o - "$T/shapes"
wrong 2 "argument --save: '-': not a file name" profile --save - 1
"$STACKTOOL" report -f "$T/shapes" >"$T/lines" && "$STACKTOOL" report --format folded -o "$T/lines.txt" "$T/shapes" &&
	cmp "$T/lines" "$T/lines.txt" || fail "--format folded into a .txt"
"$STACKTOOL" report --format speedscope -o "$T/flat.json" "$T/shapes" && "$STACKTOOL" report --format perf -o "$T/perf.txt" "$T/shapes" &&
	"$STACKTOOL" report -f -o "$T/folded.stk" "$T/shapes" || fail "a form in a file whose suffix allows it"
[ ! -e "$T/refused.svg" ] && [ ! -e - ] || fail "a refused name was written"
"$STACKTOOL" report --tree "$T/shapes" >"$T/tree" || fail "tree"
"$STACKTOOL" report --tree -o "$T/tree.txt" "$T/shapes" && cmp "$T/tree" "$T/tree.txt" || fail "a tree in a .txt"
"$STACKTOOL" report --tree -o "$T/any.name" "$T/shapes" && cmp "$T/tree" "$T/any.name" || fail "a tree in a file of any name"
"$STACKTOOL" diff -f "$T/shapes" "$T/now" >"$T/two" || fail "two columns"
"$STACKTOOL" diff -f -o "$T/two.folded" "$T/shapes" "$T/now" && cmp "$T/two" "$T/two.folded" || fail "two columns in a .folded"
wrong 2 "format 'svgg': no such format: did you mean 'svg'" flame --format svgg "$T/shapes"
wrong 2 "palette 'jaba': no such palette: did you mean 'java'" flame --colors jaba "$T/shapes"
wrong 2 "percentage 'x'" flame --min-width x "$T/shapes"
wrong 2 "argument --include: '\(': " report --include '(' "$T/shapes"
wrong 2 "diff supports text" diff --format pprof "$T/shapes" "$T/now"
wrong 2 "unknown placeholder: give %n, %t, %h or %%" flame -o "$T/%x.svg" "$T/shapes"
wrong 1 "neither a saved profile, nor folded stacks" flame /etc/passwd
wrong 1 "No such file" flame "$T/missing"
wrong 1 "not a regular file" flame /dev/zero
wrong 1 "is empty" flame
wrong 1 "not a regular file" flame -o /dev/full --format svg "$T/shapes"
wrong 1 "cannot open its directory" flame -o "$T/missing/a.svg" "$T/shapes"
"$STACKTOOL" flame "$T/shapes" 2>"$T/err" >/dev/full && fail "a full disk is not noticed"
grep -q 'cannot be written: No space left' "$T/err" || fail "a full disk: $(cat "$T/err")"
# In every form: a full disk is reported, and what was in the file stays; a reader that goes away is reported, and no failure.
awk 'BEGIN { for (i = 0; i < 6000; i++) printf "app%d;main;function_%x;leaf %d\n", i, i * 7919, i + 1 }' >"$T/many" # more than a pipe holds, but in packed forms
for format in text folded json svg html pprof speedscope perf stk; do
	"$STACKTOOL" report --format $format "$T/shapes" >/dev/full 2>"$T/err" && fail "$format: a full disk is not noticed"
	[ "$(cat "$T/err")" = 'stacktool report: standard output: cannot be written: No space left on device' ] ||
		fail "$format: a full disk: $(cat "$T/err")"
	echo before >"$T/limited"
	(trap '' XFSZ && ulimit -f 1 && exec "$STACKTOOL" report --format $format -o "$T/limited" "$T/many") 2>"$T/err" &&
		fail "$format: a file that cannot grow is not noticed"
	grep -q "limited': cannot be written: File too large" "$T/err" || fail "$format: a file that cannot grow: $(cat "$T/err")"
	[ "$(cat "$T/limited")" = before ] || fail "$format: the file before is gone"
	{ "$STACKTOOL" report --format $format "$T/many" 2>"$T/err" || fail "$format: a closed pipe: status $?"; } | head -c 1 >"$T/out"
	bytes=$("$STACKTOOL" report --format $format "$T/many" 2>/dev/null | wc -c)
	[ "$bytes" -lt 70000 ] || grep -qx 'NOTE: output truncated: the reader closed the pipe' "$T/err" ||
		fail "$format: a closed pipe: $(cat "$T/err")"
done
find "$T" -name '.stacktool-*' | grep . && fail "files are left over"

printf 'hello\nmain;a 3\n' | "$STACKTOOL" flame 2>"$T/err" >/dev/null || fail "a line that is no stack"
grep -q '^WARNING: 1 line is not a folded stack' "$T/err" || fail "lines left out: $(cat "$T/err")"
[ "$failures" = 0 ]

#!/usr/bin/env bash
# report --tui on a terminal of its own (script(1)): draws, obeys keys, and leaves the terminal as it was. Needs no privilege.
set -u
export TERM=xterm NO_COLOR=1
: "${STACKTOOL:?path of the tool}"
command -v script >/dev/null || { echo "SKIP: there is no script(1)"; exit 77; }
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
fail() {
	echo "FAIL: $*"
	exit 1
}

printf 'app;main;a;b 6\napp;main;c 3\nother;x 1\n' >"$T/stacks"
mkfifo "$T/keys" "$T/live"
# walk FILE KEYS REGEX: the keys come when the screen shows the stacks: a first screen may say "0 samples (adding up)", and keys before
# it are thrown away (TCSAFLUSH). The end comes when the screen has what matches.
walk() {
	script -qefc "stty rows 12 cols 90; stty -a >$T/before; $STACKTOOL report --tui $1 2>$T/notes; echo \$? >$T/status; stty -a >$T/after" \
		/dev/null <"$T/keys" >"$T/live" &
	exec 9>"$T/keys" 8<"$T/live"
	: >"$T/screen"
	while IFS= read -rd q -u 8 part; do
		printf %sq "$part" >>"$T/screen"
		case $part in
		*'H0 samples   ') ;;
		*'samples   ') break ;;
		esac
	done
	printf "$2" >&9
	cat <&8 >>"$T/screen" &
	until grep -aqE -- "$3" "$T/screen"; do :; done
	printf q >&9
	wait
}
here=$(cd "$(dirname "$0")" && pwd)
walk "$here/saved/packed" "" samples
cmp "$T/notes" <("$STACKTOOL" report "$here/saved/packed" 2>&1 >/dev/null) || fail "not the notes of a report"
walk "$T/stacks" '\033[B\033[C/^b$\r' 'samples; matched: 60.00%'
[ "$(cat "$T/status")" = 0 ] || fail "status $(cat "$T/status")"
cmp "$T/before" "$T/after" || fail "the terminal is not as it was"
grep -aq '+ other' "$T/screen" || fail "no tree"
grep -aq 'matched: 60.00%' "$T/screen" || fail "no search"
tail -c 200 "$T/screen" | grep -aq $'\033\\[?1049l' || fail "stays on the other screen"

# With NO_COLOR, lines are marked by reverse video and bold. Text on a terminal is plain.
grep -aoE $'\033\\[[0-9;]*m' "$T/screen" | grep -avE $'^\033\\[[17]?m$' && fail "--tui has colours in spite of NO_COLOR"
unset NO_COLOR
walk "$T/stacks" "" $'\033\\[34m'
grep -aq $'\033\\[34m' "$T/screen" || fail "--tui has no colours"
script -qefc "$STACKTOOL report --tree $T/stacks; $STACKTOOL report -f $T/stacks; $STACKTOOL doctor; $STACKTOOL --help; $STACKTOOL report" \
	/dev/null </dev/null >"$T/plain"
grep -aq 'other;x 1' "$T/plain" || fail "no report on the terminal"
grep -aq $'\033' "$T/plain" && fail "text on a terminal has escape sequences"

# Binary forms are not written to a terminal.
for format in pprof stk; do
	script -qefc "$STACKTOOL report --format $format $T/stacks" /dev/null </dev/null >"$T/plain"
	[ $? = 2 ] || fail "$format on a terminal: $(cat "$T/plain")"
	grep -q 'argument --format: this format is binary and the output is a terminal' "$T/plain" || fail "$format: $(cat "$T/plain")"
done

# Without a terminal one line gives the reason, before anything else is done; a line of advice may follow.
refused() { # WORDS COMMAND...
	local words=$1
	shift
	"$@" >"$T/out" 2>"$T/err" </dev/null
	[ $? = 2 ] || fail "$*: status $?"
	grep -q "$words" "$T/err" || fail "$*: $(cat "$T/err")"
	[ "$(grep -vc '^  ' "$T/err")" = 1 ] && [ ! -s "$T/out" ] || fail "$*: $(cat "$T/out" "$T/err")"
}
for command in "report $T/stacks" "profile 1" "count x"; do
	# shellcheck disable=SC2086  # words
	refused 'the screen needs a terminal, but standard output is not one' "$STACKTOOL" ${command% *} --tui ${command##* }
	# shellcheck disable=SC2086
	script -qefc "setsid -w $STACKTOOL ${command% *} --tui ${command##* }" /dev/null </dev/null >"$T/none"
	[ $? = 2 ] || fail "$command without a controlling terminal: $(cat "$T/none")"
	grep -q 'the screen needs a controlling terminal' "$T/none" || fail "$command: $(cat "$T/none")"
done
refused 'the screen needs a terminal' "$STACKTOOL" top 1
grep -qx "  'stacktool profile' and the other applets print a report without --tui" "$T/err" || fail "no advice: $(cat "$T/err")"
for term in dumb ''; do
	TERM=$term script -qefc "TERM=$term $STACKTOOL report --tui $T/stacks" /dev/null </dev/null >"$T/none"
	[ $? = 2 ] || fail "TERM=$term: $(cat "$T/none")"
	grep -q "a terminal that can move its cursor, but TERM is '$term'" "$T/none" || fail "TERM=$term: $(cat "$T/none")"
done
refused 'argument -f/--folded: not allowed with a screen' "$STACKTOOL" profile --tui -f 1
refused 'argument -n/--events: not allowed with a screen' "$STACKTOOL" stacksnoop --tui -n 1 vfs_read
refused 'argument -o/--output: not allowed with a screen' "$STACKTOOL" top -o x.svg 1
for option in output format keep redact colors inverted width min-width; do
	"$STACKTOOL" top --help=all | grep -q -- "--$option\>" && fail "the help of top has --$option"
	"$STACKTOOL" profile --help=all | grep -q -- "--$option\>" || fail "the help of profile does not have --$option"
done
refused 'argument --format: not allowed with a screen' "$STACKTOOL" report --tui --format json "$T/stacks"
exit 0

#!/bin/sh
# ctest: host
# On a terminal, a subcommand prints a summary after its header; under the name of bcc's tool it prints every stack, as into a pipe.
. "${0%/*}/lib.sh"
needs uprobe

# at_terminal NAME PROGRAM ARG...: what it shows is in $T/NAME
at_terminal() {
	name=$1
	shift
	TERM=xterm "$FIXTURES/terminal" 1 "$T/$name" '' "$@" 2>"$T/err" </dev/null || fail "$name: status $?: $(cat "$T/err")"
	tr -d '\r' <"$T/$name" >"$T/out"
}

at_terminal own "$STACKTOOL" count "$FIXTURES/calls:st_fix_hit" -- "$FIXTURES/calls" -n 1000
expect_out '^Tracing .*\.\.\. Hit Ctrl-C to end\.$' # not bcc's words
expect_out '^1,000 events$'
expect_out '^ +100\.0% +100\.0% +#+ .*st_fix_hit'
expect_equal "trees" "$(grep -c 'call tree$' "$T/out")" 1

ln -s "$STACKTOOL" "$T/stackcount"
for form in own-text linked dumb; do
	case $form in
	own-text) at_terminal $form "$STACKTOOL" count --format text "$FIXTURES/calls:st_fix_hit" -- "$FIXTURES/calls" -n 1000 ;;
	linked) at_terminal $form "$T/stackcount" "$FIXTURES/calls:st_fix_hit" -- "$FIXTURES/calls" -n 1000 ;;
	dumb) at_terminal $form env TERM=dumb "$STACKTOOL" count "$FIXTURES/calls:st_fix_hit" -- "$FIXTURES/calls" -n 1000 ;;
	esac
	refuse_out 'call tree$'
	expect_out '^ +1000$'
done
at_terminal interval "$STACKTOOL" count -i 5 "$FIXTURES/calls:st_fix_hit" -- "$FIXTURES/calls" -n 1000
refuse_out 'call tree$'

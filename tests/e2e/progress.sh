#!/bin/sh
# ctest: host
# Who waits before a terminal sees how far a run is, in one line that is gone at the end; a file, a pipe and -q see nothing of it.
. "${0%/*}/lib.sh"
needs perf-event uprobe

# at_terminal NAME STREAMS TEXT ARG…: what the terminal sees is in $T/NAME, its lines in $T/NAME.lines; Ctrl-C is typed at TEXT.
at_terminal() {
	name=$1 streams=$2 text=$3
	shift 3
	"$FIXTURES/as" foreground "$FIXTURES/terminal" "$streams" "$T/$name" "$text" "$STACKTOOL" "$@" >"$T/$name.rest" 2>&1 </dev/null
	echo $? >"$T/$name.status"
	tr '\r' '\n' <"$T/$name" >"$T/$name.lines"
}

# expect_seen NAME REGEX, refuse_seen NAME REGEX
expect_seen() {
	grep -aqE "$2" "$T/$1.lines" || fail "$1: not seen: $2: $(cat -v "$T/$1")"
}

refuse_seen() {
	! grep -aqE "$2" "$T/$1.lines" || fail "$1: seen: $2: $(cat -v "$T/$1")"
}

# Side by side: each lasts some seconds. The fixture waits meanwhile.
fixture calls-dyn -n 1
terminals=
at_terminal stacks 2 ' lost' profile -F 99 &
terminals="$terminals $!"
at_terminal probes 12 ' event' funccount "$FIXTURES/calls:st_fix_hit" &
terminals="$terminals $!"
at_terminal many 12 '' funccount -d 2.7 -p "$fixture_pid" "c:*str*" &
terminals="$terminals $!"
at_terminal quiet 12 '' profile -q -F 99 2.7 &
terminals="$terminals $!"
at_terminal interval 12 '' count -i 1 -D 3 "$FIXTURES/calls:st_fix_hit" &
terminals="$terminals $!"
at_terminal snoop 12 '' stacksnoop -D 2.7 "$FIXTURES/calls:st_fix_hit" &
terminals="$terminals $!"
at_terminal command 12 '' profile -F 99 -- sleep 2.7 &
terminals="$terminals $!"
tool profile -F 99 2.7
# shellcheck disable=SC2086
wait $terminals
fixture_end
expect_status 0
refuse_err ' lost$'
for name in stacks probes many quiet interval snoop command; do
	expect_equal "status of $name" "$(cat "$T/$name.status")" 0
done

expect_seen stacks '^0:0[2-9], [0-9,]+ events?, [0-9,]+ stacks?, 0 lost(\^C)?$'
expect_seen stacks '^ {30,}$' # erased before anything else is said
grep -q ' Hit Ctrl-C to end' "$T/stacks.rest" || fail "no report"
! grep -q ' lost' "$T/stacks.rest" || fail "progress in the report"
expect_seen probes '^0:0[2-9], [0-9,]+ events?(\^C)?$' # of the lost ones nothing is known yet
expect_seen probes '^FUNC  *COUNT$'
expect_seen many '^Tracing [2-9][0-9][0-9] functions' # each would be a system call
expect_seen many '^0:0[2-9]$'

# With -q, and where reports, events or a command have the terminal for themselves, there is none.
for name in quiet interval snoop command; do
	refuse_seen "$name" '^[0-9]+:[0-9][0-9], '
done
expect_seen interval 'Hit Ctrl-C'

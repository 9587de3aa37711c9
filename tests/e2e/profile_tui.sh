#!/usr/bin/env bash
# ctest: host
# profile --tui on a terminal of its own (script(1)): the tree grows while sampling goes on, keys are obeyed, the end waits for
# the user, and whatever ends it leaves the terminal as it was.
. "${0%/*}/lib.sh"
needs perf-event
shopt -s extglob
command -v script >/dev/null || skip "there is no script(1)"

# Starts the tool on a terminal; its screen comes by descriptor 6, keys go to 5.
terminal() { # ARG...
	rm -f "$T/keys" "$T/live" "$T/screen" "$T/status" "$T/tool"
	mkfifo "$T/keys" "$T/live"
	script -qefc "stty rows 30 cols 120; stty -a >$T/before; sh -c 'echo \$\$ >$T/tool; exec $STACKTOOL profile --tui $*'
		echo \$? >$T/status; stty -a >$T/after" /dev/null <"$T/keys" >"$T/live" 5>&- 6<&- 7<&- 8>&- &
	terminal=$!
	exec 5>"$T/keys" 6<"$T/live"
}

# Reads until a line of the screen matches; $line is it.
screen() { # REGEX
	while IFS= read -r -t 30 line <&6; do
		line=${line//$'\x1b['*([0-9;?])[A-Za-z]/}
		line=${line//$'\r'/}
		echo "$line" >>"$T/screen"
		[[ $line =~ $1 ]] && return
	done
	fail "no line of the screen matches $1: $(tail -n 40 "$T/screen")"
}

# The last line of a screen has no end: it stands before the title of the next one.
samples() {
	screen '^([0-9,]+) samples.*profile: '
	nr=${BASH_REMATCH[1]//,/}
}

restored() { # STATUS
	cat <&6 >"$T/rest"
	exec 5>&-
	wait "$terminal"
	[ "$(cat "$T/status")" = "$1" ] || fail "status $(cat "$T/status"), not $1: $(cat "$T/rest")"
	cmp "$T/before" "$T/after" || fail "the terminal is not as it was"
	grep -aq $'\x1b\\[?1049l' "$T/rest" "$T/screen" || fail "stays on the other screen"
}

fixture_running spin

terminal -F 199 -p "$fixture_pid"
screen 'st_fix_spin '
samples
before=$nr
samples
[ "$nr" -gt "$before" ] || fail "$nr samples after $before: the tree does not grow"
printf '/^st_fix_spin$\r' >&5
screen 'samples; matched: [1-9][0-9.]*%'
printf q >&5
restored 0
grep -aq 'st_fix_spin' <(sed -n '/1049l/,$p' "$T/rest" | sed 's/.*1049l//') && fail "a report is printed beside the screen"

# When the time is over the tree stays, the rest of what was sampled in it.
terminal -F 199 -p "$fixture_pid" 0.5
screen 'profile: .*: 0 s, ended'
screen 'st_fix_spin '
printf q >&5
restored 0

# A signal while it samples, and one after that.
terminal -F 199 -p "$fixture_pid"
screen 'st_fix_spin '
kill -TERM "$(cat "$T/tool")"
restored 0
terminal -F 199 -p "$fixture_pid" 0.1
screen ', ended'
kill -INT "$(cat "$T/tool")"
restored 0

# The one that the screen has taken was the first: while the tool waits for its command the next one ends it.
next_ends() { # WHEN ARG...
	rm -f "$T/saved"
	terminal -F 199 --save "$T/saved" "${@:2}" -- sleep 1000
	screen "$1"
	kill -TERM "$(cat "$T/tool")"
	until [ -e "$T/saved" ]; do :; done
	caught=$(sed -n 's/^SigCgt:\t//p' "/proc/$(cat "$T/tool")/status")
	((0x$caught & 1 << 14)) && fail "SIGTERM is spared after one that was taken ($caught)"
	cat <&6 >"$T/rest"
	exec 5>&-
	wait "$terminal"
}
next_ends 'profile: '
next_ends ', ended' 0.1
fixture_end

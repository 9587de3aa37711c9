#!/usr/bin/env bash
# ctest: host
# The live screen under tmux(1), as a user has it: it grows while samples come, obeys keys, fits the size of the terminal, and
# gives the terminal back when it ends, is stopped, or is killed.
. "${0%/*}/lib.sh"
needs perf-event
. "${0%/*}/tmux.sh"
cd "$T" || exit 1

fixture_running spin -r # so that the tests beside this long one have a CPU
terminal 80 24
runs "stty -g >$T/before"
screen '^ready>.*'

# Views, grouping, search, pause, help.
runs "$STACKTOOL top -F 199 -p $fixture_pid"
screen '^top: .*: [1-9][0-9]* s   [1-9][0-9,]* samples'
screen '- spin$'
screen 'st_fix_spin \[spin\]'
screen '100.00%  .*█'
[ "$(wc -l <"$T/screen")" -eq 24 ] || fail "not the whole screen: $(cat "$T/screen")"
keys 2
screen ' (100|9[0-9])\.[0-9]+% .*  st_fix_spin \[spin\]'
keys Down
keys c
screen '3 callers   of st_fix_'
keys 1 g
screen "[+-] spin \($fixture_pid\)"
keys g
screen "[+-] spin \($fixture_pid/[0-9]+\)"
keys g g
keys -l '/st_fix_spi'
screen '^/st_fix_spi .*matched: [1-9]'
keys Enter n
screen 'samples; matched: [1-9]'
keys Space
screen 'samples  paused'
keys Space
no_screen 'samples  paused'
keys '?'
screen 'group by command, process, thread, container'
keys q
screen '^ready>'

# The size of the terminal, from small to large, while it runs.
runs "$STACKTOOL top -F 199 -p $fixture_pid"
screen 'st_fix_spin'
term resize-window -x 200 -y 50
screen '^[0-9,]+ samples.*space pause$'
until capture && [ "$(wc -l <"$T/screen")" -eq 50 ] && tail -n 1 "$T/screen" | grep -q 'q end '; do :; done
term resize-window -x 40 -y 10
until capture && tail -n 1 "$T/screen" | grep -q '^[0-9,]* samples' && head -n 1 "$T/screen" | grep -q '^top: '; do :; done
term resize-window -x 80 -y 24
until capture && [ "$(wc -l <"$T/screen")" -eq 24 ] && tail -n 1 "$T/screen" | grep -q 'q end .*z zoom'; do :; done

# Saved while it runs, and read back with the same functions.
keys s
screen '^save as: top-[0-9]+-[0-9]+\.stk'
keys Enter
screen '^saved as top-.*\.stk'
"$STACKTOOL" report -f "$T"/top-*.stk >"$T/out" 2>"$T/err" || fail "the saved file cannot be read"
grep -q 'st_fix_spin' "$T/out" || fail "not saved: $(cat "$T/out")"
keys s
screen '^save as: '
keys C-h C-h C-h C-h
keys -l '/../x.stk'
keys Enter
screen "^not saved: give a name without '/'"
keys r
screen '^top: .*: [0-4] s   '

# Ctrl-z gives the shell its terminal, fg brings the screen back.
keys C-z
screen 'Stopped'
runs "stty -g >$T/stopped"
until [ -s "$T/stopped" ]; do :; done
runs fg
screen '^top: .*samples'
screen 'st_fix_spin'
keys q
no_screen '^top: '
runs "stty -g >$T/after; echo status \$?"
screen '^status 0'
cmp "$T/before" "$T/after" || fail "the terminal is not as it was after q"
cmp "$T/before" "$T/stopped" || fail "the terminal is not as it was after ctrl-z"

# What is left is about signals; the screens are those above.
[ -z "${SANITIZED:-}" ] || { terminal_end && fixture_end && exit; }

# Killed: the terminal is given back all the same, by a child. The shell may have said "Killed" before, on the screen that goes.
runs "$STACKTOOL top -F 199 -p $fixture_pid & fg"
screen 'st_fix_spin'
tool=$(pgrep -n -P "$(term list-panes -F '#{pane_pid}')" stacktool)
kill -KILL "$tool"
while kill -0 "$tool" 2>/dev/null; do :; done
no_screen '^top: '
runs "stty -g >$T/killed; echo done"
screen '^done'
cmp "$T/before" "$T/killed" || fail "the terminal is not as it was after SIGKILL"
for signal in TERM HUP INT; do
	runs "clear; $STACKTOOL top -F 199 -p $fixture_pid"
	screen 'st_fix_spin'
	kill -$signal "$(pgrep -n -P "$(term list-panes -F '#{pane_pid}')" stacktool)"
	no_screen '^top: '
	runs "stty -g >$T/$signal; echo after $signal"
	screen "^after $signal"
	cmp "$T/before" "$T/$signal" || fail "the terminal is not as it was after SIG$signal"
done

# A save that has not begun when a signal ends the run is made then. Names are late, so the program is busy when it is requested.
for try in 1 2 3 4; do
	rm -f ./*.stk
	runs "clear; $STACKTOOL top -F 199; echo ended $try"
	screen "^[1-9][0-9,]* samples"
	tool=$(pgrep -n -P "$(term list-panes -F '#{pane_pid}')" stacktool)
	for worker in $(children_named "$(children_named "$tool" stacktool-super)" stacktool-sym); do kill -STOP "$worker"; done
	"$FIXTURES/calls" -n 2000000 </dev/null >"$T/called"
	keys s
	screen '^save as: top'
	keys Enter
	screen '^sav(ing|ed)'
	kill -INT "$tool"
	screen "^ended $try"
	ls ./*.stk >"$T/saved" || fail "not saved: $(cat "$T/screen")"
done

# When the time is over the screen stays.
runs "clear; $STACKTOOL profile --tui -F 199 -p $fixture_pid 0.5"
screen '^profile: .*, ended'
keys q
screen '^ready>'

# The signal that the screen has taken was the first: while the tool waits for its command the next one ends it.
next_ends() { # WHEN ARG...
	rm -f "$T/saved"
	runs "clear; $STACKTOOL profile --tui -F 199 --save $T/saved ${*:2} -- sleep 1000"
	screen "$1"
	tool=$(pgrep -n -P "$(term list-panes -F '#{pane_pid}')" stacktool)
	kill -TERM "$tool"
	until [ -e "$T/saved" ]; do :; done
	caught=$(sed -n 's/^SigCgt:\t//p' "/proc/$tool/status" 2>/dev/null)
	((0x${caught:-0} & 1 << 14)) && fail "SIGTERM is spared after one that was taken ($caught)"
	no_screen '^profile: '
	screen '^ready>'
}
next_ends '^profile: '
next_ends '^profile: .*, ended' 0.1
terminal_end
fixture_end

# SPDX-License-Identifier: GPL-2.0-or-later
# Functions for scripts that use the screen as a user does: a shell under tmux(1), keys, and what the screen shows. Nothing
# sleeps: what should appear is looked for until it does, for a minute at most.
#
#   terminal COLUMNS ROWS   starts a shell on a terminal of this size
#   keys KEY...             as send-keys of tmux has them
#   runs COMMAND            types a command
#   screen REGEX            waits until a line of the screen matches; the screen is in $T/screen
#   no_screen REGEX         waits until none does
#   terminal_end            ends the shell

# shellcheck shell=bash
command -v tmux >/dev/null || skip "there is no tmux"

term() {
	tmux -S "$T/tmux" -f /dev/null "$@"
}

terminal() {
	echo "PS1='ready> '" >"$T/rc"
	trap 'term kill-server 2>/dev/null; rm -rf "$T"' EXIT
	term new-session -d -x "$1" -y "$2" -e TERM=screen -e LC_ALL=C.UTF-8 "bash --rcfile '$T/rc' --noprofile" ||
		fail "tmux does not start"
	screen '^ready>'
}

keys() {
	term send-keys "$@" || fail "tmux takes no keys: $*"
}

runs() {
	keys -l "$1"
	keys Enter
}

capture() {
	term capture-pane -p >"$T/screen" || fail "tmux has ended: $(cat "$T/screen")"
}

screen() {
	local deadline=$((SECONDS + 60))
	until capture && grep -qE -- "$1" "$T/screen"; do
		[ $SECONDS -lt $deadline ] || fail "no line of the screen matches $1: $(cat "$T/screen")"
	done
}

no_screen() {
	local deadline=$((SECONDS + 60))
	while capture && grep -qE -- "$1" "$T/screen"; do
		[ $SECONDS -lt $deadline ] || fail "a line of the screen still matches $1: $(cat "$T/screen")"
	done
}

terminal_end() {
	term kill-server
	until ! [ -S "$T/tmux" ] || ! term ls >/dev/null 2>&1; do :; done
}

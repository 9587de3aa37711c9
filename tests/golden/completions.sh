#!/usr/bin/env bash
# What the completions of the shells offer: every applet, and every option of each as its help has them. zsh and fish are
# asked for their syntax where they are installed.
set -u
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
failures=0

bad() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

"$STACKTOOL" --completions bash >"$T/bash" || bad "bash"
bash -n "$T/bash" || bad "bash: syntax"
# shellcheck disable=SC1091
. "$T/bash"

# offers WORD…: what is offered in place of the last word
offers() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_stacktool "$1"
	printf '%s\n' "${COMPREPLY[@]}"
}

while read -r applet _; do
	offers stacktool "${applet:0:3}" | grep -qx -- "$applet" || bad "bash: $applet is not offered"
	"$STACKTOOL" help "$applet" | sed -nE 's/^ +(-., )?(--[a-z-]+).*/\2/p' | sort -u >"$T/help"
	[ -s "$T/help" ] || bad "$applet: no options in its help"
	offers stacktool "$applet" -- | sort -u | comm -23 "$T/help" - >"$T/missing"
	[ ! -s "$T/missing" ] || bad "bash: $applet: not offered: $(tr '\n' ' ' <"$T/missing")"
done < <("$STACKTOOL" --list)
offers stackcount.py --off | grep -qx -- --offset || bad "bash: the name of a bcc tool"
cd "$T" && [ "$(offers stacktool report ba)" = bash ] || bad "bash: files"

for shell in zsh fish; do
	"$STACKTOOL" --completions "$shell" >"$T/$shell" || bad "$shell"
	grep -q -- 'min-block-time' "$T/$shell" || bad "$shell: an option is missing"
	! command -v "$shell" >/dev/null || "$shell" -n "$T/$shell" || bad "$shell: syntax"
done
"$STACKTOOL" --completions csh >"$T/out" 2>"$T/err"
[ $? = 2 ] && grep -q "give bash, zsh or fish" "$T/err" || bad "csh"

echo "$failures failures"
[ "$failures" = 0 ]

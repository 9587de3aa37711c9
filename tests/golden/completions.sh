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
	"$STACKTOOL" "$applet" --help=all | sed -nE 's/^ +(-., )*(--[a-z-]+).*/\2/p' | sort -u >"$T/help"
	[ -s "$T/help" ] || bad "$applet: no options in its help"
	offers stacktool "$applet" -- | sort -u | comm -23 "$T/help" - >"$T/missing"
	[ ! -s "$T/missing" ] || bad "bash: $applet: not offered: $(tr '\n' ' ' <"$T/missing")"
done < <("$STACKTOOL" --list)
for name in stackcount stackcount.py stackcount-bpfcc; do
	offers $name --off | grep -qx -- --offset || bad "bash: $name"
	complete -p $name >/dev/null || bad "bash: nothing is registered for $name"
done
offers stacktool help off | grep -qx -- offcputime || bad "bash: applets behind help"
offers stacktool --v | grep -qx -- --version || bad "bash: --version"
offers stackcount.py --off | grep -qx -- --offset || bad "bash: the name of a bcc tool"
# Values: after a space, and after "=", which is a word of its own
for line in "--unwind d" "--unwind = d" "--format=x --unwind = d"; do
	# shellcheck disable=SC2086
	[ "$(offers stacktool count $line)" = dwarf ] || bad "bash: $line: $(offers stacktool count $line)"
done
[ "$(offers stacktool profile -e page)" = page-faults ] || bad "bash: -e"
[ "$(offers stacktool profile --unwind = | wc -l)" = 4 ] || bad "bash: --unwind="
# A process chooses its name, and compgen would expand it.
cp /bin/sleep "$T/\$(id>x)"
(cd "$T" && exec "./\$(id>x)" 1000) &
sleeper=$!
while kill -0 "$sleeper" && ! grep -q id "/proc/$sleeper/comm"; do :; done
(cd "$T" && offers stacktool profile -p idx | grep -qx idx) || bad "bash: no names of processes"
kill "$sleeper"
[ ! -e "$T/x" ] || bad "bash: expands the name of a process"
# Every value that is offered is one: the wrong option after it is what is refused.
while read -r words values; do
	option=${words##*|}
	option=${option%)}
	for value in ${values//[\";]/}; do
		for applet in profile count; do
			"$STACKTOOL" "$applet" "${option}" "${value#values=}" --zzzzzz 2>"$T/err"
			! grep -qE "argument $option:|event '" "$T/err" || bad "$applet $option $value: $(cat "$T/err")"
		done
	done
done < <(sed -nE 's/^\t(.*--[a-z]+\)) (values=".*) ;;$/\1 \2/p' "$T/bash" | grep -v COMP)
cd "$T" && [ "$(offers stacktool report ba)" = bash ] || bad "bash: files"

for shell in zsh fish; do
	"$STACKTOOL" --completions "$shell" >"$T/$shell" || bad "$shell"
	grep -q -- 'min-block-time' "$T/$shell" || bad "$shell: an option is missing"
	for name in stackcount.py offcputime-bpfcc; do
		grep -qE -- "[ #]$name( |$)" "$T/$shell" || bad "$shell: $name is no command of its own"
	done
	! command -v "$shell" >/dev/null || "$shell" -n "$T/$shell" || bad "$shell: syntax"
done

# What fish itself offers after each line, as its own user sees it
fish_offers() { # LINE WORD
	HOME=$T fish -c "source $T/fish; complete -C '$1'" | cut -f1 | grep -qx -- "$2" || bad "fish: '$1' does not offer $2"
}
if command -v fish >/dev/null; then
	fish_offers 'stacktool off' offwaketime
	fish_offers 'stacktool --ver' --version
	fish_offers 'stacktool help off' offcputime
	fish_offers 'stacktool stackcount --per-' --per-thread
	fish_offers 'offcputime-bpfcc --hist' --histogram
fi
# In zsh completion takes a terminal; the function is at least defined, and asks for what it knows.
if command -v zsh >/dev/null; then
	cat >"$T/zsh.test" <<-'END'
		compdef() { :; }
		_describe() { print -l ${(P)2} ${(P)4}; }
		_arguments() { printf "%s\n" "$@"; }
		words=(stacktool off) CURRENT=2; . $1
		words=(stacktool help off) CURRENT=3; _stacktool
		words=(offcputime-bpfcc --hist) CURRENT=2; _stacktool
	END
	zsh -f "$T/zsh.test" "$T/zsh" >"$T/out" 2>"$T/err" || bad "zsh: $(head -n 3 "$T/err")"
	for word in '^offwaketime:' '^--version:' '^--histogram\['; do
		grep -qE -- "$word" "$T/out" || bad "zsh: nothing like $word is offered"
	done
fi
"$STACKTOOL" --completions csh >"$T/out" 2>"$T/err"
[ $? = 2 ] && grep -q "give bash, zsh or fish" "$T/err" || bad "csh"

echo "$failures failures"
[ "$failures" = 0 ]

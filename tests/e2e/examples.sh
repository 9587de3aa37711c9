#!/bin/sh
# ctest: host plain
# README.md and docs/use/examples: every command of every transcript runs, each line with status 0 but the last one with that of the
# transcript, every stacktool in a pipe too; together they print what the transcript promises, and the output that it shows keeps the
# same promises. Both outputs have the same shape (shape.awk): headers, notes and warnings, the roots of the stacks.
# `SHOW=1 examples.sh [FILE…]` prints the real output instead, `ONLY=REGEX` runs the transcripts whose headings match.
. "${0%/*}/lib.sh"
: "${SOURCE:=$(cd "${0%/*}/../.." && pwd)}"
needs uprobe perf-event btf tracepoint:sched:sched_switch program:bash program:python3 program:setsid

# In a transcript, which begins with a heading of level 2 or 3 and has a `console` block:
#
#   <!-- needs: QUESTION… -->   asked of fixtures/hostprobe; no: this transcript is left out, and the test counts as skipped
#   <!-- setup: COMMAND -->     before
#   <!-- load: COMMAND -->      meanwhile; `pgrep` in the transcript finds it
#   <!-- status: N -->          of the last command (0)
#   <!-- expect: REGEX -->      a line of the real output and a line of the shown one match
#   <!-- frames: NAME… -->      so do lines of nothing but these names, offsets and modules, in this order
STACKTOOL=$(realpath "$STACKTOOL") FIXTURES=$(realpath "$FIXTURES") # commands run elsewhere
work=$T/work
mkdir "$work"
load_pid=
trap 'end_load; rm -rf "$T"' EXIT
for program in calls offcpu usdt; do
	ln -s "$FIXTURES/$program" "$work/$program"
done
seq 100000 | awk '{ print ($1 * 7919) % 100003, "word" }' >"$work/words.txt"
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
nr=0 left_out=0

stacktool() {
	"$STACKTOOL" "$@"
	set -- "$?"
	echo "$1" >>"$T/statuses"
	return "$1"
}

sudo() { # the test runs as root
	"$@"
}

pgrep() {
	echo "$load_pid"
}

# The load runs when the program is its own, no longer the shell that starts it, and has made the file "ready" if it says that it
# will. Its process group goes with it.
start_load() {
	load_pid=
	[ -n "$load" ] || return 0
	name=${load%% *}
	rm -f "$work/ready"
	(cd "$work" && eval "exec nice -n -15 setsid $load" </dev/null >/dev/null 2>&1) &
	load_pid=$!
	until [ "$(cat "/proc/$load_pid/comm")" = "${name##*/}" ]; do
		kill -0 "$load_pid" || fail "$heading: $load has ended"
	done
	case $load in
	*'open("ready"'*) until [ -e "$work/ready" ]; do kill -0 "$load_pid" || fail "$heading: $load has ended"; done ;;
	esac
}

end_load() {
	[ -n "$load_pid" ] || return 0
	kill -9 "-$load_pid" 2>/dev/null
	wait "$load_pid" 2>/dev/null
}

# The frames in their order, with anything between them
has_frames() {
	awk -v names="$frames" 'BEGIN { nr = split(names, name, " "); at = 1 }
		{ gsub(/^[ \t]+|[ \t]+$/, ""); sub(/ \[[^]]*\]$/, ""); sub(/\+0x[0-9a-f]+$/, "") }
		$0 == name[at] { at++ }
		END { if (at <= nr) { print name[at]; exit 1 } }' "$1"
}

promises() { # FILE WHAT
	while IFS= read -r regex; do
		grep -qE -- "$regex" "$1" || fail "$where: no line of the $2 matches: $regex"
	done <"$T/expects"
	missing=$(has_frames "$1") || fail "$where: the $2 has no frame $missing, or not in this order"
}

# Sentences that depend on the host: how busy it is, whether it has a PMU, where the tree is, which symbols its programs have. One
# may be shown or not.
of_the_host='^note (cost|user stacks|.*samples? skipped|.*samples? came late|.*samples? of all processes taken|.*waits? not counted: the kernel did not report|.*events? missed: our program was already running|stacktool [a-z]*: (detaching|stopping).*|.*sampling by cpu-clock|.*before you share the report|.*address space records? lost.*|.*shown without user stack.*|.*impossible transitions?.*|.*frames? ha(s|ve) no name|.*frames? without a name)'

# Each difference of the shapes is a failure. `…` in the shown output stands for anything: then it need not be complete.
same_shape() {
	awk -f "$SOURCE/tests/e2e/shape.awk" "$T/out" | sort -u >"$T/shape.real"
	awk -f "$SOURCE/tests/e2e/shape.awk" "$T/shown" | sort -u >"$T/shape.shown"
	grep -vE "$of_the_host" "$T/shape.shown" >"$T/shape.promised"
	while IFS= read -r promised <&7; do
		grep -qxF -- "$promised" "$T/shape.real" || fail "$where: shows what is not there: $promised
$(cat "$T/out")"
	done 7<"$T/shape.promised"
	! grep -q '^…' "$T/shown" || return 0
	grep -vE "$of_the_host|^root " "$T/shape.real" >"$T/shape.needed"
	while IFS= read -r needed <&7; do
		grep -qxF -- "$needed" "$T/shape.shown" || fail "$where: does not show: $needed
$(cat "$T/out")"
	done 7<"$T/shape.needed"
}

# Line by line, up to the first that fails: all but the last have to end well.
run_commands() {
	line_at=0
	while IFS= read -r command <&6; do
		line_at=$((line_at + 1))
		eval "$command"
		set -- "$?"
		[ "$1" = 0 ] || break
	done 6<"$T/commands"
	[ "$line_at" = "$(grep -c '' "$T/commands")" ] || echo "$command" >"$T/ended_early"
	return "$1"
}

finish_transcript() {
	[ -n "$heading" ] || return 0
	where="${file##*/}: $heading"
	[ -n "$has_block$needs$load$frames" ] || [ -s "$T/expects" ] || return 0 # a section of text
	printf '%s\n' "$heading" | grep -qE -- "${ONLY:-}" || return 0
	nr=$((nr + 1))
	: >"$T/out"
	[ -s "$T/commands" ] || fail "$where: no command"
	[ -s "$T/expects" ] || [ -n "$frames" ] || fail "$where: promises nothing"
	# shellcheck disable=SC2086
	if ! no=$("$FIXTURES/hostprobe" root $needs); then
		echo "LEFT OUT: $where: $no"
		left_out=$((left_out + 1))
		return 0
	fi
	start_load
	rm -f "$T/ended_early" "$T/statuses"
	touch "$T/statuses"
	tool_line=$(cat "$T/commands")
	# shellcheck disable=SC2086
	(cd "$work" && eval "$setup" && run_commands) >"$T/out" 2>&1 </dev/null
	status=$?
	end_load
	if [ -n "${SHOW:-}" ]; then
		echo "== $where (status $status)"
		cat "$T/out"
		return 0
	fi
	[ ! -e "$T/ended_early" ] || fail "$where: status $status of the command $(cat "$T/ended_early")"
	[ "$status" = "$want" ] || fail "$where: status $status, not $want"
	! grep -qvx -e 0 -e "$want" "$T/statuses" || fail "$where: in a pipe stacktool ended with $(grep -vx 0 "$T/statuses")"
	promises "$T/out" "real output"
	promises "$T/shown" "shown output"
	same_shape
}

# What a comment says: `<!-- KEY: VALUE -->`
comment() {
	value=${line#<!-- *: }
	value=${value% -->}
	case $line in
	'<!-- needs: '*) needs=$value ;;
	'<!-- setup: '*) setup=$value ;;
	'<!-- load: '*) load=$value ;;
	'<!-- status: '*) want=$value ;;
	'<!-- frames: '*) frames=$value ;;
	'<!-- expect: '*) printf '%s\n' "$value" >>"$T/expects" ;;
	*) fail "$file: $line: what is this?" ;;
	esac
}

block_line() {
	case $line in
	'$ '*) printf '%s\n' "${line#??}" >>"$T/commands" ;;
	*) printf '%s\n' "$line" >>"$T/shown" ;;
	esac
}

run_file() {
	heading='' in_block='' has_block=''
	while IFS= read -r line <&5; do
		case $in_block$line in
		'## '* | '### '*)
			finish_transcript
			heading=${line#* }
			needs='' setup=: load='' want=0 frames='' has_block=''
			rm -f "$T/commands" "$T/shown" "$T/expects"
			touch "$T/commands" "$T/shown" "$T/expects"
			;;
		'<!-- '*) comment ;;
		'```console') in_block=1 has_block=1 ;;
		'1```') in_block= ;;
		1*) block_line ;;
		esac
	done 5<"$1"
	finish_transcript
}

[ $# -gt 0 ] || set -- "$SOURCE/README.md" "$SOURCE"/docs/use/examples/*.md
for file; do
	run_file "$file"
done
echo "$nr transcripts"

# The options that the text mentions are options.
for applet in $("$STACKTOOL" --list | cut -d' ' -f1); do
	"$STACKTOOL" "$applet" --help=all
done >"$T/help"
"$STACKTOOL" --help >>"$T/help"
# shellcheck disable=SC2016 # backquotes of Markdown
sed '/^```console/,/^```$/ { /^\$ /!d }' "$@" | grep -oE '(^|[ `])--[a-z][a-z-]+' | tr -d ' `' | sort -u >"$T/options"
while read -r option; do
	grep -qE -- "(^|[ ,])$option([ =,]|\$)" "$T/help" || fail "no applet has the option $option"
done <"$T/options"

[ "$left_out" = 0 ] || skip "$left_out of $nr transcripts were left out"

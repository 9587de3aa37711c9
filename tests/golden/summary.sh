#!/usr/bin/env bash
# On a terminal (script(1)) a subcommand prints a summary that fits the screen; in all other cases it prints what it prints into a pipe.
# Needs no privilege.
set -u
: "${STACKTOOL:?path of the tool}"
command -v script >/dev/null || { echo "SKIP: there is no script(1)"; exit 77; }
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
failures=0
fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}
unset NO_COLOR STACKTOOL_FORMAT
export TERM=xterm

# A tree of 400 branches, 60 frames deep, with wide names and kernel frames
for i in $(seq 400); do
	printf 'app%s;main' $((i % 3))
	for depth in $(seq $((i % 60))); do
		printf ';std::vector<a_long_type_%s, std::allocator<of_depth_%s> >::insert(int)' $((i % 5)) "$depth"
	done
	printf ';do_syscall_64_[k];vfs_read_[k] %s\n' $((i * i))
done >"$T/stacks"

# at SCREEN ARG...: what a terminal of that size shows
at() {
	local rows=${1%x*} columns=${1#*x}
	shift
	printf '%q ' "$STACKTOOL" "$@" >"$T/command"
	script -qefc "stty rows $rows cols $columns -onlcr; $(cat "$T/command")" /dev/null </dev/null >"$T/screen" || fail "$*: status $?: $(cat "$T/screen")"
	sed 's/\x1b\[[0-9;]*m//g' "$T/screen" >"$T/plain"
}

for screen in 24x80 50x200 24x60 12x80; do
	at "$screen" report "$T/stacks"
	grep -q 'call tree' "$T/plain" || fail "$screen: no summary: $(head -5 "$T/plain")"
	grep -q 'function' "$T/plain" || fail "$screen: no functions"
	columns=${screen#*x} rows=${screen%x*}
	awk -v columns="$columns" 'length() > columns && columns > 60 && !/^ *[0-9.]+% .* > .* > / { exit 1 }' "$T/plain" || fail "$screen: a line is wider: $(awk 'length() > m { m = length(); l = $0 } END { print m, l }' "$T/plain")"
	[ "$rows" -lt 24 ] || [ "$(wc -l <"$T/plain")" -le "$rows" ] || fail "$screen: $(wc -l <"$T/plain") lines"
done
at 40x100 report "$T/stacks"
grep -q $'\x1b\\[33m' "$T/screen" || fail "kernel frames have no colour"
"$STACKTOOL" report --format summary "$T/stacks" | cmp - "$T/plain" || fail "a pipe gets another summary"
NO_COLOR=1 at 40x100 report "$T/stacks"
cmp "$T/plain" "$T/screen" || fail "NO_COLOR has colours"

# The share of a function is what the callers' tree has, and the total is the sum.
grep -qx "$(awk '{ sum += $NF } END { print sum }' "$T/stacks" | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\b/\1,\2/; ta') samples" "$T/plain" || fail "total: $(sed -n 2p "$T/plain")"

# A chain that is too long for its line keeps the function that enters the kernel, and what it is entered for.
{
	printf 'app;main'
	printf ';a_caller_with_a_long_name_%s' $(seq 20)
	printf ';read_orders;__read'
	printf ';%s_[k]' entry_SYSCALL_64_after_hwframe do_syscall_64 ksys_read vfs_read ext4_file_read_iter filemap_read folio_wait_bit schedule __schedule
	printf ' 7\n'
} >"$T/chain"
for chain in '24x100 main > ... > read_orders > __read > [kernel] ... > __schedule' \
	'24x140 main > ... > a_caller_with_a_long_name_20 > read_orders > __read > [kernel] ... > schedule > __schedule' \
	'24x60 main > ... > schedule > __schedule'; do
	at "${chain%% *}" report "$T/chain"
	grep -qxF "  100.0%  100.0%  ##########   ${chain#* }" "$T/plain" || fail "$chain: $(cat "$T/plain")"
done

# Text, as before
"$STACKTOOL" report "$T/stacks" >"$T/text"
TERM=dumb at 24x80 report "$T/stacks"
cmp "$T/text" "$T/screen" || fail "TERM=dumb"
TERM='' at 24x80 report "$T/stacks"
cmp "$T/text" "$T/screen" || fail "no TERM"
"$STACKTOOL" report --format text "$T/stacks" >"$T/by-option"
STACKTOOL_FORMAT=text at 24x80 report "$T/stacks"
cmp "$T/by-option" "$T/screen" || fail "STACKTOOL_FORMAT=text"
for option in --text -f '--format text'; do
	# shellcheck disable=SC2086
	at 24x80 report $option "$T/stacks"
	# shellcheck disable=SC2086
	"$STACKTOOL" report $option "$T/stacks" | cmp - "$T/screen" || fail "$option on a terminal"
done
STACKTOOL_FORMAT=folded "$STACKTOOL" report "$T/stacks" | cmp - <("$STACKTOOL" report --format folded "$T/stacks") || fail "STACKTOOL_FORMAT=folded in a pipe"
STACKTOOL_FORMAT=svg "$STACKTOOL" report --format text "$T/stacks" | cmp - "$T/by-option" || fail "--format is stronger than STACKTOOL_FORMAT"
STACKTOOL_FORMAT=sgv "$STACKTOOL" report "$T/stacks" >"$T/out" 2>"$T/err"
[ $? = 2 ] && [ ! -s "$T/out" ] && grep -q "environment variable STACKTOOL_FORMAT: format 'sgv': no such format: did you mean 'svg'" "$T/err" || fail "an unknown format: $(cat "$T/err")"

exit $((failures ? 1 : 0))

#!/bin/sh
# ctest: boots=5.10|7.2
# The symbol worker is killed while the tool runs: another one takes its place, and every frame still gets its name.
. "${0%/*}/lib.sh"
needs uprobe

# The process with this name whose parent is the given one.
child_named() {
	for stat in /proc/[0-9]*/stat; do
		read -r whole 2>/dev/null <"$stat" || continue
		behind=${whole##*) }
		parent=${behind#* }
		case $whole in
		*"($2)"*) [ "${parent%% *}" = "$1" ] && echo "${whole%% *}" && return ;;
		esac
	done
}

fixture chain calls 100
tool_start count -f -p "$fixture_pid" "$FIXTURES/chain:st_fix_leaf"
fixture_work
supervisor=$(child_named "$tool_pid" stacktool-super)
worker=$(child_named "${supervisor:-0}" stacktool-sym)
[ -n "$worker" ] || fail "no symbol worker below the tool"
kill -9 "$worker" || fail "the worker has ended already"
tool_end
plain_names "$T/out" >"$T/plain"
expect_equal "calls with all names" "$(folded_sum_of 'st_fix_main;.*st_fix_g;(st_fix_h;)?st_fix_leaf [0-9]+$' "$T/plain")" 100
fixture_end

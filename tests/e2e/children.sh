#!/bin/sh
# ctest: boots=5.10
# What a command starts is followed with it: forks, vforks, double forks, what executes another program, and whose thread
# does; every event of all of them counts, and none of anybody else.
. "${0%/*}/lib.sh"
needs uprobe perf-event tracepoint:task:task_rename

family=$FIXTURES/family
hits=500
all=$((6 * hits))

# Each with its own name
returns 0 count -P -U -o "$T/each.txt" "$family:st_fix_hit" -- "$family" $hits
expect_out "^DONE events=$all"
expect_equal "calls" "$(text_sum "$T/each.txt")" $all
expect_equal "processes" "$(grep -oE '^    family \[[0-9]+\]$' "$T/each.txt" | sort -u | wc -l)" 6

# exec() renames, too: of the command and of two children
returns 0 count -f -K -o "$T/renames.folded" t:task:task_rename -- "$family" $hits
expect_equal "renames" "$(folded_sum "$T/renames.folded")" $((all + 3))

# Below a shell, while a stranger that nobody has asked for does the same
mkfifo "$T/go" "$T/gone"
sh -c "read -r _ <$T/go; $family 100 <&-; echo gone >$T/gone" >"$T/stranger" &
returns 0 funccount -o "$T/functions.txt" "$family:st_fix_hit" -- \
	sh -c "$family $hits; echo go >$T/go; read -r _ <$T/gone"
wait
expect_equal "what the stranger did" "$(cat "$T/stranger")" "DONE events=600 members=6"
expect_equal "calls below a shell" "$(awk '$1 == "st_fix_hit" { print $2 }' "$T/functions.txt")" $all

# The command alone
returns 0 count --no-children -f -o "$T/alone.folded" "$family:st_fix_hit" -- "$family" $hits
expect_equal "calls of the command alone" "$(folded_sum "$T/alone.folded")" $hits

# Samples of what a child of the command executes. A busy host lets most samples of a guest come too late
for ms in 300 3000 10000; do
	returns 0 profile -f -F 199 -U -o "$T/samples.folded" -- "$family" spin $ms
	samples=$(folded_sum_of '^family;.*st_fix_spin' "$T/samples.folded")
	[ "$samples" -lt 3 ] || break
done
[ "$samples" -ge 3 ] || fail "no samples of the child"

# Waits of a child, as long as it says
returns 0 offcputime -f -K -o "$T/waits.folded" -- sh -c "$FIXTURES/offcpu sleep 20 10000 </dev/null; :"
line=$(grep '^DONE slept_us=' "$T/out")
slept=${line#DONE slept_us=}
waited=$(folded_sum_of '^offcpu;.*nanosleep' "$T/waits.folded")
[ "$waited" -gt 0 ] && [ "$waited" -le "${slept%% *}" ] || fail "the child: $line, in the report: $waited us"

# The run ends with the command, not with what it leaves behind.
mkfifo "$T/hold"
exec 6<>"$T/hold"
"$STACKTOOL" count -f -o "$T/left.folded" "$family:st_fix_hit" -- "$family" idle <"$T/hold" >"$T/out" 2>"$T/err" 6>&- || fail "idle"
left=$(sed -n 's/^LEFT //p' "$T/out")
[ -d "/proc/$left" ] || fail "the child ended with the command"
echo >&6

#!/bin/sh
# ctest: guest boots=lockdown
# Under lockdown=confidentiality kernel functions are counted by a way that it leaves open; one that is closed is refused, and
# lockdown is named, not a privilege that root has.
. "${0%/*}/lib.sh"
needs btf

trace calls -n 1000 -k getppid -- funccount -p PID -r '__(x64|do|se)_sys_getppid'
expect_out '_sys_getppid +1000$'

returns 3 funccount -d 0.1 --attach=kprobe vfs_read
expect_err '--attach: kprobe is forbidden by lockdown=confidentiality'
expect_one_line_error

returns 0 count -D 0.1 --attach=fentry vfs_read

# A command and what it starts, by programs that read nothing of the kernel's memory: every event from the first to the last
"$STACKTOOL" funccount -o "$T/functions.txt" __x64_sys_getppid -- sh -c "echo | $FIXTURES/calls -n 300 -k getppid; exit 7" \
	>"$T/said" 2>"$T/err"
expect_equal "status of the command" $? 7
grep -q '^DONE events=300' "$T/said" || fail "the command was not executed"
calls=$(awk '$1 == "__x64_sys_getppid" { print $2 }' "$T/functions.txt")
[ "$calls" -ge 300 ] && [ "$calls" -le 310 ] || fail "$calls calls of the command's child, not 300 and the few of a shell"

"$STACKTOOL" count -f -o "$T/stacks.folded" t:raw_syscalls:sys_enter -- "$FIXTURES/calls" -n 300 -k getppid <&- >"$T/said" 2>"$T/err"
expect_equal "status" $? 0
[ "$(folded_sum_of '^calls;' "$T/stacks.folded")" -ge 300 ] || fail "no stacks of the command"

# The end of a system call, whose number is read from the task's registers, by a way that lockdown leaves open
"$STACKTOOL" count -f -K -o "$T/ends.folded" t:syscalls:sys_exit_getppid -- "$FIXTURES/calls" -n 300 -k getppid <&- >"$T/said" 2>"$T/err"
expect_equal "status" $? 0
expect_equal "ends of calls" "$(folded_sum_of '^calls;' "$T/ends.folded")" 300

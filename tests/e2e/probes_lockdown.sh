#!/bin/sh
# ctest: guest boots=lockdown
# funccount and stacksnoop where the kernel keeps its memory secret: a tracepoint works, by its raw form; what cannot work is refused
# in one line that names the reason.
. "${0%/*}/lib.sh"
needs btf

N=2000
trace calls -n "$N" -k getppid -- funccount -p PID t:raw_syscalls:sys_enter
counted=$(awk '$1 ~ /:sys_enter$/ { print $2 }' "$T/out")
[ "$counted" -ge "$N" ] && [ "$counted" -le $((N + 50)) ] || fail "funccount: $counted system calls, not $N and the few of an end"
refuse_err 'does not add up'

fixture calls -n "$N" -k getppid
tool_start stacksnoop -v -p "$fixture_pid" -n 20 t:raw_syscalls:sys_enter
go
tool_wait
fixture_done
expect_status 0
expect_equal "events" "$(grep -cE "^[0-9]+\.[0-9]{9} +calls +$fixture_pid .*:sys_enter\$" "$T/out")" 20
expect_out '^	do_syscall_64$'
fixture_end

# kprobes are closed
for applet in 'funccount -d 1 --attach=kprobe' 'count -D 1 --attach=kprobe'; do
	# shellcheck disable=SC2086
	returns 3 $applet vfs_read
	expect_one_line_error
	expect_err 'lockdown'
done

# Timed samples need no memory of the kernel's.
fixture_running chain spin
returns 0 profile -f -F 49 -p "$fixture_pid" 1
expect_out ';st_fix_g;st_fix_h(;[^ ]*)? [0-9]+$'
refuse_err 'does not add up'
fixture_end
returns 0 profile -K -f -F 49 1

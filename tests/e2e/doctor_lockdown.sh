#!/bin/sh
# ctest: guest boots=6.12-lockdown
# Under lockdown=confidentiality doctor names lockdown as the cause, not something that could be changed at run time.
. "${0%/*}/lib.sh"

returns 0 doctor lockdown # by the command line, before securityfs is mounted
expect_out '^lockdown +partly +confidentiality'
grep -q " /sys/kernel/security " /proc/mounts || mount -t securityfs securityfs /sys/kernel/security || skip "no securityfs"
tool doctor
cat "$T/out"
expect_status 0
expect_out '^lockdown +partly +confidentiality'
expect_out '^tracefs +no +forbidden by lockdown'
expect_out '^kprobe +no +forbidden by lockdown'
expect_out '^raw-tracepoint +yes '
expect_out '^perf-events +yes '
expect_out '^task-iterator +no '
refused 3 'lockdown=confidentiality forbids' dump -a

#!/bin/sh
# ctest: guest boots=5.10|7.2 live-kallsyms
# kernel.kptr_restrict=2 hides the kernel's addresses from everyone, root included: counting is as exact as ever and the sentence
# that names are missing is there; what needs an address is refused, and the setting is named.
. "${0%/*}/lib.sh"
needs tracepoint:task:task_rename

before=$(cat /proc/sys/kernel/kptr_restrict)
echo 2 >/proc/sys/kernel/kptr_restrict
trap 'echo "$before" >/proc/sys/kernel/kptr_restrict; rm -rf "$T"' EXIT

EVENTS=1000
exactly t:task:task_rename "-k rename" -K
expect_err 'frames (have|has) no name: .*\(/proc/kallsyms hides addresses\)'
expect_out '\[unknown\]'

refused 3 "function 'vfs_read': /proc/kallsyms shows no addresses" count -D 0.1 vfs_read
expect_err 'kernel.kptr_restrict below 2'

returns 0 profile -K -f -F 99 0.3
tool doctor
expect_out '^kptr_restrict +(no|partly) '

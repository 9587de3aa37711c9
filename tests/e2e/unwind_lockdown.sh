#!/bin/sh
# ctest: guest boots=lockdown
# Under lockdown=confidentiality no program may read user memory: stacks are those of the kernel's walk by frame pointers, every
# event is counted, and a line says so. Who insists on tables is refused.
. "${0%/*}/lib.sh"

returns 0 count -v -f -U -o "$T/stacks.folded" t:raw_syscalls:sys_enter -- "$FIXTURES/calls" -n 300 -k getppid
expect_equal "calls with their user stack" "$(folded_sum_of '^calls;.*;syscall 300$' "$T/stacks.folded")" 300
expect_err 'user stacks are walked by frame pointers: BPF programs cannot read memory \(lockdown=confidentiality\)$'
refuse_err 'user stacks complete'

returns 3 count --unwind=dwarf -p $$ t:raw_syscalls:sys_enter
expect_err '--unwind=dwarf: BPF programs cannot read memory \(lockdown=confidentiality\)$'

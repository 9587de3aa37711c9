#!/bin/sh
# ctest: guest
# The sentence that this tool is known by: which code paths lead to ip_output, and how often. With traffic over loopback,
# by the best mechanism of each kernel. And the other commands that a user types first, each with its stacks.
. "${0%/*}/lib.sh"
needs kprobe

NR=5
ip link set lo up || fail "no loopback"

# The lines that have a function, with its callers after it as stackcount prints them
tool_start count ip_output
ping -q -c $NR -i 0.1 127.0.0.1 >/dev/null 2>&1 || ping -q -c $NR 127.0.0.1 >/dev/null || fail "no ping"
tool_end
expect_out '^Tracing 1 functions for "ip_output"'
expect_out '^  ip_output$'
[ "$(text_sum)" -ge $((2 * NR)) ] || fail "$(text_sum) packets, $NR requests and replies were sent"

tool_start count -K -f ip_output
ping -q -c $NR -i 0.1 127.0.0.1 >/dev/null 2>&1 || ping -q -c $NR 127.0.0.1 >/dev/null
tool_end
refuse_err 'refused'
plain_names "$T/out" >"$T/plain"
grep -qE '(raw|ping)(_v4)?_sendmsg.*;ip_output [0-9]+$' "$T/plain" || fail "no stack from sendmsg to ip_output"
grep -qE 'icmp_(echo|reply).*;ip_output [0-9]+$' "$T/plain" || fail "no stack of a reply"
refuse_out '(bpf_prog_|bpf_trampoline|kprobe_|ftrace_|fprobe_)[^;]* [0-9]+$'

# Wildcards and expressions find what the traffic goes through
tool_start count -K -f 'tcp_send*'
nc -l -p 4242 </dev/null >"$T/received" &
listener=$!
tries=0
while ! echo "some words" | nc 127.0.0.1 4242 2>/dev/null && [ $tries -lt 500 ]; do
	tries=$((tries + 1))
done
wait $listener
tool_end
expect_equal "received" "$(cat "$T/received")" "some words"
expect_out ';tcp_sendmsg(\+0x[0-9a-f]+)?( |;)'

tool_start count -K -f -r '^vfs_.*'
cat /proc/version >/dev/null
tool_end
expect_out ';vfs_read(\+0x[0-9a-f]+)? [0-9]+$'

tool_start count -K -f t:sched:sched_switch
cat /proc/version | cat >/dev/null
tool_end
expect_out ';__schedule(\+0x[0-9a-f]+)?( |;)'

# Of one process: a function of the C library, and a USDT probe
trace calls-dyn -k malloc -n 100 -b 2 -- count -f -p PID c:malloc
plain_names "$T/out" >"$T/plain"
expect_equal "calls of malloc" "$(folded_sum_of 'st_fix_(left|alloc);(.*;)?(__libc_)?malloc [0-9]+$' "$T/plain")" 100

trace usdt 50 -- count -f -p PID "u:$FIXTURES/usdt:st_fix:hit"
plain_names "$T/out" >"$T/plain"
expect_equal "passes of the probe" "$(folded_sum_of 'st_fix_main;st_fix_(one|two) [0-9]+$' "$T/plain")" 100

#!/bin/sh
# ctest: boots=7.2
# wall --latency: time on the CPU is divided by the number of threads of the process that ran. Those of one CPU never run at the same time.
. "${0%/*}/lib.sh"
needs btf perf-event

# spin ARGS: microseconds on the CPU, and as latency, of one run each
spin() {
	for option in --waits=all --latency; do
		fixture_running spin "$@"
		tool_start wall -f -F 997 $option -p "$fixture_pid"
		until_used "$fixture_pid" 60
		tool_end
		kill -9 "$fixture_pid"
		refuse_err 'by which states and lifetimes|does not add up'
		echo "$(folded_sum_of ';\[on CPU\];') $(folded_sum_of ';\[on CPU\];.*st_fix_spin')"
	done >"$T/sums"
}

# Two threads on one CPU: nothing is divided, so they have as much as they used.
spin -j 0 -t 2
read -r all spun <<-EOF
	$(tail -n 1 "$T/sums")
EOF
[ "$spun" -ge 400000 ] || fail "one CPU: $spun us of $all"

# On several CPUs both run at once, if the host lets them: then a sample of one counts half (unit.wall has the arithmetic).
fixture_running spin -t 2
tool_start wall -f -F 997 --latency --save "$T/latency.stk" -p "$fixture_pid"
until_used "$fixture_pid" 100
tool_end
kill -9 "$fixture_pid"
latency=$(folded_sum_of ';\[on CPU\];')
[ "$latency" -gt 0 ] || fail "no latency"
returns 0 report --text "$T/latency.stk"
expect_out '^    time on the CPU is divided by the number of threads of the process that ran, by samples$'

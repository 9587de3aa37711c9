#!/bin/sh
# ctest: host
# A function whose first instruction the kernel would take for a jump or a return is not probed, by any mechanism: the program
# would die of it. The others are.
. "${0%/*}/lib.sh"
needs uprobe x86-64

[ "$("$FIXTURES/vector" 0 </dev/null | head -n 1 | cut -d' ' -f1)" = READY ] || skip "this CPU has no AVX"

# One process and few functions: a perf uprobe each. All processes: one link, where the kernel has that.
for processes in one all; do
	only=
	[ "$processes" = all ] || only="-p PID"
	# shellcheck disable=SC2086
	trace vector 100 -- funccount $only "$FIXTURES/vector:st_fix_*"
	echo "$line" | grep -q 'sum=300' || fail "the program went astray: $line"
	expect_out '^st_fix_plain +100$'
	refuse_out 'st_fix_v'
	expect_err '2 of 3 probes were refused, such as st_fix_v[a-z]+: this kernel misdecodes the vector instruction there as a'
done

fixture vector 100
returns 1 funccount -p "$fixture_pid" -d 0.1 "$FIXTURES/vector:st_fix_vcmpps"
expect_err 'st_fix_vcmpps: cannot attach: this kernel misdecodes the vector instruction there'
fixture_work
echo "$line" | grep -q 'sum=300' || fail "the program went astray: $line"
fixture_end

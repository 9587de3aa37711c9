#!/bin/sh
# ctest: boots=7.2-all
# Indirect functions (IFUNC) are counted once per call, whichever implementation this CPU gets.
. "${0%/*}/lib.sh"
needs uprobe x86-64

# called PROGRAM FUNCTION TOOL-ARG…: 5000 calls from the fixture; the C library's own calls are in other rows.
called() {
	program=$1
	function=$2
	shift 2
	trace "$program" 5000 -- count -f "$@"
	plain_names "$T/out" >"$T/plain"
	expect_equal "$*: calls" "$(folded_sum_of "st_fix_main;st_fix_$function;[^;]* [0-9]+\$" "$T/plain")" 5000
	expect_equal "$*: calls, whatever their stack" "$(folded_sum_of "st_fix_$function;" "$T/plain")" 5000
}

for function in strlen memcpy strchr; do
	called ifunc "$function" "$FIXTURES/ifunc:$function"
	expect_err "'$function' is an indirect function"
done
called ifunc strchr -p PID "$FIXTURES/ifunc:strc*"

if "$FIXTURES/ifunc-dyn" 1 </dev/null >/dev/null 2>&1; then
	for function in strlen memcpy strchr; do
		called ifunc-dyn "$function" -p PID "c:$function"
	done
	called ifunc-dyn strlen -p PID 'c:str*'
else
	[ -n "${IN_GUEST:-}" ] || fail "$FIXTURES/ifunc-dyn does not run"
fi

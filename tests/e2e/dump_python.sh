#!/bin/sh
# ctest: host
# dump: the Python frames of every thread, between the native ones, as Python itself has them.
. "${0%/*}/lib.sh"
needs btf perf-event program:python3
needs_unwinder

nr=0
check() { # PYTHON
	[ -x "$1" ] || return 0
	fixture_before=$1
	fixture "$SOURCE/tests/e2e/dump_python.py" "$T/truth"
	fixture_before=
	returns 0 dump -p "$fixture_pid" --save "$T/now.stk"
	expect_printable
	refuse_err 'Python'
	python3 "$SOURCE/tests/e2e/dump_python.py" "$T/truth" "$T/out" >"$T/verdict" || fail "$1: $(cat "$T/verdict")"
	refuse_out '_PyEval_EvalFrameDefault'
	nr=$((nr + 1))
	fixture_work
	fixture_end
}

for python in /usr/bin/python3.1[1-9] "$HOME"/.pyenv/versions/3.1[1-9].*/bin/python3; do
	check "$python"
done
[ "$nr" -gt 0 ] || skip "no Python 3.11 or later"

# The other forms, of the last one. C that calls back is between the frames.
returns 0 report "$T/now.stk"
expect_out '^    recursion \(.*/dump_python\.py:[0-9]+\)$'
returns 0 report -f "$T/now.stk"
expect_equal "folded" "$(folded_sum_of ';key \(dump_python\.py:[0-9]+\);[^()]*;key\.<locals>\.<lambda> \(dump_python\.py:[0-9]+\);wait \(')" 1
expect_equal "folded: no C between" "$(folded_sum_of ';closure \([^;]*\);closure\.<locals>\.inner \([^;]*\);')" 1
returns 0 report --format json "$T/now.stk"
expect_out '"kind":"interpreter","name":"recursion","source":".*/dump_python\.py","line":[0-9]+,"module":"python"'

# What says that it is Python and is not understood is named, and has its native frames.
fixture notpython-dyn
returns 0 dump -p "$fixture_pid"
expect_err "Python of process $fixture_pid: its frames are not shown: PyFrame_GetCode does not show where a frame has its code\$"
expect_out '^    main \[notpython-dyn\]$'
fixture_work
fixture_end

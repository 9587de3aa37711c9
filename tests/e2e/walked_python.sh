#!/bin/sh
# ctest: host
# profile and offcputime: the Python frames of threads that run and sleep, between the native ones, as Python itself has them.
. "${0%/*}/lib.sh"
needs btf perf-event program:python3
needs_unwinder

check() { # PYTHON HOW ROUNDS MICROSECONDS THREADS ARG…
	python=$1 how=$2 rounds=$3 span=$4 threads=$5
	shift 5
	trace "$python" "$SOURCE/tests/e2e/walked_python.py" "$T/truth" "$how" "$rounds" "$span" "$threads" -- "$@" -p PID -f
	python3 "$SOURCE/tests/e2e/walked_python.py" "$T/truth" "$T/out" >"$T/verdict" || fail "$python, $1: $(cat "$T/verdict")"
	refuse_err 'Python of process'
	nr=$((nr + 1))
}

nr=0
for python in /usr/bin/python3.1[1-9] "$HOME"/.pyenv/versions/3.1[1-9].*/bin/python3; do
	[ -x "$python" ] || continue
	check "$python" spin 1 20000 0 profile -F 997
	check "$python" sleep 6 500 2 offcputime --state S
done
[ "$nr" -gt 0 ] || skip "no Python 3.11 or later"

# C that calls back is between the frames, and the interpreter's own are not there.
expect_out ';key \(dump_python\.py:[0-9]+\);[^()]*;key\.<locals>\.<lambda> \(dump_python\.py:[0-9]+\);sleep \('
refuse_out '_PyEval_EvalFrameDefault;.*;sleep \('

# What says that it is Python and is not understood is named, and has its native frames.
fixture notpython-dyn
returns 0 profile -p "$fixture_pid" -f 1
expect_err "Python of process $fixture_pid: its frames are not shown: PyFrame_GetCode does not show where a frame has its code\$"
fixture_work
fixture_end

#!/bin/sh
# ctest: host
# pthread:FUNCTION finds the function where it is today: in libpthread, or in the C library with a message about that.
. "${0%/*}/lib.sh"
needs uprobe
[ -n "$(ldconfig -p 2>/dev/null | grep 'libc\.so\.6')" ] || skip "no GNU C library"

trace calls-dyn -n 10 -t 4 -- count -f -p PID pthread:pthread_barrier_wait
case $(ldd --version 2>&1 | sed -n '1s/.* //p') in
2.[0-2]* | 2.3[0-3]) refuse_err 'part of the C library' ;;
*) expect_err "'pthread' is part of the C library: probing /.*/libc\.so\.6" ;;
esac
# the main thread arrives now, the others did before or do now
[ "$(folded_sum)" -ge 1 ] || fail "no call of pthread_barrier_wait"

returns 0 count --explain libpthread.so.0:pthread_create
expect_out '^attach: /.*:pthread_create\+'
returns 5 count -D 1 pthread:no_such_function_here
returns 1 count -D 1 no_such_library_here:pthread_create

# A process in a root with neither library: the line names both.
mkdir "$T/empty" && cp "$FIXTURES/chain" "$T/empty/" || fail "a root without libraries"
fixture "$(command -v chroot)" "$T/empty" /chain sleep
refused 1 "'pthread': this library is part of the C library, which was not found$" count --explain -p "$fixture_pid" pthread:pthread_create
fixture_end

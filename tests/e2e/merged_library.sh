#!/bin/sh
# ctest: host
# pthread:FUNCTION finds the function where it is today: in libpthread, or in the C library with a word about that.
. "${0%/*}/lib.sh"
needs uprobe
[ -n "$(ldconfig -p 2>/dev/null | grep 'libc\.so\.6')" ] || skip "no GNU C library"

fixture calls-dyn -n 10 -t 4
tool_start count -f -p "$fixture_pid" pthread:pthread_barrier_wait
go
fixture_done
tool_end
expect_status 0
case $(ldd --version 2>&1 | sed -n '1s/.* //p') in
2.[0-2]* | 2.3[0-3]) refuse_err 'part of the C library' ;;
*) expect_err "'pthread' is part of the C library: probing /.*/libc\.so\.6" ;;
esac
# the main thread arrives now, the others did before or do now
[ "$(folded_sum)" -ge 1 ] || fail "no call of pthread_barrier_wait"
fixture_end

tool count --explain libpthread.so.0:pthread_create
expect_status 0
expect_out '^attach: /.*:pthread_create\+'
tool count -D 1 pthread:no_such_function_here
expect_status 5
tool count -D 1 no_such_library_here:pthread_create
expect_status 1

# A process in a root with neither library: the line tells of both.
mkdir "$T/empty" && cp "$FIXTURES/chain" "$T/empty/" || fail "a root without libraries"
fixture "$(command -v chroot)" "$T/empty" /chain sleep
tool count --explain -p "$fixture_pid" pthread:pthread_create
expect_status 1
expect_err "'pthread': this library is part of the C library, which was not found$"
expect_one_line_error
fixture_end

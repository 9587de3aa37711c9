#!/bin/sh
# ctest: host
# A container that has the host's file system mounted: with --host-root the debug file of a program, which only the host has, is
# found there, and is not without.
. "${0%/*}/lib.sh"
needs perf-event program:unshare program:objcopy

program=$T/host$T/progs/program # as the container sees it
debug=$T/progs/debug${program%/*}/program.debug
mkdir -p "${debug%/*}" "$T/host"
cp "$FIXTURES/chain" "$T/progs/program"
objcopy --only-keep-debug "$T/progs/program" "$debug"
objcopy --strip-all --add-gnu-debuglink="$debug" "$T/progs/program"
address=$("$STACKTOOL" addr2sym -e "$FIXTURES/chain" --find main | cut -d' ' -f1)

# contained ARG…: where the host's file system is at $T/host, and $T/progs is hidden
contained() {
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind / "$1/host" && mount --bind "$1" "$1/host$1" && mount -t tmpfs none "$1/progs" && shift && exec "$@"' \
		- "$T" "$STACKTOOL" "$@" >"$T/out" 2>"$T/err" </dev/null
	status=$?
}

contained addr2sym --debug-dir "$T/progs/debug" -e "$program" "$address"
expect_status 0
expect_out '^(fn_0x[0-9a-f]+\+0x0|\?\? .*)$'
contained addr2sym --why --host-root "$T/host" --debug-dir "$T/progs/debug" -e "$program" "$address"
expect_status 0
expect_out '^main\+0x0$'
expect_out "^    file $debug in the host's root: opened$"

# A profile takes it as well, and what is wrong with it is said at once
fixture_running spin
contained profile -f -F 199 --host-root "$T/host" -p "$fixture_pid" 0.5
expect_status 0
expect_out '^spin;.*st_fix_spin'
fixture_end
contained profile --host-root "$T/none" 1
expect_status 2
expect_err "argument --host-root: '$T/none': no such directory"
contained profile --root / 1
expect_status 2
expect_err "root '/': a directory: if it is the host's file system, use --host-root /"

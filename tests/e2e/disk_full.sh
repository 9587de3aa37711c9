#!/bin/sh
# ctest: boots=-all$
# A disk that fills during a run does not lose the profile: it is kept elsewhere, and the error says where.
. "${0%/*}/lib.sh"
needs root uprobe

mkdir "$T/small" "$T/other"
mount -t tmpfs -o size=64k none "$T/small" || skip 'a tmpfs cannot be mounted'

# traced ARG…: the tool counts 1,000 calls to the end, then the disk is full
traced() {
	fixture calls -n 1000
	tool_start count -p "$fixture_pid" "$@" "$FIXTURES/calls:st_fix_hit"
	fixture_work
	fill
}

fill() { # to the last block
	! cat /dev/zero >"$T/small/rest" 2>/dev/null || fail 'the disk does not fill'
}

# whole FILE: a saved profile of all calls
whole() {
	returns 0 report -f "$1"
	expect_equal "calls in $1" "$(folded_sum)" 1000
}

# In $TMPDIR, each file of the run, and nothing on the full disk
export TMPDIR="$T/other"
traced -o "$T/small/cpu.json" --save "$T/small/cpu.stk"
tool_end 1
fixture_end
expect_err "^stacktool count: '$T/small/cpu.json': cannot be written: No space left on device: the file is kept as '$T/other/stacktool-kept-[0-9a-f]{8}-cpu.json'; '$T/small/cpu.stk': cannot be written: No space left on device: the file is kept as '$T/other/stacktool-kept-[0-9a-f]{8}-cpu.stk'\$"
expect_equal "files on the full disk" "$(ls -A "$T/small")" rest
grep -q st_fix_hit "$T"/other/stacktool-kept-*-cpu.json || fail 'the kept document has no stacks'
expect_equal "mode of a kept file" "$(stat -c %a "$T"/other/stacktool-kept-*-cpu.stk)" 600
whole "$(echo "$T"/other/stacktool-kept-*-cpu.stk)"
expect_equal "kept files" "$(find "$T/other" -type f | wc -l)" 2

# $TMPDIR is on the same disk: in the current directory
rm "$T/small/rest" "$T"/other/*
mkdir "$T/here"
export TMPDIR="$T/small"
cd "$T/here" || exit 1
traced --save "$T/small/cpu.stk"
tool_end 1
fixture_end
expect_err "cannot be written: No space left on device: the file is kept as './stacktool-kept-[0-9a-f]{8}-cpu.stk'\$"
whole "$(echo stacktool-kept-*-cpu.stk)"

# The first report of several that does not fit ends the run. What was collected is saved.
rm "$T/small/rest" stacktool-kept-*
export TMPDIR="$T/other"
traced --interval 0.3 -o "$T/small/%n.json" --save "$T/here/all.stk"
tool_wait 1
fixture_end
expect_err "the file is kept as '$T/other/stacktool-kept-[0-9a-f]{8}-[0-9]{6}.json'\$"
whole "$T/here/all.stk"
umount "$T/small"

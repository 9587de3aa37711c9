#!/bin/sh
# ctest: host
# Files that mean no good: each ends in one line, within 2 seconds and 512 MB, and takes nothing else with it.
. "${0%/*}/lib.sh"
needs cgroup2 program:xz program:objcopy program:strip

# The address space of each process of ours; what a sanitizer takes of it is another matter.
memory=$((512 * 1024))
[ -z "${SANITIZED:-}" ] || memory=unlimited
limit_ms=2000 map_bytes=100000000
[ -z "${SANITIZED:-}" ] || limit_ms=20000 map_bytes=20000000

# The time is that of the CPU, of all processes of a group of their own, for the host may be busy.
root=$(sed -nE 's/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ ([^ ]+) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | head -n 1)
group=$root/st-e2e-hostile-$$
mkdir "$group" || fail "no cgroup can be made in $root"
trap 'rmdir "$group"; rm -rf "$T"' EXIT

# milliseconds that the group has used so far
used() {
	awk '$1 == "usage_usec" { print int($2 / 1000) }' "$group/cpu.stat"
}

# bounded STATUS REGEX ARG…: ends in time and within the memory, and a line of it matches
bounded() {
	want=$1 regex=$2
	shift 2
	tool_line="addr2sym $*"
	begun=$(used)
	# shellcheck disable=SC2016
	sh -c 'echo 0 >"$1/cgroup.procs" && ulimit -v "$2" && shift 2 && exec "$@"' - "$group" $memory \
		"$STACKTOOL" addr2sym "$@" >"$T/out" 2>"$T/err" </dev/null
	status=$?
	took=$(($(used) - begun))
	echo "$took ms: $(cat "$T/out" "$T/err")"
	[ $took -le $limit_ms ] || fail "$took ms"
	expect_status "$want"
	expect_printable
	cat "$T/out" "$T/err" | grep -qxE -- "$regex" || fail "not $regex"
}

# ends STATUS REGEX ARG…: the same, and that is the only line
ends() {
	bounded "$@"
	expect_equal "lines" "$(cat "$T/out" "$T/err" | wc -l)" 1
}

# What is not a file of ours
mkfifo "$T/fifo"
ends 1 "stacktool addr2sym: '$T/fifo': a FIFO, not a regular file" -e "$T/fifo" 1
ends 1 "stacktool addr2sym: '/dev/zero': a device, not a regular file" -e /dev/zero 1
ln -s loop "$T/loop"
echo >"$T/abbrevs"
ends 1 "stacktool addr2sym: '$T/loop': .*symbolic links" -e "$T/loop" 1

# 100 MB of zeros in 15 KB, where the packed symbols are, of which 64 MB are believed; 32 MB in a compressed section
cp "$FIXTURES/chain-dyn" "$T/bomb"
strip --strip-all "$T/bomb"
head -c 100000000 /dev/zero | xz -0 >"$T/packed"
objcopy --add-section .gnu_debugdata="$T/packed" "$T/bomb"
ends 0 '(fn_0x[0-9a-f]+\+0x.*|\?\? \(.*\))' -e "$T/bomb" 1200
head -c 32000000 /dev/zero >"$T/zeros"
strip --strip-debug -o "$T/inflated" "$FIXTURES/chain"
objcopy --add-section .debug_info="$T/zeros" --add-section .debug_abbrev="$T/abbrevs" "$T/inflated"
objcopy --compress-debug-sections=zlib "$T/inflated"
rm "$T/zeros" "$T/packed"
address=$("$STACKTOOL" addr2sym -e "$FIXTURES/chain" --find main | cut -d' ' -f1)
ends 0 'main\+0x0' -e "$T/inflated" "$address"
bounded 0 'main\+0x0' --lines --inlines -e "$T/inflated" "$address"

# A million symbols, and debug information in circles
"$FIXTURES/hostile" symbols "$T/symbols"
ends 0 '[0-9]+\+0x0' -e "$T/symbols" 401234
# 12,000 long names, 256 at each place, and 268 million relocations of 10,000 stubs
"$FIXTURES/hostile" aliases "$T/aliases"
ends 0 '0+[0-9]+\+0x0' -e "$T/aliases" 401000
"$FIXTURES/hostile" slots "$T/slots"
ends 0 '\?\? \(.*\)' -e "$T/slots" 401010
"$FIXTURES/hostile" cycle "$T/cycle"
ends 0 '\?\? \(the file has no symbol table\)' --lines -e "$T/cycle" 401234
bounded 0 '\?\? \(inlined\)' --lines --inlines -e "$T/cycle" 401234

# A file that is cut while it is read
cp "$FIXTURES/chain" "$T/whole"
cp "$FIXTURES/chain" "$T/cut"
while :; do
	: >"$T/cut"
	cat "$T/whole" >"$T/cut"
done &
cutter=$!
for try in 1 2 3 4 5 6 7 8 9 10; do
	"$STACKTOOL" addr2sym -e "$T/cut" "$address" >"$T/out" 2>&1
	expect_equal "lines" "$(wc -l <"$T/out")" 1
	grep -qxE "main\+0x0|fn_0x.*|\?\? \(.*\)|stacktool addr2sym: '$T/cut': too small for a program" "$T/out" || fail "cut: $(cat "$T/out")"
done
kill $cutter
wait $cutter 2>/dev/null

# A perf map of 100 MB (less of it for a sanitized tool, whose worker has the same 10 seconds), whose entries lie in one another: the
# code has the name of the last one that covers it
fixture jit
map=/tmp/perf-$fixture_pid.map
cp "$map" "$T/last"
yes '7f0000000000 7fffffff some_code_of_some_script' | head -c $map_bytes >"$map"
{ echo && cat "$T/last"; } >>"$map"
ends 0 "st_jit_new in a script:7\\+0x0 \\[perf-$fixture_pid\\.map\\]" -p "$fixture_pid" "$fixture_expect"
fixture_end

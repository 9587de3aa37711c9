#!/bin/sh
# ctest: host alone plain timeout=400
# A run of many intervals does not grow with the programs that run meanwhile, each of them a new file: neither the tool nor its
# symbol worker, in memory or in open files. The programs of the last interval have their names.
# Alone: programs of other tests have other owners, and each of at most eight owners has a symbol worker with its memory. Its four
# descriptors and our way to it are not counted here.
. "${0%/*}/lib.sh"
needs tracepoint:syscalls:sys_enter_exit_group

# The processes of the tool that were there at the measurement before, too: "KILOBYTES DESCRIPTORS", without the five of each symbol
# worker. A helper, which reads maps or opens a file and ends, has pages that it shares with the tool, and is there or not by chance.
: >"$T/processes"
measure() {
	mv "$T/processes" "$T/processes.before"
	echo "$tool_pid" >"$T/processes"
	for process in $(cat "/proc/$tool_pid/task/$tool_pid/children"); do
		echo "$process"
		tr ' ' '\n' <"/proc/$process/task/$process/children"
	done >>"$T/processes"
	while read -r process; do
		awk '/^VmRSS/ { kilobytes = $2 } END { print kilobytes + 0 }' "/proc/$process/status"
		read -r name <"/proc/$process/comm" || name=gone
		echo "$name $(find "/proc/$process/fd" -type l | wc -l)"
	done <<-EOF | awk 'NF == 1 { kilobytes += $1; next } { descriptors += $2 - ($1 == "stacktool-sym" && $2 ? 5 : 0) }
		END { print kilobytes + 0, descriptors + 0 }'
		$(grep -Fxf "$T/processes.before" "$T/processes")
	EOF
}

# run_programs FROM TO: the most memory and the fewest descriptors that the tool had meanwhile, in $most_kilobytes and $least_descriptors.
run_programs() {
	most_kilobytes=0 least_descriptors=1000000 number=$1
	while [ "$number" -lt "$2" ]; do
		cp "$FIXTURES/calls" "$T/program$number"
		"$T/program$number" -h >/dev/null 2>&1
		rm "$T/program$number"
		number=$((number + 1))
		[ $((number % 100)) = 0 ] || continue
		measure >"$T/measured" 2>/dev/null # of a helper that has ended meanwhile
		read -r kilobytes descriptors <"$T/measured"
		[ "$kilobytes" -le "$most_kilobytes" ] || most_kilobytes=$kilobytes
		[ "$descriptors" -ge "$least_descriptors" ] || least_descriptors=$descriptors
	done
}

# What is not needed is released from 1,024 new files on. On a busy host it takes 3,000 until the tool has had the most that it
# keeps. The fewest descriptors count: at each moment some are open for files that wait.
tool_start count -f -i 1 t:syscalls:sys_enter_exit_group
measure >/dev/null 2>&1
run_programs 0 3000
echo "first kB: $most_kilobytes"
run_programs 3000 4500
warm_kilobytes=$most_kilobytes warm_descriptors=$least_descriptors
run_programs 4500 6000
tool_end
echo "kB: $warm_kilobytes, then $most_kilobytes; descriptors: $warm_descriptors, then $least_descriptors"
[ $((most_kilobytes * 10)) -lt $((warm_kilobytes * 11)) ] || fail "memory: $warm_kilobytes kB, then $most_kilobytes kB"
[ "$least_descriptors" -lt $((warm_descriptors + 10)) ] || fail "descriptors: $warm_descriptors, then $least_descriptors"
tail -n 3 "$T/out"

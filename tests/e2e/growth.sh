#!/bin/sh
# ctest: host alone plain timeout=400
# A run of many intervals does not grow with the programs that run meanwhile, each of them a new file: neither the tool nor its
# symbol worker, in memory or in open files. The programs of the last interval have their names.
# Alone: programs of other tests have other owners, and each of at most eight owners has a symbol worker with its memory. Its four
# descriptors and our way to it are not counted here.
. "${0%/*}/lib.sh"
needs tracepoint:syscalls:sys_enter_exit_group

# All processes of the tool: "KILOBYTES DESCRIPTORS", without the five of each symbol worker.
measure() {
	processes=$tool_pid
	for process in $(cat "/proc/$tool_pid/task/$tool_pid/children"); do
		processes="$processes $process $(cat "/proc/$process/task/$process/children")"
	done
	for process in $processes; do
		awk '/^VmRSS/ { kilobytes = $2 } END { print kilobytes + 0 }' "/proc/$process/status"
		read -r name <"/proc/$process/comm" || name=gone
		echo "$name $(find "/proc/$process/fd" -type l | wc -l)"
	done | awk 'NF == 1 { kilobytes += $1; next } { descriptors += $2 - ($1 == "stacktool-sym" && $2 ? 5 : 0) }
		END { print kilobytes, descriptors }'
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
		measure >"$T/measured"
		read -r kilobytes descriptors <"$T/measured"
		[ "$kilobytes" -le "$most_kilobytes" ] || most_kilobytes=$kilobytes
		[ "$descriptors" -ge "$least_descriptors" ] || least_descriptors=$descriptors
	done
}

# What is not needed is released from 1,024 new files on. On a busy host it takes 3,000 until the tool has had the most that it
# keeps. The fewest descriptors count: at each moment some are open for files that wait.
tool_start count -f -i 1 t:syscalls:sys_enter_exit_group
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

#!/bin/sh
# ctest: host
# A BPF program of somebody else that was loaded, ran and is unloaded while we look has its name at the end.
. "${0%/*}/lib.sh"
needs perf-event

trace bpfcode -- profile -f -K -e cpu-clock -F 499 -p PID
awk '{ all += $NF; if (/;bpf_prog_[0-9a-f]+_st_fix_bpf( [0-9]+$|;)/) named += $NF }
	END { printf "%d samples, %d in the program\n", all, named; exit !(named > 20) }' "$T/out" >"$T/sums" ||
	fail "the program has no name: $(cat "$T/sums")"

#!/bin/sh
# ctest: alone plain boots=5.10
# A hostile neighbour, another BPF program busy on the same CPU, shows up as skipped samples, not as silence.
# Alone: its fixture keeps a CPU's programs from running, those of other tests too.
# Plain: the options are those of profile_options, and what is skipped is counted in the kernel.
. "${0%/*}/lib.sh"
needs perf-event tracepoint:task:task_rename

fixture_running neighbour -j 0
fixture_line
returns 0 profile -f -e cpu-clock -F 199 -C 0 -I 3
skipped=$(said_of 'samples skipped')
taken=$(folded_sum)
late=$(said_of 'samples came late')
taken_there=$(folded_sum_of '^neighbour;')
echo "taken $taken, $taken_there of them of the neighbour, skipped $skipped, late $late"
# Of the samples that fell into the neighbour's time; how much of the CPU it gets is the host's affair.
[ "$skipped" -gt $((2 * taken_there)) ] || fail "its program runs nearly always, but only $skipped samples were skipped"
# Expected = 199 a second for 3 seconds: nothing is invented, nothing forgotten.
all=$((taken + skipped + late))
[ "$all" -ge 540 ] && [ "$all" -le $((${IN_GUEST:-0} ? 1200 : 660)) ] || fail "taken + skipped + late = $all, expected about 597"
fixture_end

# Without it next to nothing is skipped. Hosts may have neighbours of their own, a guest has none.
[ -n "${IN_GUEST:-}" ] || exit 0
returns 0 profile -f -e cpu-clock -F 199 -C 0 -I 3
skipped=$(said_of 'samples skipped')
[ "$skipped" -le 30 ] || fail "${skipped} samples skipped without a neighbour"

#!/bin/sh
# ctest: timeout=400 boots=-all$
# Every option of bcc's profile does what its documentation says.
. "${0%/*}/lib.sh"
needs perf-event

fixture_running chain kernel

returns 0 profile -U -f -F 199 -p "$fixture_pid" 0.4
plain_names "$T/out" >"$T/plain"
grep -q 'st_fix_h' "$T/plain" || fail "-U: no user stack"
! grep -q 'do_syscall' "$T/plain" || fail "-U: a kernel stack"

returns 0 profile -K -f -F 199 -p "$fixture_pid" 0.4
! grep -q 'st_fix' "$T/out" || fail "-K: a user stack"
grep -q 'do_syscall' "$T/out" || fail "-K: no kernel stack"

tool profile -U -F 199 -p "$fixture_pid" 0.4
expect_out "^Sampling at 199 Hertz of PID \[$fixture_pid\] by user stack for 0\.4 secs\."
tool profile -K -F 199 -p "$fixture_pid" 0.4
expect_out "^Sampling at 199 Hertz of PID \[$fixture_pid\] by kernel stack for 0\.4 secs\."

# Where the kernel adapts the period of a software event, its counter does not tell how many samples should come.
returns 0 profile --strict -v -K -f -e context-switches -F 199 0.3
expect_err '^NOTE: [0-9,]+ samples taken; the expected number is unknown'
refuse_err 'samples of all processes taken'

# What only sleeps is never sampled, and the empty report says so.
sleep 1000 &
asleep=$!
until grep -q '^Name:.sleep' "/proc/$asleep/status" && grep -q '^State:.S' "/proc/$asleep/status"; do :; done
tool profile -L "$asleep" 0.1
expect_err "^stacktool profile: no sample matched; 'stacktool offcputime' shows waits$"
tool offcputime -m 1h 0.1
expect_err "^stacktool offcputime: no off-CPU interval matched; --unfinished shows those that did not end$"
tool profile -p "$asleep" 0.2
kill "$asleep"
expect_status 0
expect_err "nothing recorded for process $asleep: it was never on a CPU; .*'stacktool dump -p $asleep'"

returns 0 profile -e cpu-clock -c 60000000000 0.1
expect_err 'no sample matched; -I includes idle CPUs, offcputime shows blocked threads'

returns 2 profile -U -K 1
expect_err 'not allowed with'

# -d: in text a line with -- between the two, folded a frame -
returns 0 profile -d -F 199 -p "$fixture_pid" 0.4
expect_out '^    --$'
tool profile -F 199 -p "$fixture_pid" 0.4
refuse_out '^    --$'
tool profile -df -F 199 -p "$fixture_pid" 0.4
expect_out ';-;'
tool profile -f -F 199 -p "$fixture_pid" 0.4
refuse_out ';-;'
refuse_out '_\[k\]'

# -A: addresses, in the widths of bcc
returns 0 profile -A -F 199 -p "$fixture_pid" 0.4
expect_out '^    0x[0-9a-f]{16} st_fix_h'
expect_out '^    0x[0-9a-f]{16} do_syscall_64'

# -c: one sample per so many events: nanoseconds of the clock, where there is no PMU
returns 0 profile -c 5000000 -e cpu-clock -f -p "$fixture_pid" 1
[ "$(folded_sum)" -ge 10 ] || fail "-c 5000000: only $(folded_sum) samples"
tool profile -c 5000000 -e cpu-clock -p "$fixture_pid" 0.4
expect_out "^Sampling at every 5000000 events of PID \[$fixture_pid\] by user \+ kernel stack for 0\.4 secs\."

# -e: another event
returns 0 profile -e task-clock -f -F 199 -p "$fixture_pid" 0.4
[ "$(folded_sum)" -gt 0 ] || fail "-e task-clock: no samples"
returns 2 profile -e cpu-clok 1
expect_err 'cpu-clock'

# More samples at a higher frequency: between half and twice the ratio. An emulated CPU is late for many, and says so.
tool profile -f -F 49 -e cpu-clock -I -K 2
low=$(($(folded_sum) + $(said_of 'samples came late')))
tool profile -f -F 490 -e cpu-clock -I -K 2
high=$(($(folded_sum) + $(said_of 'samples came late')))
[ "$high" -gt $((low * 5)) ] && [ "$high" -lt $((low * 20)) ] || fail "49 Hertz: $low samples, 490 Hertz: $high"

# --interval: samples are accounted for in each, the last one too, whichever count map was live at the end
for seconds in 1 1.5; do
	returns 0 profile -f -I -K -F 199 -e cpu-clock --interval 0.5 "$seconds"
	refuse_err 'more than the counter explains'
done

# Default frequency, under the own name and under bcc's
tool profile -p "$fixture_pid" 0.4
expect_out '^Sampling at 99 Hertz '
ln -s "$STACKTOOL" "$T/profile-bpfcc"
"$T/profile-bpfcc" -p "$fixture_pid" 0.4 >"$T/out" 2>"$T/err" || fail "profile-bpfcc: status $?"
expect_out '^Sampling at 49 Hertz '
fixture_end

# -L: only the thread that spins, not the main thread that waits; lists
"$FIXTURES/spin" -t 2 -- sh -c 'STACKTOOL="$1"; exec "$STACKTOOL" profile -f -F 199 -L "$SPIN_TID" 1' - "$STACKTOOL" \
	>"$T/out" 2>"$T/err" </dev/null
status=$?
expect_status 0
one=$(folded_sum)
expect_out '^spin;.*st_fix_spin'
"$FIXTURES/spin" -t 2 -- sh -c 'exec "$1" profile -F 199 -L "$SPIN_TID,1" 0.4' - "$STACKTOOL" >"$T/out" 2>"$T/err" </dev/null
status=$?
expect_status 0
expect_out '^Sampling at 199 Hertz of TID \[[0-9]+, 1\] by '
[ "$one" -gt 0 ] || fail "-L: no samples"

# -p takes a list, and leaves all others out
fixture_running chain spin
"$FIXTURES/spin" -- sh -c 'exec "$1" profile -f -F 199 -p "$SPIN_PID,$2" 1' - "$STACKTOOL" "$fixture_pid" \
	>"$T/out" 2>"$T/err" </dev/null
status=$?
expect_status 0
expect_out '^chain;'
expect_out '^spin;'
[ -z "$(grep -vE '^(chain|spin);' "$T/out")" ] || fail "-p: other processes"
"$FIXTURES/spin" -- sh -c 'exec "$1" profile -f -F 199 -p "$SPIN_PID" 0.4' - "$STACKTOOL" >"$T/out" 2>"$T/err" </dev/null
expect_out '^spin;'
refuse_out '^chain;'
fixture_end

# -p and -L exclude each other
returns 2 profile -p 1 -L 1 1
expect_err 'not allowed with'

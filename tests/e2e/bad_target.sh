#!/bin/sh
# ctest: boots=-all$
# Targets that are not there, not readable, not what they should be: one line with the reason, and the right status.
. "${0%/*}/lib.sh"
needs perf-event uprobe tracepoint:sched:sched_switch

# A pid that does not exist: the kernel's highest is never given here
gone=$(($(cat /proc/sys/kernel/pid_max) - 1))
while [ -d "/proc/$gone" ]; do gone=$((gone - 1)); done
refused 1 "$gone" profile -p "$gone" 1
refused 1 "$gone" profile -L "$gone" 1
refused 1 "$gone" count -p "$gone" t:sched:sched_switch
refused 1 "$gone" count -p "$gone" c:malloc

# Of a list one is enough: the others may have ended since somebody looked.
returns 0 profile -p "$gone,$$" 0.1
expect_err "1 of 2 processes is not found \($gone\)"
refuse_err "ended before"
returns 0 profile -L "$$,$gone,$gone" 0.1
expect_err "2 of 3 threads are not found \($gone, $gone\)"

# Nothing matched: status 5, with near names
refused 5 'st_fix_hitt' count "$FIXTURES/calls:st_fix_hitt"
expect_err 'st_fix_hit'
refused 5 'no_such_\*' count "$FIXTURES/calls:no_such_*"
for pattern in t:sched:sched_swich tracepoint:sched:sched_swich; do
	refused 5 "$pattern" count $pattern
	expect_err "^  did you mean 't:sched:sched_switch'\?$"
done
refused 5 'shced' count 't:shced:*'

# A run without events says what to check.
for applet in "count -D" "funccount -d" "stacksnoop -D"; do
	# shellcheck disable=SC2086
	returns 0 $applet 0.1 -p $$ "$FIXTURES/calls:st_fix_hit"
	expect_err "no event: '.*st_fix_hit' was not reached by what is traced; 'stacktool funccount' without -p, -t and --comm shows"
	# shellcheck disable=SC2086
	returns 0 $applet 0.1 "$FIXTURES/calls:st_fix_hit"
	expect_err "no event: '.*st_fix_hit' was not reached; --explain shows what was probed, 'stacktool list' what"
done

# Binaries
mkfifo "$T/fifo"
refused 1 "$T/fifo" count "$T/fifo:malloc"
expect_err 'regular file'
mkdir "$T/directory"
refused 1 "$T/directory" count "$T/directory:malloc"
echo "#!/bin/sh" >"$T/script"
refused 1 "$T/script" count "$T/script:malloc"
: >"$T/empty"
refused 1 "$T/empty" count "$T/empty:malloc"
head -c 1000 "$FIXTURES/calls" >"$T/short"
refused 1 "$T/short" count "$T/short:malloc"
refused 1 "$T/nothing" count "$T/nothing:malloc"
expect_err 'No such file|no such file'
refused 1 '/dev/zero' count /dev/zero:malloc
refused 1 'nosuchlibrary' count nosuchlibrary:malloc
# perf's form of a tracepoint; its form for several is LIBRARY:PATTERN
returns 0 count --explain sched:sched_switch
expect_out '^attach: sched:sched_switch$'
returns 0 list sched:sched_switch
expect_out '^tracepoint  sched:sched_switch$'
for pattern in sched:sched_swich 'sched:*'; do
	refused 1 "^stacktool count: 'sched': no such library or program$" count "$pattern"
	expect_err "^  'sched' is a category of tracepoints: those are written 't:sched:EVENT'$"
done
refused 1 "^stacktool count: 'nosuch': no such library or program$" count nosuch:x
expect_err '^  a path works too: /path/to/file$'
ln -s "$T/loop" "$T/loop"
refused 1 "$T/loop" count "$T/loop:malloc"
printf '\177ELF\002\001\001' >"$T/head"
head -c 5000 /dev/urandom >>"$T/head"
refused 1 "$T/head" count "$T/head:malloc"

# A process whose namespace this user may not read
tool_under bpf-perfmon count --pidns 1 -D 0.1 t:sched:sched_switch
expect_status 1
expect_refusal '^stacktool count: process 1: its pid namespace cannot be read: Permission denied$'
expect_err '^  this needs CAP_SYS_PTRACE: run as root, outside a sandbox; the number of the namespace works too$'

# A frequency that the kernel refuses
refused 2 '[Hh]ertz' profile -F 1000000 1

# A clock at which nothing else would run, the end of the run included: 0.1 s at 100000 Hertz were nine minutes.
for hertz in 50000 1000000; do # also above the kernel's own limit, which is higher
	refused 2 "-F: $hertz Hertz is too high for cpu-clock .the timer would use up the CPUs.: give at most 20000" profile -e cpu-clock -F $hertz 0.1
done
refused 2 '-c: a sample every 49999 ns is too often for task-clock .the timer would use up the CPUs.: give at least 50000' profile -e task-clock -c 49999 0.1
returns 0 profile -q -e cpu-clock -c 50000 0.1

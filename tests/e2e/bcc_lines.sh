#!/bin/sh
# ctest: timeout=600 boots=-all$
# Every command line that bcc's manual pages and example files show, as it stands there and under the names of bcc's tools: it
# attaches, ends by Ctrl-C with status 0 and has printed its header. Where the host has no such function, it says so.
. "${0%/*}/lib.sh"
needs uprobe perf-event btf tracepoint:sched:sched_switch

mkdir "$T/tools" "$T/bin" "$T/home"
"$STACKTOOL" --install "$T/tools" >"$T/out" || fail "--install"
for tool in "$T/tools"/*; do
	mv "$tool" "$tool.py"
done
# Programs that the lines name, and the process: a guest has no loader, and so no C library that could be watched
dynamic=
"$FIXTURES/calls-dyn" -n 1 </dev/null >/dev/null 2>&1 && dynamic=-dyn
cp "$FIXTURES/usdt" "$T/bin/node"
cp "$FIXTURES/calls" "$T/bin/go"
cp "$FIXTURES/calls" "$T/home/test"
cp "$FIXTURES/calls$dynamic" "$T/bin/contentions"
PATH=$T/bin:$PATH
export BCC_PROBE_LIMIT=10000 # a program that is linked statically has a thousand functions of the C library
cd "$T/home" || exit 1
"$FIXTURES/hostprobe" kprobe >/dev/null && kprobes=yes || kprobes=
fixture "$T/bin/contentions" -n 1
pid=$fixture_pid

# What a line may end with but 0: 5 where nothing has that name (t:sched:sched_fork never was one), 3 where the host cannot
# probe kernel functions, 1 where it has no such library, or no such program (-p looks in the process's root, not in our PATH)
allowed() {
	case $status in
	5) echo "  none here: $(head -n 1 "$T/err")" ;;
	3) [ -z "$kprobes" ] && case $1 in *:*) false ;; esac ;;
	1) grep -qE "'(node|go)': no such library or program in process" "$T/err" || { [ -z "$dynamic" ] && grep -q 'no such library' "$T/err"; } ;;
	*) false ;;
	esac
}

nr=0 ran=0
while read -r name line <&5; do
	set -f
	eval "set -- $(echo "$line" | sed "s/PID/$pid/g")"
	set +f
	nr=$((nr + 1))
	[ -z "${SANITIZED:-}" ] || [ $((nr % 4)) = 0 ] || continue
	rm -f "$T/ready"
	mkfifo "$T/ready"
	STACKTOOL_READY_FD=9 "$FIXTURES/as" foreground "$T/tools/$name.py" "$@" 9>"$T/ready" >"$T/out" 2>"$T/err" \
		</dev/null 5<&- 7<&- 8>&- &
	tool_pid=$!
	tool_line="$name.py $line"
	attached=
	read -r attached <"$T/ready" && kill -INT "$tool_pid"
	wait "$tool_pid"
	status=$?
	refuse_err 'Segmentation|libbpf|does not add up|usage'
	[ -n "$attached" ] || [ "$status" != 0 ] || fail "it ended before it was attached"
	if [ "$status" != 0 ]; then
		allowed "$line" || fail "status $status"
		continue
	fi
	ran=$((ran + 1))
	case " $line " in
	*' -'*f*' '*) ;;
	*) expect_out '^(Tracing|Sampling) |^TIME' ;;
	esac
done 5<<'LINES'
stackcount submit_bio
stackcount ip_output
stackcount -d submit_bio
stackcount -K submit_bio
stackcount -U submit_bio
stackcount -s ip_output
stackcount -sv ip_output
stackcount 'tcp_send*'
stackcount -r '^tcp_send.*'
stackcount -Ks 'tcp_send*'
stackcount -Ti 5 ip_output
stackcount -P -Tdi 1 submit_bio
stackcount -P -d submit_bio
stackcount -P -U ip_output
stackcount -P -s tcp_sendmsg
stackcount -P -v tcp_sendmsg
stackcount -P -df t:sched:sched_switch
stackcount -p PID ip_output
stackcount -c 1 put_prev_entity
stackcount -p PID c:malloc
stackcount -p PID 'u:node:*'
stackcount -p PID u:pthread:pthread_create
stackcount t:sched:sched_fork
stackcount -K t:sched:sched_switch
stackcount -U t:sched:sched_switch
funccount 'vfs_*'
funccount 'tcp_*'
funccount '*readdir*'
funccount '*tcp*send*'
funccount -r '^vfs.*'
funccount -r 'c:(write|read)$'
funccount -Ti 5 'vfs_*'
funccount -i 1 -d 5 vfs_read
funccount -d 10 'vfs_*'
funccount -p PID 'vfs_*'
funccount 't:block:*'
funccount t:sched:sched_fork
funccount -p PID 'u:node:gc*'
funccount 'u:pthread:*mutex*' -p PID
funccount c:malloc
funccount 'go:os.*'
funccount -p PID 'go:os.*'
funccount './test:read*'
funccount -p PID "$PWD/test:*"
funccount -p PID 'contentions:*'
funccount -c 1 'vfs_*'
funccount -i 1 -c 1 lapic_next_deadline
funclatency c:read
funclatency -i 2 -d 10 c:open
funclatency -mTi 5 vfs_read
funclatency 'c:*printf'
funclatency -p PID 'contentions:st_fix_*' -F
profile
profile -F 99
profile -F 99 5
profile -c 1000000
profile 5
profile -f 5
profile -df 5
profile -adf -p PID 10
profile -p PID
profile -p PID,1
profile -p PID -d
profile -L PID
profile -U
profile -K
profile -I
profile -C 0 2
offcputime
offcputime 5
offcputime -f 5
offcputime -s 5
offcputime -m 1000
offcputime -M 10000
offcputime -p PID,175,165
offcputime -t PID,120,134
offcputime -u
offcputime -k
offcputime -U
offcputime -K
offcputime -K -f 5
offcputime -K -p PID 5
offwaketime
offwaketime 5
offwaketime -f 5
offwaketime -fu 5
offwaketime -m 1000
offwaketime -M 9000
offwaketime -p PID
offwaketime -t PID
offwaketime -u
offwaketime -k
offwaketime -U
offwaketime -K
wakeuptime
wakeuptime 5
wakeuptime -f 5
wakeuptime -u
wakeuptime -p PID
wakeuptime -p PID 5
stacksnoop ext4_sync_fs
stacksnoop -s ext4_sync_fs
stacksnoop -v ext4_sync_fs
stacksnoop -p PID ext4_sync_fs
LINES
echo "$nr lines, $ran ran"
least=50
[ -z "${SANITIZED:-}" ] || least=10
[ "$ran" -ge "$least" ] || fail "only $ran of $nr lines ran"
fixture_end

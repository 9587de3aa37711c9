#!/bin/sh
# ctest: host plain
# bcc's own smoke test (tests/python/test_tools_smoke.py), word for word, on links that are called as its tools are: still
# there after 5 seconds, gone within 5 of SIGINT, status 0 when there is a duration.
. "${0%/*}/lib.sh"
needs tracepoint:sched:sched_switch

mkdir "$T/tools"
"$STACKTOOL" --install "$T/tools" >"$T/out" || fail "--install"
for tool in "$T/tools"/*; do
	mv "$tool" "$tool.py"
done

# smoke STATUS COMMAND…
smoke() {
	expected=$1
	shift
	"$@" >/dev/null 2>"$T/err"
	status=$?
	echo "$*: status $status"
	[ "$status" = "$expected" ] || fail "$*: status $status, not $expected"
}

# a function that every kernel calls all the time, by the name that it has there; or what a host without kprobes can watch
if "$FIXTURES/hostprobe" kprobe >/dev/null; then
	event=__kmalloc_noprof
	grep -qw "$event" /proc/kallsyms || event=__kmalloc
else
	event=t:sched:sched_switch
fi
# busybox's timeout passes the tool's own status on: there the clock has to say that it was alive until then
late=124
alive=5
[ -z "${IN_GUEST:-}" ] || late=0
begin=$(date +%s)
smoke "$late" timeout -s INT -k 5s "${alive}s" "$T/tools/funccount.py" "$event" -i 1
smoke "$late" timeout -s INT -k 5s "${alive}s" "$T/tools/stackcount.py" "$event" -i 1
[ $(($(date +%s) - begin)) -ge $((2 * alive)) ] || fail "one of them ended early"

smoke 0 timeout -s KILL 10s "$T/tools/profile.py" 1
smoke 0 timeout -s KILL 10s "$T/tools/offcputime.py" 1
smoke 0 timeout -s KILL 30s "$T/tools/offwaketime.py" 1
smoke 0 timeout -s KILL 10s "$T/tools/wakeuptime.py" 1
smoke 0 timeout -s INT 10s "$T/tools/stacksnoop.py" -n 1 "$event"

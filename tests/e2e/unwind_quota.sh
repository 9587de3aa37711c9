#!/bin/sh
# ctest: host
# In a cgroup whose CPU quota is used up, the symbol worker gets no CPU, whatever its priority: a line says so.
. "${0%/*}/lib.sh"
needs tracepoint:sched:sched_switch
needs_unwinder

# Less than a slice of the scheduler, so that it is used up on a busy host too.
quota_group 5000 1000

cat >"$T/inside" <<'S'
#!/bin/sh
echo $$ >"$1/cgroup.procs" || exit 1
shift
exec "$@"
S
chmod 755 "$T/inside"
"$T/inside" "$group" "$STACKTOOL" count --unwind=auto -f -D 0.1 -o "$T/report.folded" t:sched:sched_switch >"$T/out" 2>"$T/err" ||
	fail "status $?"
expect_equal "lines about the quota" "$(grep -c 'the CPU quota of the cgroup was used up while unwind tables were made' "$T/err")" 1

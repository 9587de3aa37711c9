#!/bin/sh
# ctest: host
# In a cgroup whose CPU quota is used up, the symbol worker gets no CPU, whatever its priority: a line says so.
. "${0%/*}/lib.sh"
needs tracepoint:sched:sched_switch
needs_unwinder

# Less than a slice of the scheduler, so that it is used up on a busy host too. The cpu controller of version 1, or that of version 2
root=$(sed -nE 's/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ ([^ ]+) .* - cgroup [^ ]+ .*\<cpu(,.*)?$/\1/p' /proc/self/mountinfo | head -n 1)
if [ -n "$root" ]; then
	group=$root/st-quota-$$
	mkdir "$group" || skip "no cgroup can be made in $root"
	echo 5000 >"$group/cpu.cfs_period_us" && echo 1000 >"$group/cpu.cfs_quota_us" || fail "no quota"
else
	root=$(sed -nE 's/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ ([^ ]+) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | head -n 1)
	grep -qw cpu "$root/cgroup.controllers" 2>/dev/null || skip "no cgroup has a quota of CPU time"
	echo +cpu >"$root/cgroup.subtree_control" || skip "the cpu controller of $root is not to be had"
	group=$root/st-quota-$$
	mkdir "$group" || skip "no cgroup can be made in $root"
	echo '1000 5000' >"$group/cpu.max" || fail "no quota"
fi
trap 'rmdir "$group" 2>/dev/null; rm -rf "$T"' EXIT

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

#!/bin/sh
# ctest: boots=7.2-all
# --cgroup and --container follow a cgroup and those below it, by path, id and the beginning of a container's id, in every
# applet; what is outside is filtered, not lost.
. "${0%/*}/lib.sh"
needs uprobe tracepoint:sched:sched_switch btf perf-event

root=$(sed -nE 's/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ ([^ ]+) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | head -n 1)
[ -n "$root" ] || skip "no cgroup2 is mounted"
group=st-e2e-$$
id=$(printf '%064x' $$)
container=$root/$group/docker-$id.scope
mkdir -p "$container" 2>/dev/null || skip "no cgroup can be made in $root"
trap 'rmdir "$container" "$root/$group" "$root/$group-other" 2>/dev/null; rm -rf "$T"' EXIT
mkdir "$root/$group-other"

# counted ARG…: calls of a fixture inside the container's cgroup
counted() {
	fixture calls -n 1000
	echo "$fixture_pid" >"$container/cgroup.procs" || fail "$container takes no process"
	tool_start "$@" "$FIXTURES/calls:st_fix_hit"
	fixture_work
	case $1 in
	stacksnoop) tool_wait 0 ;; # ends by itself, at -n
	*) tool_end ;;
	esac
	fixture_end
	refuse_err 'does not add up'
}

for where in "--cgroup $group" "--cgroup $root/$group" "--cgroup $(stat -c %i "$container")" \
	"--container $(printf '%.20s' "$id")$(printf '%s' "$id" | cut -c21-64)"; do
	# shellcheck disable=SC2086
	counted count -f $where
	expect_equal "count $where" "$(folded_sum)" 1000
done
counted count -f --cgroup "$group-other"
expect_equal "another cgroup" "$(grep -c . "$T/out")" 0
counted funccount --cgroup "$group"
expect_out '^st_fix_hit +1000$'
counted stacksnoop -n 5 --cgroup "$group"
expect_equal "events" "$(grep -c 'st_fix_hit$' "$T/out")" 10

for applet in profile offcputime offwaketime wakeuptime; do
	returns 0 "$applet" -v -f --cgroup "$group-other" 200ms
	expect_equal "$applet: rows of an empty cgroup" "$(folded_rows)" 0
	refuse_err 'already off the CPU' # those outside are not asked about
done

# wall: threads that sleep in it all the time, a process that comes into it, and nobody else
fixture waits
echo "$fixture_pid" >"$container/cgroup.procs" || fail "$container takes no process"
returns 0 wall -f --per-thread --cgroup "$group" 200ms
expect_equal "threads" "$(folded_rows)" 14
refuse_err 'by which states and lifetimes'
returns 0 wall -f --cgroup "$group-other" 200ms
expect_equal "threads of an empty cgroup" "$(folded_rows)" 0
fixture_work
fixture_end
tool_start wall -f --cgroup "$group"
fixture calls -n 1000
echo "$fixture_pid" >"$container/cgroup.procs" || fail "$container takes no process"
fixture_work
tool_end
fixture_end
expect_out '^calls;\[on CPU\]'
refuse_out '^[^c][^;]*;'
refuse_err 'by which states and lifetimes'

returns 1 profile --cgroup "$group/no-such" 1
expect_err "cgroup '$group/no-such': No such file"
returns 1 profile --cgroup 18446744073709551615 1
returns 2 profile --container xyz 1
returns 1 profile --container ffffffffffffffff 1
expect_err "no cgroup found below $root"
returns 1 profile --cgroup "$FIXTURES" 1
expect_err 'not a cgroup v2 directory'

#!/bin/sh
# ctest: boots=-all$
# --cgroupmap and --mntnsmap take really pinned maps; a map of the wrong shape is refused in one line.
. "${0%/*}/lib.sh"
needs perf-event file:/sys/fs/bpf

maps=/sys/fs/bpf/st-e2e-$$ # no dots there
mkdir "$maps" || fail "no BPF file system at /sys/fs/bpf"
clear_up() {
	[ -z "${group-}" ] || while read -r pid; do echo "$pid"; done <"$group/cgroup.procs" >"$root/cgroup.procs"
	[ -z "${group-}" ] || rmdir "$group"
	rm -rf "$maps" "$T"
}
trap clear_up EXIT

fixture_running chain spin
mntns=$(stat -L -c %i "/proc/$fixture_pid/ns/mnt")

# mount namespaces: ours is in the map, or another
"$FIXTURES/pinmap" "$maps/ours" hash 8 8 128 "$mntns" || fail "pinmap"
"$FIXTURES/pinmap" "$maps/other" hash 8 8 128 999999999 || fail "pinmap"
returns 0 profile -f -F 199 --mntnsmap "$maps/ours" 1
expect_out '^chain;.*st_fix_h'
returns 0 profile -f -F 199 --mntnsmap "$maps/other" 1
refuse_out .

# Beside a Python the programs are replaced by a copy, which has the same maps.
if "$FIXTURES/hostprobe" program:python3 >/dev/null; then
	python3 -c 'open("'"$T"'/python", "w")
while True: pass' &
	python=$!
	until [ -e "$T/python" ]; do :; done
	: >"$T/out"
	# Only the copy walks Python frames, so these are of threads that it let through.
	until grep -q '^python3;.*<module>' "$T/out"; do
		returns 0 profile -f -F 199 --mntnsmap "$maps/ours" 1
	done
	kill "$python"
	wait "$python"
fi

# cgroups
if reason=$("$FIXTURES/hostprobe" cgroup2); then
	root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	group=$root/st-e2e.$$
	mkdir "$group" || fail "$group"
	echo "$fixture_pid" >"$group/cgroup.procs" || fail "cannot move the fixture"
	"$FIXTURES/pinmap" "$maps/group" hash 8 8 128 "$(stat -c %i "$group")" || fail "pinmap"
	returns 0 profile -f -F 199 --cgroupmap "$maps/group" 1
	expect_out '^chain;.*st_fix_h'
	[ -z "$(grep -v '^chain;' "$T/out")" ] || fail "processes of other groups"
	returns 0 profile -f -F 199 --cgroupmap "$maps/other" 1
	refuse_out .
	# Both filters must let a process through.
	tool profile -f -F 199 --cgroupmap "$maps/group" --mntnsmap "$maps/other" 1
	refuse_out .
	echo "$fixture_pid" >"$root/cgroup.procs"
else
	echo "SKIP: --cgroupmap: $reason"
fi

# With bpftool, by the commands of docs/use/filtering.md
if "$FIXTURES/hostprobe" program:bpftool >/dev/null; then
	key() { printf '%016x\n' "$1" | fold -w 2 | tac | paste -s -d ' '; }
	bpftool map create "$maps/by-bpftool" type hash key 8 value 8 entries 128 name mnt_ns_set || fail "bpftool"
	# shellcheck disable=SC2046
	bpftool map update pinned "$maps/by-bpftool" \
		key hex $(key "$(stat -L -c %i "/proc/$fixture_pid/ns/mnt")") value hex 00 00 00 00 00 00 00 00 any ||
		fail "bpftool"
	returns 0 profile -f -F 199 --mntnsmap "$maps/by-bpftool" 1
	expect_out '^chain;.*st_fix_h'
fi

# Wrong shapes, one line each
"$FIXTURES/pinmap" "$maps/key4" hash 4 8 128 || fail "pinmap"
"$FIXTURES/pinmap" "$maps/array" array 4 8 128 || fail "pinmap"
for map in key4 array nothing-there; do
	for option in --mntnsmap --cgroupmap; do
		refused 1 "$map" profile $option "$maps/$map" 1
	done
done
refused 1 "'/etc/passwd': no pinned BPF map: not in a BPF file system" profile --cgroupmap /etc/passwd 1
fixture_end

#!/bin/sh
# ctest: host alone
# A user's files cost the symbol worker its life again and again: the files of root and of other users keep their names.
# Alone: the newest worker is that of the hostile files only while no other test brings files of a new owner.
. "${0%/*}/lib.sh"
needs perf-event

HOSTILE=4711 OTHER=4712

# run NAME OWNER: a program that burns CPU, until the end
run() {
	cp "$FIXTURES/spin" "$T/$1"
	chown "$2" "$T/$1"
	"$T/$1" -s 100 </dev/null >/dev/null &
	pids="${pids:-} $!"
}

# The worker that has the hostile files: a new one; where all files have one worker, that one
await_worker() {
	for _ in $(seq 30); do
		worker=$(symbol_workers | tail -n 1)
		case " $seen " in
		*" $worker "*) sleep 0.1 ;;
		*) break ;;
		esac
	done
	seen="$seen $worker"
}

run early 0
tool_start profile -f -U -F 199
seen=$(symbol_workers)
for i in 1 2 3 4; do
	run "hostile$i" $HOSTILE
	await_worker
	kill -9 "$worker" || fail "no worker to kill"
done
run hostile5 $HOSTILE
run late 0
run other $OTHER
sleep 2
tool_end
# shellcheck disable=SC2086
kill $pids
wait 2>/dev/null
plain_names "$T/out" >"$T/plain"
for program in early late other; do
	grep -E "^$program;.*st_fix_spin" "$T/plain" >"$T/named" || fail "$program has no names: $(grep "^$program;" "$T/plain")"
done
grep -E "^hostile5;" "$T/plain" | grep -q st_fix_spin && fail "a worker was started without a pause"
expect_err 'files of its owner broke the symbol worker too often'

#!/bin/sh
# ctest: guest boots=5.10
# Processes that can do nothing else make the files of a run: the one that reads what strangers wrote may not open a file for
# writing. Nothing is left of a file that was not finished.
. "${0%/*}/lib.sh"
needs perf-event

mkdir "$T/files" "$T/private"
chown 12345 "$T/private"
chmod 700 "$T/private"

# ---- every file of a run: names with placeholders, the oldest removed, a directory of another user ----

fixture_running chain spin
tool_start profile --interval 0.3 -o "$T/files/%n.svg" -o "$T/private/now.folded" --keep 2 --save "$T/private/all.stk" -p "$fixture_pid"
writers=$(children_named "$tool_pid" stacktool-write)
expect_equal "processes that write files" "$(echo "$writers" | wc -l)" 2
for writer in $writers; do
	expect_equal "capabilities of a writer but DAC_OVERRIDE" "$(process_field CapPrm "$writer")" 0000000000000002
	expect_equal "its bounding set" "$(process_field CapBnd "$writer")" 0000000000000002
	expect_equal "its no_new_privs" "$(process_field NoNewPrivs "$writer")" 1
	[ -n "${SANITIZED:-}" ] || expect_equal "its filter" "$(process_field Seccomp "$writer")" 2
	# Between two files: while it makes one, it has that one and its directory too.
	for attempt in $(seq 200); do
		descriptors=$(ls "/proc/$writer/fd" | tr '\n' ' ')
		[ "$descriptors" != "0 1 2 3 " ] || break
	done
	expect_equal "its descriptors, $attempt times" "$descriptors" "0 1 2 3 "
	# The group's signals are not for the writers
	kill -TERM "$writer"
done
case $(process_field CapPrm "$tool_pid") in
*[2367abefABEF]) fail "the main process keeps CAP_DAC_OVERRIDE" ;;
esac
until find "$T/files" | grep -qE '/0000(0[4-9]|[1-9].)'; do sleep 0.1; done
tool_end
refuse_err 'cannot be written|file of this run'
expect_equal "files that stay" "$(find "$T/files" -name '*.svg' | wc -l)" 2
[ ! -e "$T/files/000001.svg" ] || fail "the oldest file is left"
[ -f "$T/private/now.folded" ] || fail 'no file in the directory of another user'
tool report -f "$T/private/all.stk"
expect_status 0
expect_equal "owner of a file" "$(stat -c '%u %a' "$T/private/all.stk")" "0 600"
for writer in $writers; do
	[ ! -d "/proc/$writer" ] || fail "a writer outlives the run"
done

# ---- a file that cannot be finished ----

echo before >"$T/files/kept.svg"
sh -c 'ulimit -f 0; exec "$@"' - "$STACKTOOL" profile -q -o "$T/files/kept.svg" -p "$fixture_pid" 0.2 2>&1 | cat >"$T/err"
expect_err "'$T/files/kept.svg': cannot be written: File too large"
expect_equal "a failed run leaves the file" "$(cat "$T/files/kept.svg")" before
expect_equal "temporary files" "$(find "$T/files" "$T/private" -name '.stacktool-*' | wc -l)" 0

# ---- a writer killed: the other one takes over, and no recording is lost ----

mkdir "$T/later"
tool_start profile --interval 0.3 -p "$fixture_pid" -o "$T/later/%n.svg" --save "$T/later/all.stk"
while :; do # until it stops where no file is half done
	kill -STOP "$tool_pid"
	until [ "$(process_field State "$tool_pid")" = T ]; do :; done
	[ -n "$(find "$T/later" -name '.stacktool-*')" ] || break
	kill -CONT "$tool_pid"
done
kill -KILL "$(children_named "$tool_pid" stacktool-write | head -n 1)"
kill -CONT "$tool_pid"
until [ "$(find "$T/later" -name '*.svg' | wc -l)" -ge 4 ]; do sleep 0.1; done
tool_end
[ -s "$T/later/all.stk" ] || fail 'the saved profile is lost with the writer'
expect_equal "temporary files" "$(find "$T/later" -name '.stacktool-*' | wc -l)" 0
expect_equal "temporary files" "$(find "$T/files" -name '.stacktool-*' | wc -l)" 0
fixture_end

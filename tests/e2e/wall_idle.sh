#!/bin/sh
# ctest: boots=7.2
# wall: waiting for work is idle, and no time inside a request is, though requests wait in the same ways; what the user may say of it.
. "${0%/*}/lib.sh"
needs btf perf-event
needs_unwinder

trace server 200 -- wall -f -F 997 --save "$T/served.stk" -p PID
refuse_err 'by which states and lifetimes|does not add up'
for thread in loop 'worker-\*'; do
	request_us=$(field "${thread%%-*}_us")
	all_us=$(folded_sum_of "^st-$thread;")
	idle_us=$(folded_sum_of "^st-$thread;\\[idle\\];")
	[ "$idle_us" -gt 0 ] || fail "$thread: no idle time"
	# What is left holds the requests; less than a microsecond of each row is not printed.
	[ $((all_us - idle_us + $(folded_rows))) -ge "$request_us" ] ||
		fail "$thread: $idle_us us of $all_us are idle, but requests took $request_us"
done
refuse_out '\[idle\];.*;st_srv_handle;'
refuse_out '\[blocked S\];.*;(st_srv_loop;epoll_wait|st_srv_worker;[a-z_]*pthread_cond_wait;[a-z_]*futex[a-z_]*);'
refuse_out '^(server|st-helper);\[idle\]' # one waits for answers; the other waits and sleeps: which one is for work?
expect_out '^st-loop;\[blocked S\];.*;st_srv_handle;wait_for_timer;epoll_wait;.*;\[epoll\] '
expect_out '^st-worker-\*;\[blocked S\];.*;st_srv_handle;wait_for_answer;.*;\[futex\] '

# Only the sum is in text and pictures.
idle_us=$(folded_sum_of ';\[idle\];')
returns 0 report --text "$T/served.stk"
expect_out '^6 threads of 1 process in .* of which [0-9.]+ s idle are set aside$'
expect_out '^    idle +[0-9.]+ s +[0-9.]+ %$'
expect_equal "idle time in text" "$(awk '/ \[idle\]$/ { gsub(",", ""); sum += $2 } END { print sum }' "$T/out")" \
	"$(awk '/ \[idle\]$/ { gsub(",", ""); sum += $4 } END { print sum }' "$T/out")" # total and self
for form in html json; do
	returns 0 report --format $form "$T/served.stk"
	expect_out '\[idle\]'
done

# What the user says: threads that never move
fixture waits
returns 0 wall -f -p "$fixture_pid" 0.1
refuse_out '\[idle\]'
returns 0 wall --idle '^st_wait_(futex|epoll)$' --idle show -p "$fixture_pid" 0.1
expect_out '^ *[0-9.]+% .* st_wait_futex '
expect_out '^14 threads of .* of which [0-9.]+ s idle are set aside$'
returns 0 wall -f --under '^st_wait_(futex|epoll)$' -p "$fixture_pid" 0.1
expect_equal "blocked" "$(grep -cE '\[blocked S\];.*;st_wait_(futex|epoll);' "$T/out")" 2
expect_equal "idle" "$(grep -c ';\[idle\];' "$T/out")" 12
fixture_work
fixture_end
refused 2 "argument --under: '\(': " wall --under '(' -p 1
refused 2 "argument --idle: '\(': " wall --idle '(' -p 1

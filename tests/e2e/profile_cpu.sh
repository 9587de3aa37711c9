#!/bin/sh
# ctest: boots=-all$
# -C samples one CPU, CPU 0 too; an offline or impossible CPU is refused in one line.
. "${0%/*}/lib.sh"
needs perf-event cpus:2

cp "$FIXTURES/chain" "$T/pinned" # other tests have a "chain" on any CPU
fixture_running "$T/pinned" -j 0 spin
returns 0 profile -f -C 0 -F 199 1
expect_out '^pinned;.*st_fix_h'
returns 0 profile -f -C 1 -F 199 1
refuse_out '^pinned;.*st_fix_h'
tool profile -C 0 -F 199 1
expect_out ' on CPU#0 for 1 secs\.'
for command in 'profile 1 -C' 'count -D 1 t:sched:sched_switch -c' 'funccount -d 1 t:sched:sched_switch -c' \
	'stacksnoop -n 1 t:sched:sched_switch --cpu'; do
	# shellcheck disable=SC2086  # words
	refused 1 'CPU 4095: not online' $command 4095
done
fixture_end

#!/bin/sh
# ctest: alone plain boots=7.2|-all$
# -I adds the samples of idle CPUs, and only that: alone, for beside other tests no CPU is idle.
# Plain: the same options are in profile_options.
. "${0%/*}/lib.sh"
needs perf-event

idle_ticks() {
	awk '$1 == "cpu" { print $5 }' /proc/stat
}

returns 0 profile -f -K -F 99 -e cpu-clock 1
refuse_out '^swapper/'

before=$(idle_ticks)
returns 0 profile -I -f -K -F 99 -e cpu-clock 1
[ $(($(idle_ticks) - before)) -ge 20 ] || skip "no CPU of this host was idle"
# A kernel that delivers none of them (some virtual machines) is right when the tool counts what is missing.
[ "$(said_of 'samples of idle CPUs not delivered')" -gt 20 ] || expect_out '^swapper/'

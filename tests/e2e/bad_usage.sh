#!/bin/sh
# ctest: host
# Wrong commands: status 2, one line that says what is wrong, and what may have been meant. Needs no privilege.
. "${0%/*}/lib.sh"

# wrong REGEX ARG…: refused as usage, and stderr matches
wrong() {
	regex=$1
	shift
	returns 2 "$@"
	expect_err "$regex"
	refuse_out .
	refuse_err 'libbpf|Segmentation|Sanitizer'
	expect_printable
}

wrong 'profil.*profile' profil
wrong 'nonsense' nonsense
wrong . ''
wrong '--frequenzy' profile --frequenzy 99
wrong "'-Z'|-Z" profile -Z
wrong 'frequency' profile -F 0
wrong 'frequency' profile -F -1
wrong 'frequency' profile -F fast
wrong 'duration' profile 0
wrong '-5|duration' profile -5
wrong 'duration' profile nan
wrong 'duration' profile 1e99
wrong 'duration|seconds' count -D 0 t:sched:sched_switch
wrong 'duration|seconds' count -D -1 t:sched:sched_switch
wrong 'interval|seconds' count -i 0 t:sched:sched_switch
wrong 'pattern' count
wrong 'a:b:c:d' count a:b:c:d
wrong "'q'|q" count q:c:malloc
wrong 'patterns of one run have one kind' count t:sched:sched_switch more
wrong 'process id|pid' profile -p 0 1
wrong 'process id|pid' profile -p -1 1
wrong 'process id|pid' profile -p 1,,2 1
wrong 'process id|pid' profile -p 99999999999 1
wrong 'not allowed with' profile -p 1 -L 1 1
wrong 'not allowed with' profile -F 99 -c 100 1
wrong 'CPU' profile -C -1 1
wrong '-F|frequency' profile -F
for applet in profile 'count c:malloc' 'funccount c:malloc' 'stacksnoop c:malloc' offcputime offwaketime wakeuptime; do
	# shellcheck disable=SC2086  # words
	wrong 'unknown suffix' $applet --explain -o "$T/report.unknown"
done
wrong 'regular expression|regex|pattern' count -r 'c:mal(oc'
# Control characters of the command line do not reach the terminal either.
wrong 'no such applet' "$(printf 'prof\033[31mile')"
wrong . profile "$(printf -- '--fre\033[31mq')"
wrong . count "$(printf 'a:b:c:d\033[31m')"

tool
[ "$status" = 0 ] || [ "$status" = 2 ] || fail "no arguments: status $status"
returns 0 --help
expect_out 'profile'
expect_out 'count'
returns 0 profile --help
expect_out '--frequency'
returns 0 --version
expect_out 'libbpf'
returns 0 --list
expect_out '^profile'
# Prefixes and bundles as in argparse
returns 0 profile --freq=99 --help

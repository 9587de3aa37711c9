#!/bin/sh
# ctest: live-kallsyms boots=-all$
# list prints exactly the places that count would attach to, whatever the form of the pattern; what matches nothing is 5
# with a near name; no privileges where none are needed.
. "${0%/*}/lib.sh"
needs uprobe tracepoint:sched:sched_switch

# agree ARG…: the names of list are those of count --explain, in the same order
agree() {
	returns 0 count --explain --max-probes 100000 "$@"
	sed -nE 's/^attach: //p' "$T/out" | sed -E 's/^\/[^:]*:(.*) \(file offset 0x[0-9a-f]+.*\)$/\1/; s/\+0x0$//' >"$T/counted"
	returns 0 list "$@"
	[ ! -s "$T/err" ] || grep -q 'skipped' "$T/err" || fail "list $* writes to stderr"
	sed -E 's/^(kernel function|user function|tracepoint|USDT probe)  ([^ ]+).*/\2/' "$T/out" >"$T/listed"
	cmp -s "$T/counted" "$T/listed" || fail "list $* and count disagree: $(diff "$T/counted" "$T/listed" | head -n 5)"
	[ -s "$T/listed" ] || fail "list $*: nothing"
}

agree t:sched:sched_switch
agree 't:sched:sched_s*'
agree -r 't:sched:sched_(switch|wakeup)$'
agree "$FIXTURES/chain:st_fix_*"
expect_equal "functions of the fixture" "$(grep -cE "^user function  st_fix_[a-z_]+ +[^ ]*/chain$" "$T/out")" 10
tool list "$FIXTURES/chain:*st_*_h"
expect_equal "names of one address" "$(grep -oE '__st_alias_h|st_fix_h' "$T/out")" st_fix_h
tool list "$FIXTURES/chain:__st_*_h"
expect_equal "the name that was asked for" "$(grep -oE '__st_alias_h|st_fix_h' "$T/out")" __st_alias_h
agree -l "$FIXTURES/chain" -r 'st_fix_[a-c]$'
expect_equal "functions by -l and -r" "$(grep -c . "$T/out")" 3
agree "u:$FIXTURES/usdt:*"
agree -r "u:$FIXTURES/usdt:st_(fix|lib):(hit|plain)"
fixture chain spin
agree -p "$fixture_pid" "$FIXTURES/chain:st_fix_h"
fixture_end
if "$FIXTURES/hostprobe" root kprobe >/dev/null; then
	agree 'vfs_rea*'
	agree -r 'tcp_send.*'
	agree --force '_raw_spin_lo*'
	returns 2 count --explain _raw_spin_lock
fi

# Whether this host can probe them or not, root sees kernel functions.
tool list vfs_read
if [ "$status" = 3 ]; then # kallsyms shows no addresses
	expect_err 'kallsyms'
else
	expect_status 0
	expect_out '^kernel function  vfs_read  kernel$'
	returns 2 list _raw_spin_lock
	returns 0 list --force _raw_spin_lock
	returns 5 list vfs_raed
	expect_err "did you mean 'vfs_read'"
	returns 5 list st_no_kernel_function_has_this_name
	expect_err '^  user functions are written LIBRARY:FUNCTION, like c:malloc$'
	returns 5 list /bin/sh
	expect_err "^  functions of a file are written '/bin/sh:FUNCTION'$"
fi

refused 5 "did you mean 'st_fix_(a|b|c|h)'" list "$FIXTURES/chain:st_fix_"
refused 5 "did you mean" list t:sched:sched_swich
refused 5 "nothing matches" list -r "$FIXTURES/chain:zzzz[0-9]+"

returns 1 list -p 4194304 "$FIXTURES/chain:st_fix_h"
tool list "$FIXTURES/no-such-file:x"
[ "$status" != 0 ] || fail "a file that does not exist"
expect_one_line_error

# Without privileges: user functions; kernel functions say what it takes
cp "$FIXTURES/chain" "$T/chain"
chmod 755 "$T/chain"
returns_under 0 nobody list "$T/chain:st_fix_h"
expect_out '^user function  st_fix_h  '
returns_under 3 nobody list vfs_read
expect_err 'kallsyms|CAP_SYSLOG'
expect_one_line_error

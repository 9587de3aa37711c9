#!/bin/sh
# ctest: host timeout=120
# Whole stacks of programs that make it hard: in children by vfork and fork, of libraries that come and go, in the kernel's own
# code, of static programs of every kind. What cannot be whole, in programs that live for half a millisecond, is named.
. "${0%/*}/lib.sh"
needs uprobe perf-event program:gcc program:musl-gcc
[ "$(uname -m)" = x86_64 ] || skip "unwind tables are for x86_64"
root='([^;]*;)?(_start|clone3?|__clone3?)(;[^;]+)*;'

# Children of a command, from their first instruction on: they have the tables of their parent, once it has them, which on a
# busy host is not before the command begins. Every try is exact.
for shape in vfork fork; do
	for try in 1 2 3 4; do
		tool count -f -U -o "$T/report.folded" "$FIXTURES/frameless-dyn:st_fix_leaf" -- "$FIXTURES/frameless-dyn" $shape 300
		expect_status 0
		plain_names "$T/report.folded" >"$T/plain"
		expect_equal "$shape: all events" "$(folded_sum "$T/plain")" 300
		expect_equal "$shape: all told" "$(said_of 'user stacks (reached|were walked by frame pointers|end)')" 300
		whole=$(folded_sum_of "^$root""main;st_fix_work;st_fix_$shape;st_fix_leaf [0-9]+$" "$T/plain")
		echo "$shape, try $try: $whole of 300 whole"
		[ "$whole" -lt 250 ] || break
	done
	[ "$whole" -ge 250 ] || fail "$shape: $whole of 300 stacks are whole"
done

# Programs of one event: all are counted, and those that are not whole say why.
tool count -f -U -o "$T/report.folded" "$FIXTURES/frameless-dyn:st_fix_leaf" -- "$FIXTURES/frameless-dyn" exec 200
expect_status 0
expect_equal "exec: all events" "$(folded_sum "$T/report.folded")" 200
expect_equal "exec: all told" "$(said_of 'user stacks (reached|were walked by frame pointers|end)')" 200

# A library that is loaded and unloaded for each call: its table is there some milliseconds after the first time.
for try in 1 2 3 4; do
	fixture frameless-dyn dlopen 1000
	tool_start count -f -p "$fixture_pid" "$FIXTURES/frameless-dyn:st_fix_leaf"
	go
	fixture_done
	tool_end
	expect_status 0
	fixture_end
	expect_equal "dlopen: all events" "$(folded_sum)" 1000
	expect_equal "dlopen: all told" "$(said_of 'user stacks (reached|were walked by frame pointers|end)')" 1000
	plain_names "$T/out" >"$T/plain"
	whole=$(folded_sum_of "^$root$fixture_expect [0-9]+$" "$T/plain")
	echo "dlopen, try $try: $whole of 1000 whole"
	[ "$whole" -lt 700 ] || break
done
[ "$whole" -ge 700 ] || fail "dlopen: $whole of 1000 stacks are whole"

# Samples in the vDSO
fixture frameless-dyn vdso 0
go
tool profile -f -U -F 999 --save "$T/vdso.stk" -p "$fixture_pid" 1
expect_status 0
fixture_end
plain_names "$T/out" >"$T/plain"
inside=$(folded_sum_of ";st_fix_vdso;clock_gettime;(__vdso_)?clock_gettime [0-9]+$" "$T/plain") # of libc, of the kernel
whole=$(folded_sum_of "^$root.*;st_fix_work(;[^;]+)* [0-9]+$" "$T/plain")
all=$(folded_sum)
echo "vdso: $inside samples in it, $whole of $all whole"
[ "$inside" -ge 5 ] || fail "vdso: $inside samples in it"
[ $((whole * 100)) -ge $((all * 99)) ] || fail "vdso: $whole of $all stacks are whole"
tool report -o "$T/vdso.json" "$T/vdso.stk"
expect_status 0
tr -d ' \n' <"$T/vdso.json" | grep -qE '"name":"(__vdso_)?clock_gettime","offset":[0-9]+,"module":"\[vdso\]"' ||
	fail "no frame of the vDSO: $(grep -i vdso "$T/vdso.json" | head -n 3)"

# Static programs, position independent and not, of two C libraries
build() { # NAME COMPILER FLAG…
	name=$1
	shift
	"$@" -O1 -g -D_GNU_SOURCE -DSTATIC -pthread -fno-optimize-sibling-calls -I"$SOURCE" -o "$T/$name" \
		"$SOURCE/tests/fixtures/frameless.c" 2>"$T/said" || fail "$name: $(cat "$T/said")"
}
# whole ROOT SHAPE...: of $name, up to a root
whole() {
	from=$1
	shift
	for shape in "$@"; do
		fixture "$T/$name" "$shape" 100
		tool_start count -f -p "$fixture_pid" "$T/$name:st_fix_leaf"
		go
		fixture_done
		tool_end
		expect_status 0
		fixture_end
		plain_names "$T/out" >"$T/plain"
		expect_equal "$name, $shape: whole" "$(folded_sum_of "^$from$fixture_expect [0-9]+$" "$T/plain")" 100
		expect_equal "$name, $shape: all events" "$(folded_sum)" 100
	done
}
build static-pie gcc -static-pie -fPIE
whole "$root" recurse nested trap thread

# Debian's musl has no unwind information: its function below main, or below a thread's, is the last, and the report says so.
build musl musl-gcc -static
whole 'musl;\[no unwind information\];(libc_start_main_stage2|start)(;main)?;' recurse trap thread
refuse_err 'reached their root'
fixture "$T/musl" nested 100
tool_start count -f -p "$fixture_pid" "$T/musl:st_fix_leaf"
go
fixture_done
tool_end
fixture_end
expect_out '^musl;\[no unwind information\];[^;]+;[^;]+;st_fix_handler;st_fix_leaf 100$' # raise() is musl's
refuse_err 'reached their root'

# A table that finds no room (cc1's has 1.8 MB) costs whole stacks and no event, and one line says so.
cc1=$(gcc -print-prog-name=cc1)
echo 'int st_fix_nothing;' >"$T/nothing.c"
for mem in 1 64; do
	tool count -f -U --unwind-mem=$mem -o "$T/report.folded" c:malloc -- "$cc1" -quiet -o "$T/nothing.s" "$T/nothing.c"
	expect_status 0
	[ "$(folded_sum "$T/report.folded")" -ge 100 ] || fail "cc1 allocates no memory"
	said=$(grep -c 'unwind tables of some files found no room in 1 MiB: see --unwind-mem$' "$T/err")
	expect_equal "lines about room in $mem MiB" "$said" $((mem == 1))
done

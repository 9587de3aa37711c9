#!/bin/sh
# ctest: host
# A C++ exception on its way: the personality of each frame that it passes, a destructor that it runs, and the handler have whole stacks.
. "${0%/*}/lib.sh"
needs uprobe program:c++
needs_unwinder

cat >"$T/throws.cc" <<'C'
#define NOINLINE __attribute__((noinline))
extern "C" NOINLINE void st_fix_cleanup(int value) { __asm__ volatile("" : : "r"(value) : "memory"); }
extern "C" NOINLINE void st_fix_handler(int value) { __asm__ volatile("" : : "r"(value) : "memory"); }
struct Guard {
	~Guard() { st_fix_cleanup(1); }
};
extern "C" NOINLINE void st_fix_throw(int depth)
{
	Guard guard;
	if (!depth)
		throw 7;
	st_fix_throw(depth - 1);
}
extern "C" NOINLINE void st_fix_catch()
{
	try {
		st_fix_throw(3);
	} catch (int value) {
		st_fix_handler(value);
	}
}
int main()
{
	for (int i = 0; i < 100; i++)
		st_fix_catch();
}
C
c++ -O2 -fomit-frame-pointer -o "$T/throws" "$T/throws.cc" || fail "c++"
root='^throws;_start;[^;]*(;__libc_start_call_main)?;main'

# whole PROBE LEAST REGEX: at least that many events, all with such a stack
whole() {
	returns 0 count -v -f -o "$T/report.folded" "$1" -- "$T/throws"
	if grep -q 'of the command took longer than a second' "$T/err"; then
		echo "$1: the command was let go before its tables were there"
		return
	fi
	plain_names "$T/report.folded" | sed 's/\.cold//g' >"$T/plain"
	all=$(folded_sum "$T/plain")
	[ "$all" -ge "$2" ] || fail "$1: $all events, not $2"
	expect_equal "$1: whole" "$(folded_sum_of "$root;st_fix_catch$3 [0-9]+$" "$T/plain")" "$all"
	expect_err '^NOTE: all [0-9,]+ user stacks complete'
}
# Four destructors, of which the innermost runs first
whole "$T/throws:st_fix_cleanup" 400 '(;st_fix_throw){1,4};st_fix_cleanup'
whole "$T/throws:st_fix_handler" 100 ';st_fix_handler'
# In the first phase, and again after each destructor
library=$(ldd "$T/throws" | sed -n 's/.*libstdc++[^ ]* => \([^ ]*\) .*/\1/p')
[ -n "$library" ] || fail "libstdc++ is not shared"
whole "$library:__gxx_personality_v0" 1000 '(;st_fix_throw){1,4}(;__cxa_throw)?;_Unwind_[A-Za-z_]*(;[^;]*)?;__gxx_personality_v0'

#!/bin/sh
# ctest: host timeout=120
# Functions named as people read them: C++ with and without parameters, templates, and names as Go has them.
. "${0%/*}/lib.sh"
needs uprobe program:g++

cat >"$T/names.cc" <<'END'
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

namespace ns
{
struct T {
	int x;
	NOINLINE void method(int i) const;
};
NOINLINE void T::method(int i) const
{
	__asm__ volatile("" : : "r"(i), "r"(x));
}
NOINLINE void func(int i)
{
	__asm__ volatile("" : : "r"(i));
}
NOINLINE void func(const char *text)
{
	__asm__ volatile("" : : "r"(text));
}
template <typename V> NOINLINE void shape(V value)
{
	__asm__ volatile("" : : "r"(value));
}
}

extern "C" NOINLINE void go_method() __asm__("\"main.(*T).f\"");
void go_method()
{
	__asm__ volatile("");
}

static void hold()
{
	char byte;

	fflush(stdout);
	while (read(0, &byte, 1) == 1 && byte != '\n')
		;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	ns::T object = {rounds};

	printf("READY %d\n", (int)getpid());
	hold();
	for (int i = 0; i < rounds; i++) {
		ns::func(i);
		ns::func("text");
		ns::func("more");
		object.method(i);
		ns::shape(i);
		go_method();
	}
	printf("DONE\n");
	hold();
	return 0;
}
END
g++ -O1 -fno-omit-frame-pointer -o "$T/names" "$T/names.cc" || fail "g++ does not compile"

# called FUNCTION TIMES
called() {
	fixture "$T/names" 100
	tool_start count -f -p "$fixture_pid" "p:$T/names:$1"
	go
	fixture_done
	tool_end
	expect_status 0
	expect_equal "calls of $1" "$(folded_sum)" "$2"
	fixture_end
}

called 'ns::func' 300
called 'ns::func(int)' 100
called 'ns::func(char const*)' 200
called '_ZN2ns4funcEi' 100
called 'ns::T::method' 100
called 'ns::T::method(int) const' 100
called 'ns::shape<int>' 100
called 'ns::*' 500
called 'main.(*T).f' 100
called 'main.(*).f' 100

#!/bin/sh
# ctest: host
# A library that the process of -p loads after the tool has started (dlopen): the tool says so, and counts from then on.
. "${0%/*}/lib.sh"
needs uprobe program:g++

cat >"$T/loader.cc" <<'END'
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

static void hold()
{
	char byte;

	fflush(stdout);
	while (read(0, &byte, 1) == 1 && byte != '\n')
		;
}

int main(int argc, char **argv)
{
	printf("READY %d\n", (int)getpid());
	hold();
	void *library = dlopen(argv[argc - 1], RTLD_NOW);
	void (*pass)(unsigned long) = library ? (void (*)(unsigned long))dlsym(library, "st_lib_pass") : nullptr;
	for (unsigned long i = 0; pass && i < 100; i++)
		pass(i);
	printf("DONE %d\n", pass ? 100 : 0);
	hold();
	return 0;
}
END
g++ -O1 -fno-omit-frame-pointer -o "$T/loader" "$T/loader.cc" -ldl || fail "g++ does not compile"

for pattern in "$FIXTURES/libusdt.so:st_lib_pass" "$FIXTURES/libusdt.so:st_lib_*"; do
	trace "$T/loader" "$FIXTURES/libusdt.so" -- count -f -p PID "$pattern"
	expect_err "process $fixture_pid has not loaded .*/libusdt\.so: stacktool probes the library anyway and counts once the process loads it"
	expect_equal "calls" "$(folded_sum_of 'st_lib_pass [0-9]+$')" 100
done

# One that is there
trace usdt-dyn 1 -- count -f -p PID usdt:st_lib_pass
refuse_err 'has not loaded'

# A program that was replaced while it runs
cp "$FIXTURES/calls" "$T/replaced"
fixture "$T/replaced" -n 10
cp "$FIXTURES/calls" "$T/new"
mv "$T/new" "$T/replaced"
tool_start count -f -p "$fixture_pid" "$T/replaced:st_fix_hit"
fixture_work
tool_end
expect_err "process $fixture_pid still uses a deleted 'replaced', not $T/replaced: restart it$"
fixture_end

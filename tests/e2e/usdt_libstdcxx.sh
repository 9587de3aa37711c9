#!/bin/sh
# ctest: host
# A provider that everybody has: libstdc++'s throw, catch and rethrow.
. "${0%/*}/lib.sh"
needs uprobe program:g++

cat >"$T/thrower.cc" <<'END'
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

extern "C" __attribute__((noinline)) void st_throw(int i)
{
	throw i;
}

extern "C" __attribute__((noinline)) void st_rethrow(int i)
{
	try {
		st_throw(i);
	} catch (int) {
		throw;
	}
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
	int rounds = argc > 1 ? atoi(argv[1]) : 1, caught = 0;

	printf("READY %d\n", (int)getpid());
	hold();
	for (int i = 0; i < rounds; i++) {
		try {
			st_rethrow(i);
		} catch (int) {
			caught++;
		}
	}
	printf("DONE %d\n", caught);
	hold();
	return 0;
}
END
g++ -O1 -fno-omit-frame-pointer -o "$T/thrower" "$T/thrower.cc" || fail "g++ does not compile"
library=$(ldd "$T/thrower" | sed -n 's/.*libstdc++[^ ]* => \([^ ]*\).*/\1/p')
[ -n "$library" ] || skip "libstdc++ is linked statically"
readelf -n "$library" 2>/dev/null | grep -q 'Provider: libstdcxx' || skip "$library has no USDT probes"

# thrown PATTERN EXPECTED TOOL-ARG…
thrown() {
	pattern=$1
	expected=$2
	shift 2
	trace "$T/thrower" 300 -- count -f -p PID "$@" "$pattern"
	expect_equal "$pattern" "$(folded_sum)" "$expected"
	expect_out '__cxa_' # libstdc++ has no frame pointers: what is above is not for this test
}

thrown 'u:stdc++:throw' 300
thrown 'u:stdc++:libstdcxx:rethrow' 300
thrown "u:$library:libstdcxx:catch" 600
thrown 'u:stdc++:*throw' 600
thrown 'u::catch' 600

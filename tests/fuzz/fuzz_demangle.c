/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mangled names, with and without the prefix that makes them interesting. */
#include "symbolize/worker/demangle.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const prefixes[] = { "", "_Z", "_R", "_ZN", "_D" };
	static char name[8192], readable[DEMANGLED_MAX_BYTES];

	if (size > 5000)
		return 0;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t length = strlen(prefixes[i]);

		memcpy(name, prefixes[i], length);
		memcpy(name + length, data, size);
		if (demangle((struct name){ name, length + size }, readable) &&
		    strnlen(readable, sizeof(readable)) == sizeof(readable))
			__builtin_trap();
	}
	return 0;
}

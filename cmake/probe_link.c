/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls each library once, so that the link needs its archive members and their dependencies. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <bpf/libbpf.h>
#include <bzlib.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <lzma.h>
#include <pcre2.h>
#include <protobuf-c/protobuf-c.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/capability.h>
#include <zlib.h>
#include <zstd.h>

extern char *cplus_demangle(const char *mangled, int options);

int main(int argc, char **argv)
{
	volatile int never = argc > 100;

	elf_version(EV_CURRENT);
	if (never) {
		Elf *elf = elf_begin(0, ELF_C_READ_MMAP, NULL);
		Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);

		dwarf_end(dwarf);
		elf_end(elf);
		bpf_object__open_file(argv[0], NULL);
		seccomp_load(seccomp_init(SCMP_ACT_KILL));
		cap_set_proc(cap_init());
		pcre2_compile((PCRE2_SPTR)argv[0], PCRE2_ZERO_TERMINATED, 0, NULL, NULL, NULL);
	}
	printf("%s %s %s %u %s %d\n", protobuf_c_version(), BZ2_bzlibVersion(), zlibVersion(), lzma_version_number(),
	       ZSTD_versionString(), cplus_demangle("_Z1fv", 0) != NULL);
	return 0;
}

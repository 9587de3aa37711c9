#!/usr/bin/env bash
# Functions that have a better replacement here, and things that only one place may do.
cd "$(dirname "$0")/../.." || exit 1
word='(^|[^A-Za-z0-9_.>"])'
search() { grep -rnE --include='*.[ch]' "$@"; }
found=$(
	search "$word(strcpy|strcat|strncpy|sprintf|vsprintf|strtok|atoi|atol|gets|gmtime|localtime|ctime|alloca|tmpnam|mktemp|system|popen)\(" applets bpf core symbolize
	search "$word(sprintf|gets|alloca|tmpnam)\(" tests
	# Kernel integer types stay at the border to the kernel.
	search "$word(__)?[us](8|16|32|64) [a-z_]" applets core/base core/cli core/render symbolize
	search "bpf_get_stackid|bpf_printk|bpf_trace_printk|lookup_and_delete_batch" bpf core | grep -vE '^[^:]*:[0-9]+:[ \t/]*\*'
	# symbolize/ gets descriptors; its sandbox opens /dev/null before it closes the door.
	search --exclude=sandbox.c "${word}(open(at|at2)?|fopen)\(" symbolize
	# libdw and libelf get memory: they would map files, and look for others.
	search '#include <(elfutils/|libelf|gelf)' applets bpf core symbolize | grep -v '^symbolize/libdw/'
	search "${word}(elf_begin|dwarf_begin|dwfl_[a-z_]+|dwarf_cu_info|dwarf_get_units|dwarf_(has)?attr_integrate)\(" applets core symbolize
)
[ -z "$found" ] || { echo "$found" && exit 1; }

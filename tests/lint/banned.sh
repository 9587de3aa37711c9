#!/usr/bin/env bash
# Functions that have a better replacement here, and calls that only main.c may make.
cd "$(dirname "$0")/../.." || exit 1
word='(^|[^A-Za-z0-9_.>"])'
found=$(grep -rnE "$word(strcpy|strcat|strncpy|sprintf|vsprintf|strtok|atoi|atol|gets|gmtime|localtime|ctime|alloca|tmpnam|mktemp|system|popen)\(" \
	--include='*.[ch]' applets bpf core symbolize)
found+=$(grep -rnE "$word(sprintf|gets|alloca|tmpnam)\(" --include='*.[ch]' tests)
found+=$(grep -rnE "$word(__)?(u8|u16|u32|u64|s8|s16|s32|s64) [a-z_]" --include='*.[ch]' applets core/base core/cli core/render symbolize)
found+=$(grep -rnE "bpf_get_stackid|bpf_printk|bpf_trace_printk|lookup_and_delete_batch" --include='*.[ch]' bpf core | grep -vE '^[^:]*:[0-9]+:[ \t/]*\*')
found+=$(grep -rnE "${word}open(at|at2)?\(|${word}fopen\(" --include='*.[ch]' symbolize)
[ -z "$found" ] || { echo "$found" && exit 1; }

#!/usr/bin/env bash
# Every header compiles alone, twice included.
cd "$(dirname "$0")/../.." || exit 1
generated=${BUILD:-build}/generated
check() {
	printf '#include "%s"\n#include "%s"\n' "$1" "$1" |
		cc -std=gnu11 -D_GNU_SOURCE -I. -I"$generated" -Wall -Werror -fsyntax-only -xc - 2>&1 | head -n 5 | sed "s|^|$1: |"
}
export -f check
export generated
output=$(find applets core symbolize bpf tests -name '*.h' ! -name '*.bpf.h' ! -path bpf/kernel.h ! -path bpf/unwind_step.h |
	xargs -P 2 -I{} bash -c 'check {}')
[ -z "$output" ] || { echo "$output" && exit 1; }

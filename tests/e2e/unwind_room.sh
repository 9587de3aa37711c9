#!/bin/sh
# ctest: boots=5.10|7.2
# A table that finds no room costs whole stacks and no event, and one line says so.
. "${0%/*}/lib.sh"
needs uprobe
needs_unwinder

for mem in 1 64; do
	fixture manyrows 100
	tool_start count -f -U --unwind-mem=$mem -p "$fixture_pid" "$FIXTURES/manyrows:st_fix_leaf"
	go
	fixture_done
	tool_end
	expect_status 0
	fixture_end
	expect_equal "events with $mem MiB" "$(folded_sum)" 100
	said=$(grep -c 'the unwind tables of some files do not fit into 1 MiB: see --unwind-mem$' "$T/err")
	expect_equal "lines about room in $mem MiB" "$said" $((mem == 1))
done

#!/bin/sh
# ctest: boots=5.10|7.2
# A table that finds no room costs whole stacks and no event, and one line says so.
. "${0%/*}/lib.sh"
needs uprobe
needs_unwinder

for mem in 1 64; do
	trace manyrows 100 -- count -f -U --unwind-mem=$mem -p PID "$FIXTURES/manyrows:st_fix_leaf"
	expect_equal "events with $mem MiB" "$(folded_sum)" 100
	said=$(grep -c 'the unwind tables of some files do not fit into 1 MiB: see --unwind-mem$' "$T/err")
	expect_equal "lines about room in $mem MiB" "$said" $((mem == 1))
done

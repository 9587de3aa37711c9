#!/bin/sh
# ctest: timeout=600
# Every call of a function is counted, by 1, 2 and 8 threads, with and without intervals: not one lost at default sizes.
. "${0%/*}/lib.sh"
needs uprobe

for threads in 1 2 8; do
	exactly "$FIXTURES/calls:st_fix_hit" "-t $threads"
	expect_equal "lost" "$lost" 0
	exactly "$FIXTURES/calls:st_fix_hit" "-t $threads" -i 0.05
	expect_equal "lost with intervals" "$lost" 0
done

#!/bin/sh
# ctest: timeout=900 boots=5.10|7.2
# 100,000 distinct stacks at default sizes: each is a row, each row is right, none is lost; also with intervals.
. "${0%/*}/lib.sh"
needs uprobe

paths=$((EVENTS < 100000 ? EVENTS : 100000))
for threads in $THREADS; do
	exactly "$FIXTURES/calls:st_fix_hit" "-t $threads -d $paths"
	expect_none_lost
	[ "$lost" -gt 0 ] || expect_equal "rows" "$(folded_rows)" "$paths"
	[ "$lost" -gt 0 ] || expect_equal "rows with another count" "$(awk -v n=$((EVENTS / paths)) '$NF != n' "$T/out" | wc -l | tr -d ' ')" 0
	[ -n "${SANITIZED:-}" ] || refuse_err 'stack (was )?lost'
done
exactly "$FIXTURES/calls:st_fix_hit" "-t 2 -d $paths" -i 0.2
expect_none_lost

#!/bin/sh
# ctest: timeout=900 boots=preempt
# Maps far too small on purpose: what does not fit is counted all the same, or named as lost. The sum is the number of
# events in every case.
. "${0%/*}/lib.sh"
needs uprobe

hit=$FIXTURES/calls:st_fix_hit
for threads in $THREADS; do
	exactly "$hit" "-t $threads -d 4096" --hash-storage-size 64
	expect_equal "distinct rows" "$(folded_rows)" 4096
done
exactly "$hit" "-t 2 -d 4096" --hash-storage-size 64 --stack-storage-size 64 -i 0.05
exactly "$hit" "-t 2 -d $((EVENTS < 100000 ? EVENTS : 100000))" --hash-storage-size 64
exactly "$hit" "-t 2 -d $((EVENTS < 100000 ? EVENTS : 100000))" --hash-storage-size 1 --stack-storage-size 1

#!/usr/bin/env bash
# A program that keeps every stack it has ever seen does not pass a soak, and fails for its memory alone: even the shortest would
# notice.
cd "$(dirname "$(readlink -f "$0")")" || exit 1
output=$(STACKTOOL=$VARIANTS/forgets_nothing ./soak 0.0139 --only count --churn paths)
status=$?
echo "$output"
[ $status -ne 77 ] || exit 77
[ $status -eq 1 ] || { echo "FAIL: status $status" && exit 1; }
[[ $output == *"FAILED  memory (kB)"* ]] || { echo "FAIL: the memory is called flat" && exit 1; }
[[ $output == *"soak: 1 rules failed"* ]] || { echo "FAIL: something else is wrong, too" && exit 1; }

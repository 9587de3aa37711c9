#!/bin/sh
# ctest: live-kallsyms
# count finds the known chain at a function and at a system call, exactly as often as it happened.
. "${0%/*}/lib.sh"
needs uprobe

# With the direct caller (st_fix_h), whose frame is not on the frame pointer chain yet at the entry of a function.
chain='st_fix_main;st_fix_a;st_fix_b;st_fix_c;st_fix_d;st_fix_e;st_fix_f;st_fix_g;st_fix_h;st_fix_leaf'

trace chain calls 1000 -- count -f -p PID "$FIXTURES/chain:st_fix_leaf"
plain_names "$T/out" >"$T/plain"
expect_equal "calls on the chain" "$(folded_sum_of "main;$chain [0-9]+$" "$T/plain")" 1000
expect_equal "all calls" "$(folded_sum)" 1000

# The text form: header, leaf first, four spaces before the count, "Detaching..." at the end.
trace chain calls 1000 -- count -p PID "$FIXTURES/chain:st_fix_leaf"
expect_equal "first line" "$(head -n 1 "$T/out")" \
	"Tracing 1 functions for \"$FIXTURES/chain:st_fix_leaf\"... Hit Ctrl-C to end."
expect_out '^  st_fix_leaf$'
expect_equal "sum of the text" "$(text_sum)" 1000
expect_equal "last line" "$(tail -n 1 "$T/out")" 'Detaching...'
refuse_out '^    chain \['

# Wildcards: nine functions and the leaf, each as often as it was called; nothing else of the file.
trace chain calls 100 -- count -f -P "$FIXTURES/chain:st_fix_*"
plain_names "$T/out" >"$T/plain"
for function in st_fix_a st_fix_b st_fix_c st_fix_d st_fix_e st_fix_f st_fix_g st_fix_h st_fix_leaf; do
	expect_equal "calls of $function" "$(folded_sum_of "[; ]$function [0-9]+$" "$T/plain")" 100
done
expect_equal "calls of st_fix_main" "$(folded_sum_of "[; ]st_fix_main [0-9]+$" "$T/plain")" 1
expect_equal "all calls" "$(folded_sum)" 901

# -r: a regular expression, anchored at the start only
trace chain calls 100 -- count -f -r -p PID "$FIXTURES/chain:st_fix_[ab]$"
expect_equal "calls of a and b" "$(folded_sum)" 200
trace chain calls 100 -- count -f -r -p PID "$FIXTURES/chain:st_fix_(lea|mai)"
expect_equal "calls of leaf and main" "$(folded_sum)" 101

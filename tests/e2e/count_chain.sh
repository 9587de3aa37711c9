#!/bin/sh
# ctest: live-kallsyms
# count finds the known chain at a function and at a system call, exactly as often as it happened.
. "${0%/*}/lib.sh"
needs uprobe

# With the direct caller (st_fix_h), whose frame is not on the frame pointer chain yet at the entry of a function.
chain='st_fix_main;st_fix_a;st_fix_b;st_fix_c;st_fix_d;st_fix_e;st_fix_f;st_fix_g;st_fix_h;st_fix_leaf'

fixture chain calls 1000
tool_start count -f -p "$fixture_pid" "$FIXTURES/chain:st_fix_leaf"
go
fixture_done
tool_end
expect_status 0
plain_names "$T/out" >"$T/plain"
expect_equal "calls on the chain" "$(folded_sum_of "main;$chain [0-9]+$" "$T/plain")" 1000
expect_equal "all calls" "$(folded_sum)" 1000
fixture_end

# The text form: header, leaf first, four spaces before the count, "Detaching..." at the end.
fixture chain calls 1000
tool_start count -p "$fixture_pid" "$FIXTURES/chain:st_fix_leaf"
go
fixture_done
tool_end
expect_status 0
expect_equal "first line" "$(head -n 1 "$T/out")" \
	"Tracing 1 functions for \"$FIXTURES/chain:st_fix_leaf\"... Hit Ctrl-C to end."
expect_out '^  st_fix_leaf$'
expect_equal "sum of the text" "$(text_sum)" 1000
expect_equal "last line" "$(tail -n 1 "$T/out")" 'Detaching...'
refuse_out '^    chain \['
fixture_end

# Wildcards: nine functions and the leaf, each as often as it was called; nothing else of the file.
fixture chain calls 100
tool_start count -f -P "$FIXTURES/chain:st_fix_*"
go
fixture_done
tool_end
expect_status 0
plain_names "$T/out" >"$T/plain"
for function in st_fix_a st_fix_b st_fix_c st_fix_d st_fix_e st_fix_f st_fix_g st_fix_h st_fix_leaf; do
	expect_equal "calls of $function" "$(folded_sum_of "[; ]$function [0-9]+$" "$T/plain")" 100
done
expect_equal "calls of st_fix_main" "$(folded_sum_of "[; ]st_fix_main [0-9]+$" "$T/plain")" 1
expect_equal "all calls" "$(folded_sum)" 901
fixture_end

# -r: a regular expression, anchored at the start only
fixture chain calls 100
tool_start count -f -r -p "$fixture_pid" "$FIXTURES/chain:st_fix_[ab]$"
go
fixture_done
tool_end
expect_equal "calls of a and b" "$(folded_sum)" 200
fixture_end
fixture chain calls 100
tool_start count -f -r -p "$fixture_pid" "$FIXTURES/chain:st_fix_(lea|mai)"
go
fixture_done
tool_end
expect_equal "calls of leaf and main" "$(folded_sum)" 101
fixture_end

#!/bin/sh
# ctest: boots=-all$
# Of a process with more mappings than a walk can search, those of memory become one, so that its stacks are whole; of what finds no room
# all the same, the stacks say so.
. "${0%/*}/lib.sh"
needs uprobe
needs_unwinder

trace crowded-dyn memory 5000 100 -- count -v -f -p PID "$FIXTURES/crowded-dyn:st_fix_leaf"
plain_names "$T/out" >"$T/plain"
expect_equal "whole stacks" "$(folded_sum_of '(_start|__libc_start_main|;main);.*st_fix_middle;st_fix_leaf [0-9]+$' "$T/plain")" 100
expect_err '100 user stacks complete'

trace crowded-dyn file 5000 100 -- count -f --unwind=dwarf -p PID "$FIXTURES/crowded-dyn:st_fix_leaf"
expect_equal "stacks of code that found no room" "$(folded_sum_of ';\[too many mappings\];' "$T/out")" 100
expect_err '100 user stacks truncated: the process has too many mappings'
refuse_err 'outside the known mappings'

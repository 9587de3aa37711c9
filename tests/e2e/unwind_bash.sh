#!/bin/sh
# A real program of the distribution's, without frame pointers: every stack of bash, some functions deep in a script, reaches its root.
. "${0%/*}/lib.sh"
needs_unwinder
command -v bash >/dev/null || skip "no bash"

# The script says READY, calls kill() $1 times when it is told to, and waits for the end of its input.
cat >"$T/script" <<'END'
inner() {
	local i
	for ((i = 0; i < $1; i++)); do kill -0 $$; done
}
outer() { eval 'inner "$1"'; }
echo READY
read -r _
outer "$1"
echo DONE
read -r _
END
mkfifo "$T/in" "$T/out.bash"
bash "$T/script" 200 <"$T/in" >"$T/out.bash" &
bash=$!
exec 6>"$T/in" 5<"$T/out.bash"
read -r word <&5 && [ "$word" = READY ] || fail "bash says $word"
tool_start count -v -f -U -p $bash t:syscalls:sys_enter_kill 5<&- 6>&-
echo go >&6
read -r word <&5 && [ "$word" = DONE ] || fail "bash says $word"
tool_end
exec 5<&- 6>&-
wait $bash
plain_names "$T/out" >"$T/plain"
expect_equal "all calls" "$(folded_sum)" 200
expect_equal "from the root, through eval, to the leaf" \
	"$(folded_sum_of '^bash;_start;.*;main;.*;evalstring;.*;kill_builtin;kill [0-9]+$' "$T/plain")" 200
expect_equal "whole stacks" "$(said_of 'user stacks complete')" 200

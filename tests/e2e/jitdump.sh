#!/bin/sh
# ctest: host
# Generated code has the names of the jitdump that its process has mapped, also where the code was moved, and when process and
# file are gone; a dump that anyone may write to, or of another process, is not believed.
. "${0%/*}/lib.sh"
needs perf-event pid-namespace

# names REGEX: what addr2sym says about the code of the running fixture
names() {
	out=$("$STACKTOOL" addr2sym -p "$fixture_pid" "$fixture_expect" 2>&1)
	echo "$out" | grep -qxE "$1" || fail "addr2sym -p: '$out', not $1"
}

fixture jit -d "$T"
names "st_jit_new in a script:7\\+0x0 \\[jit-$fixture_pid\\.dump\\]"
rm "$T/jit-$fixture_pid.dump"
returns 0 profile -f -U -F 199 -p "$fixture_pid" 1
expect_out '^jit;.*;main;st_jit_new in a script:7 [0-9]+$'
refuse_out 'unknown'
fixture_end

# In namespaces of its own; it is mapped while the tool runs, and gone at the end
cat >"$T/short.sh" <<END
# it lives for two seconds
sleep 2 | "$FIXTURES/jit" -n -d /tmp
END
returns 0 profile -f -U -F 499 -- sh "$T/short.sh"
expect_out '^jit;.*;main;st_jit_new in a script:7 [0-9]+$'
refuse_out '^jit;.*;main;\[unknown\]'

fixture jit -m 666 -d "$T"
names '\?\? \(code in anonymous memory; its perf map is not trusted\)'
fixture_end

# The name is that of another process
mkdir "$T/other"
fixture jit -d "$T/other"
mv "$T/other/jit-$fixture_pid.dump" "$T/other/jit-1.dump"
names '\?\? \(code in anonymous memory\)'
fixture_end

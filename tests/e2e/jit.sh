#!/bin/sh
# ctest: host
# Generated code has the names of its perf map, the newest ones, also from a container; a map that anyone may write to is not
# believed, and neither is a link.
. "${0%/*}/lib.sh"
needs perf-event pid-namespace

# names REGEX: what addr2sym says about the code of the running fixture
names() {
	out=$("$STACKTOOL" addr2sym -p "$fixture_pid" "$fixture_expect" 2>&1)
	echo "$out" | grep -qxE "$1" || fail "addr2sym -p: '$out', not $1"
}

fixture jit
names "st_jit_new in a script:7\\+0x0 \\[perf-$fixture_pid\\.map\\]"
fixture_end

fixture jit -n
names "st_jit_new in a script:7\\+0x0 \\[perf-$fixture_pid\\.map\\]"
returns 0 profile -f -F 199 -p "$fixture_pid" 1
expect_out '^jit;.*;st_jit_new in a script:7 [0-9]+$'
# Which of the two it was at the time, the map does not say
expect_err '^NOTE: [0-9]+ frames? of generated code (is at an address that was|are at addresses that were) listed more than once: '
fixture_end

# The program was deleted after its start, and lives in namespaces of its own
cp "$FIXTURES/jit-dyn" "$T/gone"
fixture "$T/gone" -n
rm "$T/gone"
returns 0 profile -f -U -F 199 -p "$fixture_pid" 1
expect_out '^gone;.*;main;st_jit_new in a script:7 [0-9]+$'
refuse_out 'unknown'
fixture_end

fixture jit -m 666
names '\?\? \(code in anonymous memory; its perf map is not trusted\)'
fixture_end

fixture jit
mv "/tmp/perf-$fixture_pid.map" "$T/map"
ln -s "$T/map" "/tmp/perf-$fixture_pid.map"
names '\?\? \(code in anonymous memory; its perf map is not trusted\)'
rm -f "/tmp/perf-$fixture_pid.map"
mkfifo "/tmp/perf-$fixture_pid.map"
names '\?\? \(code in anonymous memory; its perf map is not trusted\)'
tool profile -F 199 -p "$fixture_pid" 0.3
expect_err "^NOTE: perf map not used: /tmp/perf-$fixture_pid\\.map of process $fixture_pid: not a regular file"
fixture_end

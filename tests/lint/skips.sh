#!/usr/bin/env bash
# The account of skips (tests/lint/skips) sees what was skipped inside a program or a script that passed.
cd "$(dirname "$0")" || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/tests.xml" <<'END'
<testsuite name="Linux" tests="5">
	<testcase name="unit.vec" classname="unit.vec" time="0.01" status="run">
		<system-out>[==========] Running 1 test(s).
[ RUN      ] grows
[       OK ] grows
</system-out>
	</testcase>
	<testcase name="unit.process" classname="unit.process" time="0.01" status="run">
		<system-out>[==========] Running 3 test(s).
[ RUN      ] first
[       OK ] first
[ RUN      ] needs_root
this process is &lt;nobody&gt;
[  SKIPPED ] needs_root
[ RUN      ] says_nothing
[  SKIPPED ] says_nothing
[==========] 3 test(s) run.
[  PASSED  ] 1 test(s).
[  SKIPPED ] 2 test(s), listed below:
[  SKIPPED ] needs_root
[  SKIPPED ] says_nothing
</system-out>
	</testcase>
	<testcase name="e2e.parts" classname="e2e.parts" time="0.01" status="run">
		<system-out>SKIP: no bpftool
</system-out>
	</testcase>
	<testcase name="e2e.whole" classname="e2e.whole" time="0.01" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
		<system-out>SKIP: no musl-gcc
</system-out>
	</testcase>
	<testcase name="e2e.silent" classname="e2e.silent" time="0" status="notrun">
		<system-out></system-out>
	</testcase>
</testsuite>
END
cat >"$folder/expected" <<'END'
SKIPPED unit.process:needs_root: this process is <nobody>: NOT in accepted
skipped unit.process:says_nothing: no reason given (accepted)
SKIPPED e2e.parts: no bpftool: NOT in accepted
skipped e2e.whole: no musl-gcc (accepted)
SKIPPED e2e.silent: no reason given: NOT in accepted
5 skipped, 3 of them not accepted
END
{
	echo "unit.process:says_nothing it has a reason"
	echo "e2e.whole there is no musl here"
} >"$folder/accepted"
(cd "$folder" && "$OLDPWD/skips" tests.xml accepted >said 2>&1)
[ $? -eq 1 ] || { echo "skips that nobody accepted pass" && exit 1; }
diff "$folder/expected" "$folder/said" || exit 1
sed -i '/SKIPPED/!d; s/^SKIPPED \([^ ]*\): .*/\1 it has a reason/' "$folder/said"
cat "$folder/said" >>"$folder/accepted"
"$PWD/skips" "$folder/tests.xml" "$folder/accepted" >/dev/null || { echo "accepted skips do not pass" && exit 1; }

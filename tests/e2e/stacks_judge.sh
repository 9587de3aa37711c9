#!/bin/sh
# ctest: host plain
# The judge of `./dev stacks` finds nothing wrong in true stacks, and each caller that is made wrong.
. "${0%/*}/lib.sh"
needs uprobe program:python3 program:objdump program:strip
needs_unwinder

trace chain calls 100 -- count -U -f --save "$T/true.stk" -p PID "$FIXTURES/chain:st_fix_leaf"
returns 0 report -o "$T/true.json" "$T/true.stk"

# judged NAME FIELD
judged() {
	"$SOURCE/tests/stacks/judge.py" "$T/$1.json" >"$T/judged" || fail "$1: the judge failed"
	sed -n "1s/.*\\b$2=\\([0-9]*\\).*/\\1/p" "$T/judged"
}

# made NAME PYTHON: the profile with the frames of its one stack changed by PYTHON; numbers are indexes of frames, by name in at
made() {
	python3 - "$T/true.json" "$T/$1.json" "$2" <<'EOF'
import json, sys
profile = json.load(open(sys.argv[1]))
frames, user = profile["frames"], profile["intervals"][0]["stacks"][0]["user"]
at = {frame.get("name"): i for i, frame in enumerate(frames)}
exec(sys.argv[3])
json.dump(profile, open(sys.argv[2], "w"))
EOF
}

expect_equal "true stacks: wrong" "$(judged true wrong)" 0
expect_equal "true stacks: whole" "$(judged true whole)" 100
[ "$(judged true proved)" -ge 900 ] || fail "nine direct calls are not proved: $(cat "$T/judged")"

made missing 'user.remove(at["st_fix_d"])'
expect_equal "a caller is missing" "$(judged missing wrong)" 100
grep -q 'st_fix_c.*->.*st_fix_e.*the call is of' "$T/judged" || fail "not the one that is missing: $(cat "$T/judged")"

made beside 'f = frames[at["st_fix_d"]]; f["file_offset"] = hex(int(f["file_offset"], 16) + 1)'
expect_equal "no call ends there" "$(judged beside wrong)" 100
grep -q 'st_fix_d.*->.*st_fix_e.*no call before it' "$T/judged" || fail "not the one beside a call: $(cat "$T/judged")"

# c was called by b, e calls f: d, c, e has three callers that cannot be
made swapped 'c, d = user.index(at["st_fix_c"]), user.index(at["st_fix_d"]); user[c], user[d] = user[d], user[c]'
expect_equal "two callers are swapped" "$(judged swapped wrong)" 300

# A file that does not tell where its functions begin
strip --strip-all -R .eh_frame_hdr -R .eh_frame -o "$T/bare" "$FIXTURES/chain" 2>"$T/strip" || fail "strip: $(cat "$T/strip")"
made bare "profile['files'][frames[at['st_fix_d']]['file']]['path'] = '$T/bare'"
expect_equal "a file without functions: wrong" "$(judged bare wrong)" 0
[ "$(judged bare unjudged)" -ge 900 ] || fail "its direct calls are judged: $(cat "$T/judged")"

#!/bin/sh
# ctest: host
# --redact: no byte of any output has the name of a process, a path outside the system's directories or the host, and the numbers stay.
. "${0%/*}/lib.sh"
needs uprobe

mkdir "$FIXTURES/st-secret"
cp "$FIXTURES/calls" "$FIXTURES/st-secret/st-secret-tool"
program=$FIXTURES/st-secret/st-secret-tool
forms="json svg html perf folded speedscope.json txt"
files=
for form in $forms; do files="$files -o $T/r.$form"; done

# clean FILES...: nothing of it is in them
clean() {
	! grep -lE "st-secret|${FIXTURES#/}|\"$(hostname)\"" "$@" || fail "a name is left"
}
# shellcheck disable=SC2086
tool count --unwind=fp --redact $files -o "$T/r.pb.gz" --save "$T/r.stk" "$program:st_fix_hit" -- "$program" -n 100
expect_status 0
refuse_err 'redact'
gzip -dc "$T/r.pb.gz" >"$T/r.pb"
for form in $forms; do clean "$T/r.$form"; done
clean "$T/r.pb" "$T/r.stk"
expect_equal "events" "$(folded_sum "$T/r.folded")" 100
grep -q '^process-1;.*st_fix_hit 100$' "$T/r.folded" || fail "folded: $(cat "$T/r.folded")"
"$STACKTOOL" report -f "$T/r.stk" 2>"$T/err" | cmp - "$T/r.folded" || fail "the saved profile is another"
for form in text json summary; do "$STACKTOOL" report --format "$form" "$T/r.stk" >"$T/again" 2>"$T/err" && clean "$T/again" "$T/err"; done

# Later, from a profile that has them; and who writes one without --redact reads what is in it.
tool count --unwind=fp --save "$T/s.stk" "$program:st_fix_hit" -- "$program" -n 100
expect_err 'it names processes and 1 path outside the system.s directories; --redact replaces them'
"$STACKTOOL" report -f "$T/s.stk" 2>/dev/null | grep -q '^st-secret-tool;' || fail "the name is not there without --redact"
"$STACKTOOL" report --redact -f "$T/s.stk" >"$T/again" 2>/dev/null
cmp "$T/again" "$T/r.folded" || fail "report --redact is another"
"$STACKTOOL" report --redact --comm st-secret-tool -o "$T/t.stk" "$T/s.stk" 2>/dev/null && clean "$T/t.stk" || fail "--comm and --redact"
"$STACKTOOL" report -f "$T/t.stk" 2>/dev/null | cmp - "$T/r.folded" || fail "rows are chosen by true names"

# A path with blanks, of which no word may stay
cp "$program" "$FIXTURES/st-secret/app of st-secret customer"
tool count --unwind=fp --redact -o "$T/u.json" --save "$T/u.stk" "$FIXTURES/st-secret/app of st-secret customer:st_fix_hit" -- \
	"$FIXTURES/st-secret/app of st-secret customer" -n 100
expect_status 0
clean "$T/u.json" "$T/u.stk"
! grep -l customer "$T/u.json" "$T/u.stk" || fail "a word of a path is left"

refused 2 'argument --redact: names are replaced when a run has ended' count --redact -i 1 "$program:st_fix_hit"
refused 2 'argument --redact: names are replaced when a run has ended' stacksnoop --redact "$program:st_fix_hit"

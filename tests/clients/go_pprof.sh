#!/usr/bin/env bash
# go tool pprof opens what we write: totals, stacks in the right direction, labels, files with build ids, no second demangling.
# ctest: timeout=300
. "$(dirname "$0")/lib.sh"
need go golang-go
export PPROF_TMPDIR=$T/pprof GOCACHE=$T/cache HOME=$T GOFLAGS=-mod=mod

pprof() {
	go tool pprof "$@" 2>"$T/err" || fail "pprof $*: $(cat "$T/err")"
}

"$STACKTOOL" report -o "$T/p.pb.gz" "$ordinary" 2>/dev/null || fail "cannot write"
pprof -top "$T/p.pb.gz" >"$T/top"
expect top 'Showing nodes accounting for 17, 100% of 17 total' "$T/top"
expect top '^ *12 70\.59% .* submit_bio$' "$T/top"
pprof -peek '^read$' "$T/p.pb.gz" >"$T/peek"
expect peek '\| +main$' "$T/peek"
expect peek '\| +entry_SYSCALL_64_after_hwframe$' "$T/peek"
pprof -tags "$T/p.pb.gz" >"$T/tags"
expect tags '^ *comm: Total 17' "$T/tags"
expect tags '1234$' "$T/tags"
pprof -top -tagroot=comm "$T/p.pb.gz" >"$T/root"
expect tagroot '94\.12% +app$' "$T/root"
pprof -raw "$T/p.pb.gz" >"$T/raw"
expect mappings 'libc\.so\.6' "$T/raw"
expect mappings '\[kernel\.kallsyms\]' "$T/raw"
pprof -proto -output="$T/merged.pb.gz" "$T/p.pb.gz" "$T/p.pb.gz" >/dev/null
pprof -top "$T/merged.pb.gz" >"$T/top"
expect merged 'of 34 total' "$T/top"

"$STACKTOOL" report -o "$T/hostile.pb.gz" "$hostile" 2>/dev/null || fail "cannot write the hostile profile"
pprof -top "$T/hostile.pb.gz" >"$T/top"
expect "template arguments" 'std::pair<int, char>::swap\(int, char\)$' "$T/top"
LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f]' "$T/top" && fail "control characters"

# Binary data is refused on a terminal.
if command -v script >/dev/null; then
	script -qec "$STACKTOOL report --format pprof $ordinary" /dev/null </dev/null >"$T/terminal"
	expect terminal 'binary and the output is a terminal' "$T/terminal"
fi
finish

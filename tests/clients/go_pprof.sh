#!/usr/bin/env bash
# go tool pprof opens what we write: totals, stacks in the right direction, labels, files with build ids, no second demangling.
# ctest: timeout=300
. "$(dirname "$0")/lib.sh"
need go golang-go
need dot graphviz
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

# Source lines, and inlined calls as lines of one location
"$STACKTOOL" report -o "$T/inlined.pb.gz" "${ordinary%/*}/inlined" 2>/dev/null || fail "cannot write"
pprof -top -lines "$T/inlined.pb.gz" >"$T/lines"
expect lines '83\.87% +st_fix_burn .*inlined\.c:18 \(inline\)$' "$T/lines"
expect lines '100% +st_fix_middle .*inlined\.c:23 \(inline\)$' "$T/lines"
expect lines '100% +st_fix_outer .*inlined\.c:29$' "$T/lines"
pprof -raw "$T/inlined.pb.gz" >"$T/raw"
[ "$(grep -c 'st_fix_middle' "$T/raw")" = 6 ] || fail "not one call in each of six locations: $(cat "$T/raw")"

# The drawing, and what the web server gives its pages.
pprof -svg -output="$T/p.svg" "$T/p.pb.gz" >/dev/null
expect svg '>submit_bio<' "$T/p.svg"

get() { # PATH
	local port=${url##*:}
	exec 8<>"/dev/tcp/127.0.0.1/${port%%/*}"
	printf 'GET %s HTTP/1.0\r\nHost: %s\r\n\r\n' "$1" "${url#http://}" >&8
	timeout 60 cat <&8 | tr -d '\r'
	exec 8>&-
}

mkfifo "$T/says"
timeout 120 go tool pprof -http=127.0.0.1: -no_browser "$T/p.pb.gz" >"$T/says" 2>&1 &
server=$!
url=
while [ -z "$url" ] && read -r line; do
	url=$(grep -o 'http://.*' <<<"$line")
done <"$T/says"
[ -n "$url" ] || fail "the web server does not say where it is"
get /ui/flamegraph >"$T/page"
sed -n 's/.*JSON\.parse("\(.*\)");.*/\1/p' "$T/page" | sed 's/\\u0022/"/g' >"$T/tree"
expect "web: flame graph" '^\{"n":"root","f":"root","v":17,' "$T/tree"
expect "web: flame graph" '"n":"submit_bio","f":"submit_bio","v":10,' "$T/tree"
get /ui/top >"$T/page"
expect "web: top" '"Name":"submit_bio","InlineLabel":"","Flat":12,"Cum":12' "$T/page"
kill "$server"
wait "$server"

"$STACKTOOL" report -o "$T/hostile.pb.gz" "$hostile" 2>/dev/null || fail "cannot write the hostile profile"
pprof -top "$T/hostile.pb.gz" >"$T/top"
expect "template arguments" 'std::pair<int, char>::swap\(int, char\)$' "$T/top"
LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f]' "$T/top" && fail "control characters"

# Where the period is known samples are time as well, and that is what is shown.
"$STACKTOOL" report -o "$T/time.pb.gz" "$SOURCE/tests/golden/saved/processes" 2>/dev/null || fail "cannot write time"
pprof -top "$T/time.pb.gz" >"$T/top"
expect "cpu time" '^Type: cpu$' "$T/top"
expect "cpu time" 'of 50ms total' "$T/top"
pprof -top -sample_index=samples "$T/time.pb.gz" >"$T/top"
expect "samples" 'of 5 total' "$T/top"
pprof -raw "$T/time.pb.gz" >"$T/raw"
expect period '^Period: 10000000$' "$T/raw"
expect "the kernel's build id" '\[kernel\.kallsyms\] 6ecd6ec21ec69416e50a8aa6737e500901ddb47a' "$T/raw"

# Binary data is refused on a terminal.
if command -v script >/dev/null; then
	script -qec "$STACKTOOL report --format pprof $ordinary" /dev/null </dev/null >"$T/terminal"
	expect terminal 'binary and the output is a terminal' "$T/terminal"
fi
finish

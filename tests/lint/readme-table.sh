#!/bin/sh
# The table of figures in README.md has the rows that `./dev bench compare` prints.
set -eu
cd "$(dirname "$0")/../.."
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
cat >"$T/table" <<'TABLE'
| event    | stacktool / bpftrace                           |    1265 ns |     2200 ns |  0.577 (0.575-0.580) n=20  |  0.999 | ok |
| event    | stacktool / libbpf-tools offcputime            |    1333 ns |     2620 ns |  0.511 (0.508-0.519) n=20  |  0.999 | ok |
| start    | stacktool / bpftrace                           |    21.9 ms |     97.4 ms |  0.220 (0.201-0.234) n=20  |  0.25  | ok |
| memory   | stacktool / bpftrace                           |   12000 kB |   104000 kB |  0.115 (0.108-0.118) n=20  |  0.2   | ok |
| whole    | stacktool / bpftrace                           |       0 %  |      100 % |  0.000 (0.000-0.000) n=20  |  0.05  | ok |
| names    | a report of a compiler's profile / perf report | 25.6 ms    | 68.2 ms     |  0.364 (0.356-0.556) n=20  |  0.999 | ok |
TABLE
BPFTRACE_VERSION=0.17 LIBBPF_TOOLS_VERSION=0.26 PERF_VERSION=6.1 tests/bench/compare "$T/table" >"$T/printed"
if ! grep -qxF "$(head -n 1 "$T/printed")" README.md; then
	echo "README.md has no table with this head: $(head -n 1 "$T/printed")"
	exit 1
fi
cut -d'|' -f2 "$T/printed" >"$T/rows"
awk -v head="$(head -n 1 "$T/printed")" '$0 == head { on = 1 } on && !/^\|/ { exit } on' README.md | cut -d'|' -f2 >"$T/readme"
diff -u "$T/rows" "$T/readme" || { echo "README.md's table has other rows than tests/bench/compare prints"; exit 1; }

# A peer that is missing is n/a, a row that is missing an error.
sed -i '$s/ 25.6 ms .* 0.364 .*n=20/ - | - | n\/a/' "$T/table"
PERF_VERSION='' tests/bench/compare "$T/table" | grep -qxF "| report of a compiler's profile | n/a | perf: n/a | n/a |" || { echo "compare: a missing peer is not n/a"; exit 1; }
sed -i '$d' "$T/table"
! tests/bench/compare "$T/table" >"$T/printed" 2>&1 || { echo "compare: a missing row is no error"; exit 1; }

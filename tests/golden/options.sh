#!/usr/bin/env bash
# The table "Options of all" of docs/reference/compat.md says which applet has which option: the option tables do.
set -u
: "${STACKTOOL:?path of the tool}" "${SOURCE:=$(cd "$(dirname "$0")/../.." && pwd)}"
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
failures=0

bad() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# The table without its frame: a line of names, then an option and a sign for each
sed -n '/^## Options of all$/,/^## profile$/p' "$SOURCE/docs/reference/compat.md" | grep '^|' | grep -v '^|---' | tr -d '|`' >"$T/table"
read -r _ applets <"$T/table"
[ "$(wc -w <<<"$applets")" = 8 ] || bad "no eight applets: $applets"
for applet in $applets; do
	"$STACKTOOL" "$applet" --help=all >"$T/$applet" || bad "help $applet"
done

rows=0
while read -r option signs; do
	rows=$((rows + 1))
	set -- $signs
	for applet in $applets; do
		sign=${1:-missing}
		shift
		has=-
		grep -qE "^ +(-., )*$option( |=|\[|$)" "$T/$applet" && has=+
		[ "$sign" = "$has" ] || bad "docs/reference/compat.md: $option of $applet is $sign, and the option table says $has"
	done
done < <(tail -n +2 "$T/table")
[ "$rows" -ge 20 ] || bad "only $rows options in the table"

echo "$rows options, $failures failures"
[ "$failures" = 0 ]

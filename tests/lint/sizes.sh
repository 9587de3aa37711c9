#!/usr/bin/env bash
# Files up to 700 lines; functions up to 60 lines pass, up to 100 with a message, beyond that not.
cd "$(dirname "$0")/../.." || exit 1
mapfile -t files < <(git ls-files -co --exclude-standard -- '*.c' '*.h' ':!:tests/data')
[ ${#files[@]} -gt 0 ] || exit 0
failures=0
while read -r lines file; do
	[ "$file" != total ] && [ "$lines" -gt 700 ] && echo "$file: $lines lines" && failures=$((failures + 1))
done < <(wc -l "${files[@]}")
command -v ctags >/dev/null || { echo "SKIP: universal-ctags is not installed: functions unchecked" && exit $((failures ? 1 : 77)); }
functions=$(ctags -f - --languages=C --c-kinds=f --fields=+ne -n "${files[@]}" | awk -F'\t' '
	{ line = end = 0
	  for (i = 4; i <= NF; i++) { if ($i ~ /^line:/) line = substr($i, 6); if ($i ~ /^end:/) end = substr($i, 5) }
	  if (end - line >= 60) print end - line + 1, $2 ":" line, $1 }' | sort -rn)
awk '$1 && $1 <= 100 { print "long: " $0 }' <<<"$functions"
awk '$1 > 100 { print "too long: " $0; bad = 1 } END { exit bad }' <<<"$functions" && [ $failures -eq 0 ]

#!/usr/bin/env bash
# .clang-format decides; ./dev format mends.
cd "$(dirname "$0")/../.." || exit 1
format=$(tests/lint/find-clang-format) || { echo "SKIP: clang-format 19 is not installed" && exit 77; }
git ls-files -co --exclude-standard -- '*.c' '*.h' ':!:tests/data' |
	xargs -r "$format" --dry-run -Werror 2>&1 | grep -E 'error:' | sed 's/: error:.*//' | cut -d: -f1 |
	sort | uniq -c | awk '{ print $2 ": " $1 " places; ./dev format " $2 }' | tee /dev/stderr | grep -q . && exit 1
exit 0

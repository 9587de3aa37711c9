#!/usr/bin/env bash
# The revision in --version is that of the source, never that of a repository around it, as distributions have for their packages.
source=$(cd "$(dirname "$0")/../.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
mkdir -p "$room/packages/stacktool"
repository() { # DIRECTORY
	git -C "$1" init -q && git -C "$1" -c user.name=t -c user.email=t@localhost -c commit.gpgsign=false commit -q --allow-empty -m packages
}
revision() {
	cmake -DOUT="$room/build_info.h" -DSOURCE="$room/packages/stacktool" -DGIT="$(command -v git)" -P "$source/cmake/write_build_info.cmake" &&
		sed -n 's/^#define ST_BUILD_REVISION "\([^"]*\)".*/\1/p' "$room/build_info.h"
}
repository "$room/packages" || exit 1
found=$(revision)
[ -z "$found" ] || { echo "without a repository of its own, the source has the revision $found of the one around it" && exit 1; }
repository "$room/packages/stacktool" || exit 1
[ -n "$(revision)" ] || { echo "a source with a repository has no revision" && exit 1; }

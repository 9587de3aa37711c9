#!/usr/bin/env bash
# The program for aarch64, under emulation: it is static, its man pages are those of the native program, and it reports saved profiles
# with the same bytes, in every form. Emulation has no BPF: what needs a kernel is not tried here.
# STACKTOOL: the native program, BUILD: its tree.
set -euo pipefail
: "${STACKTOOL:?}" "${BUILD:?}" "${SOURCE:?}"
program=$BUILD/arm64/stacktool
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0

fail() {
	echo "FAIL: $*"
	status=1
}

readelf -lW "$program" | grep -q INTERP && fail "the program is not static"
[ "$(stat -c %s "$program")" -lt 6000000 ] || fail "the program has $(stat -c %s "$program") bytes"
qemu-aarch64-static "$program" --version | grep -q '^architecture: aarch64$' || fail "--version"
diff -r "$BUILD/share/man" "$BUILD/arm64/share/man" || fail "man pages"

same() { # ARGUMENT...
	local theirs=0 ours=0
	"$STACKTOOL" "$@" >"$dir/native" 2>"$dir/native.err" || theirs=$?
	qemu-aarch64-static "$program" "$@" >"$dir/emulated" 2>"$dir/emulated.err" || ours=$?
	[ $theirs = $ours ] && cmp "$dir/native" "$dir/emulated" && cmp "$dir/native.err" "$dir/emulated.err" || fail "$*"
}

nr=0
for saved in "$SOURCE"/tests/golden/saved/*; do
	for format in text folded json svg html pprof speedscope perf summary; do
		same report --format $format "$saved"
		nr=$((nr + 1))
	done
	same diff --format json "$saved" "$saved"
done
echo "$nr reports are the same"
[ $nr -ge 90 ] || fail "only $nr reports"
exit $status

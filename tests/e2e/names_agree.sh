#!/bin/sh
# ctest: host
# Names agree with readelf's: for 10,000 random addresses of each program, wherever a symbol with a size covers the address, the
# name is that of one of them.
. "${0%/*}/lib.sh"
needs program:python3 program:readelf

for program in "$(readlink -f /usr/bin/python3)" /bin/bash "$FIXTURES/chain" "$FIXTURES/chain-dyn" \
	"$(ldd /bin/bash | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')"; do
	[ -r "$program" ] || continue
	python3 "$SOURCE/tests/names/agree.py" "$STACKTOOL" "$(readlink -f "$program")" || fail "names of $program differ"
done

#!/bin/sh
# ctest: host
# What is probed is the file that was opened as the process sees it: a symbolic link inside its root must not be followed
# from ours. A process that goes on with a replaced file is found by USDT probes all the same.
. "${0%/*}/lib.sh"
needs uprobe
command -v chroot >/dev/null || skip "no chroot(1)"

mkdir -p "$T/root/programs" "$T/root/links"
cp "$FIXTURES/calls" "$T/root/programs/calls"
ln -s /programs/calls "$T/root/links/calls"
cat >"$T/contained" <<EOF
#!/bin/sh
exec chroot "$T/root" /links/calls -n 1000
EOF
chmod 755 "$T/contained"

trace "$T/contained" -- count -f -p PID /links/calls:st_fix_hit
expect_equal "counted" "$(folded_sum)" 1000

cp "$FIXTURES/usdt" "$T/usdt"
LD_LIBRARY_PATH=$FIXTURES fixture "$T/usdt" 500
rm "$T/usdt"
cp "$FIXTURES/spin" "$T/usdt"
tool_start count -f -p "$fixture_pid" u::hit
fixture_work
tool_end
expect_equal "counted" "$(folded_sum)" 1500
fixture_end

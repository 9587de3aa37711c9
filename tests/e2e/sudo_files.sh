#!/bin/sh
# Under sudo, a new file belongs to the user who called it, where that user could have made it. A file that cannot be written is
# refused before the run.
. "${0%/*}/lib.sh"
needs perf-event

USER_OF_SUDO=65534 GROUP_OF_SUDO=65533

# owner FILE: its user, group and mode
owner() {
	stat -c '%u:%g %a' "$1"
}

mkdir "$T/home" "$T/shared" "$T/group" "$T/root"
chown $USER_OF_SUDO "$T/home"
chmod 1777 "$T/shared"
chgrp $GROUP_OF_SUDO "$T/group"
chmod 775 "$T/group"
echo root >"$T/home/of_root.svg"
echo user >"$T/home/of_user.svg"
chown $USER_OF_SUDO:$GROUP_OF_SUDO "$T/home/of_user.svg"
SUDO_UID=$USER_OF_SUDO SUDO_GID=$GROUP_OF_SUDO
export SUDO_UID SUDO_GID
returns 0 profile -q --save "$T/home/all.stk" -o "$T/shared/x.svg" -o "$T/group/x.svg" -o "$T/root/x.svg" \
	-o "$T/home/of_root.svg" -o "$T/home/of_user.svg" 0.2
for file in home/all.stk shared/x.svg group/x.svg home/of_user.svg; do
	expect_equal "owner of $file" "$(owner "$T/$file")" "$USER_OF_SUDO:$GROUP_OF_SUDO 600"
done
for file in root/x.svg home/of_root.svg; do
	expect_equal "owner of $file" "$(owner "$T/$file")" "0:0 600"
done
returns 0 report -q -o "$T/home/again.svg" "$T/home/all.stk"
expect_equal "owner of a file of report" "$(owner "$T/home/again.svg")" "$USER_OF_SUDO:$GROUP_OF_SUDO 600"
unset SUDO_UID SUDO_GID
returns 0 report -q -o "$T/home/later.svg" "$T/home/all.stk"
expect_equal "owner without sudo" "$(owner "$T/home/later.svg")" "0:0 600"
[ -z "$(find "$T" -name '.stacktool-*')" ] || fail "temporary files are left"

# Where no file can be made: the run, which has no end, does not begin.
returns 1 profile -o /proc/x.svg
expect_one_line_error
expect_err "'/proc/x.svg': cannot be written: "

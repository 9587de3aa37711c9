# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Roots of other systems for the clean rooms, on this host's kernel. Whatever is mounted there is gone when the script ends.
#
#   room_of debian 12|13     $room is a fresh minimal Debian from debootstrap, as unpacked from a tar that is kept in the cache
#   room_of ubuntu 22.04     the same of Ubuntu; 1 where debootstrap does not reach it
#   room_empty               $room is an empty root
#   room_leave               removes $room
#   inside COMMAND...        runs it in $room, as root, in a small environment
cache=${XDG_CACHE_HOME:-$HOME/.cache}/stacktool
room=
trap room_leave EXIT

room_leave() {
	[ -n "$room" ] || return 0
	umount -R "$room/proc" "$room/sys" "$room/dev" 2>/dev/null || true
	# Never through a mount that is still there.
	mountpoint -q "$room/sys" || rm -rf --one-file-system "$room"
	room=
}

room_new() {
	mkdir -p "$cache"
	room=$(mktemp -d "$cache/room.XXXXXX")
	chmod 755 "$room" # mktemp made it for root alone; it becomes a root that other users may pass
}

room_mount() {
	mkdir -p "$room/proc" "$room/sys" "$room/dev"
	mount -t proc proc "$room/proc"
	mount --rbind /sys "$room/sys"
	mount --make-rslave "$room/sys"
	mount --rbind /dev "$room/dev"
	mount --make-rslave "$room/dev"
}

room_of() { # SYSTEM RELEASE
	local base=$cache/$1-$2.tar
	room_new
	if [ -s "$base" ]; then
		tar -C "$room" -xf "$base"
	else
		case $1-$2 in
		debian-12) set -- --include=git,ca-certificates bookworm "$room" "$(tests/vm/mirror main)" ;;
		debian-13) set -- --include=git,ca-certificates trixie "$room" "$(tests/vm/mirror main)" ;;
		ubuntu-22.04) set -- --keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg jammy "$room" ;;
		*) echo "room: no such system: $*" >&2 && return 1 ;;
		esac
		debootstrap --variant=minbase "$@" >"$base.log" 2>&1 || return 1
		tar -C "$room" -cf "$base.new" . && mv "$base.new" "$base"
	fi
	room_mount
	cp -L /etc/resolv.conf "$room/etc/resolv.conf" 2>/dev/null || true
}

room_empty() {
	room_new
	room_mount
}

inside() {
	env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LC_ALL=C.UTF-8 CI="${CI:-}" chroot "$room" "$@"
}

#!/bin/sh
# ctest: host plain
# docs/use/deploy/stacktool-profile.service: its command profiles the host and writes its file as a user without root, with only the
# capabilities of the unit and no new privileges.
. "${0%/*}/lib.sh"
: "${SOURCE:=$(cd "${0%/*}/../.." && pwd)}"
needs perf-event
command -v setpriv >/dev/null || skip "no setpriv(1)"
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "kernel.perf_event_paranoid is above 2: the service needs CAP_SYS_ADMIN"

unit=$SOURCE/docs/use/deploy/stacktool-profile.service
setting() { # NAME
	sed -n "s/^$1=//p" "$unit"
}
[ "$(setting NoNewPrivileges)" = yes ] || fail "NoNewPrivileges of the unit is $(setting NoNewPrivileges)"
capabilities=$(setting AmbientCapabilities | tr A-Z a-z | sed 's/cap_/+/g; s/ /,/g')
bounding=$(setting CapabilityBoundingSet | tr A-Z a-z | sed 's/cap_/+/g; s/ /,/g')
[ -n "$capabilities" ] && [ -n "$bounding" ] || fail "the unit has no capabilities"

cp "$STACKTOOL" "$T/stacktool"
chmod 755 "$T/stacktool"
mkdir -m 700 "$T/state"
mkdir "$T/state/stacktool"
chown -R 65534:65534 "$T/state"
# A second instead of a minute; the escapes of systemd.
words=$(setting ExecStart | sed "s,^/usr/bin/,$T/,; s,%S,$T/state,; s/%%/%/g; s/ 60\$/ 1/")
case $words in
"$T/stacktool profile "*" 1") ;;
*) fail "ExecStart is '$words'" ;;
esac
ln -s "$(command -v sh)" "$T/st_busy_shell"
"$T/st_busy_shell" -c 'while :; do :; done' &
busy=$!
trap 'kill $busy; rm -rf "$T"' EXIT
# Words are separated by blanks, as systemd does without quotes.
# shellcheck disable=SC2086
setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="-all,$capabilities" --ambient-caps="-all,$capabilities" \
	--bounding-set="-all,$bounding" --no-new-privs $words >"$T/out" 2>"$T/err"
status=$?
expect_equal "status" "$status" 0
refuse_err 'lacks|CAP_|capability'
set -- "$T"/state/stacktool/*
expect_equal "files" "$#" 1
expect_equal "owner and mode" "$(stat -c '%u %a' "$1")" "65534 600"
gzip -dc "$1" >"$T/profile" || fail "not a gzip file"
grep -qa st_busy_shell "$T/profile" || fail "the profile does not have the busy program"

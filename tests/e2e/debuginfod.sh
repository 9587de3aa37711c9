#!/bin/sh
# ctest: host
# debuginfod-find talks to the network: it runs as the calling user, or as nobody, without capabilities, without a way to new ones,
# without our descriptors and our terminal, within limits, and what it leaves running ends with it.
. "${0%/*}/lib.sh"
needs perf-event program:strip

cp "$FIXTURES/chain" "$T/chain"
cp "$FIXTURES/spin" "$T/with_symbols"
strip --strip-all -o "$T/stripped" "$T/chain"
strip --strip-all -o "$T/spin" "$T/with_symbols"
address=$("$STACKTOOL" addr2sym -e "$T/chain" --find main | cut -d' ' -f1)
mkdir "$T/bin" "$T/home"
mkdir -m 1777 "$T/said"
chown 65534 "$T/home"
cat >"$T/bin/debuginfod-find" <<END
#!/bin/sh
{
	cat /proc/self/status /proc/self/limits
	env | sed 's/^/env /'
	readlink /proc/\$\$/fd/* | sed 's/^/fd /'
	read -r _ _ _ _ group session terminal _ </proc/\$\$/stat
	echo "group \$((group == \$\$)) session \$((session != $$)) terminal \$terminal"
} >"$T/said/all" 2>"$T/said/err"
chmod 666 "$T/said/"*
if [ -e "$T/hangs" ]; then
	sleep 1000 >/dev/null &
	echo \$! >"$T/said/left"
	chmod 666 "$T/said/left"
	[ ! -s "$T/hangs" ] || sleep 1000
fi
answer=\$(cat "$T/answer" 2>/dev/null)
echo "\${answer:-$T/chain}"
END
chmod 755 "$T/bin/debuginfod-find"
export DEBUGINFOD_URLS=http://127.0.0.1:1 SECRET=1 https_proxy=http://127.0.0.1:2 SSL_CERT_FILE=/certificate XDG_DATA_HOME=/data
PATH=bin:$T/bin:$PATH # the first is relative, and skipped

said() {
	grep -qE -- "$1" "$T/said/all" || fail "the program does not say $1: $(cat "$T/said/all")"
}

# runs_as UID GID GROUPS HOME
runs_as() {
	said "^Uid:	$1	$1	$1	$1\$"
	said "^Gid:	$2	$2	$2	$2\$"
	said "^Groups:	$3 ?\$"
	for set in Inh Prm Eff Bnd Amb; do
		said "^Cap$set:	0000000000000000\$"
	done
	said '^NoNewPrivs:	1$'
	said '^SigBlk:	0000000000000000$'
	said '^Max core file size +0 '
	said '^Max cpu time +20 '
	said '^Max file size +4294967296 '
	said '^Max address space +1073741824 '
	said '^Max open files +64 '
	said '^group 1 session 1 terminal 0$'
	said '^env PWD=/$'
	said "^env HOME=$4\$"
	said '^env DEBUGINFOD_URLS=http://127.0.0.1:1$'
	said '^env https_proxy=http://127.0.0.1:2$'
	said '^env SSL_CERT_FILE=/certificate$'
	# PWD, OLDPWD, SHLVL and _ are the shell's own
	! grep '^env ' "$T/said/all" |
		grep -vE '^env (PATH|HOME|XDG_CACHE_HOME|DEBUGINFOD_[A-Z_]+|[a-z]+_proxy|[A-Z]+_PROXY|SSL_CERT_(FILE|DIR)|PWD|OLDPWD|SHLVL|_)=' ||
		fail "it has our environment"
	# 0 and 2 are /dev/null, 1 the way back; the shell has the script and a copy of what it writes to
	others=$(sed -n 's/^fd //p' "$T/said/all" | grep -vE "^(/dev/null|pipe:.*|/proc/[0-9]+/fd|$T/bin/debuginfod-find|$T/said/.*)\$")
	[ -z "$others" ] || fail "it has other descriptors: $others"
	rm -f "$T/said/"*
}

expect_name() {
	returns 0 addr2sym "$@" -e "$T/stripped" "$address"
	expect_out '^main\+0x0$'
}

expect_no_name() {
	returns 0 addr2sym "$@" -e "$T/stripped" "$address"
	expect_out '^(fn_0x[0-9a-f]+\+0x0|\?\? .*)$'
}

# ---- who it is ----

expect_name
runs_as 65534 65534 '' '/tmp/stacktool-debuginfod\.[A-Za-z0-9]+'
[ -z "$(find /tmp -maxdepth 1 -user 65534 -name 'stacktool-debuginfod.*' -newer "$T/bin")" ] || fail "its directory is left"
"$FIXTURES/as" sudo env SUDO_HOME="$T/home" "$STACKTOOL" addr2sym -e "$T/stripped" "$address" >"$T/out" 2>"$T/err"
expect_out '^main\+0x0$'
runs_as 65534 65533 '4001 4002 65533' "$T/home"

echo "$T/with_symbols" >"$T/answer"
fixture_running "$T/spin"
returns 0 profile -U -f -F 499 -p "$fixture_pid" 0.5
expect_out '^spin;.*st_fix_spin'
fixture_end
runs_as 65534 65534 '' '/tmp/stacktool-debuginfod\.[A-Za-z0-9]+'

# ---- what it brings ----

mkfifo "$T/fifo"
cp "$T/chain" "$T/unreadable" # for its user: and it is that user who opens it
chmod 600 "$T/unreadable"
for answer in "$T/with_symbols" "$T/fifo" /dev/zero /proc/self/maps "$T" relative "$T/none" "$T/unreadable"; do
	echo "$answer" >"$T/answer"
	expect_no_name
done
rm "$T/answer"

# ---- what it leaves ----

gone() {
	left=$(cat "$T/said/left")
	for _ in $(seq 200); do
		grep -q '^State:	[^Z]' "/proc/$left/status" 2>/dev/null || return 0
		sleep 0.05
	done
	fail "its child still runs"
}

: >"$T/hangs"
expect_name
gone
echo for ever >"$T/hangs"
expect_no_name --why # after 15 s
expect_out 'from debuginfod'
gone
rm -f "$T/said/left"
"$STACKTOOL" addr2sym -e "$T/stripped" "$address" >"$T/out" 2>"$T/err" &
for _ in $(seq 200); do
	[ ! -s "$T/said/left" ] || break
	sleep 0.05
done
kill -9 $!
wait $! 2>/dev/null
gone

# ---- what is not requested costs nothing ----

# children NAME: of a tool that is attached
children() {
	tool_start profile 60
	found=$(for pid in $(cat "/proc/$tool_pid/task/"*/children); do cat "/proc/$pid/comm"; done | grep -cx stacktool-ask)
	tool_end
}

children
expect_equal "processes for servers" "$found" 1
unset DEBUGINFOD_URLS
children
expect_equal "processes for servers that nobody named" "$found" 0

#!/bin/sh
# ctest: host
# One program, run by a victim and, in another root or among other mounts, by someone who puts a debug file with the program's
# build id where the tool looks: it names the code of the root that it was found in and nobody else's, and nobody's file is called
# by the name that somebody else gave it.
. "${0%/*}/lib.sh"
needs perf-event program:unshare program:objcopy

STRANGER=4711
mkdir -p "$T/progs" "$T/elsewhere"
cp "$FIXTURES/spin" "$T/with_symbols"
objcopy --only-keep-debug "$T/with_symbols" "$T/real"
objcopy --only-keep-debug --redefine-sym st_fix_spin=forged "$T/with_symbols" "$T/forged"
cp "$T/real" "$T/program.debug" # for the link; with a build id its checksum does not count
objcopy --strip-all --add-gnu-debuglink="$T/program.debug" "$T/with_symbols" "$T/progs/victim"
rm "$T/with_symbols" "$T/program.debug"
build_id=$(readelf -n "$T/progs/victim" | sed -n 's/.*Build ID: //p')
[ -n "$build_id" ] || fail "the program has no build id"
by_build_id=.build-id/$(echo "$build_id" | cut -c1-2)/$(echo "$build_id" | cut -c3-).debug

# put FILE AS [OWNER]
put() {
	mkdir -p "${2%/*}"
	cp "$1" "$2"
	chown "${3:-0}" "$2"
}

# root NAME PROGRAM: a root directory where the victim's program will be called so
root() {
	mkdir -p "$T/$1/progs"
	: >"$T/$1/progs/$2"
}

# ---- who runs, as $pid ----

await() {
	for _ in $(seq 200); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != "$1" ] || return 0
		sleep 0.02
	done
	fail "$1 does not start"
}

# in_root NAME PROGRAM ARG…: in a mount namespace of its own
in_root() {
	# shellcheck disable=SC2016
	unshare -m sh -c 'cd "$1" && mount --bind progs/victim "$2/progs/$3" && shift && root=$1 program=$2 && shift 2 &&
		exec chroot "$root" "/progs/$program" "$@"' - "$T" "$@" </dev/null >/dev/null &
	pid=$!
	await "$2"
}

# bound_to PATH ARG…: the root is that of the host, and there the program lies at this path, too, for its own eyes
bound_to() {
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind "$1/progs/victim" "$2" && shift && exec "$@"' - "$T" "$@" </dev/null >/dev/null &
	pid=$!
	await "${1##*/}"
}

# on_host ARG…
on_host() {
	"$T/progs/victim" "$@" </dev/null >/dev/null &
	pid=$!
}

# sample PID ARG…: of everything, and returns when this process has had its share of the samples; 0: at once
sample() {
	first=$1
	shift
	tool_start profile -U -F 149 "$@"
	[ "$first" = 0 ] || until_used "$first" 20
}

# The end of the sampling, and of these processes
end() {
	tool_end
	[ $# = 0 ] || kill "$@"
	wait 2>/dev/null
}

# named PID: the name and the file of the innermost frames that most of its samples have
named() {
	awk -v wanted="($1)" '
		/^    -  / {
			is_wanted = $NF == wanted
			inside = 0
			next
		}
		/^ +[0-9]+$/ {
			if (is_wanted)
				samples[leaf] += $1
			inside = is_wanted = 0
			next
		}
		/^    / && !inside++ { leaf = $0 }
		END {
			for (leaf in samples)
				print samples[leaf], leaf
		}' "$T/out" | sort -rn | sed -nE '1s/^[0-9]+ +//; 1s/\+0x[0-9a-f]+//; 1p'
}

# expect_names PID REGEX WHO
expect_names() {
	is=$(named "$1")
	echo "$is" | grep -qxE "$2" || fail "$3 has '$is', not $2"
	echo "$3: $is"
}

nameless='victim!fn_0x[0-9a-f]+ \[victim\]'

echo "--- a root of its own, with a debug file"
root evil attacker
put "$T/forged" "$T/evil/usr/lib/debug/$by_build_id"
in_root evil attacker -s 100
attacker=$pid
sample "$attacker"
on_host -s 100
until_used "$pid" 20
end "$attacker" "$pid"
expect_names "$attacker" 'forged \[attacker\]' "who put it there"
expect_names "$pid" "$nameless" "another"

echo "--- the host's root, with the program at another path, beside which is a debug file"
: >"$T/elsewhere/attacker"
put "$T/forged" "$T/elsewhere/program.debug" $STRANGER
bound_to "$T/elsewhere/attacker" -s 100
attacker=$pid
sample "$attacker"
on_host -s 100
until_used "$pid" 20
end "$attacker" "$pid"
expect_names "$attacker" 'attacker!fn_0x[0-9a-f]+ \[attacker\]' "who put it there"
expect_names "$pid" "$nameless" "another"

echo "--- two roots, each with a debug file"
root good container
put "$T/real" "$T/good/usr/lib/debug/$by_build_id"
in_root evil attacker -s 100
attacker=$pid
sample "$attacker"
in_root good container -s 100
until_used "$pid" 20
end "$attacker" "$pid"
expect_names "$attacker" 'forged \[attacker\]' "who put it there"
expect_names "$pid" 'st_fix_spin \[container\]' "the other root"

echo "--- a root without a debug file, and one on the host"
root plain container
put "$T/real" "$T/debug/$by_build_id"
in_root plain container -s 100
before=$pid
sample "$before" --debug-dir "$T/debug"
in_root plain container -s 100
until_used "$pid" 20
end "$before" "$pid"
expect_names "$before" 'st_fix_spin \[container\]' "who was there before"
expect_names "$pid" 'st_fix_spin \[container\]' "who came later"

echo "--- beside the program: of its owner, of root, of a stranger"
beside() {
	put "$1" "$T/progs/$2" "$3"
	sample 0
	on_host -s 100
	until_used "$pid" 20
	end "$pid"
	expect_names "$pid" "$4" "owner $(stat -c %u "$T/progs/victim"), debug file of $3"
	rm -f "$T/progs/$2"
}

beside "$T/real" program.debug 0 'st_fix_spin \[victim\]'
beside "$T/forged" program.debug $STRANGER "$nameless"
chown $STRANGER "$T/progs/victim"
beside "$T/real" .debug/program.debug $STRANGER 'st_fix_spin \[victim\]'
beside "$T/real" .debug/program.debug 0 'st_fix_spin \[victim\]'
beside "$T/forged" program.debug 4712 "$nameless"

echo "--- beside the program in a root of its own: of a stranger"
chown 0 "$T/progs/victim"
root beside container
put "$T/forged" "$T/beside/progs/program.debug" $STRANGER
put "$T/real" "$T/beside/progs/.debug/program.debug" 0
in_root beside container -s 100
before=$pid
sample "$before"
in_root beside container -s 100
until_used "$pid" 20
end "$before" "$pid"
expect_names "$before" 'st_fix_spin \[container\]' "who was there before"
expect_names "$pid" 'st_fix_spin \[container\]' "who came later"

echo "--- a root in our own mount namespace, with its own files"
mkdir -p "$T/jail/progs"
cp "$T/progs/victim" "$T/jail/progs/jailed"
put "$T/real" "$T/jail/usr/lib/debug/$by_build_id"
in_jail() {
	chroot "$T/jail" /progs/jailed -s 100 </dev/null >/dev/null &
	pid=$!
	await jailed
}

in_jail
before=$pid
sample "$before"
in_jail
until_used "$pid" 20
end "$before" "$pid"
expect_names "$before" 'st_fix_spin \[jailed\]' "who was there before"
expect_names "$pid" 'st_fix_spin \[jailed\]' "who came later"

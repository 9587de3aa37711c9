#!/bin/sh
# ctest: boots=-all$
# -p A,B: a place is probed once however many processes share its file, and each process's own file is probed. What cannot
# be probed is named, and --strict fails.
. "${0%/*}/lib.sh"
needs uprobe sdt
command -v chroot >/dev/null || skip "no chroot(1)"

# two A-COMMAND B-COMMAND: starts both, A on the descriptors 5 and 6: $a and $b are their process ids.
two() {
	# shellcheck disable=SC2086
	fixture $1
	a=$fixture_pid
	a_child=$fixture_child
	exec 5<&7 6>&8
	# shellcheck disable=SC2086
	fixture $2
	b=$fixture_pid
}

# Both do their work.
two_work() {
	fixture_work
	echo go >&6
	while read -r word line <&5; do
		[ "$word" != DONE ] || break
	done
}

two_end() {
	fixture_end
	exec 6>&-
	wait "$a_child" || fail "the first fixture failed"
	exec 5<&-
}

# Both do their work, the tool ends, then they do.
two_done() {
	two_work
	tool_end "${1:-0}"
	two_end
}

# counted WHAT EVENTS TOOL-ARG…: with --strict.
counted() {
	what=$1
	events=$2
	shift 2
	tool_start count --strict -f "$@"
	two_done
	expect_equal "$what: events" "$(folded_sum)" "$events"
}

# contained ROOT COMMAND…: prints the path of a script that runs COMMAND below ROOT.
contained() {
	printf '#!/bin/sh\nexec chroot "%s" %s\n' "$1" "$2" >"$1.sh"
	chmod 755 "$1.sh"
	echo "$1.sh"
}

mkdir -p "$T/one/programs" "$T/two/programs" "$T/three/programs" "$T/empty/programs" "$T/copy"
cp "$FIXTURES/usdt" "$FIXTURES/calls" "$T/one/programs"
cp "$T/one/programs/usdt" "$T/one/programs/calls" "$T/two/programs" # files of their own
ln "$T/one/programs/usdt" "$T/one/programs/calls" "$T/three/programs"

# USDT probes of whatever the processes have mapped: one file, in one root and in two, and two files
two "$T/one/programs/usdt 500" "$T/one/programs/usdt 5"
counted "one file" 1515 -p "$a,$b" u::hit
two "$T/one/programs/usdt 500" "$(contained "$T/three" "/programs/usdt 5")"
counted "one file in two roots" 1515 -p "$a,$b" u::hit
two "$T/one/programs/usdt 500" "$(contained "$T/two" "/programs/usdt 5")"
counted "two files" 1515 -p "$a,$b" u::hit
two "$T/one/programs/usdt 500" "$T/one/programs/usdt 5"
tool_start funccount --strict -p "$a,$b" u::hit
two_done
expect_out '^hit +1,?515$'

# By a library's or program's name and by path, which lead elsewhere in each root
for pattern in usdt:st_fix_one u:usdt:guarded /programs/usdt:st_fix_one u:/programs/usdt:st_fix:guarded; do
	two "$(contained "$T/one" "/programs/usdt 500")" "$(contained "$T/two" "/programs/usdt 5")"
	counted "$pattern" 505 -p "$a,$b" "$pattern"
	two "$(contained "$T/one" "/programs/usdt 500")" "$(contained "$T/three" "/programs/usdt 5")"
	counted "$pattern, one file" 505 -p "$b,$a" "$pattern"
done

# The other tools that look for places
two "$(contained "$T/one" "/programs/calls -n 1000")" "$(contained "$T/two" "/programs/calls -n 10")"
returns 0 list -p "$a,$b,$a" calls:st_fix_hit
expect_equal "lines of list" "$(grep -c 'st_fix_hit' "$T/out")" 2
returns 0 count --explain -p "$a,$b" calls:st_fix_hit
expect_equal "places of --explain" "$(grep -c '^attach: .*st_fix_hit' "$T/out")" 2
returns 2 funccount --max-probes 1 -p "$a,$b" calls:st_fix_hit
expect_err '2 matches exceed the limit of 1 probes'
tool_start stacksnoop -p "$a,$b" calls:st_fix_hit
two_done
expect_equal "events of stacksnoop" "$(grep -cE '^[0-9.]+ +st_fix_hit$' "$T/out")" 1010
two "$(contained "$T/one" "/programs/calls -n 1000")" "$(contained "$T/two" "/programs/calls -n 10")"
tool_start stackcount -p "$a,$b" calls:st_fix_hit
two_done
expect_equal "events of stackcount" "$(text_sum)" 1010
two "$(contained "$T/one" "/programs/calls -n 1000")" "$(contained "$T/two" "/programs/calls -n 10")"
tool_start funccount -p "$a,$b" 'calls:st_fix_h*'
two_done
expect_out '^st_fix_hit +1,?010$'

# Layers of an overlay: what both have from below is one file for the kernel, with two names and two device numbers.
mkdir -p "$T/layers"
if mount -t tmpfs layers "$T/layers" && mkdir -p "$T/layers/below" && cp -r "$T/one/programs" "$T/layers/below" &&
	for i in one two; do
		mkdir "$T/layers/$i" "$T/layers/$i.upper" "$T/layers/$i.work" &&
			mount -t overlay overlay -o "lowerdir=$T/layers/below,upperdir=$T/layers/$i.upper,workdir=$T/layers/$i.work" \
				"$T/layers/$i" || break
	done 2>/dev/null && [ -e "$T/layers/two/programs/usdt" ]; then
	two "$(contained "$T/layers/one" "/programs/usdt 500")" "$(contained "$T/layers/two" "/programs/usdt 5")"
	counted "one file of two overlays, u::" 1515 -p "$a,$b" u::hit
	two "$(contained "$T/layers/one" "/programs/calls -n 1000")" "$(contained "$T/layers/two" "/programs/calls -n 10")"
	counted "one file of two overlays" 1010 -p "$a,$b" calls:st_fix_hit
	two "$(contained "$T/layers/one" "/programs/calls -n 1000")" "$(contained "$T/layers/below" "/programs/calls -n 10")"
	counted "one file of an overlay and below it" 1010 -p "$a,$b" /programs/calls:st_fix_hit
	cp "$FIXTURES/calls" "$T/layers/two/programs/new" && mv "$T/layers/two/programs/new" "$T/layers/two/programs/calls"
	two "$(contained "$T/layers/one" "/programs/calls -n 1000")" "$(contained "$T/layers/two" "/programs/calls -n 10")"
	counted "two files of two overlays" 1010 -p "$a,$b" calls:st_fix_hit
	umount "$T/layers/one" "$T/layers/two"
else
	[ -n "${IN_GUEST:-}" ] || echo "SKIP: no overlay file systems" # guests have no modules
fi
umount "$T/layers" || true

# What is not there in one of them
two "$T/one/programs/usdt 500" "$T/one/programs/calls -n 10"
tool_start count --strict -f -p "$a,$b" u::hit
two_done 4
expect_err "process $b is not probed: its files have no USDT probe 'hit'"
expect_equal "of the other one" "$(folded_sum)" 1500
cp "$FIXTURES/calls" "$T/empty/programs/other"
two "$(contained "$T/one" "/programs/calls -n 1000")" "$(contained "$T/empty" "/programs/other -n 10")"
tool_start count --strict -f -p "$b,$a" /programs/calls:st_fix_hit
two_done 4
expect_err "process $b is not probed: '/programs/calls': no such file in the root of process $b"
expect_equal "of the other one" "$(folded_sum)" 1000
two "$(contained "$T/one" "/programs/calls -n 1000")" "$(contained "$T/empty" "/programs/other -n 10")"
returns 1 count -D 1 -p "$b,$a" /programs/nothing:st_fix_hit
expect_one_line_error
refused 5 "did you mean 'st_fix_hit'" count -D 1 -p "$b,$a" /programs/calls:st_fix_hot
two_work
two_end

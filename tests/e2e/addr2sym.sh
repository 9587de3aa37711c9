#!/bin/sh
# ctest: host
# addr2sym: a file, a stripped file with a debug link, a process, both ways, and what is wrong on its command line.
. "${0%/*}/lib.sh"

# names REGEX ARG…: the tool prints exactly one line, which matches as a whole
names() {
	regex=$1
	shift
	out=$("$STACKTOOL" addr2sym "$@" 2>&1) || fail "addr2sym $*: $out"
	echo "$out" | grep -qxE "$regex" || fail "addr2sym $*: '$out', not $regex"
}

program=$FIXTURES/chain
address=$("$STACKTOOL" addr2sym -e "$program" --find main | cut -d' ' -f1)
case $address in 0x*) ;; *) fail "main is not found: '$address'" ;; esac
names 'main\+0x0' -e "$program" "$address"
names 'main\+0x5' -e "$program" "$(printf '%x' $((address + 5)))"
names 'main\+0x5' -r -e "$program" "$(printf '%x' $((address + 5)))"
names '\?\? \(.+\)' -e "$program" 1
[ "$(printf '%s\n\n%s\n' "$address" 0X1 | "$STACKTOOL" addr2sym -e "$program" | wc -l)" = 2 ] ||
	fail "two lines of input are not two of output"

printf '%s\nany words\n%s\n' "$address" "$address" | "$STACKTOOL" addr2sym -e "$program" >"$T/out" 2>"$T/err"
[ "$?/$(cat "$T/out")" = '2/main+0x0' ] || fail "what came before a bad line: $(cat "$T/out" "$T/err")"
grep -qxF "stacktool addr2sym: line 2: 'any': not an address: give hexadecimal digits, with 0x or without" "$T/err" || fail "a bad line: $(cat "$T/err")"
for input in '%s\0\n' '%s\n\0\n' '%s\n\0%s'; do
	# shellcheck disable=SC2059
	printf "$input" "$address" 1 | "$STACKTOOL" addr2sym -e "$program" >"$T/out" 2>"$T/err"
	[ $? = 2 ] || fail "a zero byte in '$input': $(cat "$T/out" "$T/err")"
	grep -qE '^stacktool addr2sym: line [12]: it has a zero byte: not an address' "$T/err" || fail "a zero byte in '$input': $(cat "$T/err")"
done

# The answer comes before the input ends.
mkfifo "$T/questions" "$T/answers"
"$STACKTOOL" addr2sym -e "$program" <"$T/questions" >"$T/answers" &
exec 7>"$T/questions" 8<"$T/answers"
for turn in 1 2; do
	echo "$address" >&7
	read -r line <&8
	[ "$line" = 'main+0x0' ] || fail "turn $turn: the answer is '$line'"
done
exec 7>&-
wait $! || fail "addr2sym ends with status $?"
exec 8<&-

fixture chain sleep
names "\?\? \(no code was mapped there\)" -p "$fixture_pid" "$(sed -n 's/-.*\[stack\]$//p' "/proc/$fixture_pid/maps")"
"$STACKTOOL" addr2sym --why -p "$fixture_pid" 10 >"$T/out"
[ "$(sort "$T/out" | uniq -d | wc -l)" = 0 ] || fail "a reason is told twice: $(cat "$T/out")"
names "main\+0x0 \[chain\]" -p "$fixture_pid" "$address"
names '\?\? \(.+\)' -p "$fixture_pid" 10
fixture_end

# A program without symbols: its functions are distinguished, and a debug file is found by its link, its checksum proves it.
cp "$program" "$T/program"
objcopy --only-keep-debug "$T/program" "$T/program.debug"
objcopy --remove-section .note.gnu.build-id --strip-all --add-gnu-debuglink="$T/program.debug" "$T/program"
objcopy --remove-section .note.gnu.build-id "$T/program.debug"
names '(fn_0x[0-9a-f]+\+0x0|\?\? .*)' -e "$T/program" "$address" # the checksum is that of the file as it was
objcopy --remove-section .gnu_debuglink "$T/program"
objcopy --add-gnu-debuglink="$T/program.debug" "$T/program"
names 'main\+0x0' -e "$T/program" "$address"
mkdir -p "$T/debug$T"
mv "$T/program.debug" "$T/debug$T/"
names '(fn_0x[0-9a-f]+\+0x0|\?\? .*)' -e "$T/program" "$address"
names 'main\+0x0' --debug-dir "$T/debug" -e "$T/program" "$address"

# why REGEX ARG…: of the decisions that it tells for one address, one matches
why() {
	regex=$1
	shift
	"$STACKTOOL" addr2sym --why "$@" >"$T/out" 2>&1 || fail "addr2sym --why $*"
	grep -qxE "    $regex" "$T/out" || fail "addr2sym --why $*: no line $regex in $(cat "$T/out")"
}
why "file $T/program.debug: no such file" -e "$T/program" "$address"
why 'separate debug file: none found that matches this file' -e "$T/program" "$address"
why "file $T/debug$T/program.debug: opened" --debug-dir "$T/debug" -e "$T/program" "$address"
why 'separate debug file: used: .*' --debug-dir "$T/debug" -e "$T/program" "$address"
why "symbol main: from $address, [0-9]+ bytes" -e "$program" "$address"
head -c 10000 "$program" >"$T/cut"
why 'no name: the file is not an ELF file' -e "$0" 1
names '\?\? \(the file is not an ELF file\)' -e "$0" 1
why 'no name: the ELF file is malformed' -e "$T/cut" "$address"
strip --strip-debug -o "$T/no lines" "$program"
why "separate debug file: none found that matches this file" --lines -e "$T/no lines" "$address"
why 'separate debug file: not searched: the file has a .symtab' -e "$T/no lines" "$address"
why 'place: no executable segment of the file has this address' -e "$program" 1
ln "$program" "$T/hard link"
fixture "$T/hard link" sleep
rm "$T/hard link"
why "file $T/hard link through the mapping: opened" -p "$fixture_pid" "$address"
why "symbol main: from $address, [0-9]+ bytes" -p "$fixture_pid" "$address"
fixture_end
program=$FIXTURES/chain

# The kernel: both ways, and why
if [ "$(id -u)" = 0 ] && grep -q '^[0-9a-f]*[1-9a-f][0-9a-f]* ' /proc/kallsyms; then
	address=$("$STACKTOOL" addr2sym -k --find vfs_read | cut -d' ' -f1)
	[ "${address#0x}" = "$(sed -n 's/^\([0-9a-f]*\) [tT] vfs_read$/\1/p' /proc/kallsyms)" ] || fail "vfs_read is at '$address'"
	names 'vfs_read\+0x4 \[kernel\]' -k "${address%?}4" # functions begin at multiples of 16
	why '/proc/kallsyms: [0-9]+ functions, of the kernel and of [0-9]+ more .*' -k "$address"
	why "symbol vfs_read \[kernel\]: from $address up to 0x[0-9a-f]+, the start of the next one" -k "$address"
	why 'place: below the first symbol: no name' -k 1
	"$STACKTOOL" addr2sym -k --find 'vfs_rea*' | grep -q ' vfs_readv*$' || fail "wildcards of kernel functions"
	"$STACKTOOL" addr2sym -k --find vfs_raed 2>&1 | grep -q "did you mean 'vfs_read" || fail "a near name of the kernel"
	address=$("$STACKTOOL" addr2sym -e "$program" --find main | cut -d' ' -f1)
fi

wrong() {
	want=$1
	shift
	"$STACKTOOL" addr2sym "$@" >"$T/out" 2>"$T/err" </dev/null
	status=$?
	[ "$status" != 0 ] && grep -qF -- "$want" "$T/err" || fail "addr2sym $*: status $status, $(cat "$T/err")"
}
wrong 'give --exe FILE, --pid PID or --kernel' 12
wrong "'12x': not an address" -e "$program" 12x
wrong 'no such file' -e "$T/none" 1
wrong 'not allowed with' -k -p 1 1
wrong 'not allowed with --find' --why -e "$program" --find main
wrong 'needs --exe FILE or --kernel' --find main -p 1
wrong 'did you mean' -e "$program" --find mainn
head -c 10000 "$FIXTURES/chain" >"$T/cut"
names '\?\? \(the ELF file is malformed\)' -e "$T/cut" "$address"

# debuginfod: asked through its program, only when servers are set, and believed only for the same build id
program=$T/with_symbols # its user is nobody: tests/e2e/debuginfod.sh
cp "$FIXTURES/chain" "$program"
strip --strip-all -o "$T/stripped" "$program"
mkdir "$T/bin"
mkdir -m 1777 "$T/said"
cat >"$T/bin/debuginfod-find" <<END
#!/bin/sh
echo "\$*" >>"$T/said/asked"
echo "$program"
END
chmod +x "$T/bin/debuginfod-find"
PATH=$T/bin:$PATH
names '(fn_0x[0-9a-f]+\+0x0|\?\? .*)' -e "$T/stripped" "$address"
[ -e "$T/said/asked" ] && fail "servers are asked without DEBUGINFOD_URLS"
export DEBUGINFOD_URLS=http://127.0.0.1:1
names 'main\+0x0' -e "$T/stripped" "$address"
grep -qxE 'debuginfo [0-9a-f]{40}' "$T/said/asked" || fail "asked: $(cat "$T/said/asked")"
cp "$FIXTURES/spin" "$program"
sed -i "s|^echo \"/.*|echo \"$program\"|" "$T/bin/debuginfod-find"
names '(fn_0x[0-9a-f]+\+0x0|\?\? .*)' -e "$T/stripped" "$address"

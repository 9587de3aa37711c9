#!/bin/sh
# What can be seen of the command line without a kernel: messages and statuses of wrong lines, names by symbolic links,
# --list, --install, closed and full outputs. Needs no privilege.
set -u
: "${STACKTOOL:?path of the tool}"
STACKTOOL=$(readlink -f "$STACKTOOL")
export LC_ALL=C
T=$(mktemp -d "${TMPDIR:-/tmp}/st-cli.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
failures=0

bad() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# run PROGRAM ARG…: $status, $T/out, $T/err
run() {
	"$@" >"$T/out" 2>"$T/err" </dev/null
	status=$?
	line=$*
}

# says STATUS ERR: the last run ended so and wrote exactly this to stderr, nothing to stdout
says() {
	[ "$status" = "$1" ] || bad "$line: status $status, not $1"
	[ "$(cat "$T/err")" = "$2" ] || bad "$line: stderr is '$(cat "$T/err")', not '$2'"
	[ -s "$T/out" ] && bad "$line: writes to stdout"
}

# wrong STATUS ERR ARG…
wrong() {
	want_status=$1
	want_err=$2
	shift 2
	run "$STACKTOOL" "$@"
	says "$want_status" "$want_err"
}

# good REGEX ARG…: status 0, nothing on stderr, a line of stdout that matches
good() {
	regex=$1
	shift
	run "$STACKTOOL" "$@"
	[ "$status" = 0 ] || bad "$line: status $status: $(cat "$T/err")"
	[ -s "$T/err" ] && bad "$line: writes to stderr: $(cat "$T/err")"
	grep -qE -- "$regex" "$T/out" || bad "$line: no line matches $regex"
}

# ---- stacktool itself ----

applets=$("$STACKTOOL" --list | sed 's/ .*//')
all=$(echo $applets | sed 's/ /, /g')

wrong 2 "stacktool: no applet given
  'stacktool --help' shows how to use it"
wrong 2 "stacktool: 'profil': no such applet: did you mean 'profile'?
  there are $all" profil
wrong 2 "stacktool: 'xyzzy': no such applet
  there are $all" xyzzy
wrong 2 "stacktool: '': no such applet
  there are $all" ''
wrong 2 "stacktool: unknown option '--nonsense'" --nonsense
wrong 2 "stacktool: argument --install: give one directory for the links" --install
wrong 2 "stacktool: argument --install: give one directory for the links" --install a b
wrong 2 "stacktool: argument --list: unexpected argument 'profile'" --list profile
wrong 2 "stacktool: argument --version: unexpected argument 'x'" --version x
wrong 2 "stacktool: argument help: unexpected argument 'x'" help count x
wrong 2 "stacktool: argument help: unexpected argument 'x'" help --man probes x
wrong 2 "stacktool: argument --help: unexpected argument 'x'" --help count x
wrong 2 "stacktool: 'profil': no such applet: did you mean 'profile'?
  there are $all" help profil
wrong 2 "stacktool: 'a\\x1b[31mb\\x0ac': no such applet
  there are $all" "$(printf 'a\033[31mb\nc')"

good '^Usage: stacktool APPLET' --help
good '^Usage: stacktool APPLET' -h
good '^Usage: stacktool profile' --help profile
good '^Usage: stacktool APPLET' help
good '^stacktool [0-9]+\.[0-9]+' --version
good '^libraries: .*libbpf ' --version
good '^link: (static-pie|static|dynamic)$' --version
good '^profile +sample the stacks' --list
good '^count +count events' --list
good '^report +' --list
[ "$(wc -l <"$T/out")" = "$(grep -cE '^[a-z0-9]+ +[a-z]' "$T/out")" ] || bad "--list: more than names and summaries"

# ---- applets: what is wrong, and what is right ----

seconds='give a time from 1ms on, like 5 (seconds), 0.5, 500ms, 2m or 1h'
wrong 2 "stacktool profile: argument duration: '0' is not a duration: $seconds" profile 0
for long in 9000000000 9000000000.5 3000000h 99999999999999999999999m; do
	wrong 2 "stacktool profile: argument duration: '$long' is too long: give at most 999999999 seconds" profile "$long"
done
wrong 2 "stacktool profile: argument duration: '-5' is not a duration: $seconds" profile -5
wrong 2 "stacktool profile: argument duration: '5x' is not a duration: $seconds" profile 5x
wrong 2 "stacktool profile: argument -F/--frequency: '0' is not a frequency: give 1 to 1000000" profile -F 0
wrong 2 "stacktool profile: argument -F/--frequency: '-1' is not a frequency: give 1 to 1000000" profile -F -1
wrong 2 "stacktool profile: argument -F/--frequency: '2000000' is not a frequency: give 1 to 1000000" profile -F2000000
wrong 2 "stacktool profile: argument -F/--frequency: needs a value: HZ" profile -F
wrong 2 "stacktool profile: argument -p/--pid: 'a' is not a list of process ids: give numbers separated by commas, \
each 1 to 4194304" profile -p a
wrong 2 "stacktool profile: argument -L/--tid: not allowed with argument -p/--pid" profile -p 1 -L 2
wrong 2 "stacktool profile: argument -K/--kernel-stacks-only: not allowed with argument -U/--user-stacks-only" \
	profile -U -K
wrong 2 "stacktool profile: argument -c/--count: not allowed with argument -F/--frequency" profile -F 1 -c 1
wrong 2 "stacktool profile: unknown option '--frequenzy'
  did you mean '--frequency'?" profile --frequenzy 9
wrong 2 "stacktool profile: unknown option '-Z'
  --help lists the options" profile -Z
wrong 2 "stacktool profile: ambiguous option '--h': it could be --hash-storage-size, --host-root, --help" profile --h
wrong 2 "stacktool profile: argument -f/--folded: takes no value" profile --folded=1
wrong 2 "stacktool profile: unexpected argument '6'" profile 5 6
wrong 2 "stacktool count: unexpected argument 'c:malloc'
  '3' is in the place of the pattern; for a duration of that many seconds: -D/--duration 3" count -d 3 c:malloc
wrong 2 "stacktool profile: event 'cpu-clok': no such event
  did you mean 'cpu-clock'? there are cpu-cycles, cpu-clock, task-clock, instructions, cache-misses, branch-misses, \
page-faults, context-switches" profile -e cpu-clok
wrong 2 "stacktool count: argument pattern: missing" count
wrong 2 "stacktool count: argument -D/--duration: '0' is not a duration: $seconds" count -D 0 x
wrong 2 "stacktool count: argument -i/--interval: '0' is not a duration: $seconds" count -i 0 x
wrong 2 "stacktool count: argument -c/--cpu: '-1' is not a CPU number: give 0 to 1048575" count -c -1 x
wrong 2 "stacktool count: too many ':'-separated components in pattern 'a:b:c:d'
  at most TYPE:LIBRARY:FUNCTION; '::' does not separate, and a path may contain ':'" count a:b:c:d
wrong 2 "stacktool count: pattern 'q:b:c': the type must be 'p', 't' or 'u', but is 'q'" count q:b:c
wrong 2 "stacktool count: pattern 't:sched': the category or the event is missing
  write t:CATEGORY:EVENT" count t:sched
wrong 2 "stacktool report: argument file: missing" report

# -K with -U is 2 as any wrong line, but 1 under bcc's name, where a script may know it.
excluded='argument -U/--user-stacks-only: not allowed with argument -K/--kernel-stacks-only'
wrong 2 "stacktool count: $excluded" count -K -U x
wrong 1 "stacktool count: $excluded" stackcount -K -U x

# ---- help and man pages ----

# check_page NAME: what groff and mandoc say of the page in out. It has no date on purpose, and its title is the program's name.
check_page() {
	if command -v man >/dev/null && command -v groff >/dev/null; then
		warnings=$(man --warnings -l -Tutf8 "$T/out" 2>&1 >/dev/null)
		[ -z "$warnings" ] || bad "man page of $1: $warnings"
	fi
	if command -v mandoc >/dev/null; then
		warnings=$(mandoc -T lint -W warning <"$T/out" 2>&1 | grep -vE 'missing date|lower case character in document title')
		[ -z "$warnings" ] || bad "man page of $1: $warnings"
	fi
}

for applet in $applets; do
	good "^Usage: stacktool $applet \[option" "$applet" --help
	cp "$T/out" "$T/help"
	good . help "$applet"
	cmp -s "$T/help" "$T/out" || bad "help $applet differs from $applet --help"
	good "^\.TH stacktool-$applet 8 " help --man "$applet"
	check_page "$applet"
	case " profile count funccount stacksnoop offcputime offwaketime wakeuptime " in
	*" $applet "*) for section in DEBUGGING OVERHEAD EXAMPLES; do
		grep -qx "\.SH $section" "$T/out" || bad "stacktool-$applet(8) has no section $section"
	done ;;
	esac
	# Every long option of the help is known. The wrong one behind it keeps the applet from running.
	for option in $(sed -nE 's/^  .{4}(--[a-z-]+).*/\1/p' "$T/help"); do
		run "$STACKTOOL" "$applet" "$option" 1 --zzzzzzzz
		grep -q "unknown option '$option'" "$T/err" && bad "$applet $option: in the help, but unknown"
	done
done
good '^\.TH stacktool 8 ' help --man
check_page stacktool
for section in DESCRIPTION OPTIONS DEBUGGING OVERHEAD ENVIRONMENT; do
	grep -qx "\.SH $section" "$T/out" || bad "stacktool(8) has no section $section"
done
good '^\.TH stacktool-probes 7 ' help --man probes
check_page probes
good '^\.TH stacktool 8 ' help --man
good 'stacktool.*count' help --man

# ---- names by links, as in the field ----

mkdir "$T/links"
for name in profile profile.py profile-bpfcc bpf-profile stackcount stackcount.py stackcount-bpfcc count; do
	ln -s "$STACKTOOL" "$T/links/$name"
	run "$T/links/$name" --help
	case $name in
	*profile*) applet=profile ;;
	*) applet=count ;;
	esac
	[ "$status" = 0 ] || bad "$name --help: status $status"
	head -n 1 "$T/out" | grep -q "^Usage: stacktool $applet " || bad "$name --help is not of $applet"
	good "^Usage: stacktool $applet " "$name" --help # as a subcommand too
done
run "$T/links/stackcount.py" -U -K x
says 1 "stacktool count: argument -K/--kernel-stacks-only: not allowed with argument -U/--user-stacks-only"
run "$T/links/count" -K -U x
says 2 "stacktool count: $excluded"
run "$T/links/profile.py" 0
says 2 "stacktool profile: argument duration: '0' is not a duration: $seconds"
ln -s "$STACKTOOL" "$T/links/stacktool-1.0"
run "$T/links/stacktool-1.0" profile --help
[ "$status" = 0 ] || bad "a name of no applet: status $status"

# ---- --install ----

mkdir "$T/bin"
good 'profile' --install "$T/bin"
for name in profile stackcount funccount stacksnoop offcputime offwaketime wakeuptime; do
	[ "$(readlink "$T/bin/$name")" = "$STACKTOOL" ] || bad "--install: $name is $(readlink "$T/bin/$name")"
	grep -qxF "$T/bin/$name -> $STACKTOOL" "$T/out" || bad "--install does not say that it made $name"
done
[ "$(ls "$T/bin" | wc -l)" = 7 ] || bad "--install made more: $(ls "$T/bin")"
run "$T/bin/stackcount" --help
[ "$status" = 0 ] || bad "an installed name: status $status"
# again: they are ours already
run "$STACKTOOL" --install "$T/bin"
says 0 ""
# one is missing, the other is ours by another path
rm "$T/bin/profile" "$T/bin/stackcount"
ln -s "$T/links/profile" "$T/bin/stackcount"
good "^$T/bin/profile -> " --install "$T/bin"
# foreign files of every kind are left alone, and nothing else is made
for kind in file link dangling directory; do
	rm -rf "$T/foreign"
	mkdir "$T/foreign"
	case $kind in
	file) echo mine >"$T/foreign/stackcount" ;;
	link) ln -s /bin/sh "$T/foreign/stackcount" ;;
	dangling) ln -s /nonexistent "$T/foreign/stackcount" ;;
	directory) mkdir "$T/foreign/stackcount" ;;
	esac
	before=$(ls -l "$T/foreign")
	wrong 1 "stacktool: '$T/foreign/stackcount': exists and is not a link to stacktool
  nothing was installed: remove that file, or choose another directory" --install "$T/foreign"
	[ "$(ls -l "$T/foreign")" = "$before" ] || bad "--install over a foreign $kind changed the folder"
done
wrong 1 "stacktool: '$T/none': cannot be opened: No such file or directory" --install "$T/none"
: >"$T/plain"
wrong 1 "stacktool: '$T/plain': cannot be opened: Not a directory" --install "$T/plain"
# in the program's own folder the links need no path
mkdir "$T/home"
cp "$STACKTOOL" "$T/home/stacktool"
run "$T/home/stacktool" --install "$T/home/../home"
[ "$(readlink "$T/home/profile")" = stacktool ] || bad "--install: not relative in the program's own folder"

# ---- outputs ----

"$STACKTOOL" profile --help >&- 2>"$T/err"
status=$?
line='--help >&-'
: >"$T/out"
says 0 ""
"$STACKTOOL" profile --help >"$T/out" 2>&-
[ $? = 0 ] && grep -q Usage "$T/out" || bad "--help 2>&- does not print"
"$STACKTOOL" profile 0 2>&-
[ $? = 2 ] || bad "an error with stderr closed: status $?"
"$STACKTOOL" profile --help >"$T/out" 2>"$T/err" <&- || bad "--help <&- fails"
"$STACKTOOL" profile --help 2>"$T/err" >/dev/full
status=$?
line='--help >/dev/full'
: >"$T/out"
says 1 "stacktool profile: standard output: cannot be written: No space left on device"
# a pipe whose reader has gone
mkfifo "$T/pipe"
exec 3<>"$T/pipe"
exec 4>"$T/pipe"
exec 3>&-
"$STACKTOOL" profile --help >&4 2>"$T/err"
status=$?
line='--help | gone'
says 0 "NOTE: output truncated: the reader closed the pipe"
exec 4>&-

[ "$failures" = 0 ] || echo "$failures failures"
[ "$failures" = 0 ]

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
wrong 2 "stacktool: 'offcpu': no such applet: did you mean 'offcputime'?
  there are $all" offcpu
wrong 2 "stacktool: 'record': no such applet
  'stacktool profile --save FILE' records, 'stacktool report FILE' prints" record
wrong 2 "stacktool: 'flamegraph': no such applet
  'stacktool profile -o FILE.svg' draws one, 'stacktool flame' draws folded stacks" flamegraph
wrong 2 "stacktool: 'memleak': no such applet
  stacktool does not pair malloc with free; 'stacktool count c:malloc' shows who allocates" memleak
wrong 2 "stacktool: 'stat': no such applet
  'stacktool funccount PATTERN' counts events by name" stat
wrong 2 "stacktool: 'trace': no such applet
  'stacktool stacksnoop PATTERN' prints each event" trace
wrong 2 "stacktool: 'execsnoop': no such applet
  'stacktool stacksnoop -v t:sched:sched_process_exec' prints each exec" execsnoop
wrong 2 "stacktool: 'version': no such applet
  'stacktool --version' prints it" version
wrong 2 "stacktool: 'probes': no such applet
  'stacktool help --man probes | man -l -' has the forms of patterns" help probes
wrong 2 "stacktool: './a.out': no such applet
  a command follows --, as in 'stacktool profile -- ./a.out'" ./a.out -x
wrong 2 "stacktool: '': no such applet
  there are $all" ''
wrong 2 "stacktool: unknown option '--nonsense'
  most options come after an applet, as in 'stacktool profile --nonsense'; 'stacktool --help' lists the others" --nonsense
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
for short in 1us 0.0001 0.5ms 999us; do
	wrong 2 "stacktool profile: argument duration: '$short' is not a duration: $seconds" profile "$short"
done
wrong 2 "stacktool profile: argument duration: '-5' is not a duration: $seconds" profile -5
wrong 2 "stacktool profile: argument duration: '5x' is not a duration: $seconds" profile 5x
wrong 2 "stacktool profile: argument -F/--frequency: '0' is not a frequency: give 1 to 1000000" profile -F 0
wrong 2 "stacktool profile: argument -F/--frequency: '-1' is not a frequency: give 1 to 1000000" profile -F -1
wrong 2 "stacktool profile: argument -F/--frequency: '2000000' is not a frequency: give 1 to 1000000" profile -F2000000
wrong 2 "stacktool profile: argument -F/--frequency: needs a value: HZ" profile -F
wrong 5 "stacktool profile: argument -p/--pid: no process has the name 'st-nobody'
  give process ids, or the name of a command or of its program file" profile -p st-nobody
wrong 2 "stacktool profile: argument -p/--pid: '0' is not a process id: give 1 to 4194304, or a name" profile -p 1,0
wrong 2 "stacktool profile: argument -p/--pid: is empty: give process ids or names" profile -p ''
wrong 2 "stacktool profile: argument duration: 'ls' is not a duration: $seconds
  a command follows --, as in 'stacktool profile ... -- ls'" profile ls
wrong 2 "stacktool profile: unexpected argument 'make'
  a command follows --, as in 'stacktool profile ... -- make'" profile 5 make
wrong 2 "stacktool profile: argument duration: not allowed with argument -D/--duration" profile -D 1 2
wrong 2 "stacktool offcputime: argument -D/--duration: not allowed with argument duration" offcputime 2 -D 1
wrong 2 "stacktool profile: argument --: there is no command after it" profile --
wrong 2 "stacktool count: argument --: there is no command after it" count c:malloc --
for pattern in kretprobe:vfs_read kr:vfs_read fexit:vfs_read uretprobe:/bin/sh:main ur:/bin/sh:main; do
	wrong 2 "stacktool count: pattern '$pattern': the type must be 'p', 't' or 'u', but is '${pattern%%:*}'
  return probes are not supported: after a function returns, no stack shows it; probe its entry" count "$pattern"
done
wrong 2 "stacktool count: pattern 'kprobe:btrfs:x': a kernel function has no module in front
  write kprobe:FUNCTION" count kprobe:btrfs:x
wrong 2 "stacktool profile: argument -L/--tid: not allowed with argument -p/--pid" profile -p 1 -L 2
wrong 2 "stacktool profile: argument -K/--kernel-stacks-only: not allowed with argument -U/--user-stacks-only" \
	profile -U -K
wrong 2 "stacktool profile: argument -c/--count: not allowed with argument -F/--frequency" profile -F 1 -c 1
wrong 2 "stacktool profile: unknown option '--frequenzy'
  did you mean '--frequency'?" profile --frequenzy 9
wrong 2 "stacktool profile: unknown option '--'
  --help lists the options" profile --=1
wrong 2 "stacktool profile: unknown option '--version'
  'stacktool --version' prints it" profile --version
wrong 2 "stacktool profile: unknown option '-Z'
  --help lists the options" profile -Z
wrong 2 "stacktool profile: unknown option '-g'
  perf's -g: stacks are always recorded" profile -g
wrong 2 "stacktool profile: ambiguous option '--h': it could be --hash-storage-size, --host-root, --help" profile --h
wrong 2 "stacktool profile: argument -f/--folded: takes no value" profile --folded=1
wrong 2 "stacktool profile: unexpected argument '6'" profile 5 6
wrong 2 "stacktool count: pattern '3': a number is not a pattern
  to run for that many seconds: --duration 3" count -d 3 c:malloc
wrong 2 "stacktool count: pattern 'ls': is a kernel function, and 'c:malloc' a user function: patterns of one run have one kind
  a command follows --, as in '... -- ls'" count c:malloc ls
wrong 2 "stacktool count: pattern 't:sched:x': is a tracepoint, and 'c:malloc' a user function: patterns of one run have one kind" \
	count c:malloc t:sched:x
wrong 1 "stacktool count: '$T/none': cannot be opened: No such file or directory" count "@$T/none"
wrong 2 "stacktool count: pattern '@': give the name of a file with patterns, as in @FILE" count @
wrong 1 "stacktool count: '$T': cannot be read: Is a directory" count "@$T"
printf '# nothing\n\n' >"$T/patterns"
wrong 2 "stacktool count: '$T/patterns': has no pattern" count c:malloc "@$T/patterns"
echo 'q:b:c' >>"$T/patterns"
wrong 2 "stacktool count: pattern 'q:b:c': the type must be 'p', 't' or 'u', but is 'q'" count "@$T/patterns"
events='cpu-cycles, cpu-clock, task-clock, instructions, cache-misses, branch-misses, page-faults, context-switches, cycles, faults, cs'
wrong 2 "stacktool profile: event 'cpu-clok': no such event
  did you mean 'cpu-clock'? there are $events" profile -e cpu-clok
wrong 2 "stacktool profile: event 'cycls': no such event
  did you mean 'cycles'? there are $events" profile -e cycls
wrong 2 "stacktool profile: event 'branches-and-more': no such event
  there are $events" profile -e branches-and-more
wrong 2 "stacktool profile: event 'sched:sched_switch': no such event
  'stacktool count t:CATEGORY:EVENT' counts tracepoints by stack; here there are $events" profile -e sched:sched_switch
wrong 2 "stacktool count: argument pattern: missing" count
wrong 2 "stacktool count: argument -D/--duration: '0' is not a duration: $seconds" count -D 0 x
wrong 2 "stacktool count: argument -i/--interval: '0' is not a duration: $seconds" count -i 0 x
cpus='give numbers or ranges separated by commas, like 0-3,5, each 0 to 4095'
wrong 2 "stacktool count: argument -c/--cpu: '-1' is not a list of CPUs: $cpus" count -c -1 x
wrong 2 "stacktool profile: argument -C/--cpu: '3-1' is not a list of CPUs: $cpus" profile -C 3-1
us='give microseconds, 0 or more, or a time with a unit, like 500us or 10ms'
wrong 2 "stacktool offcputime: argument -m/--min-block-time: '10x' is not a duration: $us" offcputime -m 10x
wrong 2 "stacktool offcputime: argument --min-count: '1.5' is not a duration: give microseconds, 1 or more${us#*more}" offcputime --min-count 1.5
wrong 2 "stacktool offcputime: -m 10000 is more than -M 9000: no interval can match" offcputime -m 10ms -M 9ms
wrong 2 "stacktool profile: argument --debug-dir: '$T/none': no such directory" profile --debug-dir "$T:$T/none"
wrong 2 "stacktool report: argument --debug-dir: '$T/none': no such directory" report --debug-dir "$T/none" x
wrong 2 "stacktool count: argument --attach: only for kernel functions; 'c:malloc' is a user function" \
	count --attach=fentry c:malloc
wrong 2 "stacktool profile: argument -o/--output: '$T': is a directory
  give a file in it, like $T/report.svg" profile -o "$T"
wrong 2 "stacktool profile: argument --save: '$T/x.stk': -o/--output writes this file too" profile -o "$T/x.stk" --save "$T/x.stk"
wrong 2 "stacktool profile: argument --save: '$T/x-000001.stk': -o/--output writes this file too" \
	profile -i 1 -o "$T/x-%n.stk" --save "$T/x-000001.stk"
wrong 2 "stacktool profile: argument --status-file: '$T/y-000001.svg': the report has the same name" \
	profile -i 1 -o "$T/y-%n.svg" --status-file "$T/y-000001.svg"
wrong 2 "stacktool profile: argument -o/--output: '$T/x.svg': given twice" profile -o "$T/x.svg" -o "$T/x.svg"
printf 'x\0garbage\1' >"$T/garbage.stk"
wrong 1 "stacktool report: '$T/garbage.stk': unknown format: neither a saved profile, nor folded stacks ('main;read 12'), \
nor text of perf script" report "$T/garbage.stk"
wrong 2 "stacktool report: unexpected argument 'y'" report x y
wrong 2 "stacktool addr2sym: give --exe FILE, --pid PID or --kernel" addr2sym
# A long word is cut in its middle: the reason stays.
long=$(printf '%0100000d' 0)
run "$STACKTOOL" count "a:b:$long"
[ "$status" = 2 ] || bad "a long pattern: status $status"
grep -qE "^stacktool count: pattern 'a:b:0+\.\.\.0+': the type must be 'p', 't' or 'u', but is 'a'\$" "$T/err" || bad "a long pattern: $(head -c 2000 "$T/err")"
[ "$(wc -c <"$T/err")" -lt 700 ] || bad "a long pattern: $(wc -c <"$T/err") bytes"
wrong 2 "stacktool profile: argument -h/--help: 'x': give all, or nothing" profile --help=x
wrong 125 "stacktool profile: usage: unknown option '-Z'
  --help lists the options" profile -Z -- true
wrong 2 "stacktool profile: argument --status-file: needs a value: FILE" profile --status-file
wrong 2 "stacktool count: too many ':'-separated components in pattern 'a:b:c:d'
  at most TYPE:LIBRARY:FUNCTION; '::' does not separate, and a path may contain ':'" count a:b:c:d
wrong 2 "stacktool count: pattern 'q:b:c': the type must be 'p', 't' or 'u', but is 'q'" count q:b:c
wrong 2 "stacktool count: pattern 't:sched': the category or the event is missing
  write t:CATEGORY:EVENT" count t:sched
wrong 2 "stacktool report: argument file: missing" report

# -K with -U is 2 as any wrong line, but 1 under bcc's name, where a script may know it.
excluded='argument -U/--user-stacks-only: not allowed with argument -K/--kernel-stacks-only'
wrong 2 "stacktool count: $excluded" count -K -U x
wrong 1 "stacktool stackcount: $excluded" stackcount -K -U x

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
	! grep -qx 'Examples:' "$T/out" || grep -A 1 -x 'Examples:' "$T/out" | grep -qE "^  stacktool $applet" || bad "$applet --help: no example"
	good . help "$applet"
	cmp -s "$T/help" "$T/out" || bad "help $applet differs from $applet --help"
	good "^\.TH stacktool-$applet 8 " help --man "$applet"
	check_page "$applet"
	case " profile count funccount funclatency stacksnoop offcputime offwaketime wakeuptime " in
	*" $applet "*) for section in DEBUGGING OVERHEAD EXAMPLES; do
		grep -qx "\.SH $section" "$T/out" || bad "stacktool-$applet(8) has no section $section"
	done ;;
	esac
	good "^Usage: stacktool $applet \[option" "$applet" --help=all
	# Every long option of the help is known. The wrong one after it keeps the applet from running. --status-file writes a file "1".
	for option in $(sed -nE 's/^  (-., |    )(-., )?(--[a-z-]+).*/\3/p' "$T/out"); do
		run env -C "$T" "$STACKTOOL" "$applet" "$option" 1 --zzzzzzzz
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
	head -n 1 "$T/out" | grep -q "^Usage: $name \[" || bad "$name --help does not call it by this name"
	grep -q "^$applet: " "$T/out" || bad "$name --help is not of $applet"
	grep -q "^  $name " "$T/out" || bad "$name --help: its examples have another name"
	good "^Usage: stacktool $name \[" "$name" --help # as a subcommand too
done
run "$T/links/stackcount.py" -U -K x
says 1 "stackcount.py: argument -K/--kernel-stacks-only: not allowed with argument -U/--user-stacks-only"
run "$T/links/count" -K -U x
says 2 "count: $excluded"
# Two words mean what bcc means, under its names only. The wrong option after them keeps the applet from running.
for line in "profile --include" "profile.py --incl" "stackcount -D 1 c:malloc" "profile -t 1"; do
	run "$T/links/"$line -Z
	[ "$status" = 2 ] && grep -q "unknown option '-Z'" "$T/err" || bad "$line: $(cat "$T/err")"
done
for line in "profile --include a" "funccount -D 1 c:malloc" "funccount -d 1 c:malloc" "profile -t 1" "stacksnoop -i 1 -C 0 x"; do
	run "$STACKTOOL" $line -Z
	[ "$status" = 2 ] && grep -q "unknown option '-Z'" "$T/err" || bad "$line: $(cat "$T/err")"
done
ln -s "$STACKTOOL" "$T/links/funccount"
run "$T/links/funccount" -D 3 c:malloc
says 2 "funccount: pattern '3': a number is not a pattern
  to run for that many seconds: --duration 3"
run "$T/links/funccount" --help=all
grep -qE '^  -D, --debug' "$T/out" || bad "funccount under bcc's name: -D is not --debug"
run "$T/links/profile.py" 0
says 2 "profile.py: argument duration: '0' is not a duration: $seconds"
ln -s "$STACKTOOL" "$T/links/stacktool-1.0"
run "$T/links/stacktool-1.0" profile --help
[ "$status" = 0 ] || bad "a name of no applet: status $status"

# ---- --install ----

mkdir "$T/bin"
good 'profile' --install "$T/bin"
for name in profile stackcount funccount funclatency stacksnoop offcputime offwaketime wakeuptime; do
	[ "$(readlink "$T/bin/$name")" = "$STACKTOOL" ] || bad "--install: $name is $(readlink "$T/bin/$name")"
	grep -qxF "$T/bin/$name -> $STACKTOOL" "$T/out" || bad "--install does not say that it made $name"
done
[ "$(ls "$T/bin" | wc -l)" = 8 ] || bad "--install made more: $(ls "$T/bin")"
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

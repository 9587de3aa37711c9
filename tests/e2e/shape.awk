# The shape of what an example prints, for examples.sh, one property a line:
#   header SENTENCE    what is traced, with N for each number
#   note SENTENCE      a note, a warning or another line of the tool on stderr
#   root FRAME         the outermost frame of a stack in a row of the report: whether stacks go to their roots
function without_numbers(line) {
	gsub(/[0-9][0-9,.]*/, "N", line)
	return line
}

# Which stacks are whole varies with the load of the host; that all are accounted for does not.
function sentence(line) {
	if (line ~ /user stacks? (complete|truncated)/)
		return "user stacks"
	sub(/^(NOTE|WARNING): /, "", line)
	gsub(/ \([^)]*\)/, "", line)
	return without_numbers(line)
}

/^(Sampling|Tracing) / { print "header " without_numbers($0) }
/^(NOTE|WARNING|ERROR): / || /^stacktool [a-z]+: / { print "note " sentence($0) }

# Frames are indented; the names of a process come after them, and the number of the row last. A stack of kernel frames alone ends
# where user stacks are not wanted, and is a stack with a root too.
/^ +[0-9]+$/ { if (frame != "") print "root " frame; frame = ""; next }
/^ +-  +.*\([0-9]+\)$/ || /^ +[^ ]+ \[[0-9]+\]$/ || /^ +--?$/ || /^ +(target|waker): / { next }
/^ +[^ ]/ {
	frame = $0
	gsub(/^ +|\+0x[0-9a-f]+$| \[[^]]*\]$/, "", frame)
	gsub(/fn_0x[0-9a-f]+/, "fn_N", frame)
	if (frame ~ /^(asm_|entry_|ret_from_fork|(common|secondary)_startup_64)/)
		frame = "of the kernel"
	next
}
{ frame = "" }

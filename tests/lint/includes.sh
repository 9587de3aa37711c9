#!/usr/bin/env bash
# Arrows point one way (docs/design.md). A file includes headers of its own room and of rooms on lower floors, and what
# it sees through them obeys the borders too: headers are followed, not only direct includes.
cd "$(dirname "$0")/../.." || exit 1

# Rooms, from the lowest floor up. Rooms on one floor do not see each other.
floors='
bpf core/base
core/profile symbolize
symbolize/elf symbolize/x86
symbolize/cfi symbolize/dwarf symbolize/jit symbolize/kernel symbolize/interpreter
symbolize/libdw
symbolize/worker
symbolize/client
core/host core/plan core/formats
core/files core/cli core/render
core/resolve
core/spaces
core/unwind
core/session core/naming
core/run
applets'

# What a room or file may see of another room, directly or through headers, where that is not all of it.
# SEEN-BY SEEN-IN ONLY: regular expressions, of files, the first line that fits counts.
#
# Of the kernel side everybody may see kinds.h and losses.h: the numbers that a plan, a profile and a BPF program share, with
# no structure beside them. Each would be a list twice otherwise.
borders='
bpf/              bpf/             .
core/session/     bpf/             .
symbolize/        bpf/             bpf/unwind_abi.h
core/unwind/      bpf/             bpf/(unwind_abi|unwind_space|kinds|losses).h
.                 bpf/             bpf/(unwind_abi|kinds|losses).h
core/session/     stacktool.skel.h .
.                 stacktool.skel.h -
symbolize/        symbolize/.*/    .
.                 symbolize/.*/    symbolize/cfi/unwind_table.h
core/session/load[^/]*    core/session/(attach|drain)    -
core/session/attach[^/]*  core/session/drain             -
core/session/drain[^/]*   core/session/attach_private.h  -
core/session/collect[^/]* core/session/.*_private.h      -
core/session/             core/session/                  .
.                         core/session/.*_private.h      -
'

find applets bpf core symbolize -name '*.[ch]' | sort | xargs awk -v floors="$floors" -v borders="$borders" '
BEGIN {
	nr_floors = split(floors, lines, "\n")
	for (i = 1; i <= nr_floors; i++) {
		nr = split(lines[i], rooms, " ")
		for (k = 1; k <= nr; k++)
			floor_of[rooms[k]] = i
	}
	floor_of_file["symbolize/unwind.h"] = floor_of["symbolize/worker"] # under the client, above the tables
	nr_borders = 0
	nr = split(borders, lines, "\n")
	for (i = 1; i <= nr; i++) {
		if (split(lines[i], words, " ") != 3)
			continue
		nr_borders++
		seen_by[nr_borders] = "^" words[1]
		seen_in[nr_borders] = "^" words[2]
		only[nr_borders] = words[3]
	}
}
function room_of(file) {
	sub(/\/[^\/]*$/, "", file)
	return file
}
function floor(file) {
	return file in floor_of_file ? floor_of_file[file] : floor_of[room_of(file)]
}
FNR == 1 {
	files[++nr_files] = FILENAME
	if (!floor(FILENAME)) {
		print FILENAME ": is in no room of tests/lint/includes.sh"
		failures++
	}
}
/^#[ \t]*include "/ {
	header = $0
	sub(/^[^"]*"/, "", header)
	sub(/".*/, "", header)
	includes[FILENAME] = includes[FILENAME] " " header
	if (floor(header) && room_of(header) != room_of(FILENAME) && floor(header) >= floor(FILENAME)) {
		print FILENAME " includes " header ", which is not on a lower floor"
		failures++
	}
}
# Everything that the file sees, into seen; path has how.
function look(file, by,    nr, headers, i) {
	nr = split(includes[file], headers, " ")
	for (i = 1; i <= nr; i++) {
		if (headers[i] in seen)
			continue
		seen[headers[i]] = by
		look(headers[i], by " -> " headers[i])
	}
}
function check(file, header,    i) {
	for (i = 1; i <= nr_borders; i++) {
		if (file !~ seen_by[i] || header !~ seen_in[i])
			continue
		if (header !~ ("^(" only[i] ")")) {
			print file " sees " header ": " seen[header] " -> " header
			failures++
		}
		return
	}
}
END {
	for (f = 1; f <= nr_files; f++) {
		split("", seen)
		look(files[f], files[f])
		for (header in seen)
			check(files[f], header)
	}
	print nr_files " files, " failures + 0 " forbidden includes"
	exit failures > 0
}'

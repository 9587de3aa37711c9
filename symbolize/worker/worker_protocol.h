/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The messages between the symbolizer and its worker, one per packet of a SOCK_SEQPACKET pair.
 *
 * A message is a header, `nr` elements of the size that its kind has, and `nr_text` bytes of NUL-terminated strings
 * that elements point into. Both sides run the same binary, so structs are sent as they are; neither side trusts the
 * other: a message whose sizes do not add up to the packet is refused before anyone looks at it, and positions of
 * strings are checked at each use. A worker that was taken over can give wrong names, and nothing else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/cfi/unwind_table.h"

enum message_kind {
	MESSAGE_NONE, /* never sent */
	/* to the worker */
	MESSAGE_FILE, /* with a descriptor: index it as `file`; `more`: enum symbol_file_kind */
	MESSAGE_KERNEL, /* with a descriptor: /proc/kallsyms, for questions about SYMBOL_KERNEL */
	MESSAGE_NAME, /* wire_query…: name places of `file`, which may be SYMBOL_KERNEL */
	MESSAGE_FIND, /* text: a pattern; `status`: not 0 = with readable names, too */
	MESSAGE_SUGGEST, /* text: a word */
	MESSAGE_EXPLAIN, /* wire_query: why the place has its name; the answer is MESSAGE_SUGGESTIONS */
	MESSAGE_FIND_USDT, /* text: patterns of provider and name, one after the other */
	MESSAGE_LINES, /* wire_query…: where in the source places of `file` are; further ones follow if `more`, then come the
			* answers; `status`: enum lines_request and, from LINES_TIME_SHIFT on, the milliseconds it may take, or 0 */
	MESSAGE_UNWIND, /* with a descriptor: compile its unwind table; `file` is the number of the request */
	MESSAGE_DROP, /* forget the file or perf map `file`: the number may come again */
	MESSAGE_DEBUG, /* the answer to MESSAGE_WANT_DEBUG, with a descriptor and in `status` the next candidate, or without */
	/* from the worker */
	MESSAGE_INDEXED, /* `file` is done: status, text: build id */
	MESSAGE_WANT_DEBUG, /* text: build id and debug link of `file`, one after the other; `status`: first candidate */
	MESSAGE_NAMES, /* wire_answer…: the first of the places asked for, at least one */
	MESSAGE_FUNCTIONS, /* wire_function…: what the pattern matched; more follow if `more` */
	MESSAGE_SUGGESTIONS, /* wire_text…: names, or sentences */
	MESSAGE_USDT, /* wire_usdt…: what the patterns matched; more follow if `more` */
	MESSAGE_SOURCES, /* wire_source…: in the order of places, of one place from the inside out; more follow if `more` */
	MESSAGE_UNWIND_TABLE, /* wire_unwind, or none and the status why there is no table; text: elf_needs */
	MESSAGE_UNWIND_PART, /* words of it: pages, rows and rules, one after the other; as many messages as needed */
	/* to and from the supervisor */
	MESSAGE_START, /* end the worker of slot `file`, if one runs, and start another; `status`: enum supervisor_request */
	MESSAGE_GRANT, /* the worker of slot `file` may use its CPU time anew */
	MESSAGE_STARTED, /* with a descriptor: the socket of the worker, whose process id is `file`; or without, and `status` is
			  * the errno, 0 if none was wanted. `more`: the slot << 24, and how the one before ended by itself,
			  * from waitpid(), and 1 << 16; 0 unknown */
	MESSAGE_NR
};

struct message_header {
	uint32_t kind;
	uint32_t file;
	/*
	 * From the worker: enum symbol_status, or an errno in MESSAGE_FUNCTIONS, _USDT, _SOURCES and _STARTED. In others what
	 * enum message_kind says.
	 */
	uint32_t status;
	uint32_t more;
	uint32_t nr, nr_text;
};

struct wire_query {
	uint64_t where;
	uint32_t exact, linked;
};

struct wire_answer {
	uint64_t offset;
	uint32_t status;
	uint32_t name, module; /* positions in the text */
	uint32_t nameless;
};

struct wire_function {
	uint64_t file_offset, address, size;
	uint32_t name;
	uint32_t kind; /* enum symbol_function_kind */
	uint32_t readable; /* the name demangled; NO_TEXT: it is not mangled, or was not asked for */
	uint32_t unused;
};

struct wire_usdt {
	uint64_t file_offset, semaphore_offset;
	uint32_t provider, name, arguments;
	uint32_t unused;
};

struct wire_source {
	uint32_t query; /* which of the places; SPLITS_MISSING: `line` split files were not found, the first is `file` */
	uint32_t name, file; /* positions in the text */
	uint32_t line;
	uint16_t inlined, by_libdw;
	uint32_t omitted; /* further calls around this one */
};

enum lines_request {
	LINES_INLINED = 1 << 0, /* with the inlined calls */
	LINES_TIME_SHIFT = 1,
};

struct wire_unwind {
	uint64_t first_page;
	uint32_t nr_pages, nr_rows, nr_rules;
	uint32_t nr_functions, nr_bad;
	uint32_t nr_segments;
	struct unwind_segment segments[UNWIND_SEGMENTS_MAX];
};

struct wire_text {
	uint32_t text;
};

enum {
	MESSAGE_ELEMENTS_MAX_BYTES = 16384,
	MESSAGE_TEXT_MAX_BYTES = 40960, /* at least one name of the largest size fits */
	MESSAGE_BODY_MAX_BYTES = MESSAGE_ELEMENTS_MAX_BYTES + MESSAGE_TEXT_MAX_BYTES,
	LINES_ASKED_MAX = 1 << 20, /* places of one question, over all its messages */
	SPLITS_MISSING = LINES_ASKED_MAX, /* no place has this number */
	NO_TEXT = 0, /* position 0 of a text with elements is the empty string */
	QUERIES_MAX = MESSAGE_ELEMENTS_MAX_BYTES / sizeof(struct wire_answer),
};

/* What the caller decides about a worker before it forks. */
struct worker_options {
	bool no_demangle;
	bool ask_debug; /* the caller can open debug files */
	bool identify_only; /* read the build ids of files, nothing else */
	bool lines; /* there will be questions about source lines */
	unsigned int cpu_seconds; /* of CPU time until more is granted: sandbox_confine() */
	unsigned int memory_mb; /* of address space; set by the supervisor */
	int max_lines_fd; /* files are kept open for them up to this descriptor; set by the supervisor */
};

/* A message that came in. */
struct message {
	struct message_header header;
	_Alignas(8) unsigned char body[MESSAGE_BODY_MAX_BYTES];
};

/* A message that is being put together. */
struct draft {
	struct message_header header;
	_Alignas(8) unsigned char elements[MESSAGE_ELEMENTS_MAX_BYTES];
	char text[MESSAGE_TEXT_MAX_BYTES];
};

/* Whether a header is valid and `nr_body` bytes follow it, as it says. message_receive() does this; tests call it. */
bool message_is_valid(const struct message *message, size_t nr_body);

/*
 * Receives one message. `ret_fd` gets a descriptor that came with it or -1; NULL where none may come. -EAGAIN nothing
 * there (only with `wait` false), -EPIPE the other side is gone, -EPROTO a message that is not valid.
 */
int message_receive(int socket, bool wait, struct message *message, int *ret_fd);

/* Copies element `i` of a valid message. */
void message_element(const struct message *message, uint32_t i, void *ret_element, size_t element_size);

/* The string at a position of a valid message's text, or NULL when there is none. */
const char *message_text(const struct message *message, uint32_t position);

/* Starts a message. */
void draft_start(struct draft *draft, enum message_kind kind, uint32_t file);

/* Adds a string; false when it does not fit. The first one of a draft with elements is "". */
bool draft_text(struct draft *draft, const char *text, size_t nr_bytes, uint32_t *ret_position);

/* Adds an element of the kind's size; false when it does not fit. */
bool draft_element(struct draft *draft, const void *element, size_t element_size);

/* Sends it, with `fd` unless that is -1. 0, -EAGAIN (only with `wait` false), -EPIPE. */
int draft_send(const struct draft *draft, int socket, bool wait, int fd);

/* Sends a message that is nothing but words, as many as a body holds, without a draft; it waits. 0 or -EPIPE. */
int message_send_words(int socket, enum message_kind kind, uint32_t file, const void *words, uint32_t nr);

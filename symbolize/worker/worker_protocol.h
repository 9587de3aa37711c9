/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The messages between the symbolizer and its workers, one per packet of a SOCK_SEQPACKET pair.
 *
 * A message has a header, `nr` elements whose size depends on its kind, and `nr_text` bytes of NUL-terminated strings, to which elements
 * point. Both sides run the same binary, so structs are sent as they are. Neither side trusts the other: a message whose sizes do not add
 * up to the packet is rejected, and positions of strings are checked at each use. A compromised worker can return wrong names, and nothing
 * else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/cfi/unwind_table.h"

enum message_kind {
	MESSAGE_NONE, /* never sent */
	/* to the worker */
	MESSAGE_FILE, /* with a descriptor: index the file as `file`; `more`: enum symbol_file_kind */
	MESSAGE_KERNEL, /* with a descriptor: /proc/kallsyms, for requests about SYMBOL_KERNEL */
	MESSAGE_NAME, /* wire_query…: name places of `file`, which may be SYMBOL_KERNEL */
	MESSAGE_FIND, /* text: a pattern; `status`: not 0: add readable names too */
	MESSAGE_SUGGEST, /* text: a word */
	MESSAGE_EXPLAIN, /* wire_query: explain the name of the place; answered by MESSAGE_SUGGESTIONS */
	MESSAGE_FIND_USDT, /* text: patterns of provider and name, in this order */
	/*
	 * wire_query…: source lines of places of `file`. `more`: the request continues in the next message. `status`: enum lines_request,
	 * and from bit LINES_TIME_SHIFT on the time limit in milliseconds; 0: none.
	 */
	MESSAGE_LINES,
	MESSAGE_UNWIND, /* with a descriptor: compile its unwind table; `file` is the number of the request */
	MESSAGE_DROP, /* remove the file or perf map `file`: the number may be reused */
	MESSAGE_DEBUG, /* answers MESSAGE_WANT_DEBUG: a descriptor and in `status` the next candidate, or no descriptor */
	/* from the worker */
	MESSAGE_INDEXED, /* `file` is indexed: status; text: build id */
	MESSAGE_WANT_DEBUG, /* text: build id and debug link of `file`, in this order; `status`: first candidate */
	MESSAGE_NAMES, /* wire_answer…: the first places of the request, at least one */
	MESSAGE_FUNCTIONS, /* wire_function…: matches of the pattern; more follow if `more` */
	MESSAGE_SUGGESTIONS, /* wire_text…: names, or sentences */
	MESSAGE_USDT, /* wire_usdt…: matches of the patterns; more follow if `more` */
	MESSAGE_SOURCES, /* wire_source…: by place, each from the innermost call outwards; more follow if `more` */
	MESSAGE_UNWIND_TABLE, /* wire_unwind, or only the status with the reason; text: elf_needs */
	MESSAGE_UNWIND_PART, /* words of the table: pages, rows and rules, in this order; as many messages as needed */
	/* to and from the supervisor */
	MESSAGE_START, /* end the worker of slot `file`, if one runs, and start another; `status`: enum supervisor_request */
	MESSAGE_GRANT, /* restart the CPU time of the worker of slot `file` */
	/*
	 * With a descriptor: the socket of the worker whose process id is `file`. Without one, `status` is the errno; 0:
	 * SUPERVISOR_STOP_ONLY. `more`: the slot << 24, and the waitpid() status of the previous worker plus 1 << 16 if it ended by itself;
	 * 0: unknown.
	 */
	MESSAGE_STARTED,
	/* to and from the worker; added last, because inputs of the fuzz targets contain the numbers above */
	MESSAGE_FIND_ENDS, /* with a descriptor of `file`; wire_query: offset of a function; `status`: its size in bytes, 0: unknown */
	MESSAGE_ENDS, /* wire_end…: exits of the function, in ascending order; more follow if `more` */
	MESSAGE_NR
};

struct message_header {
	uint32_t kind;
	uint32_t file;
	/*
	 * From the worker: enum symbol_status; an errno in MESSAGE_FUNCTIONS, _USDT, _ENDS, _SOURCES and _STARTED. Other messages: see enum
	 * message_kind.
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
	uint16_t nameless, listed_again;
};

struct wire_function {
	uint64_t file_offset, address, size;
	uint32_t name;
	uint32_t kind; /* enum symbol_function_kind */
	uint32_t readable; /* the demangled name; NO_TEXT: not mangled, or not requested */
	uint32_t unused;
};

struct wire_usdt {
	uint64_t file_offset, semaphore_offset;
	uint32_t provider, name, arguments;
	uint32_t unused;
};

struct wire_end {
	uint64_t file_offset;
	uint32_t may_go_on;
	uint32_t unused;
};

struct wire_source {
	uint32_t query; /* index of the place; SPLITS_MISSING: `line` is the number of missing split files, `file` the first one */
	uint32_t name, file; /* positions in the text */
	uint32_t line;
	uint16_t inlined, by_libdw;
	uint32_t omitted; /* number of omitted calls around this one */
};

enum lines_request {
	LINES_INLINED = 1 << 0, /* with inlined calls */
	LINES_TIME_SHIFT = 1,
};

struct wire_unwind {
	uint64_t first_page;
	uint32_t nr_pages, nr_rows, nr_rules;
	uint32_t nr_functions, nr_bad;
	uint32_t nr_segments;
	struct unwind_segment segments[UNWIND_SEGMENTS_MAX];
	struct interpreter interpreter;
};

struct wire_text {
	uint32_t text;
};

enum {
	MESSAGE_ELEMENTS_MAX_BYTES = 16384,
	MESSAGE_TEXT_MAX_BYTES = 40960, /* one name of the largest size must fit */
	MESSAGE_BODY_MAX_BYTES = MESSAGE_ELEMENTS_MAX_BYTES + MESSAGE_TEXT_MAX_BYTES,
	LINES_ASKED_MAX = 1 << 20, /* places in one request, over all its messages */
	SPLITS_MISSING = LINES_ASKED_MAX, /* not a valid index of a place */
	NO_TEXT = 0, /* the text of a message with elements begins with an empty string */
	QUERIES_MAX = MESSAGE_ELEMENTS_MAX_BYTES / sizeof(struct wire_answer),
};

/* Set before the supervisor is forked. */
struct worker_options {
	bool no_demangle;
	bool ask_debug; /* the caller can open debug files */
	bool identify_only; /* read only the build ids of files */
	bool lines; /* requests about source lines will follow */
	bool data; /* requests about variables will follow */
	unsigned int cpu_seconds; /* CPU time until more is granted: sandbox_confine() */
	unsigned int memory_mb; /* of address space; set by the supervisor */
	int max_lines_fd; /* files stay open for lines up to this descriptor; set by the supervisor */
};

struct message {
	struct message_header header;
	_Alignas(8) unsigned char body[MESSAGE_BODY_MAX_BYTES];
};

struct draft {
	struct message_header header;
	_Alignas(8) unsigned char elements[MESSAGE_ELEMENTS_MAX_BYTES];
	char text[MESSAGE_TEXT_MAX_BYTES];
};

/* Returns whether a header is valid and `nr_body` is the size that it declares. Called by message_receive() and tests. */
bool message_is_valid(const struct message *message, size_t nr_body);

/*
 * Receives one message. `ret_fd` gets its descriptor or -1; NULL: descriptors are discarded. Returns 0, -EAGAIN if there is no message
 * (only without `wait`), -EPIPE if the other end is closed, or -EPROTO for an invalid message.
 */
int message_receive(int socket, bool wait, struct message *message, int *ret_fd);

/* Copies element `i` of a valid message. */
void message_element(const struct message *message, uint32_t i, void *ret_element, size_t element_size);

/* Returns the string at a position of a valid message's text; NULL: the position is out of bounds. */
const char *message_text(const struct message *message, uint32_t position);

void draft_start(struct draft *draft, enum message_kind kind, uint32_t file);

/* Adds a string; returns false if it does not fit. In a message with elements, position 0 is "". */
bool draft_text(struct draft *draft, const char *text, size_t nr_bytes, uint32_t *ret_position);

/* Adds an element of the kind's size; returns false if it does not fit. */
bool draft_element(struct draft *draft, const void *element, size_t element_size);

/* Sends the draft, with `fd` unless it is -1. Returns 0, -EAGAIN (only without `wait`) or -EPIPE. */
int draft_send(const struct draft *draft, int socket, bool wait, int fd);

/* Sends a message of `nr` words, at most a full body, without a draft. Waits for room. Returns 0 or -EPIPE. */
int message_send_words(int socket, enum message_kind kind, uint32_t file, const void *words, uint32_t nr);

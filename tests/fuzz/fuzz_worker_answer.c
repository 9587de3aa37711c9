/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A worker that was taken over: the input is what it says, packet by packet (two bytes of length before each), while
 * the caller asks for names, functions and source lines, and waits for an unwind table.
 */
#include <sys/socket.h>

#include "symbolize/client/answers.h"
#include "symbolize/client/worker_link.h"
#include "tests/fuzz/fuzz.h"

/* Random bytes are hardly ever valid, so most packets get sizes that add up; kind 0xff is sent as it is. */
static void say_packet(int socket, const uint8_t *data, size_t size)
{
	struct message_header header = { .nr_text = 1 };
	static struct draft draft;
	size_t room = 24 * (size_t)(size > 6 ? data[4] % 8 : 0);

	if (size < 6 || data[0] == 0xff) {
		send(socket, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
		return;
	}
	header = (struct message_header){ data[0] % (MESSAGE_NR + 1), data[1], data[2], data[3], data[4] % 8, 1 };
	if (header.kind == MESSAGE_UNWIND_PART)
		header.nr *= 6; /* of four bytes */
	data += 6;
	size -= 6;
	memcpy(draft.elements, data, size < room ? size : room);
	if (size > room) {
		memcpy(draft.text, data + room, size - room);
		header.nr_text = (uint32_t)(size - room) + 1;
	}
	draft.text[header.nr_text - 1] = '\0';
	draft.header = header;
	draft_send(&draft, socket, false, -1);
}

static void say(int socket, const uint8_t *data, size_t size)
{
	while (size > 2) {
		size_t length = data[0] | (size_t)data[1] << 8;

		length = length < size - 2 ? length : size - 2;
		say_packet(socket, data + 2, length);
		data += 2 + length;
		size -= 2 + length;
	}
	shutdown(socket, SHUT_WR);
}

static struct worker_link *make_link(int socket)
{
	struct link_shared *shared = calloc(1, sizeof(*shared));
	struct worker_link *link = calloc(1, sizeof(*link));

	if (!link || !shared)
		abort();
	shared->supervisor = SUPERVISOR_NONE; /* there will be no other worker */
	shared->epoll = -1;
	shared->options.timeout_ms = 1000;
	worker_link_open(link, shared, true);
	link->socket = socket;
	vec_try_push(&link->files, (struct handed_file){ .link = link, .fd = -1, .state = HANDED_INDEXED });
	vec_try_push(&link->files, (struct handed_file){ .number = 1, .link = link, .fd = -1, .state = HANDED_SENT });
	vec_try_push(&link->sent, 1);
	vec_try_push(&link->unwinds.requests, (struct unwind_request){ .fd = -1 });
	link->unwinds.nr_sent = 1;
	return link;
}

static void ask(struct worker_link *link, enum message_kind question, enum message_kind answer)
{
	struct link_shared *shared = link->shared;
	struct symbol_answer answers[3];
	struct found found = { .nr_places = 3 };
	const char *names[3];

	found.nr_before = shared->texts.nr_bytes;
	found.ranges = calloc(3, sizeof(*found.ranges));
	if (!found.ranges)
		abort();
	draft_start(&shared->draft, question, 0);
	if (worker_link_ask(link, &link->files.data[0], answer, -1) != SYMBOL_OK)
		;
	else if (answer == MESSAGE_NAMES)
		answers_names(&shared->message, &shared->texts, 3, answers);
	else if (answer == MESSAGE_SUGGESTIONS)
		answers_suggestions(&shared->message, &shared->texts, names, 3);
	else
		while (answers_found(&shared->message, &shared->texts, &found) == 1 &&
		       worker_link_next(link, &link->files.data[0], answer) == SYMBOL_OK)
			;
	for (size_t i = 0; i < 3; i++)
		if (found.ranges[i].first + found.ranges[i].nr > found.lines.nr)
			__builtin_trap();
	found_done(&found);
}

static void take_unwind(struct worker_link *link)
{
	struct symbol_unwind unwind;

	if (worker_link_next_unwind(link, &unwind)) {
		if (unwind.status == SYMBOL_OK && !unwind_table_is_valid(&unwind.table))
			__builtin_trap();
		unwind_table_done(&unwind.table);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum message_kind questions[][2] = {
		{ MESSAGE_NAME, MESSAGE_NAMES },          { MESSAGE_FIND, MESSAGE_FUNCTIONS },
		{ MESSAGE_SUGGEST, MESSAGE_SUGGESTIONS }, { MESSAGE_FIND_USDT, MESSAGE_USDT },
		{ MESSAGE_FIND_ENDS, MESSAGE_ENDS },      { MESSAGE_LINES, MESSAGE_SOURCES }
	};

	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		struct link_shared *shared;
		struct worker_link *link;
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
			abort();
		link = make_link(pair[0]);
		say(pair[1], data, size);
		ask(link, questions[i][0], questions[i][1]);
		take_unwind(link);
		close(pair[1]);
		shared = link->shared;
		worker_link_close(link);
		link_shared_close(shared);
		free(link);
		free(shared);
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages, and a worker that was taken over: whatever it says, the caller gets a name, a reason, or an error. */
#include "symbolize/worker/worker_protocol.h"

#include <pthread.h>
#include <sys/socket.h>

#include "symbolize/client/answers.h"
#include "symbolize/client/worker_link.h"
#include "tests/unit/elf_writer.h"
#include "tests/harness.h"

/* Too large for a stack. */
static struct message message;
static struct draft draft;

/* ---- messages ---- */

TEST(sizes_must_add_up)
{
	static const struct {
		uint32_t kind, nr, nr_text;
		size_t nr_body;
		bool is_valid;
	} cases[] = {
		{ MESSAGE_NAME, 2, 0, 32, true },
		{ MESSAGE_NAME, 2, 0, 31, false },
		{ MESSAGE_NAME, 2, 1, 33, true },
		{ MESSAGE_NAME, 2, 2, 33, false },
		{ MESSAGE_FIND, 0, 5, 5, true },
		{ MESSAGE_FIND, 1, 5, 5, false },
		{ MESSAGE_NAMES, UINT32_MAX, 0, 0, false },
		{ MESSAGE_NAMES, 0x0aaaaaab, 0, 8, false }, /* 24 times this wraps in 32 bits */
		{ MESSAGE_NAMES, 0, UINT32_MAX, 0, false },
		{ MESSAGE_NAMES, 0, MESSAGE_TEXT_MAX_BYTES, MESSAGE_TEXT_MAX_BYTES, true },
		{ MESSAGE_NAMES, 0, MESSAGE_TEXT_MAX_BYTES + 1, MESSAGE_TEXT_MAX_BYTES + 1, false },
		{ 0, 0, 0, 0, false },
		{ MESSAGE_NR, 0, 0, 0, false },
		{ UINT32_MAX, 0, 0, 0, false },
		{ MESSAGE_INDEXED, 0, 0, MESSAGE_BODY_MAX_BYTES + 1, false },
	};

	memset(&message, 0, sizeof(message));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		message.header = (struct message_header){ .kind = cases[i].kind,
							  .nr = cases[i].nr,
							  .nr_text = cases[i].nr_text };
		assert_int_equal(message_is_valid(&message, cases[i].nr_body), cases[i].is_valid);
	}
}

TEST(text_must_end_and_positions_must_lie_in_it)
{
	message.header = (struct message_header){ .kind = MESSAGE_FIND, .nr_text = 4 };
	memcpy(message.body, "abcd", 4);
	assert_false(message_is_valid(&message, 4));
	memcpy(message.body, "a\0c", 4);
	assert_true(message_is_valid(&message, 4));
	assert_string_equal(message_text(&message, 0), "a");
	assert_string_equal(message_text(&message, 2), "c");
	assert_string_equal(message_text(&message, 3), "");
	assert_null(message_text(&message, 4));
	assert_null(message_text(&message, UINT32_MAX));
}

TEST(a_message_and_its_descriptor_arrive)
{
	struct wire_query query = { 42, 1 }, received;
	uint32_t position;
	int pair[2], fd;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(message_receive(pair[1], false, &message, &fd), -EAGAIN);
	draft_start(&draft, MESSAGE_NAME, 7);
	assert_true(draft_element(&draft, &query, sizeof(query)));
	assert_true(draft_text(&draft, "text", 4, &position));
	assert_int_equal(draft_send(&draft, pair[0], true, pair[0]), 0);
	assert_int_equal(message_receive(pair[1], true, &message, &fd), 0);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(message.header.file, 7);
	message_element(&message, 0, &received, sizeof(received));
	assert_int_equal(received.where, 42);
	assert_string_equal(message_text(&message, position), "text");
	assert_string_equal(message_text(&message, NO_TEXT), "");
	close(pair[0]);
	assert_int_equal(message_receive(pair[1], true, &message, &fd), -EPIPE);
	close(pair[1]);
}

TEST(a_descriptor_that_was_not_expected_is_dropped)
{
	int pair[2], before, after;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	before = dup(0);
	draft_start(&draft, MESSAGE_INDEXED, 0);
	assert_int_equal(draft_send(&draft, pair[0], true, pair[0]), 0);
	assert_int_equal(message_receive(pair[1], true, &message, NULL), 0);
	after = dup(0);
	assert_int_equal(after, before + 1); /* nothing took the place between */
	close(before);
	close(after);
	close(pair[0]);
	close(pair[1]);
}

TEST(nonsense_is_a_protocol_error)
{
	static char large[sizeof(struct message) + 100];
	int pair[2], fd;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(send(pair[0], "short", 5, 0), 5);
	assert_int_equal(message_receive(pair[1], true, &message, &fd), -EPROTO);
	large[0] = MESSAGE_INDEXED;
	assert_int_equal(send(pair[0], large, sizeof(large), 0), sizeof(large));
	assert_int_equal(message_receive(pair[1], true, &message, &fd), -EPROTO);
	close(pair[0]);
	close(pair[1]);
}

TEST(drafts_refuse_what_does_not_fit)
{
	static char text[MESSAGE_TEXT_MAX_BYTES];
	struct wire_text element = {};
	uint32_t position;

	draft_start(&draft, MESSAGE_FIND, 0);
	assert_false(draft_text(&draft, text, sizeof(text), &position));
	assert_true(draft_text(&draft, text, sizeof(text) - 1, &position));
	assert_false(draft_text(&draft, text, 0, &position));
	draft_start(&draft, MESSAGE_SUGGESTIONS, 0);
	for (size_t i = 0; i < MESSAGE_ELEMENTS_MAX_BYTES / sizeof(element); i++)
		assert_true(draft_element(&draft, &element, sizeof(element)));
	assert_false(draft_element(&draft, &element, sizeof(element)));
}

/* ---- a worker of ours in place of the real one ---- */

struct fixture {
	struct worker_link *link;
	struct symbolizer *symbolizer;
	int worker; /* its end of the socket */
	int nr_debug_asked;
	struct draft *replies; /* what it says when it is asked something */
	size_t nr_replies;
	struct message *asked;
};

static int open_debug(void *context, uint32_t file, struct symbol_debug_request *request)
{
	struct fixture *fixture = context;

	(void)file;
	request->candidate++;
	fixture->nr_debug_asked++;
	return -ENOENT;
}

static void set_up(struct fixture *fixture)
{
	struct symbolizer_options options = { .open_debug = open_debug, .context = fixture, .timeout_ms = 1000 };
	int pair[2];

	assert_int_equal(symbolizer_new(&options, &fixture->symbolizer), 0);
	fixture->link = *(struct worker_link **)fixture->symbolizer;
	supervisor_stop(&fixture->link->shared->supervisor); /* there will be no other */
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	fixture->link->socket = pair[0];
	fixture->worker = pair[1];
	fixture->replies = calloc(72, sizeof(*fixture->replies));
	fixture->asked = calloc(1, sizeof(*fixture->asked));
}

static void tear_down(struct fixture *fixture)
{
	closep(&fixture->worker);
	symbolizer_free(fixture->symbolizer);
	free(fixture->replies);
	free(fixture->asked);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

/* Waits for a question and says what was prepared. */
static void *serve(void *context)
{
	struct fixture *fixture = context;
	int fd;

	do {
		if (message_receive(fixture->worker, true, fixture->asked, &fd))
			return NULL;
		closep(&fd);
	} while (fixture->asked->header.kind == MESSAGE_FILE);
	for (size_t i = 0; i < fixture->nr_replies; i++)
		draft_send(&fixture->replies[i], fixture->worker, true, -1);
	return NULL;
}

static void say_indexed(struct fixture *fixture, uint32_t file, uint32_t status, const char *build_id)
{
	uint32_t position;

	draft_start(&draft, MESSAGE_INDEXED, file);
	draft.header.status = status;
	draft_text(&draft, build_id, strlen(build_id), &position);
	assert_int_equal(draft_send(&draft, fixture->worker, true, -1), 0);
}

static void add(struct fixture *fixture, uint32_t file)
{
	assert_int_equal(symbolizer_add_file(fixture->symbolizer, file, memory_file("x", 1), 0), 0);
}

static enum symbol_status ask(struct fixture *fixture, uint32_t file, struct symbol_answer *ret_answer)
{
	struct symbol_query query = { 0x1234, true };
	pthread_t worker;

	assert_int_equal(pthread_create(&worker, NULL, serve, fixture), 0);
	symbolizer_name_file(fixture->symbolizer, file, &query, 1, ret_answer);
	shutdown(fixture->worker, SHUT_RD); /* if it was never asked */
	pthread_join(worker, NULL);
	assert_true(!ret_answer->name == (ret_answer->status != SYMBOL_OK));
	return ret_answer->status;
}

static void prepare(struct fixture *fixture, const struct draft *reply)
{
	fixture->replies[fixture->nr_replies++] = *reply;
}

static void prepare_answer(struct fixture *fixture, struct wire_answer answer, uint32_t nr, const char *text)
{
	uint32_t position;

	draft_start(&draft, MESSAGE_NAMES, 0);
	for (uint32_t i = 0; i < nr; i++)
		draft_element(&draft, &answer, sizeof(answer));
	draft_text(&draft, text, strlen(text), &position);
	prepare(fixture, &draft);
}

FIXTURE_TEST(an_honest_answer_is_taken)
{
	struct symbol_answer answer;

	add(fixture, 0);
	say_indexed(fixture, 0, SYMBOL_OK, "0123");
	prepare_answer(fixture, (struct wire_answer){ .offset = 4, .name = 1 }, 1, "name");
	assert_int_equal(ask(fixture, 0, &answer), SYMBOL_OK);
	assert_string_equal(answer.name, "name");
	assert_null(answer.module);
	assert_string_equal(symbolizer_build_id(fixture->symbolizer, 0), "0123");
}

TEST(an_answer_without_its_name_is_malformed)
{
	static const struct wire_answer answers[] = {
		{ .status = SYMBOL_NO_DESCRIPTORS + 1, .name = 1 },
		{ .status = UINT32_MAX, .name = 1 },
		{ .status = SYMBOL_OK, .name = 0 },
		{ .status = SYMBOL_OK, .name = 100 },
		{ .status = SYMBOL_OK, .name = UINT32_MAX },
		{ .status = SYMBOL_OK, .name = 1, .module = 100 },
	};

	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		struct symbol_answer answer;
		struct fixture inner = {};

		set_up(&inner);
		add(&inner, 0);
		say_indexed(&inner, 0, SYMBOL_OK, "");
		prepare_answer(&inner, answers[i], 1, "name");
		assert_int_equal(ask(&inner, 0, &answer), SYMBOL_MALFORMED);
		tear_down(&inner);
	}
}

TEST(wrong_numbers_of_answers_end_the_worker)
{
	for (uint32_t nr = 0; nr <= 2; nr += 2) {
		struct symbol_answer answer;
		struct fixture inner = {};

		set_up(&inner);
		add(&inner, 0);
		say_indexed(&inner, 0, SYMBOL_OK, "");
		prepare_answer(&inner, (struct wire_answer){ .name = 1 }, nr, "name");
		assert_int_equal(ask(&inner, 0, &answer), SYMBOL_WORKER_DIED);
		tear_down(&inner);
	}
}

TEST(acknowledgements_must_be_true)
{
	static const struct {
		uint32_t file, status;
		const char *build_id;
	} lies[] = {
		{ 1, SYMBOL_OK, "" },
		{ 0, SYMBOL_NO_DESCRIPTORS + 1, "" },
		{ 0, SYMBOL_OK, "../../etc/shadow" },
		{ 0, SYMBOL_OK, "ABCDEF" },
		{ 0, SYMBOL_OK, "123" },
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct symbol_answer answer;
		struct fixture inner = {};

		set_up(&inner);
		add(&inner, 0);
		say_indexed(&inner, lies[i].file, lies[i].status, lies[i].build_id);
		assert_int_equal(ask(&inner, 0, &answer), SYMBOL_WORKER_DIED);
		tear_down(&inner);
	}
}

FIXTURE_TEST(acknowledging_twice_ends_the_worker)
{
	struct symbol_answer answer;

	add(fixture, 0);
	say_indexed(fixture, 0, SYMBOL_OK, "");
	say_indexed(fixture, 0, SYMBOL_OK, "");
	assert_int_equal(ask(fixture, 0, &answer), SYMBOL_NOT_STARTED); /* another one */
}

static void draft_want_debug(uint32_t file, const char *build_id, const char *link)
{
	uint32_t position;

	draft_start(&draft, MESSAGE_WANT_DEBUG, file);
	draft_text(&draft, build_id, strlen(build_id), &position);
	draft_text(&draft, link, strlen(link), &position);
}

/* What a worker asks for, by build ids or by paths, when it is asked for a name; returns how often open_debug was called. */
static int nr_asked_by(const uint32_t *files, const char *const *build_ids, size_t nr, enum symbol_status expected)
{
	struct symbol_answer answer;
	struct fixture *fixture;
	struct fixture inner = {};
	int nr_asked;

	set_up(&inner);
	fixture = &inner;
	add(fixture, 0);
	say_indexed(fixture, 0, SYMBOL_OK, "");
	for (size_t i = 0; i < nr; i++) {
		draft_want_debug(files[i], *build_ids[i] == '/' ? "" : build_ids[i],
				 *build_ids[i] == '/' ? build_ids[i] : "");
		prepare(fixture, &draft);
	}
	prepare_answer(fixture, (struct wire_answer){ .name = 1 }, 1, "name");
	assert_int_equal(ask(fixture, 0, &answer), expected);
	nr_asked = fixture->nr_debug_asked;
	tear_down(&inner);
	return nr_asked;
}

TEST(debug_files_are_opened_for_the_file_in_question_and_not_for_ever)
{
	enum {
		MOST = 64
	};
	static const uint32_t own[MOST + 1] = { 0 }, other[] = { 1 };
	static const char *const path[] = { "../../../etc/shadow" }, *const empty[] = { "" };
	static const char *const no_split[] = { "/etc/shadow" };
	static const char *good[MOST + 1], *splits[MOST + 1];

	for (size_t i = 0; i <= MOST; i++) {
		good[i] = "abcd";
		splits[i] = "/made/unit.dwo";
	}
	assert_int_equal(nr_asked_by(own, good, 1, SYMBOL_OK), 1);
	assert_int_equal(nr_asked_by(own, good, MOST, SYMBOL_OK), MOST);
	assert_int_equal(nr_asked_by(own, good, MOST + 1, SYMBOL_WORKER_DIED), MOST);
	assert_int_equal(nr_asked_by(other, good, 1, SYMBOL_WORKER_DIED), 0);
	assert_int_equal(nr_asked_by(own, path, 1, SYMBOL_WORKER_DIED), 0);
	assert_int_equal(nr_asked_by(own, empty, 1, SYMBOL_WORKER_DIED), 0);
	assert_int_equal(nr_asked_by(own, no_split, 1, SYMBOL_WORKER_DIED), 0);
	assert_int_equal(nr_asked_by(own, splits, MOST + 1, SYMBOL_OK), MOST + 1); /* a program has many */
}

FIXTURE_TEST(an_unasked_request_for_a_file_ends_the_worker)
{
	struct symbol_answer answer;

	add(fixture, 0);
	draft_want_debug(0, "abcd", "");
	assert_int_equal(draft_send(&draft, fixture->worker, true, -1), 0);
	assert_int_equal(ask(fixture, 0, &answer), SYMBOL_WORKER_DIED);
	assert_int_equal(fixture->nr_debug_asked, 0);
}

FIXTURE_TEST(a_stream_of_acknowledgements_does_not_keep_the_caller_for_ever)
{
	struct symbol_answer answer;

	for (uint32_t file = 0; file < 4; file++)
		add(fixture, file);
	for (uint32_t file = 0; file < 3; file++)
		say_indexed(fixture, file, SYMBOL_OK, "");
	assert_int_equal(ask(fixture, 3, &answer), SYMBOL_TIMEOUT);
}

FIXTURE_TEST(functions_from_a_liar_are_an_error)
{
	struct symbol_function *functions;
	pthread_t worker;
	size_t nr;

	add(fixture, 0);
	say_indexed(fixture, 0, SYMBOL_OK, "");
	draft_start(&draft, MESSAGE_FUNCTIONS, 0);
	draft_element(&draft, &(struct wire_function){ .name = 100 }, sizeof(struct wire_function));
	prepare(fixture, &draft);
	assert_int_equal(pthread_create(&worker, NULL, serve, fixture), 0);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "a", &functions, &nr), -EIO);
	pthread_join(worker, NULL);
}

/* Memory that is gone in the middle of an answer must not leave its rest to be taken for the next one. */
TEST(an_answer_that_is_not_taken_to_its_end_ends_the_worker)
{
	static const struct {
		uint32_t status, more, nr;
		int err;
		bool lives;
	} cases[] = {
		{ ENOMEM, 0, 0, -ENOMEM, true },
		{ ENOMEM, 1, 0, -ENOMEM, false },
		{ 0, 1, 0, -EIO, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct symbol_function *functions;
		struct fixture one = {}, *fixture = &one;
		pthread_t worker;
		size_t nr;

		set_up(fixture);
		add(fixture, 0);
		say_indexed(fixture, 0, SYMBOL_OK, "");
		draft_start(&draft, MESSAGE_FUNCTIONS, 0);
		draft.header.status = cases[i].status;
		draft.header.more = cases[i].more;
		prepare(fixture, &draft);
		prepare_answer(fixture, (struct wire_answer){}, 1, "left over");
		assert_int_equal(pthread_create(&worker, NULL, serve, fixture), 0);
		assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "a", &functions, &nr), cases[i].err);
		pthread_join(worker, NULL);
		assert_int_equal(fixture->link->socket >= 0, cases[i].lives);
		tear_down(fixture);
	}
}

/* The limit is for one answer: what was kept before it does not count, and other answers may still be kept after it. */
TEST(an_answer_of_too_much_text_is_given_up)
{
	_cleanup_(text_pool_done) struct text_pool texts = { .nr_bytes = 2 * ANSWER_TEXT_MAX };
	struct found found = { .nr_before = texts.nr_bytes }, next = {};
	uint32_t position;

	memset(&message, 0, sizeof(message));
	draft_start(&draft, MESSAGE_FUNCTIONS, 0);
	assert_true(draft_text(&draft, "function", 8, &position));
	draft_element(&draft, &(struct wire_function){ .name = position }, sizeof(struct wire_function));
	draft.header.more = 1;
	message.header = draft.header;
	memcpy(message.body, draft.elements, sizeof(struct wire_function));
	memcpy(message.body + sizeof(struct wire_function), draft.text, draft.header.nr_text);
	assert_int_equal(answers_found(&message, &texts, &found), 1);
	texts.nr_bytes += ANSWER_TEXT_MAX;
	assert_int_equal(answers_found(&message, &texts, &found), -EMSGSIZE);
	assert_int_equal(found.functions.nr, 1);
	found_done(&found);
	next.nr_before = texts.nr_bytes;
	assert_int_equal(answers_found(&message, &texts, &next), 1);
	found_done(&next);
}

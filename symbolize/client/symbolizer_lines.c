/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/client/answers.h"
#include "symbolize/client/symbolizer_private.h"

enum {
	PLACES_MAX = MESSAGE_ELEMENTS_MAX_BYTES / sizeof(struct wire_query),
};

struct question {
	const struct symbol_query *queries;
	size_t nr;
	uint32_t request; /* as in worker_protocol.h */
};

/* Sends the places, as many messages as needed; the answers come after the last one. */
static enum symbol_status ask(struct worker_link *link, struct handed_file *file, const struct question *question)
{
	enum symbol_status status;
	size_t sent = 0;

	do {
		draft_start(&link->draft, MESSAGE_LINES, file->number);
		link->draft.header.status = question->request;
		for (size_t i = 0; i < PLACES_MAX && sent < question->nr; i++, sent++) {
			const struct symbol_query *query = &question->queries[sent];
			struct wire_query wire = { query->where, query->exact, query->linked };

			draft_element(&link->draft, &wire, sizeof(wire));
		}
		link->draft.header.more = sent < question->nr;
		if (sent == question->nr)
			return worker_link_ask(link, file, MESSAGE_SOURCES);
		status = worker_link_send(link, file);
	} while (status == SYMBOL_OK);
	return status;
}

static int find(struct worker_link *link, struct handed_file *file, const struct question *question,
		struct found_lines *found)
{
	enum symbol_status status;
	int taken = 0;

	do { /* again while another file was to blame */
		status = worker_link_index(link, file);
		if (status != SYMBOL_OK)
			break;
		status = ask(link, file, question);
	} while (status != SYMBOL_OK && file->state != HANDED_REFUSED);
	while (status == SYMBOL_OK && (taken = answers_lines(&link->message, &link->texts, question->nr, found)) == 1)
		status = worker_link_next(link, file, MESSAGE_SOURCES);
	return symbolizer_end_answer(link, file, status, taken);
}

int symbolizer_lines(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *queries, size_t nr,
		     bool inlines, unsigned int timeout_ms, struct symbol_lines *ret_lines)
{
	struct handed_file *handed = worker_link_file(&symbolizer->link, file);
	const struct question question = { queries, nr,
					   timeout_ms << LINES_TIME_SHIFT | (inlines ? LINES_INLINED : 0) };
	struct found_lines found = { .ranges = calloc(nr + 1, sizeof(*found.ranges)) };
	int err = !handed                ? -ENOENT
		  : nr > LINES_ASKED_MAX ? -E2BIG
		  : found.ranges         ? find(&symbolizer->link, handed, &question, &found)
					 : -ENOMEM;

	if (err) {
		vec_done(&found.lines);
		free(found.ranges);
		found.ranges = NULL;
	}
	*ret_lines = (struct symbol_lines){ found.lines.data, found.lines.nr, found.ranges, found.missing_split,
					    found.nr_missing_splits };
	return err;
}

void symbol_lines_done(struct symbol_lines *lines)
{
	free(lines->lines);
	free(lines->ranges);
	*lines = (struct symbol_lines){};
}

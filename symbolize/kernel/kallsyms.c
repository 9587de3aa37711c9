/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/kernel/kallsyms.h"

#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/radix_sort.h"
#include "core/base/vec.h"
#include "symbolize/elf/names.h"

enum {
	BUFFER_BYTES = 65536,          /* for pread(); the kernel returns at most one page (4 to 64 KB) per call */
	TEXT_MAX_BYTES = 256u << 20,
	MODULES_MAX = 16384,
	GENERATED_MAX_BYTES = 65536,   /* assumed length of generated code (BPF, trampolines) */
};

/* One line: "ffffffff81000000 T _stext", with "\t[module]" after it if the symbol belongs to a module. */
struct line {
	uint64_t address;
	char type;
	struct name name, module;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_line(const char *at, const char *end, struct line *ret_line)
{
	struct line line = {};
	const char *start = at, *gap;

	for (int digit; at < end && (digit = hex_digit(*at)) >= 0; at++)
		line.address = line.address << 4 | (unsigned int)digit;
	if (at == start || at - start > 16 || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	line.type = at[1];
	at += 3;
	gap = memchr(at, '\t', (size_t)(end - at));
	line.name = (struct name){ at, (size_t)((gap ?: end) - at) };
	if (gap && end - gap > 3 && gap[1] == '[' && end[-1] == ']')
		line.module = (struct name){ gap + 2, (size_t)(end - gap) - 3 };
	*ret_line = line;
	return line.name.nr_bytes > 0 && !memchr(start, '\0', (size_t)(end - start));
}

/* Symbols of the linker script at the borders of sections. They have the type of functions. */
static bool is_section_mark(struct name name)
{
	if (name.text[0] != '_')
		return false;
	return name_is(name, "_text") || name_is(name, "_stext") || name_is(name, "_etext") ||
	       name_is(name, "_sinittext") || name_is(name, "_einittext") || name_is(name, "__pi__text") ||
	       name_ends_with(name, "_text_start") || name_ends_with(name, "_text_end");
}

static bool is_function(const struct line *line)
{
	return strchr("tTwW", line->type) && !is_section_mark(line->name) && line->name.text[0] != '$' &&
	       !name_starts_with(line->name, ".L");
}

static int add_text(struct kallsyms *kallsyms, struct name name, uint32_t *ret_place)
{
	size_t nr = kallsyms->text.nr;
	int err;

	if (nr + name.nr_bytes + 1 > TEXT_MAX_BYTES)
		return -EFBIG;
	err = vec_grow((void **)&kallsyms->text.data, &kallsyms->text.room, nr + name.nr_bytes + 1, 1);
	if (err)
		return err;
	memcpy(kallsyms->text.data + nr, name.text, name.nr_bytes);
	kallsyms->text.data[nr + name.nr_bytes] = '\0';
	kallsyms->text.nr += name.nr_bytes + 1;
	*ret_place = (uint32_t)nr;
	return 0;
}

/* Returns 0, -EFBIG or -ENOMEM. Searches from the end, because the list has all symbols of a module in sequence. */
static int find_module(struct kallsyms *kallsyms, struct name module, uint16_t *ret_index)
{
	uint32_t place = 0;
	int err;

	if (!module.nr_bytes) {
		*ret_index = 0;
		return 0;
	}
	for (size_t i = kallsyms->modules.nr; i-- > 1;)
		if (name_is(module, kallsyms->text.data + kallsyms->modules.data[i])) {
			*ret_index = (uint16_t)i;
			return 0;
		}
	if (kallsyms->modules.nr >= MODULES_MAX)
		return -EFBIG;
	*ret_index = (uint16_t)kallsyms->modules.nr;
	err = add_text(kallsyms, module, &place);
	return err ?: vec_try_push(&kallsyms->modules, place);
}

static int add_line(struct kallsyms *kallsyms, const struct line *line)
{
	const struct kernel_symbol *last = kallsyms->symbols.nr ? &vec_last(&kallsyms->symbols) : NULL;
	struct kernel_symbol symbol = { .address = line->address };
	bool is_named = is_function(line);
	int err;

	if (!line->address || name_starts_with(line->name, "__pfx_"))
		return 0;
	/* One unnamed symbol is enough to end a function. settle() drops those that the sort moves next to another one. */
	if (!is_named && last && !last->name && last->address <= line->address)
		return 0;
	err = find_module(kallsyms, line->module, &symbol.module);
	if (!err && is_named)
		err = add_text(kallsyms, line->name, &symbol.name);
	if (is_named && line->type == 'T')
		symbol.merit = MERIT_NOT_LOCAL | MERIT_GLOBAL;
	else if (is_named && strchr("Ww", line->type))
		symbol.merit = MERIT_NOT_LOCAL;
	return err ?: vec_try_push(&kallsyms->symbols, symbol);
}

/* Adds the complete lines of the buffer. Returns their length in bytes, or a negative errno. */
static ssize_t take_lines(struct kallsyms *kallsyms, const char *buffer, size_t nr_bytes, size_t *nr_lines)
{
	const char *at = buffer, *end = buffer + nr_bytes, *newline;
	struct line line;

	while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
		if (parse_line(at, newline, &line)) {
			int err = add_line(kallsyms, &line);

			if (err)
				return err;
			(*nr_lines)++;
		}
		at = newline + 1;
	}
	return at - buffer;
}

static int read_lines(struct kallsyms *kallsyms, int fd, size_t *nr_lines)
{
	_cleanup_(freep) char *buffer = malloc(BUFFER_BYTES);
	size_t held = 0;
	off_t offset = 0;

	if (!buffer)
		return -ENOMEM;
	for (;;) {
		ssize_t got = pread(fd, buffer + held, BUFFER_BYTES - held, offset), taken;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		offset += got;
		held += (size_t)got;
		taken = take_lines(kallsyms, buffer, held, nr_lines);
		if (taken < 0)
			return (int)taken;
		held -= (size_t)taken;
		memmove(buffer, buffer + taken, held);
		if (held == BUFFER_BYTES)
			return -EBADMSG; /* the line is longer than the buffer */
	}
}

/* Compares two names of one address. Returns > 0 if `a` is the better one. */
static int compare(const struct kallsyms *kallsyms, const struct kernel_symbol *a, const struct kernel_symbol *b)
{
	const char *name_a = kallsyms->text.data + a->name, *name_b = kallsyms->text.data + b->name;

	if (a->merit != b->merit)
		return a->merit > b->merit ? 1 : -1;
	return name_compare((struct name){ name_a, strlen(name_a) }, (struct name){ name_b, strlen(name_b) });
}

/* Insertion sort of the functions at one address, best name last. There are few of them. */
static void rank(const struct kallsyms *kallsyms, struct kernel_symbol *symbols, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		struct kernel_symbol moving = symbols[i];
		size_t to = i;

		for (; to && compare(kallsyms, &symbols[to - 1], &moving) > 0; to--)
			symbols[to] = symbols[to - 1];
		symbols[to] = moving;
	}
}

/*
 * Sorts the functions at each address by merit, and keeps at most ALIASES_MAX. Keeps an unnamed symbol only if the entry before it is a
 * function at a lower address, so that it ends this function.
 */
static void settle(struct kallsyms *kallsyms)
{
	enum {
		ALIASES_MAX = 256
	};
	struct kernel_symbol *symbols = kallsyms->symbols.data;
	size_t nr = kallsyms->symbols.nr, kept = 0;

	for (size_t first = 0, next; first < nr; first = next) {
		struct kernel_symbol end = symbols[first];
		size_t functions = 0;

		for (next = first; next < nr && symbols[next].address == end.address; next++)
			if (symbols[next].name && functions < ALIASES_MAX)
				symbols[kept + functions++] = symbols[next];
		rank(kallsyms, symbols + kept, functions);
		kept += functions;
		if (!functions && kept && symbols[kept - 1].name)
			symbols[kept++] = end;
	}
	kallsyms->symbols.nr = kept;
}

static int read_all(struct kallsyms *kallsyms, int fd)
{
	size_t nr_lines = 0;
	uint32_t kernel;
	int err = vec_try_push(&kallsyms->text, '\0'); /* position 0: no name */

	err = err ?: add_text(kallsyms, (struct name){ "kernel", 6 }, &kernel);
	err = err ?: vec_try_push(&kallsyms->modules, kernel);
	err = err ?: read_lines(kallsyms, fd, &nr_lines);
	if (err)
		return err;
	if (!nr_lines)
		return -EBADMSG;
	kallsyms->hidden = !kallsyms->symbols.nr;
	err = radix_sort(kallsyms->symbols.data, kallsyms->symbols.nr, address);
	if (err)
		return err;
	settle(kallsyms);
	vec_trim(&kallsyms->symbols);
	vec_trim(&kallsyms->text);
	return 0;
}

int kallsyms_read(struct kallsyms *kallsyms, int fd)
{
	int err;

	*kallsyms = (struct kallsyms){};
	err = read_all(kallsyms, fd);
	if (err)
		kallsyms_done(kallsyms);
	return err;
}

void kallsyms_done(struct kallsyms *kallsyms)
{
	vec_done(&kallsyms->symbols);
	vec_done(&kallsyms->text);
	vec_done(&kallsyms->modules);
}

const char *kallsyms_name(const struct kallsyms *kallsyms, const struct kernel_symbol *symbol)
{
	return kallsyms->text.data + symbol->name;
}

const char *kallsyms_module(const struct kallsyms *kallsyms, const struct kernel_symbol *symbol)
{
	return kallsyms->text.data + kallsyms->modules.data[symbol->module];
}

/*
 * The last function of a module is assumed to reach to the end of the page after its own, as in perf. Generated code (BPF, ftrace and
 * kprobe trampolines) can be longer, and /proc/kallsyms does not show its end.
 */
struct kernel_place kallsyms_place(const struct kallsyms *kallsyms, uint64_t address)
{
	size_t nr = vec_nr_first(&kallsyms->symbols, symbol, symbol->address <= address);
	const struct kernel_symbol *symbol = nr ? &kallsyms->symbols.data[nr - 1] : NULL;
	struct kernel_place place = { .symbol = symbol };
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), reach;
	const char *module;

	if (!symbol)
		return place;
	module = kallsyms_module(kallsyms, symbol);
	place.assumed = nr == kallsyms->symbols.nr || symbol[1].module != symbol->module || !strcmp(module, "bpf");
	if (!place.assumed) {
		place.end = symbol[1].address;
		return place;
	}
	reach = 2 * page - symbol->address % page;
	if (!strcmp(module, "bpf") || !strncmp(module, "__builtin__", 11))
		reach = GENERATED_MAX_BYTES;
	if (__builtin_add_overflow(symbol->address, reach, &place.end))
		place.end = UINT64_MAX;
	return place;
}

bool kallsyms_lookup(const struct kallsyms *kallsyms, uint64_t address, struct kernel_function *ret_function)
{
	struct kernel_place place = kallsyms_place(kallsyms, address);

	if (!place.symbol || !place.symbol->name || address >= place.end)
		return false;
	*ret_function = (struct kernel_function){
		.name = kallsyms_name(kallsyms, place.symbol),
		.module = kallsyms_module(kallsyms, place.symbol),
		.start = place.symbol->address,
	};
	return true;
}

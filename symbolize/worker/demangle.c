/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/worker/demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

enum {
	MANGLED_MAX_BYTES = 4096,
	D_REFERENCES_MAX = 10
};

struct output {
	jmp_buf overflow;
	char *text;
	size_t nr;
};

/*
 * libiberty calls this with each piece of the name. Only longjmp can stop it. Its printers keep their state on the stack, except for
 * Punycode in a Rust v0 name: there, one buffer of the identifier's length leaks.
 */
static void take_piece(const char *piece, size_t nr_bytes, void *context)
{
	struct output *output = context;

	if (!nr_bytes)
		return; /* Rust's printer passes NULL in this case */
	if (nr_bytes >= DEMANGLED_MAX_BYTES - output->nr)
		longjmp(output->overflow, 1);
	memcpy(output->text + output->nr, piece, nr_bytes);
	output->nr += nr_bytes;
}

typedef int demangle_function(const char *mangled, int options, demangle_callbackref callback, void *opaque);

static bool run(demangle_function *function, const char *mangled, int options, char *ret_text)
{
	struct output output = { .text = ret_text };

	if (setjmp(output.overflow))
		return false;
	if (!function(mangled, DMGL_PARAMS | DMGL_ANSI | options, take_piece, &output) || !output.nr)
		return false;
	ret_text[output.nr] = '\0';
	return true;
}

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/*
 * libiberty's recursion limit rejects names of more than 1 KB, which templates produce. The limit of 4 KB (MANGLED_MAX_BYTES) bounds the
 * stack as well: a level takes at least one character.
 */
static bool run_cplus(const char *mangled, char *ret_text)
{
	return run(cplus_demangle_v3_callback, mangled, DMGL_NO_RECURSE_LIMIT, ret_text);
}

/* Rust's legacy mangling is that of C++ with a hash as the last part: "17h", 16 hex digits, "E". */
static bool is_legacy_rust(const char *mangled)
{
	for (const char *hash = mangled; (hash = strstr(hash, "17h")); hash++)
		if (strspn(hash + 3, "0123456789abcdef") >= 16 && hash[19] == 'E')
			return true;
	return false;
}

/*
 * libiberty's D demangler returns a string of unbounded length, and each "Q" repeats an earlier part, so it can double the name; real names
 * have few. It ignores text after a valid name. D functions are in a module, so a name without "." is not one.
 */
static bool run_d(const char *mangled, char *ret_text)
{
	unsigned int nr_references = 0;
	char *readable;
	bool is_right;
	size_t nr;

	for (const char *at = mangled; (at = strchr(at, 'Q')); at++)
		nr_references++;
	readable = nr_references <= D_REFERENCES_MAX ? dlang_demangle(mangled, 0) : NULL;
	nr = readable ? strlen(readable) : 0;
	is_right = nr && nr < DEMANGLED_MAX_BYTES && (strchr(readable, '.') || !strcmp(mangled, "_Dmain"));
	if (is_right)
		memcpy(ret_text, readable, nr + 1);
	free(readable);
	return is_right;
}

/* "_D" and the length of the first part of the path. A C function can have such a name too; run_d() rejects it. */
static bool is_d(const char *mangled)
{
	return starts_with(mangled, "_D") && (isdigit((unsigned char)mangled[2]) || !strcmp(mangled, "_Dmain"));
}

static bool demangle_symbol(struct name mangled, char *ret_text)
{
	char text[MANGLED_MAX_BYTES + 1];

	if (mangled.nr_bytes > MANGLED_MAX_BYTES || mangled.nr_bytes < 3)
		return false;
	memcpy(text, mangled.text, mangled.nr_bytes);
	text[mangled.nr_bytes] = '\0';
	if (starts_with(text, "_R") && isupper((unsigned char)text[2]))
		return run(rust_demangle_callback, text, 0, ret_text);
	if (starts_with(text, "_Z"))
		return (is_legacy_rust(text) && run(rust_demangle_callback, text, 0, ret_text)) ||
		       run_cplus(text, ret_text);
	if (starts_with(text, "___Z") || starts_with(text, "____Z")) /* clang's blocks */
		return run_cplus(text, ret_text);
	return is_d(text) && run_d(text, ret_text);
}

bool demangle(struct name mangled, char ret_text[DEMANGLED_MAX_BYTES])
{
	static const char suffix[] = "@plt"; /* appended in plt.c */
	size_t nr;

	if (!name_ends_with(mangled, suffix))
		return demangle_symbol(mangled, ret_text);
	mangled.nr_bytes -= sizeof(suffix) - 1;
	nr = demangle_symbol(mangled, ret_text) ? strlen(ret_text) : 0;
	if (!nr || nr > DEMANGLED_MAX_BYTES - sizeof(suffix))
		return false;
	memcpy(ret_text + nr, suffix, sizeof(suffix));
	return true;
}

/* Returns whether the text may follow a parameter list: " const", " &&"; not the rest of a Rust path or " [clone .cold]". */
static bool is_qualifiers(const char *text)
{
	return text[strspn(text, " &abcdefghijklmnopqrstuvwxyz")] == '\0';
}

/* The change of the bracket depth at a character, from right to left. */
static int step_back(char c)
{
	return c == ')' || c == '>' || c == '}' ? 1 : c == '(' || c == '<' || c == '{' ? -1 : 0;
}

/* Returns the start of the parameter list that ends before `closed`; 0 if it has no opening bracket. */
static size_t start_of_parameters(const char *text, size_t closed)
{
	size_t at = closed;
	int depth = 0;

	do {
		at--;
		depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
	} while (at && depth);
	return depth ? 0 : at;
}

/* Skips the return type of a template function, which comes before its name. Names with operators are not changed. */
static size_t start_of_name(const char *text, size_t end)
{
	const char *operator_name = strstr(text, "operator");
	size_t at = end;
	int depth = 0;

	if (operator_name && operator_name < text + end)
		return 0;
	while (at && (text[at - 1] != ' ' || depth))
		depth += step_back(text[--at]);
	return at;
}

bool demangled_stem(const char *readable, struct name *ret_stem)
{
	const char *closing = strrchr(readable, ')');
	size_t start, end;

	if (!closing || !is_qualifiers(closing + 1))
		return false;
	end = start_of_parameters(readable, (size_t)(closing - readable) + 1);
	start = start_of_name(readable, end);
	if (end <= start)
		return false;
	*ret_stem = (struct name){ readable + start, end - start };
	return true;
}

/* Returns whether the character ends the "->" of a function type. */
static bool is_arrow(const char *text, size_t at)
{
	return at && text[at] == '>' && text[at - 1] == '-';
}

bool demangled_rust_cut(char *readable)
{
	size_t at = strlen(readable);
	int depth = 0;

	if (!at || readable[at - 1] != '>' || is_arrow(readable, at - 1))
		return false;
	do {
		at--;
		if (readable[at] == '<' || (readable[at] == '>' && !is_arrow(readable, at)))
			depth += readable[at] == '>' ? 1 : -1;
	} while (at && depth);
	if (depth || at <= 2 || strncmp(readable + at - 2, "::", 2) != 0)
		return false;
	readable[at - 2] = '\0';
	return true;
}

bool demangled_rust_open(char *readable)
{
	size_t at = 0;
	int depth = *readable == '<';

	while (depth && readable[++at]) {
		if (depth == 1 && starts_with(readable + at, " as "))
			return false;
		if (readable[at] == '<' || (readable[at] == '>' && !is_arrow(readable, at)))
			depth += readable[at] == '<' ? 1 : -1;
	}
	if (!at || depth || !starts_with(readable + at, ">::"))
		return false;
	memmove(readable, readable + 1, at - 1);
	memmove(readable + at - 1, readable + at + 1, strlen(readable + at + 1) + 1);
	return true;
}

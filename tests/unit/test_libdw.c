/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What our own readers of debug information leave to libdw, in a real worker: objects as modules are, and units that are
 * beyond those readers. The files are made here, by the compiler; addr2line is the judge.
 */
#include <inttypes.h>

#include "core/base/buf.h"
#include "symbolize/client/worker_link.h"
#include "symbolize/symbolize.h"
#include "tests/harness.h"

enum {
	TEXT = 65536,
	NR_FUNCTIONS = 4, /* of module.c */
};

struct fixture {
	char directory[64];
	const char *tools; /* what the names of compiler and addr2line begin with */
	struct symbolizer *symbolizer;
	uint32_t nr_files;
};

static void set_up(struct fixture *fixture)
{
	const struct symbolizer_options options = { .lines = true };

	memcpy(fixture->directory, "/tmp/st-libdw.XXXXXX", sizeof("/tmp/st-libdw.XXXXXX"));
	fixture->tools = "";
	assert_non_null(mkdtemp(fixture->directory));
	assert_int_equal(symbolizer_new(&options, &fixture->symbolizer), 0);
}

static void tear_down(struct fixture *fixture)
{
	char command[128];

	symbolizer_free(fixture->symbolizer);
	snprintf(command, sizeof(command), "rm -r %s", fixture->directory);
	assert_int_equal(system(command), 0);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

/* A command in the directory of the test; its output is in `text`. */
__attribute__((format(printf, 3, 4))) static void run(const struct fixture *fixture, char text[TEXT],
						      const char *format, ...)
{
	char command[2048], whole[4096];
	va_list arguments;
	size_t nr;
	FILE *out;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	snprintf(whole, sizeof(whole), "cd %s && src=%s/tests/unit/libdw && (%s) 2>&1", fixture->directory,
		 ST_SOURCE_DIR, command);
	out = popen(whole, "re");
	assert_non_null(out);
	nr = fread(text, 1, TEXT - 1, out);
	text[nr] = '\0';
	if (pclose(out))
		fail_msg("%s: %s", command, text);
}

static uint32_t add(struct fixture *fixture, const char *name, bool is_module)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fixture->directory, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	fixture->nr_files++;
	assert_int_equal(is_module ? symbolizer_add_module(fixture->symbolizer, fixture->nr_files, fd)
				   : symbolizer_add_file(fixture->symbolizer, fixture->nr_files, fd, 0),
			 0);
	return fixture->nr_files;
}

/* The lines of a place as "addr2line -f -i -s" prints them, but that names of functions themselves are left out. */
static void lines_of(struct fixture *fixture, uint32_t file, uint64_t address, bool by_libdw, char text[TEXT])
{
	const struct symbol_query query = { .where = address, .exact = true, .linked = true };
	_cleanup_(symbol_lines_done) struct symbol_lines found;
	struct worker_link *const *links = (struct worker_link *const *)fixture->symbolizer; /* its first member */
	uint64_t nr_before = links[0]->nr_text;
	size_t nr = 0;

	assert_int_equal(symbolizer_lines(fixture->symbolizer, file, &query, 1, true, 0, &found), 0);
	assert_true(links[0]->nr_text > 0 && links[0]->nr_text >= nr_before); /* they count as the owner's */
	assert_true(found.ranges[0].nr > 0);
	for (size_t i = 0; i < found.nr_lines; i++) {
		const struct symbol_line *line = &found.lines[i];
		const char *slash = line->file ? strrchr(line->file, '/') : NULL;

		assert_int_equal(line->by_libdw, by_libdw);
		nr += (size_t)snprintf(text + nr, TEXT - nr, "%s %s:%u\n", line->inlined ? line->name ?: "??" : "-",
				       slash ? slash + 1 : line->file ?: "??", line->line);
	}
}

/* ---- modules ---- */

#define ADDR2LINE                                     \
	"%saddr2line -f -i -s -j %s -e %s 0x%" PRIx64 \
	" | sed 's/ (discriminator.*//' | paste -d' ' - - | sed '$s/^[^ ]*/-/'"

/* Where the symbols of a function's section begin, in the words of nm: its address counts from there. */
static uint64_t in_section(const struct fixture *fixture, const char *file, const char *function)
{
	char text[TEXT];

	run(fixture, text, "nm %s | grep ' %s$'", file, function);
	return strtoull(text, NULL, 16);
}

static const char *section_of(const char *function)
{
	return !strcmp(function, "seldom") ? ".text.unlikely" : !strcmp(function, "begin") ? ".init.text" : ".text";
}

/* The calls of each address, which begins with "0x": the name of the function itself is not compared. */
#define ADDR2LINES                                                                                         \
	"%saddr2line -a -f -i -s -j %s -e %s %s | sed 's/ (discriminator.*//' | awk '"                     \
	"function put() { sub(/^[^ ]*/, \"-\", last); if (nr) print last; nr = 0 } /^0x/ { put(); next } " \
	"{ if (nr++) print last; last = $0; getline; last = last \" \" $0 } END { put() }'"

/* Every place of every function; `file` is asked, and addr2line asks `whole`. */
static void expect_lines(struct fixture *fixture, const char *file, const char *whole)
{
	uint32_t number = add(fixture, file, true);
	_cleanup_(freep) struct symbol_function *functions;
	char wanted[TEXT], one[TEXT];
	size_t nr;

	assert_int_equal(symbolizer_find(fixture->symbolizer, number, ".*", &functions, &nr), 0);
	assert_int_equal(nr, NR_FUNCTIONS);
	for (size_t i = 0; i < nr; i++) {
		_cleanup_(buf_done) struct buf addresses = {}, found = {};
		uint64_t start = in_section(fixture, whole, functions[i].name);

		assert_true(functions[i].size > 8);
		for (uint64_t at = 0; at < functions[i].size; at += 7) {
			buf_addf(&addresses, " 0x%" PRIx64, start + at);
			lines_of(fixture, number, functions[i].address + at, true, one);
			buf_adds(&found, one);
		}
		run(fixture, wanted, ADDR2LINES, fixture->tools, section_of(functions[i].name), whole,
		    buf_text(&addresses));
		assert_true(found.nr < TEXT);
		assert_string_equal(buf_text(&found), wanted);
	}
}

static void make_module(const struct fixture *fixture, const char *flags)
{
	char text[TEXT];

	run(fixture, text,
	    "%sgcc -c -O2 -g %s -o module.o $src/module.c && %sld -r --build-id=sha1 -o module.ko module.o",
	    fixture->tools, flags, fixture->tools);
}

FIXTURE_TEST(a_module_has_the_lines_and_calls_of_addr2line)
{
	static const char *const flags[] = { "-gdwarf-5", "-gdwarf-4", "-gdwarf-5 -gz=zlib",
					     "-gdwarf-5 -mcmodel=large" };

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		make_module(fixture, flags[i]);
		expect_lines(fixture, "module.ko", "module.ko");
	}
}

static uint64_t address_of(struct fixture *fixture, uint32_t number, const char *name)
{
	struct symbol_function *functions;
	uint64_t address;
	size_t nr;

	assert_int_equal(symbolizer_find(fixture->symbolizer, number, name, &functions, &nr), 0);
	assert_int_equal(nr, 1);
	address = functions[0].address;
	free(functions);
	return address;
}

/* glibc's qsort(), by which libdw sorts the rows of lines, asks for the size of the memory when they are many. */
FIXTURE_TEST(a_module_may_have_many_lines)
{
	char wanted[TEXT], found[TEXT];
	uint32_t number;

	run(fixture, wanted,
	    "(cat $src/module.c; for i in $(seq 300); do printf 'long more%%d(long by)\n{\n\tmiddle(by);\n\tsum ^= by;\n"
	    "\treturn sum;\n}\n' $i; done) >large.c && cc -c -O2 -g -o large.ko large.c");
	number = add(fixture, "large.ko", true);
	run(fixture, wanted, ADDR2LINE, fixture->tools, ".text", "large.ko",
	    in_section(fixture, "large.ko", "more200"));
	lines_of(fixture, number, address_of(fixture, number, "more200"), true, found);
	assert_string_equal(found, wanted);
}

/* Its sections have the sizes of the module's, and no content. */
FIXTURE_TEST(a_debug_file_of_a_module_will_do)
{
	char text[TEXT];

	make_module(fixture, "");
	run(fixture, text, "objcopy --only-keep-debug module.ko module.debug");
	expect_lines(fixture, "module.debug", "module.ko");
}

/* Other numbers of relocations. */
FIXTURE_TEST(modules_of_aarch64_have_lines_too)
{
	char text[TEXT];

	run(fixture, text, "command -v aarch64-linux-gnu-gcc || true");
	if (!*text)
		skip();
	fixture->tools = "aarch64-linux-gnu-";
	make_module(fixture, "");
	expect_lines(fixture, "module.ko", "module.ko");
}

static void ask(struct fixture *fixture, uint32_t number, uint64_t address, int err)
{
	const struct symbol_query query = { .where = address, .exact = true, .linked = true };
	_cleanup_(symbol_lines_done) struct symbol_lines found;

	assert_int_equal(symbolizer_lines(fixture->symbolizer, number, &query, 1, true, 0, &found), err);
	if (!err)
		assert_int_equal(found.nr_lines, 0);
}

/* libdw would open the split file, for which the worker would be killed. */
FIXTURE_TEST(split_units_of_a_module_are_passed_over)
{
	static const char *const flags[] = { "-gdwarf-5 -gsplit-dwarf", "-gdwarf-4 -gsplit-dwarf" };
	int pid = symbolizer_worker_pid(fixture->symbolizer);

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		uint32_t number;

		make_module(fixture, flags[i]);
		number = add(fixture, "module.ko", true);
		ask(fixture, number, address_of(fixture, number, "first"), 0);
	}
	assert_int_equal(symbolizer_worker_pid(fixture->symbolizer), pid);
}

/* A relocation that is not known would leave a wrong number. */
FIXTURE_TEST(a_module_with_unknown_relocations_has_no_lines)
{
	char text[TEXT];
	uint32_t number;

	make_module(fixture, "");
	run(fixture, text, "printf '\\267' | dd of=module.ko bs=1 seek=18 conv=notrunc"); /* another machine */
	number = add(fixture, "module.ko", true);
	ask(fixture, number, address_of(fixture, number, "first"), -EBADMSG);
}

/* Processes map files by offset; in an object file no offset has a name. */
FIXTURE_TEST(an_object_file_is_no_program)
{
	struct symbol_query query = { .where = 0x40, .exact = true };
	struct symbol_function *functions;
	struct symbol_answer answer;
	uint32_t module, program;
	size_t nr;

	make_module(fixture, "");
	module = add(fixture, "module.ko", true);
	program = add(fixture, "module.ko", false);
	query.where = address_of(fixture, module, "first");
	assert_int_equal(symbolizer_name_file(fixture->symbolizer, module, &query, 1, &answer), 0);
	assert_int_equal(answer.status, SYMBOL_NOT_FOUND);
	query.linked = true;
	assert_int_equal(symbolizer_name_file(fixture->symbolizer, module, &query, 1, &answer), 0);
	assert_int_equal(answer.status, SYMBOL_OK);
	assert_string_equal(answer.name, "first");
	assert_int_equal(symbolizer_find(fixture->symbolizer, program, ".*", &functions, &nr), 0);
	assert_int_equal(nr, 0);
	free(functions);
	symbolizer_add_module(fixture->symbolizer, 99, open("/bin/sh", O_RDONLY | O_CLOEXEC));
	ask(fixture, 99, 0x2000, -ENOEXEC);
}

/* ---- units ---- */

struct unit_case {
	const char *name, *settings;
	unsigned int by_libdw; /* which of the three places, as bits */
	const char *lines[3]; /* of the places; NULL: those of the instructions */
};

static void expect_unit(struct fixture *fixture, const struct unit_case *unit)
{
	static const char *const wanted[] = { "- units.c:10\n", "inner units.c:3\n- units.c:11\n", "- units.c:12\n" };
	char text[TEXT], found[TEXT];
	uint32_t number;
	uint64_t outer, size;

	run(fixture, text, "as %s %s -o %s.o $src/units.s && ld -shared -o %s %s.o && nm -S %s | grep outer",
	    unit->lines[0] ? "" : "--gdwarf-5", unit->settings, unit->name, unit->name, unit->name, unit->name);
	outer = strtoull(text, NULL, 16);
	size = strtoull(text + 17, NULL, 16);
	number = add(fixture, unit->name, false);
	for (uint64_t i = 0; i < 3; i++) {
		lines_of(fixture, number, outer + i * size / 3, unit->by_libdw >> i & 1, found);
		/* the innermost line has the name of the call, the outer one is where it is called */
		assert_string_equal(found, unit->lines[i] ?: wanted[i]);
	}
}

#define SETTINGS(codes, long, by_signature, by_index, rows)                                      \
	"--defsym CODES=" #codes " --defsym LONG=" #long " --defsym BY_SIGNATURE=" #by_signature \
							 " --defsym BY_INDEX=" #by_index " --defsym ROWS=" #rows

FIXTURE_TEST(what_is_beyond_our_readers_is_read_by_libdw)
{
	static const struct unit_case cases[] = {
		{ "plain", SETTINGS(0, 0, 0, 0, 0), 0 },
		{ "many-abbreviations", SETTINGS(70000, 0, 0, 0, 0), 7 },
		{ "long-entry", SETTINGS(0, 20000, 0, 0, 0), 7 },
		{ "type-unit-5", SETTINGS(0, 0, 5, 0, 0), 2 },
		{ "type-unit-4", SETTINGS(0, 0, 4, 0, 0), 2 },
		{ "index-with-offset", SETTINGS(0, 0, 0, 1, 0), 0 }, /* which libdw does not know */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_unit(fixture, &cases[i]);
}

/* libdw would keep a hundred bytes of each row; the lines are found by our own reader, and the file of the call is not. */
FIXTURE_TEST(a_line_program_of_millions_of_rows_is_not_for_libdw)
{
	static const struct unit_case unit = {
		"many-rows",
		SETTINGS(70000, 0, 0, 0, 3000000),
		7,
		{ "- units.c:10\n", "inner units.c:10\n- ??:11\n", "- units.c:10\n" },
	};

	expect_unit(fixture, &unit);
}

/* The worker would be ended, and the file given up, when it does not look at the clock. */
FIXTURE_TEST(libdw_ends_in_time)
{
	static const char *const settings[][2] = {
		{ "many-ranges", " --defsym CALLS=3000 --defsym RANGES=1048576" },
		{ "deep", " --defsym DEPTH=200 --defsym BELOW=4000000" },
	};
	struct symbol_lines found;
	char text[TEXT];

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		struct symbol_query query = { .exact = true, .linked = true };
		const char *name = settings[i][0];

		run(fixture, text,
		    "as --gdwarf-5 %s%s -o %s.o $src/units.s && ld -shared -o %s %s.o && nm %s | grep outer",
		    SETTINGS(70000, 0, 0, 0, 0), settings[i][1], name, name, name, name);
		query.where = strtoull(text, NULL, 16);
		assert_int_equal(symbolizer_lines(fixture->symbolizer, add(fixture, name, false), &query, 1, true, 500,
						  &found),
				 -ETIME);
	}
}

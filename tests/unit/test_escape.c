/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that try to pass for something else, or to talk to the terminal; and ordinary ones, which must stay. */
#include "core/base/escape.h"

#include "core/base/alloc.h"
#include "core/base/vec.h"
#include "tests/harness.h"

/* Names that stay as they are. */
static const char *const kept[] = { "main",
				    "operator new(unsigned long)",
				    "foo(int, char)",
				    "std::pair<int, char>::swap(int, char)",
				    "<alloc::vec::Vec<T> as core::ops::Drop>::drop",
				    "core::ptr::drop_in_place<[u8]>",
				    "-[NSString length]",
				    "--help",
				    "~Thing",
				    "(sd-pam)",
				    "kworker/0:1-events",
				    "Web Content",
				    "swapper/0",
				    "main.(*T).Run",
				    "runtime.goexit.abi0",
				    "_ZN3fooE",
				    "a-b",
				    "100",
				    "x 1 2",
				    "libc.so.6",
				    "operator\"\" _km(long double)",
				    "operator<<",
				    "operator,",
				    "T::operator int() const",
				    "lambda#1",
				    "{closure#0}",
				    "caf\xc3\xa9",
				    "\xe4\xbd\xa0\xe5\xa5\xbd",
				    "\xf0\x9f\x98\x80",
				    "na\xc3\xafve \xc3\xbc"
				    "ber",
				    "\xd0\x96",
				    "\xd7\x90",
				    "\xd8\xa7",
				    "a=b&c|d",
				    "%s%n%x",
				    "$(reboot)",
				    "`id`",
				    "'quoted'",
				    "a\"b",
				    "<script>",
				    "#comment",
				    "@plt",
				    "!bang",
				    "\x3f",
				    "*",
				    "a]b[c",
				    "]",
				    "a[0]",
				    "^a$",
				    "{}",
				    "()",
				    "+0x10",
				    "name+0x10 [kernel]",
				    "x_[k]",
				    "1.5",
				    "~",
				    "|",
				    "tab_less",
				    "e\xcc\x81",
				    "\xe1\xba\x9e",
				    "\xea\xb0\x80",
				    "\xf0\xa0\x80\x80",
				    "\xe2\x82\xac",
				    "" };

/*
 * Bytes that show nothing, turn what follows them or are no UTF-8, separated by spaces: each of them is escaped, alone and
 * inside a name.
 */
static const char hidden[] =
	"\x7f \xc2\x80 \xc2\x83 \xc2\x86 \xc2\x89 \xc2\x8c \xc2\x8f \xc2\x92 \xc2\x95 \xc2\x98 \xc2\x9b "
	"\xc2\x9e \xc2\x85 \xc2\xad \xcd\x8f \xd8\x9c \xe1\x85\x9f \xe1\xa0\x8e \xe2\x80\x8b \xe2\x80\x8c "
	"\xe2\x80\x8d \xe2\x80\x8e \xe2\x80\x8f \xe2\x80\xa8 \xe2\x80\xa9 \xe2\x80\xaa \xe2\x80\xab "
	"\xe2\x80\xac \xe2\x80\xad \xe2\x80\xae \xe2\x81\xa0 \xe2\x81\xa1 \xe2\x81\xa6 \xe2\x81\xa7 "
	"\xe2\x81\xa8 \xe2\x81\xa9 \xe2\x81\xaf \xe3\x85\xa4 \xef\xb8\x8f \xef\xbb\xbf \xef\xbe\xa0 "
	"\xef\xbf\xb9 \xef\xbf\xba \xef\xbf\xbb \xf0\x9d\x85\xb3 \xf3\xa0\x80\x81 \xf3\xa0\x80\xa0 "
	"\xf3\xa0\x81\xbf \xf3\xa0\x84\x80 \xef\xb7\x90 \xef\xbf\xbe \xef\xbf\xbf \xf0\x9f\xbf\xbe "
	"\xf4\x8f\xbf\xbf \x80 \xbf \xc0\xaf \xc1\xbf \xc2 \xe0\x80\xaf \xe0\x9f\xbf \xed\xa0\x80 "
	"\xed\xbf\xbf \xe2\x82 \xf0\x80\x80\x80 \xf0\x8f\xbf\xbf \xf4\x90\x80\x80 \xf5\x80\x80\x80 "
	"\xf0\x9f\x98 \xfe \xff \xf8\x88\x80\x80\x80 \xe4\xf6\xfc \xc2\x1b";

struct name {
	const char *name, *folded;
};

static const struct name others[] = {
	{ "&amp;", "&amp\\x3b" },
	{ "\xc3(", "\\xc3(" },
	{ "\xe2(\xa1", "\\xe2(\\xa1" },
	{ "\xc3\xa9\xc3", "\xc3\xa9\\xc3" },
	{ "ok\xff", "ok\\xff" },
	{ "\xffok", "\\xffok" },
	{ "\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m" },
	{ "\x1b]0;title\x07", "\\x1b]0\\x3btitle\\x07" },
	{ "\x1b]8;;http://x\x1b\\", "\\x1b]8\\x3b\\x3bhttp://x\\x1b\\\\" },
	{ "\xc2\x9b"
	  "31m",
	  "\\xc2\\x9b31m" },
	{ "\x9b"
	  "31m",
	  "\\x9b31m" },
	{ "a\x0a"
	  "b 12",
	  "a\\x0ab 12" },
	{ "x\x0d\x0amain 99", "x\\x0d\\x0amain 99" },
	{ "a;b", "a\\x3bb" },
	{ ";", "\\x3b" },
	{ ";;", "\\x3b\\x3b" },
	{ "a;[Missed User Stack]", "a\\x3b[Missed User Stack]" },
	{ "[unknown]", "\\x5bunknown]" },
	{ "[Missed Kernel Stack]", "\\x5bMissed Kernel Stack]" },
	{ "[stack lost: ring full]", "\\x5bstack lost: ring full]" },
	{ "[", "\\x5b" },
	{ "-", "\\x2d" },
	{ "--", "\\x2d-" },
	{ "---", "\\x2d--" },
	{ "- x (1)", "\\x2d x (1)" },
	{ "-- x", "\\x2d- x" },
	{ "-                evil (1)", "\\x2d                evil (1)" },
	{ " ", "\\x20" },
	{ "   ", "\\x20\\x20\\x20" },
	{ " a", "\\x20a" },
	{ "a ", "a\\x20" },
	{ "    79", "\\x20\\x20\\x20\\x2079" },
	{ " a b ", "\\x20a b\\x20" },
	{ "  --", "\\x20\\x20\\x2d-" },
	{ " [x]", "\\x20\\x5bx]" },
	{ "- ", "\\x2d\\x20" },
	{ "\\", "\\\\" },
	{ "\\x1b", "\\\\x1b" },
	{ "a\\nb", "a\\\\nb" },
	{ "\\x3b", "\\\\x3b" },
	{ "C:\\win", "C:\\\\win" },
	{ "\x09", "\\x09" },
	{ "\x09"
	  "a",
	  "\\x09a" },
};

static VEC(struct name) names; /* all of them */

static void add_hidden(const char *before, const char *bytes, size_t nr, const char *behind)
{
	_cleanup_(buf_done) struct buf folded = {};
	struct name name = { .name = xasprintf("%s%.*s%s", before, (int)nr, bytes, behind) };

	buf_adds(&folded, before);
	for (size_t i = 0; i < nr; i++)
		buf_addf(&folded, "\\x%02x", (unsigned char)bytes[i]);
	buf_adds(&folded, behind);
	name.folded = xstrdup(buf_text(&folded));
	vec_push(&names, name);
}

static int collect_names(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		vec_push(&names, (struct name){ kept[i], kept[i] });
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		vec_push(&names, others[i]);
	for (const char *at = hidden; *at; at += strspn(at, " ")) {
		size_t nr = strcspn(at, " ");

		add_hidden("", at, nr, "");
		add_hidden("n", at, nr, "m");
		at += nr;
	}
	for (char control = 1; control < ' '; control++)
		add_hidden("a", &control, 1, "b");
	return 0;
}

TEST_GROUP(collect_names, NULL)

static const enum escape_form forms[] = { ESCAPE_LINE, ESCAPE_NAME, ESCAPE_MODULE, ESCAPE_FOLDED };

static bool is_valid_sequence(const unsigned char *at, size_t length)
{
	for (size_t i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* One line that a terminal only prints: no controls, valid UTF-8 (lengths only), no C1. */
static bool is_printable_line(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		size_t length = *at < 0x80 ? 1 : *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : 2;

		if (*at < 0x20 || *at == 0x7f || (*at >= 0x80 && *at < 0xc2) || !is_valid_sequence(at, length) ||
		    (*at == 0xc2 && at[1] < 0xa0))
			return false;
		at += length;
	}
	return true;
}

TEST(names_are_escaped_as_documented)
{
	_cleanup_(buf_done) struct buf text = {};

	for (size_t i = 0; i < names.nr; i++) {
		buf_clear(&text);
		escape_add(&text, names.data[i].name, ESCAPE_FOLDED);
		assert_string_equal(buf_text(&text), names.data[i].folded);
	}
	assert_true(names.nr >= 200);
}

TEST(every_form_is_one_printable_line)
{
	_cleanup_(buf_done) struct buf text = {};

	for (size_t i = 0; i < names.nr; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(forms); j++) {
			buf_clear(&text);
			escape_add(&text, names.data[i].name, forms[j]);
			if (!is_printable_line(buf_text(&text)))
				fail_msg("%s in form %zu", buf_text(&text), j);
		}
	}
}

static unsigned char hex_digit(char c)
{
	return (unsigned char)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* The documented way back. */
static void unescape(const char *text, char *ret_name)
{
	while (*text) {
		if (text[0] != '\\') {
			*ret_name++ = *text++;
		} else if (text[1] == '\\') {
			*ret_name++ = '\\';
			text += 2;
		} else {
			*ret_name++ = (char)(hex_digit(text[2]) << 4 | hex_digit(text[3]));
			text += 4;
		}
	}
	*ret_name = '\0';
}

TEST(escaped_names_can_be_told_apart)
{
	_cleanup_(buf_done) struct buf text = {};
	char name[256];

	for (size_t i = 0; i < names.nr; i++) {
		for (size_t j = 1; j < ARRAY_SIZE(forms); j++) {
			buf_clear(&text);
			escape_add(&text, names.data[i].name, forms[j]);
			unescape(buf_text(&text), name);
			assert_string_equal(name, names.data[i].name);
		}
	}
}

static void check(const char *name, enum escape_form form, const char *expected)
{
	_cleanup_(buf_done) struct buf text = {};

	escape_add(&text, name, form);
	assert_string_equal(buf_text(&text), expected);
}

TEST(forms_differ_where_they_should)
{
	check("a;b", ESCAPE_NAME, "a;b");
	check("a;b", ESCAPE_FOLDED, "a\\x3bb");
	check("^tcp_\\w+", ESCAPE_LINE, "^tcp_\\w+");
	check("^tcp_\\w+", ESCAPE_NAME, "^tcp_\\\\w+");
	check("  --", ESCAPE_LINE, "  --");
	check("[vdso]", ESCAPE_MODULE, "[vdso]");
	check("[", ESCAPE_MODULE, "[");
	check("a] [libc.so.6", ESCAPE_MODULE, "a\\x5d [libc.so.6");
	check("a] [libc.so.6]", ESCAPE_MODULE, "a\\x5d [libc.so.6]");
}

TEST(random_bytes_stay_printable_and_reversible)
{
	_cleanup_(buf_done) struct buf text = {};
	uint64_t seed = 42;
	char name[64], back[64];

	for (int round = 0; round < 20000; round++) {
		for (size_t i = 0; i < sizeof(name); i++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			name[i] = (char)(seed >> 56);
		}
		name[seed >> 32 & 63] = '\0';
		name[63] = '\0';
		buf_clear(&text);
		escape_add(&text, name, ESCAPE_FOLDED);
		assert_true(is_printable_line(buf_text(&text)));
		assert_null(strchr(buf_text(&text), ';'));
		unescape(buf_text(&text), back);
		assert_string_equal(back, name);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that try to pass for something else, or to talk to the terminal; and ordinary ones, which must stay. */
#include "core/base/escape.h"
#include "tests/harness.h"

static const struct {
	const char *name, *folded;
} names[] = {
	{ "main", "main" },
	{ "operator new(unsigned long)", "operator new(unsigned long)" },
	{ "foo(int, char)", "foo(int, char)" },
	{ "std::pair<int, char>::swap(int, char)", "std::pair<int, char>::swap(int, char)" },
	{ "<alloc::vec::Vec<T> as core::ops::Drop>::drop", "<alloc::vec::Vec<T> as core::ops::Drop>::drop" },
	{ "core::ptr::drop_in_place<[u8]>", "core::ptr::drop_in_place<[u8]>" },
	{ "-[NSString length]", "-[NSString length]" },
	{ "--help", "--help" },
	{ "~Thing", "~Thing" },
	{ "(sd-pam)", "(sd-pam)" },
	{ "kworker/0:1-events", "kworker/0:1-events" },
	{ "Web Content", "Web Content" },
	{ "swapper/0", "swapper/0" },
	{ "main.(*T).Run", "main.(*T).Run" },
	{ "runtime.goexit.abi0", "runtime.goexit.abi0" },
	{ "_ZN3fooE", "_ZN3fooE" },
	{ "a-b", "a-b" },
	{ "100", "100" },
	{ "x 1 2", "x 1 2" },
	{ "libc.so.6", "libc.so.6" },
	{ "operator\"\" _km(long double)", "operator\"\" _km(long double)" },
	{ "operator<<", "operator<<" },
	{ "operator,", "operator," },
	{ "T::operator int() const", "T::operator int() const" },
	{ "lambda#1", "lambda#1" },
	{ "{closure#0}", "{closure#0}" },
	{ "caf\xc3\xa9", "caf\xc3\xa9" },
	{ "\xe4\xbd\xa0\xe5\xa5\xbd", "\xe4\xbd\xa0\xe5\xa5\xbd" },
	{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
	{ "na\xc3\xafve \xc3\xbc"
	  "ber",
	  "na\xc3\xafve \xc3\xbc"
	  "ber" },
	{ "\xd0\x96", "\xd0\x96" },
	{ "\xd7\x90", "\xd7\x90" },
	{ "\xd8\xa7", "\xd8\xa7" },
	{ "a=b&c|d", "a=b&c|d" },
	{ "%s%n%x", "%s%n%x" },
	{ "$(reboot)", "$(reboot)" },
	{ "`id`", "`id`" },
	{ "'quoted'", "'quoted'" },
	{ "a\"b", "a\"b" },
	{ "<script>", "<script>" },
	{ "&amp;", "&amp\\x3b" },
	{ "#comment", "#comment" },
	{ "@plt", "@plt" },
	{ "!bang", "!bang" },
	{ "\x3f", "\x3f" },
	{ "*", "*" },
	{ "a]b[c", "a]b[c" },
	{ "]", "]" },
	{ "a[0]", "a[0]" },
	{ "^a$", "^a$" },
	{ "{}", "{}" },
	{ "()", "()" },
	{ "+0x10", "+0x10" },
	{ "name+0x10 [kernel]", "name+0x10 [kernel]" },
	{ "x_[k]", "x_[k]" },
	{ "1.5", "1.5" },
	{ "~", "~" },
	{ "|", "|" },
	{ "tab_less", "tab_less" },
	{ "e\xcc\x81", "e\xcc\x81" },
	{ "\xe1\xba\x9e", "\xe1\xba\x9e" },
	{ "\xea\xb0\x80", "\xea\xb0\x80" },
	{ "\xf0\xa0\x80\x80", "\xf0\xa0\x80\x80" },
	{ "\xe2\x82\xac", "\xe2\x82\xac" },
	{ "a\x01"
	  "b",
	  "a\\x01b" },
	{ "a\x02"
	  "b",
	  "a\\x02b" },
	{ "a\x03"
	  "b",
	  "a\\x03b" },
	{ "a\x04"
	  "b",
	  "a\\x04b" },
	{ "a\x05"
	  "b",
	  "a\\x05b" },
	{ "a\x06"
	  "b",
	  "a\\x06b" },
	{ "a\x07"
	  "b",
	  "a\\x07b" },
	{ "a\x08"
	  "b",
	  "a\\x08b" },
	{ "a\x09"
	  "b",
	  "a\\x09b" },
	{ "a\x0a"
	  "b",
	  "a\\x0ab" },
	{ "a\x0b"
	  "b",
	  "a\\x0bb" },
	{ "a\x0c"
	  "b",
	  "a\\x0cb" },
	{ "a\x0d"
	  "b",
	  "a\\x0db" },
	{ "a\x0e"
	  "b",
	  "a\\x0eb" },
	{ "a\x0f"
	  "b",
	  "a\\x0fb" },
	{ "a\x10"
	  "b",
	  "a\\x10b" },
	{ "a\x11"
	  "b",
	  "a\\x11b" },
	{ "a\x12"
	  "b",
	  "a\\x12b" },
	{ "a\x13"
	  "b",
	  "a\\x13b" },
	{ "a\x14"
	  "b",
	  "a\\x14b" },
	{ "a\x15"
	  "b",
	  "a\\x15b" },
	{ "a\x16"
	  "b",
	  "a\\x16b" },
	{ "a\x17"
	  "b",
	  "a\\x17b" },
	{ "a\x18"
	  "b",
	  "a\\x18b" },
	{ "a\x19"
	  "b",
	  "a\\x19b" },
	{ "a\x1a"
	  "b",
	  "a\\x1ab" },
	{ "a\x1b"
	  "b",
	  "a\\x1bb" },
	{ "a\x1c"
	  "b",
	  "a\\x1cb" },
	{ "a\x1d"
	  "b",
	  "a\\x1db" },
	{ "a\x1e"
	  "b",
	  "a\\x1eb" },
	{ "a\x1f"
	  "b",
	  "a\\x1fb" },
	{ "\x7f", "\\x7f" },
	{ "n\xc2\x80m", "n\\xc2\\x80m" },
	{ "n\xc2\x83m", "n\\xc2\\x83m" },
	{ "n\xc2\x86m", "n\\xc2\\x86m" },
	{ "n\xc2\x89m", "n\\xc2\\x89m" },
	{ "n\xc2\x8cm", "n\\xc2\\x8cm" },
	{ "n\xc2\x8fm", "n\\xc2\\x8fm" },
	{ "n\xc2\x92m", "n\\xc2\\x92m" },
	{ "n\xc2\x95m", "n\\xc2\\x95m" },
	{ "n\xc2\x98m", "n\\xc2\\x98m" },
	{ "n\xc2\x9bm", "n\\xc2\\x9bm" },
	{ "n\xc2\x9em", "n\\xc2\\x9em" },
	{ "n\xc2\x85m", "n\\xc2\\x85m" },
	{ "n\xc2\xadm", "n\\xc2\\xadm" },
	{ "n\xcd\x8fm", "n\\xcd\\x8fm" },
	{ "n\xd8\x9cm", "n\\xd8\\x9cm" },
	{ "n\xe1\x85\x9fm", "n\\xe1\\x85\\x9fm" },
	{ "n\xe1\xa0\x8em", "n\\xe1\\xa0\\x8em" },
	{ "n\xe2\x80\x8bm", "n\\xe2\\x80\\x8bm" },
	{ "n\xe2\x80\x8cm", "n\\xe2\\x80\\x8cm" },
	{ "n\xe2\x80\x8dm", "n\\xe2\\x80\\x8dm" },
	{ "n\xe2\x80\x8em", "n\\xe2\\x80\\x8em" },
	{ "n\xe2\x80\x8fm", "n\\xe2\\x80\\x8fm" },
	{ "n\xe2\x80\xa8m", "n\\xe2\\x80\\xa8m" },
	{ "n\xe2\x80\xa9m", "n\\xe2\\x80\\xa9m" },
	{ "n\xe2\x80\xaam", "n\\xe2\\x80\\xaam" },
	{ "n\xe2\x80\xabm", "n\\xe2\\x80\\xabm" },
	{ "n\xe2\x80\xacm", "n\\xe2\\x80\\xacm" },
	{ "n\xe2\x80\xadm", "n\\xe2\\x80\\xadm" },
	{ "n\xe2\x80\xaem", "n\\xe2\\x80\\xaem" },
	{ "n\xe2\x81\xa0m", "n\\xe2\\x81\\xa0m" },
	{ "n\xe2\x81\xa1m", "n\\xe2\\x81\\xa1m" },
	{ "n\xe2\x81\xa6m", "n\\xe2\\x81\\xa6m" },
	{ "n\xe2\x81\xa7m", "n\\xe2\\x81\\xa7m" },
	{ "n\xe2\x81\xa8m", "n\\xe2\\x81\\xa8m" },
	{ "n\xe2\x81\xa9m", "n\\xe2\\x81\\xa9m" },
	{ "n\xe2\x81\xafm", "n\\xe2\\x81\\xafm" },
	{ "n\xe3\x85\xa4m", "n\\xe3\\x85\\xa4m" },
	{ "n\xef\xb8\x8fm", "n\\xef\\xb8\\x8fm" },
	{ "n\xef\xbb\xbfm", "n\\xef\\xbb\\xbfm" },
	{ "n\xef\xbe\xa0m", "n\\xef\\xbe\\xa0m" },
	{ "n\xef\xbf\xb9m", "n\\xef\\xbf\\xb9m" },
	{ "n\xef\xbf\xbam", "n\\xef\\xbf\\xbam" },
	{ "n\xef\xbf\xbbm", "n\\xef\\xbf\\xbbm" },
	{ "n\xf0\x9d\x85\xb3m", "n\\xf0\\x9d\\x85\\xb3m" },
	{ "n\xf3\xa0\x80\x81m", "n\\xf3\\xa0\\x80\\x81m" },
	{ "n\xf3\xa0\x80\xa0m", "n\\xf3\\xa0\\x80\\xa0m" },
	{ "n\xf3\xa0\x81\xbfm", "n\\xf3\\xa0\\x81\\xbfm" },
	{ "n\xf3\xa0\x84\x80m", "n\\xf3\\xa0\\x84\\x80m" },
	{ "n\xef\xb7\x90m", "n\\xef\\xb7\\x90m" },
	{ "n\xef\xbf\xbem", "n\\xef\\xbf\\xbem" },
	{ "n\xef\xbf\xbfm", "n\\xef\\xbf\\xbfm" },
	{ "n\xf0\x9f\xbf\xbem", "n\\xf0\\x9f\\xbf\\xbem" },
	{ "n\xf4\x8f\xbf\xbfm", "n\\xf4\\x8f\\xbf\\xbfm" },
	{ "\x80", "\\x80" },
	{ "\xbf", "\\xbf" },
	{ "\xc0\xaf", "\\xc0\\xaf" },
	{ "\xc1\xbf", "\\xc1\\xbf" },
	{ "\xc2", "\\xc2" },
	{ "\xc3(", "\\xc3(" },
	{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf" },
	{ "\xe0\x9f\xbf", "\\xe0\\x9f\\xbf" },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
	{ "\xed\xbf\xbf", "\\xed\\xbf\\xbf" },
	{ "\xe2\x82", "\\xe2\\x82" },
	{ "\xe2(\xa1", "\\xe2(\\xa1" },
	{ "\xf0\x80\x80\x80", "\\xf0\\x80\\x80\\x80" },
	{ "\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf" },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
	{ "\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80" },
	{ "\xf0\x9f\x98", "\\xf0\\x9f\\x98" },
	{ "\xfe", "\\xfe" },
	{ "\xff", "\\xff" },
	{ "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80" },
	{ "\xc3\xa9\xc3", "\xc3\xa9\\xc3" },
	{ "ok\xff", "ok\\xff" },
	{ "\xffok", "\\xffok" },
	{ "\xe4\xf6\xfc", "\\xe4\\xf6\\xfc" },
	{ "\xc2\x1b", "\\xc2\\x1b" },
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
	{ "a\x0d"
	  "b",
	  "a\\x0db" },
	{ "a\x08"
	  "b",
	  "a\\x08b" },
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
	{ "", "" },
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

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

	for (size_t i = 0; i < NR(names); i++) {
		buf_clear(&text);
		escape_add(&text, names[i].name, ESCAPE_FOLDED);
		assert_string_equal(buf_text(&text), names[i].folded);
	}
	assert_true(NR(names) >= 200);
}

TEST(every_form_is_one_printable_line)
{
	_cleanup_(buf_done) struct buf text = {};

	for (size_t i = 0; i < NR(names); i++) {
		for (size_t j = 0; j < NR(forms); j++) {
			buf_clear(&text);
			escape_add(&text, names[i].name, forms[j]);
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

	for (size_t i = 0; i < NR(names); i++) {
		for (size_t j = 1; j < NR(forms); j++) {
			buf_clear(&text);
			escape_add(&text, names[i].name, forms[j]);
			unescape(buf_text(&text), name);
			assert_string_equal(name, names[i].name);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mangled names: good ones become readable, hostile ones stay as they are, and soon. */
#include "symbolize/worker/demangle.h"

#include <time.h>

#include "tests/harness.h"

static char readable[DEMANGLED_MAX_BYTES];

static bool try_demangle(const char *mangled)
{
	return demangle((struct name){ mangled, strlen(mangled) }, readable);
}

TEST(mangled_names_become_readable)
{
	static const char *const names[][2] = {
		{ "_Z3foov", "foo()" },
		{ "_ZN4llvm5Value7setNameERKNS_5TwineE", "llvm::Value::setName(llvm::Twine const&)" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
		  "std::vector<int, std::allocator<int> >::push_back(int const&)" },
		{ "_Z3foov.cold", "foo() [clone .cold]" },
		{ "_ZTv0_n24_N1A1fEv", "virtual thunk to A::f()" },
		{ "_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place" },
		{ "_ZN60_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$4drop17h0123456789abcdefE",
		  "<alloc::vec::Vec<T> as core::ops::Drop>::drop" },
		{ "_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example" },
		{ "_RNvXCs15kBYyAo9fc_7mycrateNtB2_7ExampleNtB2_5Trait3foo",
		  "<mycrate::Example as mycrate::Trait>::foo" },
		{ "_Dmain", "D main" },
		{ "_D4test3funFiZi", "test.fun(int)" },
		{ "_D3app__T3mapTiZQhFNaNbNiNfiZi", "app.map!(int).map(int)" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_true(try_demangle(names[i][0]));
		assert_string_equal(readable, names[i][1]);
	}
}

TEST(other_names_are_not_touched)
{
	static const char *const names[] = { "",     "_Z",     "_R",      "main",     "_start", "_ZZZZ",
					     "_RNv", "_Zebra", "_Random", "__Z3foo",  "Z3foov", "_Z3fo",
					     "_D",   "_D2foo", "_Debug",  "_Dmainly", "_D9foo" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_false(try_demangle(names[i]));
}

/* The name of a substitution: S_, S0_ … SZ_, S10_ … */
static const char *substitution(unsigned int number)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static char text[8];

	if (number > 36)
		snprintf(text, sizeof(text), "S%c%c_", digits[(number - 1) / 36], digits[(number - 1) % 36]);
	else if (number)
		snprintf(text, sizeof(text), "S%c_", digits[number - 1]);
	return number ? text : "S_";
}

enum {
	BOMB_BYTES = 1024
};

/* f(A, B<A, A>, C<B<A, A>, B<A, A> >, …): each argument is twice as long as the one before. */
static void make_bomb(char *bomb, unsigned int levels)
{
	size_t nr = (size_t)snprintf(bomb, BOMB_BYTES, "_Z1f1A");

	for (unsigned int level = 0; level < levels; level++) {
		char before[8];

		snprintf(before, sizeof(before), "%s", substitution(level ? 2 * level : 0));
		nr += (size_t)snprintf(bomb + nr, BOMB_BYTES - nr, "1%cI%s%sE", 'B' + (int)level, before, before);
	}
}

TEST(a_bomb_stays_mangled_and_costs_no_time)
{
	char bomb[BOMB_BYTES];
	clock_t start;

	make_bomb(bomb, 3);
	assert_true(try_demangle(bomb));
	assert_string_equal(readable, "f(A, B<A, A>, C<B<A, A>, B<A, A> >, "
				      "D<C<B<A, A>, B<A, A> >, C<B<A, A>, B<A, A> > >)");
	make_bomb(bomb, 24);
	assert_true(strlen(bomb) < 300);
	start = clock();
	assert_false(try_demangle(bomb));
	assert_true(clock() - start < CLOCKS_PER_SEC / 4);
}

/* More references back than any name has: each could double what is shown. */
TEST(a_bomb_of_references_stays_mangled)
{
	char bomb[256] = "_D4test3funFiZi", *end = bomb + strlen(bomb);

	assert_true(try_demangle(bomb));
	memset(end, 'Q', 100);
	assert_false(try_demangle(bomb));
}

TEST(a_name_after_a_bomb_is_demangled)
{
	char bomb[BOMB_BYTES];

	make_bomb(bomb, 24);
	for (int i = 0; i < 100; i++) {
		assert_false(try_demangle(bomb));
		assert_true(try_demangle("_Z3foov"));
		assert_string_equal(readable, "foo()");
	}
}

TEST(very_long_names_stay_mangled)
{
	char name[6000];

	snprintf(name, sizeof(name), "_Z4000");
	memset(name + 6, 'x', 4000);
	memcpy(name + 4006, "v", 2);
	assert_true(try_demangle(name));
	snprintf(name, sizeof(name), "_Z5000");
	memset(name + 6, 'x', 5000);
	memcpy(name + 5006, "v", 2);
	assert_false(try_demangle(name));
}

TEST(deep_nesting_does_not_exhaust_the_stack)
{
	char name[4096] = "_Z1f";

	memset(name + 4, 'P', 4000);
	memcpy(name + 4004, "v", 2);
	try_demangle(name);
	for (int i = 0; i < 2000; i++)
		memcpy(name + 4 + 2 * i, "PF", 2);
	try_demangle(name);
	for (int i = 0; i < 2000; i++)
		memcpy(name + 4 + 2 * i, "1A", 2);
	memcpy(name, "_ZN", 3);
	try_demangle(name);
	memset(name + 3, 'X', 4000);
	try_demangle(name);
	memcpy(name, "_RNv", 4);
	memset(name + 4, 'N', 4000);
	try_demangle(name);
	memcpy(name, "_RI", 3);
	memset(name + 3, 'R', 4000);
	try_demangle(name);
}

static void expect_stem(const char *whole, const char *expected)
{
	struct name stem;

	assert_true(demangled_stem(whole, &stem));
	if (stem.nr_bytes != strlen(expected) || memcmp(stem.text, expected, stem.nr_bytes) != 0)
		fail_msg("'%s': '%.*s', not '%s'", whole, (int)stem.nr_bytes, stem.text, expected);
}

TEST(stems_have_neither_parameters_nor_return_type)
{
	struct name stem;

	expect_stem("f()", "f");
	expect_stem("ns::T::f(int, void (*)(char)) const", "ns::T::f");
	expect_stem("ns::T::f() const &", "ns::T::f");
	expect_stem("void ns::f<int>(int)", "ns::f<int>");
	expect_stem("std::vector<int, std::allocator<int> > ns::f<std::map<int, char> >(int)",
		    "ns::f<std::map<int, char> >");
	expect_stem("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
	expect_stem("int (anonymous namespace)::f<char>(int)", "(anonymous namespace)::f<char>");
	expect_stem("ns::T::operator()(int) const", "ns::T::operator()");
	expect_stem("f(int)::{lambda(char)#1}::operator()(char) const", "f(int)::{lambda(char)#1}::operator()");
	expect_stem("operator new(unsigned long)", "operator new");
	expect_stem("ns::operator<<(ns::T&, int)", "ns::operator<<");
	expect_stem("std::T::~T()", "std::T::~T");
	assert_false(demangled_stem("app::run", &stem));
	assert_false(demangled_stem("<(A, B) as app::Trait>::run", &stem));
	assert_false(demangled_stem("f(int) [clone .cold]", &stem));
	assert_false(demangled_stem("", &stem));
	assert_false(demangled_stem(")", &stem));
	assert_false(demangled_stem("()", &stem));
	assert_false(demangled_stem("a))", &stem));
}

static void expect_rust(const char *name, const char *cut, const char *opened)
{
	char text[256];

	snprintf(text, sizeof(text), "%s", name);
	assert_int_equal(demangled_rust_cut(text), strcmp(cut, name) != 0);
	assert_string_equal(text, cut);
	assert_int_equal(demangled_rust_open(text), strcmp(opened, cut) != 0);
	assert_string_equal(text, opened);
}

TEST(rusts_names_have_a_short_form)
{
	expect_rust("a::f", "a::f", "a::f");
	expect_rust("a::f::<u8>", "a::f", "a::f");
	expect_rust("a::f::<b::T<u8>, fn(u8) -> u8>", "a::f", "a::f");
	expect_rust("<a::T>::f", "<a::T>::f", "a::T::f");
	expect_rust("<a::T<b::U<u8>, fn() -> u8>>::f::<<u8 as a::B>::C>", "<a::T<b::U<u8>, fn() -> u8>>::f",
		    "a::T<b::U<u8>, fn() -> u8>::f");
	expect_rust("<a::T<<u8 as b::B>::C>>::f", "<a::T<<u8 as b::B>::C>>::f", "a::T<<u8 as b::B>::C>::f");
	expect_rust("<a::T as b::B>::f", "<a::T as b::B>::f", "<a::T as b::B>::f");
	expect_rust("a::f::{closure#0}", "a::f::{closure#0}", "a::f::{closure#0}");
	expect_rust("<a::T>", "<a::T>", "<a::T>");
	expect_rust("<a::T", "<a::T", "<a::T");
	expect_rust("a::T>", "a::T>", "a::T>");
	expect_rust("::<u8>", "::<u8>", "::<u8>");
	expect_rust("a ->", "a ->", "a ->");
	expect_rust("<", "<", "<");
	expect_rust(">", ">", ">");
	expect_rust("", "", "");
}

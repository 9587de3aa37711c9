#!/bin/sh
# ctest: host
# list and addr2sym --find print readable names, and whatever they print can be typed again as a probe: the readable name and, with
# --no-demangle, the one of the symbol table.
. "${0%/*}/lib.sh"
needs program:g++

cat >"$T/program.cc" <<'END'
#include <string>
#include <vector>

namespace ns {
struct thing {
	long f(const char *text, std::vector<int> all) { return text[0] + (long)all.size(); }
	thing operator*(int) const { return *this; }
	bool operator<(const thing &) const { return true; }
	template <class T> T same(T value) { return value; }
	operator long() const { return 3; }
	virtual ~thing();
	long value = 1;
};
thing::~thing() { value = 0; }
namespace {
int hidden(int (*call)(char, ...)) { return call ? 1 : 2; }
}
}

int main(int argc, char **argv)
{
	ns::thing thing;
	auto lambda = [&](int value) { return value + argc; };
	return (int)((thing * 2).f(argv[0], { 1 }) + thing.same(3L) + lambda(1) + (thing < thing) + (long)thing + ns::hidden(nullptr));
}
END
g++ -O0 -o "$T/program" "$T/program.cc" || fail 'g++'

# names OPTION…: what list prints of the program's own functions
names() {
	returns 0 list "$@" "$T/program:*"
	sed -n "s|^user function  \(.*[^ ]\)  *$T/program\$|\1|p" "$T/out" | grep -E "$regex" >"$T/names"
	[ "$(wc -l <"$T/names")" -ge 8 ] || fail "only $(wc -l <"$T/names") functions"
}

# typed OPTION…: each of them is found by that name
typed() {
	while IFS= read -r name; do
		"$STACKTOOL" list "$@" "$T/program:$name" >"$T/out" 2>"$T/err" || fail "list '$name': $(cat "$T/err")"
		grep -qF "user function  $name  " "$T/out" || fail "'$name' typed again is another one"
		"$STACKTOOL" list "$@" -l "$T/program" "$name" >"$T/out" 2>"$T/err" || fail "list -l '$name': $(cat "$T/err")"
	done <"$T/names"
}

regex='ns::|^main'
names
typed
for name in 'ns::thing::operator*(int) const' 'ns::(anonymous namespace)::hidden(int (*)(char, ...))' 'long ns::thing::same<long>(long)' main; do
	grep -qxF "$name" "$T/names" || fail "no '$name'"
done
! grep -q '_Z' "$T/names" || fail 'mangled names'
regex='ns[0-9]|^main'
names --no-demangle
typed --no-demangle
tool list "$T/program:_ZNK2ns5thingmlEi"
expect_out '^user function  ns::thing::operator\*\(int\) const  '

tool addr2sym -e "$T/program" --find 'ns::thing::f'
expect_out '^0x[0-9a-f]+ ns::thing::f\(char const\*, std::vector<int, std::allocator<int> ?>\)$'
tool addr2sym -e "$T/program" --find 'ns::thing::~thing'
[ "$(sort "$T/out" | uniq -d | wc -l)" = 0 ] || fail 'a line is there twice'
tool addr2sym -e "$T/program" --no-demangle --find 'ns::thing::f'
expect_out '^0x[0-9a-f]+ _ZN2ns5thing1fE'

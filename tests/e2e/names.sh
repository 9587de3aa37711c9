#!/bin/sh
# ctest: host
# Functions named as people read them: C++ with and without parameters, templates, Rust in both of its manglings, and names as Go
# has them. Rust and Go by symbols of their form, and by their own compilers where those are there.
. "${0%/*}/lib.sh"
needs uprobe program:g++

cat >"$T/names.cc" <<'END'
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

namespace ns
{
struct T {
	int x;
	NOINLINE void method(int i) const;
};
NOINLINE void T::method(int i) const
{
	__asm__ volatile("" : : "r"(i), "r"(x));
}
NOINLINE void func(int i)
{
	__asm__ volatile("" : : "r"(i));
}
NOINLINE void func(const char *text)
{
	__asm__ volatile("" : : "r"(text));
}
template <typename V> NOINLINE void shape(V value)
{
	__asm__ volatile("" : : "r"(value));
}
}

#define NAMED(function, symbol)                                \
	extern "C" NOINLINE void function() __asm__("\"" symbol "\""); \
	void function()                                        \
	{                                                      \
		__asm__ volatile("");                          \
	}

NAMED(go_function, "main.work")
NAMED(go_method, "main.(*T).f")
NAMED(go_value_method, "main.T.g")
NAMED(go_closure, "main.work.func1")
NAMED(go_generic, "main.pick[go.shape.int]")
NAMED(go_package, "example.org/deep/pkg.Run")
NAMED(rust_function, "_RNvNtCs6GmmlP4bgsG_1r2ns4func")
NAMED(rust_of_bytes, "_RINvNtCs6GmmlP4bgsG_1r2ns7generichEB4_")
NAMED(rust_of_words, "_RINvNtCs6GmmlP4bgsG_1r2ns7genericyEB4_")
NAMED(rust_method, "_RNvMNtCs6GmmlP4bgsG_1r2nsNtB2_1T6method")
NAMED(rust_area, "_RNvXs_NtCs6GmmlP4bgsG_1r2nsNtB4_1TNtB4_5Shape4area")
NAMED(old_function, "_ZN3old2ns4func17h8633ded96c5dafecE")
NAMED(old_of_bytes, "_ZN3old2ns7generic17h6cacd722d409a7edE")
NAMED(old_of_words, "_ZN3old2ns7generic17hf127475345297d1bE")
NAMED(old_method, "_ZN3old2ns1T6method17h9c9e56ad2940ffdfE")
NAMED(old_area, "_ZN45_$LT$old..ns..T$u20$as$u20$old..ns..Shape$GT$4area17h4ec7f0bb140061beE")

static void call_others()
{
	go_function(), go_method(), go_value_method(), go_closure(), go_generic(), go_package();
	rust_function(), rust_function(), rust_of_bytes(), rust_of_words(), rust_method(), rust_area();
	old_function(), old_function(), old_of_bytes(), old_of_words(), old_method(), old_area();
}

static void hold()
{
	char byte;

	fflush(stdout);
	while (read(0, &byte, 1) == 1 && byte != '\n')
		;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	ns::T object = {rounds};

	printf("READY %d\n", (int)getpid());
	hold();
	for (int i = 0; i < rounds; i++) {
		ns::func(i);
		ns::func("text");
		ns::func("more");
		object.method(i);
		ns::shape(i);
		call_others();
	}
	printf("DONE\n");
	hold();
	return 0;
}
END
g++ -O1 -fno-omit-frame-pointer -o "$T/names" "$T/names.cc" || fail "g++ does not compile"

# called FUNCTION TIMES: calls in $program
called() {
	trace "$program" 100 -- count -f -p PID "p:$program:$1"
	expect_equal "calls of $1" "$(folded_sum)" "$2"
}

program=$T/names
called 'ns::func' 300
called 'ns::func(int)' 100
called 'ns::func(char const*)' 200
called '_ZN2ns4funcEi' 100
called 'ns::T::method' 100
called 'ns::T::method(int) const' 100
called 'ns::shape<int>' 100
called 'ns::shape*' 100
called 'ns::*' 500
called 'ns::f*(int)' 100
called 'main.(*T).f' 100
called 'main.(*).f' 100
called 'main.work*' 200
called 'main.*' 500
called 'main.pick[go.shape.int]' 100
called 'example.org/deep/pkg.Run' 100

# crate PREFIX: what both manglings have
crate() {
	called "$1::ns::func" 200
	called "$1::ns::generic" 200
	called "$1::ns::gen*" 200
	called "$1::ns::T::method" 100
	called "<$1::ns::T as $1::ns::Shape>::area" 100
	called "*Shape>::area" 200
	called "$1::ns::*" "$2"
}
crate old 500
crate r 500
called 'r::ns::generic::<u8>' 100
called '<r::ns::T>::method' 100
called '_RNvNtCs6GmmlP4bgsG_1r2ns4func' 200

# Each by its readable name
trace "$program" 100 -- funccount -p PID "p:$program:*ns::*"
sed -E 's/[[:space:]]+/ /g' "$T/out" >"$T/rows"
for row in 'ns::func(int) 100' 'ns::func(char const*) 200' 'ns::T::method(int) const 100' 'void ns::shape<int>(int) 100' \
	'r::ns::func 200' 'r::ns::generic::<u8> 100' '<r::ns::T>::method 100' 'old::ns::func 200' \
	'<old::ns::T as old::ns::Shape>::area 100'; do
	grep -qF "$row" "$T/rows" || fail "no row '$row'"
done

# What the compilers themselves make of it
if command -v rustc >/dev/null; then
	cat >"$T/real.rs" <<'END'
use std::hint::black_box;
use std::io::Read;

mod ns {
    use std::hint::black_box;

    pub struct T {
        pub x: u64,
    }
    pub trait Shape {
        fn area(&self) -> u64;
    }
    impl T {
        #[inline(never)]
        pub fn method(&self, i: u64) -> u64 {
            black_box(i + self.x)
        }
    }
    impl Shape for T {
        #[inline(never)]
        fn area(&self) -> u64 {
            black_box(self.x * 2)
        }
    }
    #[inline(never)]
    pub fn func(i: u64) -> u64 {
        black_box(i)
    }
    #[inline(never)]
    pub fn generic<V: Copy>(v: V) -> V {
        black_box(v)
    }
}
use ns::Shape;

fn hold() {
    let mut byte = [0u8; 1];
    while let Ok(1) = std::io::stdin().read(&mut byte) {
        if byte[0] == b'\n' {
            break;
        }
    }
}

fn main() {
    println!("READY {}", std::process::id());
    hold();
    let t = ns::T { x: 3 };
    for i in 0..100u64 {
        ns::func(i);
        ns::func(i + 1);
        black_box(t.method(i) + t.area() + ns::generic(i) + u64::from(ns::generic(i as u8)));
    }
    println!("DONE");
    hold();
}
END
	for mangling in legacy v0; do
		RUSTC_BOOTSTRAP=1 rustc -O -Z unstable-options -C symbol-mangling-version=$mangling --crate-name real -o "$T/real" \
			"$T/real.rs" >"$T/compiler" 2>&1 || fail "rustc: $(cat "$T/compiler")"
		program=$T/real
		called 'real::ns::generic' 200
		called 'real::ns::T::method' 100
		called 'real::ns::*' 500
	done
fi
golang=$(unset -f go && command -v go)
if [ -n "$golang" ]; then
	cat >"$T/real.go" <<'END'
package main

import (
	"fmt"
	"os"
)

type T struct{ x int }

//go:noinline
func (t *T) f(i int) { t.x += i }

//go:noinline
func (t T) g(i int) int { return t.x + i }

//go:noinline
func work(i int) int { return i + 1 }

func hold() {
	var b [1]byte
	for {
		if n, err := os.Stdin.Read(b[:]); n < 1 || err != nil || b[0] == '\n' {
			return
		}
	}
}

func main() {
	fmt.Println("READY", os.Getpid())
	hold()
	t := T{1}
	for i := 0; i < 100; i++ {
		t.f(i)
		t.x = t.g(i) + work(i)
	}
	fmt.Println("DONE")
	hold()
}
END
	GO111MODULE=off GOFLAGS= GOCACHE=${GOCACHE:-$T/go-cache} HOME=$T "$golang" build -o "$T/goer" "$T/real.go" >"$T/compiler" 2>&1 ||
		fail "go: $(cat "$T/compiler")"
	program=$T/goer
	called 'main.(*T).f' 100
	called 'main.work' 100
fi

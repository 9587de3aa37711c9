#!/bin/sh
# ctest: host
# A container with another libc than ours, in mount and pid namespaces of its own, that deletes its program and libc after the
# start and names generated code in its private /tmp: when it has gone with all of that, every place has its name, but in code of
# musl that has no symbol.
. "${0%/*}/lib.sh"
needs perf-event pid-namespace program:musl-gcc program:unshare

cat >"$T/contained.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

#ifdef __x86_64__
/* push %rbp; mov %rsp,%rbp; mov $100000,%rax; 1: dec %rax; jnz 1b; pop %rbp; ret */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xc7, 0xc0, 0xa0, 0x86,
				      0x01, 0x00, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0x5d, 0xc3 };
#else
static const unsigned int code[] = { 0xa9bf7bfd, 0x910003fd, 0xd2a00020, 0xf1000400, 0x54ffffe1, 0xa8c17bfd, 0xd65f03c0 };
#endif
static char text[1 << 20];

NOINLINE static void own_code(void)
{
	for (volatile int i = 0; i < 50000; i++)
		;
}

static void (*generate(void))(void)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;

	memcpy(memory, code, sizeof(code));
	__builtin___clear_cache(memory, (char *)memory + sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		exit(3);
	fprintf(map, "%lx %zx generated_code\n", (unsigned long)memory, sizeof(code));
	fclose(map);
	return (void (*)(void))memory;
}

int main(int argc, char **argv)
{
	void (*generated)(void) = generate();
	size_t (*volatile length)(const char *) = strlen;

	for (int i = 1; i < argc; i++)
		if (unlink(argv[i]))
			return 4;
	/* memset() of musl has no symbol where it takes these 256 page faults; how long they take is the host's. */
	for (volatile char *at = text; at < text + sizeof(text) - 1; at++)
		*at = 'x';
	while (clock() < CLOCKS_PER_SEC / 2) {
		own_code();
		generated();
		length(text);
	}
	return 0;
}
END
musl-gcc -O1 -g0 -fno-omit-frame-pointer -o "$T/contained.bin" "$T/contained.c" || fail "musl-gcc does not compile"
loader=$(readelf -lW "$T/contained.bin" | sed -nE 's/.*program interpreter: ([^]]*)\].*/\1/p')
mkdir -p "$T/root${loader%/*}" "$T/root/tmp" "$T/root/app"
cp "$(readlink -f "$loader")" "$T/root$loader"
mv "$T/contained.bin" "$T/root/app/contained"

cat >"$T/container" <<END
#!/bin/sh
exec unshare -mpf sh -c 'mount -t tmpfs none "\$1/tmp" && exec chroot "\$1" /app/contained /app/contained "\$2"' - \
	"$T/root" "$loader"
END
chmod 755 "$T/container"

returns 0 profile -U -A -F 997 -- "$T/container"
[ ! -e "$T/root/app/contained" ] && [ ! -e "$T/root$loader" ] || fail "the container has deleted nothing"
# Every place has its name. Debian's musl has neither symbols nor unwind entries for its inner functions, and no tool names
# those: they may be without, in that file alone, which is known although it is gone. What lies in no file and in no generated
# code is not a place: before a program's tables are there a frame pointer may lead anywhere, in as many stacks as the tool says.
awk -v libc="[${loader##*/}]" -v early="$(said_of 'user stacks walked by frame pointers: no unwind tables yet')" '
	/^    0x/ { # innermost first: address, name, file
		frames[nr++] = $0
		next
	}
	/^    -  .* \(/ { comm = $2 }
	/^ +[0-9]+$/ {
		for (i = 0; comm == "contained" && i < nr; i++) {
			split(frames[i], word, " ")
			sub(/\+0x[0-9a-f]+$/, "", word[2])
			if (!i)
				leaf[word[2]] += $1
			if (word[2] == "main")
				mains += $1
			if (word[2] == "[unknown]" && word[3] == "")
				nowhere += $1
			else if (word[2] == "[unknown]" && word[3] != libc) {
				print frames[i]
				unnamed++
			}
		}
		all += comm == "contained" ? $1 : 0
		nr = 0
		comm = ""
	}
	END {
		printf "%d samples, %d below main: own_code %d, generated_code %d, strlen %d; %d in nameless code of musl, %d nowhere\n",
			all, mains, leaf["own_code"], leaf["generated_code"], leaf["strlen"], leaf["[unknown]"], nowhere
		exit !(all > 200 && mains > all / 4 && leaf["own_code"] > all / 50 && leaf["generated_code"] > all / 50 &&
			leaf["strlen"] > all / 50 && leaf["[unknown]"] * 50 <= all && nowhere <= early && !unnamed)
	}' "$T/out" >"$T/sums" || fail "names are missing: $(cat "$T/sums")"
cat "$T/sums"

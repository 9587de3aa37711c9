#!/bin/sh
# ctest: host
# Libraries as a process finds them whose C library is musl: on this host, and in an image with another root, in a mount namespace
# of its own, where musl lies as in Alpine's: under the loader's name, with its own as a link to that.
. "${0%/*}/lib.sh"
needs uprobe program:musl-gcc program:unshare program:chroot

cat >"$T/main.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

void part_work(int round);

static void hold(void)
{
	char byte;

	fflush(stdout);
	while (read(0, &byte, 1) == 1 && byte != '\n')
		;
}

static void *be_a_thread(void *context)
{
	return context;
}

NOINLINE static void allocate(void)
{
	void *volatile memory = malloc(100);

	free(memory);
	__asm__ volatile("");
}

NOINLINE static void start(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, be_a_thread, NULL);
	pthread_join(thread, NULL);
}

NOINLINE static void load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*late_work)(int) = library ? (void (*)(int))dlsym(library, "late_work") : NULL;

	for (int i = 0; late_work && i < 100; i++)
		late_work(i);
}

int main(int argc, char **argv)
{
	if (getenv("ST_CHROOT") && chroot(getenv("ST_CHROOT")))
		return 1;
	printf("READY %d\n", (int)getpid());
	hold();
	for (int i = 0; i < 100; i++) {
		allocate();
		part_work(i);
	}
	start();
	load(argv[argc - 1]);
	printf("DONE\n");
	hold();
	return 0;
}
END
for name in part late; do
	echo "void ${name}_work(int round) { __asm__ volatile(\"\" : : \"r\"(round)); }" >"$T/$name.c"
	musl-gcc -O1 -fno-omit-frame-pointer -fPIC -shared -Wl,-soname,lib$name.so.2 -o "$T/lib$name.so.2.1" "$T/$name.c" ||
		fail "musl-gcc does not compile"
	ln -s lib$name.so.2.1 "$T/lib$name.so.2"
done
musl-gcc -O1 -fno-omit-frame-pointer -Wl,-rpath,"$T" -o "$T/main" "$T/main.c" "$T/libpart.so.2" || fail "musl-gcc does not compile"
loader=$(readelf -lW "$T/main" | sed -nE 's/.*program interpreter: ([^]]*)\].*/\1/p')

# called PROGRAM PATTERN FUNCTION TIMES: as calls of FUNCTION, whoever else calls it
called() {
	trace "$1" "$late" -- count -f -p PID "$2"
	plain_names "$T/out" >"$T/plain"
	expect_equal "$1: calls of $2" "$(folded_sum_of "$3 [0-9]+\$" "$T/plain")" "$4"
}

late=$T/liblate.so.2
called "$T/main" c:malloc ';allocate;malloc' 100
called "$T/main" libc.so:malloc ';allocate;malloc' 100
called "$T/main" part:part_work ';main;part_work' 100
called "$T/main" pthread:pthread_create ';start;(__)?pthread_create' 1
expect_err "'pthread' is part of the C library: probing /"
called "$T/main" "$late:late_work" ';late_work' 100
expect_err "process $fixture_pid has not loaded .*/liblate\.so\.2: stacktool probes the library anyway and counts once the process loads it"

# A daemon that locks itself in: what it has mapped lies outside of its root.
mkdir "$T/empty"
export ST_CHROOT="$T/empty"
called "$T/main" c:malloc ';allocate;malloc' 100
called "$T/main" part:part_work ';main;part_work' 100
unset ST_CHROOT

# The image. What is in it is nowhere else: it is copied into a file system that only the container sees.
architecture=${loader#*ld-musl-}
mkdir -p "$T/image/lib" "$T/image/usr/lib" "$T/image/app" "$T/mount"
cp "$(readlink -f "$loader")" "$T/image/lib/${loader##*/}"
ln -s "${loader##*/}" "$T/image/lib/libc.musl-$architecture"
for name in part late; do
	mv "$T/lib$name.so.2.1" "$T/image/usr/lib"
	ln -s lib$name.so.2.1 "$T/image/usr/lib/lib$name.so.2"
done
mv "$T/main" "$T/image/app/main"
cat >"$T/container" <<END
#!/bin/sh
exec unshare -m sh -c 'mount -t tmpfs none "\$1/mount" && cp -a "\$1/image/." "\$1/mount" && exec chroot "\$1/mount" /app/main "\$2"' - \\
	"$T" "\$1"
END
chmod 755 "$T/container"

late=/usr/lib/liblate.so.2
called "$T/container" c:malloc ';allocate;malloc' 100
called "$T/container" "libc.musl-$architecture:malloc" ';allocate;malloc' 100
refuse_err 'has not loaded'
called "$T/container" part:part_work ';main;part_work' 100
called "$T/container" libpart.so.2:part_work ';main;part_work' 100
called "$T/container" pthread:pthread_create ';start;(__)?pthread_create' 1
expect_err "'pthread' is part of the C library: probing .*/lib/ld-musl-"
called "$T/container" late:late_work ';late_work' 100
expect_err "process $fixture_pid has not loaded /proc/$fixture_pid/root/usr/lib/liblate\.so\.2[.1]*: stacktool probes the library"

# By the same names without the process nothing is found here
returns 1 count -D 1 part:part_work
expect_one_line_error

# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads that wait in many kinds of Python frames, and what they should look like.

dump_python.py TRUTH         a fixture: writes the frames of its threads into TRUTH, as Python has them, and waits
dump_python.py TRUTH REPORT  compares a report of `stacktool dump` with TRUTH

TRUTH has a line for each frame, innermost first: thread id, name, path and line, with tabs between them. A thread is ready when
Python is at a line that ends in "# waits": there it is in a call that does not return.
"""
import functools, json, linecache, os, re, sys, threading, time

gate = threading.Lock()
pipe = os.pipe()


def wait():
    gate.acquire()  # waits


def recursion(depth=60):
    return wait() if depth == 0 else recursion(depth - 1)


def closure():
    def inner(x):
        return (lambda: wait())()
    return inner(1)


def comprehension():
    return [wait() for _ in range(1)]


def generator():
    def second():
        yield wait()

    def first():
        yield from second()

    return list(first())


def key():
    return sorted([3], key=lambda x: wait())


class Compared:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        wait()
        return self.value < other.value


def comparison():
    return sorted([Compared(1), Compared(2)])


def substitution():
    return re.sub("a", lambda match: wait() or "", "banana")


def hook():
    return json.loads('{"a": {"b": 1}}', object_hook=lambda d: wait())


def mapped():
    return list(map(wait_for, [1]))


def wait_for(_):
    return recursion(2)


def class_body():
    class Body:
        wait()
    return Body


class Property:
    @property
    def value(self):
        return wait()

    def __enter__(self):
        return self.value

    def __exit__(self, *_):
        pass


def property_in_with():
    with Property():
        pass


def decorated():
    def decorator(function):
        @functools.wraps(function)
        def wrapper(*arguments):
            return function(*arguments)
        return wrapper

    @decorator
    def function():
        return wait()

    return function()


def coroutine():
    async def inner():
        return wait()

    async def outer():
        return await inner()

    outer().send(None)


def letters():
    def größe_日本():
        return wait()
    return größe_日本()


def hostile():
    # its names are another program's: control characters, and a path of a file that is not there
    exec(compile("def f(wait):\n\n    return wait()\nf(wait)", "\x1b[2J/a;b c\n.py", "exec"), {"wait": wait})


def holds_a_lock(lock=threading.Lock()):
    with lock:
        time.sleep(1e6)  # waits


def reads_a_pipe():
    return os.read(pipe[0], 1)  # waits


def many_lines():
    x = [
        1,
        wait(

        ),
    ]
    return x


THREADS = [recursion, closure, comprehension, generator, key, comparison, substitution, hook, mapped, class_body, property_in_with,
           decorated, coroutine, letters, hostile, holds_a_lock, reads_a_pipe, many_lines]


def frames_of(frame):
    while frame:
        yield frame.f_code.co_qualname, frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back


def is_waiting(frame):
    return linecache.getline(frame.f_code.co_filename, frame.f_lineno).rstrip().endswith("# waits")


def report(threads, path):
    while True:
        now = sys._current_frames()
        if all(thread.ident in now and is_waiting(now[thread.ident]) for thread in threads):
            break
        del now
        time.sleep(0.001)
    with open(path, "w") as file:
        for thread in threads:
            for name, source, line in frames_of(now[thread.ident]):
                source = "".join(f"\\x{ord(c):02x}" if c < " " else c for c in source)
                print(thread.native_id, name, source, line, sep="\t", file=file)
    print("READY", os.getpid(), flush=True)


def fixture(path):
    gate.acquire()
    threads = [threading.Thread(target=target, daemon=True) for target in THREADS]
    for thread in threads:
        thread.start()
    threading.Thread(target=report, args=(threads + [threading.main_thread()], path), daemon=True).start()
    sys.stdin.readline()  # waits
    print("DONE", flush=True)
    os._exit(0)


FRAME = re.compile(r"    (.*) \(([^()]*):(\d+)\)")


def check(truth, report):
    wanted, found, thread, native = {}, {}, None, 0
    for line in open(truth):
        tid, *frame = line.rstrip("\n").split("\t")
        wanted.setdefault(tid, []).append(tuple(frame))
    for line in open(report):
        match = re.match(r"thread (\d+) ", line)
        thread = match[1] if match else thread
        match = FRAME.fullmatch(line.rstrip("\n"))
        if match and thread:
            found.setdefault(thread, []).append(match.groups())
            native = 0
        native += "_PyEval_EvalFrameDefault" in line
    failures = [tid for tid in wanted if wanted[tid] != found.get(tid)]
    for tid in failures:
        print(f"thread {tid}:", *wanted[tid], "but:", *found.get(tid, ["none"]), sep="\n  ")
    print(len(wanted), "threads,", sum(map(len, wanted.values())), "frames,", len(failures), "threads differ")
    return bool(failures) or len(wanted) != len(THREADS) + 1


if __name__ == "__main__":
    sys.exit(check(*sys.argv[1:]) if len(sys.argv) > 2 else fixture(sys.argv[1]))

# SPDX-License-Identifier: GPL-2.0-or-later
"""Python frames of threads that sleep or spin, compared with the program's own.

walked_python.py TRUTH sleep|spin ROUNDS MICROSECONDS [THREADS]
    a fixture: sleeps or spins so long in each of many kinds of frames, and writes the stacks into TRUTH
walked_python.py TRUTH FOLDED
    compares folded stacks of the tool with TRUTH: those that end at the line that sleeps or spins must be in TRUTH; and all sleeps
    must be there

A line of TRUTH is a stack in the folded form, without native frames.
"""
import os, re, sys, threading, time

import dump_python as kinds

MORE = "[python: more frames]"


class Made:
    def __init__(self, waits):
        if waits: kinds.wait()


def makes_objects():
    for i in range(5001): Made(i == 5000)  # often enough for the interpreter to inline the call


def goes_deep(left=300):
    goes_deep(left - 1) if left else kinds.wait()


KINDS = [makes_objects, goes_deep]
KINDS += [kind for kind in kinds.THREADS if kind.__name__ not in ("holds_a_lock", "reads_a_pipe", "hostile")]
stacks, span = set(), 0


def note(frame):
    frames = [f"{name} ({os.path.basename(path)}:{line})" for name, path, line in kinds.frames_of(frame)]
    stacks.add(";".join(reversed(frames)))


def sleep():
    time.sleep(span), note(sys._getframe())  # waits


def spin():
    until = time.thread_time() + span
    while time.thread_time() < until or note(sys._getframe()): pass  # waits


def rounds(nr):
    for _ in range(nr):
        for kind in KINDS:
            try:
                kind()
            except StopIteration:  # of the coroutine
                pass


def fixture(path, how, nr, microseconds, threads="0"):
    global span
    kinds.wait = {"sleep": sleep, "spin": spin}[how]
    span = int(microseconds) / 1e6
    print("READY", os.getpid(), flush=True)
    sys.stdin.readline()
    more = [threading.Thread(target=rounds, args=(int(nr),)) for _ in range(int(threads))]
    for thread in more:
        thread.start()
    rounds(int(nr))
    for thread in more:
        thread.join()
    with open(path, "w") as file:
        for stack in sorted(stacks):
            print(stack, file=file)
    print("DONE", flush=True)
    sys.stdin.readline()


FRAME = re.compile(r"[^;()]+ \([^;()]+:\d+\)|\[python: [a-z ]+\]")


def check(truth, folded):
    wanted, found, others, wrong = {line.rstrip("\n") for line in open(truth)}, {}, 0, 0
    last = {stack.rsplit(";", 1)[1] for stack in wanted}
    for line in open(folded):
        stack, count = line.rstrip("\n").rsplit(" ", 1)
        frames = [frame for frame in stack.split(";") if FRAME.fullmatch(frame)]
        if frames and frames[-1] in last:
            seen = ";".join(frames)
            whole = [stack for stack in wanted if stack.endswith(seen.removeprefix(MORE))] if frames[0] == MORE else []
            for stack in whole or [seen]:
                found[stack] = found.get(stack, 0) + int(count)
        else:
            others += int(count)
    missing = [stack for stack in wanted - found.keys() if "sleep (" in stack]
    for stack in sorted(found.keys() - wanted):
        wrong += found[stack]
        print("wrong:", *stack.split(";"), sep="\n  ")
    for stack in sorted(missing):
        print("missing:", *stack.split(";"), sep="\n  ")
    print(len(wanted), "stacks;", sum(found.values()), "compared,", wrong, "of them wrong;", others, "elsewhere")
    return bool(wrong or missing) or not found


if __name__ == "__main__":
    sys.exit(check(*sys.argv[1:]) if len(sys.argv) == 3 else fixture(*sys.argv[1:]))

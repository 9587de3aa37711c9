#!/usr/bin/env python3
# Whether gdb sees the stacks that dump prints.
#   dumps.py STACKTOOL PID DUMPS
# Stops the process so many times at random moments. Each time `stacktool dump` prints the stacks of its threads, and then gdb does.
# Each thread's user stack must be gdb's, address by address from the innermost frame to the root. gdb's frames of inlined calls and of
# tail calls do not count: it makes them from debug information, they are not in the unwind information.
# Python frames have no address. Those that stand together are in place of one native frame.
# Prints one line of fields, then up to 5 stacks that differ. The status is 0 if none does, and every thread of every stop was compared.
import os
import random
import re
import signal
import subprocess
import sys
import time

ASK = """
import gdb
for thread in gdb.selected_inferior().threads():
    thread.switch()
    frame = gdb.newest_frame()
    addresses = []
    while frame is not None:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            addresses.append("%x" % frame.pc())
        frame = frame.older()
    print("STACK", thread.ptid[1] or thread.ptid[0], *addresses)
"""


def threads(pid):
    return {int(tid) for tid in os.listdir(f"/proc/{pid}/task")}


def state(pid, tid):
    with open(f"/proc/{pid}/task/{tid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def ask(pid):
    command = ["gdb", "-nx", "-batch", "-p", str(pid)]
    for setting in ("past-main on", "limit unlimited"):
        command += ["-iex", f"set backtrace {setting}"]
    result = subprocess.run(command + ["-iex", "set debuginfod enabled off", "-ex", f"python exec({ASK!r})"], capture_output=True,
                            text=True, check=False)
    return {int(tid): tuple(int(address, 16) for address in stack.split())
            for tid, stack in re.findall(r"^STACK (\d+)(.*)$", result.stdout, re.M)}


def ids(text):
    """The threads of a heading: `thread 7 name: ...`, or `3 threads: ...: 7 name, 9-11 name`."""
    one = re.match(r"thread (\d+) ", text)
    if one:
        return [int(one[1])]
    found = []
    for first, last in re.findall(r"(?:: |, )(\d+)(?:-(\d+))?(?= )", text[text.index(": ") + 2:]):
        found += range(int(first), int(last or first) + 1)
    return found


def dump(tool, pid):
    result = subprocess.run([tool, "dump", "-A", "-p", str(pid)], capture_output=True, text=True, check=True)
    stacks = {}
    for part in result.stdout.split("\n\n")[2:]:
        heading, *frames = part.strip("\n").split("\n")
        user = frames[frames.index("    --") + 1:] if "    --" in frames else []
        stack = tuple(int(frame.split()[0], 16) if frame.split()[0].startswith("0x") else frame.strip() for frame in user)
        for tid in ids(heading):
            stacks[tid] = stack
    return stacks


def stop(tool, pid):
    os.kill(pid, signal.SIGSTOP)
    try:
        end = time.monotonic() + 10
        while any(state(pid, tid) not in "tTZX" for tid in threads(pid)):
            if time.monotonic() > end:
                sys.exit(f"process {pid} does not stop")
            time.sleep(0.001)
        return dump(tool, pid), ask(pid), threads(pid)
    finally:
        os.kill(pid, signal.SIGCONT)


def is_same(ours, theirs):
    native = [address for address, last in zip(ours, (None, *ours)) if address != 0 or last != 0]
    return len(native) == len(theirs) and all(address in (0, their) for address, their in zip(native, theirs))


def spelled(stack):
    return " ".join(f"{address:x}" if isinstance(address, int) else address for address in stack)


def main():
    tool, pid, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    same = 0
    different = []
    for _ in range(count):
        time.sleep(random.uniform(0.01, 0.05))
        ours, theirs, there = stop(tool, pid)
        for tid in there:
            if tid in ours and ours[tid] and is_same(ours[tid], theirs.get(tid, ())):
                same += 1
            else:
                different.append((tid, theirs.get(tid, ()), ours.get(tid, ())))
    print(f"dumps={count} same={same} different={len(different)}")
    for tid, theirs, ours in different[:5]:
        print(f"{tid} gdb:  {spelled(theirs)}")
        print(f"{tid} ours: {spelled(ours)}")
    return bool(different) or not same


sys.exit(main())

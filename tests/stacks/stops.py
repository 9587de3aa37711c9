#!/usr/bin/env python3
# A second judge: whether another program sees the same stacks.
#   stops.py STACKTOOL PID STOPS
# Stops the process so many times at random moments and asks eu-stack (elfutils) for the stack of its main thread. Meanwhile STACKTOOL
# records a stack at each switch to another thread. A stop is such a switch, so each of eu-stack's stacks must be among them, address by
# address to the root. Where eu-stack gives up, the frames that it has must be the innermost ones of a stack; in code without unwind
# information it guesses, so what it has from the first address on that is no code does not count.
# Prints one line of fields, then up to 5 stacks that differ. The status is 0 if none does.
import itertools
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time


def state(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def code(pid):
    """The executable mappings."""
    with open(f"/proc/{pid}/maps") as file:
        fields = [line.split()[:2] for line in file]
    return [tuple(int(end, 16) for end in place.split("-")) for place, access in fields if "x" in access]


def ask(pid):
    """The frames that eu-stack sees, and whether it reached the root."""
    mappings = code(pid)
    result = subprocess.run(["eu-stack", "-1", "-r", "-n", "0", "-p", str(pid)], capture_output=True, text=True, check=False)
    frames = [int(frame, 16) for frame in re.findall(r"^#\d+\s+0x([0-9a-f]+)", result.stdout, re.M)]
    known = list(itertools.takewhile(lambda frame: any(start <= frame < end for start, end in mappings), frames))
    return tuple(known), result.returncode == 0 and not result.stderr and known == frames


def stop(pid):
    os.kill(pid, signal.SIGSTOP)
    try:
        while state(pid) not in "tT":
            time.sleep(0.001)
        return ask(pid)
    finally:
        os.kill(pid, signal.SIGCONT)


def record(tool, pid, stops):
    """eu-stack's stacks at the stops, and all that the tool recorded."""
    ready, written = os.pipe()
    command = [tool, "stacksnoop", "-A", "-U", "-p", str(pid), "t:sched:sched_switch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, pass_fds=[written],
                          env={**os.environ, "STACKTOOL_READY_FD": str(written)}) as process:
        os.close(written)
        os.read(ready, 1)
        theirs = []

        def go_on():
            try:
                for _ in range(stops):
                    time.sleep(random.uniform(0.01, 0.05))
                    theirs.append(stop(pid))
            finally:
                process.send_signal(signal.SIGINT)

        thread = threading.Thread(target=go_on)
        thread.start()
        text = process.stdout.read()
        thread.join()
    ours = set()
    for event in text.split("\n\n"):
        ours.add(tuple(int(address, 16) for address in re.findall(r"^\s+(?:0x)?([0-9a-f]{6,16}) ", event, re.M)))
    return theirs, ours


def spelled(stack):
    return " ".join(f"{address:x}" for address in stack)


def main():
    theirs, ours = record(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    same = part = 0
    different = []
    for stack, is_whole in theirs:
        if stack in ours:
            same += 1
        elif not is_whole and any(one[:len(stack)] == stack for one in ours):
            part += 1
        else:
            different.append(stack)
    print(f"stops={len(theirs)} same={same} part={part} different={len(different)}")
    for stack in different[:5]:
        print(f"eu-stack: {spelled(stack)}")
        for one in [one for one in ours if one[:1] == stack[:1]][:2]:
            print(f"ours:     {spelled(one)}")
    return bool(different) or not same


sys.exit(main())

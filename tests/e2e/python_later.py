# SPDX-License-Identifier: GPL-2.0-or-later
"""python_later.py [fork]: sleeps and spins in functions that C calls, in a child with `fork`, until its input ends."""
import os, sys, threading, time


def slept(x):
    time.sleep(0.001)
    return x


def spun(x):
    until = time.thread_time() + 0.001
    while time.thread_time() < until: pass
    return x


def work(_):
    while True:
        list(map(slept, [1])), sorted([1], key=spun)


child = os.fork() if "fork" in sys.argv else -1
if child < 0:
    threading.Thread(target=work, args=(0,), daemon=True).start()
elif child == 0:
    list(map(work, [0]))
print("READY", os.getpid(), flush=True)
sys.stdin.read()
if child > 0:
    os.kill(child, 9)

"""What goes on beside a soak: programs, libraries, namespaces, generated code, BPF programs, and hostile ones."""
import os
import random
import subprocess
import threading

from processes import FIXTURES, processes_below

import bombs


def copy_program(source, path, number):
    """A copy with a build id of its own, and so a file that nobody has seen before."""
    with open(source, "rb") as file:
        content = bytearray(file.read())
    note = content.find(b"\x03\0\0\0GNU\0")
    assert note >= 0, f"{source} has no build id"
    content[note + 8:note + 16] = number.to_bytes(8, "little")
    content[note + 16:note + 20] = os.getpid().to_bytes(4, "little")
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, 0o755)


class Churn:
    """One thread for each kind; stop() ends them and what they have started."""

    ORDINARY = ["programs", "paths", "libraries", "namespaces", "code", "bpf"]
    HOSTILE = ["symbols", "names", "flood", "forged_maps"]

    def __init__(self, directory, kinds):
        self.directory, self.stopped, self.errors, self.rounds = directory, threading.Event(), [], {}
        self.children, self.lock = set(), threading.Lock()
        self.threads = [threading.Thread(target=self.keep_going, args=(kind,), daemon=True) for kind in kinds]
        for thread in self.threads:
            thread.start()

    def keep_going(self, kind):
        number = 0
        while not self.stopped.is_set():
            number += 1
            try:
                getattr(self, kind)(number)
            except (OSError, AssertionError) as error:
                self.errors.append(f"{kind}: {error}")
                return
            self.rounds[kind] = number

    def run(self, *command, seconds=20, must=True):
        """Runs a command to its end, or for so long."""
        with self.lock:
            if self.stopped.is_set():
                return
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, start_new_session=True)
            self.children.add(child)
        try:
            message = child.communicate(timeout=seconds)[1]
            if child.returncode and must and not self.stopped.is_set():
                self.errors.append(f"{' '.join(command)}: status {child.returncode}: {message.decode(errors='replace')}")
        except subprocess.TimeoutExpired:
            self.end(child)
        finally:
            with self.lock:
                self.children.discard(child)

    @staticmethod
    def end(child):
        """And its descendants: some are in namespaces of their own."""
        for pid in sorted(processes_below({child.pid}), reverse=True):
            try:
                os.kill(pid, 9)
            except OSError:
                pass
        child.wait()

    def stop(self):
        self.stopped.set()
        with self.lock:
            children = list(self.children)
        for child in children:
            self.end(child)
        for thread in self.threads:
            thread.join(30)

    def pause(self, seconds):
        self.stopped.wait(seconds)

    # ---- ordinary ----

    def programs(self, number):
        """A new file, 20 processes of a millisecond, and one of a second."""
        path = f"{self.directory}/program-{number}"
        copy_program(f"{FIXTURES}/churn", path, number)
        self.run(path, "exec", "20", "2000")
        os.unlink(path)
        copy_program(f"{FIXTURES}/spin", path, number)
        self.run(FIXTURES + "/as", "nobody", path, "-s", "1", "--", "/bin/sleep", "0.3")
        os.unlink(path)
        self.pause(0.5)

    def paths(self, number):
        """Stacks that nobody has seen before."""
        path = f"{self.directory}/calls-{number}"
        copy_program(f"{FIXTURES}/calls", path, number)
        self.run(path, "-n", "8192", "-d", "8192", "-k", "rename")
        os.unlink(path)
        self.pause(1)

    def libraries(self, number):
        self.run(f"{FIXTURES}/soak-dyn", "library", f"{FIXTURES}/libsoak.so", self.directory, str(3 + number % 5))

    def namespaces(self, number):
        """Programs under other paths, in mount and pid namespaces."""
        place = f"{self.directory}/root-{number % 2}"
        os.makedirs(place, exist_ok=True)
        self.run("unshare", "-mpf", "--mount-proc", "sh", "-c",
                 'mount -t tmpfs none "$1" && cp "$2" "$1/contained" && "$1/contained" fork 20 2000', "-", place,
                 f"{FIXTURES}/churn")
        self.run(f"{FIXTURES}/jit", "-n", seconds=1, must=False)
        self.pause(1)

    def code(self, number):
        self.run(f"{FIXTURES}/soak", "jit", str(2 + number % 7))

    def bpf(self, number):
        self.run(f"{FIXTURES}/bpfcode", must=False)  # it waits for its program to be gone, and others may have one
        self.pause(5)

    # ---- hostile ----

    def symbols(self, number):
        """Large symbol tables, and many names at one place, of other users."""
        path = f"{self.directory}/symbols-{number}"
        if number % 2:
            bombs.symbols(path, 200000, number)
        else:
            bombs.aliases(path, 2000, 4000)
        os.chmod(path, 0o644)
        self.run(f"{FIXTURES}/as", "nobody", f"{FIXTURES}/mapped", "1", path)
        os.unlink(path)
        self.pause(5)

    def names(self, _number):
        """Control characters in the names of threads, functions and files."""
        place = f"{self.directory}/\033[31m;e\nvil"
        os.makedirs(place, exist_ok=True)
        self.run(f"{FIXTURES}/evil", place, seconds=1, must=False)
        self.pause(2)

    def flood(self, _number):
        self.run(f"{FIXTURES}/as", "nobody", f"{FIXTURES}/soak", "rename", "1")
        self.pause(3)

    def forged_maps(self, _number):
        """A FIFO, a link and somebody else's file where perf maps are looked for."""
        child = subprocess.Popen([f"{FIXTURES}/as", "nobody", f"{FIXTURES}/spin", "-s", "1", "--", "/bin/sleep", "1"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        path = f"/tmp/perf-{child.pid}.map"
        random.choice([os.mkfifo, lambda at: os.symlink("/etc/shadow", at), lambda at: os.symlink("/dev/zero", at)])(path)
        child.wait()
        os.unlink(path)
        self.pause(2)

"""A stacktool that runs under test: its processes, what they use, and what they print."""
import collections
import os
import re
import signal
import subprocess
import time

STACKTOOL = os.environ.get("STACKTOOL", "")
FIXTURES = os.environ.get("FIXTURES", "")

Use = collections.namedtuple("Use", "pss files maps")  # kB, descriptors, kB of BPF maps


def text_of(path):
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def parent_of(pid):
    stat = text_of(f"/proc/{pid}/stat")
    return int(stat.rsplit(")", 1)[1].split()[1]) if ")" in stat else 0


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def processes_below(roots):
    """Each root and its descendants: {pid: root}."""
    parents = {pid: parent_of(pid) for pid in processes()}
    found = {}
    for pid in parents:
        at = pid
        while at in parents and at not in roots:
            at = parents[at]
        if at in roots:
            found[pid] = at
    return found


def run_delay(pids):
    """Seconds that the threads of the processes have waited for a CPU."""
    total = 0
    for pid in pids:
        try:
            tasks = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        for task in tasks:
            words = text_of(f"/proc/{pid}/task/{task}/schedstat").split()
            total += int(words[1]) if len(words) > 1 else 0
    return total / 1e9


def pss_of(pid):
    found = re.search(r"^Pss: +(\d+)", text_of(f"/proc/{pid}/smaps_rollup"), re.M)
    return int(found.group(1)) if found else 0


def maps_of(pid):
    """Bytes of the BPF maps that a process holds: {id: bytes}."""
    maps = {}
    try:
        for fd in os.listdir(f"/proc/{pid}/fdinfo"):
            info = text_of(f"/proc/{pid}/fdinfo/{fd}")
            if "map_id:" in info:
                fields = dict(line.split(":", 1) for line in info.splitlines() if ":" in line)
                maps[int(fields["map_id"])] = int(fields.get("memlock", 0))
    except OSError:
        pass
    return maps


def files_of(pid):
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


class Tool:
    """One run. Its report goes to NAME.out and its messages to NAME.err in the directory."""

    def __init__(self, name, directory, arguments, program=STACKTOOL, before=()):
        self.name, self.arguments, self.status = name, arguments, None
        self.late_s = self.waited_s = 0.0
        self.out, self.err = f"{directory}/{name}.out", f"{directory}/{name}.err"
        ready, write_end = os.pipe()
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.child = subprocess.Popen(
                [*before, program, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                pass_fds=[write_end], env={**os.environ, "STACKTOOL_READY_FD": str(write_end),
                                           "STACKTOOL_MAX_OVERHEAD": "off", "LC_ALL": "C.UTF-8"})
        os.close(write_end)
        with os.fdopen(ready, "rb") as pipe:  # the end of it when the tool ends before that
            self.is_ready = bool(pipe.readline())
        self.pid = self.child.pid

    def roles(self, below):
        """{pid: role} of the tool's processes."""
        names = {"stacktool-super": "keeper", "stacktool-sym": "worker", "stacktool-ask": "helper"}
        return {pid: "main" if pid == self.pid else names.get(text_of(f"/proc/{pid}/comm").strip(), "helper")
                for pid, root in below.items() if root == self.pid}

    def uses(self, below):
        """What the processes of each role use together: {role: Use}; the maps count for main."""
        total = collections.defaultdict(lambda: [0, 0, 0])
        for pid, role in self.roles(below).items():
            maps = maps_of(pid) if role == "main" else {}
            for i, number in enumerate((pss_of(pid), files_of(pid), sum(maps.values()) >> 10)):
                total[role][i] += number
        return {role: Use(*numbers) for role, numbers in total.items()}

    def interrupt(self):
        if self.child.poll() is None:
            os.kill(self.pid, signal.SIGINT)

    def finish(self, seconds=30):
        """Waits for its end, and kills it after so many seconds. `status`: None when it was killed. `waited_s`: what its threads
        waited for a CPU; `late_s`: the rest of the time."""
        begun, first, last = time.monotonic(), None, 0
        while self.child.poll() is None and time.monotonic() < begun + 2 * seconds:
            delay = run_delay(processes_below({self.pid}))
            first = delay if first is None else first
            last = max(delay, last)
            self.waited_s = max(0.0, last - first)
            self.late_s = time.monotonic() - begun - self.waited_s
            if self.late_s > seconds:
                break
            time.sleep(0.02)
        self.status = self.child.poll()
        self.kill()

    def kill(self):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()

    def forbidden(self):
        """What must be on neither stream: control characters, and traces of a crash."""
        found = []
        for path in (self.out, self.err):
            with open(path, "rb") as file:
                content = file.read()
            bad = re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]", content)
            if bad:
                found.append(f"control character {bad.group()!r} in {os.path.basename(path)}")
            for line in re.findall(rb"[^\n]*(?:does not add up|Sanitizer|runtime error|stack smashing|free\(\)|malloc\()[^\n]*",
                                   content) if path == self.err else []:
                found.append(line.decode(errors="replace"))
        return found

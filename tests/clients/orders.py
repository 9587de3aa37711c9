# orders.py LEVEL SECONDS: a service that reads orders, looks them up and sends them compressed, and pauses between two rounds.
# LEVEL is that of the compression. The pictures and captures in docs/ show it.
import json, hashlib, sqlite3, sys, time, zlib
level, end = int(sys.argv[1]), time.monotonic() + float(sys.argv[2])
rows = [{"id": i, "name": "item %d" % i, "price": i * 1.25, "tags": ["a", "b", "c"]} for i in range(400)]
text = json.dumps(rows)
table = sqlite3.connect(":memory:")
table.execute("create table orders (id integer, body text)")
table.executemany("insert into orders values (?, ?)", [(i, text[:200]) for i in range(20000)])
def during(seconds, work):
    until = time.monotonic() + seconds
    while time.monotonic() < min(until, end):
        work()
while time.monotonic() < end:
    during(0.5, lambda: json.loads(text))
    during(0.35, lambda: table.execute("select count(*), max(body) from orders where body like '%item 7%'").fetchall())
    during(0.6, lambda: zlib.compress(text.encode() * 4, level))
    during(0.2, lambda: hashlib.sha256(text.encode() * 8).digest())
    time.sleep(0.15)

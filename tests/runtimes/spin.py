# Runs until it is killed; says "ready" at once.
def leaf_work(n):
    x = 0
    for i in range(n):
        x = (x * 31 + i) % 1000003
    return x


def middle_work(n):
    return sum(leaf_work(n) for _ in range(50))


def outer_work():
    while True:
        middle_work(2000)


print("ready", flush=True)
outer_work()

"""What processes cost, each run several times, and the machine that runs them."""

import os
import re
import statistics
import subprocess
import sys

RUNS = 5


def machine():
    """The processor as Linux names it, and how many of them there are."""
    with open("/proc/cpuinfo") as info:
        model = re.search(r"^model name\s*: (.*)", info.read(), re.MULTILINE)
    return f"{model[1] if model else 'unknown processor'}, {os.cpu_count()} cores"


class Cost:
    """Of one process: seconds of processor and by the clock, bytes of memory."""

    def __init__(self, processor, clock, memory):
        self.processor, self.clock, self.memory = processor, clock, memory


# A process of its own starts the command: the largest resident set of a process counts what it had
# before it became the command, and this one has inputs in memory.
RUNNER = """
import os, sys, time
quiet = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
         (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
begin = time.perf_counter()
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(process, 0)
print(usage.ru_utime + usage.ru_stime, time.perf_counter() - begin, usage.ru_maxrss * 1024,
      os.waitstatus_to_exitcode(status))
"""


def cost_of_a_run(command):
    runner = [sys.executable, "-S", "-c", RUNNER, *map(str, command)]
    said = subprocess.run(runner, check=True, capture_output=True, text=True).stdout.split()
    if said[3] != "0":
        raise RuntimeError(f"{' '.join(map(str, command))} exited with {said[3]}")
    return Cost(*map(float, said[:3]))


def cost(command, prepare=lambda: None, runs=RUNS):
    """Medians of several runs after one to warm up; `prepare` is called before each."""
    costs = []
    for _ in range(runs + 1):
        prepare()
        costs.append(cost_of_a_run(command))
    return Cost(
        *(
            statistics.median(getattr(one, name) for one in costs[1:])
            for name in ("processor", "clock", "memory")
        )
    )

"""Cost against size: shapes of input at 1, 2, 4 and 8 times a size, in processor time and memory.

    MLF_PROGRAM=build/release/mlf/mlf python3 bench/growth.py [--shape NAME…] [--times 8]
                                                               [--instructions]

A shape is a kind of input that a program, or an attacker, makes large. The column e is the exponent
of "time grows as size to the e" over the last two steps; 1 is linear.

Time also grows where tables outgrow the processor's caches, and on a busy machine. Where e is above
1.15 (and the time is long enough to tell), instructions are counted too, with valgrind: the last column
is their exponent. Exits with 1 where that is above 1.15, or e is and there is no valgrind.
--instructions counts instructions (millions) everywhere, which is fifty times as slow.
"""

import argparse
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from growth_shapes import ROOT, SHAPES
from processes import machine

PROGRAM = os.environ.get("MLF_PROGRAM", str(ROOT / "build/release/mlf/mlf"))
MEMORY = 8 << 30
SECONDS = 120
TOLERATED = 1.15
TOO_SHORT = {"s": 0.15, "M": 150}  # seconds, millions of instructions


def confined():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def words_of(command, path, out):
    out.unlink(missing_ok=True)
    return [{"FILE": str(path), "OUT": str(out)}.get(word, word) for word in command]


def instructions_of(command, path, out):
    """Exit code, millions of instructions; valgrind's memory says nothing of mlf's."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         PROGRAM, *words_of(command, path, out)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        errors="replace", check=False,
    )  # fmt: skip
    counted = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    return done.returncode, int(counted[1].replace(",", "")) / 1e6, "-"


def run(command, path, out):
    """Exit code, seconds of processor time and the most memory in MiB."""
    words = words_of(command, path, out)
    with subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, preexec_fn=confined) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    code = status >> 8 if status & 0xFF == 0 else -(status & 0x7F)
    return code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


class Inputs:
    """Of one shape, in files of `directory`."""

    def __init__(self, name, directory):
        self.size, self.commands, self.generate = SHAPES[name]
        self.directory = directory

    def costs(self, commands, factors, cost):
        """What `cost` tells of each command at these multiples of the size."""
        rows = [[] for _ in commands]
        for factor in factors:
            content = self.generate(self.size * factor)
            is_archive = isinstance(content, bytes)
            path = self.directory / f"input{'.tar' if is_archive else '.txt'}"
            path.write_bytes(content if is_archive else content.encode())
            for row, command in zip(rows, commands):
                row.append(cost(command, path, self.directory / "out.tar"))
        return rows


def exponent(before, after, factor):
    return math.log(after / max(before, 0.004), factor)


def measure(name, directory, largest, unit):
    """Whether a command does more for each byte of larger inputs."""
    inputs = Inputs(name, directory)
    factors = [f for f in (1, 2, 4, 8, 16, 32) if f <= largest]
    worse = False
    rows = inputs.costs(inputs.commands, factors, instructions_of if unit == "M" else run)
    for command, row in zip(inputs.commands, rows):
        costs = [each for _, each, _ in row]
        shown = "-"
        is_worse = False
        if len(costs) >= 3 and costs[-1] >= TOO_SHORT[unit]:
            of_time = exponent(costs[-3], costs[-1], 4)
            shown = f"{of_time:.2f}"
            is_worse = of_time > TOLERATED
            if is_worse and unit == "s" and shutil.which("valgrind"):
                (counted,) = inputs.costs([command], [factors[-3], factors[-1]], instructions_of)
                of_instructions = exponent(counted[0][1], counted[1][1], 4)
                shown += f" {of_instructions:5.2f}"
                is_worse = of_instructions > TOLERATED
        worse |= is_worse
        codes = "/".join(sorted({str(code) for code, _, _ in row}))
        what = " ".join(word for word in command if word not in ("FILE", "OUT", "-o"))
        print(f"{name[:36]:36} {what[:22]:22} {inputs.size:9} {codes:>6} "
              + " ".join(f"{each:7.2f}" if unit == "s" else f"{each:7.0f}" for each in costs)
              + f" {row[-1][2]:>7} {shown:>5}" + (" <" if is_worse else ""), flush=True)
    return worse


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--shape", action="append", help="only shapes whose name has this in it")
    parser.add_argument("--times", type=int, default=8, help="the largest multiple")
    parser.add_argument("--instructions", action="store_true", help="instead of time")
    options = parser.parse_args()
    unit = "M" if options.instructions else "s"
    began = time.monotonic()
    print(machine())
    print(f"{'shape':36} {'command':22} {'size':>9} {'exit':>6} "
          + " ".join(f"{f'{f}x {unit}':>7}" for f in (1, 2, 4, 8, 16, 32) if f <= options.times)
          + f" {'MiB':>7} {'e':>5}")
    worse = False
    with tempfile.TemporaryDirectory() as name:
        for each in SHAPES:
            if options.shape is None or any(part in each for part in options.shape):
                worse |= measure(each, pathlib.Path(name), options.times, unit)
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())

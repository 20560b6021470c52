#!/usr/bin/env python3
"""`mlf plan --problem` beside MiniMalloc: how many problems each solves, and how fast.

Usage: planners.py MLF [--minimalloc PROGRAM] [--seed 1] [--seconds 10] [--list]

MLF is the program. PROGRAM is the `minimalloc` of google/minimalloc, built from its sources. The
problems are MiniMalloc's challenging instances that are beside the checkout (../shared/minimalloc),
and families that planner_problems.py makes of them and of rectangles; all of them fit. Change the
search with one seed in view, and judge it with another.

Each problem has the same seconds of processor time in both programs. Prints a row for each family:
problems, those that were solved, and the processor time of all of them, with the limit for those
that were not; --list prints each problem before.
"""

import argparse
import csv
import functools
import io
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

import planner_problems
from processes import machine

INSTANCES = pathlib.Path(__file__).resolve().parents[1] / ".." / "shared" / "minimalloc"


def run(command, seconds):
    """(output, processor time) of a process; the output is None if it failed or took too long."""
    limit = functools.partial(resource.setrlimit, resource.RLIMIT_CPU, (seconds, seconds))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, preexec_fn=limit, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return (done.stdout, took) if done.returncode == 0 else (None, float(seconds))


def run_mlf(program, problem, capacity, seconds):
    # Its own limit is by the clock, which counts what other programs take on a busy machine.
    limits = ("--capacity", capacity, "--seconds", 100 * seconds)
    return run((program, "plan", "--problem", problem, *limits), seconds)


def run_minimalloc(program, problem, capacity, seconds):
    files = (f"--input={problem}", "--output=/dev/null")
    return run((program, f"--capacity={capacity}", *files), seconds)


def known_plans(mlf):
    """The instances with offsets, by name."""
    plans = {}
    for path in sorted(INSTANCES.glob("*.csv")):
        text, _ = run_mlf(mlf, path, planner_problems.MEGABYTE, 60)
        rows = csv.DictReader(io.StringIO(text))
        plans[path.name[0]] = [
            (*life, offset, offset + size)
            for *life, size, offset in (
                [int(row[key]) for key in ("lower", "upper", "size", "offset")] for row in rows
            )
        ]
    return plans


def write_problem(plan, pick, path):
    lines = [f"{lower},{upper},{high - low}" for lower, upper, low, high in plan]
    pick.shuffle(lines)
    numbered = [f"{i},{line}" for i, line in enumerate(lines)]
    path.write_text("\n".join(["id,lower,upper,size", *numbered]) + "\n")


def measure(arguments, directory):
    """{family: [the costs of a problem by planner]}."""
    planners = {"mlf": functools.partial(run_mlf, arguments.mlf)}
    if arguments.minimalloc:
        planners["MiniMalloc"] = functools.partial(run_minimalloc, arguments.minimalloc)
    families = {}
    pick = random.Random(arguments.seed)
    path = directory / "problem.csv"
    plans = known_plans(arguments.mlf)
    for family, name, capacity, plan in planner_problems.problems(plans, arguments.seed):
        write_problem(plan, pick, path)
        costs = {
            planner: one(path, capacity, arguments.seconds) for planner, one in planners.items()
        }
        families.setdefault(family, []).append(costs)
        if arguments.list:
            said = (f"{took:8.2f}{'!' if out is None else ' '}" for out, took in costs.values())
            print(f"{family + ' ' + name:<20}{len(plan):>6} {' '.join(said)}", flush=True)
    return planners, families


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mlf", type=pathlib.Path)
    parser.add_argument("--minimalloc", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if not INSTANCES.is_dir():
        sys.exit(f"planners.py: there are no instances in {INSTANCES}")
    with tempfile.TemporaryDirectory() as directory:
        planners, families = measure(arguments, pathlib.Path(directory))
    print(machine())
    print(f"{'':<20}{'problems':>9}" + "".join(f"{name:>12}{'CPU s':>9}" for name in planners))
    families["all"] = [one for some in families.values() for one in some]
    for family, problems in families.items():
        cells = ""
        for planner in planners:
            costs = [one[planner] for one in problems]
            solved = sum(out is not None for out, _ in costs)
            cells += f"{solved:>12}{sum(took for _, took in costs):>9.1f}"
        print(f"{family:<20}{len(problems):>9}{cells}")


if __name__ == "__main__":
    main()

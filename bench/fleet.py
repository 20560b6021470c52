"""How fast python -m mlf.batch reads many archives, beside the program alone: the goal is 1.3 times.

The program reads them as a shell does it, two processes at a time, each of 32 archives, once for all
kinds of rows that the dataset has. What a run takes until its workers are there is told apart: a
thousand archives or a million, it is the same.

Usage: PYTHON_WITH_THE_PACKAGE bench/fleet.py MLF [COUNT]
tests/run --all makes such a Python (build/venv-python, with PYTHONPATH=build/release/tests/e2e/python/site).
COUNT archives (2,000) are copies of those in tests/data and of the corpus beside the checkout.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from processes import machine

from mlf.batch import reader, run

SOURCE = pathlib.Path(__file__).resolve().parents[1]
WORKERS = 2
GOAL = 1.3


def sources():
    corpus = SOURCE.parent / "shared" / "corpus"
    found = [*sorted((SOURCE / "tests" / "data" / "archives").glob("*.tar")),
             *sorted(corpus.glob("*/*/module.tar"))]  # fmt: skip
    return [path for path in found if path.stat().st_size < 2_000_000]


def make(directory, count):
    archives = sources()
    for number in range(count):
        shutil.copyfile(archives[number % len(archives)], directory / f"{number:05}.tar")


def seconds_of_the_program(mlf, directory):
    total = 0.0
    for kind in reader.KINDS:
        begin = time.monotonic()
        command = f"ls {directory}/*.tar | xargs -P{WORKERS} -n32 {mlf} table --rows {kind} > /dev/null"
        subprocess.run(command, shell=True, check=False, stderr=subprocess.DEVNULL)
        total += time.monotonic() - begin
        if kind == "archive":
            first = total
    return first, total


def seconds_of_a_batch(directory, out):
    begin = time.monotonic()
    done = run.run(run.Options([f"{directory}/*.tar"], str(out), workers=WORKERS))
    return time.monotonic() - begin, done


def main(mlf, count=2000):
    with tempfile.TemporaryDirectory() as work:
        few, many = pathlib.Path(work, "few"), pathlib.Path(work, "many")
        few.mkdir()
        many.mkdir()
        make(few, 2)
        make(many, int(count))
        start, _ = seconds_of_a_batch(few, pathlib.Path(work, "dataset-of-few"))
        batch, done = seconds_of_a_batch(many, pathlib.Path(work, "dataset"))
        one, all_kinds = seconds_of_the_program(mlf, many)
    print(f"{machine()}: {count} archives, {WORKERS} workers, {done}")
    print(f"mlf table, one kind of rows   {one:7.1f} s")
    print(f"mlf table, all kinds of rows  {all_kinds:7.1f} s")
    print(f"a batch of two archives       {start:7.1f} s")
    print(f"mlf.batch, all kinds of rows  {batch:7.1f} s")
    print(f"without the start             {(batch - start) / one:7.2f} of one kind, goal {GOAL}")
    print(f"                              {(batch - start) / all_kinds:7.2f} of all kinds")


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) > 1 else sys.exit(__doc__)

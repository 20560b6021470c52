"""What an archive costs from Python, beside the program: at most 1.2 times the time, 1.5 the memory.

Usage: PYTHON_WITH_THE_PACKAGE bench/python_cost.py MLF ARCHIVE…
tests/run --all makes such a Python (build/venv-python, with PYTHONPATH=build/release/tests/e2e/python/site).
Processor time and the largest resident set of whole processes, start of Python included.
"""

import pathlib
import sys

from processes import cost, machine

NETWORKS = "import mlf, sys; mlf.open(sys.argv[1]).networks"
REPORT = "import mlf, sys; mlf.open(sys.argv[1]).report()"


def row(what, program, python):
    time, memory = python.processor / program.processor, python.memory / program.memory
    print(f"{what:28} {program.processor * 1e3:9.1f} {python.processor * 1e3:9.1f} {time:6.2f} "
          f"{program.memory / 2**20:9.1f} {python.memory / 2**20:9.1f} {memory:6.2f}")  # fmt: skip


def main(mlf, archives):
    print(machine())
    print(f"{'':28} {'mlf ms':>9} {'Python ms':>9} {'times':>6} {'mlf MiB':>9} {'Python':>9} {'times':>6}")
    for archive in archives:
        name = pathlib.Path(archive).stem
        row(f"{name}: networks", cost([mlf, "graph", archive]),
            cost([sys.executable, "-c", NETWORKS, archive]))  # fmt: skip
        row(f"{name}: report", cost([mlf, "report", "--json", archive]),
            cost([sys.executable, "-c", REPORT, archive]))  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:]) if len(sys.argv) > 2 else sys.exit(__doc__)

#!/usr/bin/env python3
"""How many numbers of unedited archives are exact, bounded or unknown, and which change from one
build of mlf to another.

Usage: bench/exactness.py PROGRAM            a row for each measure: numbers that are exact, bounded, unknown
       bench/exactness.py BEFORE AFTER       and each number that is less certain, or another one, in AFTER

Takes the bundled archives and, where it is there, the corpus, with their captured TIR and without it.
"""

import collections
import math
import os
import pathlib
import re
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(BENCH.parent / "tests" / "e2e"))
os.environ.setdefault("MLF_PROGRAM", sys.argv[1] if len(sys.argv) > 1 else "")

import containment  # noqa: E402
import hiding  # noqa: E402
import support  # noqa: E402


def state_of(interval):
    low, high = interval
    if low == high:
        return "exact"
    return "unknown" if high == math.inf and low == 0 else "bounded"


def measure_of(path):
    """report.modules[default].calls[x].mac is report.modules.calls.mac: one measure, many numbers."""
    return re.sub(r"\[[^\]]*\]", "", path)


def forms_of(path, directory):
    """(name, archive): as it is, and as stock TVM writes it, of C alone."""
    yield containment.label_of(path), path
    members = hiding.members_of(path)
    stock = hiding.without_tir(members)
    if len(stock) < len(members):
        made = pathlib.Path(directory) / "stock.tar"
        hiding.write(stock, made)
        yield containment.label_of(path) + " without TIR", made


def numbers_of(program, archive):
    support.PROGRAM = program
    found = {}
    for name, numbers in containment.Said(archive).numbers.items():
        found |= {f"{name}{path}": intervals for path, intervals in numbers.items()}
    return found


def print_states(states):
    print(f"{'measure':<60} {'exact':>8} {'bounded':>8} {'unknown':>8}")
    for measure in sorted(states):
        row = states[measure]
        print(f"{measure:<60} {row['exact']:>8} {row['bounded']:>8} {row['unknown']:>8}")


def changes(before, after):
    """(path, words) of each number of `before` that is another one in `after`."""
    for path, old in before.items():
        new = after.get(path)
        if new != old:
            given = containment.words(new) if new else "absent"
            yield path, f"{containment.words(old)} becomes {given}"


def main(programs):
    states = [collections.defaultdict(collections.Counter) for _ in programs]
    lost = []
    with tempfile.TemporaryDirectory() as directory:
        for path in containment.archives():
            for name, archive in forms_of(path, directory):
                numbers = [numbers_of(program, archive) for program in programs]
                for one, counted in zip(numbers, states, strict=True):
                    for place, intervals in one.items():
                        counted[measure_of(place)].update(map(state_of, intervals))
                if len(programs) == 2:
                    lost += [f"{name}: {place}: {how}" for place, how in changes(*numbers)]
    for program, counted in zip(programs, states, strict=True):
        print(program)
        print_states(counted)
    if len(programs) == 2:
        print(f"{len(lost)} numbers changed")
        print("\n".join(lost))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main([str(pathlib.Path(one).resolve()) for one in sys.argv[1:]])

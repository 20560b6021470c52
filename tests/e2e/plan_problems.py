"""`mlf plan --problem` on problems whose least memory is known: each fits into its megabyte.

The problems are rectangles of time and memory, cut into buffers so that nothing is left over, and
MiniMalloc's challenging instances where they are beside the checkout (../shared/minimalloc). A
problem has a minute; the offsets are compared with lives and sizes here, by another reading of the
file. `mlf_plan_bench` measures the time.

Usage: plan_problems.py
"""

import csv
import io
import random
import unittest

import program_case
import support

INSTANCES = support.SOURCE / ".." / "shared" / "minimalloc"
CAPACITY = 1_048_576


def overlaps(a, b):
    """Whether two rows share a byte at a step at which both are needed."""
    in_time = a["lower"] < b["upper"] and b["lower"] < a["upper"]
    return (
        in_time
        and a["offset"] < b["offset"] + b["size"]
        and b["offset"] < a["offset"] + a["size"]
    )


def rows_of(text):
    keys = ("lower", "upper", "size", "offset")
    return [{key: int(row[key]) for key in keys} for row in csv.DictReader(io.StringIO(text))]


class Problem(program_case.Directory):
    def fits(self, path):
        """The rows of the plan."""
        result = support.run_ok("plan", "--problem", path, "--capacity", CAPACITY, "--seconds", 60)
        rows = rows_of(result.stdout.decode())
        self.assertEqual(len(rows), len(path.read_text().splitlines()) - 1)
        self.assertLessEqual(max(row["offset"] + row["size"] for row in rows), CAPACITY)
        for i, row in enumerate(rows):
            for other in rows[i + 1 :]:
                self.assertFalse(overlaps(row, other), (row, other))
        return rows


def cut(pick, count):
    """(lower, upper, bytes) of `count` buffers that fill 1,000 steps of `CAPACITY` bytes."""
    pieces = [(0, 1000, CAPACITY)]
    while len(pieces) < count:
        lower, upper, size = pieces.pop(pick.randrange(len(pieces)))
        if pick.random() < 0.5 and upper - lower > 1:
            at = pick.randrange(lower + 1, upper)
            pieces += [(lower, at, size), (at, upper, size)]
        elif size > 1:
            part = pick.randrange(1, size)
            pieces += [(lower, upper, part), (lower, upper, size - part)]
        else:
            pieces.append((lower, upper, size))
    pick.shuffle(pieces)
    return pieces


class Cut(Problem):
    def test_rectangles_are_put_together_again(self):
        for seed in range(12):
            path = self.directory / f"{seed}.csv"
            pieces = cut(random.Random(seed), 8 + 2 * seed)
            lines = [f"{i},{lower},{upper},{size}" for i, (lower, upper, size) in enumerate(pieces)]
            path.write_text("\n".join(["id,lower,upper,size", *lines]) + "\n")
            with self.subTest(seed=seed):
                rows = self.fits(path)
                taken = sum((row["upper"] - row["lower"]) * row["size"] for row in rows)
                self.assertEqual(taken, 1000 * CAPACITY)  # nothing is free at any step


@unittest.skipUnless(INSTANCES.is_dir(), "there are no instances beside the checkout")
class Instances(Problem):
    def test_fit_into_their_capacity(self):
        paths = sorted(INSTANCES.glob("*.csv"))
        self.assertGreaterEqual(len(paths), 6)
        for path in paths:
            with self.subTest(instance=path.stem):
                self.fits(path)


if __name__ == "__main__":
    unittest.main()

"""`mlf plan --problem` on MiniMalloc's challenging instances: each fits into its megabyte.

An instance has a minute; the offsets are held against lives and sizes here, by another reading of
the file. The instances are beside the checkout (../shared/minimalloc); time is the affair of
`mlf_plan_bench`.

Usage: plan_problems.py
"""

import csv
import io
import unittest

import support

INSTANCES = support.CORPUS.parent / "minimalloc"
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


@unittest.skipUnless(INSTANCES.is_dir(), "there are no instances beside the checkout")
class Instances(unittest.TestCase):
    def test_fit_into_their_capacity(self):
        paths = sorted(INSTANCES.glob("*.csv"))
        self.assertGreaterEqual(len(paths), 6)
        for path in paths:
            with self.subTest(instance=path.stem):
                result = support.run_ok(
                    "plan", "--problem", path, "--capacity", CAPACITY, "--seconds", 60
                )
                rows = rows_of(result.stdout.decode())
                self.assertEqual(len(rows), len(path.read_text().splitlines()) - 1)
                self.assertLessEqual(max(row["offset"] + row["size"] for row in rows), CAPACITY)
                for i, row in enumerate(rows):
                    for other in rows[i + 1 :]:
                        self.assertFalse(overlaps(row, other), (row, other))


if __name__ == "__main__":
    unittest.main()

"""A fleet of archives through python -m mlf.batch, with accidents: no row is lost, none is there twice.

One worker of a Dask cluster is killed, the coordinator is killed and started again. The archives are
in a directory, and in a bucket of S3. Of 60 archives as a rule; MLF_FLEET says how many, and then those of
the corpus are among them:

    MLF_FLEET=2000 ctest --preset release -V -R python_fleet
"""

import os
import re
import signal
import subprocess
import sys
import time
import unittest

import fleet
import support

try:
    import distributed
    import duckdb
except ImportError as missing:
    support.skip(f"{missing}; tests/run --all makes a Python that has it")

WANTED = os.environ.get("MLF_FLEET")
COUNT = int(WANTED or 60)
BROKEN = COUNT // 20
FLUSH = max(COUNT // 25, 4)
GUIDE = support.SOURCE / "mlf" / "guide" / "many-archives.md"
LARGEST = 2_000_000  # bytes: otherwise a few archives would take most of the time


def sources():
    found = support.archives() if WANTED else support.bundled_archives()
    return [path for path in found if path.stat().st_size < LARGEST]


def questions(dataset):
    """In SQL, of a dataset that is there."""
    text = GUIDE.read_text().replace("\n... ", "\n")
    found = re.findall(r'duckdb\.sql\("""(.*?)"""\)', text, re.DOTALL)
    return [question.replace("'dataset/", f"'{dataset}/") for question in found]


class Accidents(fleet.Fleet):
    def setUp(self):
        super().setUp()
        self.make(COUNT - BROKEN, BROKEN, sources())

    def start(self, *arguments):
        command = [sys.executable, "-m", "mlf.batch", "run", "--flush", str(FLUSH), *arguments]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def wait_for(self, parts, generations):
        """Until the dataset has so many parts."""
        while generations() < parts:
            self.assertIsNone(self.running.poll(), "nothing was left to be interrupted")
            time.sleep(0.02)

    def finish(self):
        """How many archives the last run read, and how many it skipped."""
        _, said = self.running.communicate()
        self.assertEqual(self.running.returncode, 1 if BROKEN else 0, said)
        self.assertIn(f"{BROKEN} failed", said)
        return map(int, re.search(r"(\d+) read, (\d+) skipped", said).groups())

    def go_through(self, generations, *arguments):
        """All accidents, one after the other."""
        begin = time.monotonic()
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster:
            arguments = (*arguments, "--scheduler", cluster.scheduler_address)
            self.running = self.start(*arguments)
            self.wait_for(2, generations)
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
            self.wait_for(4, generations)
            os.killpg(self.running.pid, signal.SIGKILL)
            self.running.communicate()
            self.running = self.start(*arguments)
            read, done_before = self.finish()
        self.assertEqual(read + done_before, COUNT)
        self.assertGreaterEqual(done_before, 4 * FLUSH)
        print(f"{COUNT} archives, {BROKEN} of them broken: {time.monotonic() - begin:.0f} s, "
              f"{done_before} before the coordinator was killed")  # fmt: skip

    def ask(self):
        """The questions of the guide: what they find is what the program prints."""
        large_or_broken, most_arithmetic = questions(self.out)
        expected = [
            (row["archive"][-7:], row["buffers_max"], row["error"])
            for row in self.printed("archive")
            if row["error"] is not None or (row["exported"] >= "2026" and (row["buffers_max"] or 0) > 96 * 1024)
        ]  # fmt: skip
        self.assertGreaterEqual(len(expected), BROKEN)
        self.assertEqual(sorted(duckdb.sql(large_or_broken).fetchall(), key=str),
                         sorted(expected, key=str))  # fmt: skip
        (found,) = duckdb.sql(most_arithmetic).fetchall()
        totals = {}
        for row in self.printed("call"):
            calls, mac = totals.get(row["kernel"][15:], (0, 0))
            totals[row["kernel"][15:]] = calls + 1, mac + (row["mac_max"] or 0)
        most = max(mac for _, mac in totals.values())
        kernel = min(name for name, (_, mac) in totals.items() if mac == most)
        self.assertEqual(found, (kernel, *totals[kernel]))

    def test_a_directory_is_read_after_faults(self):
        self.go_through(
            lambda: len(list(self.out.glob("_mlf/*.json"))),
            f"{self.archives}/*.tar", "--out", str(self.out),
        )  # fmt: skip
        self.check()
        self.ask()

    def test_an_object_store_is_read_after_faults(self):
        store = fleet.ObjectStore(self)
        for path in self.archives.iterdir():
            store.put(path)

        def generations():
            store.files.invalidate_cache()
            return len(store.files.glob("fleet/dataset/_mlf/*.json"))

        self.go_through(generations, "s3://fleet/archives/*.tar", "--out", "s3://fleet/dataset")
        store.get_dataset(self.out)
        self.check()

    def test_a_lost_machine_costs_no_rows(self):
        """Coordinator and workers at once, and they were processes of one run."""
        arguments = (f"{self.archives}/*.tar", "--out", str(self.out), "--workers", "2")
        self.running = self.start(*arguments)
        self.wait_for(2, lambda: len(list(self.out.glob("_mlf/*.json"))))
        os.killpg(self.running.pid, signal.SIGKILL)
        self.running.communicate()
        self.running = self.start(*arguments)
        self.assertEqual(sum(self.finish()), COUNT)
        self.check()


if __name__ == "__main__":
    unittest.main()

"""python -m mlf.batch: every archive is in the dataset once, whatever happens on the way."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import zipfile

import support

try:
    import distributed
    import duckdb
    import pyarrow.dataset
    from mlf.batch import run
except ImportError as missing:
    support.skip(f"{missing}; tests/run --all makes a Python that has it")

KINDS = ("archive", "call", "tensor", "constant", "finding")


class Fleet(unittest.TestCase):
    """Archives in a folder, and a dataset of them."""

    def setUp(self):
        context = tempfile.TemporaryDirectory()
        self.addCleanup(context.cleanup)
        self.folder = pathlib.Path(context.name)
        self.archives = self.folder / "archives"
        self.archives.mkdir()
        self.out = self.folder / "dataset"

    def make(self, count, broken=0):
        sources = support.bundled_archives()
        for number in range(count):
            shutil.copy(sources[number % len(sources)], self.archives / f"{number:04}.tar")
        for number in range(broken):
            (self.archives / f"broken-{number}.tar").write_bytes(b"no tar")

    def options(self, **more):
        given = {"urls": [f"{self.archives}/*.tar"], "out": str(self.out), "workers": 2, **more}
        return run.Options(**given)

    def rows(self, kind):
        table = pyarrow.dataset.dataset(self.out / f"rows={kind}", format="parquet").to_table()
        return sorted(table.to_pylist(), key=lambda row: json.dumps(row))

    def printed(self, kind):
        """What `mlf table` says of the same archives."""
        paths = sorted(self.archives.glob("*.tar"))
        done = support.run("table", "--format", "jsonl", "--rows", kind, *paths)
        rows = map(json.loads, done.stdout.splitlines())
        # What is wrong with an archive is in the table of archives alone.
        kept = (row for row in rows if kind == "archive" or row["error"] is None)
        return sorted(kept, key=lambda row: json.dumps(row))

    def check(self):
        for kind in KINDS:
            self.assertEqual(self.rows(kind), self.printed(kind), kind)


class Datasets(Fleet):
    def test_rows_are_those_of_the_program_and_errors_are_rows(self):
        self.make(12, broken=2)
        done = run.run(self.options(flush=5))
        self.assertEqual((done.read, done.failed, done.skipped), (14, 2, 0))
        self.check()
        again = run.run(self.options())
        self.assertEqual((again.read, again.skipped), (0, 14))
        self.check()

    def test_a_changed_archive_is_read_again_and_its_old_rows_go(self):
        self.make(6)
        run.run(self.options(flush=3))
        shutil.copy(support.bundled_archives()[0], self.archives / "0001.tar")
        (self.archives / "0002.tar").write_bytes(b"no tar any more")
        done = run.run(self.options())
        self.assertEqual((done.read, done.failed, done.skipped), (2, 1, 4))
        self.check()

    def test_what_an_interrupted_run_left_does_not_count(self):
        self.make(6)
        run.run(self.options(flush=3))
        # Its files are there, the index that is written last is not.
        next(iter((self.out / "_mlf").glob("*.json"))).unlink()
        done = run.run(self.options())
        self.assertEqual((done.read, done.skipped), (3, 3))
        self.check()

    def test_archives_that_hang_or_are_too_large_cost_one_row_each(self):
        self.make(4)
        os.mkfifo(self.archives / "hangs.tar")
        large = self.archives / "large.tar"
        large.write_bytes(support.bundled_archives()[0].read_bytes())
        os.truncate(large, 3 << 30)  # zeros without end: allowed, but not in this memory
        done = run.run(self.options(timeout=5, memory=1024))
        self.assertEqual((done.read, done.failed), (6, 2))
        errors = {pathlib.Path(r["archive"]).name: r["error"] for r in self.rows("archive")}
        self.assertEqual(errors.pop("hangs.tar"), "it takes more than 5 seconds")
        self.assertTrue(errors.pop("large.tar"))
        self.assertEqual(set(errors.values()), {None})

    def test_other_storage(self):
        self.make(4)
        with zipfile.ZipFile(self.folder / "fleet.zip", "w") as content:
            for path in self.archives.iterdir():
                content.write(path, path.name)
        url = f"zip://*.tar::{self.folder}/fleet.zip"
        self.assertEqual(run.run(self.options(urls=[url])).read, 4)
        # The archive is called by its URL; the rest is the same.
        found = [{**row, "archive": row["archive"][6:14]} for row in self.rows("call")]
        expected = [{**row, "archive": row["archive"][-8:]} for row in self.printed("call")]
        self.assertEqual(found, expected)

    def test_questions_of_duckdb(self):
        self.make(4)
        run.run(self.options())
        question = f"select max(ram_min) from '{self.out}/rows=archive/*.parquet'"
        ((most,),) = duckdb.sql(question).fetchall()
        self.assertEqual(most, max(row["ram_min"] for row in self.printed("archive")))


class ObjectStore(Fleet):
    """Archives and dataset in buckets of S3: moto's server on this machine."""

    def setUp(self):
        super().setUp()
        try:
            import moto.server  # noqa: F401
            import s3fs
        except ImportError as missing:
            self.skipTest(str(missing))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-p", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        variables = {
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        }
        environment = unittest.mock.patch.dict(os.environ, variables)
        environment.start()
        self.addCleanup(environment.stop)
        while not self.answers(port):
            self.assertIsNone(server.poll())
            time.sleep(0.05)
        self.store = s3fs.S3FileSystem(skip_instance_cache=True)

    def answers(self, port):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            return False
        return True

    def run_all(self):
        urls = ["s3://fleet/archives/*.tar"]
        return run.run(self.options(urls=urls, out="s3://fleet/dataset", flush=3))

    def test_from_buckets_and_into_them(self):
        self.make(6, broken=1)
        self.store.mkdir("fleet")
        for path in self.archives.iterdir():
            self.store.put_file(str(path), f"fleet/archives/{path.name}")
        done = self.run_all()
        self.assertEqual((done.read, done.failed, done.skipped), (7, 1, 0))
        (self.archives / "0001.tar").write_bytes(b"no tar any more")
        self.store.put_file(str(self.archives / "0001.tar"), "fleet/archives/0001.tar")
        done = self.run_all()
        self.assertEqual((done.read, done.failed, done.skipped), (1, 1, 6))
        self.store.invalidate_cache()
        self.store.get("fleet/dataset", str(self.out), recursive=True)
        for kind in KINDS:
            names = [{**row, "archive": row["archive"][-8:]} for row in self.rows(kind)]
            expected = [{**row, "archive": row["archive"][-8:]} for row in self.printed(kind)]
            key = lambda row: json.dumps(row)  # noqa: E731
            self.assertEqual(sorted(names, key=key), sorted(expected, key=key))


class Accidents(Fleet):
    def test_a_worker_that_is_killed_loses_nothing(self):
        self.make(40, broken=2)
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster:
            victim = next(iter(cluster.workers.values())).pid

            def watch():
                while not list(self.out.glob("_mlf/*.json")):
                    time.sleep(0.01)
                os.kill(victim, signal.SIGKILL)

            killer = threading.Thread(target=watch)
            killer.start()
            done = run.run(self.options(scheduler=cluster.scheduler_address, flush=4))
            killer.join()
        self.assertEqual((done.read, done.failed), (42, 2))
        self.check()

    def test_a_run_that_is_killed_goes_on_where_it_was(self):
        self.make(60, broken=3)
        command = [sys.executable, "-m", "mlf.batch", "run", f"{self.archives}/*.tar"]
        command += ["--out", self.out, "--workers", "2", "--flush", "8"]
        first = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
        while first.poll() is None and len(list(self.out.glob("_mlf/*.json"))) < 2:
            time.sleep(0.01)
        os.killpg(first.pid, signal.SIGKILL)
        first.communicate()
        again = subprocess.run(command, capture_output=True, text=True, check=True)
        read, done_before = re.search(r"(\d+) read, .* (\d+) done before", again.stderr).groups()
        read, done_before = int(read), int(done_before)
        self.assertEqual(read + done_before, 63)
        self.assertGreaterEqual(done_before, 16)
        self.check()


if __name__ == "__main__":
    unittest.main()

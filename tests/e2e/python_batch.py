"""python -m mlf.batch: every archive is in the dataset once, whatever happens on the way."""

import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import unittest
import unittest.mock
import zipfile

import fleet
import program_case
import support
from fleet import KINDS

try:
    import dask
    import distributed
    import duckdb
    import poisoned_storage  # noqa: F401  its protocol
    import pyarrow.dataset
    from fsspec.implementations.local import LocalFileSystem
    from mlf.batch import dataset, run
except ImportError as missing:
    support.skip(f"{missing}; tests/run --all makes a Python that has it")


def end(pid):
    """Ends a process that may be stopped, or gone already."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Crash(BaseException):
    """The process is gone: nothing that it would still do happens."""


class FaultyStorage(LocalFileSystem):
    """Files of this machine. The call of number `at` that changes something fails; a crash leaves
    half of what was to be written, and everything after it fails as well."""

    cachable = False
    at, failure, calls = None, None, 0

    def change(self, do, halfway=lambda: None):
        cls = type(self)
        cls.calls += 1
        if cls.at is None or cls.calls < cls.at or (cls.calls > cls.at and cls.failure is not Crash):
            return do()
        if cls.calls == cls.at:
            halfway()
        raise cls.failure("injected")

    def open(self, path, mode="rb", **more):
        if "w" not in mode:
            return super().open(path, mode, **more)
        opened = super().open
        return self.change(lambda: opened(path, mode, **more),
                           lambda: opened(path, mode, **more).close())

    def pipe_file(self, path, value, **more):
        def write(data):
            with LocalFileSystem.open(self, path, "wb") as file:
                file.write(data)

        self.change(lambda: write(value), lambda: write(value[: len(value) // 2]))

    def mv(self, *paths, **more):
        moved = super().mv
        self.change(lambda: moved(*paths, **more))

    def rm_file(self, path):
        removed = super().rm_file
        self.change(lambda: removed(path))

    def makedirs(self, path, exist_ok=False):
        made = super().makedirs
        self.change(lambda: made(path, exist_ok=exist_ok))


class Faults(program_case.Directory):
    """Every change that a dataset makes on storage fails once, and the process dies there once."""

    def setUp(self):
        storage = unittest.mock.patch.object(
            dataset.fsspec.core, "url_to_fs", lambda url: (FaultyStorage(), url))  # fmt: skip
        storage.start()
        self.addCleanup(storage.stop)

    def answer(self, name, version):
        count = {"archive": 1, "call": 3, "tensor": 2, "constant": 0, "finding": 1, "device": 1}
        def cell(field):
            return f"{name} {version}" if field.type == "string" else version
        rows = {kind: [[cell(field) for field in list(dataset.schema(kind))[2:]]] * count[kind]
                for kind in KINDS}
        return dataset.Item(name, str(version)), {"digest": f"{name} {version}", "rows": rows}

    def go_on(self, out, version):
        """As a run does: what is there stays, what has changed goes, the rest is added."""
        found = dataset.Dataset(out)
        answers = [self.answer("stays", 1), self.answer("changes", version), self.answer("late", 1)]
        # The same bytes at another time.
        answers.insert(0, (dataset.Item("touched", f"at {version}"), self.answer("touched", 1)[1]))
        rows = {item.url: answer for item, answer in answers}
        todo = run.not_done([item for item, _ in answers[: 3 if version == 1 else 4]], found)
        if todo:
            found.put([(item, self.answered(item, rows[item.url])) for item in todo])

    def answered(self, item, answer):
        """As a reader does, which compares digests."""
        is_same = item.known == answer["digest"]
        return {"digest": item.known, "same": True} if is_same else answer

    def rows(self, out):
        return {kind: sorted(map(json.dumps, pyarrow.dataset.dataset(
                    f"{out}/rows={kind}", format="parquet").to_table().to_pylist()))
                for kind in KINDS}  # fmt: skip

    def scenario(self, out):
        self.go_on(out, 1)
        self.go_on(out, 2)

    def test_after_any_fault_the_next_run_makes_the_dataset_whole(self):
        FaultyStorage.at = None
        self.scenario(str(self.directory / "whole"))
        whole = self.rows(self.directory / "whole")
        changes = FaultyStorage.calls
        self.assertGreater(changes, 20)
        for failure in (Crash, OSError):
            for at in range(1, changes + 1):
                out = str(self.directory / f"{failure.__name__}-{at}")
                FaultyStorage.at, FaultyStorage.failure, FaultyStorage.calls = at, failure, 0
                with self.assertRaises(failure):
                    self.scenario(out)
                FaultyStorage.at = None
                with self.subTest(failure=failure, at=at):
                    self.scenario(out)
                    self.assertEqual(self.rows(out), whole)
                    self.assertEqual(list(pathlib.Path(out).rglob("*.new")), [])
        print(f"{2 * changes} faults")


class Runs(fleet.Fleet):
    def run_batch(self, read=0, failed=0, skipped=0, **options):
        done = run.run(self.options(**options))
        self.assertEqual((done.read, done.failed, done.skipped), (read, failed, skipped))


class Datasets(Runs):
    def test_rows_are_those_of_the_program_and_errors_are_rows(self):
        self.make(12, broken=2)
        self.run_batch(14, failed=2, flush=5)
        self.check()
        self.run_batch(failed=2, skipped=14)
        self.check()

    def test_the_command_fails_where_nothing_was_found_or_an_archive_failed(self):
        def command(*urls):
            arguments = ["-m", "mlf.batch", "run", "--out", self.out, "--workers", "1", *urls]
            done = subprocess.run([sys.executable, *arguments], capture_output=True, check=False, text=True)
            return done.returncode, done.stderr.splitlines()[-1]

        self.assertEqual(command(f"{self.archives}/*.tar"), (1, "no archive found"))
        self.make(2)
        self.assertEqual(command(f"{self.archives}/*.tar"),
                         (0, "2 read, 0 skipped, 0 failed"))
        self.make(0, broken=1)
        self.assertEqual(command(f"{self.archives}/*.tar"),
                         (1, "1 read, 2 skipped, 1 failed"))
        # It is still broken, also under another time.
        self.assertEqual(command(f"{self.archives}/*.tar"),
                         (1, "0 read, 3 skipped, 1 failed"))
        os.utime(self.archives / "broken-0.tar", (1, 1))
        self.assertEqual(command(f"{self.archives}/*.tar"),
                         (1, "0 read, 3 skipped, 1 failed"))
        self.assertEqual(command(f"{self.archives}/0000.tar")[0], 0)
        self.assertEqual(command(f"{self.archives}/absent.tar")[0], 1)

    def test_a_changed_archive_is_read_again_and_its_old_rows_go(self):
        self.make(6)
        run.run(self.options(flush=3))
        shutil.copy(support.bundled_archives()[0], self.archives / "0001.tar")
        (self.archives / "0002.tar").write_bytes(b"no tar any more")
        self.run_batch(2, failed=1, skipped=4)
        self.check()

    def test_the_same_bytes_at_another_time_are_not_read_again(self):
        self.make(6, broken=1)
        run.run(self.options(flush=3))
        parts = sorted(self.out.glob("rows=*/*"))
        for path in self.archives.iterdir():
            os.utime(path, (1, 1))
        (self.archives / "0003.tar").write_bytes(b"no tar any more")
        self.run_batch(1, failed=2, skipped=6, flush=2)
        self.check()
        kept = set(parts) & set(self.out.glob("rows=*/*"))
        self.assertEqual(len(kept), len(parts) * 2 // 3)
        # What is known of them is of the new time: another run need not look into them.
        with unittest.mock.patch.object(run, "answers", side_effect=AssertionError):
            self.assertEqual(run.run(self.options()).skipped, 7)

    def test_what_another_mlf_wrote_is_read_again(self):
        self.make(4)
        run.run(self.options(flush=2))
        index = next(iter((self.out / "_mlf").glob("*.json")))
        content = json.loads(index.read_text())
        content["made_by"]["mlf"] = "0.0.1"
        index.write_text(json.dumps(content))
        self.run_batch(2, skipped=2)
        self.check()

    def test_what_an_interrupted_run_left_does_not_count(self):
        self.make(6)
        run.run(self.options(flush=3))
        # Its files are there, the index that is written last is not.
        next(iter((self.out / "_mlf").glob("*.json"))).unlink()
        self.run_batch(3, skipped=3)
        self.check()

    def test_archives_that_hang_or_are_too_large_cost_one_row_each(self):
        self.make(4)
        os.mkfifo(self.archives / "hangs.tar")
        large = self.archives / "large.tar"
        large.write_bytes(support.bundled_archives()[0].read_bytes())
        os.truncate(large, 3 << 30)  # zeros without end: allowed, but not in this memory
        self.run_batch(6, failed=2, timeout=5, memory=1024)
        errors = {pathlib.Path(r["archive"]).name: r["error"] for r in self.rows("archive")}
        self.assertEqual(errors.pop("hangs.tar"), "it takes more than 5 seconds")
        self.assertTrue(errors.pop("large.tar"))
        self.assertEqual(set(errors.values()), {None})

    def test_one_that_ends_its_workers_costs_one_row_and_is_tried_by_the_next_run(self):
        self.make(10)
        urls = [f"poisoned://{self.archives}/*.tar"]
        poison = [self.archives / "0002.tar.kills", self.archives / "0007.tar.fails"]
        for file in poison:
            file.touch()
        settings = {
            "distributed.worker.preload": ["poisoned_storage"],
            "distributed.scheduler.allowed-failures": 0,
        }
        # All ten are two tasks.
        with dask.config.set(settings), unittest.mock.patch.object(run, "TASKS_OF_A_THREAD", 1):
            self.run_batch(10, failed=2, urls=urls)
            errors = {fleet.name(row["archive"]): row["error"] for row in self.rows("archive")}
            self.assertEqual(errors.pop("0002.tar"), "every worker that read it died")
            self.assertEqual(errors.pop("0007.tar"), "OSError: no answer")
            self.assertEqual(list(errors.values()), [None] * 8)
            for file in poison:
                file.unlink()
            self.run_batch(2, skipped=8, urls=urls)
        self.check()

    def test_workers_may_have_several_threads(self):
        self.make(40)
        with distributed.LocalCluster(
            n_workers=1, threads_per_worker=4, dashboard_address=None
        ) as cluster:
            self.run_batch(40, scheduler=cluster.scheduler_address)
        self.check()

    def test_a_worker_that_stops_costs_nothing(self):
        """As one behind a network that is cut: it says nothing, and its connections stay open."""
        self.make(40)
        with dask.config.set({"distributed.scheduler.worker-ttl": "2s"}), distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster, distributed.Client(cluster) as client:
            pid = next(iter(client.run(os.getpid).values()))
            os.kill(pid, signal.SIGSTOP)
            self.addCleanup(end, pid)
            self.run_batch(40, scheduler=cluster.scheduler_address)
            end(pid)
        self.check()

    def test_without_its_scheduler_a_run_ends_and_the_next_one_continues(self):
        self.make(6)
        os.mkfifo(self.archives / "9999.tar")  # keeps a worker busy until the scheduler is gone
        with subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"],
            stderr=subprocess.PIPE, text=True,
        ) as scheduler:  # fmt: skip
            address = next(filter(None, (re.search(r"tcp://\S+", line) for line in scheduler.stderr)))[0]
            worker = subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard"],
                stderr=subprocess.DEVNULL,
            )
            self.addCleanup(worker.wait)
            self.addCleanup(worker.kill)
            threading.Thread(target=scheduler.stderr.read, daemon=True).start()
            threading.Timer(8, scheduler.kill).start()
            one_by_one = unittest.mock.patch.object(run, "MOST_TOGETHER", 1)
            soon = dask.config.set({"distributed.comm.timeouts.connect": "2s"})
            with one_by_one, soon, self.assertRaises(run.LostScheduler):
                run.run(self.options(scheduler=address, timeout=20))
        (self.archives / "9999.tar").unlink()
        done = run.run(self.options())
        self.assertEqual((done.read + done.skipped, done.failed), (6, 0))
        self.check()

    def test_any_name_that_a_file_can_have(self):
        self.make(1)
        for name in (b"\xff.tar", b"two\nlines.tar", "\u202e.tar".encode()):
            shutil.copy(support.bundled_archives()[0], self.archives / os.fsdecode(name))
        run.run(self.options())
        self.check()
        shutil.copy(support.bundled_archives()[1], self.archives / os.fsdecode(b"\xff.tar"))
        self.run_batch(1, skipped=3)
        self.check()

    def test_a_loop_of_links_is_one_failure(self):
        self.make(2)
        (self.archives / "loop.tar").symlink_to("loop.tar")
        self.run_batch(3, failed=1, urls=[f"{self.archives}/loop.tar", f"{self.archives}/*.tar"])

    def test_names_of_files_may_have_colons(self):
        self.make(1)
        directory = self.archives / "a::b"
        directory.mkdir()
        for name in ("x::y.tar", "zip::z.tar"):
            shutil.copy(support.bundled_archives()[0], directory / name)
        self.run_batch(2, urls=[f"{directory}/*.tar", f"{directory}/x::y.tar"])

    def test_other_storage_is_read(self):
        self.make(4)
        with zipfile.ZipFile(self.directory / "fleet.zip", "w") as content:
            for path in self.archives.iterdir():
                content.write(path, path.name)
        url = f"zip://*.tar::{self.directory}/fleet.zip"
        self.run_batch(4, urls=[url])
        self.check()

    def test_a_bar_on_a_terminal_alone_says_how_far_it_is(self):
        self.make(3, broken=1)
        for is_terminal in (True, False):
            said = io.StringIO()
            said.isatty = lambda: is_terminal
            with contextlib.redirect_stderr(said):
                run.run(self.options(out=f"{self.out}-{is_terminal}"))
            bars = re.findall(r"\r\[(#* *)\] (\d)/4 archives(.*?) left", said.getvalue())
            self.assertEqual([number for _, number, _ in bars], list("1234") if is_terminal else [])
        self.assertNotIn("#", said.getvalue())

    def test_duckdb_reads_the_dataset(self):
        self.make(4)
        run.run(self.options())
        question = f"select max(buffers_min) from '{self.out}/rows=archive/*.parquet'"
        ((most,),) = duckdb.sql(question).fetchall()
        self.assertEqual(most, max(row["buffers_min"] for row in self.printed("archive")))


class Storage(Runs):
    def setUp(self):
        super().setUp()
        self.store = fleet.ObjectStore(self)

    def test_buckets_are_read_and_written(self):
        places = {"urls": ["s3://fleet/archives/*.tar"], "out": "s3://fleet/dataset"}
        self.make(6, broken=1)
        for path in self.archives.iterdir():
            self.store.put(path)
        self.run_batch(7, failed=1, flush=3, **places)
        (self.archives / "0001.tar").write_bytes(b"no tar any more")
        self.store.put(self.archives / "0001.tar")
        self.run_batch(1, failed=2, skipped=6, flush=3, **places)
        self.store.get_dataset(self.out)
        self.check()


if __name__ == "__main__":
    unittest.main()

"""What the tests of python -m mlf.batch share: archives in a directory, some broken, and a dataset."""

import gzip
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import unittest
import unittest.mock

import program_case
import support

try:
    import pyarrow.dataset
    from mlf.batch import run
except ImportError as missing:
    support.skip(f"{missing}; tests/run --all makes a Python that has it")

KINDS = ("archive", "call", "tensor", "constant", "finding", "device")

# Ways in which an archive is broken.
BROKEN = (
    lambda archive: b"no tar",
    lambda archive: b"",
    lambda archive: archive[: len(archive) // 2],
    lambda archive: gzip.compress(archive)[:-100],
    lambda archive: support.make_tar({"metadata.json": "{"}),
)


def name(url):
    """Of an archive, wherever it is: zip://name.tar::directory/fleet.zip."""
    return pathlib.PurePosixPath(url.partition("::")[0]).name


def _place(row):
    return name(row["archive"]), json.dumps({**row, "archive": None})


class Fleet(program_case.Directory):
    """Archives in a directory, and a dataset of them."""

    def setUp(self):
        self.archives = self.directory / "archives"
        self.archives.mkdir()
        self.out = self.directory / "dataset"

    def make(self, count, broken=0, sources=None):
        sources = sources or support.bundled_archives()
        for number in range(count):
            shutil.copyfile(sources[number % len(sources)], self.archives / f"{number:04}.tar")
        for number in range(broken):
            content = BROKEN[number % len(BROKEN)](sources[number % len(sources)].read_bytes())
            (self.archives / f"broken-{number}.tar").write_bytes(content)

    def options(self, **more):
        given = {"urls": [f"{self.archives}/*.tar"], "out": str(self.out), "workers": 2, **more}
        return run.Options(**given)

    def rows(self, kind):
        table = pyarrow.dataset.dataset(self.out / f"rows={kind}", format="parquet").to_table()
        return sorted(table.to_pylist(), key=_place)

    def printed(self, kind):
        """What `mlf table` says of the same archives."""
        paths = sorted(self.archives.glob("*.tar"))
        done = support.run("table", "--format", "jsonl", "--rows", kind, *paths)
        rows = map(json.loads, done.stdout.splitlines())
        # What is wrong with an archive is in the table of archives alone.
        kept = (row for row in rows if kind == "archive" or row["error"] is None)
        return sorted(kept, key=_place)

    def check(self):
        """The dataset has the rows of the program. Elsewhere an archive is called by its URL."""
        for kind in KINDS:
            pairs = zip(self.rows(kind), self.printed(kind), strict=True)
            for found, expected in pairs:
                self.assertEqual(*(name(row.pop("archive")) for row in (found, expected)))
                self.assertEqual(found, expected, kind)


def _answers(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


class ObjectStore:
    """A server of S3 on this machine (moto's), and a client of it; one bucket, `fleet`."""

    def __init__(self, test):
        import moto.server  # noqa: F401
        import s3fs

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-p", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        test.addCleanup(server.wait)
        test.addCleanup(server.kill)
        variables = {
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        }
        environment = unittest.mock.patch.dict(os.environ, variables)
        environment.start()
        test.addCleanup(environment.stop)
        while not _answers(port):
            test.assertIsNone(server.poll())
            time.sleep(0.05)
        self.files = s3fs.S3FileSystem(skip_instance_cache=True)
        self.files.mkdir("fleet")

    def put(self, path):
        self.files.put_file(str(path), f"fleet/archives/{path.name}")

    def get_dataset(self, directory):
        self.files.invalidate_cache()
        self.files.get("fleet/dataset", str(directory), recursive=True)

"""How the hook adds TIR to an archive: names of all kinds, and an end in the middle. Without TVM.

Usage: python adding.py
"""

import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import program_case
import support

PACKAGE = support.SOURCE / "mlf" / "tvmc"
ADD = """\
import pathlib, sys
from mlf_tvmc import archive

class File:
    def write_into(self, directory):
        path = pathlib.Path(directory) / "tir-1.txt"
        path.write_text(sys.argv[2])
        return path

archive.add_tir(sys.argv[1], [File()])
"""
# Stands in for an mlf that takes long, and says when it begins.
SLOW = """\
#!/bin/sh
trap 'rm started; exit 143' TERM
touch started
while :; do sleep 0.05; done
"""


class Adding(program_case.Directory):
    def setUp(self):
        self.temporary = self.directory / "temporary"
        self.temporary.mkdir()

    def start(self, path, program=support.PROGRAM):
        environment = {
            **os.environ,
            "PYTHONPATH": str(PACKAGE),
            "MLF_PROGRAM": str(program),
            "TMPDIR": str(self.temporary),
        }
        return subprocess.Popen(
            [sys.executable, "-c", ADD, path, support.LEGACY_TEXT],
            cwd=self.directory,
            env=environment,
            stderr=subprocess.PIPE,
        )

    def test_a_name_may_begin_as_an_option(self):
        for name in ("-x.tar", "--force", "-", "-o"):
            archive = self.directory / name
            archive.write_bytes(support.make_tar({"metadata.json": support.METADATA}))
            with self.start(name, pathlib.Path(support.PROGRAM).resolve()) as process:
                said = process.stderr.read()
            self.assertEqual(process.returncode, 0, said)
            members = [one.name for one in support.spans(archive.read_bytes())[0]]
            self.assertIn("./src/tir-1.txt", members)

    def test_a_signal_leaves_nothing_behind(self):
        slow = self.directory / "slow"
        slow.write_text(SLOW)
        slow.chmod(0o755)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.start("module.tar", slow) as process:
                started = self.directory / "started"
                while not started.exists():
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                time.sleep(0.5)  # Python may still be starting it
                self.assertEqual(len(list(self.temporary.iterdir())), 1)
                process.send_signal(number)
                process.stderr.read()
            self.assertEqual(process.returncode, -number)
            self.assertEqual(list(self.temporary.iterdir()), [])
            self.assertFalse(started.exists(), f"{number}: mlf was ended without a chance to clean up")


if __name__ == "__main__":
    unittest.main()

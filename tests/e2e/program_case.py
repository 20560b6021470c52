"""What tests of the program share: a directory, and an archive in it."""

import functools
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import support


def wait_for(condition, seconds=20):
    """A loaded machine is slow."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


class Directory(unittest.TestCase):
    @functools.cached_property
    def directory(self):
        """A directory of this test alone."""
        context = tempfile.TemporaryDirectory()
        self.addCleanup(context.cleanup)
        return pathlib.Path(context.name)

    def tar(self, members, name="module.tar"):
        """A tar of these members in the directory."""
        path = self.directory / name
        path.write_bytes(support.make_tar(members))
        return path

    def archive(self, name="module.tar", text=support.LEGACY_TEXT):
        return self.tar({"metadata.json": support.METADATA, **({"src/tir-1.txt": text} if text else {})}, name)


class Temporaries(Directory):
    """A directory for temporary files of mlf, which must be empty behind it."""

    def setUp(self):
        self.temporary = self.directory / "tmp"
        self.temporary.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.temporary)}

    def is_clean(self):
        return not list(self.temporary.iterdir())

    def interrupt(self, *command):
        """Ends mlf once it has started a program that would write results."""
        program = subprocess.Popen([support.PROGRAM, *command], env=self.environment)
        wait_for(lambda: [*self.temporary.glob("*/results")])
        program.send_signal(signal.SIGTERM)
        self.assertEqual(program.wait(), -signal.SIGTERM)
        wait_for(self.is_clean)

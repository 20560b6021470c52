"""What tests of the program share: a directory, and an archive in it."""

import functools
import pathlib
import tempfile
import unittest

import support


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

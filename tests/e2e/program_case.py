"""What tests of the program share: a directory, and an archive in it."""

import pathlib
import tempfile
import unittest

import support


class Directory(unittest.TestCase):
    def setUp(self):
        context = tempfile.TemporaryDirectory()
        self.addCleanup(context.cleanup)
        self.directory = pathlib.Path(context.name)

    def archive(self, name="module.tar", text=support.LEGACY_TEXT):
        members = {"metadata.json": support.METADATA}
        if text:
            members["src/tir-1.txt"] = text
        path = self.directory / name
        path.write_bytes(support.make_tar(members))
        return path

"""What the README shows is what the program does."""

import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import support

README = (support.SOURCE / "README.md").read_text()
ARCHIVE = support.SOURCE / "tests" / "data" / "archives" / "tvm-0.18-qnn_conv-aot-c.tar"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


class Readme(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_commands_print_what_stands_below_them(self):
        shutil.copy(ARCHIVE, self.folder / "module.tar")
        (self.folder / "module.tar").chmod(0o644)
        (session,) = blocks("console")
        for entry in re.split(r"^\$ mlf ", session, flags=re.MULTILINE)[1:]:
            command, output = entry.split("\n", 1)
            result = support.run(*command.split(), cwd=self.folder)
            self.assertEqual((result.stderr + result.stdout).decode().rstrip(), output.rstrip())

    def test_the_json_is_that_of_the_kernel_above_it(self):
        (kernel,) = blocks("python")
        (body,) = blocks("json")
        (self.folder / "scale.py").write_text(kernel)
        printed = support.run_ok("tir", self.folder / "scale.py").stdout
        self.assertEqual(json.loads(printed)["functions"][0]["body"], json.loads(body))

    def test_limits_are_those_of_the_help(self):
        limits = re.search(r"^  members=.*?\n\n", support.run_ok("--help").stdout.decode(),
                           re.MULTILINE | re.DOTALL)  # fmt: skip
        self.assertIn(limits[0].rstrip(), README)


if __name__ == "__main__":
    unittest.main()

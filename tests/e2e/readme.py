"""What the README shows is what the program does."""

import json
import re
import shutil
import tempfile
import unittest
import xml.etree.ElementTree
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

    def test_commands_print_what_is_below_them(self):
        shutil.copy(ARCHIVE, self.folder / "module.tar")
        (self.folder / "module.tar").chmod(0o644)
        session = "".join(blocks("console"))
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

    def test_the_picture_is_that_of_the_network(self):
        """The committed picture shows the labels of the committed DOT, which mlf still writes."""
        folder = support.SOURCE / "tests" / "golden" / "graph"
        (picture,) = re.findall(r'<img src="([^"]+)"', README)
        self.assertEqual(support.SOURCE / picture, folder / "resnet8.svg")
        dot = (folder / "resnet8.dot").read_text()
        labels = re.findall(r'label="((?:[^"\\]|\\.)*)"', dot)
        lines = sorted(line for label in labels for line in label.split("\\n"))
        svg = xml.etree.ElementTree.parse(folder / "resnet8.svg")
        shown = sorted(text.text for text in svg.iterfind(".//{*}text"))
        self.assertEqual(shown, lines)
        archive = support.CORPUS / "tvm-0.18" / "resnet8-aot-packed-usmp" / "module.tar"
        if archive.exists():
            drawn = support.run_ok("graph", archive, "--format", "dot").stdout.decode()
            self.assertEqual(drawn, dot)

    def test_limits_are_those_of_the_help(self):
        limits = re.search(r"^  members=.*?\n\n", support.run_ok("--help").stdout.decode(),
                           re.MULTILINE | re.DOTALL)  # fmt: skip
        self.assertIn(limits[0].rstrip(), README)


if __name__ == "__main__":
    unittest.main()

"""What the README shows is what the program does."""

import json
import re
import shutil
import subprocess
import tarfile
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
        shutil.copy(support.ARCHIVES / "tvm-0.9-qnn_conv-aot-c.tar", self.folder / "old.tar")
        session = "".join(blocks("console"))
        for entry in re.split(r"^\$ mlf ", session, flags=re.MULTILINE)[1:]:
            command, output = entry.split("\n", 1)
            result = support.run(*command.split(), cwd=self.folder)
            self.assertEqual((result.stderr + result.stdout).decode().rstrip(), output.rstrip())

    def test_other_files_have_no_commands_with_output(self):
        """They would be run by nobody."""
        names = subprocess.run(["git", "ls-files", "*.md"], cwd=support.SOURCE, capture_output=True,
                               text=True, check=True).stdout.split()  # fmt: skip
        self.assertIn("README.md", names)
        having = [name for name in names if "```console" in (support.SOURCE / name).read_text()]
        self.assertEqual(having, ["README.md"])

    def test_the_json_is_that_of_the_kernel_above_it(self):
        (kernel,) = blocks("python")
        (body,) = blocks("json")
        (self.folder / "scale.py").write_text(kernel)
        printed = support.run_ok("tir", self.folder / "scale.py").stdout
        self.assertEqual(json.loads(printed)["functions"][0]["body"], json.loads(body))

    def test_the_picture_is_that_of_the_network(self):
        """The committed picture shows the labels of the committed DOT, which mlf still writes."""
        folder = support.SOURCE / "tests" / "golden" / "graph"
        (picture,) = re.findall(r'<img src="([^"]+[.]svg)"', README)
        self.assertEqual(support.SOURCE / picture, folder / "resnet8.svg")
        dot = (folder / "resnet8.dot").read_text()
        labels = re.findall(r'label="((?:[^"\\]|\\.)*)"', dot)
        # Spaces around labels keep them off the lines of edges.
        lines = sorted(line.strip() for label in labels for line in label.split("\\n"))
        svg = xml.etree.ElementTree.parse(folder / "resnet8.svg")
        shown = sorted(text.text.strip() for text in svg.iterfind(".//{*}text"))
        self.assertEqual(shown, lines)
        archive = support.CORPUS / "tvm-0.18" / "resnet8-aot-packed-usmp" / "module.tar"
        if archive.exists():
            drawn = support.run_ok("graph", archive, "--format", "dot").stdout.decode()
            self.assertEqual(drawn, dot)

    def test_pictures_of_the_page_are_there_and_small(self):
        pictures = re.findall(r'<img src="([^"]+[.]png)"', README)
        self.assertEqual(len(pictures), 2)
        for picture in pictures:
            data = (support.SOURCE / picture).read_bytes()
            self.assertTrue(data.startswith(b"\x89PNG\r\n"))
            self.assertLessEqual(len(data), 150_000)

    def test_limits_are_those_of_the_help(self):
        limits = re.search(r"^  members=.*?\n\n", support.run_ok("--help").stdout.decode(),
                           re.MULTILINE | re.DOTALL)  # fmt: skip
        self.assertIn(limits[0].rstrip(), README)


WORDS = (support.SOURCE / "schemas" / "README.md").read_text()


def part(heading):
    """The words from a heading to the next of its level."""
    found = re.search(rf"^# {heading}\n(.*?)(?=^# |\Z)", WORDS, re.MULTILINE | re.DOTALL)
    return found[1]


def examples(words):
    found = re.findall(r"^```js (\w+)\n(.*?)^```$", words, re.MULTILINE | re.DOTALL)
    return {name: json.loads(text) for name, text in found}


def words_of(schema):
    """Every key and every code that a schema has."""
    stack, found = [schema], set()
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            found.update(value.get("properties", {}))
            found.update(code for code in value.get("enum", []) if isinstance(code, str))
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
    return found


class Contract(unittest.TestCase):
    """schemas/README.md about the documents that have no table in the code to be made from."""

    def test_every_key_and_code_of_the_schemas_is_in_the_words(self):
        for name, heading in (("manifest", "mlf.json"), ("inspect", "mlf inspect --json"),
                              ("verify", "mlf verify --json")):  # fmt: skip
            schema = json.loads((support.SOURCE / "schemas" / f"{name}.schema.json").read_text())
            words = part(heading)
            # Dialects, and checks of a network, have tables of their own elsewhere.
            elsewhere = set() if name == "manifest" else words_of_other_tables()
            missing = [w for w in words_of(schema) - elsewhere if f"`{w}`" not in words]
            self.assertEqual(sorted(missing), [], name)

    def test_the_examples_are_what_the_program_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(ARCHIVE, Path(folder) / "module.tar")
            support.run_ok("process", copy)
            with tarfile.open(copy) as tar:
                manifest = json.load(tar.extractfile("./src/mlf.json"))
        del manifest["generator"]
        for container, key in ((manifest["consumed"], "members"), (manifest, "written")):
            container[key] = [digest["name"] for digest in container[key]]
        self.assertEqual(examples(part("mlf.json"))["manifest"], manifest)

        inspection = json.loads(support.run_ok("inspect", "--json", ARCHIVE).stdout)
        self.assertEqual(examples(part("mlf inspect --json"))["claims"],
                         inspection["modules"][0]["memory"]["claims"])  # fmt: skip

        archive = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
        verdict = json.loads(support.run_ok("verify", "--json", archive).stdout)
        for check in examples(part("mlf verify --json"))["checks"]:
            self.assertIn(check, verdict["archives"][0]["checks"])


def words_of_other_tables():
    tir = json.loads((support.SOURCE / "schemas" / "tir.schema.json").read_text())
    checks = (support.SOURCE / "include" / "mlf" / "graph" / "checks.def").read_text()
    dialects = tir["$defs"]["Source"]["properties"]["dialect"]["enum"]
    return {*dialects, *re.findall(r'"([a-z-]+)"', checks)}


if __name__ == "__main__":
    unittest.main()

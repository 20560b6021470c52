"""The command line: help, versions, streams, colours, several archives."""

import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import unittest

import support

HELP = support.SOURCE / "tests" / "golden" / "help"
UPDATE = "--update" in sys.argv


class Folder(unittest.TestCase):
    def setUp(self):
        context = tempfile.TemporaryDirectory()
        self.addCleanup(context.cleanup)
        self.folder = pathlib.Path(context.name)

    def archive(self, name="module.tar", text=support.LEGACY_TEXT):
        members = {"metadata.json": support.METADATA}
        if text:
            members["src/tir-1.txt"] = text
        path = self.folder / name
        path.write_bytes(support.make_tar(members))
        return path


class Help(unittest.TestCase):
    def test_help_is_what_the_golden_files_say(self):
        for command in ("", "process", "tir", "inspect"):
            arguments = [command, "--help"] if command else ["--help"]
            text = support.run_ok(*arguments).stdout.decode()
            golden = HELP / f"{command or 'mlf'}.txt"
            if UPDATE:
                golden.write_text(text)
            self.assertEqual(text, golden.read_text(), command)

    def test_version_names_the_formats(self):
        text = support.run_ok("--version").stdout.decode()
        self.assertRegex(text, r"^mlf \d+\.\d+\.\d+\n")
        for name in ("mlf-tir 1", "mlf-manifest 1", "mlf-inspect 1"):
            self.assertIn(name, text)


class Process(Folder):
    def test_success_is_silent_and_verbose_says_what_was_written(self):
        path = self.archive()
        result = support.run_ok("process", "-v", path)
        self.assertIn(b"src/tir-1.json", result.stderr)
        result = support.run_ok("process", path)
        self.assertEqual((result.stdout, result.stderr), (b"", b""))

    def test_an_archive_without_tir_is_noted_unless_quiet(self):
        path = self.archive(text=None)
        before = path.read_bytes()
        self.assertIn(b"mlf: info: ", support.run_ok("process", path).stderr)
        self.assertEqual(support.run_ok("process", "-q", path).stderr, b"")
        self.assertEqual(path.read_bytes(), before)

    def test_standard_input_goes_to_standard_output(self):
        path = self.archive()
        with open(path, "rb") as source:
            piped = support.run_ok("process", "-", stdin=source).stdout
        support.run_ok("process", path)
        self.assertEqual(piped, path.read_bytes())

    def test_output_to_a_file_leaves_the_archive_alone(self):
        path, out = self.archive(), self.folder / "out.tar"
        before = path.read_bytes()
        support.run_ok("process", path, "-o", out)
        self.assertEqual(path.read_bytes(), before)
        support.run_ok("process", path)
        self.assertEqual(out.read_bytes(), path.read_bytes())

    def test_a_tar_is_not_sent_to_a_terminal(self):
        leader, follower = pty.openpty()
        result = subprocess.run(
            [support.PROGRAM, "process", "-o", "-", self.archive()],
            stdout=follower, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
        os.close(leader)
        os.close(follower)
        self.assertEqual(result.returncode, 64)

    def test_a_dry_run_prints_the_plan(self):
        path = self.archive()
        before = path.read_bytes()
        plan = support.run_ok("process", "--dry-run", path).stdout.decode()
        self.assertEqual([line.split(": ")[1].split(" (")[0] for line in plan.splitlines()],
                         ["write src/tir-1.json", "write src/mlf.json"])  # fmt: skip
        self.assertEqual(path.read_bytes(), before)

    def test_several_archives_at_once_are_reported_in_their_order(self):
        good = [self.archive(f"{i}.tar") for i in range(5)]
        bad = self.archive("bad.tar", text="oops\n")
        missing = self.folder / "missing.tar"
        result = support.run("process", "-j", "4", good[0], bad, *good[1:], missing)
        self.assertEqual(result.returncode, 65, "the first failure decides")
        first, second = (result.stderr.index(str(path).encode()) for path in (bad, missing))
        self.assertLess(first, second)
        for path in good:
            self.assertEqual(path.read_bytes(), good[0].read_bytes())

    def test_a_folder_that_cannot_be_written_is_an_io_error(self):
        path = self.archive()
        before = path.read_bytes()
        self.folder.chmod(0o555)
        nobody = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
        result = support.run("process", path, **nobody)
        self.folder.chmod(0o755)
        self.assertEqual(result.returncode, 74, result.stderr)
        self.assertEqual(path.read_bytes(), before)


class Tir(Folder):
    def test_every_way_to_name_a_tir_gives_the_same(self):
        path = self.archive()
        bare = self.folder / "tir-1.txt"
        bare.write_text(support.LEGACY_TEXT)
        outputs = [
            support.run_ok("tir", f"{path}{suffix}").stdout
            for suffix in ("", ":tir-1", ":src/tir-1.txt", ":./src/tir-1.txt")
        ]
        with open(path, "rb") as source:
            outputs.append(support.run_ok("tir", "--", "-:tir-1", stdin=source).stdout)
        functions = {json.dumps(json.loads(output)["functions"]) for output in outputs}
        functions.add(json.dumps(json.loads(support.run_ok("tir", bare).stdout)["functions"]))
        piped = support.run_ok("tir", "-", input=support.LEGACY_TEXT.encode()).stdout
        functions.add(json.dumps(json.loads(piped)["functions"]))
        self.assertEqual(len(functions), 1)

    def test_pretty_is_the_same_document(self):
        path = self.archive()
        compact = support.run_ok("tir", path).stdout
        pretty = support.run_ok("tir", "--pretty", path).stdout
        self.assertEqual(json.loads(compact), json.loads(pretty))
        self.assertGreater(pretty.count(b"\n"), compact.count(b"\n"))

    def test_its_own_json_reads_back_to_the_same_bytes(self):
        json_file = self.folder / "x.json"
        json_file.write_bytes(support.run_ok("tir", self.archive()).stdout)
        self.assertEqual(support.run_ok("tir", json_file).stdout, json_file.read_bytes())

    def test_save_json_is_the_way_back_to_tvm(self):
        text = support.run_ok("tir", "--format", "save_json", self.archive()).stdout
        self.assertLessEqual({"root", "nodes", "attrs"}, json.loads(text).keys())


class Inspect(Folder):
    def test_tables_name_modules_functions_and_members(self):
        text = support.run_ok("inspect", self.archive()).stdout.decode()
        for piece in ("Model Library Format 7", "default", "full-model", "src/tir-1.txt", "main"):
            self.assertIn(piece, text)
        self.assertNotIn(" \n", text)

    def test_tir_that_does_not_read_is_said_beside_the_rest(self):
        result = support.run("inspect", "--json", self.archive(text="oops\n"))
        self.assertEqual(result.returncode, 65)
        self.assertIn(b"src/tir-1.txt:1:1", result.stderr)
        entry = json.loads(result.stdout)["tir"][0]
        self.assertIsNone(entry["reading"])
        self.assertEqual(len(entry["failures"]), 1)

    def test_standard_output_that_is_full_is_an_io_error(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run(
                [support.PROGRAM, "inspect", self.archive()],
                stdout=full, stderr=subprocess.PIPE, check=False,
            )  # fmt: skip
        self.assertEqual(result.returncode, 74)


class Colour(Folder):
    def stderr_on_a_terminal(self, **environment):
        leader, follower = pty.openpty()
        subprocess.run(
            [support.PROGRAM, "inspect", self.folder / "missing.tar"],
            stderr=follower, check=False, env={**os.environ, "TERM": "xterm", **environment},
        )  # fmt: skip
        os.close(follower)
        text = os.read(leader, 65536)
        os.close(leader)
        return text

    def test_colour_is_for_terminals_that_want_it(self):
        self.assertIn(b"\x1b[", self.stderr_on_a_terminal(NO_COLOR=""))
        self.assertNotIn(b"\x1b[", self.stderr_on_a_terminal(NO_COLOR="1"))
        self.assertNotIn(b"\x1b[", support.run("inspect", "missing.tar").stderr)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--update"])

"""The command line: help, versions, streams, colours, several archives."""

import concurrent.futures
import dataclasses
import gzip
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import typing
import unittest
import xml.etree.ElementTree

import support

HELP = support.SOURCE / "tests" / "golden" / "help"
UPDATE = "--update" in sys.argv


def typed(module, kind, data):
    """`data` as an instance of a dataclass, or of what a field's annotation says; else TypeError."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind, vars(module))
        return kind(**{key: typed(module, hints[key], value) for key, value in data.items()})
    if origin is list:
        return [typed(module, arguments[0], one) for one in data]
    if origin is dict:
        return {key: typed(module, arguments[1], one) for key, one in data.items()}
    if arguments:  # a union: none of ours is more than one of plain types and None
        kind = tuple(one for one in arguments if isinstance(one, type))
    if not isinstance(data, kind):
        raise TypeError(f"{data!r} is no {kind}")
    return data


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
        for command in ("", "process", "inspect", "report", "show", "diff", "check", "table", "graph", "tir",
                        "plan", "verify", "help"):
            arguments = [command, "--help"] if command else ["--help"]
            text = support.run_ok(*arguments).stdout.decode()
            golden = HELP / f"{command or 'mlf'}.txt"
            if UPDATE:
                golden.write_text(text)
            self.assertEqual(text, golden.read_text(), command)

    def test_version_names_the_formats_and_their_schemas(self):
        text = support.run_ok("--version").stdout.decode()
        self.assertRegex(text, r"^mlf \d+\.\d+\.\d+\n")
        expected = []
        for path in (support.SOURCE / "schemas").glob("*.schema.json"):
            schema = json.loads(path.read_text())
            constants = [schema["properties"][key]["const"] for key in ("format", "version")]
            expected.append((*map(str, constants), schema["$id"]))
        found = re.findall(r"^  (mlf-\w+) (\d+) +(\S+)$", text, re.MULTILINE)
        self.assertEqual(sorted(found), sorted(expected))


class Manual(Folder):
    """Manual pages and completions, which are made of what parses the command line."""

    def setUp(self):
        super().setUp()
        support.run_ok("help", "--write", self.folder)

    def completions(self, *words):
        """What bash offers for the last word."""
        script = self.folder / "bash-completion/completions/mlf"
        text = f"""source {script}
                   COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mlf; printf '%s\\n' "${{COMPREPLY[@]}}"
                """
        result = subprocess.run(["bash", "-c", text, "bash", "mlf", *words], cwd=self.folder,
                                capture_output=True, check=True, text=True)
        self.assertEqual(result.stderr, "")
        return set(result.stdout.split())

    def test_help_of_a_command_is_its_help(self):
        for command in ("plan", "report"):
            self.assertEqual(support.run_ok("help", command).stdout,
                             support.run_ok(command, "--help").stdout)
        self.assertEqual(support.run_ok("help").stdout, support.run_ok("--help").stdout)

    def test_bash_completes_commands_options_and_their_values(self):
        self.assertEqual(self.completions("re"), {"report"})
        self.assertLessEqual({"--output", "--constants", "--quiet"}, self.completions("process", "--"))
        self.assertEqual(self.completions("process", "--constants", ""), {"inline", "npy", "none"})
        self.assertEqual(self.completions("process", "--constants", "=", "n"), {"npy", "none"})
        self.assertIn("verify", self.completions("help", ""))

    def test_bash_completes_names_of_files_everywhere_else(self):
        (self.folder / "a b.tar").write_bytes(b"")
        self.assertEqual(self.completions("process", "a"), {"a", "b.tar"})  # split by the test alone
        self.assertEqual(self.completions("process", "-o", "bash-"), {"bash-completion"})

    def test_every_command_has_a_page_without_warnings(self):
        pages = sorted(self.folder.glob("man/man1/*.1"))
        names = re.findall(r"^  (\w+) ", support.run_ok("--help").stdout.decode(), re.MULTILINE)
        commands = [name for name in names if (self.folder / f"man/man1/mlf-{name}.1").exists()]
        self.assertEqual(len(pages), len(commands) + 1)
        if shutil.which("man") is None:
            self.skipTest("there is no man")
        for page in pages:
            result = subprocess.run(
                ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page],
                env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"},
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True, text=True)
            self.assertEqual(result.stderr, "", page)

    @unittest.skipIf(shutil.which("zsh") is None, "there is no zsh")
    def test_zsh_takes_its_completion(self):
        script = self.folder / "zsh/vendor-completions/_mlf"
        # Its own parser reads all of it. What it offers takes a terminal to be seen.
        result = subprocess.run(["zsh", "-f", "-n", script], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    @unittest.skipIf(shutil.which("fish") is None, "there is no fish")
    def test_fish_completes_commands_options_and_their_values(self):
        script = self.folder / "fish/vendor_completions.d/mlf.fish"

        def offered(line):
            code = f"source {script}; complete -C '{line}'"
            result = subprocess.run(["fish", "--no-config", "-c", code], cwd=self.folder,
                                    capture_output=True, check=True, text=True)
            self.assertEqual(result.stderr, "")
            return dict(row.split("\t") if "\t" in row else (row, "")
                        for row in result.stdout.splitlines())

        self.assertEqual(offered("mlf rep"), {"report": "Show what a network costs and why"})
        self.assertEqual(offered("mlf process --constants n").keys(), {"npy", "none"})
        self.assertIn("--in-place", offered("mlf plan --in"))
        self.assertEqual(offered("mlf help ver").keys(), {"verify"})
        formats = "topology, json, dot, svg, png, perfetto or model-explorer"
        self.assertEqual(offered("mlf graph --format dot"), {"dot": formats})

    def test_a_folder_that_cannot_be_written_is_an_error(self):
        (self.folder / "file").write_bytes(b"")
        result = support.run("help", "--write", self.folder / "file")
        self.assertEqual(result.returncode, 74)
        self.assertIn(b"cannot be written: ", result.stderr)


class Plan(Folder):
    """Offsets for the buffers of a CSV file."""

    ROWS = "size,id,lower,upper\n4,a,0,3\n4,b,3,9\n4,c,0,9\n4,d,9,21\n4,e,0,21\n"

    def offsets(self, stdout):
        lines = stdout.decode().splitlines()
        self.assertEqual([line.rpartition(",")[0] for line in lines], self.ROWS.splitlines())
        self.assertEqual(lines[0].rpartition(",")[2], "offset")
        return [int(line.rpartition(",")[2]) for line in lines[1:]]

    def test_rows_come_out_with_offsets(self):
        path = self.folder / "buffers.csv"
        path.write_text(self.ROWS)
        result = support.run_ok("plan", "--problem", str(path), "--capacity", "12")
        a, b, c, d, e = self.offsets(result.stdout)
        for alive in ((a, c, e), (b, c, e), (d, e)):
            self.assertEqual(len(set(alive)), len(alive))
        self.assertLessEqual({a, b, c, d, e}, {0, 4, 8})
        self.assertIn("5 buffers in 12 bytes; no plan is smaller", result.stderr.decode())

    def test_what_comes_out_may_be_given_in_again(self):
        command = [support.PROGRAM, "plan", "--problem", "-"]
        first = subprocess.run(command, input=self.ROWS.encode(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, check=True)
        again = subprocess.run(command, input=first.stdout, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, check=True)
        self.assertEqual(again.stdout, first.stdout)

    def test_too_small_a_capacity_is_a_failed_check_with_the_best_plan(self):
        path = self.folder / "buffers.csv"
        path.write_text(self.ROWS)
        result = support.run("plan", "-q", "--problem", str(path), "--capacity", "11")
        self.assertEqual(result.returncode, 1)
        self.assertLessEqual(max(self.offsets(result.stdout)), 8)
        self.assertEqual(result.stderr.decode(), "mlf: error: no plan fits into 11 bytes\n")


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


class ChecksOfVerify(Folder):
    def test_it_says_what_it_checked_and_what_not(self):
        archive = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
        self.assertEqual(support.run_ok("verify", archive).stdout, b"")
        lines = support.run_ok("verify", "-v", archive).stdout.decode().splitlines()
        checked = [line.split(": ", 2)[2] for line in lines if ": checked: " in line]
        self.assertIn("1 of 1 networks pass their checks (mlf/graph/checks.def) [network]", checked)
        self.assertTrue(any(line.startswith("2 of 2 functions of gen") for line in checked), lines)
        not_checked = [line for line in lines if ": not checked: " in line]
        self.assertTrue(not_checked[-1].endswith("[compilation]"), lines)
        document = json.loads(support.run_ok("verify", "--json", archive).stdout)
        codes = {check["code"]: check for check in document["archives"][0]["checks"]}
        self.assertEqual(codes["network"], {
            "code": "network", "passed": 1, "failed": 0, "not_checked": None
        })  # fmt: skip
        self.assertIsNotNone(codes["compilation"]["not_checked"])

    def test_the_words_list_every_code(self):
        words = (support.SOURCE / "schemas" / "README.md").read_text()
        schema = json.loads((support.SOURCE / "schemas" / "verify.schema.json").read_text())
        table = (support.SOURCE / "include" / "mlf" / "verify_checks.def").read_text()
        codes = re.findall(r'^MLF_VERIFY_CHECK\(\w+, "([a-z-]+)",', table, re.M)
        self.assertEqual(schema["$defs"]["check"]["properties"]["code"]["enum"], codes)
        for code in codes:
            self.assertIn(f"\n| `{code}` |", words)

    def test_c_that_does_not_compile_is_not_said_to(self):
        archive = support.SOURCE / "tests/data/c/tvm-0.18-control_ops-aot-c/module.tar"
        self.assertIn(b"warning: the generated C, codegen/host/src/default_lib1.c, uses the type half",
                      support.run_ok("verify", archive).stdout)  # fmt: skip
        stock = self.folder / "stock.tar"
        stock.write_bytes(support.without_tir(archive, {}))
        self.assertIn(b"[c-type]", support.run_ok("verify", stock).stdout)
        self.assertEqual(support.run_ok("verify", support.ARCHIVES / "tvm-0.18-add-aot-c.tar").stdout, b"")
        result = support.run("verify", "-v", archive)
        self.assertIn(b"not checked: whether sources of generated C compile (", result.stdout)
        self.assertIn(b"not find out whether it compiles", b" ".join(
            support.run_ok("verify", "--help").stdout.split()
        ))  # fmt: skip


class Streams(Folder):
    """What can be read only once is as good a source as a file, for every command."""

    def outputs(self, data, command, options=()):
        """What comes from a file, a pipe, a FIFO and standard input."""
        file, fifo = self.folder / "a-file", self.folder / "a-fifo"
        file.write_bytes(data)
        yield str(file), support.run(*command, file, *options)
        reader, writer = os.pipe()
        with open(writer, "wb") as sink, concurrent.futures.ThreadPoolExecutor() as pool:
            pool.submit(lambda: (sink.write(data), sink.close()))
            path = f"/dev/fd/{reader}"
            yield path, support.run(*command, path, *options, pass_fds=[reader])
        os.close(reader)
        fifo.unlink(missing_ok=True)
        os.mkfifo(fifo)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            pool.submit(fifo.write_bytes, data)
            yield str(fifo), support.run(*command, fifo, *options)
        yield "-", support.run(*command, "-", *options, input=data)

    def check(self, data, *command, options=()):
        seen = {}
        for path, result in self.outputs(data, command, options):
            self.assertEqual(result.returncode, 0, (command, path, result.stderr))
            shown = result.stdout.decode()
            for name in (f'"{path}"', f'"{path.rsplit("/", 1)[-1]}"', f"{path}:"):
                shown = shown.replace(name, "SOURCE")
            seen.setdefault(shown, []).append(path)
        self.assertEqual(len(seen), 1, (command, list(seen.values())))

    def test_every_command_takes_an_archive(self):
        data = support.make_tar({"metadata.json": support.METADATA, "src/tir-1.txt": support.NETWORK})
        for packed in (data, gzip.compress(data)):
            for command in (["inspect", "--json"], ["verify", "-v", "--json"], ["graph"], ["tir"]):
                self.check(packed, *command)
        self.check(data, "process", options=["-o", "-"])
        self.check(data, "process", "--dry-run", options=["-o", self.folder / "out.tar"])

    def test_tir_takes_every_dialect(self):
        for text in (support.LEGACY_TEXT, support.NETWORK):
            self.check(text.encode(), "tir", "--format", "tvmscript")
            self.check(text.encode(), "tir")

    def test_tir_beside_an_archive_may_be_a_stream(self):
        archive = self.archive(text=None)
        for command in (["verify", "--json"], ["graph"]):
            self.check(support.NETWORK.encode(), *command, archive, "--tir")

    def test_tir_is_added_from_files_and_streams(self):
        (self.folder / "tir-1.txt").write_text(support.NETWORK)
        fifo = self.folder / "tir-2.txt"
        os.mkfifo(fifo)
        archive = self.archive(text=None)
        command = ["process", archive, "--add-tir", self.folder / "tir-1.txt", "--add-tir", fifo]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            pool.submit(fifo.write_text, support.LEGACY_TEXT)
            support.run_ok(*command)
        with tarfile.open(archive) as tar:
            self.assertEqual(tar.extractfile("./src/tir-1.txt").read(), support.NETWORK.encode())
            self.assertEqual(
                tar.extractfile("./src/tir-2.txt").read(), support.LEGACY_TEXT.encode()
            )
            self.assertIn("./src/tir-2.json", tar.getnames())
        (self.folder / "tir-1.txt").write_text(support.LEGACY_TEXT)
        result = support.run(*command[:4])
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"src/tir-1.txt is there with other content, and stays", result.stderr)

    def test_a_stream_without_an_end_is_left_at_the_limit(self):
        limits = ["--limit", "source-bytes=100000", "--limit", "total-bytes=100000"]
        for command in (["tir"], ["inspect"], ["verify", self.archive(), "--tir"]):
            result = support.run(*command, "/dev/zero", *limits)
            self.assertEqual(result.returncode, 65, result.stderr)
            self.assertIn(b"100000 bytes", result.stderr)

    def test_a_closed_standard_stream_is_an_error(self):
        archive = self.archive()
        for command, closed in (("process - -o -", 1), ("inspect -", 1), ("inspect -", 0)):
            with open(archive, "rb") as source:
                result = subprocess.run(
                    [support.PROGRAM, *command.split()], stdin=source, capture_output=True,
                    check=False, preexec_fn=lambda: os.close(closed),
                )  # fmt: skip
            self.assertEqual(result.returncode, 74, (command, closed, result.stderr))
            self.assertEqual(result.stderr.count(b"mlf: error: "), 1)

    def test_a_stream_cannot_be_replaced(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        self.assertEqual(support.run("process", fifo).returncode, 74)


class Tir(Folder):
    def test_tir_without_the_data_of_constants(self):
        archive = support.SOURCE / "tests/data/archives/tvm-0.18-qnn_conv-aot-c.tar"
        whole, short = (
            support.run_ok("tir", "--format", "tvmscript", "--constants", data, archive).stdout
            for data in ("inline", "none")
        )
        self.assertLess(len(short), len(whole))
        self.assertIn(b'T.allocate_const(metadata["runtime.NDArray"][0], ', short)
        again = json.loads(support.run_ok("tir", "-", input=short).stdout)
        self.assertTrue(again["constants"])
        self.assertEqual({constant["sha256"] for constant in again["constants"]}, {None})
        for form in ("save_json", "c"):
            result = support.run("tir", "--format", form, "--constants", "none", archive)
            self.assertEqual(result.returncode, 65)
            self.assertIn(b"cannot be written without their data", result.stderr)

    def test_tir_without_its_metadata_section(self):
        archive = support.SOURCE / "tests/data/archives/tvm-0.18-add-aot-c.tar"
        refused = support.run("tir", "--format", "save_json", archive)
        self.assertEqual(refused.returncode, 65)
        self.assertIn(b'metadata["Executor"][0] is not known', refused.stderr)
        for form in ("save_json", "tvmscript"):
            result = support.run_ok("tir", "--missing=omit", "--format", form, archive)
            notes = result.stderr.decode().splitlines()
            self.assertTrue(notes)
            for note in notes:
                self.assertRegex(note, "^mlf: info: left out: '.*' of the module, which ")
            again = json.loads(support.run_ok("tir", "-", input=result.stdout).stdout)
            self.assertNotIn("attr-object", {loss["code"] for loss in again["losses"]})

    def test_tir_of_an_archive_has_its_constants_however_it_is_named(self):
        archive = support.SOURCE / "tests/data/archives/tvm-0.18-qnn_conv-aot-c.tar"
        texts = {
            support.run_ok("tir", f"{archive}{member}").stdout
            for member in ("", ":tir-1", ":src/tir-1.txt", ":./src/tir-1.txt")
        }
        self.assertEqual(len(texts), 1)

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

    def script(self, *options):
        return support.run_ok("tir", "--format", "tvmscript", *options, self.archive()).stdout

    def test_tvmscript_is_spelled_as_the_named_version_does(self):
        for version, line in (
            ("0.16", b"@I.ir_module"),
            ("0.12.1.dev3+g0123abc", b"@I.ir_module"),
            ("0.11", b"@tvm.script.ir_module"),
            ("0.9.dev0", b"@tvm.script.ir_module"),
        ):
            self.assertIn(line + b"\nclass Module:\n", self.script("--tvm-version", version))

    def test_tvmscript_is_for_the_tvm_of_the_source_unless_said_otherwise(self):
        script = self.script()
        self.assertIn(b"@tvm.script.ir_module", script, "legacy text is from v0.8 to v0.11")
        again = support.run_ok("tir", "--format", "tvmscript", "-", input=script).stdout
        self.assertEqual(again, script)

    def test_what_is_no_version_of_tvm_is_a_usage_error(self):
        for version in ("0.16.abc", "0.16.", "0.7", "0.19", "latest", ""):
            result = support.run("tir", "--tvm-version", version, self.archive())
            self.assertEqual(result.returncode, 64, version)
            self.assertIn(b"--tvm-version: expected a version of TVM from 0.8 to 0.18", result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_c_is_read_and_printed_again(self):
        once = support.run_ok("tir", "--format", "c", self.generated_c()).stdout
        again = self.folder / "again.c"
        again.write_bytes(once)
        self.assertEqual(support.run_ok("tir", "--format", "c", again).stdout, once)

    def test_what_c_cannot_say_is_an_error(self):
        text = support.LEGACY_TEXT.replace("@tir.ret(0", "@tir.popcount(0")
        result = support.run("tir", "--format", "c", self.archive(text=text))
        self.assertEqual(result.returncode, 65)
        self.assertIn(b"a call of tir.popcount cannot be printed as C", result.stderr)

    def generated_c(self):
        with tarfile.open(support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar") as archive:
            for member in archive:
                if member.name.endswith("default_lib1.c"):
                    path = self.folder / "default_lib1.c"
                    path.write_bytes(archive.extractfile(member).read())
                    return path
        raise LookupError("no C of kernels")


class Graph(Folder):
    def real(self, name="tvm-0.18-qnn_conv-aot-c.tar"):
        return support.ARCHIVES / name

    def test_the_formats_show_one_network(self):
        topology = json.loads(support.run_ok("graph", self.real()).stdout)
        graph = json.loads(support.run_ok("graph", self.real(), "--format", "json").stdout)
        dot = support.run_ok("graph", self.real(), "--format", "dot").stdout.decode()
        kernels = [node for node in graph["nodes"] if node["op"] == "tvm_op"]
        self.assertEqual(len(topology["calls"]), 4)
        self.assertEqual(len(kernels), 4)
        self.assertTrue(dot.startswith("digraph"))

    def test_a_picture_is_svg(self):
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # Graphviz' own
        result = support.run("graph", self.real(), "--format", "svg", env=environment)
        if result.returncode == 64:
            self.skipTest("built without Graphviz")
        svg = xml.etree.ElementTree.fromstring(result.stdout)
        self.assertTrue(svg.tag.endswith("svg"))
        self.assertGreaterEqual(len(svg.findall(".//{*}g[@class='node']")), 4)

    def test_a_picture_in_pixels_is_png(self):
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # Graphviz' own
        result = support.run("graph", self.real(), "--format", "png", env=environment)
        if result.returncode != 0:
            self.assertRegex(result.stderr, b"built without Graphviz|cannot draw the graph as png")
            self.skipTest("no Graphviz that draws PNG")
        self.assertEqual(result.stdout[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", result.stdout[16:24])
        self.assertGreater(width, 100)
        self.assertGreater(height, width)

    def chain(self, kernels):
        """An archive with a call of each kernel ("+", "-", "*"), which reads the one before."""
        names = {"+": "add", "-": "subtract", "*": "multiply"}
        calls = [(names[kernel], [i - 1]) for i, kernel in enumerate(kernels)]
        code = "".join(support.KERNEL.replace("default_add", f"default_{name}").replace(" + ", f" {sign} ")
                       for sign, name in names.items())  # fmt: skip
        path = self.folder / "chain.tar"
        path.write_bytes(support.make_tar({"metadata.json": support.METADATA,
                                           "src/tir-1.txt": support.network(calls, code)}))
        return path

    def test_repeated_parts_are_drawn_once(self):
        archive = self.chain("+" + "-*" * 5 + "+")
        dot = support.run_ok("graph", archive, "--format", "dot", "--fold").stdout.decode()
        self.assertEqual(re.findall(r"^  (calls?\w+) \[", dot, re.MULTILINE),
                         ["call0", "calls1to10", "call11"])
        self.assertIn(r'"calls 1 to 10\n5 times:\nsubtract\nmultiply', dot)
        self.assertEqual(support.run_ok("graph", archive, "--format", "dot", "--fold").stdout.decode(),
                         dot)
        whole = support.run_ok("graph", archive, "--format", "dot").stdout.decode()
        self.assertEqual(len(re.findall(r"^  call\d+ \[", whole, re.MULTILINE)), 12)

    def test_residual_blocks_are_parts_that_repeat(self):
        archive = support.CORPUS / "tvm-0.18" / "resnet8-aot-c" / "module.tar"
        if not archive.exists():
            self.skipTest("no corpus")
        dot = support.run_ok("graph", archive, "--format", "dot", "--fold").stdout.decode()
        self.assertIn(r'"calls 2 to 10\n3 times:\n', dot)

    def test_only_pictures_are_folded(self):
        refused = support.run("graph", self.real(), "--fold")
        self.assertEqual((refused.returncode, refused.stdout), (64, b""))
        self.assertIn(b"--fold is for --format dot, svg and png", refused.stderr)

    def test_what_is_too_large_for_a_layout_is_folded(self):
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # Graphviz' own
        result = support.run("graph", self.chain("+-" * 600), "--format", "svg", env=environment)
        if result.returncode == 64:
            self.skipTest("built without Graphviz")
        self.assertIn(b"repeated parts are drawn once, as with --fold", result.stderr)
        svg = xml.etree.ElementTree.fromstring(result.stdout)
        titles = [title.text for title in svg.iterfind(".//{*}g[@class='node']/{*}title")]
        self.assertIn("calls0to1199", titles)

    def test_what_is_too_large_even_so_is_a_column(self):
        # How many ones are between the zeros of the sequence of Thue and Morse: no part repeats.
        ones = "".join(str(i.bit_count() % 2) for i in range(2300)).split("0")
        kernels = ["+-*"[len(run)] for run in ones[1:-1]]
        result = support.run_ok("graph", self.chain(kernels), "--format", "svg")
        self.assertIn(b"too many edges for a layout: the picture is a column", result.stderr)
        svg = xml.etree.ElementTree.fromstring(result.stdout)
        self.assertEqual(len(svg.findall("{*}rect")), len(kernels))
        texts = [element.text for element in svg.findall("{*}text")]
        self.assertIn("in the order of main", texts[0])
        self.assertEqual(texts[-1], f"reads call {len(kernels) - 2}")
        refused = support.run("graph", self.chain(kernels), "--format", "png")
        self.assertEqual((refused.returncode, refused.stdout), (64, b""))
        self.assertIn(b"too many edges for a layout: --format svg lists the calls", refused.stderr)

    def test_unknown_shapes_have_their_bytes(self):
        archive = support.CORPUS / "tvm-0.18" / "cmsis-nn" / "module.tar"
        if not archive.exists():
            self.skipTest("no corpus")
        dot = support.run_ok("graph", archive, "--format", "dot").stdout.decode()
        self.assertNotIn("?[?]", dot)
        self.assertRegex(dot, r'call\d+ -> call\d+ \[label=" *int8\[\?\] *\\n *at most 512 B *"\]')

    def test_boxes_of_pictures_have_the_layers_of_their_calls(self):
        archive = support.CORPUS / "tvm-0.16" / "aww-aot-c-usmp" / "module.tar"
        if not archive.exists():
            self.skipTest("no corpus")
        (module,) = json.loads(support.run_ok("report", archive, "--json").stdout)["modules"]
        dot = support.run_ok("graph", archive, "--format", "dot").stdout.decode()
        boxes = dict(re.findall(r'^  call(\d+) \[label="([^"]*)"', dot, re.MULTILINE))
        named = 0
        for number, call in enumerate(module["calls"]):
            layer = (call["layer"] or "").split(";")[0]
            named += bool(layer)
            lines = boxes[str(number)].split(f"\\ncall {number}\\n")[0].replace("\\n", "")
            self.assertTrue(lines.endswith(layer), (lines, layer))
        self.assertGreater(named, 8)

    def check_trace(self, archive):
        """The trace is the topology's memory, by the rules of the Trace Event Format: slices of a
        thread nest, asynchronous ones begin and end in pairs, counters have numbers."""
        topology = json.loads(support.run_ok("graph", archive).stdout)
        trace = json.loads(support.run_ok("graph", archive, "--format", "perfetto").stdout)
        self.assertEqual(list(trace), ["traceEvents"])
        events = {phase: [event for event in trace["traceEvents"] if event["ph"] == phase]
                  for phase in "MXbeC"}
        self.assertEqual(sum(map(len, events.values())), len(trace["traceEvents"]))
        for event in trace["traceEvents"]:
            self.assertIsInstance(event["name"], str)
            self.assertGreaterEqual(event["ts"], 0)
            self.assertEqual((event["pid"], event["tid"]), (1, 1))
        self.assertEqual({event["name"] for event in events["M"]}, {"process_name", "thread_name"})

        slices = sorted((event["ts"], event["dur"], event["name"]) for event in events["X"])
        for before, after in zip(slices, slices[1:]):
            self.assertLessEqual(before[0] + before[1], after[0])
        names = {name: start for start, _, name in slices}
        for call in topology["calls"]:
            self.assertEqual(names[call["name"]], call["position"])

        ends = {event["id"]: event for event in events["e"]}
        self.assertEqual(len(ends), len(events["b"]))
        for begin in events["b"]:
            value = topology["values"][begin["id"]]
            end = ends[begin["id"]]
            self.assertEqual((begin["name"], begin["cat"]), (end["name"], end["cat"]))
            self.assertEqual(begin["name"], value["name"])
            self.assertEqual(begin["args"].get("bytes"), value["bytes"])
            self.assertEqual(begin["ts"], value["first_definition"] or 0)
            self.assertGreater(end["ts"], begin["ts"])
            if value["last_use"] is not None:
                self.assertEqual(end["ts"], value["last_use"] + 1)

        for use in topology["memory"]:
            name = use["kind"] if use["pool"] is None else topology["pools"][use["pool"]]["name"]
            counted = [(event["ts"], event["args"]["bytes"]) for event in events["C"]
                       if event["name"] == name]
            self.assertEqual(counted[:-1], [(live["position"], live["bytes"]) for live in use["live"]])
            if use["peak"]:
                self.assertEqual(max(bytes for _, bytes in counted), use["peak"]["bytes"])

    def check_model_explorer(self, archive):
        """Model Explorer's graph has the calls, tensors and edges of the topology."""
        topology = json.loads(support.run_ok("graph", archive).stdout)
        text = support.run_ok("graph", archive, "--format", "model-explorer").stdout
        (graph,) = json.loads(text)["graphs"]
        nodes = {node["id"]: node for node in graph["nodes"]}
        self.assertEqual(len(nodes), len(graph["nodes"]))
        # Which the viewer needs, though the type has a default.
        self.assertEqual({node["namespace"] for node in graph["nodes"]}, {""})
        # Tensor by tensor: who writes it is the edge's source, by name.
        written = {
            (node["id"], output["id"]): {one["key"]: one["value"] for one in output["attrs"]}
            for node in graph["nodes"]
            for output in node.get("outputsMetadata", [])
        }
        for number, call in enumerate(topology["calls"]):
            reads = [topology["values"][argument["reads"]] for argument in call["arguments"]
                     if argument["reads"] is not None]
            edges = nodes[f"call{number}"]["incomingEdges"]
            sources = [written[edge["sourceNodeId"], edge["sourceNodeOutputId"]] for edge in edges]
            self.assertEqual([one["tensor_name"] for one in sources], [one["name"] for one in reads])
            for source, value in zip(sources, reads, strict=True):
                self.assertEqual(source.get("bytes"), value["bytes"] and str(value["bytes"]))
            self.assertEqual([int(edge["targetNodeInputId"]) for edge in edges],
                             list(range(len(edges))))
        for number, output in enumerate(topology["outputs"]):
            edges = nodes[f"output{number}"]["incomingEdges"]
            self.assertEqual(len(edges), output["value"] is not None)
        self.check_node_data(archive, graph)
        return json.loads(text)

    def check_node_data(self, archive, graph):
        (module,) = json.loads(support.run_ok("report", archive, "--json").stdout)["modules"]
        for name in ("mac", "loaded", "live"):
            data = json.loads(support.run_ok("report", archive, "--node-data", name).stdout)
            self.assertEqual(list(data), [graph["id"]])
            numbers = {f"call{number}": {"value": call[name]}
                       for number, call in enumerate(module["calls"])
                       if isinstance(call[name], int)}
            self.assertEqual(data[graph["id"]]["results"], numbers)

    def test_a_graph_for_model_explorer_is_the_topology(self):
        for archive in support.bundled_archives():
            if support.run("graph", archive).returncode == 0:
                with self.subTest(archive):
                    self.check_model_explorer(archive)

    def test_model_explorers_own_types_have_all_that_its_files_say(self):
        try:
            from model_explorer import graph_builder, node_data_builder
        except ImportError:
            self.skipTest("the Python package ai-edge-model-explorer is not installed")
        archive = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        typed(graph_builder, graph_builder.GraphCollection, self.check_model_explorer(archive))
        data = json.loads(support.run_ok("report", archive, "--node-data", "mac").stdout)
        for one in data.values():
            typed(node_data_builder, node_data_builder.GraphNodeData, one)

    def test_a_trace_is_the_memory_of_the_topology(self):
        for archive in support.bundled_archives():
            if support.run("graph", archive).returncode == 0:
                with self.subTest(archive):
                    self.check_trace(archive)

    def test_what_process_writes_is_what_graph_prints(self):
        path = self.folder / "module.tar"
        path.write_bytes(self.real().read_bytes())
        support.run_ok("process", path)
        for form, member in (("topology", "default.topology"), ("json", "default.graph")):
            written = subprocess.run(
                ["tar", "-xOf", path, f"./src/{member}.json"], capture_output=True, check=True
            ).stdout
            self.assertEqual(support.run_ok("graph", path, "--format", form).stdout, written)

    def test_pretty_is_the_same_document(self):
        for form in ("topology", "json"):
            compact = support.run_ok("graph", self.real(), "--format", form).stdout
            pretty = support.run_ok("graph", self.real(), "--format", form, "--pretty").stdout
            self.assertEqual(json.loads(compact), json.loads(pretty))
            self.assertGreater(pretty.count(b"\n"), compact.count(b"\n"))

    def test_an_operator_archive_has_no_network(self):
        result = support.run("graph", self.real("tvm-0.9-op-add.tar"))
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"an operator archive has bare functions and no network", result.stderr)

    def test_tir_beside_the_archive_is_preferred_to_its_c(self):
        with tarfile.open(self.real()) as tar:
            kept = {m.name[2:]: tar.extractfile(m).read() for m in tar.getmembers() if m.isfile()}
        text = kept.pop("src/tir-1.txt")
        stock, capture = self.folder / "stock.tar", self.folder / "capture.txt"
        stock.write_bytes(support.make_tar(kept))
        capture.write_bytes(text)
        for arguments, dialect in (((), "c"), (("--tir", capture), "tvmscript")):
            topology = json.loads(support.run_ok("graph", stock, *arguments).stdout)
            self.assertEqual(topology["provenance"]["dialect"], dialect)
            self.assertEqual(len(topology["calls"]), 4)

    def test_one_of_several_modules_has_to_be_named(self):
        metadata = json.loads(support.METADATA)
        metadata["modules"]["other"] = {**metadata["modules"]["default"], "model_name": "other"}
        path = self.folder / "two.tar"
        path.write_bytes(support.make_tar({"metadata.json": json.dumps(metadata)}))
        result = support.run("graph", path)
        self.assertEqual(result.returncode, 64)
        self.assertIn(b"--module: default, other", result.stderr)
        self.assertEqual(support.run("graph", path, "--module", "third").returncode, 64)
        self.assertEqual(support.run("graph", path, "--module", "other").returncode, 1)


class Verify(Folder):
    def archive_with(self, arguments):
        text = (
            support.NETWORK
            if arguments is None
            else support.NETWORK.replace("x_buffer.data, output_buffer.data", arguments)
        )
        return self.archive(text=text)

    def test_a_sound_archive_passes_in_silence(self):
        path = self.archive_with(None)
        result = support.run_ok("verify", path)
        self.assertEqual((result.stdout, result.stderr), (b"", b""))

    def test_a_finding_is_a_line_with_its_code(self):
        path = self.archive_with("output_buffer.data, output_buffer.data")
        result = support.run("verify", path)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout.decode(), r"module\.tar: default: error: .* \[read-before-write\]")

    def test_notes_are_for_those_who_ask(self):
        path = self.archive()
        self.assertEqual(support.run_ok("verify", path).stdout, b"")
        self.assertIn(b"[no-network]", support.run_ok("verify", "-v", path).stdout)

    def test_the_worst_of_several_archives_decides(self):
        good = self.archive_with(None)
        bad = self.folder / "bad.tar"
        bad.write_bytes(b"oops")
        result = support.run("verify", "--json", good, bad)
        self.assertEqual(result.returncode, 65)
        self.assertEqual([a["passed"] for a in json.loads(result.stdout)["archives"]], [True])


class Inspect(Folder):
    def test_tables_name_modules_functions_and_members(self):
        text = support.run_ok("inspect", self.archive()).stdout.decode()
        for piece in ("Model Library Format 7", "default", "full-model", "src/tir-1.txt", "main"):
            self.assertIn(piece, text)
        self.assertNotIn(" \n", text)

    def test_memory_is_that_of_the_network_beside_what_metadata_claims(self):
        metadata = json.loads(support.METADATA)
        metadata["modules"]["default"]["memory"]["functions"]["main"] = [
            {
                "device": 1,
                "workspace_size_bytes": 7,
                "constants_size_bytes": 0,
                "io_size_bytes": 32,
            }
        ]
        members = {"metadata.json": json.dumps(metadata), "src/tir-1.txt": support.NETWORK}
        path = self.folder / "module.tar"
        path.write_bytes(support.make_tar(members))
        rows = [
            re.split(r"  +", line)
            for line in support.run_ok("inspect", path).stdout.decode().splitlines()
        ]
        self.assertIn(["inputs and outputs", "32", "32"], rows)
        self.assertIn(["workspace", "0", "7", "not known"], rows)
        module = json.loads(support.run_ok("inspect", "--json", path).stdout)["modules"][0]
        self.assertEqual(
            module["memory"]["network"]["inputs_and_outputs"], {"bytes": 32, "exactness": "exact"}
        )
        self.assertEqual(
            [claim for claim in module["memory"]["claims"] if not claim["agrees"]],
            [
                {
                    "what": "workspace",
                    "claimed_bytes": 7,
                    "agrees": False,
                    "reason_code": None,
                    "reason": None,
                }
            ],
        )

    def test_memory_of_a_network_that_is_not_known_is_not_known(self):
        members = {
            "metadata.json": support.METADATA.replace(
                '"main": []', '"main": [{"device": 1, "workspace_size_bytes": 7}]'
            )
        }
        path = self.folder / "module.tar"
        path.write_bytes(support.make_tar(members))
        text = support.run_ok("inspect", path).stdout.decode()
        self.assertRegex(text, r"workspace +\? +7\n")

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

    def test_nothing_that_a_terminal_would_obey_is_printed(self):
        name = "\x1b[31m\x7f\x9b\u202e"
        metadata = support.METADATA.replace('"default": {', json.dumps(name) + ": {", 1)
        path = self.folder / "a\x1bb.tar"
        path.write_bytes(support.make_tar({"metadata.json": metadata}))
        for command in (
            ["inspect"], ["inspect", "--json"], ["-v", "verify"], ["verify", "--json"],
            ["-v", "process"], ["process", "--dry-run"],
        ):  # fmt: skip
            result = support.run(*command, path)
            for text in (result.stdout, result.stderr):
                shown = text.decode().replace("\n", "")
                self.assertTrue(all(c.isprintable() for c in shown), (command, shown))
            escaped = "\\u001b" if "--json" in command else "\\x1b"
            self.assertIn(escaped, (result.stdout + result.stderr).decode())

    def test_a_run_that_draws_nothing_waits_for_no_graphviz(self):
        # What ldd asks: the libraries that are loaded before the program begins.
        listed = subprocess.run(
            [support.PROGRAM], capture_output=True, check=True, text=True,
            env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"},
        ).stdout  # fmt: skip
        self.assertIn("libarchive", listed)
        self.assertNotRegex(listed, "libgvc|libcgraph")

    def test_colour_is_for_terminals_that_want_it(self):
        self.assertIn(b"\x1b[", self.stderr_on_a_terminal(NO_COLOR=""))
        self.assertNotIn(b"\x1b[", self.stderr_on_a_terminal(NO_COLOR="1"))
        self.assertNotIn(b"\x1b[", support.run("inspect", "missing.tar").stderr)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--update"])

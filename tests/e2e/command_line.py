"""The command line: help, versions, streams, colours, several archives."""

import concurrent.futures
import gzip
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import unittest

import program_case
import support

HELP = support.SOURCE / "tests" / "golden" / "help"
UPDATE = "--update" in sys.argv
MODULES = {"first", "second"}
# The program by its name, as completions call it.
WITH_PROGRAM = {**os.environ,
                "PATH": f"{pathlib.Path(support.PROGRAM).resolve().parent}{os.pathsep}{os.environ['PATH']}"}


class Help(unittest.TestCase):
    def test_help_is_what_the_golden_files_say(self):
        for command in ("", *support.commands()):
            arguments = [command, "--help"] if command else ["--help"]
            text = support.run_ok(*arguments).stdout.decode()
            golden = HELP / f"{command or 'mlf'}.txt"
            if UPDATE:
                golden.write_text(text)
            self.assertEqual(text, golden.read_text(), command)

    def test_help_fits_a_screen_and_has_every_part(self):
        for command in ("", *support.commands()):
            with self.subTest(command):
                text = support.run_ok(*command.split(), "--help").stdout.decode()
                lines = text.splitlines()
                self.assertLessEqual(max(map(len, lines)), 80)
                self.assertLessEqual(len(lines), 62)
                self.assertRegex(text, rf"\AUsage: mlf {command or 'COMMAND'} ")
                self.assertIn("\nExamples:\n  $ mlf ", text)
                self.assertIn("\nExit codes: 0 done; ", text)
                words = " ".join(text.partition("\nSee also: ")[2].split()).split(", ")
                for word in words:
                    if word.startswith("mlf "):
                        self.assertIn(word.removeprefix("mlf "), support.commands())
                    else:
                        self.assertTrue((support.SOURCE / word).exists(), word)

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


class Values(program_case.Directory):
    def test_an_option_takes_no_empty_value(self):
        """It is the variable of a script that is not set: the input is not the output."""
        archive = self.archive()
        before = archive.read_bytes()
        found = set()
        for command in support.commands():
            text = support.run_ok(command, "--help").stdout.decode()
            for option in re.findall(r"^ +(?:-\w, )?(--[\w-]+) [A-Z]", text, re.MULTILINE):
                if option == "--cflags":
                    continue
                found.add(option)
                for words in ([option, ""], [f"{option}="]):
                    with self.subTest(command=command, words=words):
                        self.assertEqual(support.run(command, archive, *words).returncode, 64)
        self.assertLessEqual({"--output", "--html", "--layers", "--module", "--cc", "--tir"}, found)
        self.assertEqual(archive.read_bytes(), before)
        self.assertEqual(sorted(self.directory.iterdir()), [archive])

    def test_json_is_the_same_option_everywhere(self):
        archive = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        for command in (["show", archive, "0"], ["tir", archive], ["graph", archive], ["diff", archive, archive],
                        ["check", "--ram", "1G", archive], ["table", archive], ["report", archive], ["plan", archive],
                        ["inspect", archive], ["verify", archive], ["optimize", "--dry-run", archive]):  # fmt: skip
            with self.subTest(command=command[0]):
                self.assertIsInstance(json.loads(support.run(*command, "--json").stdout), dict)
        support.refused(64, "check", "--ram", "1G", "--json", "--format", "text", archive)
        for words, why in (((archive, "--", "--json"), b"and before --, as in mlf report --json"),
                           (("--", "--json", archive), b"one argument too many")):  # fmt: skip
            self.assertIn(why, support.run("report", *words).stderr)

    def test_a_compiler_may_get_no_flags(self):
        archive = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
        plain = support.run_ok("report", "--cc", "gcc", archive).stdout
        for words in (["--cflags="], ["--cflags", ""]):
            self.assertEqual(support.run_ok("report", "--cc", "gcc", *words, archive).stdout, plain)

    def test_a_compiler_writes_over_no_file(self):
        archive = pathlib.Path(shutil.copy(support.ARCHIVES / "tvm-0.18-add-aot-c.tar", self.directory))
        support.run_ok("report", "--cc", "gcc", "--cflags=-Os -MMD -MP -Wl,--as-needed", archive)
        options = (f"-o {archive}", f"-Wp,-MD,{archive}", f"-Wa,-adhln={archive}", f"-aux-info {archive}")
        for words in ((f"--cc=gcc -MF {archive}",), *(("--cc=gcc", f"--cflags={one}") for one in options)):
            result = support.run_to(64, "report", *words, archive)
            self.assertIn(b"out of the compiler's options: it names an output", result.stderr)
        self.assertEqual(archive.read_bytes(), (support.ARCHIVES / archive.name).read_bytes())

    def test_a_run_writes_over_none_of_its_inputs(self):
        archive = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
        values = self.directory / "x.npz"
        support.run_ok("run", "--random", "1", "-o", values, archive)
        before = values.read_bytes()
        for words in (("-o", values), ("--layers", values)):
            for inputs in (values, f"x={values}"):
                self.assertEqual(support.run("run", "--input", inputs, *words, archive).returncode, 64)
        both = support.run("run", "--random", "1", "-o", "both.npz", "--layers", "both.npz", archive)
        self.assertIn(b"-o and --layers name the same file", both.stderr)
        self.assertEqual(values.read_bytes(), before)


class Limits(unittest.TestCase):
    def test_messages_name_them_as_the_option_does(self):
        known = set(re.findall(r"^  ([a-z-]+)=\d+ ", support.run_ok("--help").stdout.decode(), re.MULTILINE))
        sources = [path.read_text() for path in (support.SOURCE / "src").rglob("*.cpp")]
        named = set(re.findall(r"\(--limit ([a-z_-]+)=N\)", "".join(sources)))
        self.assertGreaterEqual(len(named), 7)
        self.assertEqual(named - known, set())


class Manual(program_case.Directory):
    """Manual pages and completions, which are made of what parses the command line."""

    def setUp(self):
        support.run_ok("help", "--write", self.directory)

    def completions(self, *words):
        """What bash offers for the last word."""
        script = self.directory / "bash-completion/completions/mlf"
        text = f"""source {script}
                   COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mlf; printf '%s\\n' "${{COMPREPLY[@]}}"
                """
        result = subprocess.run(["bash", "-c", text, "bash", "mlf", *words], cwd=self.directory,
                                env=WITH_PROGRAM, capture_output=True, check=True, text=True)
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

    def test_bash_completes_lists_and_codes(self):
        self.assertEqual(self.completions("report", "--columns", "call,kern"), {"call,kernel"})
        self.assertEqual(self.completions("report", "--columns", "con"), {"constants"})
        self.assertEqual(self.completions("check", "--no-finding", "constants"), {"constants-twice"})

    def test_bash_completes_names_of_the_archive(self):
        archive = support.BUNDLED_CORPUS / "tvm-0.18/two-modules/module.tar"
        self.assertEqual(self.completions("graph", archive, "--module", ""), MODULES)
        self.assertIn("tvmgen_default_fused_add",
                      self.completions("show", support.ARCHIVES / "tvm-0.18-add-aot-c.tar", "tvm"))
        # Shells evaluate words: a name that is none is not offered.
        metadata = support.METADATA.replace('"default": {', '"$(touch made)": {', 1)
        (self.directory / "bad.tar").write_bytes(support.make_tar({"metadata.json": metadata}))
        self.assertEqual(self.completions("graph", "bad.tar", "--module", ""), set())
        self.assertFalse((self.directory / "made").exists())

    def test_bash_completes_names_of_files_everywhere_else(self):
        (self.directory / "a b.tar").write_bytes(b"")
        self.assertEqual(self.completions("process", "a"), {"a", "b.tar"})  # split by the test alone
        self.assertEqual(self.completions("process", "-o", "bash-"), {"bash-completion"})

    def test_every_command_has_a_page_without_warnings(self):
        pages = sorted(self.directory.glob("man/man1/*.1"))
        commands = [f"mlf-{name}.1" for name in support.commands()]
        self.assertEqual([page.name for page in pages], sorted([*commands, "mlf.1"]))
        for page in pages:
            for section in ("NAME", "SYNOPSIS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"):
                self.assertIn(f"\n.SH {section}\n", page.read_text(), page.name)
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
        script = self.directory / "zsh/vendor-completions/_mlf"
        # Its own parser reads all of it. What it offers takes a terminal to be seen.
        result = subprocess.run(["zsh", "-f", "-n", script], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    @unittest.skipIf(shutil.which("fish") is None, "there is no fish")
    def test_fish_completes_commands_options_and_their_values(self):
        script = self.directory / "fish/vendor_completions.d/mlf.fish"

        def offered(line):
            code = f"source {script}; complete -C '{line}'"
            result = subprocess.run(["fish", "--no-config", "-c", code], cwd=self.directory, env=WITH_PROGRAM,
                                    capture_output=True, check=True, text=True)
            self.assertEqual(result.stderr, "")
            return dict(row.split("\t") if "\t" in row else (row, "")
                        for row in result.stdout.splitlines())

        self.assertEqual(offered("mlf rep"), {"report": "Show what a network costs and why"})
        self.assertEqual(offered("mlf process --constants n").keys(), {"npy", "none"})
        self.assertIn("--in-place", offered("mlf plan --in"))
        self.assertEqual(offered("mlf help ver").keys(), {"verify"})
        self.assertEqual(offered("mlf graph --format dot"), {"dot": "Form of the network"})
        archive = support.BUNDLED_CORPUS / "tvm-0.18/two-modules/module.tar"
        self.assertEqual(offered(f"mlf graph {archive} --module ").keys(), MODULES)
        self.assertIn("call,kernel", offered("mlf report --columns call,kern"))
        self.assertEqual(offered("mlf check --no-finding constants").keys(), {"constants-twice"})

    def test_a_directory_that_cannot_be_written_is_an_error(self):
        (self.directory / "file").write_bytes(b"")
        self.assertIn(b"cannot be written: ", support.run_to(74, "help", "--write", self.directory / "file").stderr)


class Plan(program_case.Directory):
    """Offsets for the buffers of a CSV file."""

    ROWS = "size,id,lower,upper\n4,a,0,3\n4,b,3,9\n4,c,0,9\n4,d,9,21\n4,e,0,21\n"

    def offsets(self, stdout):
        lines = stdout.decode().splitlines()
        self.assertEqual([line.rpartition(",")[0] for line in lines], self.ROWS.splitlines())
        self.assertEqual(lines[0].rpartition(",")[2], "offset")
        return [int(line.rpartition(",")[2]) for line in lines[1:]]

    def test_rows_come_out_with_offsets(self):
        result = support.run_ok("plan", "--problem", "-", "--capacity", "12", input=self.ROWS.encode())
        a, b, c, d, e = self.offsets(result.stdout)
        for alive in ((a, c, e), (b, c, e), (d, e)):
            self.assertEqual(len(set(alive)), len(alive))
        self.assertLessEqual({a, b, c, d, e}, {0, 4, 8})
        self.assertIn("5 buffers in 12 bytes; no plan is smaller", result.stderr.decode())

    def test_what_comes_out_may_be_given_in_again(self):
        first = support.run_ok("plan", "--problem", "-", input=self.ROWS.encode()).stdout
        self.assertEqual(support.run_ok("plan", "--problem", "-", input=first).stdout, first)

    def test_too_small_a_capacity_is_a_failed_check_with_the_best_plan(self):
        path = self.directory / "buffers.csv"
        path.write_text(self.ROWS)
        result = support.run_to(1, "plan", "-q", "--problem", str(path), "--capacity", "11")
        self.assertLessEqual(max(self.offsets(result.stdout)), 8)
        self.assertEqual(result.stderr.decode(), "mlf: error: no plan fits into 11 bytes\n")


class Process(program_case.Directory):
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

    def test_a_repr_text_is_not_read_beside_its_save_json(self):
        pair = support.SOURCE / "tests/data/tir/pairs/tvm-0.18-vec/save.json"
        members = {"metadata.json": support.METADATA, "src/tir-1.txt": "IRModule({GlobalVar(f): PrimFunc([])"}
        path = self.tar(members)
        self.assertIn(b"src/tir-1.txt:1:1: this is a repr text", support.run_to(65, "process", path).stderr)
        path.write_bytes(support.make_tar(members | {"src/tir-1.tvm.json": pair.read_bytes()}))
        support.run_ok("process", path)
        document = json.loads(support.members_of(path)["src/tir-1.json"])
        self.assertEqual(document["source"]["dialect"], "save_json")

    def test_c_whose_constants_cannot_be_read_is_a_warning(self):
        """Where TIR needs it for constants; other arrays are read."""
        members = support.members_of(support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar")
        c = "codegen/host/src/default_lib1.c"
        members[c] = members[c].replace(b"-0x0024,", b"@,", 1)
        path = self.tar(members)
        why = rb"default_lib1.c:\d+:5: expected an element of the array"
        result = support.run_ok("process", path)
        self.assertRegex(result.stderr, b"^mlf: warning: .*" + why + b"; constants that only .*\n$")
        document = json.loads(support.members_of(path)["src/tir-1.json"])
        self.assertIn("constant-data", [loss["code"] for loss in document["losses"]])
        self.assertEqual([constant["data"] is None for constant in document["constants"]], [False, True])
        self.assertEqual(support.run_ok("process", path).stderr, b"", "up to date")
        result = support.run_ok("verify", path)
        self.assertRegex(result.stdout, why)

    def test_standard_input_goes_to_standard_output(self):
        path = self.archive()
        with open(path, "rb") as source:
            piped = support.run_ok("process", "-", stdin=source).stdout
        support.run_ok("process", path)
        self.assertEqual(piped, path.read_bytes())

    def test_output_to_a_file_leaves_the_archive_alone(self):
        path, out = self.archive(), self.directory / "out.tar"
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

    def test_json_has_what_was_written(self):
        path = self.archive()
        (done,) = support.json_of("process", "--json", path)["archives"]
        self.assertEqual([one["name"] for one in done["written"]], ["src/tir-1.json", "src/mlf.json"])
        self.assertEqual([one["member"] for one in done["tir"]], ["src/tir-1.json"])
        (again,) = support.json_of("process", "--json", path)["archives"]
        self.assertEqual((again["written"], again["tir"], again["networks"]), ([], [], []))
        support.refused(64, "process", "--json", "-o", "-", path)

    def test_several_archives_at_once_are_reported_in_their_order(self):
        good = [self.archive(f"{i}.tar") for i in range(5)]
        bad = self.archive("bad.tar", text="oops\n")
        missing = self.directory / "missing.tar"
        result = support.run("process", "-j", "4", good[0], bad, *good[1:], missing)
        self.assertEqual(result.returncode, 65, "the first failure decides")
        first, second = (result.stderr.index(str(path).encode()) for path in (bad, missing))
        self.assertLess(first, second)
        for path in good:
            self.assertEqual(path.read_bytes(), good[0].read_bytes())

    def test_a_directory_that_cannot_be_written_is_an_io_error(self):
        path = self.archive()
        before = path.read_bytes()
        self.directory.chmod(0o555)
        nobody = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
        # Opened by this process: the user `nobody` may not read the directory of this checkout.
        with open(support.PROGRAM, "rb") as program:
            file = program.fileno()
            command = [f"/proc/self/fd/{file}", "process", path]
            result = subprocess.run(command, pass_fds=[file], capture_output=True, **nobody)
        self.directory.chmod(0o755)
        self.assertEqual(result.returncode, 74, result.stderr)
        self.assertEqual(path.read_bytes(), before)


class ChecksOfVerify(program_case.Directory):
    def test_it_says_what_it_checked_and_what_not(self):
        archive = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
        self.assertEqual(support.run_ok("verify", archive).stdout, b"")
        lines = support.run_ok("verify", "-v", archive).stdout.decode().splitlines()
        checked = [line.split(": ", 2)[2] for line in lines if ": checked: " in line]
        self.assertIn("1 of 1 networks pass their checks (mlf/graph/checks.def) [network]", checked)
        self.assertTrue(any(line.startswith("2 of 2 functions of gen") for line in checked), lines)
        not_checked = [line for line in lines if ": not checked: " in line]
        self.assertTrue(not_checked[-1].endswith("[compilation]"), lines)
        document = support.json_of("verify", "--json", archive)
        codes = {check["code"]: check for check in document["archives"][0]["checks"]}
        self.assertEqual(codes["network"], {
            "code": "network", "passed": 1, "failed": 0, "not_compared": [], "not_checked": None
        })  # fmt: skip
        self.assertIsNotNone(codes["compilation"]["not_checked"])

    def test_the_words_list_every_code(self):
        words = (support.SOURCE / "schemas" / "verify.md").read_text()
        schema = json.loads((support.SOURCE / "schemas" / "verify.schema.json").read_text())
        table = (support.SOURCE / "include" / "mlf" / "verify_checks.def").read_text()
        codes = re.findall(r'^MLF_VERIFY_CHECK\(\w+, "([a-z-]+)",', table, re.M)
        self.assertEqual(schema["$defs"]["check"]["properties"]["code"]["enum"], codes)
        for code in codes:
            self.assertIn(f"\n| `{code}` |", words)

    def test_c_that_does_not_compile_is_not_reported_as_compiled(self):
        archive = support.SOURCE / "tests/data/c/tvm-0.18-control_ops-aot-c/module.tar"
        self.assertIn(b"warning: the generated C, codegen/host/src/default_lib1.c, uses the type half",
                      support.run_ok("verify", archive).stdout)  # fmt: skip
        stock = self.tar(support.without_tir(support.members_of(archive)), "stock.tar")
        self.assertIn(b"[c-type]", support.run_ok("verify", stock).stdout)
        self.assertEqual(support.run_ok("verify", support.ARCHIVES / "tvm-0.18-add-aot-c.tar").stdout, b"")
        result = support.run("verify", "-v", archive)
        self.assertIn(b"not checked: whether sources of generated C compile (", result.stdout)
        self.assertIn(b"does not compile it", b" ".join(
            support.run_ok("verify", "--help").stdout.split()
        ))  # fmt: skip


class Streams(program_case.Directory):
    """What can be read only once is as good a source as a file, for every command."""

    def outputs(self, data, command, options=()):
        """What comes from a file, a pipe, a FIFO and standard input."""
        file, fifo = self.directory / "a-file", self.directory / "a-fifo"
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
            # Only a file has a digest.
            shown = re.sub(r'"origin": \{.*?\n  \}', "ORIGIN", result.stdout.decode(), flags=re.DOTALL)
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
        self.check(data, "process", "--dry-run", options=["-o", self.directory / "out.tar"])

    def test_tir_takes_every_dialect(self):
        for text in (support.LEGACY_TEXT, support.NETWORK):
            self.check(text.encode(), "tir", "--format", "tvmscript")
            self.check(text.encode(), "tir")

    def test_tir_beside_an_archive_may_be_a_stream(self):
        archive = self.archive(text=None)
        for command in (["verify", "--json"], ["graph"]):
            self.check(support.NETWORK.encode(), *command, archive, "--tir")

    def test_captures_of_several_stages_are_added_to_an_archive_with_pools(self):
        build = support.BUNDLED_CORPUS / "tvm-0.18/two_out-aot-c-usmp"
        archive = self.tar(support.without_tir(support.members_of(build / "module.tar")), "pools.tar")
        added = []
        for stem in ("tir-1.topology", "tir-1", "tir-1.codegen"):
            for file, end in (("script-1.py", ".txt"), ("save-1.json", ".tvm.json")):
                added += ["--add-tir", shutil.copy(build / file, self.directory / (stem + end))]
        support.run_ok("process", archive, *added)
        support.run_ok("verify", archive)

    def test_tir_is_added_from_files_and_streams(self):
        (self.directory / "tir-1.txt").write_text(support.NETWORK)
        fifo = self.directory / "tir-2.txt"
        os.mkfifo(fifo)
        archive = self.archive(text=None)
        command = ["process", archive, "--add-tir", self.directory / "tir-1.txt", "--add-tir", fifo]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            pool.submit(fifo.write_text, support.LEGACY_TEXT)
            support.run_ok(*command)
        members = support.members_of(archive)
        self.assertEqual(members["src/tir-1.txt"], support.NETWORK.encode())
        self.assertEqual(members["src/tir-2.txt"], support.LEGACY_TEXT.encode())
        self.assertIn("src/tir-2.json", members)
        (self.directory / "tir-1.txt").write_text(support.LEGACY_TEXT)
        result = support.run_ok(*command[:4])
        self.assertIn(b"src/tir-1.txt already exists with other content, and stays", result.stderr)

    def test_a_stream_without_an_end_is_left_at_the_limit(self):
        limits = ["--limit", "source-bytes=100000", "--limit", "total-bytes=100000"]
        for command in (["tir"], ["inspect"], ["verify", self.archive(), "--tir"]):
            result = support.run_to(65, *command, "/dev/zero", *limits)
            self.assertIn(b"100000 bytes", result.stderr)
        endless = self.directory / "tir-1.txt"
        endless.symlink_to("/dev/zero")
        archive = self.archive(text=None)
        result = support.run_to(65, "process", archive, "--add-tir", endless, "--limit", "member-bytes=100000")
        self.assertIn(b"src/tir-1.txt: the member is larger than 100000 bytes", result.stderr)

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
        fifo = self.directory / "fifo"
        os.mkfifo(fifo)
        self.assertEqual(support.run("process", fifo).returncode, 74)


class Verify(program_case.Directory):
    def archive_with(self, arguments):
        usual = "x_buffer.data, output_buffer.data"
        return self.archive(text=support.NETWORK.replace(usual, arguments or usual))

    def test_a_sound_archive_passes_in_silence(self):
        path = self.archive_with(None)
        result = support.run_ok("verify", path)
        self.assertEqual((result.stdout, result.stderr), (b"", b""))

    def test_a_finding_is_a_line_with_its_code(self):
        path = self.archive_with("output_buffer.data, output_buffer.data")
        result = support.run_to(1, "verify", path)
        self.assertRegex(result.stdout.decode(), r"module\.tar: default: error: .* \[read-before-write\]")

    def test_notes_are_for_those_who_ask(self):
        path = self.archive()
        self.assertEqual(support.run_ok("verify", path).stdout, b"")
        self.assertIn(b"[no-network]", support.run_ok("verify", "-v", path).stdout)

    def test_the_worst_of_several_archives_decides(self):
        good = self.archive_with(None)
        bad = self.directory / "bad.tar"
        bad.write_bytes(b"oops")
        result = support.run_to(65, "verify", "--json", good, bad)
        self.assertEqual([a["passed"] for a in json.loads(result.stdout)["archives"]], [True])


class Inspect(program_case.Directory):
    def test_tables_name_modules_functions_and_members(self):
        text = support.run_ok("inspect", self.archive()).stdout.decode()
        for piece in ("Model Library Format 7", "default", "full-model", "src/tir-1.txt", "main"):
            self.assertIn(piece, text)
        self.assertNotIn(" \n", text)

    def test_the_entry_point_is_the_function_that_programs_call(self):
        directory = support.BUNDLED_CORPUS
        packed, with_structs, graph = [
            support.json_of("inspect", "--json", path)["modules"][0]["entry_point"]
            for path in (directory / "tvm-0.9/dense-aot-packed-usmp/module.tar",
                         directory / "tvm-0.18/two_out-aot-c-usmp/module.tar",
                         directory / "tvm-0.9/diamond-graph/module.tar")
        ]  # fmt: skip
        self.assertIsNone(graph)
        self.assertEqual([packed["function"], packed["interface"]], ["tvmgen_default_run", "packed"])
        self.assertEqual(packed["member"], "codegen/host/src/default_lib0.c")
        self.assertEqual([with_structs["function"], with_structs["interface"]], ["tvmgen_default_run", "c"])
        members = support.members_of(directory / "tvm-0.18/two_out-aot-c-usmp/module.tar")
        header = members[with_structs["member"]].decode()
        for fields in ("inputs", "outputs"):
            (struct,) = re.findall(rf"struct tvmgen_default_{fields} {{(.*?)}}", header, re.DOTALL)
            self.assertEqual(re.findall(r"\* (\w+);", struct), with_structs[fields])
            text = support.run_ok("inspect", directory / "tvm-0.18/two_out-aot-c-usmp/module.tar").stdout.decode()
            for field in with_structs[fields]:
                self.assertRegex(text, rf"\b{fields}\.{field}\b")

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
        path = self.tar(members)
        rows = [
            re.split(r"  +", line)
            for line in support.run_ok("inspect", path).stdout.decode().splitlines()
        ]
        self.assertIn(["inputs and outputs", "32", "32"], rows)
        self.assertIn(["workspace", "0", "7", "mlf knows no reason for this difference"], rows)
        module = support.json_of("inspect", "--json", path)["modules"][0]
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
        path = self.tar(members)
        text = support.run_ok("inspect", path).stdout.decode()
        self.assertRegex(text, r"workspace +\? +7\n")

    def test_tir_that_does_not_read_is_said_beside_the_rest(self):
        result = support.run_to(65, "inspect", "--json", self.archive(text="oops\n"))
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


class Colour(program_case.Directory):
    def stderr_on_a_terminal(self, **environment):
        leader, follower = pty.openpty()
        subprocess.run(
            [support.PROGRAM, "inspect", self.directory / "missing.tar"],
            stderr=follower, check=False, env={**os.environ, "TERM": "xterm", **environment},
        )  # fmt: skip
        os.close(follower)
        text = os.read(leader, 65536)
        os.close(leader)
        return text

    def test_control_characters_are_escaped(self):
        name = "\x1b[31m\x7f\x9b\u202e"
        metadata = support.METADATA.replace('"default": {', json.dumps(name) + ": {", 1)
        path = self.tar({"metadata.json": metadata}, "a\x1bb.tar")
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
        self.assertIn("libc.so", listed)
        self.assertNotRegex(listed, "libgvc|libcgraph")

    def test_colour_is_for_terminals_that_want_it(self):
        self.assertIn(b"\x1b[", self.stderr_on_a_terminal(NO_COLOR=""))
        self.assertNotIn(b"\x1b[", self.stderr_on_a_terminal(NO_COLOR="1"))
        self.assertNotIn(b"\x1b[", support.run("inspect", "missing.tar").stderr)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--update"])

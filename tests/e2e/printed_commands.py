"""Every command line that documents, help and manual pages print is run as it is printed.

Documents are all Markdown files of the repository. A command that names no file is run with one behind
it. What cannot be run here is in NOT_RUN, by the program that it starts, with the reason; an entry that
no document needs is a fault.
"""

import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import numpy_files
import program_case
import support

POOL = support.BUNDLED_CORPUS / "tvm-0.18" / "two_out-aot-c-usmp" / "module.tar"

NOT_RUN = {
    "apt-get": "needs root and a network; tests/packages runs it in a clean root",
    "bench/": "measures for minutes",
    "build/": "a program of another build",
    "cmake": "configures, builds or installs",
    "ctest": "starts tests, of which this is one",
    "g++": "needs the installed library; tests/packages runs it",
    "./main": "what g++ makes",
    "./app": "e2e.cmake_network runs it",
    "make": "e2e.cmake_network runs it",
    "qemu-system-arm": "e2e.cmake_network runs it",
    "mlf_tests": "a program of another build",
    "mlf/quickstart": "installs packages and builds",
    "npm": "needs a network",
    "pip": "needs a network; e2e.python_wheel installs the same",
    "auditwheel": "needs a package from PyPI; tests/packages runs it",
    "python": "needs the package or TVM; e2e.python_batch and the tests of the hook run it",
    "python3": "makes an environment; tests/packages runs it",
    "tests/": "a test, or writes what tests expect",
    "tvmc": "needs TVM; the tests of the hook run it",
    "venv/bin/": "needs the installed wheel; tests/packages runs it",
}

# Names that stand for something else, and what is there in this test.
PLACEHOLDERS = {"FILE": "tir-2.txt", "SOURCE": "scale.py", "COMMAND": "report", "KERNEL": "0",
                "NUMBER": "mac", "ARCHIVE": "module.tar", "NAME": "fused_constant_let"}  # fmt: skip

# What the sentence around a command leaves open.
OPEN_ENDS = {
    "mlf optimize": "--dry-run",
    "mlf optimize --json": "--dry-run",
    "mlf optimize --reorder": "-o smaller.tar",
    "mlf optimize --in-place": "-o smaller.tar",
    "mlf report --html": "page.html",
    "mlf run": "--random 1",
    "mlf run --cpu cortex-m7": "--random 1",
    "mlf profile": "--cpu host",
    "mlf profile --json": "--cpu host",
    "mlf diff --html": "page.html",
    "mlf report --node-data": "mac",
    "mlf tir --format c": "scale.py",
}

# Two builds that are not the same.
ENDS_WITH_1 = {"mlf check --board board.toml a.tar b.tar", "mlf check --board board.toml --cc gcc a.tar b.tar",
               "mlf diff a.tar b.tar", "mlf diff --html page.html a.tar b.tar", "mlf diff old.tar module.tar",
               "mlf diff --format markdown old.tar module.tar",
               "mlf diff --profile-before before.json --profile-after profile.json a.tar module.tar",
               "mlf run --random 1 --compare old.tar module.tar"}  # fmt: skip

COMMANDS = support.commands()


def write_files(directory):
    """What the documents name."""
    for name in ("module.tar", "a.tar"):
        shutil.copyfile(POOL, directory / name)
    for name in ("b.tar", "old.tar"):
        shutil.copyfile(support.ARCHIVES / "tvm-0.9-qnn_conv-aot-c.tar", directory / name)
    (directory / "kernels.tar.tir").write_bytes(support.members_of(POOL)["src/tir-1.txt"])
    # Of what most archives here have as input.
    x = numpy_files.Array("float32", (1, 8), bytes(32))
    (directory / "x.npy").write_bytes(numpy_files.npy(x))
    numpy_files.write_npz(directory / "inputs.npz", {"x": x, "y": x})
    support.run_ok("run", "--random", "1", "-o", directory / "outputs.npz", POOL)
    support.run_ok("run", "--input", directory / "inputs.npz", "-o", directory / "litert.npz", POOL)
    profile = profile_of_pool()
    (directory / "before.json").write_text(json.dumps(profile))
    (directory / "profile.json").write_text(json.dumps(with_times(profile)))
    rows = "".join(f"{call['call']},9\n" for call in profile["calls"])
    (directory / "measured.csv").write_text("call,cycles\n" + rows)
    support.run_ok("profile", "--instrument", "-o", directory / "board.tar", POOL)
    (directory / "budget.toml").write_text('buffers = "1M"\n')
    (directory / "board.toml").write_text('[memory.all]\nbytes = "1M"\nholds = ["ram", "flash"]\n')
    (directory / "buffers.csv").write_text("id,lower,upper,size\na,0,3,4\nb,3,9,4\n")
    for name in ("scale.py", "tir-2.txt"):
        (directory / name).write_text(
            "# from tvm.script import tir as T\n\n@T.prim_func\n"
            'def scale(A: T.Buffer((4,), "float32")):\n    A[0] = A[0] * T.float32(0.5)\n')


def profile_of_pool():
    """As of an emulator, which may not be here."""
    document = support.json_of("profile", "--json", "--cpu", "host", "--runs", "1", POOL)
    document.update(source="emulated", unit="instructions")
    for numbers in (*document["calls"], document["total"], document["network"]):
        numbers.update(instructions=numbers["nanoseconds"]["min"], nanoseconds=None)
    return document


def with_times(profile):
    """As of a clock of 1 GHz, and of one cycle for each instruction."""
    document = copy.deepcopy(profile)
    for numbers in (*document["calls"], document["total"], document["network"]):
        count = numbers["instructions"]
        numbers["nanoseconds"] = {"min": count, "median": None, "max": count}
    return document


def documents():
    """Name and text of every Markdown file."""
    names = subprocess.run(["git", "ls-files", "*.md"], cwd=support.SOURCE, capture_output=True, text=True,
                           check=True).stdout.split()  # fmt: skip
    return {name: (support.SOURCE / name).read_text() for name in names}


def without_blocks(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def inline_commands(text):
    """What stands between backquotes and begins with the name of a program."""
    programs = "|".join(re.escape(name) for name in ("mlf", *NOT_RUN))
    for code in re.findall(r"`([^`]+)`", without_blocks(text)):
        line = " ".join(code.split())
        # A program by itself, and a directory, are names.
        if re.match(rf"(?:[A-Z_]+=\S+ )*(?:{programs})\S* \S", line):
            yield line


def block_commands(text):
    for block in re.findall(r"^```sh\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            for command in re.sub(r"\s#.*", "", line).split(" && "):
                if command.strip():
                    yield " ".join(command.split())


def program_of(command):
    """Without the variables in front of it."""
    return next(word for word in command.split() if not re.match(r"[A-Z_]+=", word))


def reason_not_to_run(command):
    """The entry of NOT_RUN, or None."""
    program = program_of(command)
    for name in NOT_RUN:
        if program == name or (name.endswith("/") or name == "tvmc") and program.startswith(name):
            return name
    return None


def mentions(text):
    """(command, options) of mlf as a sentence mentions them: "mlf graph --format dot colours it"."""
    for command, rest in re.findall(r"\bmlf (\w+)((?: +--[\w-]+)?)", text):
        if command in COMMANDS:
            yield command, rest.split()


def has_tools(command):
    """Whether the compiler and the emulator of a profile are here; with CI=true they must be."""
    cpu = re.search(r"mlf (?:profile|run) .*--cpu (\S+)", command)
    if not cpu or cpu[1] == "host" or os.environ.get("CI") == "true":
        return True
    kind = "riscv32" if cpu[1].startswith("rv32") else "arm"
    compiler = "riscv64-unknown-elf-gcc" if kind == "riscv32" else "arm-none-eabi-gcc"
    return all(map(shutil.which, (compiler, f"qemu-system-{kind}")))


class PrintedCommands(program_case.Directory):
    def setUp(self):
        self.environment = {
            **os.environ,
            "PATH": f"{pathlib.Path(support.PROGRAM).parent}{os.pathsep}{os.environ['PATH']}",
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",  # Graphviz' own
        }

    @classmethod
    def setUpClass(cls):
        cls.files = support.directory_of(cls)
        write_files(cls.files)

    def complete(self, command):
        """With what the placeholders stand for, and an archive behind it where it names no file."""
        words = command.split()
        named = re.search(r"\.(?:tar|csv)\b", command) or words[1] in ("help", "tir") or "--help" in words
        archives = {"show": ["module.tar", "0"], "diff": ["a.tar", "a.tar"], "check": ["module.tar", "--buffers", "1M"]}
        ends = [] if named else archives.get(words[1], ["module.tar"])
        values = OPEN_ENDS.get(command, "").split()
        return " ".join([*(PLACEHOLDERS.get(word, word) for word in words), *values, *ends])

    def check(self, command, where):
        if not has_tools(command):
            print(f"not run, as there is no compiler or no emulator: {command}")
            return
        # Anew for each command: some write over them.
        shutil.rmtree(self.directory)
        shutil.copytree(self.files, self.directory)
        text = self.complete(command)
        result = subprocess.run(["bash", "-c", text], cwd=self.directory, env=self.environment,
                                capture_output=True, check=False)
        expected = 1 if command in ENDS_WITH_1 else 0
        self.assertEqual(result.returncode, expected, f"{where}: {text}\n{result.stderr.decode()}")

    def commands(self):
        """Every command once, and the document that has it first."""
        found = {}
        for name, text in documents().items():
            for command in [*inline_commands(text), *block_commands(text)]:
                found.setdefault(command, name)
        return found

    def test_of_mlf_in_documents_do_what_they_say(self):
        count = 0
        for command, where in self.commands().items():
            if program_of(command) == "mlf":
                with self.subTest(command):
                    self.check(command, where)
                count += 1
        print(f"{count} commands of documents")
        self.assertGreater(count, 35)

    def test_of_help_and_manual_pages_do_what_they_say(self):
        for command in ("", *COMMANDS):
            text = support.run_ok(*command.split(), "--help").stdout.decode()
            examples = [line.split("  ")[0] for line in re.findall(r"^  \$ (mlf .*)", text, re.MULTILINE)]
            self.assertIn(len(examples), (2, 3), command)
            for example in examples:
                with self.subTest(example):
                    self.check(example, f"{command} --help")

    def test_of_other_programs_are_not_run_for_a_reason_that_still_holds(self):
        used = set()
        for command, where in self.commands().items():
            if program_of(command) != "mlf":
                reason = reason_not_to_run(command)
                self.assertIsNotNone(reason, f"{where}: {command}")
                used.add(reason)
                with self.subTest(command):
                    self.check_names(command, where)
        self.assertEqual(used, set(NOT_RUN))

    def check_names(self, command, where):
        """What is not run names at least scripts and presets that are there."""
        program = program_of(command)
        if re.match(r"(?:bench|tests|mlf)/[^<]*$", program):
            self.assertTrue(os.access(support.SOURCE / program, os.X_OK), f"{where}: {command}")
        for script in re.findall(r"^\S*python3? ((?:bench|tests|mlf)/\S+)", command):
            self.assertTrue((support.SOURCE / script).is_file(), f"{where}: {command}")
        presets = json.loads((support.SOURCE / "CMakePresets.json").read_text())
        known = {one["name"] for one in presets["configurePresets"]}
        for preset in re.findall(r"--preset (\S+)", command):
            self.assertIn(preset, known, f"{where}: {command}")

    def test_of_help_and_manual_pages_name_options_that_are_there(self):
        support.run_ok("help", "--write", self.directory)
        texts = {name: support.run_ok(*name.split(), "--help").stdout.decode() for name in ["", *COMMANDS]}
        for page in (self.directory / "man").rglob("*.1"):
            texts[page.name] = page.read_text().replace("\\-", "-")
        count = 0
        for name, text in texts.items():
            for command, options in mentions(" ".join(text.split())):
                known = support.run_ok(command, "--help").stdout.decode()
                for option in options:
                    self.assertRegex(known, rf"{option}\b", f"{name}: mlf {command} {option}")
                    count += 1
        self.assertGreater(count, 5)


if __name__ == "__main__":
    unittest.main()

"""No command writes over what it reads, by whatever path or link, and what it creates is readable."""

import os
import re
import shutil
import subprocess
import tarfile
import unittest

import program_case
import support

POOL = support.BUNDLED_CORPUS / "tvm-0.18" / "two_out-aot-c-usmp" / "module.tar"

# Every option that writes a file: the command, with OUT for what it writes and IN for what it reads.
# Names and the number of inputs are those of the help, see below.
WRITING = {
    ("process", "--output"): ["process IN --tir TIR -o OUT", "process IN --add-tir TIR -o OUT"],
    ("report", "--html"): ["report IN --html OUT", "report IN --tir TIR --html OUT"],
    ("diff", "--html"): ["diff IN OTHER --html OUT", "diff OTHER IN --html OUT"],
    ("optimize", "--output"): ["optimize IN -o OUT", "optimize IN --reorder -o OUT", "optimize IN --only ram -o OUT"],
    ("run", "--output"): ["run IN --random 1 -o OUT", "run IN --random 1 --compare IN -o OUT"],
    ("profile", "--output"): ["profile IN --instrument -o OUT"],
    ("run", "--layers"): ["run IN --random 1 --layers OUT"],
    ("show", "--output"): ["show IN 0 -o OUT", "show IN --constant fused_constant_let -o OUT"],
    ("check", "--update"): ["check IN --budget OUT --update"],
}
# A directory that nothing is read from.
OTHERS = {("help", "--write")}


class Outputs(program_case.Directory):
    def setUp(self):
        self.put(POOL, "module.tar")
        self.put(support.ARCHIVES / "tvm-0.9-qnn_conv-aot-c.tar", "other.tar")
        with tarfile.open(POOL) as tar:
            tar.extract("./src/tir-1.txt", self.directory)
        (self.directory / "src/tir-1.txt").rename(self.directory / "tir-2.txt")

    def put(self, archive, name):
        shutil.copyfile(archive, self.directory / name)

    def names_of(self, name):
        """All ways to the file, by path and by link."""
        (self.directory / "below").mkdir()
        (self.directory / "symbolic").symlink_to(name)
        os.link(self.directory / name, self.directory / "hard")
        return [name, f"below/../{name}", self.directory / name, "symbolic", "hard"]

    def run_line(self, line, **places):
        words = [str(places.get(word, word)) for word in line.split()]
        return support.run(*words, cwd=self.directory)

    def run_into(self, file, line, **places):
        words = [str(places.get(word, word)) for word in line.split()]
        subprocess.run([support.PROGRAM, *words], cwd=self.directory, stdout=file, stderr=subprocess.PIPE, check=False)

    def refuses(self, line, **places):
        before = {path: path.read_bytes() for path in self.directory.rglob("*") if path.is_file()}
        result = self.run_line(line, **places)
        self.assertEqual((result.returncode, result.stdout), (64, b""), (line, places, result.stderr))
        self.assertIn(b"which is read: choose another path", result.stderr)
        after = {path: path.read_bytes() for path in self.directory.rglob("*") if path.is_file()}
        self.assertEqual(before, after, line)

    def test_every_option_that_writes_a_file_is_in_the_table(self):
        found = set()
        for command in support.commands():
            text = support.run_ok(command, "--help").stdout.decode().partition("\nExamples:")[0]
            options = re.split(r"\n  (?=-)", text)[1:]
            for option in options:
                names = re.match(r"((?:-\w, )?--[\w-]+)", option)[1]
                what = " ".join(option.split())
                # Those that take a file and write it, or change the file of another option.
                if re.search(r"(FILE|OUT|DIRECTORY) .*\b[Ww]rite\b|limits in FILE", what):
                    found.add((command, names.split(", ")[-1]))
        self.assertEqual(found, set(WRITING) | OTHERS)

    def test_may_not_be_the_archive_by_any_name(self):
        for name in self.names_of("module.tar"):
            for (command, _), lines in WRITING.items():
                if command != "process":  # a tar may be its own output, as in place
                    for line in lines:
                        self.refuses(line, IN="module.tar", OUT=name, OTHER="other.tar", TIR="tir-2.txt")

    def test_may_not_be_a_file_with_tir(self):
        for name in self.names_of("tir-2.txt"):
            for line in WRITING["process", "--output"] + WRITING["report", "--html"][1:]:
                self.refuses(line, IN="module.tar", OUT=name, TIR="tir-2.txt")

    def test_may_not_be_a_member_of_an_unpacked_archive(self):
        support.unpacked(POOL, self.directory / "unpacked")
        for (command, option), lines in WRITING.items():
            if command != "optimize":  # takes no directory
                for line in lines:
                    self.refuses(line, IN="unpacked", OUT="unpacked/metadata.json", OTHER="other.tar",
                                 TIR="tir-2.txt")

    def test_may_not_be_standard_input(self):
        with open(self.directory / "module.tar", "rb") as archive:
            result = support.run("report", "-", "--html", "module.tar", stdin=archive, cwd=self.directory)
        self.assertEqual(result.returncode, 64)
        self.assertIn(b"the output is standard input, which is read", result.stderr)

    def test_replace_other_files(self):
        for line in ("process IN -o OUT", "process IN -o IN", "report IN --html OUT",
                     "optimize IN -o OUT", "diff IN OTHER --html OUT"):
            (self.directory / "out").write_bytes(b"")
            result = self.run_line(line + " -q", IN="module.tar", OUT="out", OTHER="other.tar")
            self.assertEqual((result.returncode, result.stderr), (int(line.startswith("diff")), b""), line)
            if "OUT" in line:
                self.assertGreater((self.directory / "out").stat().st_size, 1000, line)

    def test_are_readable_whatever_the_process_left_on_its_stack(self):
        """By the umask alone: what is created has a mode."""
        def narrow():
            os.umask(0o027)
        for line in ("process IN -o out.tar", "report IN --html page.html", "optimize IN -o plan.tar",
                     "help --write share"):
            support.run_ok(*line.replace("IN", "module.tar").split(), cwd=self.directory, preexec_fn=narrow)
        files = [self.directory / name for name in ("out.tar", "page.html", "plan.tar")]
        files += [path for path in (self.directory / "share").rglob("*") if path.is_file()]
        self.assertGreater(len(files), 15)
        for path in files:
            self.assertEqual(path.stat().st_mode & 0o7777, 0o640, path)


    def test_standard_output_gets_the_result_and_nothing_else(self):
        places = {"IN": "module.tar", "OTHER": "other.tar", "TIR": "tir-2.txt"}
        for turn, line in enumerate(line for lines in WRITING.values() for line in lines):
            expected = self.run_line(line, **places, OUT="out")
            for place, name in enumerate(("-", "/dev/stdout", "/proc/self/fd/1")):
                with self.subTest(line, OUT=name):
                    found = self.run_line(line, **places, OUT=name)
                    if line.startswith("check"):  # the file is read as well
                        self.assertEqual((found.returncode, found.stdout), (64, b""))
                        continue
                    self.assertEqual(found.returncode, expected.returncode, found.stderr)
                    self.assertEqual(found.stdout, (self.directory / "out").read_bytes())
                    if (turn + place) % 3:
                        continue
                    # A file as well, which is not replaced: what is before the result stays.
                    with open(self.directory / "file", "wb") as file:
                        file.write(b"before")
                        file.flush()
                        self.run_into(file, line, **places, OUT=name)
                    self.assertEqual((self.directory / "file").read_bytes(), b"before" + found.stdout)

    def test_standard_output_gets_no_part_of_a_result_that_fails(self):
        """The last of many functions has a constant whose data the text does not contain."""
        head, kernel = "from tvm.script import ir as I, tir as T\n\n@I.ir_module\nclass Module:\n", ""
        for number in range(1000):
            kernel += f'    @T.prim_func\n    def f{number}(p: T.Buffer((4,), "float32")):\n        p[0] = p[1]\n\n'
        unknown = """    @T.prim_func
    def last(p: T.Buffer((4,), "float32")):
        c = T.allocate_const(metadata["runtime.NDArray"][0], "float32", [4])
        c_1 = T.Buffer((4,), data=c)
        p[0] = c_1[0]
"""
        (self.directory / "tir.py").write_text(head + kernel + unknown)
        result = self.run_line("tir --format save_json tir.py")
        self.assertEqual((result.returncode, result.stdout), (65, b""))
        self.assertIn(b"the data of a constant is not known", result.stderr)

    def test_two_results_do_not_share_standard_output(self):
        for line in ("run IN --random 1 --layers OUT -o OUT", "run IN --random 1 --layers OUT --json",
                     "run IN --random 1 -o OUT --json", "optimize IN -o OUT --json"):
            for name in ("-", "/dev/stdout"):
                result = self.run_line(line, IN="module.tar", OUT=name)
                self.assertEqual((result.returncode, result.stdout), (64, b""), line)
                self.assertIn(b"two results go to standard output", result.stderr)


class Compilers(program_case.Directory):
    def test_get_files_that_the_user_may_read(self):
        """By their mode: root may read whatever there is."""
        compiler, log = self.directory / "cc", self.directory / "log"
        compiler.write_text(f'#!/bin/sh\numask >>{log}\nfor word; do case $word in *.c) directory=${{word%/*}}\n'
                            f"find $directory -type f -printf '%m %f\\n' >>{log} ;; esac; done\nexit 1\n")
        compiler.chmod(0o755)
        self.assertEqual(support.run("report", POOL, "--cc", compiler).returncode, 65)
        # The compiler is also asked for its macros.
        mask, *lines = log.read_text().splitlines()
        files = [one for one in lines if " " in one]
        expected = f"{0o666 & ~int(mask, 8):o}"
        self.assertIn(f"{expected} 0.c", files)
        self.assertIn(f"{expected} tvmgen_default.h", files)
        self.assertEqual({one.split()[0] for one in files}, {expected})


if __name__ == "__main__":
    unittest.main()

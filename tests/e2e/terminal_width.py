"""Tables on a terminal: no line is wider than it, and no number is cut."""

import functools
import itertools
import os
import pty
import re
import shutil
import subprocess
import unittest

import program_case
import support

WIDTHS = (80, 120, 200)
ARCHIVES = sorted([*support.ARCHIVES.glob("*.tar"), *support.BUNDLED_CORPUS.glob("*/*/module.tar"),
                   *support.c_archives()])  # fmt: skip
EVERY_COLUMN = ("call,kernel,layer,symbol,out,dtype,mac,loaded,stored,constants,scratch,live,percent,divisions,"
                "code,frame,c,tir")  # fmt: skip
# What prints tables, with the archive at its end.
COMMANDS = (
    ["inspect"],
    ["report"],
    ["report", "--columns", EVERY_COLUMN],
    ["report", "--sort", "mac", "--top", "3"],
    ["plan", "--offsets", "--scratch"],
    ["plan", "--pool", "fast=64", "--pool", "slow=1G", "--offsets"],
    ["check", "--ram", "1K", "--buffers", "1K", "--constants", "1G", "--no-finding", "constants-twice"],
    ["table", "--rows", "tensor"],
    ["table", "--rows", "constant"],
    ["table", "--rows", "call"],
    ["diff", str(support.ARCHIVES / "tvm-0.9-qnn_conv-aot-c.tar")],
)


on_terminal = functools.partial(support.on_terminal, NO_COLOR="1")


def numbers(text):
    """Every number of a table by its digits."""
    return sorted(re.findall(r"(?<![\w.,])\d+(?![\w,])", re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)))


class Tables(program_case.Directory):
    def test_fit_the_terminal(self):
        lines = 0
        # By turns: each archive has a third of the commands, and each command each width.
        for turn, (archive, command) in enumerate(itertools.product(ARCHIVES, COMMANDS)):
            path = archive.relative_to(support.SOURCE)
            widths = [WIDTHS[turn // 3 % len(WIDTHS)]] if turn % 3 == 0 else []
            for width in WIDTHS if support.EVERY_ARCHIVE else widths:
                with self.subTest(path=str(path), command=command, width=width):
                    text = on_terminal(width, *command, path)
                    lines += text.count("\n")
                    self.assertLessEqual(max(map(len, text.splitlines()), default=0), width, text)
        print(f"{len(ARCHIVES)} archives, {lines} lines")
        self.assertGreater(lines, 600)

    def test_keep_names_different(self):
        archive = support.BUNDLED_CORPUS / "tvm-0.16/blocks-aot-c-usmp/module.tar"
        plain = support.run_ok("report", archive).stdout.decode()
        names = [re.findall(r"^\d+ +(\S+)", text, re.MULTILINE) for text in (plain, on_terminal(80, "report", archive))]
        self.assertEqual(len(set(names[0])), len(set(names[1])), names)
        self.assertNotEqual(*names)
        loops = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        for width, head, words, *command in (
            (72, "KERNEL ", 2, "table", "--rows", "constant", archive),
            (60, "LOOP ", 1, "inspect", "--integration", "--loops", loops),
        ):
            with self.subTest(command):
                counts = []
                for text in (on_terminal(width, *command), on_terminal(400, *command)):
                    lines = text[re.search(f"^{head}", text, re.MULTILINE).start() :].split("\n\n")[0].splitlines()
                    counts.append(len({tuple(line.split()[:words]) for line in lines}))
                self.assertEqual(*counts)

    def test_keep_every_number(self):
        commands = itertools.cycle((["report"], ["plan"], ["inspect"]))
        for archive, command in zip(ARCHIVES, commands):
            path = archive.relative_to(support.SOURCE)
            with self.subTest(path=str(path), command=command):
                plain = set(numbers(support.run(*command, path, cwd=support.SOURCE).stdout.decode()))
                narrow = set(numbers(on_terminal(80, *command, path)))
                self.assertLessEqual(plain, narrow)

    def test_have_grouped_digits_on_a_terminal_alone(self):
        archive = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        self.assertIn("MAC    18,432\n", on_terminal(80, "report", archive))
        self.assertIn(b"MAC    18432\n", support.run_ok("report", archive).stdout)

    def test_use_a_wide_terminal(self):
        archive = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        name = "nn_conv2d_add_fixed_point_multiply_add_clip_cast"
        self.assertIn(f"1  {name}  ", on_terminal(120, "report", archive))
        self.assertNotIn(f"1  {name}  ", on_terminal(80, "report", archive))
        self.assertRegex(on_terminal(80, "report", archive), r"1  nn_conv\w+\.\.\.\w+cast  ")

    def test_mark_the_peak_in_words(self):
        archive = support.BUNDLED_CORPUS / "tvm-0.16/blocks-aot-c-usmp/module.tar"
        for columns in ([], ["--columns", "kernel,c"]):
            self.assertRegex(on_terminal(80, "report", *columns, archive), r"nn_conv2d\S+t .* <- peak\n")

    def test_have_both_names_of_a_pair(self):
        after = support.BUNDLED_CORPUS / "tvm-0.18/cmsis-nn/module.tar"
        text = on_terminal(80, "diff", support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar", after)
        self.assertRegex(text, r"\nnn_conv2d\S+cast  changed  loaded .*\n-> cmsis_nn_main_0\n")

    def test_begin_each_block_with_what_names_a_row(self):
        archive = support.BUNDLED_CORPUS / "tvm-0.16/blocks-aot-c-usmp/module.tar"
        for rows, names in (("tensor", "KERNEL +TENSOR"), ("call", "CALL +KERNEL")):
            blocks = on_terminal(80, "table", "--rows", rows, archive).split("\n\n")
            self.assertGreater(len(blocks), 1)
            for block in blocks:
                self.assertRegex(block, f"^{names} ")

    def test_break_long_lines(self):
        bundled = support.BUNDLED_CORPUS / "tvm-0.16/blocks-aot-c-usmp/module.tar"
        archive = shutil.copy(bundled, self.directory / "module.tar")  # paths are not broken
        for command in (["show", archive, "1"], ["verify", "-v", archive]):
            first, *facts = on_terminal(80, *command).split("\n\n")[0].splitlines()  # code follows
            self.assertTrue(any(line.startswith("  ") for line in facts), first)
            self.assertLessEqual(max(map(len, facts)), 80, facts)


class Progress(unittest.TestCase):
    """Of a search that takes all of its two seconds."""

    PROBLEM = "id,lower,upper,size\n" + "".join(
        f"{i},{i * 37 % 101},{i * 37 % 101 + 7 + i * 53 % 29},{1000 + i * 7919 % 4093}\n" for i in range(250))

    def errors(self, *options, terminal="xterm", seconds="2"):
        """What a terminal at standard error gets, and what standard output has."""
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            [support.PROGRAM, "plan", "--problem", "-", "--seconds", seconds, *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=follower,
            env={**os.environ, "TERM": terminal, "NO_COLOR": "1"})  # fmt: skip
        os.close(follower)
        result, _ = process.communicate(self.PROBLEM.encode())
        self.assertEqual(process.returncode, 0)
        text = support.read_terminal(leader)
        os.close(leader)
        return text.decode(), result.decode()

    def test_is_a_line_that_is_gone_at_the_end(self):
        text, result = self.errors()
        *drawn, last = text.split("\r\x1b[K")
        self.assertEqual(drawn[0], "")
        self.assertGreater(len(drawn), 2)
        for one in drawn[1:]:
            self.assertRegex(one, r"^mlf plan: [12] s$")
        self.assertRegex(last, r"^mlf: info: 250 buffers in .*\r\n$")
        self.assertEqual(result.count("\n"), 251)
        self.assertNotIn("\x1b", result)

    def test_is_for_long_work_on_terminals_that_can_show_it(self):
        for options, terminal, seconds in (((), "xterm", "0.2"), ((), "dumb", "1.5"), (("-q",), "xterm", "1.5")):
            text, _ = self.errors(*options, terminal=terminal, seconds=seconds)
            self.assertNotIn("\x1b[K", text)
        result = support.run_ok("plan", "--problem", "-", "--seconds", "1.5", input=self.PROBLEM.encode())
        self.assertNotIn(b"\x1b", result.stderr)


if __name__ == "__main__":
    unittest.main()

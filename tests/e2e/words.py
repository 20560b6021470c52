"""No text or name of the repository has a word that tests/retired_words.txt retires."""

import re
import subprocess
import unittest

import support

LIST = support.SOURCE / "tests" / "retired_words.txt"
# What others wrote, what is generated from sources that are read, and the list.
NOT_READ = ("tests/data/", "mlf/page/dist/", "tests/golden/graph/", "tests/retired_words.txt")


def retired():
    """(pattern, what to write instead, files that may have it)"""
    for line in LIST.read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, instead, *files = line.split("\t")
            yield re.compile(pattern, re.IGNORECASE), instead, " ".join(files).split()


def texts():
    """Name and text of every file that is tracked and is text."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=support.SOURCE, capture_output=True, check=True,
                           text=True).stdout.split("\0")  # fmt: skip
    for name in filter(None, names):
        path = support.SOURCE / name
        if name.startswith(NOT_READ) or path.is_symlink() or not path.is_file():
            continue
        try:
            yield name, path.read_text()
        except UnicodeDecodeError:
            continue


class Words(unittest.TestCase):
    def test_that_are_retired_are_nowhere(self):
        found, allowed_and_used, count = [], set(), 0
        words = list(retired())
        for name, text in texts():
            count += 1
            for number, line in enumerate([name, *text.splitlines()]):
                for pattern, instead, files in words:
                    if not pattern.search(line):
                        continue
                    if name in files:
                        allowed_and_used.add((pattern.pattern, name))
                    else:
                        found.append(f"{name}:{number}: {line.strip()[:100]}: {pattern.pattern}: {instead}")
        self.assertEqual(found, [], "\n".join(found))
        self.assertGreater(count, 900)
        # An exception that is no longer needed goes.
        self.assertEqual(allowed_and_used, {(pattern.pattern, name) for pattern, _, files in words
                                            for name in files})  # fmt: skip

    def test_have_a_reason_each(self):
        words = list(retired())
        self.assertGreater(len(words), 15)
        for pattern, instead, files in words:
            self.assertTrue(instead, pattern.pattern)
            for file in files:
                self.assertTrue((support.SOURCE / file).is_file(), file)


if __name__ == "__main__":
    unittest.main()

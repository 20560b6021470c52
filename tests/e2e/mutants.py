"""Archives with one token of a text replaced: each command gives a result or a diagnostic.

`mlf_tests --gtest_filter='*Mutants*'` reads many more of them. $MLF_MUTANT_ARCHIVES is the number of archives.
"""

import concurrent.futures
import os
import pathlib
import random
import re
import tempfile
import unittest

import support

COUNT = int(os.environ.get("MLF_MUTANT_ARCHIVES", "60"))
COMMANDS = [["report"], ["verify"], ["inspect"], ["graph"], ["tir"], ["show", "{archive}", "0"], ["plan"]]
REPLACEMENTS = ["", "x", "0", "-1", "2.5", "99999999999999999999", '"s"', "-", "=", ":", "(", ")", "[", "]", "{", "}",
                "()", "[]", "{}", "None"]  # fmt: skip
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\w+|[^\w\s]')


def mutant(choose):
    """Of one bundled archive: its name with what was changed, and the members."""
    path = choose.choice(support.bundled_archives())
    members = support.members_of(path)
    texts = [name for name in members if name.endswith((".txt", ".c", ".h", ".json"))]
    name = choose.choice(sorted(texts))
    text = members[name].decode()
    token = choose.choice(list(TOKEN.finditer(text)))
    replacement = choose.choice([*REPLACEMENTS, f"{token[0]} {token[0]}"])
    members[name] = (text[: token.start()] + replacement + text[token.end() :]).encode()
    return f"{path.name}:{name}:{token.start()}: {token[0]} -> {replacement}", members


class Mutants(unittest.TestCase):
    def run_all(self, what, members):
        """The commands that neither work nor refuse the archive."""
        with tempfile.TemporaryDirectory() as directory:
            archive = pathlib.Path(directory) / "module.tar"
            archive.write_bytes(support.make_tar(members))
            found = []
            for command in COMMANDS:
                words = [word.format(archive=archive) for word in command]
                if len(words) == 1:
                    words.append(archive)
                # 64: no such kernel, or several TIRs.
                result = support.run(*words, timeout=120)
                if result.returncode not in (0, 1, 64, 65):
                    found.append(f"{what}: {command[0]}: exit {result.returncode}\n{result.stderr.decode()}")
            return found

    def test_every_command_reads_them_or_refuses_them(self):
        choose = random.Random(51)
        cases = [mutant(choose) for _ in range(COUNT)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
            for found in workers.map(lambda case: self.run_all(*case), cases):
                self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()

"""`mlf optimize --cc`: a constant of one value keeps its elements where the code for one element is larger
by more than it saves, as the compiler shows.
"""

import json
import re
import unittest

import optimize_unused
import program_case
import support

CODE = optimize_unused.CODE
ARRAY = re.compile(r"(static const int16_t [^=]*? (\w+)\[288\] = \{\n).*?(\};)", re.S)
# Larger code where an array has one element.
GROWING = """#!/bin/sh
for word; do case $word in *.c) file=$word ;; esac; done
if grep -q '\\[1\\] = {' "$file"; then exec cc "$@" -O0 -fsanitize=undefined; fi
exec cc "$@" -Os
"""


def archive_of_one_value(directory):
    """An archive that has an array of 288 equal elements."""
    members = optimize_unused.members_of(support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar")
    del members[optimize_unused.TIR]  # its text has no place for other values
    rows = "    " + ", ".join(["+0x0007"] * 288) + "\n"
    members[CODE] = ARRAY.sub(lambda found: found[1] + rows + found[3], members[CODE])
    archive = directory / "module.tar"
    archive.write_bytes(support.make_tar(members))
    return archive


def constant_of_one_value(document):
    (module,) = document["modules"]
    (constant,) = [one for one in module["constants"] if one["bytes"] == 576]
    return constant


def growing_compiler(directory):
    path = directory / "cc"
    path.write_text(GROWING)
    path.chmod(0o755)
    return path


class Collapse(program_case.Directory):
    def constant(self, *options):
        """What becomes of the array."""
        archive = archive_of_one_value(self.directory)
        result = support.run_ok("optimize", archive, "--dry-run", "--json", *options)
        return constant_of_one_value(json.loads(result.stdout))

    def test_is_done_where_the_code_does_not_grow(self):
        self.assertTrue(self.constant()["collapsed"])
        self.assertTrue(self.constant("--cc", "cc", "--cflags=-Os")["collapsed"])

    def test_is_not_done_where_the_code_grows_by_more_than_it_saves(self):
        constant = self.constant("--cc", growing_compiler(self.directory))
        self.assertFalse(constant["collapsed"])
        # It gets a smaller type instead.
        self.assertEqual((constant["new_dtype"], constant["new_bytes"]), ("int8", 288))

    def test_names_the_growth_where_nothing_else_makes_it_smaller(self):
        constant = self.constant("--cc", growing_compiler(self.directory), "--only", "collapse")
        self.assertEqual(constant["new_bytes"], 576)
        self.assertRegex(constant["kept"], r"^one element of it would cost \d+ bytes of code$")

    def test_reports_c_that_does_not_compile(self):
        self.constant()
        result = support.run("optimize", self.directory / "module.tar", "--dry-run", "--cc", "false")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(b"' was not compiled: the compiler ", result.stderr)


if __name__ == "__main__":
    unittest.main()

"""Every public header compiles on its own, and so does the example in its comment. A run takes a sixth of
them, another one for each commit; `header_examples.py all` takes all."""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import support

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
HEADERS = sorted((INCLUDE / "mlf").rglob("*.h"))
COMPILER = shutil.which("c++")
PARTS = 6

# What an example may use and does not say: what a program does with values, and values that
# examples of other headers give.
GIVEN = """
#include "mlf/plan.h"
#include "mlf/report.h"
template <class... Values>
void print(const Values&...);
int fail(const mlf::Diagnostic&);
int example(const mlf::Deployment& deployment, const mlf::Report& report,
            const mlf::Deployment& deployment_before,
            const mlf::Report& report_before, const mlf::graph::Topology& topology,
            const mlf::tir::Document& document, const mlf::tir::Module& module,
            const mlf::tir::Module& other, mlf::tir::Node prim_func, std::string_view text,
            std::string_view metadata_json) {
  {
"""
# Headers that an example is not needed for: what the first one of README does, macros, and data
# that plan.h gives.
WITHOUT = ("mlf/deployment.h", "mlf/export.h", "mlf/plan/network_plan.h")


def example_of(header):
    comment = header.read_text().partition("#pragma once")[0]
    return re.findall(r"^//     (.*)$", comment, re.MULTILINE)


@unittest.skipIf(COMPILER is None, "no C++ compiler")
class Headers(unittest.TestCase):
    parts = [support.number_of_commit() % PARTS]

    def compile(self, source):
        run = subprocess.run(
            [COMPILER, "-std=c++20", "-fsyntax-only", f"-I{INCLUDE}", "-x", "c++", "-"],
            input=source, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_each_compiles_alone_and_then_its_example(self):
        chosen = [header for part in self.parts for header in HEADERS[part::PARTS]]
        self.assertGreaterEqual(len(chosen), 5)
        for header in chosen:
            name = header.relative_to(INCLUDE).as_posix()
            example = example_of(header)
            with self.subTest(name):
                self.assertEqual(example == [], name in WITHOUT)
                self.compile(f'#include "{name}"\n{GIVEN}' + "\n".join(example) + "\n  }\n  return 0;\n}\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["all"]:
        sys.argv.pop()
        Headers.parts = range(PARTS)
    unittest.main()

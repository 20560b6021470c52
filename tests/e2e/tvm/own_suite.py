"""TVM's own tests of the TVMScript round trip, read by mlf.

Runs a test file of TVM's repository, which is not part of this one:
  v0.16   tests/python/tvmscript/test_tvmscript_roundtrip.py
  v0.9    tests/python/unittest/test_tvmscript_roundtrip.py
Every text that a test gives to tvm.script.from_source is read by mlf as well, and TVM compares what
both read, variable by variable. Prints program by program:
  same        TVM finds no difference
  loss        there is one, and losses of mlf's document explain it (their codes follow)
  refused     mlf's message follows
  unloaded    TVM does not load what mlf writes; TVM's message follows
  different   there is one, and nothing says why: the places follow
Programs of Relax are not TIR and left out.

Usage: MLF_PROGRAM=… PYTHON_OF_A_TVM_VENV own_suite.py TEST_FILE   (pytest has to be there)
"""

import collections
import json
import sys

import support

try:
    import pytest
    import tvm
    import tvm.script
    import tvm.testing  # pylint: disable=unused-import  # made before from_source is replaced
except ImportError as missing:
    support.skip(f"TVM and pytest are needed: {missing}")

import equality
import explanations

VERSION = ("--tvm-version", tvm.__version__)


def differs(left, right):
    """Names of the functions that differ. Many of these programs have variables that nothing
    defines, and functions that another module has: any may stand for any other, one for one."""
    mine, other = equality.functions_of(left), equality.functions_of(right)
    return [
        name
        for name, function in sorted(mine.items())
        if not tvm.ir.structural_equal(function, other.get(name), map_free_vars=True)
    ]


def as_module(original, ours):
    """mlf reads a lone function as the only one of a module."""
    if isinstance(original, tvm.IRModule):
        return original
    [name] = ours.functions.keys()
    return tvm.IRModule({name: original})


def document_of(text):
    return json.loads(support.run_ok("tir", *VERSION, "-", input=text).stdout)


def verdict(text, original):
    """What mlf makes of a text, beside what TVM makes of it."""
    text = text.encode("utf-8", "surrogateescape")
    result = support.run("tir", *VERSION, "--format", "save_json", "-", input=text)
    if result.returncode:
        return "refused", result.stderr.decode().splitlines()[0]
    try:
        ours = tvm.ir.load_json(result.stdout.decode("utf-8", "surrogateescape"))
    except Exception as fault:  # pylint: disable=broad-except  # whatever TVM throws
        return "unloaded", str(fault).splitlines()[-1]
    original = as_module(original, ours)
    functions = differs(original, ours)
    if not functions:
        return "same", ""
    truth = tvm.ir.save_json(original).encode("utf-8", "surrogateescape")
    codes, unexplained = explanations.explain(document_of(text), document_of(truth), functions)
    if unexplained or not codes:
        return "different", f"{' '.join(functions)}: {', '.join(unexplained) or 'no place'}"
    return "loss", f"{' '.join(functions)}: {' '.join(codes)}"


class Programs:
    """A plugin of pytest: looks at every text that goes through tvm.script.from_source."""

    def __init__(self):
        self.test = None
        self.verdicts = collections.Counter()
        self.rows = []
        self.from_source = tvm.script.from_source
        tvm.script.from_source = self.read

    def pytest_runtest_setup(self, item):
        self.test = item.name

    def read(self, text, *arguments, **options):
        original = self.from_source(text, *arguments, **options)
        if self.test and isinstance(text, str):
            kind, why = verdict(text, original)
            self.verdicts[kind] += 1
            self.rows.append(f"{kind:10}{self.test} {why}")
        return original


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    programs = Programs()
    options = ["-q", "--no-header", "-p", "no:cacheprovider", "-k", "not relax"]
    status = pytest.main([*options, sys.argv[1]], plugins=[programs])
    print(*programs.rows, sep="\n")
    print(f"TVM {tvm.__version__}:", dict(programs.verdicts), f"(pytest: {int(status)})")
    right = programs.verdicts["same"] + programs.verdicts["loss"]
    return 0 if 0 < right == programs.verdicts.total() else 1


if __name__ == "__main__":
    sys.exit(main())

"""TVM's own tests of TVMScript, read by mlf.

Runs test files of TVM's repository, which are not part of this one:
  v0.16   tests/python/tvmscript/test_*.py, of the commit before 6c701fe5b8, the last that the wheel runs
  v0.9    tests/python/unittest/test_tvmscript_roundtrip.py
Every program that a test gives to TVM's parser is read by mlf as well, and TVM compares what both
read, variable by variable: the texts that go through tvm.script.from_source, which TVM printed, and
since v0.12 the functions and classes below T.prim_func and I.ir_module, which people wrote. Prints
program by program:
  same        TVM finds no difference
  loss        there is one, and losses of mlf's document explain it (their codes follow)
  python      mlf refuses it, and the text alone means nothing: it needs the Python values that follow
  refused     mlf's message follows
  unloaded    TVM does not load what mlf writes; TVM's message follows
  different   there is one, and nothing says why: the places follow
Programs of Relax are not TIR and left out.

Usage: MLF_PROGRAM=… PYTHON_OF_A_TVM_VENV own_suite.py TEST_FILE…   (pytest has to be there)
"""

import ast
import builtins
import collections
import importlib
import sys
import textwrap

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
# What every program of TVMScript may use.
LANGUAGE = {"T", "I", "R", "tvm", *dir(builtins)}


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
    return support.json_of("tir", *VERSION, "-", input=text)


def surroundings(text):
    """The names that a program takes from the Python around it."""
    tree = ast.parse(textwrap.dedent(text))
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    defined = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    defined |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    kinds = (ast.FunctionDef, ast.ClassDef)
    defined |= {node.name for node in ast.walk(tree) if isinstance(node, kinds)}
    return sorted({node.id for node in names} - defined - LANGUAGE)


def verdict(text, original):
    """What mlf makes of a text, beside what TVM makes of it."""
    data = text.encode("utf-8", "surrogateescape")
    result = support.run("tir", *VERSION, "--format", "save_json", "-", input=data)
    if result.returncode:
        names = surroundings(text)
        return ("python", " ".join(names)) if names else ("refused", first_line(result.stderr))
    try:
        ours = tvm.ir.load_json(result.stdout.decode("utf-8", "surrogateescape"))
    except Exception as fault:  # pylint: disable=broad-except  # whatever TVM throws
        return "unloaded", str(fault).splitlines()[-1]
    original = as_module(original, ours)
    functions = differs(original, ours)
    if not functions:
        return "same", ""
    truth = tvm.ir.save_json(original).encode("utf-8", "surrogateescape")
    codes, unexplained = explanations.explain(document_of(data), document_of(truth), functions)
    if unexplained or not codes:
        return "different", f"{' '.join(functions)}: {', '.join(unexplained) or 'no place'}"
    return "loss", f"{' '.join(functions)}: {' '.join(codes)}"


def first_line(output):
    return output.decode().splitlines()[0]


def is_tir(program):
    functions = program.functions.values() if isinstance(program, tvm.IRModule) else [program]
    return all(isinstance(function, tvm.tir.PrimFunc) for function in functions)


class Programs:
    """A plugin of pytest: looks at every program that goes through TVM's parser."""

    def __init__(self):
        self.test = "module"
        self.verdicts = collections.defaultdict(collections.Counter)
        self.rows = []
        from_source = tvm.script.from_source
        tvm.script.from_source = self.watched("printed", from_source, str)
        try:
            entries = [
                importlib.import_module(f"tvm.script.parser.{language}.entry")
                for language in ("tir", "ir")
            ]
        except ImportError:  # v0.9 has another parser for what is decorated
            return
        source = importlib.import_module("tvm.script.parser.core.diagnostics").Source
        for entry in entries:
            entry.parse = self.watched("written", entry.parse, lambda code: source(code).source)

    def pytest_runtest_setup(self, item):
        self.test = item.name

    def watched(self, origin, parse, text_of):
        def read(program, *arguments, **options):
            original = parse(program, *arguments, **options)
            if is_tir(original):
                kind, why = verdict(text_of(program), original)
                self.verdicts[origin][kind] += 1
                name = getattr(program, "__name__", "")
                self.rows.append(f"{origin} {kind:10}{self.test} {name} {why}")
            return original

        return read


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    programs = Programs()
    options = ["-q", "--no-header", "-p", "no:cacheprovider", "-k", "not relax"]
    status = pytest.main([*options, *sys.argv[1:]], plugins=[programs])
    print(*programs.rows, sep="\n")
    everything = collections.Counter()
    for origin, verdicts in programs.verdicts.items():
        print(f"TVM {tvm.__version__}, {origin}:", dict(verdicts))
        everything += verdicts
    print("pytest:", int(status))
    right = sum(everything[kind] for kind in ("same", "loss", "python"))
    return 0 if 0 < right == sum(everything.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

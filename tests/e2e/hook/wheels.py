"""The wheel of mlf-tvmc: with CMake it brings the program mlf, without it is Python alone.

The program is the finished one of this build: compiling it again takes minutes. That it would be
compiled is seen from what CMake plans.

Usage: python wheels.py [PYTHON…], where each PYTHON installs the wheel too
"""

import os
import pathlib
import shutil
import sys
import unittest
import zipfile

import program_case
import support

PACKAGE = support.SOURCE / "mlf" / "tvmc"
PROGRAM = "mlf_tvmc/bin/mlf"
STARTUP = PACKAGE / "mlf_tvmc.pth"
# The oldest Python that it is for is used where there is one.
PYENV = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
OLDEST = map(str, PYENV.glob("versions/3.8.*/bin/python"))
PYTHONS = [sys.executable, *sys.argv[1:], *OLDEST]

try:
    import scikit_build_core  # noqa: F401
except ImportError:
    support.skip("this Python has no scikit-build-core; tests/run --all makes one that has")
if shutil.which("cmake") is None:
    support.skip("there is no CMake")


class Wheel(program_case.Directory):
    def build(self, *arguments, **environment):
        """The wheel that pip makes, without asking the network for anything."""
        offline = ("--no-build-isolation", "--no-deps", "--no-index")
        wheels = self.directory / "wheels"
        pip = (sys.executable, "-m", "pip", "wheel", *offline, "-w", wheels)
        support.run_outside(*pip, *arguments, PACKAGE, **environment)
        (wheel,) = wheels.iterdir()
        return wheel

    def build_with_program(self):
        # The form of the README: pip 23.0 has no -C.
        return self.build(f"--config-settings=cmake.define.MLF_TVMC_PROGRAM={support.PROGRAM}")

    def install(self, python, wheel):
        """A directory for PYTHONPATH."""
        directory = self.directory / pathlib.Path(python).parts[-3]
        pip = (python, "-m", "pip", "install", "--no-deps", "--no-index")
        support.run_outside(*pip, "--target", directory, wheel)
        return str(directory)


class WithCMake(Wheel):
    def test_the_wheel_is_for_any_python_of_this_platform_and_brings_the_program(self):
        wheel = self.build_with_program()
        self.assertRegex(wheel.name, r"^mlf_tvmc-[\d.]+-py3-none-(?!any)\w+\.whl$")
        with zipfile.ZipFile(wheel) as content:
            self.assertEqual(content.read(PROGRAM), pathlib.Path(support.PROGRAM).read_bytes())
            self.assertEqual(content.read(STARTUP.name), STARTUP.read_bytes())

    def test_wherever_it_is_installed_it_finds_its_own_program(self):
        wheel = self.build_with_program()
        for python in PYTHONS:
            with self.subTest(python):
                directory = self.install(python, wheel)
                elsewhere = {"PYTHONPATH": directory, "PATH": "/nowhere"}
                code = "from mlf_tvmc import program; print(program.find())"
                found = support.run_outside(python, "-c", code, **elsewhere).strip()
                self.assertEqual(found, str(pathlib.Path(directory, PROGRAM)))
                self.assertIn("mlf", support.run_outside(found, "--version"))
                script = pathlib.Path(directory, "bin", "tvmc-mlf")
                self.assertIn("--tir-stages", support.run_outside(script, "--tir-help", **elsewhere))

    def test_unless_there_is_a_program_already_one_is_compiled(self):
        compilers = {"CXX": os.environ.get("MLF_CXX", "c++")}
        plan = self.directory / "plan"
        support.run_outside("cmake", "-S", PACKAGE, "-B", plan, "-G", "Ninja", **compilers)
        steps = support.run_outside("cmake", "--build", plan, "--target", "mlf_cli", "--", "-n", **compilers)
        self.assertRegex(steps, r"Linking CXX executable \S*/mlf\n")
        self.assertIn("mlf_tvmc/bin", (plan / "cmake_install.cmake").read_text())


class PythonAlone(Wheel):
    def check(self, wheel):
        self.assertRegex(wheel.name, r"^mlf_tvmc-[\d.]+-py3-none-any\.whl$")
        with zipfile.ZipFile(wheel) as content:
            self.assertNotIn(PROGRAM, content.namelist())
            self.assertEqual(content.read(STARTUP.name), STARTUP.read_bytes())
        directory = self.install(sys.executable, wheel)
        code = "from mlf_tvmc import program; print(program.find())"
        programs = self.directory / "programs"
        programs.mkdir()
        (programs / "mlf").symlink_to(support.PROGRAM)
        found = support.run_outside(sys.executable, "-c", code, PYTHONPATH=directory, PATH=str(programs))
        self.assertEqual(found.strip(), str(programs / "mlf"))

    def test_without_cmake_the_package_is_plain_python(self):
        self.check(self.build(PATH="/nowhere"))

    def test_without_a_compiler_the_package_is_plain_python(self):
        self.check(self.build(CXX="/nowhere/c++"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

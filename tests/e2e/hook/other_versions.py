"""The hook with a TVM that it was not written for, or with none: stand-ins, so any Python will do.

Usage: python other_versions.py
"""

import os
import subprocess
import sys
import unittest

import program_case
import support

PACKAGE = support.SOURCE / "mlf" / "tvmc"
_CAPTURE = "import mlf_tvmc\nwith mlf_tvmc.capture(): pass\n"


class OtherVersions(program_case.Directory):
    def provide_tvm(self, text):
        (self.directory / "tvm").mkdir()
        (self.directory / "tvm" / "__init__.py").write_text(text)

    def run_python(self, *arguments, **environment):
        # -S: no packages but those on the path, should this Python have TVM.
        command = [sys.executable, "-S", *map(str, arguments)]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(self.directory), str(PACKAGE)]),
            **environment,
        }
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, cwd=self.directory
        )

    def script(self, text):
        path = self.directory / "build_script.py"
        path.write_text(text)
        return path

    def check_refused(self, message):
        path = self.script("import sys; sys.exit('unreachable')")
        result = self.run_python("-m", "mlf_tvmc", path, MLF_TIR_EXPORT="1")
        self.assertEqual(result.returncode, 69, result.stderr)
        self.assertIn(message, result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        result = self.run_python("-c", _CAPTURE)
        self.assertIn(f"ExportError: {message}", result.stderr)

    def test_a_version_that_is_too_old_is_rejected(self):
        self.provide_tvm("__version__ = '0.8.0'")
        self.check_refused("TVM 0.8.0 is too old: its builds do not keep TIR (v0.9 to v0.18 work)")

    def test_a_version_that_is_too_new_is_rejected(self):
        self.provide_tvm("__version__ = '0.25.0.post1'")
        self.check_refused("TVM 0.25.0.post1 is too new: it has no Model Library Format")

    def test_a_missing_tvm_is_an_error(self):
        self.check_refused("TVM cannot be imported: No module named 'tvm'")

    def test_without_the_switch_a_script_runs_as_it_does_without_the_hook(self):
        path = self.script("import sys; print(sys.argv, __name__, 'tvm' in sys.modules)")
        result = self.run_python("-m", "mlf_tvmc", path, "a", "--no-tir-export", "--tir-help")
        expected = f"{[str(path), 'a', '--no-tir-export', '--tir-help']} __main__ False\n"
        self.assertEqual((result.stdout, result.returncode), (expected, 0), result.stderr)

    def test_without_the_switch_the_stages_are_not_read(self):
        path = self.script("print('done')")
        result = self.run_python("-m", "mlf_tvmc", path, MLF_TIR_STAGES="nonsense")
        self.assertEqual((result.stdout, result.returncode), ("done\n", 0), result.stderr)
        result = self.run_python(
            "-m", "mlf_tvmc", path, MLF_TIR_EXPORT="1", MLF_TIR_STAGES="nonsense"
        )
        self.assertEqual(result.returncode, 64, result.stderr)

    def test_a_script_finds_the_modules_beside_it_also_through_a_link(self):
        (self.directory / "beside.py").write_text("VALUE = 5")
        links = self.directory / "links"
        links.mkdir()
        (links / "link.py").symlink_to(self.script("import beside; print(beside.VALUE)"))
        result = self.run_python("-m", "mlf_tvmc", links / "link.py", PYTHONPATH=str(PACKAGE))
        self.assertEqual((result.stdout, result.returncode), ("5\n", 0), result.stderr)

    def test_the_exit_code_of_a_script_is_passed_on(self):
        path = self.script("import sys; sys.exit(3)")
        self.assertEqual(self.run_python("-m", "mlf_tvmc", path).returncode, 3)

    def test_importing_the_package_does_not_import_tvm(self):
        self.provide_tvm("raise RuntimeError('imported')")
        code = _CAPTURE.replace("capture()", "capture(enabled=False)")
        result = self.run_python("-c", code)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_help_needs_no_tvm(self):
        result = self.run_python("-m", "mlf_tvmc", "--tir-help")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("--tir-stages", result.stdout)


if __name__ == "__main__":
    unittest.main()

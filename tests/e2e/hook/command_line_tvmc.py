"""tvmc with the hook: command line in, complete archive out, and tvmc unchanged in all else.

Usage: PYTHON_OF_A_TVM_VENV command_line_tvmc.py
"""

import contextlib
import functools
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import unittest

import hook_support as hook
from mlf_tvmc.command_line import HELP

import program_case
import support

import models

_AOT = ("--executor=aot", "--runtime=crt", "--pass-config", "tir.disable_vectorize=1")
_PACKED = ("--target=c", *_AOT)
_C = ("--executor-aot-interface-api=c", "--executor-aot-unpacked-api=1", *_PACKED)
_MLF = ("--output-format", "mlf")
_OPTION = ("--pass-config", "tir.tir_export_to_json=1")
# SIZE DISK KEPT COMMAND…: runs a command with a disk of that size, and keeps what that has then.
_SMALL_DISK = """\
mount -t tmpfs -o "size=$1" none "$2" || exit 77
disk=$2 kept=$3
shift 3
"$@"
code=$?
cp -a "$disk/." "$kept"
exit $code
"""


def tvmc(*arguments, **options):
    """Plain tvmc."""
    return hook.run_python("-m", "tvm.driver.tvmc", *arguments, **options)


def without(variable):
    return {name: value for name, value in os.environ.items() if name != variable}


class Tvmc(program_case.Directory):
    def setUp(self):
        self.archive = self.directory / "module.tar"
        self.model = models.small(self.directory)

    def compile(self, *arguments, **options):
        return hook.run_program("compile", *self.model, "-o", self.archive, *arguments, **options)

    def plain(self, *arguments):
        """What tvmc alone makes of the same arguments."""
        archive = self.directory / "plain.tar"
        return tvmc("compile", *self.model, "-o", archive, *arguments), archive

    def check_done(self, result):
        """LLVM may talk."""
        self.assertEqual(result.returncode, 0, result.stderr)

    def check_ok(self, result):
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def check_complete(self):
        expected = {"tir-1.txt", "tir-1.tvm.json", "tir-1.json", "mlf.json"}
        expected |= {"default.topology.json", "default.graph.json"}
        self.assertEqual(hook.own_names(self.archive), expected)
        support.run_ok("verify", self.archive)


class SwitchedOn(Tvmc):
    def test_an_archive_has_what_tvmc_writes_and_tir_network_and_manifest(self):
        self.check_ok(self.compile(*_PACKED, *_MLF))
        self.check_complete()
        _, plain = self.plain(*_PACKED, *_MLF)
        own = {"./src/" + name for name in hook.own_names(self.archive)}
        self.assertEqual(hook.names(self.archive) - own, hook.names(plain))

    def test_graph_executor_builds_have_their_tir(self):
        self.check_ok(self.compile("--target=c -host=c", *_AOT[2:], *_MLF, *_OPTION))
        self.check_complete()
        rejected = self.compile("--target=c", *_AOT[2:], *_MLF, *_OPTION, "--no-tir-export")
        self.assertIn("'tir.tir_export_to_json' is not defined in TVM", rejected.stderr)

    def test_llvm_builds_have_their_tir(self):
        system_lib = ("--runtime=crt", "--runtime-crt-system-lib=1")
        self.check_done(self.compile("--target=llvm", "--executor=aot", *system_lib, *_MLF))
        self.check_complete()

    def test_several_stages_are_captured(self):
        stages = "topology,lowered,codegen"
        self.check_ok(self.compile(*_C, *_MLF, "--tir-stages", stages))
        self.assertLess({"tir-1.topology.json", "tir-1.codegen.json"}, hook.own_names(self.archive))
        support.run_ok("verify", self.archive)

    def test_texts_alone_are_written_on_request(self):
        self.check_ok(self.compile(*_C, *_MLF, "--no-save-json"))
        self.assertIn("tir-1.json", hook.own_names(self.archive))
        self.assertNotIn("tir-1.tvm.json", hook.own_names(self.archive))
        support.run_ok("verify", self.archive)

    def test_a_directory_takes_the_tir_whatever_the_output_format(self):
        directory = self.directory / "tir"
        self.check_ok(self.compile("--target=c", *_AOT[2:], f"--tir-folder={directory}"))
        names = {path.name for path in directory.iterdir()}
        network = {"default.graph", "default.graph.json", "default.topology.json"}
        tir = {"tir-1.txt", "tir-1.tvm.json", "tir-1.json"}
        self.assertEqual(names, tir | network | {"build.json", "mlf.json"})

    def test_a_missing_stage_is_reported_once(self):
        stages = ("--tir-stages=lowered,after:zzzz", f"--tir-folder={self.directory / 'tir'}")
        result = self.compile(*_PACKED, *_MLF, *stages)
        self.assertEqual(result.returncode, 0, result.stderr)
        reason = "no TIR at stage 'after:zzzz': that pass did not run"
        self.assertEqual(result.stderr, f"tvmc-mlf: warning: {reason}\n")
        self.check_complete()

    def test_tvmc_sees_the_archive_as_its_own(self):
        self.check_ok(self.compile(*_PACKED, *_MLF))
        opened = hook.run_python(
            "-c",
            "import sys; from tvm.driver.tvmc.model import TVMCPackage;"
            "print(TVMCPackage(sys.argv[1]).type)",
            self.archive,
        )
        self.assertEqual((opened.returncode, opened.stdout), (0, "mlf\n"), opened.stderr)


class SwitchedOff(Tvmc):
    def test_by_option_or_by_environment_the_archive_is_tvmcs(self):
        off = {**os.environ, "MLF_TIR_EXPORT": "0"}
        for arguments, options in (("--no-tir-export",), {}), ((), {"env": off}):
            with self.subTest(arguments):
                self.check_ok(self.compile(*_PACKED, *_MLF, *arguments, **options))
                self.assertEqual(hook.own_names(self.archive), set())

    def test_other_formats_and_commands_are_tvmcs_and_need_no_mlf(self):
        options = {"env": {**os.environ, "MLF_PROGRAM": "/nowhere/mlf"}}
        self.check_ok(self.compile("--target=c", *_AOT[2:], **options))
        for arguments in (("--version",), ("--help",), ("compile", "--nonsense"), ("nonsense",)):
            with self.subTest(arguments):
                ours, theirs = hook.run_program(*arguments, **options), tvmc(*arguments)
                self.assertEqual(ours.returncode, theirs.returncode)
                own = HELP + "\n" if arguments == ("--help",) else ""
                self.assertEqual(ours.stdout, own + theirs.stdout)
                self.assertEqual(ours.stderr, theirs.stderr)


class Scripts(Tvmc):
    """A script that knows nothing of the hook, and exports two archives in different ways."""

    SCRIPT = """\
import sys
import tvm
from tvm import relay, te
from tvm.relay.backend import Executor, Runtime

data = relay.var("data", shape=(1, 8))
module = tvm.IRModule.from_expr(relay.nn.softmax(relay.nn.relu(data)))
target = tvm.target.Target("c", host="c")
with tvm.transform.PassContext(opt_level=3, config={"tir.disable_vectorize": True}):
    factory = relay.build(module, target, executor=Executor("graph"), runtime=Runtime("crt"))
from tvm.micro import export_model_library_format

print(export_model_library_format(factory, sys.argv[1]))
value = te.placeholder((8,), name="A")
result = te.compute((8,), lambda i: value[i] + 1.0, name="B")
operator = tvm.build(te.create_schedule(result.op), [value, result], target, name="increment")
tvm.micro.export_model_library_format(operator, sys.argv[2])
"""

    def run_script(self, **environment):
        script = self.directory / "build.py"
        script.write_text(self.SCRIPT)
        operator = self.directory / "operator.tar"
        environment = {**os.environ, **environment}
        result = hook.run_program(script, self.archive, operator, env=environment)
        self.check_ok(result)
        self.assertEqual(result.stdout, f"{self.archive}\n")
        return operator

    def test_switched_on_its_archives_have_tir(self):
        operator = self.run_script(MLF_TIR_EXPORT="1")
        self.check_complete()
        self.assertIn("tir-1.json", hook.own_names(operator))

    def test_stages_come_from_the_environment(self):
        self.run_script(MLF_TIR_EXPORT="1", MLF_TIR_STAGES="lowered,codegen")
        self.assertIn("tir-1.codegen.json", hook.own_names(self.archive))

    def test_switched_off_its_archives_are_tvms(self):
        operator = self.run_script()
        self.assertEqual(hook.own_names(self.archive), set())
        self.assertEqual(hook.own_names(operator), {"tir-1.txt"})


class FromTheEnvironment(Tvmc):
    """Programs that run TVM themselves, where the package is installed: Python runs mlf_tvmc.pth."""

    INSTALLED = f"import runpy, site, sys; site.addsitedir({str(support.SOURCE / 'mlf' / 'tvmc')!r})\n"

    def run_plain(self, code, *arguments, **environment):
        environment = {**os.environ, **environment}
        return hook.run_python("-c", self.INSTALLED + code, *arguments, env=environment)

    def run_tvmc(self, *options, **environment):
        code = "runpy.run_module('tvm.driver.tvmc', run_name='__main__', alter_sys=True)"
        arguments = ("compile", *self.model, *_PACKED, *_MLF, "-o", self.archive, *options)
        return self.run_plain(code, *arguments, **environment)

    def test_tvmc_leaves_tir_in_its_archive(self):
        self.check_ok(self.run_tvmc(*_OPTION, MLF_TIR_EXPORT="1"))
        self.check_complete()

    def test_stages_come_from_the_environment_too(self):
        self.check_ok(self.run_tvmc(MLF_TIR_EXPORT="1", MLF_TIR_STAGES="lowered,codegen"))
        self.assertIn("tir-1.codegen.json", hook.own_names(self.archive))

    def test_without_it_the_archive_is_tvmcs(self):
        for environment in ({"MLF_TIR_EXPORT": "0"}, {}):
            self.check_ok(self.run_tvmc(**environment))
            self.assertEqual(hook.own_names(self.archive), set())

    def test_what_fails_is_printed_and_the_archive_stays(self):
        result = self.run_tvmc(MLF_TIR_EXPORT="1", MLF_PROGRAM="/nowhere/mlf")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("the program mlf is missing", result.stderr)
        self.assertEqual(hook.own_names(self.archive), set())

    def test_no_program_is_ended_by_a_wrong_value(self):
        result = self.run_plain("print('goes on')", MLF_TIR_EXPORT="maybe")
        self.assertEqual((result.returncode, result.stdout), (0, "goes on\n"))
        self.assertIn("MLF_TIR_EXPORT is 'maybe', not 1 or 0", result.stderr)

    def test_python_without_tvm_is_as_before(self):
        result = self.run_plain("print('tvm' in sys.modules)", MLF_TIR_EXPORT="1")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "False\n", ""))


class ScriptsWithoutArchive(Tvmc):
    """Scripts as people have them, which export nothing."""

    OPERATOR = """\
import tvm
from tvm import te

n = te.var("n")
A = te.placeholder((n,), name="A")
B = te.compute((n,), lambda i: A[i] * 2.0, name="B")
schedule = te.create_schedule(B.op)
tvm.build(schedule, [A, B], target="c", name="double")
"""
    DENSE = """\
import tvm
from tvm import relay

data = relay.var("data", shape=(1, 16))
weight = relay.var("weight", shape=(8, 16))
transformed = relay.layout_transform(relay.reshape(data, (1, 4, 2, 2)), "NCHW", "NHWC")
dense = relay.nn.dense(relay.reshape(transformed, (1, 16)), weight)
relay.build(tvm.IRModule.from_expr(dense), target="llvm")
"""

    def run_script(self, text, *arguments, code=0, **environment):
        script = self.directory / "build.py"
        script.write_text(text)
        result = hook.run_program(*arguments, script, env={**os.environ, **environment})
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr

    def test_a_directory_keeps_their_builds(self):
        for text, kernel in ((self.OPERATOR, "double"), (self.DENSE, "tvmgen_default_fused_nn_dense")):
            directory = self.directory / kernel
            self.assertNotIn("tvmc-mlf", self.run_script(text, f"--tir-folder={directory}"))
            report = support.json_of("report", "--json", directory)
            kernels = [one["symbol"] for one in report["modules"][0]["kernels"]]
            self.assertTrue(any(one.startswith(kernel) for one in kernels), kernels)
            support.run_ok("verify", directory)

    def test_switched_on_without_an_archive_a_warning_names_the_option(self):
        said = self.run_script(self.DENSE, MLF_TIR_EXPORT="1")
        self.assertIn("the script exported no archive; --tir-folder DIRECTORY keeps the TIR", said)
        said = self.run_script("import tvm\n", MLF_TIR_EXPORT="1")
        self.assertIn("the script built nothing that TVM lowers to TIR", said)

    def test_a_script_that_fails_leaves_what_it_built(self):
        directory = self.directory / "tir"
        said = self.run_script(self.DENSE + "raise SystemExit(3)\n", f"--tir-folder={directory}", code=3)
        self.assertNotIn("tvmc-mlf", said)
        support.run_ok("report", directory)

    def test_switched_off_there_is_no_directory(self):
        directory = self.directory / "tir"
        self.run_script(self.DENSE, f"--tir-folder={directory}", MLF_TIR_EXPORT="0")
        self.assertFalse(directory.exists())


@unittest.skipIf(hook.IS_OLD, "TVM v0.12 is the first one that dumps TIR")
class Sidecar(Tvmc):
    """Plain tvmc, without the hook."""

    def test_dumped_tir_that_the_c_does_not_contradict_is_taken(self):
        _, archive = self.plain(*_PACKED, *_MLF)
        # tvmc cannot dump code beside an archive: the dump is that of the graph executor's kernels,
        # which are the same here, as none of them has weights.
        kernels = self.directory / "kernels.tar"
        dump = ("--target=c", *_AOT[2:], "--dump-code=tir", "-o", kernels)
        self.check_ok(tvmc("compile", *self.model, *dump))
        result = support.run("process", archive, "--tir", f"{kernels}.tir")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(support.run("verify", archive).returncode, 0)


class Readme(Tvmc):
    """The commands that the README of mlf-tvmc shows. That pip installs it is tested in wheels.py."""

    COMMANDS = """\
set -eu
pip() { :; }
tvmc() { "$PYTHON" -m tvm.driver.tvmc "$@"; }
tvmc-mlf() { "$PYTHON" -m mlf_tvmc "$@"; }
mlf() { "$MLF_PROGRAM" "$@"; }
"""

    def run_block(self, number):
        text = (support.SOURCE / "mlf" / "tvmc" / "README.md").read_text()
        blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), 1)
        block = blocks[number].replace("model.tflite", shlex.join(map(str, self.model)))
        result = subprocess.run(["bash", "-c", self.COMMANDS + block], cwd=self.directory, text=True,
                                env={**os.environ, "PYTHON": sys.executable}, capture_output=True,
                                check=False)  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_tvmc_with_the_hook(self):
        self.run_block(0)
        self.check_complete()


class Failures(Tvmc):
    def check_plain_archive(self):
        self.assertTrue(hook.names(self.archive))
        self.assertEqual(hook.own_names(self.archive), set())
        left = {path.name for path in self.directory.iterdir()} - {self.model[0].name, "plain.tar"}
        self.assertEqual(left, {"module.tar"})

    def check_refused(self, *arguments):
        ours = self.compile(*arguments, *_MLF)
        theirs, _ = self.plain(*arguments, *_MLF)
        self.assertNotEqual(ours.returncode, 0)
        self.assertEqual(ours.returncode, theirs.returncode)
        self.assertEqual(ours.stdout, theirs.stdout)
        self.assertEqual(ours.stderr.splitlines()[-1:], theirs.stderr.splitlines()[-1:])
        self.assertFalse(self.archive.exists())

    def test_what_tvmc_refuses_is_refused_in_its_words(self):
        (self.directory / "broken").write_text("nonsense")
        for model in "absent", "broken":
            self.model = (self.directory / model, *self.model[1:])
            self.check_refused(*_PACKED)

    def test_what_no_code_is_generated_for_is_refused_in_tvms_words(self):
        """Neither wheel has an entry point in LLVM for the C interface."""
        self.check_refused(*_C, "--target=llvm", "--runtime-crt-system-lib=1")

    def test_a_directory_that_cannot_be_written_is_reported_beside_errors_of_tvmc(self):
        directory = self.directory / "file"
        directory.touch()
        message = f"{directory}: cannot write TIR: "
        done = self.compile("--target=c", *_AOT[2:], f"--tir-folder={directory}")
        self.assertEqual(done.returncode, 74)
        self.assertTrue(done.stderr.startswith(f"tvmc-mlf: error: {message}"), done.stderr)
        self.archive.unlink()
        nowhere = self.directory / "nowhere" / "module.tar"
        failed = self.compile(*_PACKED, *_MLF, f"--tir-folder={directory}", "-o", nowhere)
        self.assertEqual(failed.returncode, 1)
        self.assertIn(f"tvmc-mlf: warning: {message}", failed.stderr)

    def test_without_mlf_the_archive_is_tvmcs(self):
        environment = {**without("MLF_PROGRAM"), "PATH": "/nowhere"}
        result = self.compile(*_PACKED, *_MLF, env=environment)
        self.assertEqual(result.returncode, 69)
        message = "tvmc-mlf: error: the program mlf is missing: it is not on PATH\n"
        self.assertEqual(result.stderr, message)
        self.check_plain_archive()

    @contextlib.contextmanager
    def program(self, commands):
        """An environment where mlf is a shell script."""
        program = self.directory / "bin" / "mlf"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{commands}\n")
        program.chmod(0o755)
        yield {**os.environ, "MLF_PROGRAM": str(program)}
        shutil.rmtree(program.parent)

    def check_failing_program(self, commands, message, code):
        with self.program(commands) as environment:
            result = self.compile(*_PACKED, *_MLF, env=environment)
        self.assertEqual(result.returncode, code)
        self.assertEqual(result.stderr, f"tvmc-mlf: error: {message}\n")
        self.check_plain_archive()

    def test_where_mlf_fails_the_archive_is_tvmcs_and_the_exit_code_mlfs(self):
        message = f"mlf: error: {self.archive}: no"
        self.check_failing_program('for last; do :; done; echo "mlf: error: $last: no" >&2; exit 65', message, 65)

    def test_a_silent_failure_of_mlf_is_reported(self):
        program = self.directory / "bin" / "mlf"
        self.check_failing_program("exit 70", f"{program} failed without a message", 70)
        self.check_failing_program("kill -9 $$", f"{program} was ended by signal 9", 137)

    def test_where_it_is_interrupted_the_archive_is_tvmcs(self):
        with self.program("kill -INT $PPID; sleep 60") as environment:
            result = self.compile(*_PACKED, *_MLF, env=environment)
        self.assertEqual(result.returncode, -signal.SIGINT, result.stderr)
        self.check_plain_archive()

    def check_no_room(self, result, what_failed):
        self.assertEqual(result.returncode, 74, result.stderr)
        (line,) = result.stderr.splitlines()
        self.assertTrue(line.startswith(f"tvmc-mlf: error: {what_failed}: "), line)

    def sizes(self):
        """Of the archive as tvmc writes it, and as it is in the end."""
        self.check_ok(self.compile(*_PACKED, *_MLF))
        _, plain = self.plain(*_PACKED, *_MLF)
        return plain.stat().st_size, self.archive.stat().st_size

    def test_where_files_may_not_grow_the_archive_is_tvmcs(self):
        plain, complete = self.sizes()
        outcomes = {
            plain + 4096: f"{self.archive}: cannot add TIR",
            complete - 1: f"mlf: error: {self.archive}: cannot write",
        }
        for limit, what_failed in outcomes.items():
            with self.subTest(what_failed):
                bound = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (limit, limit))
                result = self.compile(*_PACKED, *_MLF, preexec_fn=bound)
                self.check_no_room(result, what_failed)
                self.check_plain_archive()

    def test_where_the_disk_is_full_the_archive_is_tvmcs(self):
        plain, complete = self.sizes()
        self.archive.unlink()
        disk = self.directory / "disk"
        on_disk = disk / self.archive.name
        # The new archive is written beside the old one: with some of it, and with all but a page.
        for size in 2 * plain, plain + complete - 2 * resource.getpagesize():
            with self.subTest(size=size):
                disk.mkdir()
                through = ("unshare", "-rm", "sh", "-c", _SMALL_DISK, "sh", size, disk, self.directory)
                result = self.compile(*_PACKED, *_MLF, "-o", on_disk, through=through)
                if result.returncode == support.SKIP:
                    self.skipTest(f"no disk can be made here: {result.stderr}")
                disk.rmdir()
                self.check_no_room(result, f"mlf: error: {on_disk}: cannot write")
                self.check_plain_archive()

    def test_unknown_stages_and_values_are_refused_at_once(self):
        for arguments in ("--tir-stages=unknown",), ("--tir-stages",):
            result = self.compile(*_PACKED, *_MLF, *arguments)
            self.assertEqual(result.returncode, 64, result.stderr)
        result = self.compile(env={**os.environ, "MLF_TIR_EXPORT": "perhaps"})
        self.assertEqual(result.returncode, 64, result.stderr)


if __name__ == "__main__":
    unittest.main()

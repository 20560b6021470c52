"""What the hook costs, as a share of tvmc compile. Processor time, so that a busy machine matters less.

Two runs of a second or two differ by more than the hook takes, so its parts are measured where they
are: what TVM spends on calling the instrument, from a loop; printing, serialising and archiving, and
mlf itself, around the one function that does it.

Not a test. Usage, with the environment of the tests: PYTHON_OF_A_TVM_VENV cost.py [MODEL.tflite…]
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import hook_support as hook

import mlf_tvmc
import support
import tvm
from mlf_tvmc import archive, recorder
from mlf_tvmc.command_line import main as run_hook

_MODELS = pathlib.Path(os.environ.get("MLF_MODELS", support.SOURCE / ".." / "shared" / "models"))
_OPTIONS = ("--target=c", "--executor=aot", "--runtime=crt", "--output-format=mlf")
_OPTIONS += ("--pass-config", "tir.disable_vectorize=1")
_PASSES = 5000


def seconds():
    """Of this process and of those it has waited for."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def seconds_of_a_pass():
    """What one pass takes that does nothing."""
    module, nothing = tvm.IRModule({}), tvm.transform.Sequential([])
    with tvm.transform.PassContext(opt_level=3):
        begin = time.process_time()
        for _ in range(_PASSES):
            nothing(module)
        return (time.process_time() - begin) / _PASSES


def seconds_of_a_callback():
    """What a pass takes more inside a capture."""
    without = seconds_of_a_pass()
    with mlf_tvmc.capture():
        return seconds_of_a_pass() - without


class Spent:
    """Counts the passes of a compilation, and measures what comes behind it."""

    def __init__(self):
        self.passes = 0
        self.on_tir = 0.0
        self._before_pass, self._add_tir = recorder.Recorder.before_pass, archive.add_tir
        recorder.Recorder.before_pass = lambda *event: self._count(*event)
        archive.add_tir = self._measure

    def _count(self, *event):
        self.passes += 1
        self._before_pass(*event)

    def _measure(self, *arguments):
        begin = seconds()
        self._add_tir(*arguments)
        self.on_tir += seconds() - begin


def measure(model):
    """Prints the row of one model; this process is for nothing else."""
    before = seconds()
    callback = seconds_of_a_callback()
    spent, setup = Spent(), seconds() - before
    with tempfile.TemporaryDirectory() as folder:
        code = run_hook(
            ["compile", *_OPTIONS, "-o", str(pathlib.Path(folder, "a.tar")), str(model)]
        )
    assert code == 0, code
    on_passes = spent.passes * callback
    without = seconds() - setup - on_passes - spent.on_tir
    share = 100 * (on_passes + spent.on_tir) / without
    print(f"{model.name:20} {without:8.2f} {on_passes:10.3f} {spent.on_tir:8.3f} {share:9.1f}")


def main(models):
    if len(models) == 1:
        return measure(pathlib.Path(models[0]))
    print(f"TVM {hook.TVM_VERSION:16} tvmc, s  passes, s   TIR, s  share, %", flush=True)
    for model in models or sorted(_MODELS.glob("*.tflite")):
        subprocess.run([sys.executable, __file__, str(model)], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])

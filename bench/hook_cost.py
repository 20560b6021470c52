"""What the hook of mlf/tvmc costs, as a share of tvmc compile: the goal is less than 2 %.

Processor time, so that a busy machine matters less. Two runs of a second or two differ by more than
the hook takes, so its parts are measured where they are: what TVM spends on calling the instrument,
from a loop; printing, serialising, archiving and mlf itself, around the one function that does it.
Of five runs, the one with the median share.

Usage: PYTHON_OF_A_TVM_VENV bench/hook_cost.py MLF [MODEL.tflite…]
tests/run --all makes such environments: build/venv-tvm-0.16, build/venv-tvm-0.9. MLF is the program of the
release build. Without a model: three networks made here, and the real ones beside the checkout.
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [
    str(SOURCE / folder)
    for folder in ("mlf/tvmc", "tests/e2e/hook", "tests/e2e/tvm", "tests/e2e")
]
os.environ["MLF_PROGRAM"] = sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__)

import complete_tvm  # noqa: E402  it is found by the lines above

complete_tvm.complete()

import mlf_tvmc  # noqa: E402
import tvm  # noqa: E402
from mlf_tvmc import archive, recorder  # noqa: E402
from mlf_tvmc.command_line import main as run_hook  # noqa: E402
from tvm.driver.tvmc import frontends  # noqa: E402
from tvm.driver.tvmc.model import TVMCModel  # noqa: E402

import hook_cost_networks  # noqa: E402
import models  # noqa: E402

_OPTIONS = ("--target=c", "--executor=aot", "--runtime=crt", "--output-format=mlf")
_OPTIONS += ("--pass-config", "tir.disable_vectorize=1")
_PASSES = 5000
_GOAL = 2.0  # per cent
_RUNS = 5
_ONE_RUN = "--one-run"


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


def file_of(model):
    """A file for tvmc's command line; networks made here come out of its reader, not out of it."""
    if model not in hook_cost_networks.MAKERS:
        return model
    made = TVMCModel(hook_cost_networks.module_of(model), {})
    frontends.load_model = lambda *_args, **_options: made
    return __file__


def measure(model):
    """Seconds of tvmc without the hook, of the passes, and on TIR; this process is for nothing else."""
    before = seconds()
    path = file_of(model)
    callback = seconds_of_a_callback()
    spent, setup = Spent(), seconds() - before
    with tempfile.TemporaryDirectory() as folder:
        code = run_hook(["compile", *_OPTIONS, "-o", str(pathlib.Path(folder, "a.tar")), path])
    assert code == 0, code
    on_passes = spent.passes * callback
    return seconds() - setup - on_passes - spent.on_tir, on_passes, spent.on_tir


def share(run):
    without, *added = run
    return 100 * sum(added) / without


def measure_apart(program, name):
    """The same in a process of its own: what is imported and cached counts each time."""
    command = [sys.executable, __file__, program, _ONE_RUN, name]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout.splitlines()[-1])


def main(program, names):
    if names[:1] == [_ONE_RUN]:
        print(json.dumps(measure(names[1])))
        return
    print(f"TVM {tvm.__version__:18}tvmc, s  passes, s   TIR, s  share, %", flush=True)
    for name in names or [*hook_cost_networks.MAKERS, *map(str, models.real())]:
        runs = sorted((measure_apart(program, name) for _ in range(_RUNS)), key=share)
        without, on_passes, on_tir = median = runs[_RUNS // 2]
        verdict = "" if share(median) < _GOAL else f"  not below {_GOAL} %"
        row = f"{pathlib.Path(name).name:22}{without:8.2f} {on_passes:10.3f} {on_tir:8.3f}"
        print(f"{row} {share(median):9.1f}{verdict}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

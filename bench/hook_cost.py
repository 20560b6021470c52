"""What the hook of mlf/tvmc costs, as a share of tvmc compile: the goal is less than 2 %.

Processor time, so that a busy machine matters less. Two runs of a second or two differ by more than
the hook takes, so its parts are measured where they are: what TVM spends on calling the instrument,
from a loop; printing, serialising, archiving and mlf itself, around the one function that does it.
Of five runs, the one with the median share.

Usage: PYTHON_OF_A_TVM_VENV bench/hook_cost.py MLF [MODEL.tflite…]
tests/run --all makes such environments: build/venv-tvm-0.16, build/venv-tvm-0.9. MLF is the program of the
release build. Without a model: three networks made here, and the real ones beside the checkout.
"""

import functools
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
    str(SOURCE / directory)
    for directory in ("mlf/tvmc", "tests/e2e/hook", "tests/e2e/tvm", "tests/e2e")
]
os.environ["MLF_PROGRAM"] = sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__)

import complete_tvm  # noqa: E402  it is found by the lines above

complete_tvm.complete()

import mlf_tvmc  # noqa: E402
import tvm  # noqa: E402
from mlf_tvmc import archive, program, recorder, tvm_api  # noqa: E402
from mlf_tvmc.command_line import main as run_hook  # noqa: E402
from tvm.driver.tvmc import frontends  # noqa: E402
from tvm.driver.tvmc.model import TVMCModel  # noqa: E402

import hook_cost_networks  # noqa: E402
import models  # noqa: E402
from processes import machine  # noqa: E402

_OPTIONS = ("--target=c", "--executor=aot", "--runtime=crt", "--output-format=mlf")
_OPTIONS += ("--pass-config", "tir.disable_vectorize=1")
_PASSES = 5000
_GOAL = 2.0  # per cent
_RUNS = 5
_ONE_RUN = "--one-run"
# All that comes behind a compilation, and its parts: TVM's own two, and the program.
_MEASURED = {
    "TIR": (archive, "add_tir"),
    "save_json": (tvm_api, "to_json"),
    "text": (tvm_api, "to_text"),
    "mlf": (program, "run"),
}


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
    """Counts the passes of a compilation, and measures what comes behind it, whole and in its parts."""

    def __init__(self):
        self.passes = 0
        self.seconds = dict.fromkeys(_MEASURED, 0.0)
        before_pass = recorder.Recorder.before_pass
        recorder.Recorder.before_pass = lambda *event: self._count(before_pass, event)
        for name, (owner, function) in _MEASURED.items():
            measured = functools.partial(self._measure, name, getattr(owner, function))
            setattr(owner, function, measured)

    def _count(self, before_pass, event):
        self.passes += 1
        before_pass(*event)

    def _measure(self, name, function, *arguments):
        begin = seconds()
        result = function(*arguments)
        self.seconds[name] += seconds() - begin
        return result


def file_of(model):
    """A file for tvmc's command line; networks made here come out of its reader, not out of it."""
    if model not in hook_cost_networks.MAKERS:
        return model
    made = TVMCModel(hook_cost_networks.module_of(model), {})
    frontends.load_model = lambda *_args, **_options: made
    return __file__


def measure(model):
    """Seconds of tvmc without the hook, of the passes, on TIR and on its parts; this process is for
    nothing else."""
    before = seconds()
    path = file_of(model)
    callback = seconds_of_a_callback()
    spent, setup = Spent(), seconds() - before
    with tempfile.TemporaryDirectory() as directory:
        code = run_hook(["compile", *_OPTIONS, "-o", str(pathlib.Path(directory, "a.tar")), path])
    assert code == 0, code
    run = {"passes": spent.passes * callback, **spent.seconds}
    return {"tvmc": seconds() - setup - added(run), **run}


def added(run):
    return run["passes"] + run["TIR"]


def share(run):
    return 100 * added(run) / run["tvmc"]


def measure_apart(mlf, name):
    """The same in a process of its own: what is imported and cached counts each time."""
    command = [sys.executable, __file__, mlf, _ONE_RUN, name]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout.splitlines()[-1])


def main(mlf, names):
    if names[:1] == [_ONE_RUN]:
        print(json.dumps(measure(names[1])))
        return
    parts = "".join(f"{name:>10}" for name in ("passes", *_MEASURED))
    print(machine())
    print(f"TVM {tvm.__version__:18}tvmc, s{parts}, ms  share, %", flush=True)
    for name in names or [*hook_cost_networks.MAKERS, *map(str, models.real())]:
        runs = sorted((measure_apart(mlf, name) for _ in range(_RUNS)), key=share)
        median = runs[_RUNS // 2]
        parts = "".join(f"{1000 * median[part]:10.1f}" for part in ("passes", *_MEASURED))
        verdict = "" if share(median) < _GOAL else f"  not below {_GOAL} %"
        row = f"{pathlib.Path(name).name:22}{median['tvmc']:7.2f}{parts}"
        print(f"{row} {share(median):12.2f}{verdict}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

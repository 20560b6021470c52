"""What the hook costs, as a share of tvmc compile: processor time, the smallest of several runs.

Not a test. Usage, with the environment of the tests: PYTHON_OF_A_TVM_VENV cost.py [MODEL.tflite…]
"""

import os
import pathlib
import resource
import sys
import tempfile

import hook_support as hook

import support

RUNS = 3
_MODELS = pathlib.Path(os.environ.get("MLF_MODELS", support.SOURCE / ".." / "shared" / "models"))
_OPTIONS = ("--target=c", "--executor=aot", "--runtime=crt", "--output-format=mlf")
_OPTIONS += ("--pass-config", "tir.disable_vectorize=1")


def seconds_of(*arguments):
    """Processor time of a compilation, and of all that it starts."""

    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    result = hook.run_program("compile", *_OPTIONS, *arguments)
    assert result.returncode == 0, result.stderr
    return used() - before


def measure(model, folder):
    """Seconds without and with the hook; the runs alternate."""
    ways = ("--no-tir-export",), ()
    runs = [
        [seconds_of(model, "-o", folder / "module.tar", *way) for way in ways] for _ in range(RUNS)
    ]
    return [min(seconds) for seconds in zip(*runs)]


def main(models):
    print(f"TVM {hook.TVM_VERSION:24} tvmc, s  with hook, s  share, %")
    with tempfile.TemporaryDirectory() as folder:
        for model in models or sorted(_MODELS.glob("*.tflite")):
            without, with_hook = measure(model, pathlib.Path(folder))
            share = 100 * (with_hook - without) / without
            print(f"{pathlib.Path(model).name:28} {without:7.2f} {with_hook:13.2f} {share:9.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])

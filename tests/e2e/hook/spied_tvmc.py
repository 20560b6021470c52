"""tvmc-mlf, and beside it what TVM itself says of the module that it compiled."""

import contextlib
import multiprocessing

import hook_support as hook

# A child begins with all that is imported here: that takes longer than a small build.
import tvm.driver.tvmc.main
from mlf_tvmc.command_line import main

import relay_frontend

relay_frontend.provide()


def compile_in_child(directory, *arguments):
    """Runs `tvmc-mlf compile` with a process of its own, and returns what that says in stderr.

    `directory` gets `lowered.json` and `lowered.txt`.
    """
    said = directory / "stderr.txt"
    child = multiprocessing.get_context("fork").Process(
        target=_compile, args=(directory, ["compile", *map(str, arguments)], said)
    )
    child.start()
    child.join()
    assert child.exitcode == 0, f"{arguments}: exit {child.exitcode}\n{said.read_text()}"
    return said.read_text()


def _compile(directory, arguments, said):
    with said.open("w") as stderr, contextlib.redirect_stderr(stderr):
        with hook.LoweredModules() as lowered:
            code = main(arguments)
        if lowered.last is not None:
            (module,) = lowered.last.values()
            (directory / "lowered.json").write_text(tvm.ir.save_json(module))
            (directory / "lowered.txt").write_text(str(module))
    raise SystemExit(code)

"""tvmc-mlf, and beside it what TVM itself says of the module that it compiled.

Usage: python spied_tvmc.py FOLDER ARGUMENTS…; FOLDER gets `lowered.json`, `lowered.txt`
"""

import pathlib
import sys

import hook_support as hook
import tvm
from mlf_tvmc.command_line import main


def run(folder, arguments):
    with hook.LoweredModules() as lowered:
        code = main(arguments)
    if lowered.last is not None:
        (module,) = lowered.last.values()
        (folder / "lowered.json").write_text(tvm.ir.save_json(module))
        (folder / "lowered.txt").write_text(str(module))
    return code


if __name__ == "__main__":
    sys.exit(run(pathlib.Path(sys.argv[1]), sys.argv[2:]))

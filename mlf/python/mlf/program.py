"""The program mlf of this package: `mlf` on PATH after `pip install`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

import mlf_tvmc


def path() -> Path:
    """Return the path of the program."""
    return Path(mlf_tvmc.__file__).parent / "bin" / "mlf"


def main() -> NoReturn:
    program = str(path())
    os.execv(program, [program, *sys.argv[1:]])

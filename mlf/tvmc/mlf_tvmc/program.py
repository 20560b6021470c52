"""Run the program mlf."""

import os
import pathlib
import shutil
import subprocess

from .errors import UNAVAILABLE, ExportError

VARIABLE = "MLF_PROGRAM"
_BUNDLED = pathlib.Path(__file__).parent / "bin" / "mlf"


def find():
    """Return the program that $MLF_PROGRAM names, else that of this package, else that on PATH."""
    named = os.environ.get(VARIABLE)
    if named:
        path = shutil.which(named)
    elif _BUNDLED.is_file():
        path = str(_BUNDLED)
    else:
        path = shutil.which("mlf")
    if path is None:
        where = (
            f"${VARIABLE} names '{named}', which is not a program" if named else "it is not on PATH"
        )
        raise ExportError(f"the program mlf is missing: {where}", UNAVAILABLE)
    return path


def run(*arguments, stdin=None):
    """Return its standard output. Errors: ExportError with its standard error and exit code."""
    command = [find(), *map(str, arguments)]
    try:
        # Keep Python's signal handlers: at a limit of file size, mlf then reports an error.
        done = subprocess.run(
            command, input=stdin, capture_output=True, check=False, restore_signals=False
        )
    except OSError as error:
        raise ExportError(f"cannot run {command[0]}: {error.strerror}", UNAVAILABLE) from error
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode < 0:  # a shell would return 128 more than the signal
        said = f"{said}\n{command[0]} was ended by signal {-done.returncode}".strip()
        raise ExportError(said, 128 - done.returncode)
    raise ExportError(said or f"{command[0]} failed without a message", done.returncode)

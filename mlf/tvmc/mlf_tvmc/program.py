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


def path_argument(path):
    """Return a path that mlf takes neither for an option nor for standard input."""
    text = os.fspath(path)
    return os.path.join(os.curdir, text) if text.startswith("-") else text


def _output_of(command, stdin):
    """Return its exit code, standard output and standard error. If the caller is interrupted, let mlf
    remove its temporary files first."""
    # Keep Python's signal handlers: at a limit of file size, mlf then reports an error.
    with subprocess.Popen(
        command,
        stdin=None if stdin is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        restore_signals=False,
    ) as process:
        try:
            stdout, stderr = process.communicate(stdin)
        except BaseException:
            process.terminate()
            process.wait()
            raise
        return process.returncode, stdout, stderr


def run(*arguments, stdin=None):
    """Return its standard output. Errors: ExportError with its standard error and exit code."""
    command = [find(), *map(str, arguments)]
    try:
        code, stdout, stderr = _output_of(command, stdin)
    except OSError as error:
        raise ExportError(f"cannot run {command[0]}: {error.strerror}", UNAVAILABLE) from error
    if code == 0:
        return stdout
    said = stderr.decode(errors="replace").strip()
    if code < 0:  # a shell would return 128 more than the signal
        said = f"{said}\n{command[0]} was ended by signal {-code}".strip()
        raise ExportError(said, 128 - code)
    raise ExportError(said or f"{command[0]} failed without a message", code)

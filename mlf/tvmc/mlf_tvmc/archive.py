"""Add TIR to an archive: all of it, or the archive does not change."""

from . import program, temporary
from .errors import INPUT_OUTPUT, ExportError


def add_tir(path, files):
    """Run mlf to add files with TIR to an archive's `src` and to process it, in one step.

    The text that TVM wrote into an operator archive stays.

    Errors: ExportError, with the archive as it was.
    """
    try:
        with temporary.directory() as directory:
            added = [f"--add-tir={file.write_into(directory)}" for file in files]
            program.run("--quiet", "process", *added, program.path_argument(path))
    except OSError as error:
        raise ExportError(f"{path}: cannot add TIR: {error.strerror}", INPUT_OUTPUT) from error

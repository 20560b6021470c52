"""Putting TIR into an archive: all of it, or the archive stays as it was."""

import pathlib
import tempfile

from . import program
from .errors import INPUT_OUTPUT, ExportError


def add_tir(path, files):
    """Has mlf put files with TIR into an archive's `src`, and process it, in one writing.

    An operator archive has the text already, from TVM: that stays.

    Errors: ExportError, with the archive as it was.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="mlf-") as folder:
            added = [_stored(folder, file) for file in files]
            program.run("--quiet", "process", *added, path)
    except OSError as error:
        raise ExportError(f"{path}: cannot add TIR: {error.strerror}", INPUT_OUTPUT) from error


def _stored(folder, file):
    """The option for mlf to take a file that it finds in a folder."""
    stored = pathlib.Path(folder, file.name)
    stored.write_bytes(file.content)
    return f"--add-tir={stored}"

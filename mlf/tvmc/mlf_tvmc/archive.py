"""Putting TIR into an archive: all of it, or the archive stays as it was."""

import contextlib
import copy
import io
import os
import shutil
import tarfile
import tempfile

from . import program
from .errors import INPUT_OUTPUT, ExportError

# Its owner, mode and time are given to what is added.
_MODEL = "./metadata.json"


@contextlib.contextmanager
def _replacement_of(path):
    """A copy in the same folder, which takes the place of the file if nothing fails."""
    target = os.path.realpath(path)
    handle, draft = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".mlf-", suffix=".tar")
    os.close(handle)
    try:
        shutil.copy2(target, draft)
        yield draft
        os.replace(draft, target)
    except BaseException:
        os.unlink(draft)
        raise


def _add(draft, files):
    with tarfile.open(draft, "a:") as tar:
        present = set(tar.getnames())
        model = tar.getmember(_MODEL)
        for file in files:
            member = copy.copy(model)
            member.name = "./src/" + file.name
            member.size = len(file.content)
            # An operator archive has the text already, from TVM.
            if member.name not in present:
                tar.addfile(member, io.BytesIO(file.content))


def add_tir(path, files):
    """Adds files with TIR to an archive's `src`, and has mlf process it.

    Errors: ExportError, with the archive as it was.
    """
    try:
        with _replacement_of(path) as draft:
            _add(draft, files)
            try:
                program.run("--quiet", "process", draft)
            except ExportError as error:
                raise ExportError(str(error).replace(draft, str(path)), error.exit_code) from error
    except OSError as error:
        raise ExportError(f"{path}: cannot add TIR: {error.strerror}", INPUT_OUTPUT) from error
    except (KeyError, tarfile.TarError) as error:
        reason = "what is there is not what TVM has written"
        raise ExportError(f"{path}: cannot add TIR: {reason}", INPUT_OUTPUT) from error

"""Run a build script with the export switched on or off, without changes to the script."""

import contextlib
import os
import runpy
import sys
import warnings

from . import option, switch
from .capture import capture
from .errors import CaptureWarning, ExportError
from .exporter import export_tir, get_json


def _run_plain(path, arguments):
    """Run a Python file as `python path arguments…` does."""
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    runpy.run_path(path, run_name="__main__")


def _deliver(captured, archives, directory, save_json):
    """Write the directory. Warn if the script exported no archive."""
    if directory is not None:
        export_tir(captured, directory, save_json)
    if archives:
        return
    if not captured.builds:
        warnings.warn("the script built nothing that TVM lowers to TIR", CaptureWarning)
    elif directory is None:
        warnings.warn(
            f"the script exported no archive; --tir-folder DIRECTORY keeps the TIR of its "
            f"{len(captured.builds)} builds",
            CaptureWarning,
        )


@contextlib.contextmanager
def _delivered(captured, archives, *wanted):
    """Deliver at the end. If the script fails as well, its error is reported."""
    try:
        yield
    except BaseException as error:
        is_failure = not isinstance(error, SystemExit) or bool(error.code)
        try:
            _deliver(captured, archives, *wanted)
        except ExportError as other:
            if not is_failure:
                raise
            warnings.warn(str(other), CaptureWarning)
        raise
    _deliver(captured, archives, *wanted)


def run(path, arguments, stages, enabled, directory, save_json):
    """Run a Python file as `python path arguments…` does. With `enabled`, add TIR to its archives. With
    `directory`, write the TIR of all builds there. With `save_json`, write lossless TIR too."""
    if not enabled:
        _run_plain(path, arguments)
        return
    option.accept(get_json)
    archives = switch.replace_exporter(stages, save_json)
    with capture(stages) as captured, _delivered(captured, archives, directory, save_json):
        _run_plain(path, arguments)

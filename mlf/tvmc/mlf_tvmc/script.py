"""Run a build script with the export switched on or off, without changes to the script."""

import os
import runpy
import sys

from . import switch
from .capture import capture


def run(path, arguments, stages, enabled):
    """Run a Python file as `python path arguments…` does."""
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    if enabled:
        switch.replace_exporter(stages)
    with capture(stages, enabled):
        runpy.run_path(path, run_name="__main__")

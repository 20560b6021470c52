"""Completes the TVM of this interpreter, wherever it is used: see without_micro.py."""

import atexit
import pathlib
import shutil
import tempfile

import without_micro
from mlf_tvmc.imports import when_imported


def complete():
    """Gives each module of TVM what it misses, as soon as it is imported."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="mlf-c-runtime-"))
    atexit.register(shutil.rmtree, directory)
    runtime = without_micro.Runtime(directory)
    when_imported("tvm", without_micro.let_micro_be_imported)
    when_imported("tvm.micro.build", runtime.provide_to_build)
    when_imported("tvm.micro.model_library_format", runtime.provide_to_exporter)

"""Completes the TVM of this interpreter, wherever it is used: see without_micro.py."""

import atexit
import importlib.util
import pathlib
import shutil
import sys
import tempfile

import without_micro
from mlf_tvmc.imports import when_imported


def complete():
    """Gives each module of TVM what it misses, as soon as it is imported."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="mlf-c-runtime-"))
    atexit.register(shutil.rmtree, directory)
    runtime = without_micro.Runtime(directory)
    when_imported("tvm", without_micro.let_micro_be_imported)
    when_imported("tvm", _import_statistics_when_used)
    when_imported("tvm.micro.build", runtime.provide_to_build)
    when_imported("tvm.micro.model_library_format", runtime.provide_to_exporter)


def _import_statistics_when_used(_):
    """A quarter of the time in which tvm.relay is imported goes into scipy.stats, which only its
    quantization for one vendor uses."""
    name = "scipy.stats"
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)

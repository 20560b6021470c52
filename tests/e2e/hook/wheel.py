"""Completes the TVM wheels of PyPI, which were built without microTVM (USE_MICRO=OFF).

Their exporter is Python and complete; it only misses what that build would have brought along. An
ordinary TVM needs nothing of this.
"""

import atexit
import pathlib
import shutil
import tempfile

from mlf_tvmc.imports import when_imported


def _let_micro_be_imported(tvm):
    name = "micro._rpc_connect"
    if tvm.get_global_func(name, allow_missing=True) is None:
        tvm.register_func(name, lambda *_: None)


def complete():
    """Gives each module of TVM what it misses, as soon as it is imported."""
    runtime = pathlib.Path(tempfile.mkdtemp(prefix="mlf-c-runtime-"))
    atexit.register(shutil.rmtree, runtime)
    (runtime / "include").mkdir()
    (runtime / "templates").mkdir()
    for name in ("crt_config.h.template", "platform.c.template"):
        (runtime / "templates" / name).touch()

    def provide_c_runtime(module):
        module.STANDALONE_CRT_DIR = str(runtime)

    def provide_templates(module):
        module.get_microtvm_template_projects = lambda platform: str(runtime)

    when_imported("tvm", _let_micro_be_imported)
    when_imported("tvm.micro.build", provide_c_runtime)
    when_imported("tvm.micro.model_library_format", provide_templates)

"""Model Library Format archives from the TVM of this interpreter, and the TIR to put into them.

The TVM wheels on PyPI are built without microTVM (USE_MICRO=OFF). Their exporter is Python and
complete; it only misses what that build would have brought along, and gets it here.
"""

import importlib
import io
import pathlib
import tarfile
import tempfile

import tvm


def _load_micro():
    """`tvm.micro` refuses to be imported without this function, which only its sessions call."""
    name = "micro._rpc_connect"
    if tvm.get_global_func(name, allow_missing=True) is None:
        tvm.register_func(name, lambda *_: None)
    return importlib.import_module("tvm.micro")


def _provide_c_runtime(micro, folder):
    """Stands in for the C runtime and the project templates, which the exporter copies."""
    (folder / "include").mkdir()
    (folder / "templates").mkdir()
    for name in ("crt_config.h.template", "platform.c.template"):
        (folder / "templates" / name).touch()
    micro.build.STANDALONE_CRT_DIR = str(folder)
    micro.model_library_format.get_microtvm_template_projects = lambda platform: str(folder)


def export(factory, archive):
    """Writes what `relay.build` returned."""
    micro = _load_micro()
    with tempfile.TemporaryDirectory() as runtime:
        _provide_c_runtime(micro, pathlib.Path(runtime))
        micro.export_model_library_format(factory, archive)


def captured_tir(factory):
    """Members with the lowered module of an AOT build, as a capture hook names them."""
    (module,) = factory.lowered_ir_mods.values()
    return {"src/tir-1.txt": str(module), "src/tir-1.tvm.json": tvm.ir.save_json(module)}


def add_members(archive, members):
    with tarfile.open(archive, "a") as tar:
        for name, text in members.items():
            info = tarfile.TarInfo("./" + name)
            content = text.encode()
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))


def read_member(archive, name):
    with tarfile.open(archive) as tar:
        return tar.extractfile("./" + name).read()

"""Model Library Format archives from the TVM of this interpreter, and the TIR to put into them."""

import importlib
import io
import pathlib
import tarfile
import tempfile

import tvm

import without_micro


def export(factory, archive):
    """Writes what `relay.build` returned."""
    without_micro.let_micro_be_imported(tvm)
    micro = importlib.import_module("tvm.micro")
    with tempfile.TemporaryDirectory() as directory:
        runtime = without_micro.Runtime(pathlib.Path(directory))
        runtime.provide_to_build(micro.build)
        runtime.provide_to_exporter(micro.model_library_format)
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

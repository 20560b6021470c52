"""Builds of builds.py that several tests use: TVM takes a second for each, so that all tests of a run
share one.

They are kept in MLF_TVM_BUILDS, if this is set, by what decides on their bytes: the Relay module, how
it is built, this TVM, and the sources that call it.
"""

import hashlib
import os
import pathlib
import pickle
import tempfile
import typing

import tvm
from tvm import relay

import builds
import exporter

_SOURCES = ("builds.py", "exporter.py", "without_micro.py", "kept_builds.py")


class Build(typing.NamedTuple):
    """An archive as TVM exports it, and members with its lowered module."""

    stock: bytes
    captured: dict

    def export(self, archive):
        archive.write_bytes(self.stock)


def aot(module, configuration, config=None):
    """With more of the pass context. Raises what TVM raises, each time."""

    def make(module, archive):
        factory = builds.aot(module, configuration, config)
        exporter.export(factory, archive)
        return exporter.captured_tir(factory)

    return _kept(module, f"{configuration.name} {config or ''}".rstrip(), make)


def graph(module):
    """For the graph executor: nothing is captured."""

    def make(module, archive):
        exporter.export(builds.graph(module), archive)
        return {}

    return _kept(module, "graph", make)


def _kept(module, how, make):
    # A build changes its module: each has a copy of its own.
    saved = tvm.ir.save_json(module)
    directory = os.environ.get("MLF_TVM_BUILDS")
    if directory is None:
        return _build(saved, make)
    place = pathlib.Path(directory) / _key(saved, how)
    try:
        return Build(*pickle.loads(place.read_bytes()))
    except FileNotFoundError:
        build = _build(saved, make)
        _write(place, pickle.dumps(tuple(build)))
        return build


def _build(saved, make):
    with tempfile.TemporaryDirectory() as directory:
        archive = pathlib.Path(directory) / "module.tar"
        captured = make(tvm.ir.load_json(saved), archive)
        return Build(archive.read_bytes(), captured)


def _key(saved, how):
    digest = hashlib.sha256(f"{tvm.__version__} {how}\n".encode())
    for name in _SOURCES:
        digest.update(pathlib.Path(__file__).with_name(name).read_bytes())
    # With types everywhere: a test may have asked TVM for them before.
    typed = relay.transform.InferType()(tvm.ir.load_json(saved))
    digest.update(tvm.ir.save_json(typed).encode())
    return digest.hexdigest()


def _write(place, data):
    """At once: other tests may write the same, or read it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
        file.write(data)
    os.replace(file.name, place)

"""The files with the TIR of builds."""

import pathlib
import typing
import warnings

from . import serialise
from .errors import CaptureWarning
from .names import assign_stems


class TirFile(typing.NamedTuple):
    stem: str  # "tir-1", "tir-1.codegen"
    suffix: str
    content: bytes

    @property
    def name(self):
        return self.stem + self.suffix

    def write_into(self, folder):
        """Return the path of the file in the directory."""
        path = pathlib.Path(folder, self.name)
        path.write_bytes(self.content)
        return path


def _modules_by_stage(build, stages):
    found = {}
    for stage in stages:
        found[stage] = build.modules(stage)
        if not found[stage]:
            warnings.warn(
                f"no TIR at stage '{stage.name}': {build.why_nothing(stage)}", CaptureWarning
            )
    return found


def _files_of_module(stem, module, what):
    forms = serialise.serialise(module, what)
    yield TirFile(stem, ".txt", forms.text.encode())
    if forms.twin is not None:
        yield TirFile(stem, ".tvm.json", forms.twin.encode())


def files_of(builds, stages):
    """Return the text and the lossless form of every target and stage of every build, named as in archives."""
    taken = set()
    for build in builds:
        found = _modules_by_stage(build, stages)
        stems = assign_stems(sorted({key for pairs in found.values() for key, _ in pairs}), taken)
        for stage, pairs in found.items():
            for key, module in pairs:
                what = f"the module of target '{key.kind}' at stage '{stage.name}'"
                yield from _files_of_module(stems[key] + stage.file_suffix, module, what)

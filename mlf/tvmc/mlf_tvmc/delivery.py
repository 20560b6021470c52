"""The files with the TIR of builds."""

import pathlib
import typing
import warnings

from . import serialise, tvm_api
from .errors import CaptureWarning
from .names import assign_stems


class TirFile(typing.NamedTuple):
    stem: str  # "tir-1", "tir-1.codegen"
    suffix: str
    content: bytes

    @property
    def name(self):
        return self.stem + self.suffix

    def write_into(self, directory):
        """Return the path of the file in the directory."""
        path = pathlib.Path(directory, self.name)
        path.write_bytes(self.content)
        return path


def modules_by_stage(build, stages):
    """Return pairs of TargetKey and module by stage. A stage without modules gives a CaptureWarning."""
    found = {}
    for stage in stages:
        found[stage] = build.modules(stage)
        if not found[stage]:
            warnings.warn(
                f"no TIR at stage '{stage.name}': {build.why_nothing(stage)}", CaptureWarning
            )
    return found


def _files_of_module(stem, module, what, twins):
    if not twins:
        yield TirFile(stem, ".txt", tvm_api.to_text(module).encode())
        return
    forms = serialise.serialise(module, what)
    yield TirFile(stem, ".txt", forms.text.encode())
    if forms.twin is not None:
        yield TirFile(stem, ".tvm.json", forms.twin.encode())


class Captured(typing.NamedTuple):
    """The TIR of one target at one stage."""

    stage: typing.Any
    key: typing.Any  # TargetKey; None for functions of several targets, or of none
    stem: str
    module: typing.Any

    def files(self, twins):
        """Return the text and, with `twins`, its lossless form."""
        what = f"the module of target '{self.key.kind}' at stage '{self.stage.name}'"
        return _files_of_module(self.stem, self.module, what, twins)


def named(found, taken):
    """Name the TIR of `modules_by_stage`, and add the stems to the set `taken`."""
    stems = assign_stems(sorted({key for pairs in found.values() for key, _ in pairs}), taken)
    return [
        Captured(stage, key, stems[key] + stage.file_suffix, module)
        for stage, pairs in found.items()
        for key, module in pairs
    ]


def files_of(builds, stages, twins):
    """Return the text, and with `twins` the lossless form, of every target and stage of every build,
    named as in archives."""
    taken = set()
    for build in builds:
        for captured in named(modules_by_stage(build, stages), taken):
            yield from captured.files(twins)

"""The points of a build at which TIR can be captured, and their names in files."""

import typing

from .errors import USAGE, ExportError


class Stage(typing.NamedTuple):
    """One point of a build."""

    kind: str  # "topology", "lowered", "codegen", "before" or "after"
    pass_name: str = ""  # of "before" and "after"

    @property
    def name(self):
        return f"{self.kind}:{self.pass_name}" if self.pass_name else self.kind

    @property
    def file_suffix(self):
        """Return the part of file names after tir-N; empty for the default stage."""
        return "" if self == LOWERED else "." + self.name.replace(":", "-")


TOPOLOGY = Stage("topology")  # AOT's main before memory planning: every value is a variable
LOWERED = Stage("lowered")  # the module of each target, as code generation gets it
CODEGEN = Stage("codegen")  # what the code generator prints, calling convention included

_FIXED = {stage.name: stage for stage in (TOPOLOGY, LOWERED, CODEGEN)}


def _parse_one(text):
    stage = _FIXED.get(text)
    if stage is not None:
        return stage
    kind, _, pass_name = text.partition(":")
    # The name of a pass becomes part of file names.
    if kind in ("before", "after") and pass_name and not set(pass_name) & set("/\\\0"):
        return Stage(kind, pass_name)
    known = ", ".join(_FIXED)
    raise ExportError(
        f"unknown stage '{text}'; known are {known}, before:<pass> and after:<pass>", USAGE
    )


def parse(names):
    """Return the stages with these names: a sequence, or one text with commas. Drop duplicates."""
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",")]
    stages = tuple(dict.fromkeys(_parse_one(name) for name in names))
    if not stages:
        raise ExportError("no stage is given", USAGE)
    return stages

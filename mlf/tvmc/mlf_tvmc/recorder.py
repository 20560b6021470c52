"""Record the modules that passes of a build receive."""

import typing

from . import tvm_api
from .stages import CODEGEN, LOWERED, TOPOLOGY, Stage


class Sight(typing.NamedTuple):
    """A module of a stage."""

    stage: Stage
    module: typing.Any


class Recorder:
    """The part of a build that a pass instrument sees.

    `stages`: those that are recorded; `sights`: in the order of the build; `passes`: all that ran.
    """

    def __init__(self, stages):
        self.stages = frozenset(stages)
        self._before = {stage.pass_name: stage for stage in stages if stage.kind == "before"}
        self._after = {stage.pass_name: stage for stage in stages if stage.kind == "after"}
        self.sights = []
        self.passes = set()
        self._in_codegen_passes = False

    @staticmethod
    def looks_behind_passes(stages):
        """Whether these stages need `after_pass`."""
        return any(stage != LOWERED and stage.kind != "before" for stage in stages)

    def before_pass(self, module, name):
        self.passes.add(name)
        stage = self._before.get(name)
        if stage is not None:
            self._see(stage, module)
        if name == tvm_api.FIRST_CHECK_BEFORE_CODEGEN:
            self._see(LOWERED, module)
        # Only the two sequences that end in a code generator have these passes.
        if name in (tvm_api.ONLY_ON_HOST, tvm_api.ONLY_ON_DEVICE):
            self._in_codegen_passes = True

    def after_pass(self, module, name):
        stage = self._after.get(name)
        if stage is not None:
            self._see(stage, module)
        if name == tvm_api.MAIN_COMPLETE:
            self._see_main(module)
        elif name == tvm_api.SEQUENCE and self._in_codegen_passes:
            self._in_codegen_passes = False
            self._see(CODEGEN, module)
        elif name == tvm_api.LAST_BEFORE_CODEGEN:
            self._see(CODEGEN, module)

    def _see_main(self, module):
        if TOPOLOGY not in self.stages:
            return
        if any(var.name_hint == tvm_api.AOT_MAIN for var, _ in tvm_api.prim_functions(module)):
            self._see(TOPOLOGY, module)

    def _see(self, stage, module):
        if stage in self.stages:
            self.sights.append(Sight(stage, module))

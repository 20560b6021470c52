"""Record the modules that passes of a build receive."""

import typing

from . import tvm_api
from .stages import CODEGEN, LOWERED, TOPOLOGY, Stage


class RecordedModule(typing.NamedTuple):
    """A module of a stage."""

    stage: Stage
    module: typing.Any


class Recorder:
    """Records the modules that a pass instrument receives.

    `stages`: the stages to record; `modules`: in the order of the build; `passes`: the passes that ran.
    """

    def __init__(self, stages):
        self.stages = frozenset(stages)
        self._before = {stage.pass_name: stage for stage in stages if stage.kind == "before"}
        self._after = {stage.pass_name: stage for stage in stages if stage.kind == "after"}
        self.modules = []
        self.passes = set()
        self._in_codegen_passes = False

    @staticmethod
    def needs_after_pass(stages):
        """Return whether these stages need `after_pass`."""
        return any(stage != LOWERED and stage.kind != "before" for stage in stages)

    def before_pass(self, module, name):
        self.passes.add(name)
        stage = self._before.get(name)
        if stage is not None:
            self._record(stage, module)
        if name == tvm_api.FIRST_CHECK_BEFORE_CODEGEN:
            self._record(LOWERED, module)
        # Only the two sequences that end in a code generator have these passes.
        if name in (tvm_api.ONLY_ON_HOST, tvm_api.ONLY_ON_DEVICE):
            self._in_codegen_passes = True

    def after_pass(self, module, name):
        stage = self._after.get(name)
        if stage is not None:
            self._record(stage, module)
        if name == tvm_api.MAIN_COMPLETE:
            self._record_main(module)
        elif name == tvm_api.SEQUENCE and self._in_codegen_passes:
            self._in_codegen_passes = False
            self._record(CODEGEN, module)
        elif name == tvm_api.LAST_BEFORE_CODEGEN:
            self._record(CODEGEN, module)

    def _record_main(self, module):
        if TOPOLOGY not in self.stages:
            return
        if any(var.name_hint == tvm_api.AOT_MAIN for var, _ in tvm_api.prim_functions(module)):
            self._record(TOPOLOGY, module)

    def _record(self, stage, module):
        if stage in self.stages:
            self.modules.append(RecordedModule(stage, module))

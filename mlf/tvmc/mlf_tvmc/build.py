"""One build, and its TIR at each stage, one module for each target."""

import difflib
import typing

from . import tvm_api
from .stages import LOWERED, TOPOLOGY


class TargetKey(typing.NamedTuple):
    """The key of a target. Keys sort in the order of file numbers, hosts first."""

    device_type: int
    is_extension: bool  # neither C nor LLVM
    kind: str
    text: str

    @classmethod
    def of(cls, target):
        kind = tvm_api.kind_name(target)
        return cls(tvm_api.device_type(target), kind not in ("c", "llvm"), kind, str(target))

    @classmethod
    def common(cls, targets):
        """Return the key of targets that are all equal; None for others, and for none."""
        keys = {target and cls.of(target) for target in targets}
        return keys.pop() if len(keys) == 1 else None

    def is_called(self, target):
        return tvm_api.target_text(target) in (self.kind, self.text, str(self.device_type))


class Facts(typing.NamedTuple):
    """The options of a build, and its products other than TIR."""

    name: str = ""  # of the module; TVM's default, or empty where TVM has none
    executor: typing.Optional[str] = None
    runtime: typing.Optional[str] = None
    is_operator: bool = False
    graph: str = ""  # the graph executor's JSON
    parameters: typing.Sequence[str] = ()  # their names in that graph


class Build:
    """One build.

    `recorder`: the modules that its passes received, or None if no pass ran; `lowered`: pairs of target and
    module, or None if TVM does not provide them; `library`: the resulting runtime module, or None.
    """

    def __init__(self, recorder=None, lowered=None, library=None, facts=Facts()):
        self._stages = recorder.stages if recorder else frozenset()
        self._recorded = recorder.modules if recorder else []
        self._passes = recorder.passes if recorder else set()
        self._lowered = lowered
        self.library = library
        self.facts = facts

    def __bool__(self):
        return bool(self._recorded) or self._lowered is not None

    def is_of(self, product):
        """Return whether this build returned a product of relay.build or tvm.build, or its lib."""
        if self.library is not None and any(
            self.library is one for one in (product, tvm_api.library_of(product))
        ):
            return True
        theirs = tvm_api.modules_of(product) or []
        ours = [module for _, module in self._lowered or []]
        return any(tvm_api.same(mine, module) for mine in ours for _, module in theirs)

    def was_asked_for(self, stage):
        return stage in self._stages or (stage == LOWERED and self._lowered is not None)

    def modules(self, stage):
        """Return pairs of TargetKey and module, sorted by key; none if the stage was not captured."""
        if stage == LOWERED and self._lowered:
            pairs = [(TargetKey.of(target), module) for target, module in self._lowered]
            return sorted((pair for pair in pairs if tvm_api.prim_functions(pair[1])), key=_by_key)
        seen = [one.module for one in self._recorded if one.stage == stage]
        return self._by_target(_merge(seen, keep_first=stage.kind == "before"))

    def whole(self, stage, keys):
        """Return the functions of these targets in one module. Of functions with equal names, take the
        first."""
        modules = [module for key, module in self.modules(stage) if key in keys]
        return _joined(list(_merge(modules, keep_first=True)))

    def why_nothing(self, stage):
        """Return the reason why a stage has no modules."""
        if stage == TOPOLOGY:
            return "only builds for the AOT executor have a main function"
        if not stage.pass_name:
            return "nothing was lowered to TIR, or the build failed before that"
        if stage.pass_name in self._passes:
            return "no TIR passes through that pass"
        near = difflib.get_close_matches(stage.pass_name, self._passes, n=3)
        return "that pass did not run" + (f"; did you mean {' or '.join(near)}?" if near else "")

    def _by_target(self, functions):
        groups = {}
        for function in functions:
            target = tvm_api.target_of(function.value) or self._target_of_name(function.name)
            groups.setdefault(TargetKey.of(target), []).append(function)
        return sorted(((key, _joined(group)) for key, group in groups.items()), key=_by_key)

    def _target_of_name(self, name):
        """Return the later target of a function that has no target yet."""
        pairs = self._lowered or []
        for target, module in pairs:
            if any(var.name_hint == name for var, _ in tvm_api.prim_functions(module)):
                return target
        return pairs[0][0] if pairs else tvm_api.default_target()


class _Function(typing.NamedTuple):
    """A function with the module that contains it."""

    var: typing.Any
    value: typing.Any
    module: typing.Any

    @property
    def name(self):
        return self.var.name_hint


def _by_key(pair):
    return pair[0]


def _merge(modules, keep_first):
    """Return the functions of several modules by name: the first or the last of each name."""
    found = {}
    for module in modules:
        for var, value in tvm_api.prim_functions(module):
            if not (keep_first and var.name_hint in found):
                found[var.name_hint] = _Function(var, value, module)
    return found.values()


def _joined(functions):
    """Return a module of some functions: the module that contains them, if it has no others."""
    module = functions[0].module
    is_whole = all(tvm_api.same(function.module, module) for function in functions)
    if is_whole and tvm_api.has_only(module, len(functions)):
        return module
    pairs = [(function.var, function.value) for function in functions]
    return tvm_api.make_module(pairs, tvm_api.attribute_items(module))

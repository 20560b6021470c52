"""Keeps the TIR of every build that runs inside a `with`."""

import contextlib
import functools
import inspect
import weakref

from . import stages as stages_
from . import tvm_api
from .build import Build
from .recorder import Recorder

# Every capture that is still referred to, and the last one: nobody has to give it a name. A product
# is looked up in all of them.
_captures = weakref.WeakSet()
_last = []


class Capture:
    """See `capture`. `builds` are those that began so far, also if they failed."""

    def __init__(self, stages):
        self.stages = stages
        self.builds = []
        self._recorder = Recorder(stages)
        self._tap = None
        self._is_building = False
        self._cleanup = contextlib.ExitStack()

    def build_of(self, product):
        """The build that returned `product`, or None."""
        return next((build for build in reversed(self.builds) if build.is_of(product)), None)

    def __enter__(self):
        _captures.add(self)
        _last[:] = [self]
        self._tap = self._make_tap()
        with contextlib.ExitStack() as stack:
            stack.enter_context(_instrumented(self._tap))
            (relay, relay_name), (driver, driver_name) = tvm_api.build_hooks()
            stack.enter_context(_replaced(relay, relay_name, self._around_relay_build))
            stack.enter_context(_replaced(driver, driver_name, self._around_operator_build))
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *exception):
        self._cleanup.close()
        self._keep()

    def _make_tap(self):
        """The instrument. Each build has a recorder of its own."""

        def before(module, name):
            self._recorder.before_pass(module, name)

        def after(module, name):
            self._recorder.after_pass(module, name)

        looks_behind = Recorder.looks_behind_passes(self.stages)
        return tvm_api.instrument(before, after if looks_behind else None)

    def _around_relay_build(self, build):
        @functools.wraps(build)
        def wrapper(build_module, *args, **kwargs):
            if self._is_building:
                return build(build_module, *args, **kwargs)
            self._keep()
            library = None
            try:
                with self._building():
                    result = build(build_module, *args, **kwargs)
                library = result[1]
                return result
            finally:
                # Before that pass TVM has no lowered modules, and asking for them ends the process.
                is_lowered = tvm_api.LOWER_TO_TIR in self._recorder.passes
                self._keep(tvm_api.lowered_modules(build_module) if is_lowered else None, library)

        return wrapper

    def _around_operator_build(self, tir_to_runtime):
        @functools.wraps(tir_to_runtime)
        def wrapper(modules, *args):
            # TVM evaluates constants with builds of its own, in a context of its own.
            if self._is_building or not tvm_api.is_active(self._tap):
                with self._unrecorded():
                    return tir_to_runtime(modules, *args)
            try:
                with self._building():
                    return tir_to_runtime(modules, *args)
            finally:
                self._keep(list(modules.items()))

        return wrapper

    @contextlib.contextmanager
    def _building(self):
        self._is_building = True
        try:
            yield
        finally:
            self._is_building = False

    @contextlib.contextmanager
    def _unrecorded(self):
        recorder, self._recorder = self._recorder, Recorder(())
        try:
            yield
        finally:
            self._recorder = recorder

    def _keep(self, lowered=None, library=None):
        """What was seen since the last build is a build, if it is anything."""
        build = Build(self._recorder, lowered, library)
        if build:
            self.builds.append(build)
        self._recorder = Recorder(self.stages)


class NoCapture:
    """Captures nothing, and does not import TVM."""

    stages = ()
    builds = ()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass


def capture(stages=("lowered",), enabled=True):
    """A context that keeps the TIR of every relay.build and tvm.build inside it.

    `stages`: "topology", "lowered", "codegen", "before:<pass>", "after:<pass>"; a sequence, or one
    text with commas. With `enabled=False` nothing is captured, and nothing costs anything.

    What was captured stays in the object, also if the build fails. Enter it outside of a
    PassContext where you can: the instruments of a context that is active already are entered and
    left a second time.

    Raises ExportError for an unknown stage; entering raises it if TVM is missing or unknown.
    """
    return Capture(stages_.parse(stages)) if enabled else NoCapture()


def find_build(product):
    """The captured build that returned `product`, or None."""
    for one in list(_captures):
        build = one.build_of(product)
        if build is not None:
            return build
    return None


@contextlib.contextmanager
def _replaced(owner, name, wrap):
    original = getattr(owner, name)
    setattr(owner, name, wrap(original))
    try:
        yield
    finally:
        setattr(owner, name, original)


@contextlib.contextmanager
def _instrumented(tap):
    """Puts an instrument into the current PassContext and into all that are made inside."""

    def wrap(initialise):
        signature = inspect.signature(initialise)

        @functools.wraps(initialise)
        def wrapper(*args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            bound.arguments["instruments"] = [*(bound.arguments.get("instruments") or ()), tap]
            initialise(*bound.args, **bound.kwargs)

        return wrapper

    context = tvm_api.nested_pass_context(tap)
    with context, _replaced(tvm_api.pass_context_class(), "__init__", wrap):
        yield

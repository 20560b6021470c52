"""Capture the TIR of every build that runs inside a `with`."""

import contextlib
import functools
import inspect
import threading
import weakref

from . import option, tvm_api
from . import stages as stages_
from .build import Build, Facts
from .recorder import Recorder

# Every capture that is still referenced, and the last one, even without a reference. find_builds searches all
# of them for a product.
_captures = weakref.WeakSet()
_last = []


class _Progress(threading.local):
    """The progress of a build. Each thread has its own."""

    def __init__(self, stages):
        self.recorder = Recorder(stages)
        self.is_building = False


class Capture:
    """See `capture`."""

    def __init__(self, stages):
        self.stages = stages
        self._builds = []
        self._progress = _Progress(stages)
        self._instrument = None
        self._cleanup = contextlib.ExitStack()

    @property
    def builds(self):
        """Return the builds that began so far, also if they failed."""
        # Some kinds of builds end without a hook.
        if not self._progress.is_building:
            self._keep()
        return self._builds

    def build_of(self, product):
        """Return the build that returned `product`, or None."""
        return next((build for build in reversed(self.builds) if build.is_of(product)), None)

    def __enter__(self):
        if self._instrument is not None:
            raise RuntimeError("this capture is already active")
        _captures.add(self)
        _last[:] = [self]
        instrument = self._make_instrument()
        with contextlib.ExitStack() as stack:
            stack.enter_context(_instrumented(instrument))
            (relay, relay_name), (driver, driver_name) = tvm_api.build_hooks()
            stack.enter_context(_replaced(relay, relay_name, self._around_relay_build))
            stack.enter_context(_replaced(driver, driver_name, self._around_operator_build))
            self._cleanup = stack.pop_all()
        self._instrument = instrument
        return self

    def __exit__(self, *exception):
        self._cleanup.close()
        self._instrument = None
        self._keep()

    def _make_instrument(self):
        """Return the instrument. Each build has its own recorder."""

        def before(module, name):
            if name == tvm_api.LOWER_TO_TIR:
                self._begin_second_build()
            self._progress.recorder.before_pass(module, name)

        def after(module, name):
            self._progress.recorder.after_pass(module, name)

        needs_after = Recorder.needs_after_pass(self.stages)
        return tvm_api.instrument(before, after if needs_after else None)

    def _begin_second_build(self):
        """Begin another build at a second lowering without relay.build."""
        is_second = tvm_api.LOWER_TO_TIR in self._progress.recorder.passes
        if is_second and not self._progress.is_building:
            self._keep()

    def _around_relay_build(self, build):
        @functools.wraps(build)
        def wrapper(build_module, *args, **kwargs):
            if self._progress.is_building:
                return build(build_module, *args, **kwargs)
            self._keep()
            library = None
            try:
                with self._building(), self._with_instrument():
                    result = build(build_module, *args, **kwargs)
                library = result[1]
                return result
            finally:
                # Before that pass TVM has no lowered modules; requesting them would abort the process.
                is_lowered = tvm_api.LOWER_TO_TIR in self._progress.recorder.passes
                self._keep(
                    tvm_api.lowered_modules(build_module) if is_lowered else None,
                    library,
                    _facts_of(build, (build_module, *args), kwargs) if is_lowered else Facts(),
                )

        return wrapper

    def _around_operator_build(self, tir_to_runtime):
        @functools.wraps(tir_to_runtime)
        def wrapper(modules, *args):
            # TVM evaluates constants with builds of its own, in a context of its own.
            if self._progress.is_building or not tvm_api.is_active(self._instrument):
                with self._unrecorded():
                    return tir_to_runtime(modules, *args)
            try:
                with self._building():
                    return tir_to_runtime(modules, *args)
            finally:
                self._keep(list(modules.items()), facts=Facts(is_operator=True))

        return wrapper

    @contextlib.contextmanager
    def _building(self):
        self._progress.is_building = True
        try:
            yield
        finally:
            self._progress.is_building = False

    def _with_instrument(self):
        """Return a context with the instrument: the current context may be older than the capture."""
        if tvm_api.is_active(self._instrument):
            return contextlib.nullcontext()
        return tvm_api.nested_pass_context(self._instrument)

    @contextlib.contextmanager
    def _unrecorded(self):
        recorder, self._progress.recorder = self._progress.recorder, Recorder(())
        try:
            yield
        finally:
            self._progress.recorder = recorder

    def _keep(self, lowered=None, library=None, facts=Facts()):
        """Make a build of what was captured since the last build, if anything was."""
        build = Build(self._progress.recorder, lowered, library, facts)
        if build:
            self._builds.append(build)
        self._progress.recorder = Recorder(self.stages)


def _facts_of(build, args, kwargs):
    """Return the facts of a call of BuildModule.build, which may have failed after lowering."""
    bound = inspect.signature(build).bind(*args, **kwargs)
    bound.apply_defaults()
    given = bound.arguments
    executor = tvm_api.registered_name(given["executor"])
    graph, parameters = "", ()
    if executor == "graph":
        graph, parameters = tvm_api.executor_graph(given["self"])
    return Facts(
        name=given["mod_name"] or "default",
        executor=executor,
        runtime=tvm_api.registered_name(given["runtime"]),
        graph=graph,
        parameters=parameters,
    )


class ProductCapture:
    """Keeps the lowered modules of every relay.build that succeeds, for `find_builds`.

    It instruments no pass: a build has thousands, and a call into Python for each would take noticeable time.
    """

    stages = (stages_.LOWERED,)

    @staticmethod
    def _is_wanted():
        return True

    def __init__(self):
        self.builds = []
        self._cleanup = contextlib.ExitStack()

    def build_of(self, product):
        """Return the build that returned `product`, or None."""
        return next((build for build in reversed(self.builds) if build.is_of(product)), None)

    def __enter__(self):
        _captures.add(self)
        (relay, name), _ = tvm_api.build_hooks()
        self._cleanup.enter_context(_replaced(relay, name, self._around_relay_build))
        return self

    def __exit__(self, *exception):
        self._cleanup.close()

    def _around_relay_build(self, build):
        @functools.wraps(build)
        def wrapper(build_module, *args, **kwargs):
            result = build(build_module, *args, **kwargs)
            if self._is_wanted():
                lowered = tvm_api.lowered_modules(build_module)
                self.builds.append(Build(lowered=lowered, library=result[1]))
            return result

        return wrapper


class OptionCapture(ProductCapture):
    """Keeps the lowered modules of builds in a PassContext with the option of `mlf_tvmc.install`."""

    _is_wanted = staticmethod(option.is_set)

    def __enter__(self):
        _, (driver, name) = tvm_api.build_hooks()
        self._cleanup.enter_context(_replaced(driver, name, self._around_operator_build))
        return super().__enter__()

    def _around_operator_build(self, tir_to_runtime):
        @functools.wraps(tir_to_runtime)
        def wrapper(modules, *args):
            if self._is_wanted():
                self.builds.append(Build(lowered=list(modules.items()), facts=Facts(is_operator=True)))
            return tir_to_runtime(modules, *args)

        return wrapper


class NoCapture:
    """Capture nothing, and do not import TVM."""

    stages = ()
    builds = ()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass


def capture(stages=("lowered",), enabled=True):
    """Return a context that captures the TIR of every relay.build and tvm.build inside it.

    `stages`: "topology", "lowered", "codegen", "before:<pass>", "after:<pass>"; a sequence, or one text with
    commas. With `enabled=False` it captures nothing, at no cost.

    The captured TIR stays in the object, also if the build fails. Enter it outside of a PassContext if you
    can: it enters and leaves the instruments of an active context again.

    Raises ExportError for an unknown stage; entering raises it if TVM is missing or unknown.
    """
    return Capture(stages_.parse(stages)) if enabled else NoCapture()


def capture_for_archives(stages):
    """Return a context that captures the TIR that archives of its builds need. A failed build leaves
    nothing."""
    wanted = stages_.parse(stages)
    return ProductCapture() if wanted == ProductCapture.stages else Capture(wanted)


def find_builds(product):
    """Return the captured builds that returned `product`: one for each active capture."""
    return [build for one in list(_captures) for build in [one.build_of(product)] if build]


@contextlib.contextmanager
def _replaced(owner, name, wrap):
    original = getattr(owner, name)
    setattr(owner, name, wrap(original))
    try:
        yield
    finally:
        setattr(owner, name, original)


@contextlib.contextmanager
def _instrumented(instrument):
    """Add an instrument to the current PassContext and to all that are created inside."""

    def wrap(initialise):
        signature = inspect.signature(initialise)

        @functools.wraps(initialise)
        def wrapper(*args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            instruments = bound.arguments.get("instruments") or ()
            if not any(tvm_api.same(instrument, one) for one in instruments):
                bound.arguments["instruments"] = [*instruments, instrument]
            initialise(*bound.args, **bound.kwargs)

        return wrapper

    context = tvm_api.nested_pass_context(instrument)
    with context, _replaced(tvm_api.pass_context_class(), "__init__", wrap):
        yield

"""The names of TVM that this package uses; no other file depends on them.

`tvm_names.json` lists every name with the versions that have it. TVM is imported by `load`, never by
importing this module.
"""

import importlib

from . import versions
from .errors import UNAVAILABLE, ExportError

# Modules whose attributes are replaced while TIR is captured or exported.
RELAY_MODULE = "tvm.relay"
EXPORTER_MODULE = "tvm.micro.model_library_format"
EXPORTER_ALIASES = ("tvm.micro", "tvm.driver.tvmc.model")
EXPORT_FUNCTION = "export_model_library_format"
TVMC_COMPILER_MODULE = "tvm.driver.tvmc.compiler"
TVMC_COMPILE_FUNCTION = "compile_model"
CONTEXT_MODULE = "tvm.ir.transform"
CONTEXT_CLASS = "PassContext"
CONTEXT_OPTION = "tir.tir_export_to_json"  # which TVM does not have
FLAG_TYPE = "IntImm"  # in list_configs
PRODUCT_CLASSES = (
    ("tvm.runtime", "Module"),
    ("tvm.relay.backend.executor_factory", "ExecutorFactoryModule"),
)

# Passes, as instruments see them.
SEQUENCE = "sequential"
LOWER_TO_TIR = "LowerTE"
MAIN_COMPLETE = "tir.ConvertForLoopsToSerial"
FIRST_CHECK_BEFORE_CODEGEN = "tir.VerifyMemory"
ONLY_ON_HOST = "tir.LowerTVMBuiltin"
ONLY_ON_DEVICE = "tir.LowerWarpMemory"
LAST_BEFORE_CODEGEN = "tir.SkipAssert"

AOT_MAIN = "__tvm_main__"
TARGET_ATTRIBUTE = "target"
SYMBOL_ATTRIBUTE = "global_symbol"
# TVM writes these into JSON for compiled code, and cannot read them back on every platform.
COMPILED_CODE = '"type_key": "runtime.Module"'


def load():
    """Return TVM. Errors: ExportError if it is not installed, or not one of the known versions."""
    try:
        tvm = importlib.import_module("tvm")
    except ImportError as error:
        raise ExportError(f"TVM cannot be imported: {error}", UNAVAILABLE) from error
    versions.require(tvm.__version__)
    importlib.import_module("tvm.relay")
    return tvm


def tvmc_main():
    """Return the main function of `tvmc`: it takes arguments and returns an exit code."""
    try:
        return importlib.import_module("tvm.driver.tvmc.main")._main
    except ImportError as error:
        raise ExportError(f"tvmc cannot be imported: {error}", UNAVAILABLE) from error


def exporter():
    """Return TVM's own export_model_library_format."""
    load()
    try:
        module = importlib.import_module(EXPORTER_MODULE)
    except ImportError as error:
        raise ExportError(
            f"this TVM has no Model Library Format (built without USE_MICRO?): {error}", UNAVAILABLE
        ) from error
    function = getattr(module, EXPORT_FUNCTION)
    return getattr(function, "__wrapped__", function)


def build_hooks():
    """Return (owner, attribute) of the functions that every relay.build and tvm.build calls."""
    relay = importlib.import_module("tvm.relay.build_module")
    driver = importlib.import_module("tvm.driver.build_module")
    return (relay.BuildModule, "build"), (driver._driver_ffi, "tir_to_runtime")


def version():
    return load().__version__


def pass_context_class():
    return load().transform.PassContext


def nested_pass_context(instrument):
    """Return a context like the current one with an additional instrument."""
    context_class = pass_context_class()
    current = context_class.current()
    return context_class(
        opt_level=current.opt_level,
        required_pass=current.required_pass,
        disabled_pass=current.disabled_pass,
        instruments=[*(current.instruments or ()), instrument],
        config=dict(current.config.items()),
    )


def instrument(before, after=None):
    """Return a pass instrument that calls before(module, name), and after(module, name) if given.

    A build has a thousand passes, and TVM calls only the methods that exist.
    """

    class BeforePass:
        def run_before_pass(self, module, info):
            before(module, info.name)

    class BeforeAndAfterPass(BeforePass):
        def run_after_pass(self, module, info):
            after(module, info.name)

    return load().instrument.pass_instrument(BeforePass if after is None else BeforeAndAfterPass)()


def mark():
    """Return an instrument that TVM does not call."""

    class Mark:
        pass

    return load().instrument.pass_instrument(Mark)()


def is_active(instrument):
    """Return whether an instrument sees the passes that run now."""
    instruments = pass_context_class().current().instruments or ()
    return any(same(instrument, one) for one in instruments)


def lowered_modules(build_module):
    """Return target to module, of a relay BuildModule whose code generation has begun."""
    return list(build_module.get_irmodule().items())


def registered_name(node):
    """Return the name of an Executor or Runtime, without its options. In v0.9 `name` is another attribute."""
    return str(node).partition("{")[0]


def executor_graph(build_module):
    """Return the graph executor's JSON and the names of its parameters, of such a BuildModule."""
    return build_module.get_graph_json(), sorted(map(str, build_module.get_params()))


def modules_of(product):
    """Return target to module, if the product of relay.build or tvm.build has them; or None."""
    for attribute in ("lowered_ir_mods", "ir_module_by_target"):
        modules = getattr(product, attribute, None)
        if modules is not None:
            return list(modules.items())
    return None


def is_product(value):
    """Return whether a value may come from relay.build or tvm.build."""
    is_library = isinstance(value, load().runtime.Module)
    return is_library or library_of(value) is not None or modules_of(value) is not None


def library_of(product):
    """Return the runtime module in a product of relay.build; None for others."""
    return getattr(product, "lib", None)


def prim_functions(module):
    """Return the (GlobalVar, PrimFunc) pairs of a module, without Relay functions."""
    prim_func = load().tir.PrimFunc
    return [pair for pair in module.functions.items() if isinstance(pair[1], prim_func)]


def symbols_of(module):
    """Return the symbols of the PrimFuncs of a module."""
    for var, function in prim_functions(module):
        attrs = function.attrs
        has_symbol = attrs is not None and SYMBOL_ATTRIBUTE in attrs.keys()
        yield str(attrs[SYMBOL_ATTRIBUTE]) if has_symbol else var.name_hint


def is_module(node):
    return isinstance(node, load().IRModule)


def has_only(module, count):
    """Return whether a module has that number of functions."""
    return len(module.functions) == count


def attribute_items(module):
    """Return name and value of each attribute of a module."""
    attrs = module.attrs
    return [] if attrs is None else [(str(key), attrs[key]) for key in attrs.keys()]


def make_module(functions, attributes):
    module = load().IRModule(dict(functions))
    for key, value in attributes:
        module = module.with_attr(key, value)
    return module


def default_target():
    """Return the target of functions without a known target."""
    return load().target.Target("c")


def target_text(target):
    """Return the text of a target, which may be a dictionary."""
    return str(load().target.Target(target) if isinstance(target, dict) else target)


def target_of(function):
    """Return the target that a function is bound to, or None."""
    attrs = function.attrs
    return (
        attrs[TARGET_ATTRIBUTE] if attrs is not None and TARGET_ATTRIBUTE in attrs.keys() else None
    )


def targets_of(node):
    """Return the target, or None, of each function in an IRModule or PrimFunc; none for other nodes."""
    if is_module(node):
        return [target_of(function) for _, function in prim_functions(node)]
    return [target_of(node)] if isinstance(node, load().tir.PrimFunc) else []


def device_type(target):
    """DLDeviceType of a target."""
    # If the object lacks the attribute, TVM v0.9 takes a quarter of a second to make a backtrace.
    if hasattr(type(target), "get_target_device_type"):
        return int(target.get_target_device_type())
    return int(target.kind.device_type)


def kind_name(target):
    return str(target.kind.name)


def same(left, right):
    """Return whether both are the same object of TVM."""
    return left.same_as(right)


def to_json(node):
    return load().ir.save_json(node)


def to_text(node):
    """Return the text that TVM prints into archives."""
    return str(node)

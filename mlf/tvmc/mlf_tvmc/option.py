"""The option of PassContext that requests TIR, and the method get_json of what TVM builds.

TVM has neither; `accept` adds both to its classes in Python. A context made with the option has a mark in its
place, an instrument without methods, which TVM keeps with the context.
"""

import functools
import inspect

from . import tvm_api
from .imports import when_imported

# A function that is called at most once.
_once = functools.lru_cache(maxsize=None)


@_once
def _mark():
    return tvm_api.mark()


def is_set():
    """Return whether the current context has the option."""
    return tvm_api.is_active(_mark())


def _taking_option(initialise):
    signature = inspect.signature(initialise)

    @functools.wraps(initialise)
    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        config = dict(bound.arguments.get("config") or {})
        if tvm_api.CONTEXT_OPTION in config:
            if config.pop(tvm_api.CONTEXT_OPTION):
                instruments = bound.arguments.get("instruments") or ()
                bound.arguments["instruments"] = [*instruments, _mark()]
            bound.arguments["config"] = config
        initialise(*bound.args, **bound.kwargs)

    return wrapper


def _listing_option(list_configs):
    @functools.wraps(list_configs)
    def wrapper():
        # tvmc reads a flag from its command line if this is its type.
        return {**dict(list_configs().items()), tvm_api.CONTEXT_OPTION: {"type": tvm_api.FLAG_TYPE}}

    return wrapper


def _add_option(module):
    context = getattr(module, tvm_api.CONTEXT_CLASS)
    context.__init__ = _taking_option(context.__init__)
    context.list_configs = staticmethod(_listing_option(context.list_configs))


@_once
def accept(get_json):
    """Make TVM accept the option, and give results of relay.build and tvm.build this method."""

    def add_method(name, module):
        getattr(module, name).get_json = get_json

    when_imported(tvm_api.CONTEXT_MODULE, _add_option)
    for module, name in tvm_api.PRODUCT_CLASSES:
        when_imported(module, functools.partial(add_method, name))

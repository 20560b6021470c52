"""Serialise a captured module as the text that TVM prints, and as lossless JSON."""

import typing
import warnings

from . import tvm_api
from .errors import USAGE, CaptureWarning, ExportError


class Serialised(typing.NamedTuple):
    text: str
    twin: typing.Optional[str]  # None if TVM cannot serialise the functions themselves


def _json_of(node):
    """Return TVM's JSON of a node, or the reason why there is none."""
    try:
        text = tvm_api.to_json(node)
    except Exception as error:  # TVM raises errors of many kinds here
        return None, str(error).strip().rpartition("\n")[2]
    if tvm_api.COMPILED_CODE in text:
        return None, "it holds compiled code"
    return text, None


def _serialisable_part(module, what):
    """Return the module without the attributes that have no JSON; warn of each."""
    kept = []
    for name, value in tvm_api.attribute_items(module):
        reason = None if value is None else _json_of(value)[1]
        if reason is None:
            kept.append((name, value))
        else:
            warnings.warn(
                f"{what} is captured without its attribute '{name}': {reason}", CaptureWarning
            )
    return tvm_api.make_module(tvm_api.prim_functions(module), kept)


def _reduced(node, what):
    """Return the node, or a module without attributes that have no JSON; its JSON; and the reason if there is
    none."""
    twin, reason = _json_of(node)
    if twin is None and tvm_api.is_module(node):
        node = _serialisable_part(node, what)
        twin, reason = _json_of(node)
    return node, twin, reason


def lossless(node, what):
    """Return TVM's JSON of a module or function; `what` names it in messages. Errors: ExportError if there is
    none."""
    _, twin, reason = _reduced(node, what)
    if twin is None:
        raise ExportError(f"TVM cannot serialise {what}: {reason}", USAGE)
    return twin


def serialise(module, what):
    """Return both forms of a module; `what` names it in warnings."""
    module, twin, reason = _reduced(module, what)
    if twin is None:
        warnings.warn(f"{what} is captured as text only: {reason}", CaptureWarning)
    return Serialised(tvm_api.to_text(module), twin)

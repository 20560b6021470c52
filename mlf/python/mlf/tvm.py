"""Exchange modules with TVM, if it is installed. Nothing else in this package needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .tir import Document
from .tir.document import read

if TYPE_CHECKING:
    # TVM has no types.
    IRModule = Any


def from_tvm(module: IRModule) -> Document:
    """Return a document of a module of TVM, with `tvm.ir.save_json`."""
    import tvm

    return read(tvm.ir.save_json(module), name="IRModule")


def to_tvm(document: Document) -> IRModule:
    """Return a module of the installed TVM, with `tvm.ir.load_json`."""
    import tvm

    return tvm.ir.load_json(document.save_json(tvm_version=tvm.__version__))

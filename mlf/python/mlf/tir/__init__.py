"""TIR as trees of typed nodes.

Classes and fields are TVM's, from the library's table of node kinds; `match` works on them:

    match node:
        case For(loop_var=var, extent=IntImm(value=n), body=body): ...

A node is a handle: it reads a field at each access. Two nodes are equal if they are the same node of the same
document, as with TVM's `same_as`.
"""

from .document import Document, Loss, read
from .node import Node
from .nodes import *  # noqa: F403
from .nodes import __all__ as _kinds
from .visit import Visitor, plain, rewrite, walk

__all__ = ["Document", "Loss", "Node", "Visitor", "plain", "read", "rewrite", "walk", *_kinds]

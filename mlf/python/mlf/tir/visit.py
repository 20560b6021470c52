"""Walk trees, and rewrite them."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Optional

from . import nodes
from .node import Node, make_node, nodes_in


def walk(root: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it, each once, parents before children."""
    if root._values is None:
        yield from root._tree.walk(root._id, make_node)
        return
    seen: set[Node] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        stack.extend(reversed(list(node.children())))


class Visitor:
    """Calls `visit_<class>` for a node if the method exists, else visits its children.

    A method calls `generic_visit` to visit the children. A node with two parents is visited twice.
    """

    def visit(self, node: Node) -> Any:
        return getattr(self, f"visit_{type(node).__name__}", self.generic_visit)(node)

    def generic_visit(self, node: Node) -> Any:
        for child in node.children():
            self.visit(child)
        return None


def rewrite(root: Node, change: Callable[[Node], Optional[Node]]) -> Node:
    """Return a new tree, in which the result of `change` replaces each node, children first and each once.

    None keeps a node. `change` receives nodes whose children are already new.
    """
    new: dict[Node, Node] = {}
    stack = [(root, False)]
    while stack:
        node, is_leaving = stack.pop()
        if node in new:
            continue
        if not is_leaving:
            stack.append((node, True))
            stack.extend((child, False) for child in node.children())
            continue
        changes = {}
        for name in node.__match_args__:
            value = getattr(node, name)
            if any(new[child] != child for child in nodes_in(value)):
                changes[name] = _mapped(value, new)
        rebuilt = node.replace(**changes) if changes else node
        new[node] = change(rebuilt) or rebuilt
    return new[root]


def _mapped(value: Any, new: dict[Node, Node]) -> Any:
    if isinstance(value, Node):
        return new[value]
    if isinstance(value, tuple):
        return tuple(_mapped(element, new) for element in value)
    if isinstance(value, dict):
        return {_mapped(key, new): _mapped(element, new) for key, element in value.items()}
    return value


_SCALARS = ("String", "StringImm", "IntImm", "FloatImm", "BoxInt", "BoxFloat", "BoxBool")


def plain(value: Any) -> Any:
    """Return strings, numbers, lists and maps of TVM as Python values; other nodes stay nodes."""
    if isinstance(value, dict):
        return {plain(key): plain(element) for key, element in value.items()}
    if isinstance(value, tuple):
        return [plain(element) for element in value]
    if not isinstance(value, Node):
        return value
    if type(value).__name__ in _SCALARS:
        number = value.value  # type: ignore[attr-defined]
        return bool(number) if getattr(value, "dtype", "") == "bool" else number
    if isinstance(value, nodes.Array):
        return plain(value.elements)
    if isinstance(value, (nodes.StringMap, nodes.ObjectMap)):
        return plain(value.entries)
    if isinstance(value, nodes.ShapeTuple):
        return list(value.values)
    return value

"""Nodes: handles to nodes of a document, or new ones made in Python."""

from __future__ import annotations

from typing import Any, ClassVar, Iterator, TypeVar

from .. import _core

T = TypeVar("T", bound="Node")


class Field:
    """A field of a class of nodes, by its position in the row of the kind."""

    def __init__(self, position: int, row: tuple[str, str, str, bool, tuple[str, ...]]) -> None:
        self.position = position
        self.name, self.type, self.expects, self.nullable, _ = row

    def __get__(self, node: Node | None, owner: type[Node]) -> Any:
        if node is None:
            return self
        if node._values is not None:
            return node._values[self.position]
        return node._tree.field(node._id, self.position, make_node)


class Node:
    """A node of TIR, of a document or made by its class or by `replace`. Immutable."""

    __slots__ = ("_id", "_tree", "_values")
    __match_args__: ClassVar[tuple[str, ...]] = ()
    # Names of fields, such as For.kind, must be free; attributes of the class begin with an underscore.
    _type_key: ClassVar[str] = ""  #: TVM's
    _number: ClassVar[int] = -1  #: of the kind
    _fields: ClassVar[tuple[Field, ...]] = ()

    _tree: _core.Document
    _id: int
    _values: tuple[Any, ...] | None

    def __init__(self, *values: Any, **named: Any) -> None:
        """Make a node from fields in the order of the class, or by name. Optional fields may be left out."""
        names = self.__match_args__
        if len(values) > len(names):
            raise TypeError(f"{type(self).__name__} has {len(names)} fields, not {len(values)}")
        given = dict(zip(names, values))
        for name, value in named.items():
            if name not in names:
                raise TypeError(f"{type(self).__name__} has no field {name!r}")
            if name in given:
                raise TypeError(f"field {name!r} of {type(self).__name__} is given twice")
            given[name] = value
        missing = [f.name for f in self._fields if not f.nullable and f.name not in given]
        if missing:
            raise TypeError(f"{type(self).__name__} lacks {', '.join(missing)}")
        self._values = tuple(_frozen(given.get(name)) for name in names)

    def replace(self: T, **changes: Any) -> T:
        """Return a new node with other values in these fields."""
        return type(self)(**{**{name: getattr(self, name) for name in self.__match_args__}, **changes})

    def children(self) -> Iterator[Node]:
        """Return the nodes in its fields, in their order."""
        for field in self._fields:
            yield from nodes_in(getattr(self, field.name))

    @property
    def source_range(self) -> tuple[int, int] | None:
        """Return the range of bytes in its source text: the first byte, and the one after the last."""
        return None if self._values is not None else self._tree.source_range(self._id)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Node) or self._values is not None or other._values is not None:
            return NotImplemented if not isinstance(other, Node) else False
        return self._id == other._id and self._tree is other._tree

    def __hash__(self) -> int:
        return id(self) if self._values is not None else hash((id(self._tree), self._id))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={_brief(getattr(self, name))}" for name in self.__match_args__)
        return f"{type(self).__name__}({shown})"


#: By number of the kind; filled where the classes are made.
CLASSES: list[type[Node]] = []


def make_node(tree: _core.Document, kind: int, number: int) -> Node:
    """Make a handle to a node of a document; called by the library."""
    node = object.__new__(CLASSES[kind])
    node._tree = tree
    node._id = number
    node._values = None
    return node


def nodes_in(value: Any) -> Iterator[Node]:
    """Return the nodes in the value of a field."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for element in value:
            yield from nodes_in(element)
    elif isinstance(value, dict):
        for key, element in value.items():
            yield from nodes_in(key)
            yield from nodes_in(element)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _brief(value: Any) -> str:
    """Return a text of one level of the tree, which may be large."""
    if isinstance(value, Node):
        name = getattr(value, "name", None) or getattr(value, "name_hint", None)
        return f"<{type(value).__name__} {name}>" if isinstance(name, str) else f"<{type(value).__name__}>"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_brief, value)) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_brief(k)}: {_brief(v)}" for k, v in value.items()) + "}"
    if isinstance(value, memoryview):
        return f"<{len(value)} bytes>"
    return repr(value)

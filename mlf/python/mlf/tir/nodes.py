"""The classes of nodes, one for each row of the library's table (include/mlf/tir/nodes.def)."""

from __future__ import annotations

from typing import Any

from .. import _core
from .node import CLASSES, Field, Node


class Expr(Node):
    """An expression. Every expression has a `dtype`."""

    __slots__ = ()


class Stmt(Node):
    """A statement."""

    __slots__ = ()


class Type(Node):
    """A type of TVM's IR."""

    __slots__ = ()


class _Constant(Node):
    """Methods of NDArray."""

    __slots__ = ()

    def numpy(self) -> Any:
        """Return a read-only array over the document's own bytes. Errors: ValueError without data.

        Element types that NumPy lacks are raw bytes of their size.
        """
        import numpy

        if self.data is None:  # type: ignore[attr-defined]
            raise ValueError("this constant has no data")
        return numpy.frombuffer(self.data, numpy_dtype(self.dtype)).reshape(self.shape)  # type: ignore[attr-defined]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = self.numpy()
        return array if dtype is None and not copy else array.astype(dtype)


class _Function(Node):
    """Methods of PrimFunc."""

    __slots__ = ()

    @property
    def attributes(self) -> dict[str, Any]:
        """Return its attributes, as plain Python values where possible."""
        from .visit import plain

        attrs = self.attrs  # type: ignore[attr-defined]
        return plain(attrs.dict) if attrs is not None else {}


def numpy_dtype(dtype: str) -> Any:
    """Return NumPy's type for the elements of a constant."""
    import numpy

    if dtype == "bool":
        return numpy.dtype("bool")
    letters = dtype.rstrip("0123456789")
    bits = int(dtype[len(letters) :])
    size = (bits + 7) // 8
    code = {"int": "i", "uint": "u", "float": "f"}.get(letters)
    if code is None or size not in (1, 2, 4, 8) or (code == "f" and size == 1):
        return numpy.dtype(f"V{size}")
    return numpy.dtype(f"<{code}{size}")


_BASES: dict[str, type[Node]] = {
    "expr": Expr,
    "stmt": Stmt,
    "type": Type,
    "constant": _Constant,
    "function": _Function,
}


def _class_of(number: int, row: Any, made: dict[str, type[Node]]) -> type[Node]:
    name, type_key, category, rows = row
    fields = tuple(Field(i, field) for i, field in enumerate(rows))
    # In TVM a SizeVar is a Var.
    base = made["Var"] if name == "SizeVar" else _BASES.get(category, Node)
    content: dict[str, Any] = {
        "__slots__": (),
        "__module__": __name__,
        "__match_args__": tuple(field.name for field in fields),
        "_type_key": type_key,
        "_number": number,
        "_fields": fields,
        **{field.name: field for field in fields},
    }
    return type(name, (base,), content)


_BY_NAME: dict[str, type[Node]] = {}
for _number, _row in enumerate(_core.kinds()):
    _BY_NAME[_row[0]] = _class_of(_number, _row, _BY_NAME)
CLASSES.extend(_BY_NAME.values())
globals().update(_BY_NAME)

__all__ = ["Expr", "Stmt", "Type", *_BY_NAME]

"""Writes nodes.pyi, the types of mlf/tir/nodes.py, from the table of kinds: node_stubs.py OUTPUT."""

import sys

import _core

HEAD = '''\
# Made from include/mlf/tir/nodes.def when the package was built.
import typing as _t

from .node import Node

class Expr(Node):
    @property
    def dtype(self) -> str: ...

class Stmt(Node): ...
class Type(Node): ...

def numpy_dtype(dtype: str) -> _t.Any: ...
'''
CATEGORIES = {"expr": "Expr", "stmt": "Stmt", "type": "Type"}
EXPECTED = {
    "expr": "Expr",
    "var": "Var",
    "buffer": "Buffer",
    "stmt": "Stmt",
    "range": "Range",
    "iter_var": "IterVar",
    "buffer_region": "BufferRegion",
    "match_buffer_region": "MatchBufferRegion",
    "comm_reducer": "CommReducer",
    "type": "Type",
    "attributes": "DictAttrs",
    "constant": "NDArray",
    "tensor": "NDArray",
}
PLAIN = {
    "string": "str",
    "integer": "int",
    "real": "float",
    "boolean": "bool",
    "dtype": "str",
    "integers": "_t.Tuple[int, ...]",
    "bytes": "memoryview",
}
# Keys of maps whose keys are nodes.
KEYS = {"functions": "GlobalVar", "entries": "Node"}
MORE = {
    "NDArray": ["def numpy(self) -> _t.Any: ...", "def __array__(self, dtype: _t.Any = ..., copy: bool | None = ...) -> _t.Any: ..."],
    "PrimFunc": ["@property", "def attributes(self) -> _t.Dict[str, _t.Any]: ..."],
}


def type_of(field):
    name, kind, expects, nullable, names = field
    node = EXPECTED.get(expects, "Node")
    part = "Node | None" if expects in ("any", "attr_value") else node
    types = {
        "node": node,
        "list": f"_t.Tuple[{part}, ...]",
        "string_map": f"_t.Dict[str, {part}]",
        "node_map": f"_t.Dict[{KEYS.get(name, 'Var')}, {part}]",
        "enumeration": f"_t.Literal[{', '.join(map(repr, names))}]",
        **PLAIN,
    }
    return types[kind] + (" | None" if nullable else "")


def accepted(field):
    """Return the type that the class accepts: any sequence for a tuple, any bytes for a view."""
    given = type_of(field).replace("_t.Tuple[", "_t.Sequence[").replace(", ...]", "]")
    given = given.replace("_t.Dict[", "_t.Mapping[")
    return given.replace("memoryview", "bytes | memoryview")


def parameters(fields):
    # Optional fields are given by name, because others may follow them.
    by_name = False
    for field in fields:
        if field[3] and not by_name:
            by_name = True
            yield "*"
        yield f"{field[0]}: {accepted(field)}" + (" = ..." if field[3] else "")


def lines(row):
    name, _, category, fields = row
    base = "Var" if name == "SizeVar" else CATEGORIES.get(category, "Node")
    yield f"class {name}({base}):"
    # In TVM a SizeVar is a Var with the same fields.
    if name != "SizeVar":
        yield f"    __match_args__ = ({''.join(repr(field[0]) + ', ' for field in fields)})"
    for field in fields:
        yield "    @property"
        yield f"    def {field[0]}(self) -> {type_of(field)}: ..."
    yield f"    def __init__({', '.join(['self', *parameters(fields)])}) -> None: ..."
    for line in MORE.get(name, []):
        yield "    " + line


def main(output):
    with open(output, "w", encoding="utf-8") as file:
        file.write(HEAD)
        names = ["Expr", "Stmt", "Type"]
        for row in _core.kinds():
            file.write("\n" + "\n".join(lines(row)) + "\n")
            names.append(row[0])
        file.write(f"\n__all__ = {names!r}\n")


main(*sys.argv[1:])

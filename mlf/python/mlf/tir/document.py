"""A TIR module and its source."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _core
from . import nodes
from .node import Field, Node, make_node
from .visit import walk


# No data class: importing those takes as long as reading a small archive.
class Loss(NamedTuple):
    """A fact that the source does not state."""

    code: str
    severity: str  #: semantic, approximate or cosmetic
    function: str  #: empty where it is about the module
    name: str  #: of what it is about; empty where nothing has a name
    count: int  # type: ignore[assignment]  # not the method of tuples
    meaning: str


class Document:
    """A module of TIR. It does not change; several threads may read it at once."""

    def __init__(self, tree: _core.Document) -> None:
        self._tree = tree

    @property
    def member(self) -> str:
        """Return the member of the archive, or the file, that it was read from."""
        return self._tree.member

    @property
    def dialect(self) -> str:
        return self._tree.dialect

    @property
    def stage(self) -> str:
        return self._tree.stage

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of the source."""
        return self._tree.sha256

    @property
    def tvm_version(self) -> tuple[int, int]:
        """First and last minor version (the x of 0.x) of TVM that the source may come from."""
        return self._tree.tvm_version

    @property
    def losses(self) -> list[Loss]:
        return [Loss(*row) for row in self._tree.losses]

    @property
    def module(self) -> nodes.IRModule:
        root = make_node(self._tree, self._tree.kind(self._tree.root), self._tree.root)
        assert isinstance(root, nodes.IRModule)
        return root

    @property
    def functions(self) -> dict[str, nodes.PrimFunc]:
        """Return the functions by the name of their global variable, in the module's order."""
        return {
            var.name_hint: function
            for var, function in self.module.functions.items()
            if isinstance(function, nodes.PrimFunc)
        }

    @property
    def constants(self) -> list[nodes.NDArray]:
        """Return all constants, including those in attributes."""
        return [node for node in walk(self.module) if isinstance(node, nodes.NDArray)]

    def replace(self, module: nodes.IRModule) -> Document:
        """Return the document of another module, made of nodes of this document and of new ones.

        Errors: ValueError for a node of another document; TypeError for a value that its field
        cannot have.
        """
        return Document(_rebuilt(self._tree, module, None))

    def differences(self, other: Document) -> list[str]:
        """Return one line for each place where two modules are not structurally equal; names and spans count
        too."""
        return self._tree.differences(other._tree)

    def without_missing(self) -> tuple[Document, list[tuple[str, str]]]:
        """Return a document without the attributes that are only references into a missing metadata section.

        `save_json` and `script` reject such references. Also return the removed attributes: pairs of a
        function, empty for the module, and the attribute's name.
        """
        tree, omitted = self._tree.without_missing()
        return Document(tree), list(omitted)

    def tir_json(self) -> str:
        """Return the text of tir-N.json (schemas/tir.md)."""
        return self._tree.tir_json().decode()

    def save_json(self, *, tvm_version: str | None = None) -> str:
        """Return the text of `tvm.ir.save_json`, for the given version of TVM, else for that of the source.

        Errors: mlf.Error if save_json cannot express the module, ValueError for an unknown version.
        """
        tree = self._tree
        if tvm_version is not None:
            tree = _rebuilt(tree, self.module, tvm_version)
        return tree.save_json().decode("utf-8", "surrogateescape")

    def script(self) -> str:
        """Return TVMScript. Errors: mlf.Error if TVMScript cannot express the module."""
        return self._tree.tvmscript().decode()

    def to_tvm(self) -> Any:
        """Return an IRModule of the installed TVM."""
        from ..tvm import to_tvm

        return to_tvm(self)

    def __repr__(self) -> str:
        return f"<Document {self.member}: {', '.join(self.functions)}>"


def read(text: str | bytes, *, name: str = "text") -> Document:
    """Reads TIR in any dialect: TVMScript, legacy text, save_json, tir-N.json.

    Messages use `name` for it. Errors: mlf.Error with line and column.
    """
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return Document(_core.read_tir(data, name))


#: What the fields of a new node may hold, by what the table of kinds says that it expects.
_EXPECTED: dict[str, type[Node]] = {
    "expr": nodes.Expr,
    "var": nodes.Var,
    "buffer": nodes.Buffer,
    "stmt": nodes.Stmt,
    "range": nodes.Range,
    "iter_var": nodes.IterVar,
    "buffer_region": nodes.BufferRegion,
    "match_buffer_region": nodes.MatchBufferRegion,
    "comm_reducer": nodes.CommReducer,
    "type": nodes.Type,
    "function": nodes.PrimFunc,
    "attributes": nodes.DictAttrs,
    "constant": nodes.NDArray,
    "tensor": nodes.NDArray,
}


class _Numbering:
    """Number nodes for the library: nodes of the document by id, new ones from -1 down."""

    def __init__(self, tree: _core.Document) -> None:
        self.tree = tree
        self.rows: list[tuple[int, list[Any]]] = []
        self._made: dict[int, int] = {}

    def has(self, node: Node) -> bool:
        return node._values is None or id(node) in self._made

    def number(self, node: Node) -> int:
        if node._values is not None:
            return self._made[id(node)]
        if node._tree is not self.tree:
            raise ValueError(f"{type(node).__name__} belongs to another document")
        return node._id

    def add(self, node: Node) -> None:
        assert node._values is not None
        values = [self._encoded(node, *pair) for pair in zip(node._fields, node._values)]
        self.rows.append((node._number, values))
        self._made[id(node)] = -len(self.rows)

    def _encoded(self, node: Node, field: Field, value: Any) -> Any:
        expected = _EXPECTED.get(field.expects, Node)

        def reference(part: Any, expected: type[Node] = expected) -> int:
            if part is None and expected is Node:
                return 0  # undefined: what lists and maps of any object may hold
            if not isinstance(part, (expected, nodes.MissingObject)):
                place = f"{type(node).__name__}.{field.name}"
                raise TypeError(f"{place} holds {expected.__name__}, not {type(part).__name__}")
            return self.number(part)

        if value is None:
            return None
        if field.type == "node":
            return reference(value)
        if field.type == "list":
            return [reference(element) for element in value]
        if field.type == "string_map":
            return [(key, reference(element)) for key, element in value.items()]
        if field.type == "node_map":
            return [(reference(key, Node), reference(element)) for key, element in value.items()]
        return bytes(value) if field.type == "bytes" else value


def _rebuilt(tree: _core.Document, root: Node, tvm_version: str | None) -> _core.Document:
    numbering = _Numbering(tree)
    stack = [(root, False)]
    while stack:
        node, is_leaving = stack.pop()
        if numbering.has(node):
            continue
        if is_leaving:
            numbering.add(node)
        else:
            stack.append((node, True))
            stack.extend((child, False) for child in node.children())
    return tree.rebuilt(numbering.rows, numbering.number(root), tvm_version)

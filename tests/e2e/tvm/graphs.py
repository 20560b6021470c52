"""Whether two objects of TVM are the same graph: every node with every field, by TVM's reflection.

Nothing is left out: also what structural_equal does not see, such as types that were inferred, spans
and the name of a function. Objects with an identity correspond one to one; how often an equal value, type,
expression or statement is stored is up to the writer.
"""

import functools
import itertools

import tvm
from tvm.runtime import _ffi_node_api

# Nodes of these kinds are the same if their fields are.
_VALUES = (str, tvm.ir.Array, tvm.ir.Map, tvm.runtime.ShapeTuple, tvm.ir.Range, tvm.tir.BufferRegion)
_TYPES = (
    tvm.ir.PrimType,
    tvm.ir.PointerType,
    tvm.ir.TupleType,
    tvm.ir.FuncType,
    tvm.ir.TensorType,
    tvm.ir.IncompleteType,
    tvm.ir.RelayRefType,
    tvm.ir.TypeCall,
)


def _has_identity(node):
    if isinstance(node, tvm.tir.Var):
        return True
    if isinstance(node, tvm.ir.PrimExpr) or isinstance(node, tvm.tir.Stmt):
        return False
    return not isinstance(node, _VALUES + _TYPES)


@functools.lru_cache(maxsize=None)
def _names_of(type_key, first):
    del type_key
    names = _ffi_node_api.NodeListAttrNames(first.node)
    return [names(i) for i in range(names(-1))]


class _ByType:
    """A node as the key of a cache: one node of a type stands for all."""

    def __init__(self, node):
        self.node = node

    def __hash__(self):
        return 0

    def __eq__(self, other):
        return True


def _parts(node):
    """Pairs of a name and a part: a node or a plain value; None for a node that is one itself."""
    if isinstance(node, tvm.ir.Array):
        return list(enumerate(node))
    if isinstance(node, tvm.ir.Map):
        return sorted((str(key), value) for key, value in node.items())
    if isinstance(node, tvm.ir.attrs.DictAttrs):
        names = sorted(node.keys())
    else:
        names = _names_of(_type_key(node), _ByType(node))
    return [(name, _ffi_node_api.NodeGetAttr(node, name)) for name in names] or None


def _has_node_keys(node):
    return isinstance(node, tvm.ir.Map) and any(not isinstance(key, str) for key in node)


def _label(key, there):
    """What tells a key of the left map from the others; of the right one without `there`."""
    if isinstance(key, tvm.ir.GlobalVar):
        return key.name_hint
    return hash_of(key) if there is None else there.get(hash_of(key))


def _pairs_of_map(left, right, there, here):
    """The entries that belong together, in any order: by keys that were met elsewhere, all others by what
    they hold, and by what of that was met elsewhere: MakePackedAPI of TVM 0.9 leaves maps with keys that
    nothing else has, several of one name."""
    by_label = {_label(key, None): (key, value) for key, value in right.items()}
    pairs, alone = [], []
    for entry in left.items():
        other = by_label.pop(_label(entry[0], there), None)
        if other is None:
            alone.append(entry)
        else:
            pairs.append((entry, other))
    met = (lambda node: there.get(hash_of(node), 0)), (lambda node: hash_of(node) if hash_of(node) in here else 0)
    rest = [
        sorted(side, key=lambda entry, of=of: (*_held(entry), *map(of, _identities(entry[1]))))
        for side, of in zip((alone, by_label.values()), met)
    ]
    for entry, other in pairs + list(itertools.zip_longest(*rest, fillvalue=(None, None))):
        yield "key", entry[0], other[0]
        yield str(entry[0]), entry[1], other[1]


def _held(entry):
    return str(entry[0]), str(tvm.ir.save_json(entry[1]))


def _identities(node):
    return (node, node.data) if isinstance(node, tvm.tir.Buffer) else (node,)


def _type_key(node):
    return _ffi_node_api.NodeGetAttr(node, "type_key")


def _content(node):
    """The text of a node without fields."""
    if isinstance(node, tvm.nd.NDArray):
        return node.dtype, node.shape, node.numpy().tobytes()
    return tvm.ir.save_json(node)


def difference(left, right):
    """The path to the first difference with what is there, or None."""
    pairs = [("", left, right)]
    there, here, seen = {}, {}, set()
    maps = []  # whose keys are met elsewhere first
    kept = []  # a node that is freed could lend its address to the next one
    while pairs or maps:
        if not pairs:
            path, left, right = maps.pop(0)
            entries = _pairs_of_map(left, right, there, here)
            pairs = [(f"{path}.{name}", one, other) for name, one, other in entries]
            continue
        path, left, right = pairs.pop()
        nodes = [isinstance(side, tvm.runtime.Object) for side in (left, right)]
        if not any(nodes):
            if isinstance(left, tvm.nd.NDArray) and isinstance(right, tvm.nd.NDArray):
                if _content(left) != _content(right):
                    return path
            elif left != right and not (left != left and right != right):
                return f"{path}: {left!r} and {right!r}"
            continue
        if not all(nodes) or type(left) is not type(right):
            return f"{path}: {type(left).__name__} and {type(right).__name__}"
        kept += (left, right)
        ids = hash_of(left), hash_of(right)
        if ids in seen:
            continue
        seen.add(ids)
        if _has_identity(left):
            if there.setdefault(ids[0], ids[1]) != ids[1]:
                return f"{path}: one {_type_key(left)} became several"
            if here.setdefault(ids[1], ids[0]) != ids[0]:
                return f"{path}: several {_type_key(left)} became one"
        if _type_key(left) != _type_key(right):
            return f"{path}: {_type_key(left)} and {_type_key(right)}"
        if isinstance(left, str):
            if left != right:
                return f"{path}: {left!r} and {right!r}"
            continue
        if _has_node_keys(left) and _has_node_keys(right):
            maps.append((path, left, right))
            continue
        mine, other = _parts(left), _parts(right)
        if mine is None or other is None:
            if (mine is None) != (other is None) or _content(left) != _content(right):
                return f"{path}: other content"
            continue
        if [name for name, _ in mine] != [name for name, _ in other]:
            return f"{path}: {[name for name, _ in mine]} and {[name for name, _ in other]}"
        pairs += [
            (f"{path}.{name}", part, counterpart)
            for (name, part), (_, counterpart) in zip(mine, other)
        ]
    return None


def hash_of(node):
    return tvm.runtime._ffi_api.ObjectPtrHash(node)

"""Whether TVM holds two modules for the same: functions, their attributes and the module's."""

import json

import tvm

# Values and types: how often equal ones are stored is up to the writer.
SHARED_AT_WILL = (
    "Array",
    "FloatImm",
    "FuncType",
    "IntImm",
    "Map",
    "PointerType",
    "PrimType",
    "TupleType",
    "relay.TensorType",
    "runtime.String",
)


def content(value):
    """What an object holds, for objects that TVM itself cannot compare: its nodes, unordered."""
    nodes = json.loads(tvm.ir.save_json(value), strict=False)["nodes"]
    described = [(n["type_key"], n.get("repr_str", ""), sorted(n.get("keys", []))) for n in nodes]
    identities = sorted(entry for entry in described if entry[0] not in SHARED_AT_WILL)
    return identities, sorted(set(map(repr, described)))


def same(left, right):
    """Structural equality in which free variables are only equal to themselves."""
    try:
        return tvm.ir.structural_equal(left, right, map_free_vars=False)
    except (TypeError, tvm.TVMError):  # "SEqualReduce of … is not registered"
        return content(left) == content(right)


def _same_attributes(left, right):
    """The same attributes, some of which TVM cannot compare."""
    if left is None or right is None:
        return left is right
    names = sorted(left.keys())
    return names == sorted(right.keys()) and all(same(left[name], right[name]) for name in names)


def same_function(left, right):
    if type(left) is not type(right) or not isinstance(left, tvm.tir.PrimFunc):
        return content(left) == content(right)
    return same(left, right)


def functions_of(module):
    return {var.name_hint: function for var, function in module.functions.items()}


def differences(left, right):
    """Names of the functions that are not in both modules alike; "attrs" for the module's."""
    mine, other = functions_of(left), functions_of(right)
    found = [
        name
        for name in sorted(mine.keys() | other.keys())
        if name not in mine or name not in other or not same_function(mine[name], other[name])
    ]
    if not _same_attributes(getattr(left, "attrs", None), getattr(right, "attrs", None)):
        found.append("attrs")
    return found

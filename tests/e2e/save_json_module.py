"""A module of one function in TVM's save_json, for inputs with nodes of any number."""

import json

PARAMETER = 7  # the number of the variable that is the function's only parameter
FIRST = 14  # that of the first node of `texts`; the value of the function's only statement


def node(type_key, **attrs):
    return {"type_key": type_key, "attrs": {"span": "0", **attrs}}


NODES_BEFORE = [
    {"type_key": ""},
    node("IRModule", attrs="0", functions="2", global_type_var_map_="0",
         global_var_map_="0", source_map="0", type_definitions="0"),
    {"type_key": "Map", "data": [3, 5]},
    node("GlobalVar", _checked_type_="0", name_hint="4", virtual_device_="0"),
    {"type_key": "runtime.String", "repr_str": "f"},
    node("tir.PrimFunc", _checked_type_="0", attrs="0", body="13", buffer_map="8",
         params="6", preflattened_buffer_map="8", ret_type="9"),
    {"type_key": "Array", "data": [PARAMETER]},
    node("tir.Var", dtype="int32", name="11", type_annotation="12"),
    {"type_key": "Map"},
    node("TupleType", fields="10"),
    {"type_key": "Array"},
    {"type_key": "runtime.String", "repr_str": "x"},
    {"type_key": "PrimType", "attrs": {"dtype": "int32"}},
    node("tir.Evaluate", value=str(FIRST)),
]  # fmt: skip


def module_of(texts):
    """Yields the text of the module in parts; `texts` are those of its further nodes."""
    yield '{"root": 1, "nodes": [' + ",".join(map(json.dumps, NODES_BEFORE))
    for text in texts:
        yield "," + text
    yield '], "b64ndarrays": [], "attrs": {"tvm_version": "0.9.0"}}'

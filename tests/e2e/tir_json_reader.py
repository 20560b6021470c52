"""A reader of tir-N.json that knows nothing but schemas/tir.md.

Takes a document as the plain json module reads it, resolves every reference, nests the statements by
their scope counts, writes them as flat lists again and compares. Needs Python's default recursion
limit only.
"""

import base64
import hashlib

SCOPING = {
    "LetStmt", "AttrStmt", "AssertStmt", "Allocate", "AllocateConst", "DeclBuffer",
    "BufferRealize", "ProducerRealize",
}
STATEMENT_LISTS = ("body", "then_case", "else_case", "block", "init")


def nest(entries):
    """The statement of a list: entries that govern others get them as "governed"."""
    top = {"entry": None, "end": len(entries), "elements": []}
    open_scopes = [top]
    for at, entry in enumerate(entries):
        statement = {key: value for key, value in entry.items() if key != "scope"}
        for key in STATEMENT_LISTS:
            if isinstance(entry.get(key), list) and key in entry:
                statement[key] = nest(entry[key])
        open_scopes[-1]["elements"].append(statement)
        if "scope" in entry:
            assert entry["node"] in SCOPING or entry["node"] == "SeqStmt", entry["node"]
            end = at + 1 + entry["scope"]
            assert end <= open_scopes[-1]["end"], "a scope ends behind the one around it"
            open_scopes.append({"entry": statement, "end": end, "elements": []})
        while len(open_scopes) > 1 and open_scopes[-1]["end"] == at + 1:
            closed = open_scopes.pop()
            statement = closed["entry"]
            if statement["node"] == "SeqStmt":
                statement["seq"] = closed["elements"]
            else:
                statement["governed"] = one(closed["elements"])
    return one(top["elements"])


def is_implied(statement):
    """Whether a list of more than one entry says all there is to say."""
    return statement["node"] == "SeqStmt" and len(statement["seq"]) > 1 and "span" not in statement


def one(elements):
    """What is in one place: several entries are an implied SeqStmt."""
    assert elements, "an empty list of statements"
    if len(elements) > 1:
        return {"node": "SeqStmt", "seq": elements}
    alone = elements[0]
    assert not is_implied(alone), "this SeqStmt is implied"
    return alone


def flat(statement):
    """The list of a statement that is alone in its place."""
    if is_implied(statement):
        return [entry for element in statement["seq"] for entry in entries_of(element)]
    return entries_of(statement)


def entries_of(statement):
    """The entries of a statement that has others beside it."""
    entry = {key: value for key, value in statement.items() if key not in ("governed", "seq")}
    for key in STATEMENT_LISTS:
        if isinstance(entry.get(key), dict):
            entry[key] = flat(entry[key])
    governed = []
    if statement["node"] == "SeqStmt":
        governed = [e for element in statement["seq"] for e in entries_of(element)]
        entry["scope"] = len(governed)
    elif statement["node"] in SCOPING:
        governed = flat(statement["governed"])
        entry["scope"] = len(governed)
    return [entry] + governed


def check_references(value, tables):
    """Every reference below a value leads to an entry."""
    if isinstance(value, list):
        for element in value:
            check_references(element, tables)
    elif isinstance(value, dict):
        if value.get("node") == "Var" and "var" in value:
            assert value["dtype"] == tables["vars"][value["var"]]["dtype"]
        elif value.get("node") == "ExprRef":
            assert value["dtype"] == tables["exprs"][value["expr"]]["dtype"]
        elif len(value) == 1 and "object" in value:
            assert value["object"] in tables["objects"]
        elif isinstance(value.get("op"), dict) and "global_var" in value["op"]:
            assert value["op"]["global_var"] in tables["functions"]
        if isinstance(value.get("buffer"), int):
            assert value["buffer"] in tables["buffers"]
        for part in value.values():
            check_references(part, tables)


def add_entries(tables, scope):
    for name in ("vars", "buffers"):
        for entry in scope[name]:
            assert entry["id"] == len(tables[name]), f"id {entry['id']} of {name}"
            tables[name][entry["id"]] = entry
    tables["exprs"] = scope["exprs"]


def check_constant(constant):
    if constant.get("data") is None:
        return
    data = base64.b64decode(constant["data"], validate=True)
    assert len(data) == constant["bytes"]
    assert hashlib.sha256(data).hexdigest() == constant["sha256"]


def read(document):
    assert document["format"] == "mlf-tir" and document["version"] == 1
    tables = {"vars": {}, "buffers": {}, "exprs": [], "objects": {},
              "functions": {function["name"] for function in document["functions"]}}
    for constant in document["constants"]:
        check_constant(constant)
    add_entries(tables, document)
    module_exprs = tables["exprs"]
    for entry in document["objects"]:
        if entry["node"] == "PrimFunc":
            add_entries(tables, entry)
            assert flat(nest(entry["body"])) == entry["body"]
        else:
            tables["exprs"] = module_exprs
        check_references({k: v for k, v in entry.items() if k != "id"}, tables)
        tables["objects"][entry["id"]] = entry
    statements = 0
    for function in document["functions"]:
        if "function" in function:
            continue
        add_entries(tables, function)
        assert all(param in tables["vars"] for param in function["params"])
        check_references(function, tables)
        tree = nest(function["body"])
        assert flat(tree) == function["body"], function["name"]
        statements += len(function["body"])
    return statements

"""Documents that say something else in one place."""

import base64
import copy

_SWAPPED = {
    "Add": "Sub", "Sub": "Add", "Mul": "Add", "Min": "Max", "Max": "Min", "LT": "GE", "LE": "GT",
    "And": "Or", "FloorDiv": "FloorMod", "FloorMod": "FloorDiv",
}  # fmt: skip


def _values(body):
    """The nodes of what is stored, in the order of the document; not of where it is stored."""
    pending = [(body, False)]
    while pending:
        part, is_value = pending.pop()
        if isinstance(part, list):
            pending += [(element, is_value) for element in reversed(part)]
        elif isinstance(part, dict):
            if is_value and "node" in part:
                yield part
            stores = part.get("node") == "BufferStore"
            for key, below in reversed(list(part.items())):
                if key != "indices":
                    pending.append((below, is_value or (stores and key == "value")))


def _bodies(content):
    return [function["body"] for function in content["functions"]]


def _swap(node):
    node["node"] = _SWAPPED[node["node"]]


def _increase(node):
    node["value"] += 1


def _changes(content):
    """The first node of every kind in every function, and what changes it."""
    for function, body in enumerate(_bodies(content)):
        seen = set()
        for place, node in enumerate(_values(body)):
            kind = node["node"]
            if kind not in seen and _matters(node):
                seen.add(kind)
                yield function, place, kind, _swap if kind in _SWAPPED else _increase


def _matters(node):
    """The -1 that a search for the largest element begins with is always replaced."""
    if node["node"] == "IntImm":
        return node["dtype"] == "int32" and node["value"] > 0
    return node["node"] in _SWAPPED


def _with_other_constant(content, number, data):
    mutated = copy.deepcopy(content)
    inverted = bytes(byte ^ 0xFF for byte in data)
    mutated["constants"][number]["data"] = base64.b64encode(inverted).decode()
    return mutated


def of(content):
    """(what is different, document)"""
    for function, place, kind, change in _changes(content):
        mutated = copy.deepcopy(content)
        change(list(_values(_bodies(mutated)[function]))[place])
        yield f"{kind} in {content['functions'][function]['name']}", mutated
    for number, constant in enumerate(content["constants"]):
        data = base64.b64decode(constant["data"])
        if any(data):  # shifts by nothing are not even read
            yield f"constant {number}", _with_other_constant(content, number, data)

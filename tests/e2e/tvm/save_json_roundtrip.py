"""TVM itself judges what mlf writes as save_json.

Usage: PYTHON_OF_A_TVM_VENV save_json_roundtrip.py PAIRS...

Every argument is `ORIGINAL=WRITTEN`: a file of `tvm.ir.save_json`, and what mlf wrote after reading
it. Both are loaded by the TVM of this interpreter; functions, their attributes and those of the module must be
structurally equal, and the written file must survive TVM's own save_json once more. Only files of this TVM's own version are given to it: TVM upgrades older ones
while loading. Prints one line a pair; exits 1 if any differs.
"""

import json
import sys

import tvm


def load(path):
    with open(path, encoding="latin-1") as file:
        return tvm.ir.load_json(file.read())


def names_of(module):
    return sorted(var.name_hint for var in module.functions)


SHARED_AT_WILL = ("runtime.String", "Array", "Map")


def content(value):
    """What an object holds, for objects that TVM itself cannot compare: its nodes, unordered.

    Strings, arrays and maps count once: how often equal ones are stored is up to the writer.
    """
    nodes = json.loads(tvm.ir.save_json(value), strict=False)["nodes"]
    described = [(n["type_key"], n.get("repr_str", ""), sorted(n.get("keys", []))) for n in nodes]
    identities = sorted(entry for entry in described if entry[0] not in SHARED_AT_WILL)
    return identities, sorted(set(map(repr, described)))


def same_value(left, right):
    try:
        return tvm.ir.structural_equal(left, right, map_free_vars=True)
    except TypeError:  # "SEqualReduce of … is not registered"
        return content(left) == content(right)


def differing_attr(left, right):
    """The name of an attribute that two functions or modules do not share."""
    if left is None or right is None:
        return None if left is right else "(all)"
    if sorted(left.keys()) != sorted(right.keys()):
        return "(names)"
    for name in left.keys():
        if not same_value(left[name], right[name]):
            return name
    return None


def buffers_of(function):
    """Which parameter goes with which buffer, by name."""
    return sorted((var.name, buffer.name) for var, buffer in function.buffer_map.items())


def same_function(left, right):
    """Functions without their attributes.

    TVM compares maps whose keys are Vars in the order of their addresses: beyond four entries a
    function may differ from itself, loaded twice. So the buffer map is compared by name, and its
    buffers where the body uses them.
    """
    bare = [tvm.tir.PrimFunc(f.params, f.body, f.ret_type) for f in (left, right)]
    # Made anew, so that their checked types fit: passes leave stale ones behind.
    whole = [tvm.tir.PrimFunc(f.params, f.body, f.ret_type, f.buffer_map) for f in (left, right)]
    return (
        tvm.ir.structural_equal(bare[0], bare[1], True)
        and buffers_of(left) == buffers_of(right)
        and content(whole[0]) == content(whole[1])
    )


def difference(original, written):
    """Says what is different between two modules; None where nothing is."""
    if names_of(original) != names_of(written):
        return "the functions have other names"
    for name in names_of(original):
        left, right = original[name], written[name]
        if not same_function(left, right):
            return "function %s is different" % name
        attr = differing_attr(left.attrs, right.attrs)
        if attr is not None:
            return "attribute %s of function %s is different" % (attr, name)
    if hasattr(original, "attrs"):
        attr = differing_attr(original.attrs, written.attrs)
        if attr is not None:
            return "attribute %s of the module is different" % attr
    again = tvm.ir.load_json(tvm.ir.save_json(written))
    if content(written) != content(again):
        return "TVM's own save_json of it is different"
    return None


def main(pairs):
    failures = 0
    for pair in pairs:
        original, written = pair.split("=", 1)
        found = difference(load(original), load(written))
        print("%s: %s" % (original, found or "equal"))
        failures += found is not None
    return 1 if failures or not pairs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Shows that schemas/tir.schema.json can fail: every mutation of a good document is rejected.

One place of each shape (the path without positions, the kind of the node, the key) is mutated:
every key of a closed object is renamed, every required one deleted, every value replaced by one of
a type that nothing in the format has in that place.
"""

# Keys whose objects map free names: of these only the values are checked.
OPEN_MAPS = {"attrs", "annotations", "entries", "__dict__", "fields"}
# Keys that may be missing.
OPTIONAL = {
    "name_hint", "span", "exact", "global_var", "preflattened_buffer_map", "predicate",
    "axis_separators", "type_definitions", "global_type_var_map_", "source_map", "global_infos",
    "virtual_device_", "_checked_type_", "struct_info_", "features", "device_type",
    "default_device_type", "default_keys", "targets", "inverse_index_map", "global_var_map_", "source_nodes",
    "virtual_device",
}
# A value of no type that a place of the format takes, by the type that is there.
WRONG = {
    dict: [True, 0.5, {"unexpected": 0.5}],
    list: [True, 0.5, {"unexpected": 0.5}],
    str: [True, 0.5, {"unexpected": 0.5}],
    int: ["unexpected", 0.5, {"unexpected": 0.5}],
    float: ["unexpected", True, {"unexpected": 0.5}],
    bool: ["unexpected", 0.5, {"unexpected": 0.5}],
    type(None): [0.5, {"unexpected": 0.5}],
}


def members(value):
    """The parts of a value with the key that each is under."""
    if isinstance(value, dict):
        return [(key, value, key) for key in value]
    if isinstance(value, list):
        return [(index, value, "[]") for index in range(len(value))]
    return []


def places(document, seen):
    """(container, key, path, owner) of one place of every shape that is not in `seen`, which gets it.
    Without recursion."""
    stack = [(document, "", "")]
    while stack:
        container, path, owner = stack.pop()
        for key, holder, name in members(container):
            kind = container.get("node", "") if isinstance(container, dict) else ""
            shape = (owner, kind, "*" if owner in OPEN_MAPS and not kind else name,
                     type(holder[key]).__name__)
            if shape not in seen:
                seen.add(shape)
                yield holder, key, path, owner
            step = name if name != "[]" else owner
            stack.append((holder[key], f"{path}/{key}", step))


def is_open(container, owner):
    return owner in OPEN_MAPS and "node" not in container and set(container) != {"object"}


def mutations(document, seen):
    """Applies one mutation after the other in place; yields what each was while it holds."""
    for holder, key, path, owner in places(document, seen):
        value = holder[key]
        free = path.startswith("/target/attrs") or path == "/target/host/attrs"
        for wrong in WRONG[type(value)]:
            if free and not isinstance(wrong, (dict, float)):
                continue
            holder[key] = wrong
            yield f"{path}/{key} = {wrong!r}"
        holder[key] = value
        if not isinstance(holder, dict) or is_open(holder, owner):
            continue
        order = dict(holder)
        del holder[key]
        shared = key == "id" and holder.get("node") in ("IterVar", "CommReducer")
        if not shared and (key not in OPTIONAL or holder.get("node") == "Load"):
            yield f"{path}/{key} deleted"
        holder[key + "_"] = value
        yield f"{path}/{key} renamed"
        holder.clear()
        holder.update(order)


def accepted_mutations(validator, document, seen=None):
    """(how many mutations there were, those that the validator let pass). With `seen`, a set that
    several documents share, each shape is mutated in the first of them that has it."""
    accepted = []
    count = 0
    for mutation in mutations(document, set() if seen is None else seen):
        count += 1
        if validator.is_valid(document):
            accepted.append(mutation)
    return count, accepted

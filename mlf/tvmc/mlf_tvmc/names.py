"""The names of files with TIR: tir-<device type>[-<kind>[-<k>]]."""

import itertools


def _candidates(key):
    stem = f"tir-{key.device_type}"
    with_kind = f"{stem}-{key.kind}"
    yield stem
    yield with_kind
    for k in itertools.count(1):
        yield f"{with_kind}-{k}"


def assign_stems(keys, taken):
    """Return a stem for each target, and add it to the set `taken`."""
    stems = {}
    for key in keys:
        stems[key] = next(stem for stem in _candidates(key) if stem not in taken)
        taken.add(stems[key])
    return stems

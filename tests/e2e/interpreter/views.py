"""Buffers: views of the memory that their variable points to."""

import math

from interpreter.document import number_of, numpy_name


class Views:
    """The buffers that a function uses, by the variable of their data."""

    def __init__(self, document, function):
        self._by_data = {}
        # How large a buffer is was then inferred from what uses it.
        self._guessed = document.loses("buffer-shape")
        self._indirect = set()
        used = {entry["buffer"] for entry in function["buffer_map"]}
        used |= self._used_in([function["body"], function["exprs"]])
        for number in sorted(used):
            buffer = document.buffers[number]
            self._by_data.setdefault(buffer["data"], []).append(buffer)

    def of(self, var):
        """(name, text) for every buffer whose memory `var` is."""
        return [(f"b{buffer['id']}", self._view(buffer)) for buffer in self._by_data.get(var, [])]

    def of_all_lanes(self, var):
        """The same for memory that every lane has its own of."""
        return [
            (f"b{buffer['id']}", f"v{var}.view('{numpy_name(buffer['dtype'])}', None)")
            for buffer in self._by_data.get(var, [])
        ]

    def _view(self, buffer):
        count = None if buffer["id"] in self._indirect else count_of(buffer)
        view = "view_up_to" if self._guessed else "view"
        return f"v{buffer['data']}.{view}('{numpy_name(buffer['dtype'])}', {count})"

    def _used_in(self, parts):
        """Ids of buffers; those whose indices are loaded themselves are noted."""
        used, pending = set(), list(parts)
        while pending:
            part = pending.pop()
            if isinstance(part, list):
                pending += part
            elif isinstance(part, dict):
                if isinstance(part.get("buffer"), int):
                    used.add(part["buffer"])
                    if self._guessed and _has_load(part.get("indices", [])):
                        self._indirect.add(part["buffer"])
                pending += part.values()
        return used


def _has_load(indices):
    pending = list(indices)
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending += part
        elif isinstance(part, dict):
            if part.get("node") == "BufferLoad":
                return True
            pending += part.values()
    return False


def count_of(buffer):
    """How many elements a buffer has, None if the document does not say it in numbers."""
    extents = [number_of(extent) for extent in buffer["shape"]]
    return None if None in extents or buffer["strides"] else math.prod(extents)

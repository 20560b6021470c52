"""What is known at one place of a function: names, and which of them have an element per lane."""

import itertools

import numpy as np

from interpreter.document import item_size, numpy_name


class Scope:
    """The names of one PrimFunc. Those of Python are made of ids: v7 is a variable, b7 a buffer."""

    def __init__(self, document, function, views, operators):
        self.document = document
        self.exprs = function["exprs"]
        self.views = views
        self.lanes = []  # (loop variable, minimum, extent) of the loops that run at once
        self.lane_vars = set()
        self.shared = {}  # texts of entries of `exprs` that the next statement wants
        self.names = {"None": None}  # what the text may use, by name
        self._private = {}  # bytes per lane of variables that point to memory of each lane
        self._operators = operators
        self._literals = {}
        self._numbers = itertools.count()

    def buffer(self, number):
        return self.document.buffers[number]

    def dtype_of(self, var):
        return self.document.vars[var]["dtype"]

    def new_name(self, letter):
        return f"{letter}{next(self._numbers)}"

    def literal(self, dtype, value):
        """The name of a constant."""
        key = (dtype, str(value))
        if key not in self._literals:
            number = float(value) if "float" in dtype else int(value)
            self._literals[key] = self.new_name("k")
            self.names[self._literals[key]] = np.array(number).astype(numpy_name(dtype))[()]
        return self._literals[key]

    def operator(self, operator):
        """The name of the function that an operator stands for."""
        name = operator.replace(".", "_")
        self.names[name] = self._operators(operator)
        return name

    def bind(self, var, code):
        """A Let: its variable has lanes if the value has."""
        if code.has_lanes:
            self.lane_vars.add(var)

    def lane_count(self):
        return int(np.prod([extent for _, _, extent in self.lanes], dtype=np.int64))

    def make_private(self, var, bytes_per_lane):
        self._private[var] = bytes_per_lane

    def lane_offset(self, buffer):
        """Where the memory of each lane begins, in elements of a buffer; None for common memory."""
        size = self._private.get(buffer["data"])
        return None if size is None else f"o{buffer['data']} * {size // item_size(buffer['dtype'])}"

    def enter(self, var, minimum, extent):
        """Begins a loop whose iterations run at once; returns what `leave` wants."""
        before = (list(self.lanes), set(self.lane_vars), dict(self._private))
        self.lanes.append((var, minimum, extent))
        self.lane_vars.add(var)
        return before

    def leave(self, before):
        self.lanes, self.lane_vars, self._private = before

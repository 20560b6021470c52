"""Functions of a document that call each other, and its main with the memory that it is given."""

import functools

import numpy as np

from interpreter import calls, memory, values
from interpreter.document import Unsupported
from interpreter.scope import Scope
from interpreter.statements import Statements
from interpreter.views import Views


def numbers(first, count, dtype):
    """The iterations of a loop."""
    return np.arange(int(first), int(first) + int(count), dtype=dtype)


def lane_number(*loops):
    """Which lane an iteration of these loops is, each with its first number and its extent."""
    number = 0
    for value, first, extent in loops:
        number = number * extent + (value.astype(np.int64) - first)
    return number


def store_where(mask, view, elements, stored):
    chosen, elements, stored = np.broadcast_arrays(mask, elements, stored)
    view[values.at(elements[chosen])] = stored[chosen]


def once(compute):
    return functools.lru_cache(maxsize=None)(compute)


_NAMES = {
    name: getattr(values, name)
    for name in ("at", "bits_as", "cast", "divide", "floor_divide", "floor_remainder", "maximum",
                 "minimum", "remainder", "select")
}  # fmt: skip
_NAMES.update(
    numbers=numbers,
    lane_number=lane_number,
    store_where=store_where,
    once=once,
    allocate=memory.allocate,
    data_of=memory.data_of,
    disjoint=memory.disjoint,
)


class Program:
    """The functions of a Document, compiled when they are first called."""

    def __init__(self, document):
        self._document = document
        self._functions = {f["name"]: f for f in document.functions}
        self._by_symbol = {f["global_symbol"] or f["name"]: f for f in document.functions}
        self._compiled = {}
        self._operators = {**calls.PURE, **calls.Calls(self._call_symbol).operators}

    def call(self, name, arguments):
        """Calls the function of this name with pointers, tensors or scalars; its result."""
        function = self._functions[name]
        arguments = arguments[: len(function["params"])]
        if name not in self._compiled:
            self._compiled[name] = self._compile(function)
        try:
            self._compiled[name](*arguments)
        except calls.Returned as returned:
            return returned.args[0]
        return np.int32(0)

    def run_main(self, tensors):
        """Runs main with its inputs and outputs, in the order of its parameters, in place.

        What TVM calls pools is made here. Only arrays that are contiguous can be given.
        """
        (main,) = (f for f in self._document.functions if f["role"] == "main")
        pools = memory.Pools(self._document, main)
        given = iter(tensors)
        arguments = [
            pools.pointer(place) if place in pools.places else memory.pointer_to(next(given))
            for place in range(len(main["params"]))
        ]
        assert next(given, None) is None, "main has fewer parameters"
        with np.errstate(all="ignore"):
            result = self.call(main["name"], arguments)
        assert result == 0, result

    def _call_symbol(self, symbol, arguments):
        if symbol not in self._by_symbol:
            raise Unsupported(f"calls of {symbol}, which is not in the document")
        return self.call(self._by_symbol[symbol]["name"], arguments)

    def _operator(self, name):
        if name not in self._operators:
            raise Unsupported(f"operator {name}")
        return self._operators[name]

    def _compile(self, function):
        views = Views(self._document, function)
        scope = Scope(self._document, function, views, self._operator)
        text = Statements(scope).function(function)
        names = {**_NAMES, **scope.names, "call_global": lambda name, *a: self.call(name, a)}
        names["constant"] = functools.partial(memory.pointer_to_constant, self._document)
        exec(compile(text, function["name"], "exec"), names)  # noqa: S102 our own text
        return names["run"]

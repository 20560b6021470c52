"""Which loops may run all their iterations at once, as the lanes of NumPy arrays.

Those whose iterations have nothing to do with each other: no element that one of them writes is
touched by another. This is not derived but tried: the numbers of all elements that a loop touches
are computed, for all iterations of it and of the loops in it. What comes from outside must be one
and the same sum in all accesses, and cancels out. Memory allocated in a loop exists once a lane.

A loop inside one that runs at once and that does not qualify (the sum in a convolution) goes on one
by one, for all lanes together. So floating-point numbers are added up in the order of the program.
"""

import json
import math
import typing

import numpy as np

from interpreter.document import number_of
from interpreter.expressions import is_pure

_MAX_LANES = 1 << 20
_MAX_PRIVATE = 1 << 24  # elements allocated for all lanes
_MAX_TRIED = 1 << 23  # elements of which the numbers are computed

_PASSED = {"LetStmt", "DeclBuffer", "BufferStore", "IfThenElse", "For", "Allocate", "SeqStmt"}
_FIELDS_OF_EXPRESSIONS = ("value", "condition", "indices")


class _NotProven(Exception):
    pass


class Proof(typing.NamedTuple):
    """Holds if no memory `written` overlaps another one; each is a list of its buffers."""

    written: list
    others: list


class _Access(typing.NamedTuple):
    buffer: dict
    indices: list
    writes: bool
    loops: tuple


def product(extents):
    """Of IntImm; raises _NotProven for others."""
    numbers = [number_of(extent) for extent in extents]
    if None in numbers:
        raise _NotProven
    return math.prod(numbers)


def prove(loop, scope, fresh):
    """A Proof that the iterations of a loop are independent, or None.

    `fresh` are variables that point to memory which nothing outside the function shares.
    """
    try:
        body = _Body(loop, scope)
        _check_size(body, scope)
        written = {access.buffer["data"] for access in body.accesses if access.writes}
        for root in written - body.private:
            _check_independent(loop, [a for a in body.accesses if a.buffer["data"] == root], body)
    except _NotProven:
        return None
    return _what_must_not_overlap(body, written, fresh)


def _what_must_not_overlap(body, written, fresh):
    """Memory that comes from outside the function may lie anywhere."""
    buffers = {}
    for access in body.accesses:
        root = access.buffer["data"]
        if root not in fresh | body.private:
            buffers.setdefault(root, set()).add(access.buffer["id"])
    parts = [sorted(ids) for root, ids in buffers.items() if root in written]
    others = [sorted(ids) for root, ids in buffers.items() if root not in written]
    return Proof(parts, others) if len(buffers) > 1 else Proof([], [])


def _check_size(body, scope):
    lanes = scope.lane_count() * body.extent
    if lanes > _MAX_LANES or lanes * body.allocated > _MAX_PRIVATE:
        raise _NotProven


class _Body:
    """What a loop does to memory."""

    def __init__(self, loop, scope):
        self.accesses = []
        self.lets = {}
        self.private = set()
        self.allocated = 0
        self.extent = number_of(loop["extent"])
        self._scope = scope
        pending = [(loop, ())]
        while pending:
            pending += self._visit(*pending.pop())

    def _visit(self, entry, loops):
        """Notes one statement; returns those in it, each with the loops around it."""
        kind = entry["node"]
        if kind == "Evaluate" and number_of(entry["value"]) is not None:
            return []
        if kind not in _PASSED:
            raise _NotProven
        if kind == "LetStmt":
            self._note_let(entry)
        if kind == "Allocate":
            self.private.add(entry["buffer_var"])
            self.allocated += product(entry["extents"])
        if kind == "BufferStore":
            self._note_access(entry, loops, writes=True)
        for field in _FIELDS_OF_EXPRESSIONS:
            if field in entry and kind != "Allocate":
                self._note_expression(entry[field], loops)
        if kind == "For":
            loops += (_range_of(entry),)
        inner = [entry.get(field) or [] for field in ("body", "then_case", "else_case")]
        return [(statement, loops) for part in inner for statement in part]

    def _note_let(self, let):
        if self._scope.dtype_of(let["var"]) == "handle":
            raise _NotProven
        self.lets[let["var"]] = let["value"]

    def _note_access(self, node, loops, writes):
        buffer = self._scope.buffer(node["buffer"])
        if node.get("predicate") or buffer["strides"] or buffer["elem_offset"] is None:
            raise _NotProven
        if number_of(buffer["elem_offset"]) != 0:
            raise _NotProven
        self.accesses.append(_Access(buffer, node["indices"], writes, loops))

    def _note_expression(self, value, loops):
        pending = [value]
        while pending:
            part = pending.pop()
            if isinstance(part, list):
                pending += part
            elif isinstance(part, dict):
                self._note_node(part, loops)
                pending += part.values()

    def _note_node(self, node, loops):
        kind = node.get("node")
        if kind == "ExprRef" or (kind == "Call" and not is_pure(node)):
            raise _NotProven
        if kind == "Let":
            self._note_let(node)
        if kind == "BufferLoad":
            self._note_access(node, loops, writes=False)


def _range_of(loop):
    low, extent = number_of(loop["min"]), number_of(loop["extent"])
    if low is None or extent is None or loop["kind"] == "thread_binding":
        raise _NotProven
    return loop["loop_var"], low, extent


def _check_independent(loop, accesses, body):
    """No element of one memory is touched by two iterations; at least one access writes."""
    if len({access.buffer["dtype"] for access in accesses}) > 1:
        raise _NotProven
    found = [_elements(access, body) for access in accesses]
    if any(outside != found[0][0] for outside, _ in found):
        raise _NotProven
    touched = [np.broadcast_arrays(*numbers) for _, numbers in found]
    first = min(elements.min() for elements, _ in touched)
    span = max(elements.max() for elements, _ in touched) - first + 1
    if span > _MAX_TRIED:
        raise _NotProven
    owners = np.empty(span, np.int64)
    for elements, iterations in touched:
        owners[elements - first] = iterations
    if not all((owners[elements - first] == i).all() for elements, i in touched):
        raise _NotProven


def _elements(access, body):
    """The sum from outside, and numbers of elements beside the iterations that touch them."""
    sums = _Sums(access.loops, body.lets)
    outside, numbers = sums.split({"node": "IntImm", "value": 0})
    step = 1
    for index, extent in reversed(list(zip(access.indices, access.buffer["shape"]))):
        outside, numbers = sums.add((outside, numbers), sums.split(index), step)
        if index is not access.indices[0]:
            step *= product([extent])
    iterations = sums.ranges[access.loops[0][0]]
    if np.broadcast(numbers, iterations).size > _MAX_TRIED:
        raise _NotProven
    return outside, (numbers, iterations)


class _Sums:
    """Splits an index into a sum of terms from outside and numbers for all iterations inside."""

    def __init__(self, loops, lets):
        self._lets = lets
        self.ranges = {
            var: np.arange(low, low + extent).reshape((-1,) + (1,) * axis)
            for axis, (var, low, extent) in enumerate(loops)
        }

    def split(self, expr):
        """({term: factor}, array)"""
        kind = expr["node"]
        if kind == "IntImm":
            return {}, np.int64(number_of(expr))
        if kind == "Var":
            return self._variable(expr)
        if kind in ("Add", "Sub"):
            return self.add(
                self.split(expr["a"]), self.split(expr["b"]), 1 if kind == "Add" else -1
            )
        if kind == "Mul":
            return self._scaled(self.split(expr["a"]), self.split(expr["b"]))
        if kind in _TRIED and expr["dtype"] in ("int32", "int64"):
            return self._tried(expr)
        raise _NotProven

    def _variable(self, expr):
        var = expr["var"]
        if var in self.ranges:
            return {}, self.ranges[var]
        if var in self._lets:
            return self.split(self._lets[var])
        return {f"v{var}": 1}, np.int64(0)

    def add(self, left, right, factor):
        terms = dict(left[0])
        for term, times in right[0].items():
            terms[term] = terms.get(term, 0) + times * factor
        return {term: times for term, times in terms.items() if times}, left[1] + factor * right[1]

    def _scaled(self, left, right):
        for value, (terms, factor) in ((left, right), (right, left)):
            if not terms and np.ndim(factor) == 0:
                return self.add(({}, np.int64(0)), value, int(factor))
        raise _NotProven

    def _tried(self, expr):
        """An operator that is not linear: of what is inside only, or of what is outside only."""
        (outside_a, a), (outside_b, b) = self.split(expr["a"]), self.split(expr["b"])
        if not outside_a and not outside_b:
            return {}, _TRIED[expr["node"]](a, b)
        if np.ndim(a) or np.ndim(b):
            raise _NotProven
        parts = [expr["node"], sorted(outside_a.items()), int(a), sorted(outside_b.items()), int(b)]
        return {json.dumps(parts): 1}, np.int64(0)


_TRIED = {"FloorDiv": np.floor_divide, "FloorMod": np.remainder, "Min": np.minimum,
          "Max": np.maximum}  # fmt: skip

"""Expressions as Python text, over the functions of values.py.

One text serves a scalar and all lanes at once (lanes.py): only what is evaluated on condition
differs. With scalars Python does not evaluate the other branch. Lanes evaluate both, and the loads
in a branch read element 0 for the lanes that do not take it: that is the `guard`.
"""

import typing

from interpreter import calls
from interpreter.document import Unsupported, number_of, numpy_name

# Fields `a` and `b`.
BINARY = {
    "Add": "({a} + {b})",
    "Sub": "({a} - {b})",
    "Mul": "({a} * {b})",
    "Div": "divide({a}, {b})",
    "Mod": "remainder({a}, {b})",
    "FloorDiv": "floor_divide({a}, {b})",
    "FloorMod": "floor_remainder({a}, {b})",
    "Min": "minimum({a}, {b})",
    "Max": "maximum({a}, {b})",
    "EQ": "({a} == {b})",
    "NE": "({a} != {b})",
    "LT": "({a} < {b})",
    "LE": "({a} <= {b})",
    "GT": "({a} > {b})",
    "GE": "({a} >= {b})",
}


class Code(typing.NamedTuple):
    """Python text, and whether its value has an element for every lane."""

    text: str
    has_lanes: bool


class Expressions:
    """Writes the expressions of one function; `scope` knows its names."""

    def __init__(self, scope):
        self._scope = scope
        self._kinds = {
            "Var": self._variable,
            "IntImm": self._immediate,
            "FloatImm": self._immediate,
            "StringImm": lambda expr, guard: Code(repr(expr["value"]), False),
            "Cast": self._cast,
            "And": self._and,
            "Or": self._or,
            "Not": self._not,
            "Select": self._select,
            "BufferLoad": self._load,
            "Let": self._let,
            "Call": self._call,
            "ExprRef": self._shared,
        }

    def text(self, expr):
        return self.code(expr).text

    def code(self, expr, guard=None):
        kind = expr.get("node")
        if kind in BINARY:
            a, b = self.code(expr["a"], guard), self.code(expr["b"], guard)
            return Code(BINARY[kind].format(a=a.text, b=b.text), a.has_lanes or b.has_lanes)
        if kind not in self._kinds:
            raise Unsupported(f"expressions of kind {kind}")
        return self._kinds[kind](expr, guard)

    def element(self, buffer, indices, guard=None):
        """The number of an element in the view of its buffer."""
        codes = [self.code(index, guard) for index in indices]
        text = codes[0].text if codes else self._scope.literal("int32", 0)
        if len(codes) > 1 or buffer["strides"]:
            strides = self._strides(buffer)
            text = " + ".join(f"{code.text} * {step}" for code, step in zip(codes, strides))
        if number_of(buffer["elem_offset"] or {"node": None}) not in (0, None):
            text = f"{text} + {number_of(buffer['elem_offset'])}"
        offset = self._scope.lane_offset(buffer)
        if offset:
            text = f"{text} + {offset}"
        return Code(text, bool(offset) or any(code.has_lanes for code in codes))

    def _strides(self, buffer):
        """As the buffer says, else row after row."""
        if buffer["strides"]:
            return [self.text(stride) for stride in buffer["strides"]]
        steps = ["1"]
        for extent in reversed(buffer["shape"][1:]):
            steps.append(f"{steps[-1]} * {self.text(extent)}")
        return steps[::-1]

    def _variable(self, expr, guard):
        return Code(f"v{expr['var']}", expr["var"] in self._scope.lane_vars)

    def _immediate(self, expr, guard):
        return Code(self._scope.literal(expr["dtype"], expr["value"]), False)

    def _cast(self, expr, guard):
        value = self.code(expr["value"], guard)
        if expr["dtype"] == "handle":
            return value
        return Code(f"cast({value.text}, '{numpy_name(expr['dtype'])}')", value.has_lanes)

    def _not(self, expr, guard):
        a = self.code(expr["a"], guard)
        return Code(f"(~{a.text})", a.has_lanes)

    def _and(self, expr, guard):
        a = self.code(expr["a"], guard)
        if not a.has_lanes:
            b = self.code(expr["b"], guard)
            return Code(f"({a.text} and {b.text})", b.has_lanes)
        name = self._scope.new_name("g")
        b = self.code(expr["b"], name)
        return Code(f"(({name} := {_both(guard, a.text)}) & {b.text})", True)

    def _or(self, expr, guard):
        a = self.code(expr["a"], guard)
        if not a.has_lanes:
            b = self.code(expr["b"], guard)
            return Code(f"({a.text} or {b.text})", b.has_lanes)
        name = self._scope.new_name("g")
        b = self.code(expr["b"], _both(guard, f"~{name}"))
        return Code(f"(({name} := {a.text}) | {b.text})", True)

    def _select(self, expr, guard):
        return self._branch(expr["condition"], expr["true_value"], expr["false_value"], guard)

    def _branch(self, condition, if_true, if_false, guard):
        """Lazy, as generated C is: Select, too, is printed with `?:`."""
        chosen = self.code(condition, guard)
        if not chosen.has_lanes:
            a, b = self.code(if_true, guard), self.code(if_false, guard)
            return Code(f"({a.text} if {chosen.text} else {b.text})", a.has_lanes or b.has_lanes)
        name = self._scope.new_name("g")
        a = self.code(if_true, _both(guard, name))
        b = self.code(if_false, _both(guard, f"~{name}"))
        return Code(f"select(({name} := {chosen.text}), {a.text}, {b.text})", True)

    def _load(self, expr, guard):
        if expr.get("predicate"):
            raise Unsupported("loads with a predicate")
        buffer = self._scope.buffer(expr["buffer"])
        element = self.element(buffer, expr["indices"], guard)
        name = f"b{buffer['id']}"
        if guard is None:
            return Code(f"{name}[at({element.text})]", element.has_lanes)
        return Code(f"{name}[at(select({guard}, {element.text}, 0))]", True)

    def _let(self, expr, guard):
        value = self.code(expr["value"], guard)
        self._scope.bind(expr["var"], value)
        body = self.code(expr["body"], guard)
        bound = [(f"v{expr['var']}", value.text), *self._scope.views.of(expr["var"])]
        first = ", ".join(f"{name} := {text}" for name, text in bound)
        return Code(f"({first}, {body.text})[-1]", body.has_lanes)

    def _shared(self, expr, guard):
        """An entry of `exprs`. Never in lanes: lanes.py lets no such loop pass."""
        number = expr["expr"]
        if number not in self._scope.shared:
            self._scope.shared[number] = self.text(self._scope.exprs[number])
        return Code(f"e{number}()", False)

    def _call(self, expr, guard):
        operator, arguments = expr["op"], expr["args"]
        if operator == "tir.if_then_else":
            return self._branch(*arguments, guard)
        if operator == "tir.address_of":
            return self._address(arguments[0])
        if operator == "tir.reinterpret":
            return self._reinterpret(expr, guard)
        if operator == "tir.large_uint_imm":
            low, high = (number_of(argument) for argument in arguments)
            return Code(self._scope.literal(expr["dtype"], low + (high << 32)), False)
        codes = [self.code(argument, guard) for argument in arguments]
        text = ", ".join(code.text for code in codes)
        has_lanes = any(code.has_lanes for code in codes)
        if isinstance(operator, dict) and "global_var" in operator:
            return Code(f"call_global({operator['global_var']!r}, {text})", has_lanes)
        return Code(f"{self._scope.operator(operator)}({text})", has_lanes)

    def _address(self, load):
        buffer = self._scope.buffer(load["buffer"])
        element = self.element(buffer, load["indices"])
        return Code(f"v{buffer['data']}.after(({element.text}) * b{buffer['id']}.itemsize)", False)

    def _reinterpret(self, expr, guard):
        """Handles are made of nothing but zero: NULL."""
        (argument,) = expr["args"]
        if expr["dtype"] == "handle":
            if number_of(argument) == 0:
                return Code("None", False)
            raise Unsupported("pointers made of numbers")
        value = self.code(argument, guard)
        return Code(f"bits_as({value.text}, '{numpy_name(expr['dtype'])}')", value.has_lanes)


def _both(guard, condition):
    return condition if guard is None else f"({guard} & {condition})"


def is_pure(call):
    """Whether a Call has no effects, so that it may be evaluated for many lanes at once."""
    special = ("tir.if_then_else", "tir.large_uint_imm")
    if isinstance(call["op"], dict):
        return False
    is_bits = call["op"] == "tir.reinterpret" and call["dtype"] != "handle"
    return call["op"] in calls.PURE or call["op"] in special or is_bits or calls.is_math(call)

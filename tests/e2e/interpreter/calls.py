"""Calls: which operator is which function of values.py or program.py.

`Program.call` runs a function of the document; everything else about calling one is here.
"""

import numpy as np

from interpreter import memory, values

# Operators without effects, by what they compute. What has rules of its own is in expressions.py.
PURE = {
    "tir.shift_left": values.shift_left,
    "tir.shift_right": values.shift_right,
    "tir.bitwise_and": lambda a, b: a & b,
    "tir.bitwise_or": lambda a, b: a | b,
    "tir.bitwise_xor": lambda a, b: a ^ b,
    "tir.bitwise_not": lambda a: ~a,
    "tir.q_multiply_shift": values.q_multiply_shift,
    "tir.q_multiply_shift_per_axis": values.q_multiply_shift_per_axis,
    "tir.sigmoid": values.sigmoid,
    "tir.rsqrt": values.rsqrt,
    "tir.isnan": np.isnan,
    "tir.likely": lambda a: a,
    "tir.tvm_thread_invariant": lambda a: a,
    **{f"tir.{name}": function for name, function in values.MATH.items()},
}

# math.h by its names in C, as generated C calls it: expf(x).
_C_NAMES = {
    name + suffix: function for name, function in values.MATH.items() for suffix in ("", "f")
}

EXTERNAL = ("tir.call_extern", "tir.call_pure_extern")


class Returned(Exception):
    """A function returns its first argument."""


def _return(value):
    raise Returned(value)


def _check_return(expected, result, value):
    """tvm_check_return: anything but what is expected ends the function with `result`."""
    if value != expected:
        raise Returned(result)


class Calls:
    """The operators that call functions, or that those calls are made of."""

    def __init__(self, call):
        self._call = call
        self.operators = {
            "tir.call_extern": self.extern,
            "tir.call_pure_extern": self.extern,
            "tir.tvm_call_packed": self.packed,
            "tir.tvm_call_cpacked": self.cpacked,
            "tir.tvm_check_return": _check_return,
            "tir.tvm_stack_make_array": memory.stack_array,
            "tir.tvm_stack_make_shape": memory.stack_shape,
            "tir.isnullptr": lambda pointer: np.bool_(pointer is None),
            "tir.ret": _return,
        }

    def extern(self, name, *arguments):
        if name in _C_NAMES:
            return _C_NAMES[name](*arguments)
        return self._call(name, arguments)

    def packed(self, name, *arguments):
        _check_return(0, -1, self._call(name, arguments))

    def cpacked(self, name, *arguments):
        """The last argument is the context of the device, which the callee may not want."""
        if arguments[-1] is None:
            arguments = arguments[:-1]
        self.packed(name, *arguments)


def is_math(call):
    """Whether an external call is one of math.h: it has no effects."""
    return call["op"] in EXTERNAL and call["args"][0].get("value") in _C_NAMES

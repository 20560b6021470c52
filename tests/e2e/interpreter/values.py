"""What the operators of TIR compute, with the widths and the rounding of C.

A value is a NumPy scalar of its dtype. Where iterations run at once it may be an array: one element
for every lane. Integers wrap around in both; every function here takes both.
"""

import math

import numpy as np


def is_integer(value):
    return value.dtype.kind in "iub"


def at(index):
    """An index as an unsigned number: a negative one is behind every buffer, not before its end."""
    return index.view(_UNSIGNED[index.dtype.itemsize])


_UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


def cast(value, dtype):
    """Integers lose their upper bits, floating-point numbers their fraction."""
    return value.astype(dtype)


def divide(a, b):
    """Div: towards zero."""
    return (a - np.fmod(a, b)) // b if is_integer(a) else np.true_divide(a, b)


def remainder(a, b):
    """Mod: has the sign of `a`."""
    return np.fmod(a, b)


def floor_divide(a, b):
    return np.floor_divide(a, b)


def floor_remainder(a, b):
    """FloorMod: has the sign of `b`."""
    return np.remainder(a, b)


def minimum(a, b):
    """C's `a < b ? a : b`: `b` where one of them is not a number."""
    return np.minimum(a, b) if is_integer(a) else select(a < b, a, b)


def maximum(a, b):
    return np.maximum(a, b) if is_integer(a) else select(a > b, a, b)


def select(condition, a, b):
    return np.where(condition, a, b)[()]


def shift_left(a, b):
    return np.left_shift(a, b)


def shift_right(a, b):
    """Keeps the sign."""
    return np.right_shift(a, b)


def q_multiply_shift(x, multiplier, fraction_bits, shift):
    """x * multiplier * 2^(shift - fraction_bits), rounded half up."""
    left, right = max(int(shift), 0), max(-int(shift), 0)
    return q_multiply_shift_per_axis(x, multiplier, left, right, fraction_bits, True, True)


def q_multiply_shift_per_axis(x, multiplier, left, right, fraction_bits, shifts_left, shifts_right):
    wide = np.asarray(x).astype(np.int64)
    if shifts_left:
        wide = wide << np.asarray(left).astype(np.int64)
    right = np.asarray(right).astype(np.int64) if shifts_right else np.int64(0)
    right = right + np.int64(fraction_bits)
    rounding = np.int64(1) << (right - np.int64(1))
    product = wide * np.asarray(multiplier).astype(np.int64)
    return ((product + rounding) >> right).astype(np.int32)[()]


def round_half_away(x):
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x).astype(x.dtype)


def sigmoid(x):
    one = x.dtype.type(1)
    return one / (one + exp(x.dtype.type(0) - x))


def rsqrt(x):
    return x.dtype.type(1) / sqrt(x)


def bits_as(value, dtype):
    """reinterpret."""
    return np.asarray(value).view(dtype)[()]


def _c_math(function):
    """A function of math.h: of float32 it returns what is nearest to the exact value."""

    def rounded(*arguments):
        wide = [argument.astype(np.float64) for argument in arguments]
        return np.asarray(function(*wide)).astype(arguments[0].dtype)[()]

    return rounded


_erf = np.vectorize(math.erf, otypes=[np.float64])

# Of math.h: name in C to what computes it with doubles.
C_MATH = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "pow": np.power, "sqrt": np.sqrt, "erf": _erf, "tanh": np.tanh,
    "tan": np.tan, "sin": np.sin, "cos": np.cos, "sinh": np.sinh, "cosh": np.cosh,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "atan2": np.arctan2, "hypot": np.hypot,
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "fabs": np.abs,
    "round": round_half_away, "nearbyint": np.rint, "fmod": np.fmod, "copysign": np.copysign,
}  # fmt: skip
MATH = {name: _c_math(function) for name, function in C_MATH.items()}
exp, sqrt = MATH["exp"], MATH["sqrt"]

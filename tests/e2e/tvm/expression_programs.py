"""PrimFuncs with every kind of expression, and the forms that TVM would fold if it built them."""

import numpy as np
from tvm import tir
from tvm.ir import Range

from nodes import I32, used

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")



def _constants():
    for dtype in INTEGERS:
        low, high = np.iinfo(dtype).min, min(np.iinfo(dtype).max, 2**63 - 1)
        yield dtype, [tir.IntImm(dtype, value) for value in (0, 1, 7, int(low), int(high))]
    yield "bool", [tir.IntImm("bool", 0), tir.IntImm("bool", 1)]
    for dtype in FLOATS:
        # Not a number is left out: TVM cannot load what it saves of it.
        values = (0.0, -0.0, 1.0, -1.5, 0.1, 1e-5, 65504.0, float("inf"), float("-inf"))
        yield dtype, [tir.FloatImm(dtype, value) for value in values]
    yield "double", [tir.FloatImm("float64", value) for value in (1e300, 2**-1074, 1 / 3)]
    texts = ("", "plain", 'quote " and \\ slash', "line\nbreak\ttab", "\u00fcnicode")
    yield "strings", [tir.StringImm(text) for text in texts]


def _arithmetic():
    kinds = (tir.Add, tir.Sub, tir.Mul, tir.Div, tir.Mod, tir.FloorDiv, tir.FloorMod)
    for kind in (*kinds, tir.Min, tir.Max):
        values = []
        for dtype in ("int32", "int64", "float32"):
            x, y = tir.Var("x", dtype), tir.Var("y", dtype)
            make = tir.FloatImm if dtype == "float32" else tir.IntImm
            for number in (0, 1, 2):
                constant = make(dtype, number)
                values += [kind(x, constant), kind(constant, x)]
            values += [kind(x, y), kind(x, x), kind(kind(x, y), kind(y, x))]
            values += [kind(make(dtype, 6), make(dtype, 3))]
        yield kind.__name__, values


def _logic():
    x, y, p, q = (tir.Var(name, dtype) for name, dtype in zip("xypq", ["int32"] * 2 + ["bool"] * 2))
    for kind in (tir.EQ, tir.NE, tir.LT, tir.LE, tir.GT, tir.GE):
        compared = [kind(x, y), kind(x, tir.IntImm(I32, 3)), kind(tir.IntImm(I32, 3), x)]
        compared += [kind(x, x), kind(tir.IntImm(I32, 1), tir.IntImm(I32, 2))]
        compared += [tir.EQ(kind(x, y), p), tir.And(kind(x, y), kind(y, x))]
        yield kind.__name__, compared
    true = tir.IntImm("bool", 1)
    for kind in (tir.And, tir.Or):
        nested = [kind(kind(p, q), p), kind(p, kind(q, p)), kind(p, true), kind(true, p)]
        yield kind.__name__, [*nested, kind(tir.Not(p), q), tir.Not(kind(p, q)), kind(true, true)]
    yield "Not", [tir.Not(p), tir.Not(tir.Not(p)), tir.Not(true), tir.Not(tir.EQ(x, y))]


def _vectors():
    x, f = tir.Var("x", I32), tir.Var("f", "float32")
    ramp = tir.Ramp(x, tir.IntImm(I32, 1), 4)
    wide = tir.Broadcast(f, 4)
    yield "made", [ramp, tir.Ramp(x, x, 8), wide, tir.Broadcast(tir.IntImm("int64", 3), 16)]
    yield "added", [tir.Add(ramp, ramp), tir.Mul(wide, wide), tir.Max(wide, wide)]
    yield "compared", [tir.LT(ramp, ramp), tir.And(tir.EQ(ramp, ramp), tir.NE(ramp, ramp))]
    yield "shuffled", [tir.Shuffle([ramp], [tir.IntImm(I32, 2)]), tir.Shuffle([wide, wide], [0, 7])]
    yield "selected", [tir.Select(tir.LT(ramp, ramp), wide, wide), tir.Not(tir.LT(ramp, ramp))]
    yield "cast", [tir.Cast("float32x4", ramp), tir.Cast("int8x4", wide)]


def _others():
    x, y = tir.Var("x", I32), tir.Var("y", I32)
    yield "select", [tir.Select(tir.EQ(x, y), x, y), tir.Select(tir.IntImm("bool", 1), x, y)]
    inner, bound = tir.Var("inner", I32), tir.Var("bound", "float32")
    nested = tir.Let(inner, x, tir.Let(bound, tir.Cast("float32", inner), bound))
    yield "let", [tir.Let(y, x + 1, y * y), nested]
    casts = [tir.Cast(dtype, x) for dtype in (*INTEGERS, *FLOATS, "bool", "handle")]
    yield "cast", [*casts, tir.Cast(I32, tir.Cast(I32, x)), tir.Cast(I32, tir.IntImm("int64", 1))]
    yield "size_vars", [tir.SizeVar("n", I32), tir.SizeVar("m", "int64") * 2]
    shared = x
    for _ in range(8):
        shared = tir.Add(shared, shared)
    yield "shared", [shared]
    deep = x
    for k in range(60):
        deep = tir.Sub(tir.IntImm(I32, k), deep) if k % 2 else tir.Mul(deep, y)
    yield "deep", [deep]
    left, right, step = (tir.Var(name, I32) for name in ("left", "right", "step"))
    sum_ = tir.CommReducer([left], [right], [left + right], [tir.IntImm(I32, 0)])
    axis = tir.IterVar(Range(0, 4), step, tir.IterVar.CommReduce)
    # Unless told otherwise, Python makes initial values that are undefined, which are not none.
    for name, initial in (("undefined", None), ("none", []), ("one", [tir.IntImm(I32, 5)])):
        always = tir.IntImm("bool", 1)
        yield "reduce_" + name, [tir.Reduce(sum_, [step * x], [axis], always, 0, initial)]


def programs():
    """Pairs of a name and a PrimFunc."""
    for family in (_constants, _arithmetic, _logic, _vectors, _others):
        for name, values in family():
            yield family.__name__.strip("_") + "_" + name, used(values)

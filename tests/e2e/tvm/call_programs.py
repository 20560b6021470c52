"""PrimFuncs that call every builtin operator of this TVM."""

import tvm
from tvm import tir
from tvm.ir import PointerType, PrimType

from nodes import I32, buffer, call, evaluated

# Operators whose arguments must be something particular, and those that are not calls in TIR.
_PARTICULAR = {
    "address_of": lambda: ("handle", [tir.BufferLoad(buffer("b"), [3])]),
    "tvm_access_ptr": lambda: (
        "handle",
        [call("float32", "type_annotation"), buffer("b").data, 0, 16, 1],
    ),
    "type_annotation": lambda: ("float32", []),
    "if_then_else": lambda: (
        "float32",
        [tir.EQ(tir.Var("x", I32), 0), tir.FloatImm("float32", 1), tir.FloatImm("float32", 2)],
    ),
    "tvm_struct_get": lambda: ("handle", [tir.Var("h", "handle"), 0, 1]),
    "lookup_param": lambda: ("handle", [tir.StringImm("p0")]),
    "tvm_stack_alloca": lambda: ("handle", [tir.StringImm("array"), 4]),
    "reinterpret": lambda: ("handle", [tir.IntImm("uint64", 0)]),
    "ret": lambda: (I32, [tir.IntImm(I32, 0)]),
    "large_uint_imm": lambda: ("uint64", [tir.IntImm("uint32", 1), tir.IntImm("uint32", 2)]),
}
_STRINGS = "call_extern call_pure_extern tvm_call_packed tvm_call_cpacked tvm_call_trace_packed"
_FLOAT_OPS = (
    "exp exp2 exp10 tanh sigmoid sqrt rsqrt log log2 log1p log10 tan cos cosh sin sinh asin acos"
    " atan asinh acosh atanh erf floor ceil round trunc nearbyint fabs pow fmod atan2 nextafter"
    " hypot copysign ldexp isnan isfinite isinf"
)


def _arguments_of(op):
    """Arguments that an operator may have, whatever it makes of them."""
    name = op.name[len("tir.") :]
    if name in _PARTICULAR:
        return _PARTICULAR[name]()
    if name in _STRINGS.split():
        return I32, [tir.StringImm("callee"), tir.Var("x", I32), tir.FloatImm("float32", 2.5)]
    count = op.num_inputs if 0 <= op.num_inputs < 8 else 3
    dtype = "float32" if name in _FLOAT_OPS.split() else I32
    result = "bool" if name.startswith("is") else dtype
    return result, [tir.Var("x%d" % k, dtype) for k in range(count)]


def _operators():
    names = (str(name) for name in tvm.ir.Op.list_op_names())
    for name in sorted(name for name in names if name.startswith("tir.")):
        op = tvm.ir.Op.get(name)
        if op.num_inputs == 0 and name not in ("tir.ret", "tir.type_annotation"):
            dtype, args = I32, []
        else:
            dtype, args = _arguments_of(op)
        yield "op_" + name.replace(".", "_"), tir.Call(dtype, op, args)


def _intrinsics():
    """Calls with the arguments and dtypes of real code, those of devices included."""
    handle, x, y = tir.Var("h", "handle"), tir.Var("x", I32), tir.Var("y", I32)
    data = [buffer(name, (256,), "float16").data for name in "abc"]
    texture = [tir.Var("texture", PointerType(PrimType("float32"), "global.texture")), x, y]
    nullptr = call("handle", "reinterpret", tir.IntImm("uint64", 0))
    yield "packed", [call(I32, "tvm_call_packed", tir.StringImm("f"), handle, x, 2, nullptr)]
    yield "cpacked", [call(I32, "tvm_call_cpacked", tir.StringImm("f"), handle, nullptr)]
    yield "extern", [call(t, "call_extern", tir.StringImm("g"), x) for t in (I32, "handle", "")]
    yield "sync", [call(I32, "tvm_storage_sync", tir.StringImm("shared"))]
    yield "structs", [
        call("handle", "tvm_stack_make_shape", tir.IntImm("int64", 2), tir.IntImm("int64", 3)),
        call("int64", "tvm_struct_get", handle, 0, 12),
        call(I32, "tvm_struct_set", handle, 0, 12, x),
    ]
    yield "texture", [
        call("float32x4", "texture2d_load", *texture),
        call("handle", "texture2d_store", *texture, tir.Broadcast(tir.FloatImm("float32", 0), 4)),
    ]
    mma = [tir.StringImm(text) for text in ("m16n8k8", "row", "col", "fp16", "fp16", "fp32")]
    pointers = [data[0], x, data[1], y, data[2], x]
    yield "ptx_mma", [call("float32", "ptx_mma", *mma, *pointers, tir.IntImm("bool", 0))]
    yield "ptx_ldmatrix", [
        call(
            "float16",
            "ptx_ldmatrix",
            tir.IntImm("bool", 0),
            4,
            tir.StringImm(".b16"),
            data[0],
            x,
            data[1],
            y,
        )
    ]
    yield "ptx_cp_async", [
        call("float16", "ptx_cp_async", data[0], x, data[1], y, 16),
        call("", "ptx_commit_group"),
        call("", "ptx_wait_group", 0),
    ]
    yield "mma_store", [call("float16", "mma_store", 16, 16, data[0], data[1], x, y)]
    yield "mma_fill", [call("float16", "mma_fill", 8, data[0], x)]
    fragment = [data[0], 16, 16, 16, 0]
    yield "wmma", [
        call("handle", "tvm_fill_fragment", *fragment, tir.FloatImm("float32", 0)),
        call("handle", "tvm_load_matrix_sync", *fragment, data[1], 16, tir.StringImm("row_major")),
        call("handle", "tvm_mma_sync", data[0], 0, data[1], 0, data[2], 0, data[0], 0),
    ]
    yield "warp", [call("float32", "tvm_warp_shuffle", x, tir.Var("f", "float32"), 0, 32, 32)]
    yield "odd_dtypes", [
        call("float64", "exp", tir.Var("f", "float32")),
        call("", "tvm_call_packed", tir.StringImm("f")),
        call("int64", "q_multiply_shift", x, y, 31, 1),
        call("float32x8", "call_llvm_pure_intrin", tir.IntImm("uint32", 77), x),
    ]
    yield "folding", [
        call("float32", "floor", tir.FloatImm("float32", 1.5)),
        call("float32", "if_then_else", tir.IntImm("bool", 1), *[tir.FloatImm("float32", 1)] * 2),
        call("bool", "likely", tir.IntImm("bool", 1)),
        call(I32, "shift_left", tir.IntImm(I32, 1), tir.IntImm(I32, 4)),
        call("float32", "pow", tir.FloatImm("float32", 2), tir.FloatImm("float32", 3)),
    ]


def programs():
    """Pairs of a name and a PrimFunc."""
    for name, made in _operators():
        yield name, evaluated([made])
    for name, values in _intrinsics():
        yield "call_" + name, evaluated(values)

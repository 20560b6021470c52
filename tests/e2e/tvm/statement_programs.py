"""PrimFuncs with every kind of statement, buffer and attribute."""

import numpy as np
import tvm
from tvm import tir
from tvm.ir import PointerType, PrimType, Range, TupleType

import attribute_programs
from nodes import I32, buffer, call, function, seq, use

TRUE = tir.IntImm("bool", 1)
OPAQUE = 4  # of an IterVar; TVM 0.9 calls it DimInfo
HAS_DECL_BUFFER = hasattr(tir, "DeclBuffer")


def _load(source, *indices):
    return tir.BufferLoad(source, list(indices))


def _store(target, value, *indices):
    return tir.BufferStore(target, value, list(indices))


def _float(value):
    return tir.FloatImm("float32", value)


def _loop(body_of, low=0, extent=16, kind=tir.ForKind.SERIAL, thread=None, **annotations):
    """A loop; `body_of` makes the body from its variable."""
    dtype = getattr(extent, "dtype", I32)
    var = tir.Var("i", dtype)
    binding = thread and tir.IterVar(None, tir.Var("", dtype), tir.IterVar.ThreadIndex, thread)
    low = tir.IntImm(dtype, low) if isinstance(low, int) else low
    return tir.For(var, low, extent, kind, body_of(var), binding, annotations or None)


# --- Loops and branches ------------------------------------------------------------------------


def _loops():
    a, b = buffer("a"), buffer("b")

    def copy(i):
        return _store(b, _load(a, i) + _float(1), i)

    n = tir.Var("n", I32)
    for kind in ("SERIAL", "PARALLEL", "VECTORIZED", "UNROLLED"):
        yield kind.lower(), function(_loop(copy, kind=getattr(tir.ForKind, kind)), [a, b])
    yield "from_two", function(_loop(copy, low=2, extent=5), [a, b])
    yield "from_n", function(_loop(copy, low=n, extent=n), [a, b], [n])
    yield "int64", function(_loop(copy, extent=tir.IntImm("int64", 16)), [a, b])
    yield "annotated", function(_loop(copy, pragma=1, name="text", list=[1, 2]), [a, b])
    for tag in ("threadIdx.x", "blockIdx.y", "vthread"):
        bound = _loop(copy, kind=tir.ForKind.THREAD_BINDING, thread=tag)
        yield "bound_" + tag.replace(".", "_"), function(bound, [a, b])
    nest = _loop(lambda i: _loop(lambda j: copy(i * 4 + j), extent=4), extent=4)
    yield "nest", function(nest, [a, b])
    triangle = _loop(lambda i: _loop(lambda j: copy(j), extent=i + 1))
    yield "triangle", function(seq(triangle, _loop(copy)), [a, b])
    yield "pragma_unroll", function(_loop(copy, **{"pragma_unroll_explicit": TRUE}), [a, b])


def _branches():
    a = buffer("a", dtype=I32)
    n = tir.SizeVar("n", I32)
    yes, no = (_store(a, tir.IntImm(I32, value), 0) for value in (1, 2))
    inner = tir.IfThenElse(n > 5, yes, no)
    yield "then", function(tir.IfThenElse(n > 3, yes, None), [a], [n])
    yield "else", function(tir.IfThenElse(n > 3, seq(yes, no), no), [a], [n])
    yield "chain", function(tir.IfThenElse(n > 3, inner, inner), [a], [n])
    yield "dangling", function(
        tir.IfThenElse(n > 3, tir.IfThenElse(n > 4, yes, None), no), [a], [n]
    )
    yield "always", function(tir.IfThenElse(TRUE, yes, no), [a], [n])
    step = _store(a, _load(a, 0) - 1, 0)
    yield "while", function(seq(yes, tir.While(_load(a, 0) > 0, seq(step, inner))), [a], [n])
    yield "nested_seq", function(seq(yes, seq(no, step), seq(yes, step)), [a], [n])
    yield "evaluate", function(seq(tir.Evaluate(0), tir.Evaluate(n), tir.Evaluate(n + 1)), [], [n])


# --- Definitions -------------------------------------------------------------------------------


def _lets():
    x = tir.Var("x", I32)
    y = tir.Var("y", "float32")
    pointer = tir.Var("p", PointerType(PrimType("int8"), "global"))
    handle = tir.Var("h", "handle")
    param = tir.Var("param", "handle")
    inner = tir.LetStmt(y, tir.Cast("float32", x), use(y))
    address = call("handle", "address_of", _load(buffer("pool", (64,), "uint8"), 8))
    yield "int", function(tir.LetStmt(x, tir.IntImm(I32, 3), use(x)))
    yield "pair", function(tir.LetStmt(x, tir.IntImm(I32, 3), inner))
    yield "not_last", function(seq(tir.LetStmt(x, tir.IntImm(I32, 3), inner), use(_float(2))))
    null = call("handle", "reinterpret", tir.IntImm("uint64", 0))
    yield "handle", function(tir.LetStmt(handle, null, use(handle)))
    member = call("handle", "tvm_struct_get", param, 0, 1)
    yield "pointer", function(tir.LetStmt(pointer, member, use(pointer)), params=[param])
    yield "address", function(tir.LetStmt(pointer, address, use(pointer)))
    check = tir.AssertStmt(x == 3, tir.StringImm('expected "3"'), seq(use(x), use(x)))
    yield "assert", function(tir.LetStmt(x, tir.IntImm(I32, 3), check))
    yield "assert_not_last", function(seq(tir.AssertStmt(TRUE, tir.StringImm(""), use(y)), use(y)))


def _pointer(name, dtype, scope="global"):
    return tir.Var(name, PointerType(PrimType(dtype), scope))


def _on(var, shape, dtype, body_of, **fields):
    """`body_of` a buffer in `var`, declared where this TVM has a statement for it."""
    made = tir.decl_buffer(shape, dtype, var.name, data=var, **fields)
    body = body_of(made)
    return tir.DeclBuffer(made, body) if HAS_DECL_BUFFER else body


def _allocations():
    a = buffer("a")

    def through(work):
        return seq(_store(work, _load(a, 1), 0), _store(a, _load(work, 0), 2))

    for scope in ("global", "local", "shared", "shared.dyn", "global.workspace"):
        var = _pointer("work", "float32", scope)
        body = tir.Allocate(var, "float32", [16], TRUE, _on(var, (16,), "float32", through))
        yield scope.replace(".", "_"), function(body, [a])
    var, n = _pointer("work", "float32"), tir.Var("n", I32)
    bare = tir.decl_buffer((n, 4), "float32", "view", data=var)
    body = seq(_store(bare, _float(1), 0, 3), use(_load(bare, 1, 2)))
    yield "undeclared", function(tir.Allocate(var, "float32", [n * 4], TRUE, body), [], [n])
    annotated = tir.Allocate(var, "float32", [4, 4], n > 3, use(var), {"disable": 1, "k": "v"})
    yield "annotated", function(seq(annotated, tir.Evaluate(n)), [], [n])
    bits = _pointer("bits", "bool")
    yield "bool", function(
        tir.Allocate(bits, "bool", [8], TRUE, _on(bits, (8,), "bool", lambda b: _store(b, TRUE, 0)))
    )


def _constant(dtype, data, *annotations):
    var = _pointer("weights", dtype)
    array = data if isinstance(data, tvm.nd.NDArray) else tvm.nd.array(data.astype(dtype))
    return tir.AllocateConst(var, dtype, data.shape, array, use(var), *annotations)


def _constants():
    random = np.random.RandomState(0)
    dtypes = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool"
    for dtype in dtypes.split():
        data = (random.standard_normal((3, 50)) * 100).astype(dtype)
        yield dtype, function(_constant(dtype, data, {}))
    for dtype in attribute_programs.BEYOND_NUMPY:
        yield dtype, function(_constant(dtype, attribute_programs.array(dtype), {}))
    yield "large", function(_constant("int32", np.arange(2000), {}))
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3.4e38])
    yield "special", function(_constant("float32", special, {}))
    # Unless told otherwise, Python makes annotations that are undefined, which are not empty ones.
    yield "undefined_annotations", function(_constant("int8", np.arange(3)))
    yield "annotated", function(_constant("int8", np.arange(3), {"key": 1}))


# --- Attributes of statements ------------------------------------------------------------------


def _threads(tag, body_of, extent=32, dom=True):
    var = tir.Var(tag.replace(".", "_"), I32)
    axis = tir.IterVar(Range(0, extent) if dom else None, var, tir.IterVar.ThreadIndex, tag)
    key = "virtual_thread" if tag == "vthread" else "thread_extent"
    return tir.AttrStmt(axis, key, extent, body_of(var))


def _attributes():
    a = buffer("a", (64, 32))
    n = tir.Var("n", I32)
    body = _store(a, _float(1), 0, 0)
    for tag in ("blockIdx.x", "threadIdx.y", "vthread"):
        made = _threads(tag, lambda t: _store(a, _float(1), t, 0))
        yield "launch_" + tag.replace(".", "_"), function(made, [a])
    yield "launch_without_range", function(
        _threads("threadIdx.x", lambda t: _store(a, _float(1), t, 0), dom=False), [a]
    )
    both = _threads("blockIdx.x", lambda b: _threads("threadIdx.x", lambda t: _store(a, _float(2), b, t)))
    yield "launch_nested", function(seq(both, body), [a])
    nodes = {
        "none": None,
        "string": tvm.runtime.convert("default"),
        "var": n,
        "int": tir.IntImm(I32, 0),
        "data": a.data,
        "buffer": a,
        "array": tvm.runtime.convert([a.data, n]),
        "strings": tvm.runtime.convert(["x", "y"]),
    }
    for name, node in nodes.items():
        made = tir.AttrStmt(node, "pragma_key", tir.IntImm(I32, 7), body)
        yield "node_" + name, function(seq(made, body), [a], [n])
    values = {"text": tir.StringImm("text"), "sum": n + 1, "bool": TRUE, "float": _float(2.5)}
    for name, value in values.items():
        yield "value_" + name, function(tir.AttrStmt(n, "key", value, body), [a], [n])
    scope = tir.AttrStmt(
        a, "realize_scope", tir.StringImm("local"),
        tir.BufferRealize(a, [Range(0, 64), Range.from_min_extent(2, n)], TRUE, body),
    )
    yield "realize", function(scope, params=[n])
    yield "prefetch", function(seq(tir.Prefetch(a, [Range(0, 8), Range(4, 8)]), body), [a])
    x, y = tir.Var("x", "float32"), tir.Var("y", "float32")
    reducer = tir.CommReducer([x], [y], [x + y], [_float(0)])
    null = call("handle", "reinterpret", tir.IntImm("uint64", 0))
    yield "reduce_scope", function(tir.AttrStmt(reducer, "reduce_scope", null, body), [a])


# --- Blocks ------------------------------------------------------------------------------------


def _root(body, *alloc_buffers):
    block = tir.Block([], [], [], "root", body, None, list(alloc_buffers), [], None)
    return tir.BlockRealize([], TRUE, block)


def _region(source, *ranges):
    made = [Range.from_min_extent(low, extent) for low, extent in ranges]
    return tir.BufferRegion(source, made)


def _axis(name, extent, kind=tir.IterVar.DataPar, low=0):
    return tir.IterVar(Range.from_min_extent(low, extent), tir.Var(name, I32), kind)


def _blocks():
    a, b = buffer("a", (16, 16)), buffer("b", (16,))
    inner = buffer("inner", (16,), scope="local")

    def blocked(block_of, predicate=TRUE, allocated=()):
        def nested(i):
            return _loop(lambda k: tir.BlockRealize([i, k], predicate, block_of()))

        return function(_root(_loop(nested), *allocated), [a, b])

    def summed(init=True, annotations=None, kinds=(tir.IterVar.DataPar, tir.IterVar.CommReduce)):
        axes = [_axis("v%d" % k, 16, kind) for k, kind in enumerate(kinds)]
        i, k = (axis.var for axis in axes)
        body = _store(b, _load(b, i) + _load(a, i, k), i)
        reads = [_region(a, (i, 1), (k, 1))] + ([] if init else [_region(b, (i, 1))])
        start = _store(b, _float(0), i) if init else None
        return tir.Block(axes, reads, [_region(b, (i, 1))], "sum", body, start, [], [], annotations)

    yield "sum", blocked(summed)
    yield "without_init", blocked(lambda: summed(init=False))
    yield "where", blocked(summed, predicate=tir.Var("n", I32) > 3)
    notes = {"flag": 1, "text": "t", "list": [1, 2], "big": tir.IntImm("int64", 5)}
    yield "annotated", blocked(lambda: summed(annotations=notes))
    yield "scan_and_opaque", blocked(lambda: summed(kinds=(tir.IterVar.Ordered, OPAQUE)))

    def matched():
        axes = [_axis("v0", 16), _axis("v1", 16)]
        i = axes[0].var
        view = tir.decl_buffer((1, 16), "float32", "view", elem_offset=tir.Var("off", I32),
                               strides=[tir.Var("s0", I32), tir.Var("s1", I32)], offset_factor=1)
        region = _region(a, (i, 1), (0, 16))
        match = tir.MatchBufferRegion(view, region)
        body = seq(_store(inner, _load(view, 0, 3), 3), _store(b, _load(inner, 3), i))
        return tir.Block(
            axes, [region], [_region(b, (i, 1))], "match", body, None, [inner], [match], None
        )

    yield "matched", blocked(matched)
    shared = buffer("cache", (16,), scope="shared", data_alignment=32)
    yield "allocated_in_root", blocked(summed, allocated=[shared])
    opaque = tir.Block([], [_region(b, (0, 16))], [_region(b, (2, 5))], "", use(b.data))
    yield "opaque", function(_root(seq(tir.BlockRealize([], TRUE, opaque), use(b.data))), [b])


# --- Functions ---------------------------------------------------------------------------------


def _signatures():
    n, m = tir.Var("n", I32), tir.SizeVar("m", "int64")
    step, offset = tir.Var("step", I32), tir.Var("offset", I32)
    buffers = {
        "plain": buffer("a"),
        "scalar": buffer("a", ()),
        "int8": buffer("a", (2, 3, 4), "int8"),
        "bool": buffer("a", (4,), "bool"),
        "vector": buffer("a", (4,), "float32x4"),
        "half": buffer("a", (4,), "float16"),
        "symbolic": buffer("a", (n, n * 2)),
        "wide": buffer("a", (m, tir.IntImm("int64", 4))),
        "strided": buffer("a", (4, 4), strides=[step, 1]),
        "fixed_strides": buffer("a", (4, 4), strides=[8, 1]),
        "offset": buffer("a", (4,), elem_offset=offset, offset_factor=8),
        "fixed_offset": buffer("a", (4,), elem_offset=tir.IntImm(I32, 16)),
        "aligned": buffer("a", (4,), data_alignment=16),
        "scoped": buffer("a", (4,), scope="global.texture"),
        "broadcast": buffer("a", (4, 4), buffer_type="auto_broadcast"),
        "separated": buffer("a", (4, 4, 4), axis_separators=[1, 2]),
    }
    for name, made in buffers.items():
        body = use(_load(made, *[0] * len(made.shape)))
        yield "buffer_" + name, function(seq(body, use(made.data)), [made])
    types = ["handle", *(PointerType(PrimType(t), s) for t, s in (("int8", "global"), ("float32", "shared")))]
    params = [tir.Var("p%d" % k, kind) for k, kind in enumerate((*types, "bool", "float16", "uint8", "int64"))]
    yield "params", function(seq(*map(use, params)), params=[*params, n, m])
    twice = [buffer("a", (4,)), buffer("a", (4,)), buffer("b.c", (4,))]
    yield "same_names", function(seq(*[use(_load(made, 0)) for made in twice]), twice)
    shared = buffer("b", (8,), data=twice[0].data)
    yield "alias", function(use(_load(shared, 1)), [twice[0], shared])
    for dtype in (I32, "float32", "bool", "handle"):
        value = tir.Var("x", dtype)
        body = tir.Evaluate(call(dtype, "ret", value))
        yield "returns_" + dtype, tir.PrimFunc([value], body, PrimType(dtype))


def unusual_types():
    """Variables and results of types that TVMScript has no function for."""
    n = tir.Var("n", I32)
    pointer = PointerType(PointerType(PrimType("int8"), "global"), "shared")
    kinds = ("bfloat16", "int4", "float32x2", pointer)
    params = [tir.Var("p%d" % k, kind) for k, kind in enumerate(kinds)]
    yield "params", function(seq(*map(use, params)), params=params)
    yield "size", function(use(tir.SizeVar("size", "int4")))
    for var in (tir.Var("x", "bfloat16"), tir.Var("x", "int4"), tir.SizeVar("x", "int64")):
        let = tir.LetStmt(var, tir.Cast(var.dtype, n), use(var))
        yield "let_" + var.dtype, function(seq(let, use(n)), params=[n])
    for name, result in {
        "real": PrimType("bfloat16"),
        "pair": TupleType([PrimType("int8"), TupleType([PrimType("float32")])]),
    }.items():
        yield "returns_" + name, tir.PrimFunc([n], use(n), result)


def _function_attributes():
    body = tir.Evaluate(0)
    values = {
        "noalias": True,
        "number": 7,
        "big": tir.IntImm("int64", 1 << 40),
        "real": tir.FloatImm("float64", 0.1),
        "text": 'a "quoted"\nline',
        "expression": tir.StringImm("text"),
        "list": [1, "two", [3, True]],
        "map": {"a": 1, "b": {"c": "d"}},
        "target": tvm.target.Target("c -keys=arm_cpu,cpu -mcpu=cortex-m7"),
        "target_with_host": tvm.target.Target("llvm", host="c"),
        "gpu": tvm.target.Target("cuda -arch=sm_70"),
        "range": Range(2, 5),
        "dtype_pair": ["int8", "float32"],
        "layout": tir.layout("NCHW4c"),
        "index_map": tir.IndexMap.from_func(lambda i, j: [j // 4, i, j % 4]),
        "array": tvm.nd.array(np.arange(12, dtype="float32").reshape(3, 4)),
        "empty_list": [],
        "empty_map": {},
    }
    for name, value in values.items():
        yield name, function(body, **{name: value})
    yield "all", function(body, **values)
    yield "symbol", function(body, global_symbol="another_symbol", **{"tir.is_entry_func": True})
    yield "nothing", tir.PrimFunc([], body)


def programs():
    """Pairs of a name and a PrimFunc."""
    families = (
        _loops, _branches, _lets, _allocations, _constants, _attributes, _blocks, _signatures,
        unusual_types, _function_attributes,
    )
    for family in families:
        for name, made in family():
            yield family.__name__.strip("_") + "_" + name, made

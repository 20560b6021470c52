"""PrimFuncs of tensor operators: as blocks, lowered, and lowered under a few schedules."""

import tvm
from tvm import te, tir, topi


def _tensors(*shapes, dtype="float32"):
    return [te.placeholder(shape, dtype, "x%d" % k) for k, shape in enumerate(shapes)]


def _elementwise():
    """One tensor in, one out."""
    names = (
        "acos acosh asin asinh atan atanh ceil cos cosh erf exp fast_exp fast_tanh floor identity"
        " isfinite isinf isnan log log10 log2 negative round rsqrt sigmoid sign sin sinh sqrt tan"
        " tanh trunc"
    )
    for name in names.split():
        for dtype in ("float32", "float16") if name in ("exp", "round", "tanh") else ("float32",):
            (x,) = _tensors((4, 6), dtype=dtype)
            yield "%s_%s" % (name, dtype), [x, getattr(topi, name)(x)]


def _pairs():
    """Two tensors in, one out; the second one is broadcast."""
    floats = "add subtract multiply divide power maximum minimum floor_divide floor_mod mod"
    for name in floats.split():
        x, y = _tensors((3, 1, 5), (4, 5))
        yield name, [x, y, getattr(topi, name)(x, y)]
    integers = (
        "add multiply maximum floor_divide floor_mod bitwise_and bitwise_or bitwise_xor left_shift"
        " right_shift equal not_equal less less_equal greater greater_equal"
    )
    for name in integers.split():
        for dtype in ("int32", "int64", "uint8") if name in ("add", "equal") else ("int32",):
            x, y = _tensors((3, 1, 5), (4, 5), dtype=dtype)
            yield "%s_%s" % (name, dtype), [x, y, getattr(topi, name)(x, y)]
    for name in ("logical_and", "logical_or", "logical_xor"):
        x, y = _tensors((6,), (6,), dtype="bool")
        yield name, [x, y, getattr(topi, name)(x, y)]


def _reductions():
    for name in ("sum", "max", "min", "prod", "argmax", "argmin"):
        for axis in (1, (0, 2)):
            (x,) = _tensors((4, 6, 5))
            yield "%s_%s" % (name, str(axis).strip("()").replace(", ", "_")), [
                x,
                getattr(topi, name)(x, axis=axis),
            ]
    (x,) = _tensors((4, 6), dtype="bool")
    yield "all", [x, topi.all(x, axis=1)]
    yield "any", [x, topi.any(x, axis=1)]


def _movement():
    x, y = _tensors((4, 6), (4, 6))
    (cube,) = _tensors((2, 3, 4))
    (indices,) = _tensors((5,), dtype="int32")
    (condition,) = _tensors((4, 6), dtype="bool")
    yield "transpose", [cube, topi.transpose(cube, (2, 0, 1))]
    yield "reshape", [cube, topi.reshape(cube, (4, 6))]
    yield "squeeze", [x, topi.squeeze(topi.expand_dims(x, 1))]
    yield "concatenate", [x, y, topi.concatenate((x, y), axis=1)]
    yield "stack", [x, y, topi.stack((x, y), axis=0)]
    yield "split", [x, *topi.split(x, [2, 5], axis=1)]
    yield "flip", [x, topi.flip(x, axis=1)]
    yield "tile", [x, topi.tile(x, (2, 3))]
    yield "repeat", [x, topi.repeat(x, 2, axis=0)]
    yield "take", [x, indices, topi.take(x, indices, axis=0)]
    yield "take_clip", [x, indices, topi.take(x, indices, axis=1, mode="clip")]
    yield "one_hot", [
        indices,
        topi.one_hot(indices, tir.const(1.0), tir.const(0.0), 4, -1, "float32"),
    ]
    yield "where", [condition, x, y, topi.where(condition, x, y)]
    yield "strided_slice", [x, topi.strided_slice(x, [0, 1], [4, 6], [2, 2])]
    yield "broadcast_to", [x, topi.broadcast_to(x, (3, 4, 6))]
    yield "full", [topi.full((3, 4), "float32", tir.const(0.25, "float32"))]
    yield "clip", [x, topi.clip(x, -1.5, 2.5)]
    yield "cast", [x, topi.cast(x, "int8")]
    yield "layout", [cube, topi.layout_transform(topi.expand_dims(cube, 0), "NCHW", "NHWC")]
    yield "cumsum_like", [x, te.compute((4, 6), lambda i, j: x[i, j] * tir.Cast("float32", i + j))]


def _networks():
    image, filters = _tensors((1, 4, 8, 8), (6, 4, 3, 3))
    last, last_filters = _tensors((1, 8, 8, 4), (3, 3, 4, 6))
    deep, deep_filters = _tensors((1, 4, 8, 8), (4, 1, 3, 3))
    x, weights, bias = _tensors((5, 16), (8, 16), (8,))
    yield "conv2d_nchw", [image, filters, topi.nn.conv2d_nchw(image, filters, 1, 1, 1)]
    yield "conv2d_nchw_strided", [image, filters, topi.nn.conv2d_nchw(image, filters, 2, 0, 1)]
    yield "conv2d_nhwc", [last, last_filters, topi.nn.conv2d_nhwc(last, last_filters, 1, 1, 1)]
    yield "depthwise", [
        deep,
        deep_filters,
        topi.nn.depthwise_conv2d_nchw(deep, deep_filters, 1, 1, 1),
    ]
    yield "dense", [x, weights, bias, topi.nn.dense(x, weights, bias)]
    yield "relu", [x, topi.nn.relu(x)]
    yield "leaky_relu", [x, topi.nn.leaky_relu(x, 0.1)]
    yield "softmax", [x, topi.nn.softmax(x)]
    yield "log_softmax", [x, topi.nn.log_softmax(x)]
    yield "pad", [x, topi.nn.pad(x, (1, 2), (1, 0), 0.5)]
    yield "flatten", [image, topi.nn.flatten(image)]
    for kind in ("max", "avg"):
        pooled = topi.nn.pool2d(image, (2, 2), (2, 2), (1, 1), (1, 0, 1, 0), kind)
        yield "pool_%s" % kind, [image, pooled]
    yield "global_pool", [image, topi.nn.global_pool(image, "avg")]
    batch, batch_weights = _tensors((2, 4, 8), (2, 6, 8))
    yield "batch_matmul", [batch, batch_weights, topi.nn.batch_matmul(batch, batch_weights)]
    left, right = _tensors((4, 6), (6, 5), dtype="int8")
    depth = te.reduce_axis((0, 6), "k")
    product = te.compute(
        (4, 5),
        lambda i, j: te.sum(
            left[i, depth].astype("int32") * right[depth, j].astype("int32"), axis=depth
        ),
        "product",
    )
    yield "matmul_int8", [left, right, product]


def _symbolic():
    rows, columns = te.var("rows"), te.size_var("columns")
    x = te.placeholder((rows, columns), "float32", "x")
    yield "dynamic_scale", [x, te.compute((rows, columns), lambda i, j: x[i, j] * 2.0, "scaled")]
    axis = te.reduce_axis((0, columns), "axis")
    yield "dynamic_sum", [x, te.compute((rows,), lambda i: te.sum(x[i, axis], axis=axis), "sums")]
    half = te.compute((rows // 2,), lambda i: x[i * 2, columns - 1], "half")
    yield "dynamic_half", [x, half]


def operators():
    """Pairs of a name and the tensors of an operator."""
    for family in (_elementwise, _pairs, _reductions, _movement, _networks, _symbolic):
        for name, tensors in family():
            yield name, tensors


def _outputs(tensors):
    return [tensor for tensor in tensors if not isinstance(tensor.op, te.PlaceholderOp)]


def _schedule(tensors):
    return te.create_schedule([tensor.op for tensor in _outputs(tensors)])


def _split_and_annotated(tensors):
    """Loops split, unrolled, parallel and vectorised."""
    schedule = _schedule(tensors)
    stage = schedule[_outputs(tensors)[0]]
    axes = list(stage.op.axis)
    outer, inner = stage.split(axes[-1], factor=4)
    stage.vectorize(inner)
    if len(axes) > 1:
        stage.parallel(axes[0])
        stage.unroll(outer)
    return schedule


def _on_gpu(tensors):
    """Every output bound to threads, what comes before it computed in place."""
    schedule = _schedule(tensors)
    for tensor in _outputs(tensors):
        stage = schedule[tensor]
        fused = stage.fuse(*stage.op.axis)
        block, thread = stage.split(fused, factor=8)
        stage.bind(block, te.thread_axis("blockIdx.x"))
        stage.bind(thread, te.thread_axis("threadIdx.x"))
    return schedule


SCHEDULED = "add exp_float32 maximum transpose where take clip add_int64 sum_1".split()


def _lowered(schedule, tensors, name):
    return tvm.lower(schedule, tensors, name=name)[name]


def programs():
    """Pairs of a name and a PrimFunc."""
    for name, tensors in operators():
        yield "blocks_" + name, te.create_prim_func(tensors)
        yield "lowered_" + name, _lowered(_schedule(tensors), tensors, "lowered_" + name)
        if name in SCHEDULED:
            split = _split_and_annotated(tensors)
            yield "split_" + name, _lowered(split, tensors, "split_" + name)
            gpu = _on_gpu(tensors)
            yield "gpu_" + name, _lowered(gpu, tensors, "gpu_" + name)

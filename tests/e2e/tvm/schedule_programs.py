"""PrimFuncs of block schedules: what TensorIR's own primitives leave, and the same lowered."""

import tvm
from tvm import te, tir


def _product():
    left, right = (te.placeholder((32, 32), "float32", name) for name in ("left", "right"))
    depth = te.reduce_axis((0, 32), "k")
    product = te.compute(
        (32, 32), lambda i, j: te.sum(left[i, depth] * right[depth, j], axis=depth), "product"
    )
    result = te.compute((32, 32), lambda i, j: te.max(product[i, j], 0.0), "result")
    return te.create_prim_func([left, right, result])


def _tiled(schedule):
    i, j, k = schedule.get_loops(schedule.get_block("product"))
    i0, i1 = schedule.split(i, [None, 8])
    j0, j1 = schedule.split(j, [None, 8])
    schedule.reorder(i0, j0, k, i1, j1)
    return i0, j0, k, i1, j1


def _split(schedule):
    i, _, _ = schedule.get_loops(schedule.get_block("product"))
    schedule.split(i, [5, 7])


def _annotated(schedule):
    i0, j0, _, i1, j1 = _tiled(schedule)
    schedule.parallel(i0)
    schedule.unroll(i1)
    schedule.vectorize(j1)
    schedule.annotate(j0, "pragma_auto_unroll_max_step", 16)
    schedule.annotate(schedule.get_block("product"), "note", "text")


def _decomposed(schedule):
    _, _, k, _, _ = _tiled(schedule)
    schedule.decompose_reduction(schedule.get_block("product"), k)


def _cached(schedule):
    i0, j0, _, _, _ = _tiled(schedule)
    cached = schedule.cache_read(schedule.get_block("product"), 0, "shared")
    schedule.compute_at(cached, j0)
    kept = schedule.cache_write(schedule.get_block("product"), 0, "local")
    schedule.reverse_compute_at(kept, j0)


def _aligned(schedule):
    product = schedule.get_block("product")
    schedule.storage_align(product, 0, axis=-2, factor=32, offset=8)
    schedule.set_scope(product, 0, "shared")


def _blockized(schedule):
    _, _, k, _, _ = _tiled(schedule)
    schedule.blockize(k)


def _factored(schedule):
    _, _, k = schedule.get_loops(schedule.get_block("product"))
    outer, _ = schedule.split(k, [None, 4])
    schedule.rfactor(outer, 0)


def _bound(schedule):
    i0, j0, _, i1, j1 = _tiled(schedule)
    for loop, tag in ((i0, "blockIdx.y"), (j0, "blockIdx.x"), (i1, "threadIdx.y")):
        schedule.bind(loop, tag)
    schedule.bind(j1, "threadIdx.x")
    i, j = schedule.get_loops(schedule.get_block("result"))
    schedule.bind(i, "blockIdx.x")
    schedule.bind(j, "threadIdx.x")


def _cross_thread(schedule):
    _, _, k = schedule.get_loops(schedule.get_block("product"))
    schedule.bind(k, "threadIdx.x")
    i, j = schedule.get_loops(schedule.get_block("result"))
    schedule.bind(schedule.fuse(i, j), "blockIdx.x")


SCHEDULES = (
    _tiled, _split, _annotated, _decomposed, _cached, _aligned, _blockized, _factored,
    _bound, _cross_thread,
)


def programs():
    """Pairs of a name and a PrimFunc."""
    for transform in SCHEDULES:
        name = transform.__name__.strip("_")
        schedule = tir.Schedule(_product())
        transform(schedule)
        made = schedule.mod["main"]
        yield "schedule_" + name, made
        yield "lowered_schedule_" + name, tvm.lower(made, name="main")["main"]

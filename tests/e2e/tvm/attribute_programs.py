"""Modules whose attributes hold every sort of value: targets, pools, index maps, Relay, unknowns."""

import ctypes
import inspect

import numpy as np
import tvm
from tvm import relay, tir
from tvm.ir import memory_pools

from nodes import function

def array(dtype, shape=(3, 4)):
    """An NDArray whose bytes count, of whatever dtype, also of those that NumPy lacks."""
    made = tvm.nd.empty(shape, dtype)
    step = (tvm.DataType(dtype).bits + 7) // 8
    count = int(np.prod(shape)) * step
    # Of truth values every byte is 0 or 1.
    content = bytes(byte % (2 if dtype == "bool" else 251) for byte in range(count))
    base = tvm._ffi.base
    size = ctypes.c_size_t(count)
    base.check_call(base._LIB.TVMArrayCopyFromBytes(made.handle, content, size))
    return made


def _has(dtype):
    try:
        tvm.nd.empty((1,), dtype)
    except ValueError:
        return False
    return True


BEYOND_NUMPY = [*filter(_has, ("bfloat16", "e4m3_float8", "e5m2_float8"))]


def _arrays():
    dtypes = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
    for dtype in (*dtypes.split(), *BEYOND_NUMPY):
        yield dtype, array(dtype)
    yield "scalar", array("int32", ())
    yield "empty", array("float32", (0, 3))


def _targets():
    target = tvm.target.Target
    host = {"kind": "llvm", "mcpu": "skylake", "mattr": ["+avx2", "+fma"], "num-cores": 4}
    yield "plain", target("c")
    yield "keys", target("c -keys=arm_cpu,cpu -mcpu=cortex-m7 -march=armv7e-m")
    yield "host", target("c", host=target(host))
    yield "host_of_host", target(target("c", host=target("llvm")), host=target("c -mcpu=x"))
    yield "host_in_text", target({"kind": "opencl", "max_num_threads": 4096, "host": host})
    yield "composite", target({"kind": "composite", "devices": ["llvm", "c -mcpu=m0"]})
    yield "libs", target("llvm -libs=cblas,mkl -opt-level=3")
    yield "device", target("opencl -device=mali -max_num_threads=256")
    yield "micro", tvm.target.target.micro("stm32f746xx")
    yield "kind", target("c").kind


def _pools():
    target = tvm.target.Target("c")
    numbers = {
        "size_hint_bytes": 65536,
        "clock_frequency_hz": 480_000_000,
        "read_bandwidth_bytes_per_cycle": 8,
        "write_bandwidth_bytes_per_cycle": 4,
        "read_latency_cycles": 1,
        "write_latency_cycles": 2,
        "target_burst_bytes": {target: 16},
    }
    properties = memory_pools.PoolInfoProperties(**numbers)
    sram = memory_pools.WorkspacePoolInfo("sram", [target], properties)
    yield "properties", properties
    yield "workspace", sram
    yield "workspaces", tvm.ir.WorkspaceMemoryPools([sram, sram])
    yield "flash", memory_pools.ConstantPoolInfo("flash", [target], *_constants())
    yield "buffer_info", tir.usmp.BufferInfo("planned", 100, [sram], 8)
    if hasattr(memory_pools, "AllocatedPoolInfo"):
        yield "allocated", memory_pools.AllocatedPoolInfo(sram, 1440, 3)


def _constants():
    """The constants of a pool, where this TVM can make such."""
    if hasattr(memory_pools, "ConstantInfo"):
        yield [memory_pools.ConstantInfo("weights", 64, array("int16"))]


def _index_maps():
    yield "tiled", tir.IndexMap.from_func(lambda i, j: [j, i // 4, i % 4])
    if "inverse_index_map" in inspect.signature(tir.IndexMap.from_func).parameters:
        swapped = tir.IndexMap.from_func(lambda i, j: [j, i], inverse_index_map=lambda a, b: [b, a])
        yield "inverse", swapped


def _relay():
    x = relay.var("x", shape=(1, 4), dtype="float32")
    sum_ = relay.add(x, relay.const(np.ones((1, 4), "float32")))
    function_of_x = relay.Function([x], relay.Tuple([relay.nn.softmax(sum_), sum_]))
    typed = relay.transform.InferType()(tvm.IRModule.from_expr(function_of_x))
    yield "untyped", function_of_x
    yield "typed", typed["main"]
    yield "attrs", tvm.ir.make_node("relay.attrs.SoftmaxAttrs", axis=1)


def _others():
    """Objects that no table of mlf has are kept by their fields."""
    yield "layout", tir.layout("NCHW16c")
    yield "bijective_layout", tir.bijective_layout("NCHW", "NHWC")
    yield "trace", tir.schedule.Trace([], {})
    yield "virtual_device", tvm.target.VirtualDevice(tvm.cpu(0), tvm.target.Target("c"), "global")
    yield "operator", relay.op.get("nn.conv2d")
    yield "nothing", {"none": None, "list": [None, 1]}
    for name in ("VDevice", "DummyGlobalInfo"):
        if hasattr(tvm.ir, name):
            yield name, getattr(tvm.ir, name)(*(["llvm", 0] if name == "VDevice" else []))


FAMILIES = {
    "arrays": _arrays,
    "targets": _targets,
    "pools": _pools,
    "index_maps": _index_maps,
    "relay": _relay,
    "others": _others,
}


def modules():
    """Pairs of a name and a module; each value is one of the function's attributes as well."""
    for family, make in FAMILIES.items():
        values = {name: tvm.runtime.convert(value) for name, value in make()}
        main = function(tir.Evaluate(0), (), (), **values)
        module = tvm.IRModule({"main": main})
        for name, value in values.items():
            module = module.with_attr(name, value)
        yield "attributes_" + family, module.with_attr("again", [*values.values()])

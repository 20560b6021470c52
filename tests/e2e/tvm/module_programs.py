"""Whole modules: their attributes, calls between functions, and networks as AOT lowers them."""

import numpy as np
import tvm
from tvm import tir
from tvm.ir import PrimType
from tvm.relay.backend import Executor, Runtime

import builds
import networks
from nodes import I32, buffer, function, seq, use


def _attributes():
    """An attribute of every sort that a module has."""
    weights = tvm.nd.array(np.arange(6, dtype="float32").reshape(2, 3))
    values = {
        "executor": Executor("aot", {"interface-api": "c", "unpacked-api": True}),
        "runtime": Runtime("crt", {"system-lib": False}),
        "constants": {"weights": weights, "bias": tvm.nd.array(np.zeros(3, "int8"))},
        "again": [weights, weights],
        "target": tvm.target.Target("llvm", host="c"),
        "number": 3,
        "flag": tir.IntImm("bool", 1),
        "names": ["one", "two", {"three": 3}],
        "pools": [tvm.ir.memory_pools.WorkspacePoolInfo("sram", [tvm.target.Target("c")])]
        if hasattr(tvm.ir, "memory_pools")
        else [],
    }
    module = tvm.IRModule({"main": function(tir.Evaluate(0))})
    for key, value in values.items():
        module = module.with_attr(key, tvm.runtime.convert(value))
    return module


def _calls():
    """Functions that call one another, with and without a result."""
    x, y, data = tir.Var("x", I32), tir.Var("y", I32), buffer("data", (4,), I32)
    square = tir.PrimFunc([x], tir.Evaluate(tir.ret(x * x)), PrimType(I32))
    names = {name: tvm.ir.GlobalVar(name) for name in ("square", "apply", "main")}
    result = tir.Call(I32, names["square"], [y + 1])
    apply = function(tir.BufferStore(data, result, [0]), [data], [y])
    nothing = tir.Call("", names["apply"], [data.data, tir.IntImm(I32, 4)])
    elsewhere = tir.Call(I32, tvm.ir.GlobalVar("elsewhere"), [])
    main = function(seq(tir.Evaluate(nothing), use(elsewhere)))
    return tvm.IRModule({names["square"]: square, names["apply"]: apply, names["main"]: main})


def _lowered(maker, configuration):
    factory = builds.aot(networks.from_relay(maker).module, configuration)
    (module,) = factory.lowered_ir_mods.values()
    return module


MAKERS = (networks.several_inputs_and_outputs, networks.split_and_concat)


def modules():
    """Pairs of a name and an IRModule."""
    yield "module_attributes", _attributes()
    yield "module_calls", _calls()
    for maker in MAKERS:
        for configuration in builds.CONFIGURATIONS:
            label = "network_%s_%s" % (maker.__name__, configuration.name)
            yield label, _lowered(maker, configuration)

"""Builds for two devices: the graph of mlf is TVM's own, and all memory has its device.

Usage: PYTHON_OF_A_TVM_VENV heterogeneous.py
"""

import json
import unittest

import mlf_tvmc
import numpy
import support
import tvm
from tvm import relay
from tvm.contrib import graph_executor

import devices

_LLVM = "llvm -mtriple=x86_64-linux-gnu"


def network(first, second):
    """The second kernel is on another device."""

    def on(expr, device):
        return relay.annotation.on_device(expr, device, constrain_result=True)

    def weights(*shape):
        return relay.const(numpy.random.default_rng(1).random(shape, dtype="float32"))

    data = relay.var("data", shape=(1, 16))
    dense = on(relay.nn.dense(data, weights(8, 16)), first)
    there = on(relay.nn.relu(relay.exp(relay.op.device_copy(dense, first, second))), second)
    result = on(relay.nn.dense(relay.op.device_copy(there, second, first), weights(4, 8)), first)
    return tvm.IRModule.from_expr(relay.Function([data], result))


class Heterogeneous(devices.Captures):
    def build(self, module, targets):
        with mlf_tvmc.capture(("lowered", "codegen")) as captured:
            with tvm.transform.PassContext(opt_level=3, config={"tir.disable_vectorize": True}):
                factory = relay.build(module, targets)
        self.export(captured)
        self.check_whole()
        return factory

    def check_graph(self, factory):
        """mlf writes the attributes of nodes that the executor reads, and the hash."""
        own, tvms = self.read("default.graph.json"), json.loads(factory.get_graph_json())
        for left, right in zip(own["nodes"], tvms["nodes"], strict=True):
            attrs = right.get("attrs", {})
            self.assertEqual(left.get("attrs", {}), {key: attrs[key] for key in left.get("attrs", {})})
            self.assertEqual(*({**one, "attrs": None} for one in (left, right)))
        for key in ("arg_nodes", "heads", "attrs", "node_row_ptr"):
            self.assertEqual(own[key], tvms[key])
        return own["attrs"]["device_index"][1]

    def test_a_cpu_and_opencl(self):
        targets = [tvm.target.Target(kind, host="c") for kind in ("c", "opencl")]
        factory = self.build(network(tvm.cpu(), tvm.cl()), targets)
        self.assertEqual(self.check_graph(factory), [1, 1, 1, 4, 4, 1, 1, 1])
        topology = self.read("default.topology.json")
        self.assertEqual([one["device"] for one in topology["kernels"]], [1, 4, 1])
        self.assertEqual([one["device"] for one in topology["values"]], [1, 1, 1, 4, 4, 1, 1, 1])
        for value in topology["values"]:
            self.assertEqual(value["device"], topology["storages"][value["storage"]]["device"])
        executor = {one["device"]: one["bytes"] for one in topology["memory"] if one["kind"] == "executor"}
        self.assertEqual(executor, {1: 512 + 32 + 128 + 16, 4: 64})
        report = support.report_of(self.directory / "tir")
        self.assertEqual(report["ram"]["executor"], executor[1])
        self.assertEqual([(one["device"], one["executor"]) for one in report["devices"]], [(4, 64)])
        rows = support.run_ok("table", "--rows", "device", "--format", "jsonl", self.directory / "tir").stdout
        row = json.loads(rows)
        self.assertEqual([row["device"], row["executor_min"], row["executor_max"]], [4, 64, 64])
        self.assertLessEqual(report["peak"]["used"], report["ram"]["executor"] + report["ram"]["stack"])
        support.run_ok("verify", self.directory / "tir")
        (self.directory / "tir").rename(self.directory / "two")
        self.build(devices.softmax_network(), targets[0])
        self.assertEqual(self.memory_changes(), {"devices.4.executor": (64, 0)})
        # A build for this device alone has the memory as its RAM.
        self.build(network(tvm.cl(0), tvm.cl(1)), targets[1])
        self.assertEqual(self.memory_changes()["devices.4.executor"], (64, 512 + 32 + 128 + 16 + 64))

    def memory_changes(self):
        """The numbers of other devices that changed since the first build."""
        result = support.run("diff", "--format", "json", self.directory / "two", self.directory / "tir")
        (module,) = json.loads(result.stdout)["modules"]
        return {one["what"]: (one["before"], one["after"])
                for one in module["numbers"] if one["what"].startswith("devices.")}

    def test_the_graph_of_two_cpus_runs_in_the_executor(self):
        """These wheels have no other device that runs."""
        target = tvm.target.Target(_LLVM, host=_LLVM)
        factory = self.build(network(tvm.cpu(0), tvm.cpu(1)), target)
        self.assertEqual(self.check_graph(factory), [1] * 8)
        data = numpy.random.default_rng(2).random((1, 16), dtype="float32")
        results = []
        for graph in (factory.get_graph_json(), (self.directory / "tir" / "default.graph.json").read_text()):
            executor = graph_executor.create(graph, factory.lib, tvm.cpu())
            executor.set_input("data", data, **factory.get_params())
            executor.run()
            results.append(executor.get_output(0).numpy())
        numpy.testing.assert_array_equal(*results)
        self.assertGreater(abs(results[0]).max(), 0)

    def test_one_device_that_is_no_cpu_has_the_ram(self):
        self.build(devices.softmax_network(), tvm.target.Target("opencl", host="c"))
        self.assertEqual(set(self.read("default.graph.json")["attrs"]["device_index"][1]), {4})
        report = support.report_of(self.directory / "tir")
        self.assertNotIn("devices", report)
        self.assertGreater(report["ram"]["executor"], 0)
        self.assertNotIsInstance(report["ram"]["stack"], int)
        self.assertIn("each thread of 'tvmgen_default_fused_nn_softmax' may have its own", json.dumps(report))


if __name__ == "__main__":
    unittest.main()

"""`mlf optimize --reorder` on networks with uneven branches, built with TVM and run.

TVM runs the branches of a concatenation one after the other in the order of its operands. A branch
that widens much and ends small should be first: what the others leave behind is then not there yet
at its widest place. Archives with captured TIR, as text and as save_json, and both interfaces.

Usage: PYTHON_OF_A_TVM_VENV plan_order.py
"""

import json
import pathlib
import tempfile
import unittest

import support

try:
    import tvm
    from tvm import relay
    from tvm.relay.backend import Executor, Runtime
except ImportError:
    support.skip("this Python has no TVM; tests/run --all makes one that has")

import exporter
import layers
import plan_run

# By interface: channels that each branch widens to, and those that it ends with.
BRANCHES = {"c": [(8, 8), (16, 4), (64, 1)], "packed": [(4, 4), (48, 2), (8, 6)]}


def towers(branches):
    weights = layers.Weights()
    data = relay.var("data", shape=(1, 2, 8, 8), dtype="float32")
    ends = []
    for wide, narrow in branches:
        value, channels = data, 2
        for count in (wide, narrow):
            kernel = weights.floats((count, channels, 1, 1))
            value = relay.nn.relu(
                relay.nn.conv2d(value, kernel, channels=count, kernel_size=(1, 1))
            )
            channels = count
        ends.append(value)
    joined = relay.concatenate(ends, axis=1)
    return tvm.IRModule.from_expr(relay.Function([data], relay.nn.relu(joined)))


def build(module, interface):
    config = {"tir.disable_vectorize": True, "tir.usmp.enable": True}
    unpacked = interface == "c"
    executor = Executor("aot", {"interface-api": interface, "unpacked-api": unpacked})
    target = tvm.target.Target("c", host="c")
    with tvm.transform.PassContext(opt_level=3, config=config):
        return relay.build(module, target, executor=executor, runtime=Runtime("crt"))


class Orders(unittest.TestCase):
    def archive(self, directory, interface):
        path = pathlib.Path(directory) / f"towers-aot-{interface}-usmp.tar"
        factory = build(towers(BRANCHES[interface]), interface)
        exporter.export(factory, path)
        exporter.add_members(path, exporter.captured_tir(factory))
        return path

    def check(self, path):
        (module,) = json.loads(support.run_ok("plan", "--json", path).stdout)["modules"]
        ((pool,), order) = module["pools"], module["order"]
        self.assertEqual(pool["refused"], [])
        self.assertLess(order["pools"][0]["best"], pool["best"])
        self.assertLess(order["peak"], order["peak_now"])
        self.assertTrue(order["is_proven"])
        judge = plan_run.Judge()
        judge.archive(path)
        self.assertEqual(judge.faults, [])
        self.assertEqual(judge.not_run, [])
        self.assertEqual(judge.reordered, 1)

    def test_of_uneven_branches_need_less(self):
        for interface in BRANCHES:
            with self.subTest(interface=interface), tempfile.TemporaryDirectory() as directory:
                self.check(self.archive(directory, interface))


if __name__ == "__main__":
    unittest.main()

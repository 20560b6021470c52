"""`mlf optimize --reorder` on networks with uneven branches, built with TVM and run.

TVM runs the branches of a concatenation one after the other in the order of its operands. A branch
that widens much and ends small should be first: what the others leave behind is then not there yet
at its widest place. Archives with captured TIR, as text and as save_json, and both interfaces.

Usage: PYTHON_OF_A_TVM_VENV plan_order.py
"""

import unittest

import program_case
import support

import need_tvm  # noqa: F401: skips where there is no TVM
import tvm
from tvm import relay

import builds
import exporter
import layers
import plan_run

# Channels that each branch widens to, and those that it ends with.
BRANCHES = {
    builds.C_PLANNED: [(8, 8), (16, 4), (64, 1)],
    builds.PACKED_PLANNED: [(4, 4), (48, 2), (8, 6)],
}


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


class Orders(program_case.Directory):
    def archive(self, configuration):
        path = self.directory / f"towers-aot-{configuration.name}.tar"
        factory = builds.aot(towers(BRANCHES[configuration]), configuration)
        exporter.export(factory, path)
        exporter.add_members(path, exporter.captured_tir(factory))
        return path

    def check(self, path):
        (module,) = support.json_of("plan", "--json", path)["modules"]
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
        for configuration in BRANCHES:
            with self.subTest(configuration.name):
                self.check(self.archive(configuration))


if __name__ == "__main__":
    unittest.main()

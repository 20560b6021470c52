"""What mlf plans against what TVM's own planners plan.

Every network that a test builds is built with each algorithm of TVM's unified static memory
planner. Of every one of these archives, with TIR that was captured and with generated C alone:
  - the pool is not refused, and bound <= ours <= TVM's best of all algorithms;
  - what mlf says that greedy_by_size, greedy_by_conflicts and hill_climb would need is what TVM's
    own planners of these names needed. The hill_climb of v0.9 chooses by addresses, so that its
    result is another one from run to run: it is only held against the bound.
The table of plan_table.py is printed and checked of all networks together.

Usage: PYTHON_OF_A_TVM_VENV plan_tvm.py
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
import networks
import plan_table

ALGORITHMS = ("greedy_by_size", "greedy_by_conflicts", "hill_climb")
IS_CERTAIN = not tvm.__version__.startswith("0.9")
REPRODUCED = set(ALGORITHMS if IS_CERTAIN else ALGORITHMS[:2])


def build(module, algorithm):
    config = {
        "tir.disable_vectorize": True,  # the generated C has no vector types
        "tir.usmp.enable": True,
        "tir.usmp.algorithm": algorithm,
    }
    executor = Executor("aot", {"interface-api": "c", "unpacked-api": True})
    target = tvm.target.Target("c", host="c")
    with tvm.transform.PassContext(opt_level=3, config=config):
        return relay.build(module, target, executor=executor, runtime=Runtime("crt"))


def pools(archive):
    (module,) = json.loads(support.run_ok("plan", "--json", archive).stdout)["modules"]
    return module["pools"]


class Plans(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.rows = []

    @classmethod
    def tearDownClass(cls):
        print("\n" + plan_table.text(cls.rows))

    def archives(self, name, module):
        """Path and pools by algorithm; with captured TIR, then with its C alone."""
        for algorithm in ALGORITHMS:
            try:
                factory = build(module, algorithm)
            except tvm.TVMError as error:  # v0.9 fails for networks without a kernel
                print(f"not built: {name}, {algorithm}: {str(error).strip().splitlines()[-1]}")
                continue
            stock = self.folder / f"{name}-{algorithm}.tar"
            captured = self.folder / f"{name}-{algorithm}-tir.tar"
            for path in (captured, stock):
                exporter.export(factory, path)
            exporter.add_members(captured, exporter.captured_tir(factory))
            yield algorithm, pools(captured), pools(stock)

    def check(self, name, module):
        plans = {algorithm: both for algorithm, *both in self.archives(name, module)}
        if not any(captured for captured, _ in plans.values()):
            return  # it computes nothing in memory of its own
        sizes = {}
        for algorithm, (captured, stock) in plans.items():
            ((pool,), (of_c,)) = captured, stock
            self.assertEqual(pool["refused"], [], (name, algorithm))
            self.assertEqual(of_c["refused"], [], (name, algorithm))
            sizes[algorithm] = pool["declared"]
            for key in ("declared", "lower_bound", "best", *ALGORITHMS):
                self.assertEqual(pool[key], of_c[key], (name, algorithm, key))
        for algorithm, ((pool,), _) in plans.items():
            for planner in REPRODUCED & sizes.keys():
                self.assertEqual(pool[planner], sizes[planner], (name, algorithm, planner))
            self.assertLessEqual(pool["lower_bound"], pool["hill_climb"])
            self.assertLessEqual(pool["lower_bound"], pool["best"])
            self.assertLessEqual(pool["best"], min(sizes.values()), (name, algorithm))
        default = sizes.get("greedy_by_size", pool["declared"])
        self.rows.append(
            plan_table.Row(name, default, pool["lower_bound"], pool["best"], sizes)
        )

    def test_networks(self):
        for network in networks.all_networks():
            with self.subTest(network=network.name):
                self.check(network.name, network.module)
        self.assertEqual(plan_table.faults(self.rows), [])


if __name__ == "__main__":
    unittest.main()

"""`mlf plan ARCHIVE`: what it says of pools, orders and splits holds together.

Its offsets are those that `mlf optimize` writes, which plan_run.py judges by running. That an order of calls is
the best of all is shown by the unit tests (PlanOrder.IsTheBestOfAllOrders).
"""

import json
import unittest

import plan_refusals
import plan_table
import program_case
import schemas
import support

QNN = support.SOURCE / "tests/data/c/tvm-0.9-qnn_conv-aot-c-usmp/module.tar"
HEAP = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"

# Pools of networks of the corpus: bytes now, and as small as they get.
KNOWN = {
    "tvm-0.16/aww-aot-c-usmp": (104192, 56192),
    "tvm-0.9-dev/aww-aot-c-usmp": (168192, 120192),
    "tvm-0.9/resnet8-aot-packed-usmp": (208576, 158400),
    "tvm-0.18/mlp-aot-c-usmp": (1652, 1456),
    "tvm-0.18/qnn_conv-aot-c-usmp": (1440, 1316),
    "tvm-0.18/split_concat-aot-c-usmp": (84, 68),
}

# By TVM's rules, worked out by mlf; tvm/plan_tvm.py holds that against TVM.
PLANNERS = ("greedy_by_size", "greedy_by_conflicts", "hill_climb")

# The same in the best order of calls: the best plan for the archive's order, and for that one.
KNOWN_ORDERS = {
    "tvm-0.18/two_out-aot-c-usmp": (100, 68),
    "tvm-0.18/control_ops-aot-c-usmp": (88, 56),
    "tvm-0.9/two_out-aot-packed-usmp": (100, 68),
}


def planned_archives():
    return support.archives_with_c(support.is_planned)


def plan(path):
    return support.json_of("plan", "--json", path)


class Plans(program_case.Directory):
    @classmethod
    def setUpClass(cls):
        cls.validator = schemas.validator("plan")

    def test_of_every_planned_archive_hold(self):
        rows = []
        for path in planned_archives():
            with self.subTest(archive=str(path)):
                # Variables have the names of the C.
                stock = self.tar(support.without_tir(support.members_of(path)))
                document = plan(stock)
                schemas.check(self.validator, document, str(path))
                for module in document["modules"]:
                    for pool in module["pools"]:
                        self.check_pool(pool)
                        planners = {name: pool[name] for name in PLANNERS if pool[name] is not None}
                        rows.append(plan_table.Row("/".join(path.parts[-3:-1]), pool["declared"], pool["lower_bound"],
                                                   pool["best"], planners, pool["is_proven"]))
                self.assertEqual(self.sizes(document), self.sizes(plan(path)))
                if new := self.offsets(document, "best_offset"):
                    optimized = self.directory / "optimized.tar"
                    support.run_ok("optimize", stock, "--only", "ram", "-o", optimized)
                    self.assertEqual(self.offsets(plan(optimized), "offset"), new)
        print(plan_table.text(rows))
        self.assertGreater(len(rows), 0)
        self.assertEqual(plan_table.faults(rows), [])

    def offsets(self, document, key):
        return [buffer[key] for m in document["modules"] for pool in m["pools"] for buffer in pool["buffers"]]

    def sizes(self, document):
        keys = ("name", "declared", "lower_bound", "best", "greedy_by_size", "greedy_by_conflicts", "hill_climb")
        return [[pool[key] for key in keys] for m in document["modules"] for pool in m["pools"]]

    def check_pool(self, pool):
        self.assertEqual(pool["refused"], [])
        self.assertLessEqual(pool["lower_bound"], pool["best"])
        self.assertLessEqual(pool["best"], pool["used"])
        self.assertEqual(pool["used"], pool["declared"])
        self.assertEqual(pool["gain"], pool["declared"] - pool["best"])
        ends = [buffer["best_offset"] + buffer["bytes"] for buffer in pool["buffers"]]
        self.assertEqual(max(ends, default=0), pool["best"])
        for buffer in pool["buffers"]:
            self.assertEqual(buffer["best_offset"] % buffer["alignment"], 0)
        # TVM's default is greedy_by_size.
        self.assertEqual(pool["greedy_by_size"], pool["declared"])
        self.assertLessEqual(pool["best"], pool["greedy_by_conflicts"])
        self.assertLessEqual(pool["best"], pool["hill_climb"])

    def test_of_known_networks_are_as_small_as_they_get(self):
        for name, (now, best) in KNOWN.items():
            path = support.CORPUS / name / "module.tar"
            if path.exists():
                ((pool,),) = ([pool for pool in plan(path)["modules"][0]["pools"]],)
                self.assertEqual((pool["declared"], pool["best"]), (now, best), name)
                self.assertTrue(pool["is_proven"])

    def test_of_known_networks_need_less_in_another_order(self):
        for name, (now, best) in KNOWN_ORDERS.items():
            path = support.CORPUS / name / "module.tar"
            if not path.exists():
                continue
            (module,) = plan(path)["modules"]
            topology = support.json_of("graph", path)
            order = module["order"]
            self.assertEqual([pool["best"] for pool in module["pools"]], [now], name)
            self.assertEqual([pool["best"] for pool in order["pools"]], [best], name)
            self.assertEqual(sorted(order["calls"]), list(range(len(topology["calls"]))))
            self.assertNotEqual(order["calls"], sorted(order["calls"]))
            self.assertTrue(order["is_proven"])

    def test_say_what_a_static_plan_would_need(self):
        document = plan(HEAP)
        schemas.check(self.validator, document, "heap")
        (module,) = document["modules"]
        self.assertEqual(module["pools"], [])
        allocations = module["allocations"]
        self.assertLessEqual(allocations["static_main"]["bytes"], allocations["heap"])
        self.assertLessEqual(allocations["static_main"]["bytes"], allocations["static_all"]["bytes"])


class Splits(unittest.TestCase):
    """`--pool NAME=BYTES`: what goes where, compared with the offsets, sizes and lives of the plan."""

    def split(self, path, *pools):
        arguments = [part for pool in pools for part in ("--pool", pool)]
        result = support.run("plan", "--json", path, *arguments)
        document = json.loads(result.stdout)
        schemas.check(schemas.validator("plan"), document, str(path))
        (module,) = document["modules"]
        return result, module

    def test_splits_fit_the_limits_of_their_memories(self):
        for path in planned_archives()[:12]:
            with self.subTest(archive=path.parts[-3:-1]):
                pool = plan(path)["modules"][0]["pools"]
                if not pool or not pool[0]["buffers"]:
                    continue
                half = pool[0]["best"] // 2
                result, module = self.split(path, f"fast={half}", "slow=1M")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.check(module, half)

    def check(self, module, limit):
        split = module["split"]
        fast, slow = split["memories"]
        self.assertTrue(split["fits"])
        self.assertEqual((fast["name"], fast["limit"], slow["limit"]), ("fast", limit, 1 << 20))
        self.assertLessEqual(fast["bytes"], limit)
        self.assertLessEqual(support.least(fast["accessed"]), split["most_in_first"])
        (pool,) = module["pools"]
        placed = list(zip(split["buffers"], pool["buffers"], strict=True))
        for at, memory in enumerate(split["memories"]):
            here = [(one, planned) for one, planned in placed if one["memory"] == at]
            self.assertEqual(len(here), memory["buffers"])
            accesses = sum(support.least(one["accessed"]) for one, _ in here)
            self.assertEqual(accesses, support.least(memory["accessed"]))
            ends = [one["offset"] + one["bytes"] for one, _ in here]
            self.assertEqual(max(ends, default=0), memory["bytes"])
            for i, (one, planned) in enumerate(here):
                self.assertEqual((one["name"], one["bytes"]), (planned["name"], planned["bytes"]))
                for other, beside in here[i + 1 :]:
                    apart = (
                        one["offset"] + one["bytes"] <= other["offset"]
                        or other["offset"] + other["bytes"] <= one["offset"]
                        or one["bytes"] * other["bytes"] == 0
                    )
                    self.assertTrue(apart or not self.meet(planned["live"], beside["live"]))

    def meet(self, a, b):
        return any(x[0] < y[1] and y[0] < x[1] for x in a for y in b)

    def test_count_what_the_loops_access(self):
        # By hand: a tensor of 256 int16 is written once by the kernel that makes it, and read once
        # by the convolution's padding of 10 x 10 x 4, which reads where it does not pad.
        _, module = self.split(QNN, "ram=2K")
        accessed = {one["name"]: one["accessed"] for one in module["split"]["buffers"]}
        self.assertEqual(accessed["sid_1_let"], 2 * 512)

    def test_that_do_not_fit_are_a_failed_check(self):
        result, module = self.split(QNN, "fast=64", "slow=128")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"no split was found that fits", result.stderr)
        self.assertFalse(module["split"]["fits"])

    def test_of_networks_without_pools_place_what_they_allocate(self):
        _, module = self.split(HEAP, "ram=1M")
        (memory,) = module["split"]["memories"]
        self.assertEqual(memory["bytes"], module["allocations"]["static_all"]["bytes"])
        # Two tensors are in one allocation after one another: each has its own accesses.
        by_name = {one["name"]: one["accessed"] for one in module["split"]["buffers"]}
        self.assertEqual((by_name["sid_1"], by_name["sid_1.1"]), (1024, 1024))
        self.assertEqual(by_name["tvmgen_default_fused_nn_max_pool2d_cast.pool_max"], 1280)

    def test_put_constants_alone_into_a_memory_for_constants(self):
        for path in (HEAP, QNN):
            result, module = self.split(path, "ram=1M", "flash=1M:constants")
            self.assertEqual(result.returncode, 0, result.stderr)
            everything = module["split"]["memories"][0]["bytes"]
            _, module = self.split(path, f"ram={everything - 500}", "flash=1M:constants")
            split = module["split"]
            self.assertTrue(split["fits"])
            in_flash = [one["name"] for one in split["buffers"] if one["memory"] == 1]
            self.assertTrue(in_flash)
            for name in in_flash:
                self.assertIn("constant", name)
            result = support.run_to(64, "plan", path, "--pool", "flash=1M:constants")
            self.assertIn(b"no memory is given that tensors may be in", result.stderr)

    def test_of_no_network_are_a_failed_check(self):
        result = support.run_to(1, "plan", support.ARCHIVES / "tvm-0.9-op-add.tar", "--pool", "ram=1M")
        self.assertIn(b"no module has a network to plan", result.stderr)

    def test_need_a_name_and_a_size(self):
        for wrong in ("64K", "=64K", "fast=", "fast=many"):
            self.assertEqual(support.run("plan", QNN, "--pool", wrong).returncode, 64, wrong)
        self.assertEqual(support.run("plan", QNN, "--pool", "a=64", "--pool", "a=64").returncode, 64)

    def test_what_does_not_fit_has_no_bound(self):
        result = support.run("plan", support.BUNDLED_CORPUS / "tvm-0.18/qnn_conv-aot-packed-usmp/module.tar", "--pool", "a=64")
        self.assertRegex(result.stdout.decode(), r"(?m)^a +64 +1316 +7 +\d+ +-$")


class Text(unittest.TestCase):
    def test_has_a_row_for_each_pool(self):
        lines = support.run_ok("plan", QNN).stdout.decode().splitlines()
        self.assertEqual(lines[0].split()[:6], ["MODULE", "POOL", "NOW", "BOUND", "BEST", "GAIN"])
        self.assertEqual(lines[1].split()[:6], "default global_workspace 1440 1316 1316 124".split())

    def test_lists_what_moves(self):
        text = support.run_ok("plan", "--offsets", QNN).stdout.decode()
        (pool,) = plan(QNN)["modules"][0]["pools"]
        moved = [b for b in pool["buffers"] if b["offset"] != b["best_offset"]]
        self.assertGreater(len(moved), 0)
        for b in moved:
            function = b["function"].removeprefix("tvmgen_default_fused_")
            row = [function, b["variable"], b["bytes"], b["offset"], b["best_offset"]]
            self.assertIn([str(cell) for cell in row], [line.split() for line in text.splitlines()])

    def test_does_not_print_0_for_an_unknown_order(self):
        # One call 4,100 times: it writes the same each time.
        call = (plan_refusals.KERNELS, r"(  if \(tvmgen_default_fused[^\n]*\n)", r"\1" * 4100)
        archive = plan_refusals.patched(call)
        document = support.json_of("plan", "--json", "-", input=archive)
        text = support.run_ok("plan", "-", input=archive).stdout.decode()
        schemas.check(schemas.validator("plan"), document, "4,100 calls")
        order = document["modules"][0]["order"]
        why = "there are more than 4096 calls"
        for key in ("peak_now", "peak", "lower_bound", "is_proven"):
            self.assertIsNone(order[key], key)
        self.assertEqual(order["not_searched"], why)
        self.assertIn(f"default: no other order of calls was looked for: {why}\n", text)

    def test_reads_standard_input(self):
        with open(QNN, "rb") as archive:
            piped = support.run("plan", "-", input=archive.read())
        self.assertEqual(piped.stdout, support.run_ok("plan", QNN).stdout)

    def test_says_what_has_no_network(self):
        result = support.run("plan", support.ARCHIVES / "tvm-0.9-op-add.tar")
        self.assertEqual((result.returncode, result.stderr), (1, b"mlf: error: no module has a network to plan\n"))
        text = result.stdout.decode()
        self.assertRegex(text, r"^\w+: ")

    def test_errors_are_those_of_the_archive(self):
        self.assertEqual(support.run("plan", "/nonexistent.tar").returncode, 74)
        self.assertEqual(support.run("plan", __file__).returncode, 65)


if __name__ == "__main__":
    unittest.main()

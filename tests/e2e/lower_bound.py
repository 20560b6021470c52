"""The least memory that an order of calls needs: one number in every command, and no plan is below it."""

import csv
import functools
import io
import json
import re
import unittest

import program_case
import support


@functools.lru_cache(None)
def modules_of(command, path):
    result = support.run(command, "--json", path)
    return json.loads(result.stdout)["modules"] if result.returncode == 0 else []


def networks(path):
    """(report, plan) of every module with a network."""
    for report, plan in zip(modules_of("report", path), modules_of("plan", path)):
        if report["no_network"] is None:
            yield report, plan


class LowerBound(program_case.Directory):
    def test_no_plan_is_below_it(self):
        pools = allocations = 0
        for path in support.archives_with_c():
            for report, plan in networks(path):
                peak = report["peak"]
                where = f"{path}: {peak['lower_bound']}"
                if support.most(peak["bytes"]) is not None:
                    self.assertLessEqual(support.most(peak["lower_bound"]), support.most(peak["bytes"]), where)
                    self.assertLessEqual(support.most(peak["bytes"]), support.most(peak["used"]), where)
                taken = 0
                for pool in plan["pools"]:
                    if pool["refused"]:
                        break
                    sizes = [pool[name] for name in ("best", "in_place", "greedy_by_size", "hill_climb")]
                    smallest = min(size for size in sizes if size is not None)
                    self.assertLessEqual(support.least(pool["lower_bound"]), smallest, where)
                    self.assertLessEqual(pool["best"], pool["used"], where)
                    taken += smallest
                    pools += 1
                else:
                    if plan["allocations"]:
                        taken += plan["allocations"]["static_all"]["bytes"]
                        allocations += 1
                    else:
                        # What kernels alone allocate stays as it is.
                        taken += support.least(peak["used"]) - sum(pool["used"] for pool in plan["pools"])
                    self.assertLessEqual(support.least(peak["lower_bound"]), taken, where)
        print(f"{pools} pools and {allocations} networks that allocate, none planned below its bound")
        self.assertGreater(pools, 1)
        self.assertGreater(allocations, 1)

    def test_every_command_has_the_same(self):
        compared = 0
        for path in support.archives_with_c():
            reports = [report for report, _ in networks(path)]
            numbers = [report["peak"]["lower_bound"] for report in reports]
            if not numbers:
                continue
            self.assertEqual([plan["lower_bound"] for _, plan in networks(path)], numbers, path)
            rows = list(csv.DictReader(io.StringIO(support.run_ok("table", path).stdout.decode())))
            rows = [row for row in rows if not row["no_network"]]
            self.assertEqual([row["lower_bound_min"] for row in rows], [str(support.least(n)) for n in numbers])
            self.assertEqual([row["lower_bound_max"] for row in rows],
                             ["" if support.most(n) is None else str(support.most(n)) for n in numbers])  # fmt: skip
            text = support.run_ok("report", path).stdout.decode()
            said = re.findall(r" allocated, lower bound (\S+)", text)
            exact = [str(n) for report, n in zip(reports, numbers)
                     if isinstance(n, int) and report["peak"]["call"] is not None]  # fmt: skip
            self.assertEqual([one for one in said if one.isdigit()], exact, path)
            compared += len(numbers)
        self.assertGreater(compared, 4)

    def test_the_page_and_the_advice_have_the_same(self):
        compared = 0
        for path in support.bundled_archives():
            for report, _ in networks(path):
                bound, used = report["peak"]["lower_bound"], report["peak"]["used"]
                if not isinstance(bound, int) or not isinstance(used, int):
                    continue
                page = self.directory / "report.html"
                support.run_ok("report", path, "--html", page)
                text = page.read_text()
                # Where a plan is known, the page says what that takes.
                if "The most memory is in use in" in text and "With other offsets" not in text:
                    self.assertIn(f" need at least {bound:,} bytes.", text)
                    compared += 1
                # Only pools have offsets.
                advice = support.run("check", path, "--ram", "0").stdout.decode()
                may_move = used > bound and support.least(report["ram"]["pools"]) > 0
                self.assertEqual("mlf plan shows what other offsets need" in advice, may_move, path)
        self.assertGreater(compared, 0)

    def test_is_the_least_possible_and_not_the_sum_of_present_tensors(self):
        path = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        ((report, _),) = networks(path)
        # 512 of input or of output, and 804 of scratch: never both tensors in one loop.
        self.assertEqual(report["peak"]["bytes"], 1828)
        self.assertEqual(report["peak"]["lower_bound"], 1316)


if __name__ == "__main__":
    unittest.main()

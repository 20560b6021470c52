"""`--profile`: the numbers of `mlf profile` in report, page, node data and limits."""

import csv
import json
import re
import unittest

import program_case
import schemas
import support

ADD = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
CONV = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"


class Times(program_case.Directory):
    def profile(self, archive, *options):
        """A file with the profile, and what is in it."""
        text = support.run_ok("profile", "--json", *options, archive).stdout
        path = self.directory / f"profile{len([*self.directory.iterdir()])}.json"
        path.write_bytes(text)
        return path, json.loads(text)

    def emulated(self, archive, *options):
        return self.profile(archive, "--cpu", "cortex-m4", *options)

    def test_are_in_the_report_as_in_the_profile(self):
        path, profile = self.emulated(CONV)
        report = support.json_of("report", "--json", "--profile", path, CONV)
        schemas.check(schemas.validator("report"), report, "report")
        (module,) = report["modules"]
        expected = [call["instructions"] for call in profile["calls"]]
        self.assertEqual([call["instructions"] for call in module["calls"]], expected)
        self.assertEqual(module["time"]["instructions"], profile["total"]["instructions"])
        self.assertEqual(module["time"]["nanoseconds"], None)
        self.assertFalse(module["time"]["assumed"])
        self.assertIn("cortex-m4", module["time"]["origin"])

    def test_are_in_the_rows_of_their_own_archive(self):
        path, profile = self.emulated(CONV)
        rows = ("table", "--rows", "call", "--format", "jsonl", "--profile", path)
        done = support.run_ok(*rows, ADD, CONV, "-j2").stdout.decode().splitlines()
        found = [json.loads(line) for line in done]
        self.assertEqual({row["instructions_min"] for row in found if row["archive"] == str(ADD)}, {0})
        expected = [call["instructions"] for call in profile["calls"]]
        self.assertEqual([row["instructions_max"] for row in found if row["archive"] == str(CONV)], expected)
        self.assertEqual(support.run(*rows, ADD).returncode, 64)

    def test_of_a_board_are_of_one_archive(self):
        measured = self.directory / "measured.csv"
        measured.write_text("call,cycles\n0,100\n1,18432\n2,200\n3,300\n")
        path, _ = self.profile(CONV, "--measured", measured)
        self.assertIn("18432", support.run_ok("table", "--rows", "call", "--profile", path, CONV).stdout.decode())
        self.assertIn("which build ran", support.refused(64, "table", "--profile", path, CONV, ADD))

    def test_are_not_in_a_report_without_a_profile(self):
        module = support.report_of(CONV)
        self.assertNotIn("time", module)
        self.assertNotIn("instructions", module["calls"][0])
        self.assertNotIn("TIME", support.run_ok("report", CONV).stdout.decode())

    def test_have_columns_in_tables(self):
        path, profile = self.emulated(CONV)
        text = support.run_ok("report", "--profile", path, CONV).stdout.decode()
        self.assertRegex(text, rf"TIME   instructions {profile['total']['instructions']} ")
        self.assertRegex(text, r"#  KERNEL +OUT +MAC +% +INSTR +SHARE +PER MAC")
        count = profile["calls"][1]["instructions"]
        share = f"{100 * count / profile['total']['instructions']:.1f}"
        self.assertRegex(text, rf"1  nn_conv2d.* {count} +{share} +{count / 18432:.1f}\s")
        ordered = support.run_ok("report", "--profile", path, "--columns", "call,instr", "--sort", "instr", CONV)
        table = ordered.stdout.decode().split("\n\n")[1].splitlines()[1:]
        found = [int(line.split()[1]) for line in table]
        self.assertEqual(found, sorted((call["instructions"] for call in profile["calls"]), reverse=True))
        rows = [*csv.DictReader(support.run_ok("report", "--profile", path, "--format", "csv", CONV).stdout.decode().splitlines())]
        self.assertEqual(int(rows[1]["instructions_min"]), count)
        self.assertEqual(rows[1]["cycles_max"], "")

    def test_are_in_the_page_and_in_node_data(self):
        path, profile = self.emulated(CONV)
        page = support.run_ok("report", "--profile", path, "--html", "-", CONV).stdout.decode()
        counts = [f"{call['instructions']:,}" for call in profile["calls"]]
        self.assertIn(f"All calls take {profile['total']['instructions']:,} instructions: emulated, cortex-m4", page)
        for count in counts:
            self.assertIn(f"<td class=n>{count}<", page)
        self.assertNotIn(">Cycles<", page)
        without = support.run_ok("report", "--html", "-", CONV).stdout.decode()
        self.assertNotIn("All calls take ", without)
        timed, profile = self.emulated(CONV, "--clock", "80M", "--cpi", "1..2")
        page = support.run_ok("report", "--profile", timed, "--html", "-", CONV).stdout.decode()
        self.assertIn(">Time (ms)<", page)
        for one in [profile["total"], *profile["calls"]]:
            least, most = one["nanoseconds"]["min"], one["nanoseconds"]["max"]
            self.assertIn(f"{least // 1000 / 1000:.3f}..{-(-most // 1000) / 1000:.3f}", page)
        data = support.json_of("report", "--profile", path, "--node-data", "instr", CONV)
        (results,) = (one["results"] for one in data.values())
        self.assertEqual([one["value"] for one in results.values()],
                         [call["instructions"] for call in profile["calls"]])  # fmt: skip

    def verdict(self, *arguments, archive=CONV):
        result = support.run("check", "--format", "json", *arguments, archive)
        (one,) = json.loads(result.stdout)["results"]
        self.assertEqual(result.returncode, 0 if one["verdict"] == "fits" else 1)
        return one["verdict"]

    def test_are_limited(self):
        path, profile = self.emulated(CONV)
        total = profile["total"]["instructions"]
        for limit, verdict in ((total, "fits"), (total - 1, "exceeds")):
            self.assertEqual(self.verdict("--profile", path, "--instructions", str(limit)), verdict)
        self.assertEqual(self.verdict("--instructions", "1G"), "undecided")
        self.assertEqual(self.verdict("--profile", path, "--time", "100s"), "undecided")

    def test_that_are_assumed_fit_no_limit(self):
        assumed, profile = self.emulated(CONV, "--clock", "80M")
        times = profile["total"]["nanoseconds"]
        for limit, verdict in (("100s", "undecided"), (f"{times['min'] - 1}ns", "exceeds")):
            self.assertEqual(self.verdict("--profile", assumed, "--time", limit), verdict)
        stated, profile = self.emulated(CONV, "--clock", "80M", "--cpi", "1..2")
        times = profile["total"]["nanoseconds"]
        for limit, verdict in ((f"{times['max']}", "fits"), (f"{times['max'] - 1}ns", "undecided")):
            self.assertEqual(self.verdict("--profile", stated, "--time", limit), verdict)

    def test_are_in_one_unit_and_with_labels(self):
        stated, profile = self.emulated(CONV, "--clock", "80M", "--cpi", "1..2")
        text = support.run("check", "--profile", stated, "--time", "50ms", CONV).stdout.decode()
        self.assertRegex(text, r" time +50 ms +[\d.]+ ms +fits")
        self.assertRegex(support.run_ok("report", "--profile", stated, CONV).stdout.decode(), r"TIME .* [\d.]+\.\.[\d.]+ [mu]s ")
        text = support.on_terminal(80, "profile", "--cpu", "cortex-m4", "--clock", "80M", CONV, NO_COLOR="1")
        self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
        self.assertEqual(text.count("  all calls  "), 2, text)
        units = set(re.findall(r"\d ([mnu]?s)\b", text.split("\n\n")[0]))
        self.assertEqual(len(units), 1, text)

    def test_that_were_taken_are_bounds(self):
        path, profile = self.profile(CONV, "--cpu", "host")
        most = profile["total"]["nanoseconds"]["max"]
        self.assertEqual(self.verdict("--profile", path, "--time", f"{most // 1000 + 1}us"), "fits")
        self.assertEqual(self.verdict("--profile", path, "--time", f"{most - 1}"), "undecided")

    def test_may_be_limits_of_a_file(self):
        path, _ = self.profile(CONV, "--cpu", "host")
        budget = self.directory / "budget.toml"
        for value, verdict in (('"10s"', "fits"), ("1", "exceeds")):
            budget.write_text(f"time = {value}\n")
            self.assertEqual(self.verdict("--profile", path, "--budget", budget), verdict)
        budget.write_text('time = "10 s"\n')
        result = support.run_to(65, "check", "--budget", budget, CONV)
        self.assertIn(b"budget.toml:1:8: '10 s' is no time", result.stderr)

    def test_of_bounds_are_ranges(self):
        csv_path = self.directory / "measured.csv"
        csv_path.write_text("call,cycles\n0,100\n1,18432\n2,200\n3,300\n0,100\n1,36864\n2,200\n3,300\n")
        path, _ = self.profile(CONV, "--measured", csv_path)
        text = support.run_ok("report", "--profile", path, "--columns", "call,share,permac", CONV).stdout.decode()
        self.assertRegex(text, r"\n1 +96.8..98.4 +1.0..2.0\s")
        self.assertRegex(text, r"\n0 +0.3..0.5 +-")

    def test_weigh_findings(self):
        path, profile = self.emulated(CONV)
        shares = {call["kernel"]: call["instructions"] / profile["total"]["instructions"] for call in profile["calls"]}
        report = support.json_of("report", "--json", "--profile", path, CONV)
        schemas.check(schemas.validator("report"), report, "report")
        findings = report["modules"][0]["findings"]
        weights = [one["share"]["max"] for one in findings if "share" in one]
        self.assertEqual(weights, sorted(weights, reverse=True))
        self.assertNotIn("share", findings[-1])
        for one in findings:
            costs_time = one["code"] in ("index-divisions", "padding-scratch")
            self.assertEqual("share" in one, costs_time, one)
            if costs_time:
                self.assertAlmostEqual(one["share"]["min"], shares[one["where"]])
                self.assertEqual(one["share"]["min"], one["share"]["max"])
        self.assertEqual(findings[0]["where"], max(shares, key=shares.get))
        text = support.run_ok("report", "--profile", path, CONV).stdout.decode()
        table = text.split("\n\n")[2].splitlines()
        self.assertRegex(table[0], r"^FINDING +PLACES +BYTES +SHARE OF KERNELS +LARGEST +LARGEST PLACE$")
        self.assertRegex(table[1], rf"^padding-scratch +1 +800 +{100 * shares[findings[0]['where']]:.1f} ")
        page = support.run_ok("report", "--profile", path, "--html", "-", CONV).stdout.decode()
        self.assertIn(f'<td class=n>{100 * shares[findings[0]["where"]]:.1f}<', page)
        plain = support.report_of(CONV)["findings"]
        self.assertFalse(any("share" in one for one in plain))
        self.assertNotIn("SHARE", support.run_ok("report", CONV).stdout.decode())

    def test_are_drawn_over_bytes(self):
        path, profile = self.emulated(CONV)
        page = support.run_ok("report", "--profile", path, "--html", "-", CONV).stdout.decode()
        (drawing,) = re.findall(r'<figure class=roofline>.*?</figure>', page, re.DOTALL)
        self.assertEqual(re.findall(r'href="#call=(\d+)"', drawing), ["1"])
        count = profile["calls"][1]["instructions"] / 18432
        self.assertIn(f"call 1, nn_conv2d_add_fixed_point_multiply_add_clip_cast: {count:.1f} instructions and ", drawing)
        self.assertIn("Not shown: 3 calls without a multiply-accumulate, ", drawing)
        self.assertIn(">1 nn_conv2d_add_fixed_point_multip\u2026<", drawing)
        self.assertIn("\u2191 instructions for each multiply-accumulate, logarithmic", drawing)
        self.assertIn("bytes loaded and stored for each multiply-accumulate, logarithmic \u2192", drawing)
        self.assertNotIn("roofline", support.run_ok("report", "--html", "-", CONV).stdout.decode().split("<body")[1])

    def test_are_in_a_trace(self):
        path, profile = self.emulated(CONV, "--clock", "80M")
        trace = support.json_of("graph", "--format", "perfetto", "--profile", path, CONV)
        calls = [one for one in trace["traceEvents"] if one["ph"] == "X"]
        at = 0
        for one, call in zip(calls, profile["calls"], strict=True):
            time = call["nanoseconds"]
            self.assertEqual((one["args"]["nanoseconds_min"], one["args"]["nanoseconds_max"]), (time["min"], time["max"]))
            self.assertAlmostEqual(one["ts"] * 1000, at)
            self.assertAlmostEqual(one["dur"] * 1000, time["max"])
            at += time["max"]
        self.assertEqual(trace["otherData"]["time"], "upper bounds")
        self.assertIn("cycles per instruction by Cortex-M4 manual", trace["otherData"]["origin"])
        bare, _ = self.emulated(CONV)
        for arguments, message in ((("--format", "perfetto", "--profile", bare), "the profile has no times"),
                                   (("--profile", path), "--profile is for --format perfetto")):  # fmt: skip
            self.assertIn(message, support.refused(64, "graph", *arguments, CONV))

    def test_are_compared(self):
        before, old = self.emulated(CONV)
        after, new = self.emulated(CONV, "--cflags=-O3")
        options = ("--profile-before", before, "--profile-after", after)
        difference = support.json_of("diff", "--format", "json", *options, CONV, CONV, code=1)
        schemas.check(schemas.validator("diff"), difference, "diff")
        (module,) = difference["modules"]
        self.assertEqual(module["numbers"], [{"what": "time.instructions", "before": old["total"]["instructions"],
                                              "after": new["total"]["instructions"]}])  # fmt: skip
        pairs = {call["kernel"]: (call["instructions"], other["instructions"])
                 for call, other in zip(old["calls"], new["calls"], strict=True)}  # fmt: skip
        changed = {kernel: numbers for kernel, numbers in pairs.items() if numbers[0] != numbers[1]}
        self.assertGreater(len(changed), 0)
        self.assertEqual({one["after"]: [(number["what"], number["before"], number["after"]) for number in one["numbers"]]
                          for one in module["kernels"]},
                         {kernel: [("instructions", *numbers)] for kernel, numbers in changed.items()})  # fmt: skip
        self.assertEqual({one["change"] for one in module["kernels"]}, {"timing"})
        text = support.run("diff", *options, CONV, CONV).stdout.decode()
        self.assertRegex(text, rf"TIME instructions +{old['total']['instructions']} +{new['total']['instructions']} ")
        self.assertRegex(text, r"nn_conv2d\w+ +timing +instr +\d+ +\d+ +[+-]\d+")
        same = support.run("diff", "--profile-before", before, "--profile-after", before, CONV, CONV)
        self.assertEqual((same.returncode, same.stdout), (0, b""))
        self.assertEqual(support.run("diff", "--profile-before", before, CONV, CONV).returncode, 64)

    def test_of_another_build_are_refused(self):
        path, profile = self.emulated(CONV)
        members = support.members_of(CONV)
        name = next(name for name in members if name.endswith("lib1.c"))
        members[name] += b"// another build\n"
        other = self.tar(members, "other.tar")
        for command in (("report",), ("check", "--ram", "1M"), ("graph", "--format", "perfetto")):
            message = support.refused(64, *command, "--profile", path, other)
            self.assertIn("the profile is of another build: the C of module 'default' is not what ran", message)
        # Documents of earlier versions, and those of a board, do not say what ran.
        profile["code"] = None
        path.write_text(json.dumps(profile))
        support.run_ok("report", "--profile", path, other)

    def test_of_another_network_are_refused(self):
        path, _ = self.emulated(ADD)
        message = support.refused(64, "report", "--profile", path, CONV)
        self.assertRegex(message, rf"^mlf: error: {re.escape(str(path))}: the profile has 1 calls")
        for wrong, code in ((self.directory / "missing.json", 74), (CONV, 65)):
            support.run_to(code, "report", "--profile", wrong, CONV)


if __name__ == "__main__":
    unittest.main()

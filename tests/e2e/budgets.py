"""mlf check: budgets hold up to the last byte, and say what is above them."""

import collections
import hashlib
import json
import re
import unittest
import xml.etree.ElementTree

import program_case
import schema_mutations
import schemas
import support

BUFFERS = ("pools", "io", "executor", "heap", "stack", "arguments")
QNN = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"


def arrays_of_main(path):
    """Bytes of the arrays of TVMValue that a main has, of each module's C that has one, and those of its entry."""
    of_main, passed_on = [], 0
    for name, content in support.members_of(path).items():
        if not re.search(r"codegen/host/src/\w+\.c$", name):
            continue
        text = content.decode()
        wrapper = re.search(r"\nint32_t tvmgen_\w+_run\(TVMValue\*.*?\n}", text, re.DOTALL)
        if wrapper:
            passed_on += sum(8 * int(count) for count in re.findall(r"TVMValue \w+\[(\d+)\];", wrapper[0]))
        begin = text.find("__tvm_main__(")
        while begin >= 0 and text[text.index(")", begin) :].lstrip(") \n")[:1] != "{":
            begin = text.find("__tvm_main__(", begin + 1)
        if begin >= 0:
            body = text[begin : text.index("\n}", begin)]
            of_main.append(sum(8 * int(count) for count in re.findall(r"TVMValue \w+\[(\d+)\];", body)))
    # Only archives of one module have them.
    return [one + passed_on for one in of_main]


class Arguments(unittest.TestCase):
    def test_of_packed_calls_are_the_arrays_in_c(self):
        compared = 0
        for path in support.archives_with_c(lambda path: "-aot-" in path.parent.name):
            modules = support.json_of("report", "--json", path)["modules"]
            arrays = arrays_of_main(path)
            self.assertEqual([one["ram"]["arguments"] for one in modules], arrays, path)
            if any(arrays):
                compared += 1
                (module,) = modules
                ram = sum(support.least(module["ram"][one]) for one in BUFFERS)
                # Without them it fitted.
                without = ram - module["ram"]["arguments"]
                self.assertEqual(support.run("check", path, "--ram", without).returncode, 1)
                self.assertEqual(support.run("check", path, "--buffers", ram - 1).returncode, 1)
                self.assertEqual(support.run("check", path, "--buffers", ram).returncode, 0)
        print(f"{compared} mains with packed calls")
        self.assertGreater(compared, 0)


class BudgetCase(program_case.Directory):
    def setUp(self):
        self.budget = self.directory / "mlf-budget.toml"
        self.module = support.report_of(QNN)
        self.buffers = sum(self.module["ram"][one] for one in BUFFERS)

    def check(self, *arguments):
        return support.run("check", QNN, *arguments)


class Budgets(BudgetCase):
    def test_hold_up_to_the_last_byte(self):
        self.assertEqual(self.check("--buffers", self.buffers).returncode, 0)
        result = self.check("--buffers", self.buffers - 1)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"1 bytes too many", result.stdout)

    def verdicts(self, *arguments):
        result = self.check(*arguments, "--format", "json")
        document = json.loads(result.stdout)
        schemas.check(schemas.validator("check"), document, "check")
        verdicts = {one["resource"]: one["verdict"] for one in document["results"]}
        self.assertEqual(result.returncode, 0 if set(verdicts.values()) == {"fits"} else 1)
        return verdicts, {one["resource"]: one for one in document["results"]}

    def test_hold_for_all_that_their_names_say(self):
        limits = ("--ram", "1G", "--flash", "1G", "--stack", "1G", "--code", "1G")
        verdicts, results = self.verdicts(*limits)
        self.assertEqual(set(verdicts.values()), {"undecided"})
        for name, part in (("ram", "frames"), ("stack", "frames"), ("flash", "code"), ("code", "code")):
            self.assertTrue(any(part in one and "--cc" in one for one in results[name]["remarks"]), name)
        self.assertEqual(results["ram"]["needed"], {"min": self.buffers, "max": None})
        constants = self.module["flash"]["constants"] + self.module["flash"]["copies"]
        self.assertEqual(results["flash"]["needed"], {"min": constants, "max": None})
        verdicts, _ = self.verdicts("--constants", constants, "--buffers", self.buffers)
        self.assertEqual(set(verdicts.values()), {"fits"})
        # What is known is above the limit, whatever is not.
        verdicts, _ = self.verdicts("--ram", self.buffers - 1, "--flash", constants - 1)
        self.assertEqual(set(verdicts.values()), {"exceeds"})

    def test_are_decided_by_a_compiler_where_the_archive_calls_nothing_else(self):
        c = "int tvmgen_default_run(void) { char a[64]; a[0] = 1; return a[0]; }\n"
        for more, is_known in (("", True), ("float expf(float);\nfloat f(float x) { return expf(x); }\n", False)):
            with self.subTest(more=more):
                archive = self.tar({"metadata.json": support.METADATA, "src/tir-1.txt": support.NETWORK,
                                    "codegen/host/src/default_lib0.c": self.code() + (c + more).encode()})  # fmt: skip
                big = ("--ram", "1G", "--flash", "1G", "--stack", "1G")
                result = support.run("check", archive, "--cc", "gcc", *big, "--format", "json")
                results = {one["resource"]: one for one in json.loads(result.stdout)["results"]}
                if is_known:
                    self.assertEqual({one["verdict"] for one in results.values()}, {"fits"})
                    for name, one in results.items():
                        self.bounds(archive, name, one["needed"])
                else:
                    self.assertEqual({one["verdict"] for one in results.values()}, {"undecided"})
                    for one in results.values():
                        self.assertTrue(any("expf" in text for text in one["remarks"]), one)

    def code(self):
        """C of the two functions of support.NETWORK."""
        return (b"#include <stdint.h>\n"
                b"int32_t tvmgen_default_add(float* p0, float* T_add) {\n  for (int32_t i = 0; i < 4; ++i) {\n"
                b"    T_add[i] = (p0[i] + 1.000000e+00f);\n  }\n  return 0;\n}\n"
                b"int32_t tvmgen_default___tvm_main__(float* x_buffer_var, float* output_buffer_var) {\n"
                b"  if (tvmgen_default_add(x_buffer_var, output_buffer_var) != 0 ) return -1;\n  return 0;\n}\n")

    def bounds(self, archive, name, needed):
        """A limit fits from the upper bound on, exceeds below the lower one, and is undecided between."""
        least, most = support.least(needed), support.most(needed)
        for limit, verdict in ((most, "fits"), (least - 1, "exceeds"), (most - 1, None)):
            result = support.run("check", archive, "--cc", "gcc", f"--{name}", limit, "--format", "json")
            (one,) = json.loads(result.stdout)["results"]
            expected = verdict or ("undecided" if least < most else "exceeds")
            self.assertEqual((one["verdict"], result.returncode), (expected, int(expected != "fits")))

    def test_of_flash_have_parameters_of_the_graph_executor(self):
        archive = support.SOURCE / "tests/data/cases/graph-params-values.tar.gz"
        members = support.members_of(archive)
        (file,) = [name for name in members if name.endswith(".params")]
        (graph,) = [name for name in members if name.startswith("executor-config")]

        def needed(resource, path):
            result = support.run("check", path, f"--{resource}", "1G", "--cc", "gcc", "--library-flash", "0", "--format", "json")
            (one,) = json.loads(result.stdout)["results"]
            return one["needed"]

        constants = needed("constants", archive)
        path = self.budget.with_suffix(".tar")
        code = needed("code", archive)
        flash = needed("flash", archive)
        self.assertGreater(constants, 0)
        self.assertGreaterEqual(support.least(flash), constants + support.least(code))
        self.assertGreaterEqual(support.most(flash), len(members[file]) + len(members[graph]) + support.least(code))
        # Without their file, parameters look like inputs.
        path.write_bytes(support.make_tar({name: data for name, data in members.items() if name != file}))
        for resource in ("constants", "flash"):
            self.assertIsNone(support.most(needed(resource, path)))

    def test_count_no_code_of_cmsis_nn_that_the_archive_lacks(self):
        archives = [support.SOURCE / "tests/data/corpus/tvm-0.18/cmsis-nn/module.tar",
                    support.SOURCE / "tests/data/cases/cmsis-nn-dense.tar.gz"]  # fmt: skip
        for archive, function in zip(archives, ("arm_avgpool_s8", "arm_fully_connected_s8"), strict=True):
            report = support.json_of("report", "--json", "--cc", "gcc", archive)
            (flash,) = [one for one in report["totals"] if one["resource"] == "flash"]
            self.assertIsNone(flash["needed"]["max"])
            self.assertIn(function, " ".join(flash["missing"]))

    def test_are_of_all_modules_together(self):
        archive = support.SOURCE / "tests/data/corpus/tvm-0.18/two-modules/module.tar"

        def verdicts(*limits):
            results = json.loads(support.run("check", "--format", "json", *limits, archive).stdout)["results"]
            return {one["module"]: (one["needed"], one["verdict"]) for one in results}

        constants = verdicts("--constants", "4200")
        self.assertEqual({verdict for name, (_, verdict) in constants.items() if name != "*"}, {"fits"})
        total = sum(needed for name, (needed, _) in constants.items() if name != "*")
        self.assertEqual(constants["*"], (total, "exceeds"))
        # Networks share no pools of their C: 260 and 1440. They may share the rest, here inputs and outputs.
        buffers = verdicts("--buffers", "2K")
        sizes = [needed for name, (needed, _) in buffers.items() if name != "*"]
        least = 260 + 1440 + max(sizes[0] - 260, sizes[1] - 1440)
        self.assertEqual(buffers["*"], ({"min": least, "max": sum(sizes)}, "undecided"))
        self.assertEqual(verdicts("--buffers", "1900")["*"][1], "exceeds")
        # So do the totals of a report, which are those of its modules.
        for compiler in ((), ("--cc", "gcc")):
            report = support.json_of("report", "--json", *compiler, archive)
            needed = collections.defaultdict(list)
            for one in report["totals"]:
                needed[one["resource"]].append(one["needed"])
            for resource, (first, second, both) in needed.items():
                lowest = [support.least(first), support.least(second)]
                self.assertGreater(min(lowest), 0)
                if resource != "ram":
                    self.assertEqual(support.least(both), sum(lowest))
                    continue
                self.assertLessEqual(least, support.least(both))
                self.assertLess(support.least(both), sum(lowest))
                # A board adds up all memory, unless networks run in turn.
                for in_turn, bound in (("false", sum(lowest)), ("true", support.least(both))):
                    board = self.directory / "board.toml"
                    board.write_text(f'in_turn = {in_turn}\n[memory.ram]\nbytes = 1\nholds = ["ram"]\n')
                    run = support.run("check", "--board", board, archive, *compiler, "--json")
                    (result,) = [one for one in json.loads(run.stdout)["results"] if one["memory"] == "ram"]
                    self.assertGreaterEqual(support.least(result["needed"]), bound, in_turn)
            for one in report["totals"][:4]:
                self.assertEqual(bool(one["missing"]), not isinstance(one["needed"], int))

    def test_take_units(self):
        self.assertEqual(self.check("--buffers", "1G", "--mac", "1G").returncode, 0)
        self.assertEqual(self.check("--buffers", "1P").returncode, 64)
        self.assertEqual(self.check().returncode, 64)

    def test_are_read_from_a_file_and_of_single_modules(self):
        self.budget.write_text(f'buffers = "1K"\n[modules.{self.module["name"]}]\nbuffers = {self.buffers}\n')
        self.assertEqual(self.check("--budget", self.budget).returncode, 0)
        self.budget.write_text('buffers = "1K"\n')
        self.assertEqual(self.check("--budget", self.budget).returncode, 1)

    def test_are_lowered_and_never_raised(self):
        self.budget.write_text('buffers = "1G"\nmac = 1\n')
        self.check("--budget", self.budget, "--update")
        self.assertEqual(self.check("--budget", self.budget, "--mac", "1G").returncode, 0)
        self.assertIn(f"buffers = {self.buffers}", self.budget.read_text())
        self.assertIn("mac = 1\n", self.budget.read_text())
        before = self.budget.read_text()
        self.check("--budget", self.budget, "--update")
        self.assertEqual(self.budget.read_text(), before)

    def test_with_mistakes_are_an_error_with_a_place(self):
        for text, place in (("buffers = \n", b":1:"), ("\nrom = 3\n", b":2:1:"), ("buffers = -1\n", b":1:")):
            self.budget.write_text(text)
            result = self.check("--budget", self.budget)
            self.assertEqual(result.returncode, 65, text)
            self.assertIn(place, result.stderr)

    def test_are_printed_in_formats_of_ci(self):
        junit = self.check("--buffers", "1", "--mac", "1G", "--format", "junit").stdout
        suite = xml.etree.ElementTree.fromstring(junit).find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))
        sarif = json.loads(self.check("--buffers", "1", "--format", "sarif").stdout)
        self.assertEqual(sarif["runs"][0]["results"][0]["ruleId"], "over-buffers")
        # Both have what was read, as JSON does.
        properties = {one.get("name"): one.get("value") for one in suite.find("properties")}
        self.assertIn("--format junit", properties["command"])
        digest = hashlib.sha256(QNN.read_bytes()).hexdigest()
        self.assertEqual(properties[f"sha256 {QNN.name}"], digest)
        hashes = {one["location"]["uri"]: one["hashes"]["sha-256"] for one in sarif["runs"][0]["artifacts"]}
        self.assertEqual(hashes[QNN.name], digest)
        metadata = hashlib.sha256(support.members_of(QNN)["metadata.json"]).hexdigest()
        self.assertEqual(hashes["metadata.json"], metadata)
        self.assertEqual(properties[f"sha256 {QNN.name} metadata.json"], metadata)
        document = json.loads(self.check("--buffers", "1", "--format", "json").stdout)
        self.assertEqual(document["results"][0]["needed"], self.buffers)
        schemas.check(schemas.validator("check"), document, "check")

    def test_forbid_findings(self):
        found = {one["code"]: one for one in self.module["findings"]}
        self.assertIn("padding-scratch", found)
        self.assertNotIn("constants-twice", found)
        self.assertEqual(self.check("--no-finding", "constants-twice").returncode, 0)
        both = ("--no-finding", "padding-scratch", "--no-finding", "constants-twice")
        both += ("--buffers", "1G")
        result = self.check(*both)
        self.assertEqual(result.returncode, 1)
        # Where, and how many bytes.
        self.assertRegex(result.stdout.decode(), rf"{found['padding-scratch']['where']} +800 ")
        document = json.loads(self.check(*both, "--format", "json").stdout)
        validator = schemas.validator("check")
        schemas.check(validator, document, "check")
        count, accepted = schema_mutations.accepted_mutations(validator, document)
        self.assertGreater(count, 30)
        self.assertEqual(accepted, [])
        document = json.loads(self.check(*both, "--format", "json").stdout)
        places = {one["code"]: one["found"] for one in document["findings"]}
        self.assertEqual(places["constants-twice"], [])
        self.assertEqual([one["bytes"] for one in places["padding-scratch"]], [800])
        junit = self.check(*both, "--format", "junit").stdout
        suite = xml.etree.ElementTree.fromstring(junit).find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("3", "1"))
        sarif = json.loads(self.check(*both, "--format", "sarif").stdout)["runs"][0]
        self.assertEqual([one["ruleId"] for one in sarif["results"]], ["padding-scratch"])
        rules = [rule["id"] for rule in sarif["tool"]["driver"]["rules"]]
        self.assertIn("padding-scratch", rules)
        result = self.check("--no-finding", "no-such-code")
        self.assertEqual(result.returncode, 64)
        self.assertIn(b"constants-twice", result.stderr)

    def test_forbid_findings_in_a_file(self):
        self.budget.write_text('no-finding = ["constants-twice"]\n')
        self.assertEqual(self.check("--budget", self.budget).returncode, 0)
        name = self.module["name"]
        self.budget.write_text(
            f'buffers = "1G"\nno-finding = ["constants-twice"]\n'
            f'[modules.{name}]\nno-finding = ["padding-scratch"]\n'
        )
        self.assertEqual(self.check("--budget", self.budget).returncode, 1)
        # The ratchet keeps what is forbidden.
        self.check("--budget", self.budget, "--update")
        self.assertIn('no-finding = ["constants-twice"]\n', self.budget.read_text())
        self.assertEqual(self.check("--budget", self.budget).returncode, 1)
        for text in ('no-finding = ["nothing"]\n', "no-finding = 3\n", "no-finding = [3]\n"):
            self.budget.write_text(text)
            result = self.check("--budget", self.budget)
            self.assertEqual(result.returncode, 65, text)
            self.assertIn(b":1:", result.stderr)


class BudgetFiles(BudgetCase):
    """A file of limits is code of its owner: what mlf does not understand is an error, and what it does
    not change stays."""

    def updated(self, text, *arguments):
        self.budget.write_bytes(text.encode())
        self.assertIn(self.check("--budget", self.budget, "--update", *arguments).returncode, (0, 1))
        return self.budget.read_bytes().decode()

    def test_a_missing_module_is_an_error_with_a_place(self):
        for text in ("[modules.other]\nram = 1\n", "[modules.other]\n", "modules.other.buffers = 1\n"):
            self.budget.write_text(text)
            result = self.check("--budget", self.budget)
            self.assertEqual((result.returncode, result.stdout), (65, b""), text)
            self.assertRegex(result.stderr, rb":1:\d+: .*: no module 'other', only default\n")

    def test_deep_nesting_is_an_error_with_a_place(self):
        for parts in (500, 132_500):
            for text in ("a" + ".a" * parts + " = 1\n", "[a" + ".a" * parts + "]\n",
                         "a = " + "[" * parts, "a = " + "{a = " * parts, "a = {a" + ".a" * parts):
                self.budget.write_text("# comment\n" + text)
                result = self.check("--budget", self.budget)
                self.assertEqual(result.returncode, 65)
                self.assertRegex(result.stderr, rb"mlf-budget.toml:2:\d+: nested more than 64 deep\n$")

    def test_a_head_without_a_key_is_an_error_with_a_place(self):
        for before in ("", "\ufeff", "# [{\n", 'a = [\n[{a = "["}]]\n', " \t"):
            for head in ("[{a}]", "[[{a}]]", "[=]", "[[[a]]]", "[ .a]", "[\na]", "[\u00e9]"):
                self.budget.write_text(before + head + "\nram = 1\n")
                result = self.check("--budget", self.budget)
                self.assertEqual((result.returncode, result.stdout), (65, b""), before + head)
                line = before.count("\n") + 1
                self.assertRegex(result.stderr, rb":%d:\d+: expected the key of a table\n$" % line)

    def test_dots_and_brackets_in_strings_and_comments_do_not_nest(self):
        dots = "." * 200 + "[" * 200
        self.budget.write_text(f"# {dots} \"'\nbuffers = '1G' # {dots}\n"
                               f'mac = """1G""" # {dots}\nno-finding = [\n]  # """ {dots}\n')
        self.assertEqual(self.check("--budget", self.budget).returncode, 0)

    def test_are_lowered_where_they_are_written(self):
        for before, after in (
            ("# mine\nram = '1K'\n\n[modules.default]  # this\n  buffers = \"1G\"  # here\n# end",
             "# mine\nram = '1K'\n\n[modules.default]  # this\n  buffers = BYTES  # here\n# end"),
            ('modules = { default = { buffers = 0x7fffffff } }  # x\n',
             'modules = { default = { buffers = BYTES } }  # x\n'),
            ('modules.default.buffers = 1_000_000', 'modules.default.buffers = BYTES'),
            ('\ufeff[modules."default"] # \u00e9\r\n"b\\u0075ffers" = """1G"""  # \u00e9\r\n',
             '\ufeff[modules."default"] # \u00e9\r\n"b\\u0075ffers" = BYTES  # \u00e9\r\n'),
        ):
            self.assertEqual(self.updated(before), after.replace("BYTES", str(self.buffers)))

    def test_of_all_modules_are_lowered_where_they_are_and_named(self):
        mac = str(self.module["mac"])
        for before, after in (
            ("mac = '1G' # all\nbuffers = 1\n", "mac = MAC # all\nbuffers = 1\n"),
            ("mac = '1G'\n[modules.default] # empty\n[modules]\n", "mac = MAC\n[modules.default] # empty\n[modules]\n"),
            ("mac = 1\n[modules.default]\nmac = '1G'\n", "mac = 1\n[modules.default]\nmac = MAC\n"),
        ):
            self.budget.write_text(before)
            note = self.check("--budget", self.budget, "--update").stderr.decode()
            self.assertEqual(self.budget.read_text(), after.replace("MAC", mac))
            self.assertRegex(note, rf"mac 1,?073,?741,?824 → {int(mac):,}|mac 1073741824 → {mac}\b")
            self.assertIn("no limit could be lowered", self.check("--budget", self.budget, "--update").stderr.decode())
    def test_of_all_modules_are_lowered_to_what_the_largest_and_all_together_need(self):
        modules = support.BUNDLED_CORPUS / "tvm-0.18/two-modules/module.tar"
        needed = {}
        for row in support.json_of("check", "--json", modules, "--mac=1G", "--buffers=1G")["results"]:
            needed.setdefault(row["resource"], {})[row["module"]] = row["needed"]
        most = {limit: {module: bytes if isinstance(bytes, int) else bytes["max"] for module, bytes in of.items()}
                for limit, of in needed.items()}
        self.assertGreater(most["buffers"]["*"], max(most["buffers"]["first"], most["buffers"]["second"]))
        common = f"mac = {max(most['mac'].values())}\nbuffers = {most['buffers']['*']}\n"
        self.budget.write_text("mac = '1G'\nbuffers = '1G'\n")
        support.run_ok("check", modules, "--budget", self.budget, "--update")
        self.assertEqual(self.budget.read_text(), common)
        self.budget.write_text("mac = '1G'\n[modules.first]\nmac = '1G'\n")
        support.run_ok("check", modules, "--budget", self.budget, "--update")
        self.assertEqual(self.budget.read_text(), f"mac = {most['mac']['second']}\n[modules.first]\nmac = {most['mac']['first']}\n")

    def test_of_the_command_line_are_not_added(self):
        self.assertEqual(self.updated("# all\n[modules.default]\n", "--mac", "1G"), "# all\n[modules.default]\n")

    def test_of_the_command_line_do_not_raise_those_of_the_file(self):
        self.assertEqual(self.updated("mac = 1 # low\n", "--mac", "1G"), "mac = 1 # low\n")

    def test_are_lowered_only_in_a_file(self):
        for stream in ("-", "/dev/stdin", "/dev/null"):
            message = support.refused(64, "check", QNN, "--budget", stream, "--update", input=b"buffers = 1\n",
                                      cwd=self.budget.parent)  # fmt: skip
            self.assertIn("--update needs a file", message)
        self.assertEqual(list(self.budget.parent.iterdir()), [])


class Boards(BudgetCase):
    """Two archives with the same names of functions, and one without."""

    ADD = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
    TWO_MODULES = support.BUNDLED_CORPUS / "tvm-0.18/two-modules/module.tar"
    ALL = """in_turn = false
[memory.ram]
bytes = "{ram}"
holds = ["ram"]
[memory.rom]
bytes = "{flash}"
holds = ["flash"]
"""
    COMPILER = ("--cc", "gcc", "--cflags=-Os", "--library-stack", "64", "--library-flash", "2K")

    def board(self, text, *archives, options=COMPILER, form="json"):
        self.budget.write_text(text)
        return support.run("check", "--board", self.budget, *archives, *options, "--format", form)

    def document(self, text, *archives, **options):
        result = self.board(text, *archives, **options)
        document = json.loads(result.stdout)
        schemas.check(schemas.validator("check"), document, "board")
        holds = {one["verdict"] for one in document["results"]} == {"fits"} and not document["clashes"]
        self.assertEqual(result.returncode, 0 if holds else 1)
        return document, {one["memory"]: one for one in document["results"]}

    def needed(self, archive, resource):
        result = support.run("check", archive, f"--{resource}=1", *self.COMPILER, "--format", "json")
        counts = [one["needed"] for one in json.loads(result.stdout)["results"] if one["module"] != "*"]
        return sum(map(support.least, counts)), sum(map(support.most, counts))

    def test_need_what_their_archives_need(self):
        """At least what check says of each, and no more than the padding that it counts twice."""
        archives = (QNN, self.TWO_MODULES)
        for count in (1, 2):
            _, results = self.document(self.ALL.format(ram=1, flash=1), *archives[:count])
            for memory, resource in (("ram", "ram"), ("rom", "flash")):
                with self.subTest(resource, count=count):
                    least, most = map(sum, zip(*(self.needed(one, resource) for one in archives[:count]), strict=True))
                    if (resource, count) == ("flash", 2):
                        most -= 2048  # --library-flash of both: a program has these functions once
                    needed = results[memory]["needed"]
                    self.assertEqual(support.least(needed), least)
                    self.assertLessEqual(most, support.most(needed))
                    self.assertLessEqual(support.most(needed), most + 200)

    def test_fit_up_to_the_upper_bound(self):
        _, results = self.document(self.ALL.format(ram=1, flash=1), QNN, self.TWO_MODULES)
        ram, flash = (support.most(results[name]["needed"]) for name in ("ram", "rom"))
        for more, verdicts in ((0, {"fits"}), (-1, {"undecided"})):
            _, results = self.document(self.ALL.format(ram=ram + more, flash=flash + more), QNN, self.TWO_MODULES)
            self.assertEqual({one["verdict"] for one in results.values()}, verdicts)

    def test_never_fit_without_a_compiler(self):
        _, results = self.document(self.ALL.format(ram="1G", flash="1G"), QNN, options=())
        self.assertEqual({one["verdict"] for one in results.values()}, {"undecided"})
        for one in results.values():
            self.assertTrue(any("--cc COMPILER" in text for text in one["remarks"]), one)

    def test_have_functions_of_different_names(self):
        big = self.ALL.format(ram="1G", flash="1G")
        document, _ = self.document(big, QNN, self.ADD)
        names = ["tvmgen_default___tvm_main__", "tvmgen_default_run"]
        archives = [QNN.name, self.ADD.name]
        self.assertEqual(document["clashes"], [{"symbol": one, "archives": archives} for one in names])
        # What no compiler has compiled defines what its text shows.
        operators = support.ARCHIVES / "tvm-0.9-op-add.tar"
        for pair in ((QNN, self.ADD), (operators, operators)):
            found = [self.document(big, *pair, options=options)[0]["clashes"] for options in ((), self.COMPILER)]
            self.assertEqual(*found)
            self.assertNotEqual(found[0], [])
        document, _ = self.document(big, QNN, self.TWO_MODULES)
        self.assertEqual(document["clashes"], [])
        # mlf_add_network gives the symbols of an archive a prefix.
        for prefixes, names in (((self.ADD,), ()), ((QNN, self.ADD), ("kws_default___tvm_main__", "kws_default_run"))):
            text = big + "[prefix]\n" + "".join(f'"{one.name}" = "kws"\n' for one in prefixes)
            clashes = self.document(text, QNN, self.ADD)[0]["clashes"]
            self.assertEqual(clashes, [{"symbol": one, "archives": archives} for one in names])
        text = self.board(big, QNN, self.ADD, form="text").stdout.decode()
        self.assertRegex(text, r"(?m)^tvmgen_default_run +" + " default; ".join(archives))
        self.assertRegex(text, "give one network another module name in TVM .* or a PREFIX in mlf_add_network")
        suite = xml.etree.ElementTree.fromstring(self.board(big, QNN, self.ADD, form="junit").stdout)[0]
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("4", "2"))
        self.assertEqual(suite.get("name"), str(self.budget))
        sarif = json.loads(self.board(big, QNN, self.ADD, form="sarif").stdout)["runs"][0]
        self.assertEqual({one["ruleId"] for one in sarif["results"]}, {"symbol-clash"})
        self.assertIn("symbol-clash", [one["id"] for one in sarif["tool"]["driver"]["rules"]])

    def test_name_modules_and_archives(self):
        big = self.ALL.format(ram="1G", flash="1G")
        text = self.board(big, self.TWO_MODULES, form="text").stdout.decode()
        modules = re.findall(r"^ram +module.tar  (\S+)  ", text, re.MULTILINE)
        self.assertEqual(set(modules), {"first", "second"})
        graph = support.BUNDLED_CORPUS / "tvm-0.18/qnn_conv-graph/module.tar"
        document, _ = self.document(big, self.TWO_MODULES, graph)
        self.assertEqual({one["archive"] for one in document["parts"]}, {str(self.TWO_MODULES), str(graph)})

    def test_are_refused_with_the_place(self):
        big = self.ALL.format(ram="1G", flash="1G")
        for text, message in (
            (big.replace('["ram"]', '["ram", "poools"]'), "4:17: no archive has 'poools'"),
            (big.replace('["flash"]', '["ram"]'), "7:10: 'ram' is in two places"),
            (big.replace("bytes", "size"), "a memory needs bytes"),
            (big.replace('"1G"', "-1"), "expected a number of 0 or more"),
            (big.replace("in_turn = false", "in_turn = 1"), "1:11: expected true or false"),
            ("in_turns = true", "a board has 'in_turn', [prefix] and tables [memory.NAME]"),
            (big + '[prefix]\n"module.tar" = "kws"', "9:1: no archive is 'module.tar'"),
            (big + f'[prefix]\n"{QNN.name}" = "7"', "expected a name in C"),
            ("", "a board needs a table [memory.NAME]"),
        ):
            with self.subTest(message):
                result = self.board(text, QNN)
                self.assertEqual(result.returncode, 65, result.stderr)
                self.assertIn(message, result.stderr.decode())
        graph = support.BUNDLED_CORPUS / "tvm-0.18/qnn_conv-graph/module.tar"
        refused = self.board(big + '[prefix]\n"module.tar" = "kws"', graph)
        self.assertIn(b"takes no prefix", refused.stderr)
        for options in (("--buffers", "1"), ("--no-finding", "recomputed"), ("--budget", self.budget)):
            self.assertEqual(self.board(big, QNN, options=options).returncode, 64)
        self.assertEqual(support.run("check", QNN, self.ADD, "--buffers", "1").returncode, 64)


if __name__ == "__main__":
    unittest.main()

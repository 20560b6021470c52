"""mlf check: budgets hold up to the last byte, and say what is above them."""

import json
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

import schema_mutations
import schemas
import support

QNN = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"


class Budgets(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.budget = pathlib.Path(folder.name) / "mlf-budget.toml"
        self.module = json.loads(support.run_ok("report", "--json", QNN).stdout)["modules"][0]
        self.ram = sum(
            self.module["ram"][one] for one in ("pools", "io", "executor", "heap", "stack")
        )

    def check(self, *arguments):
        return support.run("check", QNN, *arguments)

    def test_hold_up_to_the_last_byte(self):
        self.assertEqual(self.check("--ram", self.ram).returncode, 0)
        result = self.check("--ram", self.ram - 1)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"1 bytes too many", result.stdout)

    def test_take_units(self):
        self.assertEqual(self.check("--ram", "1G", "--mac", "1G").returncode, 0)
        self.assertEqual(self.check("--ram", "1T").returncode, 64)
        self.assertEqual(self.check().returncode, 64)

    def test_are_read_from_a_file_and_of_single_modules(self):
        self.budget.write_text(f'ram = "1K"\n[modules.{self.module["name"]}]\nram = {self.ram}\n')
        self.assertEqual(self.check("--budget", self.budget).returncode, 0)
        self.budget.write_text('ram = "1K"\n')
        self.assertEqual(self.check("--budget", self.budget).returncode, 1)

    def test_are_lowered_and_never_raised(self):
        self.budget.write_text('ram = "1G"\nmac = 1\n')
        self.check("--budget", self.budget, "--update")
        self.assertEqual(self.check("--budget", self.budget, "--mac", "1G").returncode, 0)
        self.assertIn(f"ram = {self.ram}", self.budget.read_text())
        self.assertIn("mac = 1\n", self.budget.read_text())
        before = self.budget.read_text()
        self.check("--budget", self.budget, "--update")
        self.assertEqual(self.budget.read_text(), before)

    def test_with_mistakes_are_an_error_with_a_place(self):
        for text, place in (("ram = \n", b":1:"), ("\nrom = 3\n", b":2:1:"), ("ram = -1\n", b":1:")):
            self.budget.write_text(text)
            result = self.check("--budget", self.budget)
            self.assertEqual(result.returncode, 65, text)
            self.assertIn(place, result.stderr)

    def test_are_said_in_formats_of_ci(self):
        junit = self.check("--ram", "1", "--mac", "1G", "--format", "junit").stdout
        suite = xml.etree.ElementTree.fromstring(junit).find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))
        sarif = json.loads(self.check("--ram", "1", "--format", "sarif").stdout)
        self.assertEqual(sarif["runs"][0]["results"][0]["ruleId"], "over-ram")
        document = json.loads(self.check("--ram", "1", "--format", "json").stdout)
        self.assertEqual(document["results"][0]["needed"], self.ram)
        schemas.check(schemas.validator("check"), document, "check")

    def test_forbid_findings(self):
        found = {one["code"]: one for one in self.module["findings"]}
        self.assertIn("padding-scratch", found)
        self.assertNotIn("constants-twice", found)
        self.assertEqual(self.check("--no-finding", "constants-twice").returncode, 0)
        both = ("--no-finding", "padding-scratch", "--no-finding", "constants-twice")
        both += ("--ram", "1G")
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
            f'ram = "1G"\nno-finding = ["constants-twice"]\n'
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


if __name__ == "__main__":
    unittest.main()

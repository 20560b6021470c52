"""What mlf reads from generated C is what TVM had in memory when it generated it.

For the operators of operators.py and each way to build them: `mlf verify` finds no difference
between the C of an archive and TVM's own save_json of the module. Prints a table: functions read
from C.

Usage: PYTHON_OF_A_TVM_VENV c_matches.py
"""

import json
import re
import unittest

import program_case
import support

import need_tvm  # noqa: F401: skips where there is no TVM
from tvm import __version__ as tvm_version

import builds
import exporter
import operators

CAPTURE = "src/tir-1.tvm.json"


def mismatches(archive):
    result = support.run("verify", "--json", archive)
    assert result.returncode in (0, 1), result.stderr.decode()
    (verdict,) = json.loads(result.stdout)["archives"]
    return [f["detail"] for f in verdict["findings"] if f["code"] == "c-mismatch"]


def functions_in_c(archive):
    """How many functions mlf reads from an archive without captured TIR."""
    support.run_ok("process", archive)
    document = json.loads(support.members_of(archive)["src/tir-1.json"])
    assert document["source"]["dialect"] == "c"
    kept_as_text = [loss for loss in document["losses"] if loss["code"] == "unknown-construct"]
    assert not kept_as_text, kept_as_text
    return len(document["functions"])


def with_another_operator(archive):
    """The archive with the first sum of a kernel turned into a difference in its C."""
    changed = archive.with_name("changed.tar")
    members = support.members_of(archive)
    for name, content in members.items():
        if not name.endswith(".c"):
            continue
        other, count = re.subn(rb"\((\w+\[[^][]*\]) \+ ", rb"(\1 - ", content, count=1)
        if count:
            members[name] = other
            changed.write_bytes(support.make_tar(members))
            return changed
    raise AssertionError("no sum in the C")


class CMatches(program_case.Directory):
    def export(self, network, configuration):
        """The stock archive, and the one with TVM's own module."""
        factory = builds.aot(network.module, configuration)
        stock, both = (self.directory / name for name in ("stock.tar", "both.tar"))
        for archive in (stock, both):
            exporter.export(factory, archive)
        exporter.add_members(both, {CAPTURE: exporter.captured_tir(factory)[CAPTURE]})
        return stock, both

    def test_c_says_what_tvm_had_in_memory(self):
        print(f"TVM {tvm_version}:", *(way.name for way in builds.CONFIGURATIONS))
        for network in operators.families():
            counts = []
            for configuration in builds.CONFIGURATIONS:
                with self.subTest(f"{network.name} {configuration.name}"):
                    stock, both = self.export(network, configuration)
                    self.assertEqual(mismatches(both), [])
                    counts.append(functions_in_c(stock))
            print(f"{network.name:16}", *counts)

    def test_another_operator_in_the_c_would_be_noticed(self):
        (network,) = [one for one in operators.families() if one.name == "floats"]
        _, both = self.export(network, builds.PACKED)
        self.assertEqual(len(mismatches(with_another_operator(both))), 1)


if __name__ == "__main__":
    unittest.main()

"""The repr text of TVM, read by mlf, is what TVM prints again of what mlf made of it.

Every program of the families as TVM's legacy printer shows it: names, structure, constants,
attributes, calls. TVM loads mlf's save_json and prints it; the texts must be equal but for
addresses. What save_json cannot say without the data that the text leaves out (constants, objects
of which only an address is printed) must be read, and be among the losses.

Usage: PYTHON_OF_A_TVM_VENV repr_text.py
"""

import json
import re
import unittest

import support

try:
    import tvm
except ImportError:
    support.skip("this Python has no TVM; tests/run --all makes one that has")

import expression_programs
import module_programs
from round_trips import FAMILIES, FEWEST_PROGRAMS, load, own_module, save

# What the text has no more of than a type: objects, and the data of constants.
LEFT_OUT = re.compile(r"^ *constant |\w\(0x|\b\w+Node\(|Layout\(|index_map\(|: fn \(", re.MULTILINE)
ADDRESS = re.compile(r"0x[0-9a-f]+")


def printed(node):
    """What the legacy printer of either version shows."""
    if hasattr(node, "legacy_repr"):
        return node.legacy_repr()
    return tvm.runtime._ffi_node_api.AsRepr(node)


def encode(text):
    return text.encode("utf-8", "surrogateescape")


def without_addresses(text):
    return ADDRESS.sub("0x", text)


def through_mlf(text):
    """The module that TVM loads of what mlf made of a text."""
    options = ("--format", "save_json", "--tvm-version", tvm.__version__)
    return load(support.run_ok("tir", *options, "-", input=encode(text)).stdout)


def losses_of(text):
    document = json.loads(support.run_ok("tir", "-", input=encode(text)).stdout)
    return document["source"]["dialect"], {loss["code"] for loss in document["losses"]}


def functions_by_name(module):
    return {var.name_hint: function for var, function in module.functions.items()}


class ReprText(unittest.TestCase):
    maxDiff = 4000

    def check(self, label, module):
        """Counts the functions that come back, and those of which the text left something out."""
        whole, partial = {}, {}
        for name, function in functions_by_name(module).items():
            target = partial if LEFT_OUT.search(printed(function)) else whole
            target[tvm.ir.GlobalVar(name)] = function
        if whole:
            self.check_whole(label, tvm.IRModule(whole))
        if partial:
            dialect, losses = losses_of(printed(tvm.IRModule(partial)))
            self.assertEqual(dialect, "repr_text")
            self.assertTrue(losses & {"constant-data", "attr-object"}, label)
        return len(whole), len(partial)

    def check_whole(self, label, module):
        # Loading reorders the entries of maps.
        expected = functions_by_name(load(save(module)))
        found = functions_by_name(through_mlf(printed(module)))
        self.assertEqual(sorted(found), sorted(expected))
        for name, function in expected.items():
            with self.subTest(label, function=name):
                self.assertEqual(
                    without_addresses(printed(found[name])), without_addresses(printed(function))
                )

    def test_programs(self):
        whole = partial = 0
        for family in FAMILIES:
            counts = self.check(family.__name__, own_module(family))
            whole, partial = whole + counts[0], partial + counts[1]
        print(f"repr text of programs: {whole} printed again, {partial} read with losses")
        self.assertGreaterEqual(whole, FEWEST_PROGRAMS)

    def test_networks(self):
        for label, module in module_programs.modules():
            if label.startswith("network_") or label == "module_calls":
                self.check(label, module)

    def test_a_difference_would_be_noticed(self):
        module = own_module(expression_programs)
        text = printed(module).replace("((x + y) + (y + x))", "((x + y) + (y + y))")
        self.assertNotEqual(text, printed(module))
        found = functions_by_name(through_mlf(text))
        self.assertNotEqual(
            printed(found["arithmetic_Add"]), printed(functions_by_name(module)["arithmetic_Add"])
        )

    def test_the_fallback_of_v0_12_has_an_address_behind_it(self):
        module = dict(module_programs.modules())["module_calls"]
        text = printed(module) + "IRModule(0x55d0a1b2c3d0)"
        document = json.loads(support.run_ok("tir", "-", input=encode(text)).stdout)
        self.assertEqual(document["source"]["dialect"], "repr_text")
        self.assertEqual(len(document["functions"]), len(module.functions))


if __name__ == "__main__":
    unittest.main()

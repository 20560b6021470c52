"""tir-N.json suffices to compute: a program made of it (json_program.py) does what the archive's own C does.

For networks that TVM builds here, for the bundled archives, and for those of the corpus where it is
there. The document comes from TVM's save_json, from the text that TVM prints, and from the C alone.
Integers must have the bytes of what the compiled C computes; floating-point numbers may differ by
1e-5 relative or 1e-6. Constants that a text cuts or leaves out are those of the archive's C. Only
text that leaves out the pools of the memory planner, constants and all, can compute nothing, which
is counted.

Usage: PYTHON_OF_A_TVM_VENV json_computes.py
"""

import collections
import json
import unittest

import program_case
import support

import need_tvm  # noqa: F401: skips where there is no TVM
import numpy as np
from tvm import __version__ as tvm_version

import computed_cases
import json_mutations
import networks
from compiled_main import CompiledMain
from json_program import Failed, Missing, Program

SEEDS = range(2)
SAME_BYTES, CLOSE, LOST = "compute the same bytes", "compute the same nearly", "lack their pools"


def lacks_its_pools(content):
    """Up to v0.11 a text has only a reference to the pools that main gets."""
    return any(
        entry["node"] == "MissingObject" and entry["type_key"].endswith("AllocatedPoolInfo")
        for entry in content["objects"]
    )


def computed(program, tensors, inputs):
    outputs = tensors.empty_outputs()
    program.run_main([*inputs, *outputs])
    return outputs


def compiled(main, tensors, inputs):
    outputs = tensors.empty_outputs()
    main.run(inputs, outputs)
    return outputs


def have_the_same_bytes(results, expected):
    return all(a.tobytes() == b.tobytes() for a, b in zip(results, expected))


def is_close(result, expected):
    if expected.dtype.kind != "f":
        return result.tobytes() == expected.tobytes()
    wide, exact = result.astype("float64"), expected.astype("float64")
    near = np.abs(wide - exact) <= np.maximum(1e-6, 1e-5 * np.abs(exact))
    return bool(np.all(near | (wide == exact) | (np.isnan(wide) & np.isnan(exact))))


def are_close(results, expected):
    return all(map(is_close, results, expected))


class JsonComputes(program_case.Directory):
    def setUp(self):
        self.verdicts = collections.Counter()

    def test_networks_that_are_built_here(self):
        self.check_all(computed_cases.built(self.directory))

    def test_bundled_archives(self):
        self.check_all(computed_cases.bundled(self.directory))

    def check_all(self, cases):
        for number, case in enumerate(cases):
            main = CompiledMain(case.archive, self.directory / f"compiled-{number}", case.module)
            self.check(case, main)
        for (source, verdict), count in sorted(self.verdicts.items()):
            print(f"TVM {tvm_version}, documents from {source}: {count} {verdict}")
        for source in ("save_json", "text", "c"):
            self.assertGreater(self.verdicts[source, SAME_BYTES], 0)

    def check(self, case, main):
        inputs = [case.tensors.random_inputs(seed) for seed in SEEDS]
        expected = [compiled(main, case.tensors, given) for given in inputs]
        self.assertNotEqual(*map(repr, expected), f"{case.name}: the inputs do not matter")
        for source, content in case.documents.items():
            with self.subTest(f"{case.name} {source}"):
                self.check_document(source, content, case.tensors, inputs, expected)

    def check_document(self, source, content, tensors, inputs, expected):
        try:
            program = Program(content, self.directory)
            results = [computed(program, tensors, given) for given in inputs]
        except Missing:
            self.assertEqual(source, "text")
            self.assertTrue(lacks_its_pools(content), "constants of the archive are lost")
            self.verdicts[source, LOST] += 1
            return
        self.assertTrue(all(map(are_close, results, expected)))
        is_exact = all(map(have_the_same_bytes, results, expected))
        self.verdicts[source, SAME_BYTES if is_exact else CLOSE] += 1

    def test_constants_may_be_in_files(self):
        cases = computed_cases.bundled(self.directory)
        case = next(case for case in cases if "qnn_conv" in case.name)
        archive = self.tar(support.without_tir(support.members_of(case.archive)), "files.tar")
        support.run_ok("process", "--constants", "npy", archive)
        source = support.unpacked(archive, self.directory / "files") / "src"
        content = json.loads((source / "tir-1.json").read_text())
        self.assertTrue(all("file" in constant for constant in content["constants"]))
        inputs = case.tensors.random_inputs(0)
        expected = computed(Program(case.documents["c"], self.directory), case.tensors, inputs)
        from_files = computed(Program(content, self.directory, source), case.tensors, inputs)
        self.assertTrue(are_close(from_files, expected))

    def test_whatever_is_changed_in_a_document_is_noticed(self):
        case = computed_cases.network(networks.int8_convolution, self.directory)
        inputs = case.tensors.random_inputs(0)
        expected = computed(Program(case.documents["save_json"], self.directory), case.tensors, inputs)
        for name, mutated in json_mutations.of(case.documents["save_json"]):
            with self.subTest(name):
                self.assertTrue(self.is_noticed(mutated, case.tensors, inputs, expected))

    def is_noticed(self, content, tensors, inputs, expected):
        try:
            return not are_close(computed(Program(content, self.directory), tensors, inputs), expected)
        except Failed:
            return True


if __name__ == "__main__":
    unittest.main()

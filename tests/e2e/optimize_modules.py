"""`mlf optimize` of several modules whose captured TIR is in one text, and in its lossless twin.

Each module becomes what it becomes with a TIR of its own.
"""

import unittest

import module_copies
import optimize_unused
import support

PLAIN = optimize_unused.members_of(support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar")
PLANNED = support.BUNDLED_CORPUS / "tvm-0.18"
TIR, TWIN = optimize_unused.TIR, optimize_unused.TWIN
CONSTANTS = '"constants": [metadata["runtime.NDArray"][0]], '
BYTES_OF_WEIGHTS = 576


def copies(members, n=3):
    texts = {name: text for name, text in members.items() if name.startswith(("codegen/", TIR, "metadata."))}
    # The text does not have the data of this attribute, which a twin needs.
    texts[TIR] = texts[TIR].replace(CONSTANTS, "")
    return module_copies.copies_of(texts, n)


def in_one_tir(members):
    return module_copies.in_one_tir(dict(members))


class Modules(optimize_unused.Case):
    def optimized(self, members, *options):
        """The modules of the report, and the new members."""
        modules, output = self.optimized_archive(members, *options)
        return modules, optimize_unused.members_of(output)

    def with_twin(self, members):
        archive = self.tar({name: text for name, text in members.items() if name != TWIN}, "text.tar")
        return {**members, TWIN: support.run_ok("tir", archive, "--format", "save_json", "--missing", "omit").stdout.decode()}

    def script_of(self, save_json):
        path = self.directory / "tir.json"
        path.write_text(save_json)
        return support.run_ok("tir", path, "--format", "tvmscript").stdout.decode()

    def test_with_one_tir_become_what_they_become_with_their_own(self):
        members = copies(optimize_unused.with_unused(PLAIN))
        alone, expected = self.optimized(members)
        together, changed = self.optimized(in_one_tir(members))
        self.assertEqual(together, alone)
        self.assertEqual([len(one["unused_functions"]) for one in together], [1, 1, 1])
        self.assertTrue(all(one["saved_by_narrowing"] > 0 for one in together))
        self.assertEqual(changed, in_one_tir(expected))

    def test_with_one_tir_get_the_offsets_and_the_order_of_their_own(self):
        for name, options in (("split_concat-aot-c-usmp", ()), ("two_out-aot-c-usmp", ("--reorder",))):
            with self.subTest(archive=name):
                members = copies(optimize_unused.members_of(PLANNED / name / "module.tar"))
                alone, expected = self.optimized(members, *options)
                together, changed = self.optimized(in_one_tir(members), *options)
                self.assertEqual(together, alone)
                for module in together:
                    self.assertLess(module["pools"][0]["new_bytes"], module["pools"][0]["bytes"])
                self.assertEqual(changed, in_one_tir(expected))

    def test_agree_with_their_twin(self):
        members = self.with_twin(in_one_tir(copies(optimize_unused.with_unused(PLAIN))))
        _, changed = self.optimized(members)
        self.assertNotEqual(changed[TWIN], members[TWIN])
        self.assertEqual(self.script_of(changed[TWIN]), self.script_of(self.with_twin(changed)[TWIN]))

    def test_that_cannot_change_leave_the_others(self):
        members = copies(PLAIN)
        name = "codegen/host/src/m1_lib1.c"
        members[name] += "const void* other_use(void) { return fused_constant; }\n"
        alone, expected = self.optimized(members)
        together, changed = self.optimized(in_one_tir(members))
        self.assertEqual(together, alone)
        weights = [one for module in together for one in module["constants"] if one["bytes"] == BYTES_OF_WEIGHTS]
        self.assertEqual([one["new_dtype"] for one in weights], ["int8", "int16", "int8"])
        self.assertEqual(changed, in_one_tir(expected))

    def test_change_one_by_one_where_their_tir_cannot_change_for_all(self):
        """The text of two changed modules is larger than the limit, that of one is not."""
        members = in_one_tir(copies(PLAIN, 2))
        size = len(members[TIR])
        _, changed = self.optimized(members)
        limit = (size + len(changed[TIR])) // 2
        (first, second), left = self.optimized(members, "--limit", f"source-bytes={limit}")
        self.assertGreater(first["saved_by_narrowing"], 0)
        self.assertEqual(second["saved_by_narrowing"], 0)
        self.assertRegex(second["constants_kept"], r"^the source has \d+ bytes, more than \d+$")
        self.assertEqual(left["codegen/host/src/m1_lib1.c"], members["codegen/host/src/m1_lib1.c"])
        self.assertIn(TIR, left)


if __name__ == "__main__":
    unittest.main()

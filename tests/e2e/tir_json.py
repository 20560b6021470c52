"""tir-N.json of the bundled modules, in every dialect: for readers, and for the schema."""

import json
import re
import subprocess
import sys
import unittest

import schema_mutations
import schemas
import support
import tir_json_reader

TIR = support.SOURCE / "tests" / "data" / "tir"
VALIDATOR = schemas.validator("tir")


def documents(pattern):
    found = sorted(TIR.glob(pattern))
    assert found, pattern
    for path in filter(lambda path: path.is_file(), found):
        yield path, support.json_of("tir", path)


class TirJson(unittest.TestCase):
    def test_a_reader_made_from_the_words_alone_understands_it(self):
        for path, document in documents("*/**/*.*"):
            with self.subTest(path):
                schemas.check(VALIDATOR, document, str(path))
                self.assertGreater(tir_json_reader.read(document), 0)

    def test_the_reader_notices_what_is_wrong(self):
        _, document = next(documents("pairs/tvm-0.18-add-aot-c-usmp/*.json"))
        document["functions"][0]["params"] = [10**6]
        with self.assertRaises((AssertionError, KeyError, IndexError)):
            tir_json_reader.read(document)

    def test_the_schema_rejects_every_change_of_shape(self):
        shapes, dialects, mutations = set(), set(), 0
        # The schema is the same for every dialect. A shape is mutated in the smallest document that has
        # it, as each mutation has the whole document checked.
        for path, document in sorted(documents("pairs/*/*.*"), key=lambda one: len(str(one[1]))):
            dialects.add(document["source"]["dialect"])
            with self.subTest(path):
                count, accepted = schema_mutations.accepted_mutations(VALIDATOR, document, shapes)
                mutations += count
                self.assertEqual(accepted, [])
        self.assertEqual(dialects, {"save_json", "tvmscript", "old_tvmscript", "legacy_text"})
        self.assertGreater(mutations, 2500)

    def test_the_kernel_in_the_words_is_a_real_one_and_its_program_runs(self):
        path = TIR / "pairs" / "tvm-0.18-vec" / "text.txt"
        words = (support.SOURCE / "schemas" / "tir.md").read_text()
        section = words[words.index("## A kernel"):words.index("## Document")]
        blocks = dict(re.findall(r"^```(.*?)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL))
        self.assertIn(blocks["python text"].rstrip(), path.read_text())
        document = support.run_ok("tir", path).stdout
        self.assertEqual(json.loads(blocks["js"]), json.loads(document)["functions"][0])
        walker = [sys.executable, "-c", blocks["python walker"]]
        printed = subprocess.run(walker, input=document, capture_output=True, check=True).stdout
        self.assertEqual(printed.decode(), blocks["text"])


if __name__ == "__main__":
    unittest.main()

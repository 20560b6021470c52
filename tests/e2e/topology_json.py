"""<m>.topology.json and <m>.graph.json: for readers, and for the schema."""

import json
import unittest

import schema_mutations
import schemas
import support
import topology_reader

GOLDEN = support.SOURCE / "tests" / "data" / "graph" / "golden"
VALIDATOR = schemas.validator("topology")


def topologies():
    found = sorted(GOLDEN.glob("*.topology.json"))
    assert len(found) >= 5
    for path in found:
        yield path, json.loads(path.read_text())


class TopologyJson(unittest.TestCase):
    def test_a_reader_made_from_the_words_alone_understands_it(self):
        for path, document in topologies():
            with self.subTest(path):
                schemas.check(VALIDATOR, document, str(path))
                self.assertGreater(topology_reader.read(document), 0)

    def test_the_reader_projects_it_to_the_same_graph(self):
        for path, document in topologies():
            graph = path.with_name(path.name.replace(".topology.", ".graph."))
            with self.subTest(path):
                expected = json.loads(graph.read_text())
                self.assertEqual(topology_reader.Projection(document).run(), expected)

    def test_the_reader_notices_what_is_wrong(self):
        for path, document in topologies():
            wrongs = 0
            for call in document["calls"]:
                for argument in call["arguments"]:
                    if argument["reads"] is None:
                        continue
                    right = argument["reads"]
                    argument["reads"] = (right + 1) % len(document["values"])
                    with self.subTest(path), self.assertRaises((AssertionError, KeyError)):
                        topology_reader.read(document)
                    argument["reads"] = right
                    wrongs += 1
            self.assertGreater(wrongs, 2)

    def test_the_schema_rejects_every_change_of_shape(self):
        kinds = set()
        for path, document in topologies():
            kinds.add(document["provenance"]["kind"])
            with self.subTest(path):
                count, accepted = schema_mutations.accepted_mutations(VALIDATOR, document)
                self.assertGreater(count, 100)
                self.assertEqual(accepted, [])
        self.assertEqual(kinds, {"main-function", "graph-json"})


if __name__ == "__main__":
    unittest.main()

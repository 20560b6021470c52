"""The graph that mlf finds in AOT's main is the one that TVM gives its graph executor.

For every network and two of the ways to build it, the others with the other version of TVM; with the
TIR in the archive as TVM's save_json or as the text it prints, and in the stock archive, where mlf
has the generated C alone. Prints a table: calls that both graphs have.

Usage: PYTHON_OF_A_TVM_VENV graph_matches.py
"""

import unittest

import program_case
import support

import need_tvm  # noqa: F401: skips where there is no TVM
from tvm import TVMError, __version__ as tvm_version

import builds
import exporter
import kept_builds
import networks
from graph_json import Graph

# The members that are put into the stock archive.
SOURCES = {"save_json": ["src/tir-1.tvm.json"], "text": ["src/tir-1.txt"], "stock": []}


def is_beyond_tvm(network, configuration):
    """The memory planner of TVM 0.9 loses the constants that main itself uses."""
    is_old = tvm_version.startswith("0.9.")
    return is_old and configuration.usmp and network.name == "pass_through"


def print_row(name, cells):
    print(f"{name:40}", *(f"{cell:>22}" for cell in cells))


class GraphMatches(program_case.Directory):
    def test_calls_inputs_and_outputs_are_those_of_tvms_graph(self):
        print_row(f"TVM {tvm_version}", SOURCES)
        for turn, network in enumerate(networks.all_networks()):
            built = self.directory / "graph.tar"
            kept_builds.graph(network.module).export(built)
            of_tvm = support.members_of(built)["executor-config/graph/default.graph"]
            expected = Graph(of_tvm, len(network.inputs))
            for configuration in builds.by_turns(turn, 2):
                common = self.check(network, configuration, expected)
                print_row(f"{network.name} {configuration.name}", common)

    def check(self, network, configuration, expected):
        """Compares a configuration; returns for each source how many calls are as expected."""
        if is_beyond_tvm(network, configuration):
            with self.assertRaises(TVMError):
                kept_builds.aot(network.module, configuration)
            return ["TVM fails"] * len(SOURCES)
        build = kept_builds.aot(network.module, configuration)
        common = []
        for source, members in SOURCES.items():
            found = self.reconstruct(network, build, {name: build.captured[name] for name in members})
            with self.subTest(f"{network.name} {configuration.name} {source}"):
                self.assertEqual(found.parts, expected.parts)
            both = sum((found.calls & expected.calls).values())
            common.append(f"{both} of {sum(expected.calls.values())}")
        return common

    def reconstruct(self, network, build, captured):
        """The graph that mlf finds in an archive with this captured TIR and no other."""
        archive = self.directory / "module.tar"
        build.export(archive)
        exporter.add_members(archive, captured)
        support.run_ok("process", archive)
        support.run_ok("verify", archive)
        text = support.members_of(archive)["src/default.graph.json"]
        return Graph(text, len(network.inputs))


if __name__ == "__main__":
    unittest.main()

"""TVM's graph executor runs the graph.json that mlf made from AOT's main.

For every network, TVM builds an AOT archive; each version of TVM has half of the networks, and all
with MLF_EVERY_ARCHIVE=1. mlf finds the graph in it, once from TIR that was captured and once from the
generated C alone, and TVM's graph executor runs these graphs with the kernels of the archive, compiled
from its own C. The outputs must have the bytes of those of the archive's main, and of those of a build
for the graph executor.

Usage: PYTHON_OF_A_TVM_VENV graph_runs.py
"""

import json
import unittest

import program_case
import support

import need_tvm  # noqa: F401: skips where there is no TVM
import numpy as np
import tvm
from tvm import relay
from tvm.contrib import graph_executor

import builds
import c_library
import exporter
import kept_builds
import main_constants
import networks

SEEDS = range(3)


class Processed:
    """An AOT archive as mlf processed it."""

    def __init__(self, build, archive, captured):
        build.export(archive)
        exporter.add_members(archive, captured)
        support.run_ok("process", archive)
        self.path = archive

    def graph(self):
        return json.loads(support.members_of(self.path)["src/default.graph.json"])

    def values(self, graph, inputs):
        """Of all that the graph reads: inputs come first, in main's order; constants follow."""
        names = [graph["nodes"][index]["name"] for index in graph["arg_nodes"]]
        values = [*inputs.values(), *main_constants.read(self.path)]
        assert len(names) == len(values), names
        return dict(zip(names, values))


class AotBuild:
    """The archives of a network, with captured TIR and as TVM exports it, and its kernels."""

    def __init__(self, network, directory):
        directory.mkdir()
        build = kept_builds.aot(network.module, builds.PACKED)
        self.captured = Processed(build, directory / "captured.tar", build.captured)
        self.stock = Processed(build, directory / "stock.tar", {})
        self._network = network
        self._kernels = c_library.compile_archive(self.stock.path, directory)

    def run_main(self, inputs):
        outputs = [
            tvm.nd.array(np.zeros([int(extent) for extent in kind.shape], kind.dtype))
            for kind in self._network.outputs
        ]
        main = self._kernels["tvmgen_default___tvm_main__"]
        main(*map(tvm.nd.array, inputs.values()), *outputs)
        return [output.numpy() for output in outputs]

    def run_graph(self, archive, graph, inputs):
        """Runs a graph of one of the archives."""
        return run(json.dumps(graph), self._kernels, archive.values(graph, inputs))


class GraphBuild:
    """The archive of a network that TVM built for its graph executor."""

    def __init__(self, network, directory):
        directory.mkdir()
        archive = directory / "module.tar"
        kept_builds.graph(network.module).export(archive)
        self._kernels = c_library.compile_archive(archive, directory)
        self._graph = support.members_of(archive)["executor-config/graph/default.graph"].decode()
        parameters = support.members_of(archive)["parameters/default.params"]
        self._parameters = relay.load_param_dict(parameters)

    def run(self, inputs):
        return run(self._graph, self._kernels, {**inputs, **self._parameters})


def run(graph, kernels, values):
    executor = graph_executor.create(graph, kernels, tvm.cpu())
    for name, value in values.items():
        executor.set_input(name, value)
    executor.run()
    return [executor.get_output(k).numpy() for k in range(executor.get_num_outputs())]


def bits(arrays):
    return [(array.dtype, array.shape, array.tobytes()) for array in arrays]


class GraphRuns(program_case.Directory):
    def test_outputs_are_those_of_main_and_of_a_build_for_the_graph_executor(self):
        for turn, network in enumerate(networks.all_networks()):
            if not builds.is_of_this_version(turn):
                continue
            with self.subTest(network.name):
                self.check(network)

    def check(self, network):
        aot = AotBuild(network, self.directory / f"{network.name}-aot")
        executor = GraphBuild(network, self.directory / f"{network.name}-graph")
        graphs = {archive: archive.graph() for archive in (aot.captured, aot.stock)}
        seen = set()
        for seed in SEEDS:
            inputs = network.random_inputs(seed)
            expected = bits(aot.run_main(inputs))
            for archive, graph in graphs.items():
                self.assertEqual(bits(aot.run_graph(archive, graph, inputs)), expected)
            self.assertEqual(bits(executor.run(inputs)), expected)
            seen.add(repr(expected))
        self.assertEqual(len(seen), len(SEEDS), "the inputs do not matter to this network")

    def test_a_wrong_edge_would_be_noticed(self):
        network = networks.from_relay(networks.twins)
        aot = AotBuild(network, self.directory / "aot")
        graph = aot.stock.graph()
        subtraction = next(node for node in graph["nodes"] if "subtract" in node["name"])
        subtraction["inputs"].reverse()
        inputs = network.random_inputs(0)
        self.assertNotEqual(bits(aot.run_graph(aot.stock, graph, inputs)), bits(aot.run_main(inputs)))

    def test_where_main_itself_is_wrong_there_is_no_graph(self):
        network = networks.from_relay(networks.returned_twice)
        aot = AotBuild(network, self.directory / "aot")
        outputs = aot.run_main(network.random_inputs(0))
        self.assertEqual(sum(not output.any() for output in outputs), 1)
        for archive in (aot.captured, aot.stock):
            with self.assertRaises(KeyError):
                archive.graph()
            self.assertIn(b"[output-unwritten]", support.run_to(1, "verify", archive.path).stdout)


if __name__ == "__main__":
    unittest.main()

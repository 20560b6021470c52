"""`mlf optimize` on networks that the tests build with TVM: with MLF_EVERY_ARCHIVE=1 on all, in every
configuration.

AOT archives, packed and with the C interface, with the memory planner and without, each with captured
TIR as text and lossless twin: outputs, sizes and consistency are judged by optimize_run.py. Archives of
the graph executor are run by TVM itself, before and after, on random inputs: the outputs have the same
bytes. int8 weights that TVM widened take at most 52 % of their bytes afterwards.

Usage: PYTHON_OF_A_TVM_VENV optimize_tvm.py
"""

import os
import unittest

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
import networks
import optimize_run

SEEDS = range(3)
EVERY = os.environ.get("MLF_EVERY_ARCHIVE")
# Building takes most of the time: without EVERY, few configurations of few networks.
SAMPLE = {
    "int8_convolution": ("packed", "packed-usmp", "c", "c-usmp"),
    "int8_residual": ("packed-usmp", "c"),
    "integers": ("c",),
    "aww.tflite": ("c-usmp",),
}
QUANTIZED = {"int8_convolution", "int8_residual"}
MOST_OF_QUANTIZED = 0.52


def inputs_of(network):
    """Random ones, then the least and the largest integers."""
    yield from map(network.random_inputs, SEEDS)
    for end in ("min", "max"):
        yield {
            name: np.full_like(one, getattr(np.iinfo(one.dtype), end) if one.dtype.kind in "iu" else 1)
            for name, one in network.random_inputs(0).items()
        }


def run_graph(archive, directory, network, params=None):
    """Outputs of TVM's graph executor with the kernels of the archive, of all inputs."""
    directory.mkdir(parents=True)
    graph = support.members_of(archive)["executor-config/graph/default.graph"]
    library = c_library.compile_archive(archive, directory)
    module = graph_executor.create(graph.decode() if isinstance(graph, bytes) else graph, library, tvm.cpu())
    module.load_params(bytearray(params or support.members_of(archive)["parameters/default.params"]))
    outputs = []
    for inputs in inputs_of(network):
        module.set_input(**inputs)
        module.run()
        outputs += [module.get_output(i).numpy().tobytes() for i in range(module.get_num_outputs())]
    return outputs


def narrowed_parameters(module):
    return [one for one in module["constants"] if one["parameter"] and one["new_dtype"] != one["dtype"]]


def with_wrong_element(params):
    """The file of parameters whose largest int8 array has another first element."""
    arrays = {name: one.numpy() for name, one in relay.load_param_dict(params).items()}
    name = max((one for one in arrays if arrays[one].dtype == np.int8), key=lambda one: arrays[one].size)
    wrong = arrays[name].copy()
    wrong.flat[0] = -64 if wrong.flat[0] > 0 else 64
    return relay.save_param_dict({**arrays, name: tvm.nd.array(wrong)})


class Networks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = support.directory_of(cls)
        cls.judge = optimize_run.Judge()

    def built(self, network, configuration):
        """The archive with captured TIR; None where TVM does not build it."""
        try:
            build = kept_builds.aot(network.module, configuration)
        except tvm.TVMError as error:  # v0.9 fails for networks without a kernel
            print(f"not built: {network.name}, {configuration.name}: {str(error).strip().splitlines()[-1]}")
            return None
        archive = self.directory / f"{network.name}-{configuration.name}.tar"
        build.export(archive)
        exporter.add_members(archive, build.captured)
        return archive

    def test_of_the_aot_executor_compute_the_same(self):
        for network in networks.all_networks():
            for configuration in builds.CONFIGURATIONS:
                if not EVERY and configuration.name not in SAMPLE.get(network.name, ()):
                    continue
                with self.subTest(network=network.name, configuration=configuration.name):
                    archive = self.built(network, configuration)
                    if archive is None:
                        continue
                    self.judge.optimized(archive)
                    if network.name in QUANTIZED:
                        self.check_size(archive)
        self.assertEqual(self.judge.faults, [])
        self.assertGreater(self.judge.narrowed, 4)
        print(f"{self.judge.narrowed} archives: {self.judge.before} bytes of constants, "
              f"{self.judge.after} afterwards; not run: {self.judge.not_run or 'none'}")

    def check_size(self, archive):
        """Of the data alone: pools of such small networks have as much alignment as data."""
        (module,) = optimize_run.optimize(archive, self.directory / "smaller.tar")
        before = sum(one["bytes"] for one in module["constants"])
        after = sum(one["new_bytes"] for one in module["constants"])
        self.assertLessEqual(after, MOST_OF_QUANTIZED * before, archive.name)

    def test_of_the_graph_executor_compute_the_same(self):
        for build in (builds.graph_with_constants, builds.graph):
            narrowed = 0
            for network in networks.all_networks():
                if not EVERY and network.name not in SAMPLE:
                    continue
                with self.subTest(network=network.name, build=build.__name__):
                    narrowed += self.computes_the_same(network, build)
            self.assertGreater(narrowed, 0)

    def computes_the_same(self, network, build):
        """Whether there was something to compare."""
        directory = self.directory / f"{network.name}-{build.__name__}"
        archive, smaller = self.directory / "graph.tar", self.directory / "smaller-graph.tar"
        exporter.export(build(network.module), archive)
        (module,) = optimize_run.optimize(archive, smaller)
        parameters = narrowed_parameters(module)
        if optimize_run.saved(module) == 0 and not parameters:
            return False
        support.run_ok("verify", smaller)
        before = run_graph(archive, directory / "before", network)
        self.assertEqual(before, run_graph(smaller, directory / "after", network))
        if parameters:
            self.assertEqual([one["kept"] for one in parameters], [None] * len(parameters))
            wrong = with_wrong_element(support.members_of(smaller)["parameters/default.params"])
            self.assertNotEqual(before, run_graph(smaller, directory / "wrong", network, wrong))
        return True


if __name__ == "__main__":
    unittest.main()

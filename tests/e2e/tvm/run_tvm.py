"""`mlf run` computes what TVM's graph executor computes.

Every network is built for the graph executor. TVM runs it with the kernels of the archive, compiled
from its C. Outputs of `mlf run` have the same bytes, for that archive and for those of the AOT executor
in each way that main calls kernels; what `--layers` writes has those of TVM's debug executor, node by
node. By default a sample of the ways, with MLF_EVERY_ARCHIVE=1 all of them. Objects for this computer
are run as well.

Usage: PYTHON_OF_A_TVM_VENV run_tvm.py
"""

import json
import os
import platform
import tempfile
import unittest

import program_case
import support

import need_tvm  # noqa: F401: skips where there is no TVM
import numpy as np
import tvm
from tvm import relay
from tvm.contrib.debugger import debug_executor
from tvm.relay.backend import Runtime

import builds
import exporter
import kept_builds
import graph_runs
import networks
import object_archives

EVERY = os.environ.get("MLF_EVERY_ARCHIVE") == "1"
SAMPLE = {"residual_chain", "several_inputs_and_outputs", "split_and_concat", "recurrent", "reshapes", "pass_through",
          "integers", "int8_convolution", "twins"}  # fmt: skip
# Of the sample each network has one of them.
CONFIGURATIONS = {one.name: one for one in builds.CONFIGURATIONS}
SEED = 3
HAS_DEBUG_EXECUTOR = tvm.get_global_func("tvm.graph_executor_debug.create", allow_missing=True) is not None
# As in c_library.py: whether gcc fuses must not depend on what it knows of a kernel's constants.
FLAGS = ("--cflags=-ffp-contract=off -O1 -include stdbool.h",)


class Run:
    """What `mlf run` writes for an archive."""

    def __init__(self, archive, inputs, directory, *arguments):
        given, outputs, layers = directory / "inputs.npz", directory / "outputs.npz", directory / "layers.npz"
        np.savez_compressed(given, **inputs)
        result = support.run_ok("run", "--input", given, "-o", outputs, "--layers", layers, *FLAGS, *arguments, archive)
        self.said = result.stderr.decode()
        with np.load(outputs) as arrays:
            self.outputs = [arrays[name] for name in arrays.files]
        with np.load(layers) as arrays:
            self.layers = {name: arrays[name] for name in arrays.files}


def bits(arrays):
    return [array.tobytes() for array in arrays]


def debug_outputs(build, values):
    """The results of each node of a graph, as TVM's debug executor has them."""
    with tempfile.TemporaryDirectory() as dump:
        executor = debug_executor.create(build._graph, build._kernels, tvm.cpu(), dump_root=dump)
        for name, value in values.items():
            executor.set_input(name, value)
        for index, node in enumerate(json.loads(build._graph)["nodes"]):
            executor._execute_node(index)
            if node["op"] == "null" or node["attrs"]["func_name"].startswith("__"):
                continue
            for output in range(int(node["attrs"]["num_outputs"])):
                yield executor._get_node_output(index, output).numpy()


class Networks(program_case.Directory):
    def setUp(self):
        self.runs = self.nodes = 0

    def directory_of(self, name):
        directory = self.directory / name
        directory.mkdir()
        return directory

    def check_graph(self, network, inputs):
        """What TVM's executor computes."""
        directory = self.directory_of(f"{network.name}-graph")
        build = graph_runs.GraphBuild(network, directory / "tvm")
        expected = bits(build.run(inputs))
        run = Run(directory / "tvm/module.tar", inputs, directory)
        self.assertEqual(bits(run.outputs), expected)
        self.assertEqual(run.said, "")
        if HAS_DEBUG_EXECUTOR:
            nodes = [*debug_outputs(build, {**inputs, **build._parameters})]
            self.assertEqual(bits(run.layers.values()), bits(nodes))
            self.nodes += len(nodes)
        self.runs += 1
        return expected

    def check_aot(self, network, configuration, inputs, expected):
        directory = self.directory_of(f"{network.name}-{configuration.name}")
        try:
            build = kept_builds.aot(network.module, configuration)
        except tvm.TVMError as error:  # v0.9 fails for networks without a kernel
            print(f"not built: {network.name}, {configuration.name}: {str(error).strip().splitlines()[-1]}")
            return
        archive = directory / "module.tar"
        build.export(archive)
        run = Run(archive, inputs, directory)
        self.assertEqual(bits(run.outputs), expected, configuration.name)
        self.runs += 1

    def test_compute_what_the_graph_executor_computes(self):
        made = [one for one in networks.all_networks() if EVERY or one.name in SAMPLE]
        for turn, network in enumerate(made):
            with self.subTest(network.name):
                inputs = network.random_inputs(SEED)
                expected = self.check_graph(network, inputs)
                names = CONFIGURATIONS if EVERY else [[*CONFIGURATIONS][turn % 4]]
                for name in names:
                    with self.subTest(name):
                        self.check_aot(network, CONFIGURATIONS[name], inputs, expected)
        print(f"{self.runs} runs and {self.nodes} nodes have the bytes of TVM's executors")
        self.assertGreaterEqual(self.runs, 2 * len(SAMPLE) - 2)

    @unittest.skipIf(tvm.__version__.startswith("0.9"), "this TVM has no pools of constants")
    def test_of_pools_that_the_application_gives(self):
        """One of constants, which the header has as a macro, and one that is written."""
        from tvm.ir import memory_pools

        network = networks.from_relay(networks.int8_convolution)
        inputs = network.random_inputs(SEED)
        expected = self.check_graph(network, inputs)
        target = tvm.target.Target("c", host="c")
        sram = memory_pools.WorkspacePoolInfo("sram", [target])
        flash = memory_pools.ConstantPoolInfo("flash", [target], [])
        config = {"tir.disable_vectorize": True, "tir.usmp.enable": True}
        with tvm.transform.PassContext(opt_level=3, config=config):
            factory = relay.build(
                network.module, target, executor=builds.CONFIGURATIONS[2].executor, runtime=Runtime("crt"),
                workspace_memory_pools=memory_pools.WorkspaceMemoryPools([sram]),
                constant_memory_pools=memory_pools.ConstantMemoryPools([flash]),
            )  # fmt: skip
        directory = self.directory_of("pools")
        exporter.export(factory, directory / "module.tar")
        self.assertEqual(bits(Run(directory / "module.tar", inputs, directory).outputs), expected)

    @unittest.skipIf(platform.machine() != "x86_64", "these objects are for x86-64")
    def test_of_objects_are_run(self):
        network = networks.from_relay(networks.int8_convolution)
        inputs = network.random_inputs(SEED)
        expected = self.check_graph(network, inputs)
        for name in ("x86-64", "Arm"):
            directory = self.directory_of(name)
            factory = object_archives.build(network.module, object_archives.TARGETS[name])
            archive = directory / "module.tar"
            exporter.export(factory, archive)
            exporter.add_members(archive, exporter.captured_tir(factory))
            if name == "x86-64":
                run = support.run_ok("run", "--input", self.inputs(inputs, directory), "-o", directory / "o.npz", archive)
                with np.load(directory / "o.npz") as arrays:
                    self.assertEqual(bits(arrays[one] for one in arrays.files), expected, run.stderr)
                self.assertEqual(support.run("run", "--random", "1", "--layers", directory / "l.npz", archive).returncode, 1)
            else:
                self.assertIn(b"not for the processor", support.run_to(65, "run", "--random", "1", archive).stderr)

    @staticmethod
    def inputs(values, directory):
        path = directory / "inputs.npz"
        np.savez(path, **values)
        return path


if __name__ == "__main__":
    unittest.main()

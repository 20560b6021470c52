"""Archives that the Python API of the hook writes, for every kind of build.

In each: what was captured is what TVM itself serialises in the same process; the stages of one build
agree; and the network of each stage is the one of TVM's graph executor.

Usage: PYTHON_OF_A_TVM_VENV archives.py
"""

import json
import typing
import unittest

import hook_support as hook

import mlf_tvmc
import program_case
import support
import tvm
from tvm import relay
from tvm.relay.backend import Executor, Runtime

import models
import networks
from graph_json import Graph


class Kind(typing.NamedTuple):
    """A way to build a network."""

    name: str
    target: str
    executor: typing.Dict[str, object]
    usmp: bool = False
    runtime: str = "crt"

    @property
    def is_graph(self):
        return self.name.startswith("graph")

    @property
    def stages(self):
        return ("lowered", "codegen") if self.is_graph else hook.ALL_STAGES

    def build(self, module):
        target = tvm.target.Target(self.target, host=self.target)
        executor = Executor("graph" if self.is_graph else "aot", self.executor)
        # Without vectors: C has no types for them, and LLVM in one of the wheels fails on some.
        config = {"tir.usmp.enable": self.usmp, "tir.disable_vectorize": True}
        with tvm.transform.PassContext(opt_level=3, config=config):
            return relay.build(module, target, executor=executor, runtime=self._runtime())

    def _runtime(self):
        # LLVM code for the C runtime has to register its functions.
        is_system = self.target == "llvm" and self.runtime == "crt"
        return Runtime(self.runtime, {"system-lib": True} if is_system else {})


_PACKED = {"interface-api": "packed", "unpacked-api": False}
_C = {"interface-api": "c", "unpacked-api": True}
# The graph executor comes first: the others are compared with its graph.
ON_C = (
    Kind("graph", "c", {}),
    Kind("packed", "c", _PACKED),
    Kind("packed-usmp", "c", _PACKED, usmp=True),
    Kind("interface-c", "c", _C),
    Kind("interface-c-usmp", "c", _C, usmp=True),
    Kind("packed-cpp", "c", _PACKED, runtime="cpp"),
    Kind("packed-cpp-usmp", "c", _PACKED, usmp=True, runtime="cpp"),
)
# These wheels generate no LLVM code for the C interface.
ON_LLVM = (
    Kind("graph-llvm", "llvm", {}),
    Kind("graph-llvm-cpp", "llvm", {}, runtime="cpp"),
    Kind("packed-llvm", "llvm", _PACKED),
    Kind("packed-llvm-usmp", "llvm", _PACKED, usmp=True),
    Kind("packed-llvm-cpp", "llvm", _PACKED, runtime="cpp"),
    Kind("packed-llvm-cpp-usmp", "llvm", _PACKED, usmp=True, runtime="cpp"),
)
# All kinds of networks go through tvmc to both targets: matrix_tvmc.py.
ON_EVERY_TARGET = (networks.residual, networks.several_inputs_and_outputs)


class Archives(program_case.Directory):
    def test_builds_for_c_have_their_tir(self):
        for maker in models.KINDS:
            self.check_builds(maker, ON_C)

    def test_builds_for_llvm_have_their_tir(self):
        for maker in ON_EVERY_TARGET:
            self.check_builds(maker, ON_LLVM)

    def check_builds(self, maker, kinds):
        network = networks.from_relay(maker)
        expected = None
        for kind in kinds:
            with self.subTest(f"{network.name} {kind.name}"):
                with hook.LoweredModules() as lowered, mlf_tvmc.capture(kind.stages):
                    factory = kind.build(network.module)
                expected = expected or Graph(factory.graph_json, len(network.inputs))
                archive = self.check_archive(factory, kind, lowered.last)
                support.run_ok("verify", archive)
                for stage in kind.stages:
                    self.check_network(archive, stage, network, expected)

    def check_archive(self, factory, kind, lowered):
        archive = self.directory / "module.tar"
        mlf_tvmc.export_model_library_format(factory, archive, kind.stages)
        self.check_lowered(archive, lowered)
        self.check_file_set(factory, archive, kind)
        return archive

    def check_lowered(self, archive, modules):
        (module,) = modules.values()
        independent = tvm.ir.save_json(module)
        self.assertEqual(hook.member(archive, "src/tir-1.tvm.json"), independent)
        self.assertEqual(hook.member(archive, "src/tir-1.txt"), str(module))
        written = json.loads(hook.member(archive, "src/tir-1.json"))
        self.assertEqual(hook.without_source(written), hook.document(independent))

    def check_file_set(self, factory, archive, kind):
        plain = self.directory / "plain.tar"
        mlf_tvmc.export_model_library_format(factory, plain, enabled=False)
        own = {"./src/" + name for name in hook.expected_names(kind.stages)}
        self.assertEqual(hook.names(archive) - hook.names(plain), own)

    def check_network(self, archive, stage, network, expected):
        found = Graph(hook.graph_of_stage(archive, stage), len(network.inputs))
        self.assertEqual(found.parts, expected.parts)


if __name__ == "__main__":
    unittest.main()

"""tvmc with the hook in every way to build: command line in, complete archive out.

Of each archive: `mlf verify` passes; its TIR is what TVM itself serialises in the same process; the
networks of all stages are the one of the graph executor.

Usage: PYTHON_OF_A_TVM_VENV matrix_tvmc.py small|relay|NETWORK…, where NETWORK is a real one beside
the checkout ("aww"); it is skipped where it is not there.
"""

import json
import sys
import typing
import unittest

import hook_support as hook

import program_case
import support

import models
import spied_tvmc
from graph_json import Graph

_GRAPH = "executor-config/graph/default.graph"


class Cell(typing.NamedTuple):
    """A way to build."""

    executor: str
    arguments: typing.Tuple[str, ...]

    @property
    def stages(self):
        return ("lowered", "codegen") if self.executor == "graph" else hook.ALL_STAGES


_PACKED = ("--executor=aot",)
_C = (*_PACKED, "--executor-aot-interface-api=c", "--executor-aot-unpacked-api=1")
_PLANNED = ("--pass-config", "tir.usmp.enable=1")
_UNPLANNED = ("--pass-config", "tir.usmp.enable=0")
# The graph executor comes first: the others are compared with its graph.
ON_ALL = (
    Cell("graph", ()),
    Cell("packed", (*_PACKED, *_UNPLANNED)),
    Cell("packed-usmp", (*_PACKED, *_PLANNED)),
)
# Neither wheel has an entry point in LLVM for the C interface.
ON_C = (
    Cell("interface-c", (*_C, *_UNPLANNED)),
    Cell("interface-c-usmp", (*_C, *_PLANNED)),
)


class Target(typing.NamedTuple):
    name: str
    arguments: typing.Tuple[str, ...]
    cells: typing.Tuple[Cell, ...]


TARGETS = (
    Target("c", ("--target=c -host=c", "--runtime=crt"), ON_ALL + ON_C),
    # LLVM code for the C runtime has to register its functions.
    Target("llvm", ("--target=llvm", "--runtime=crt", "--runtime-crt-system-lib=1"), ON_ALL),
)
# C has no types for vectors, and LLVM in one of the wheels fails on some.
_ALWAYS = ("--pass-config", "tir.disable_vectorize=1", "--output-format=mlf")


class Matrix(program_case.Directory):
    def setUp(self):
        self.archive = self.directory / "module.tar"

    def test_every_combination_of_options_has_its_tir(self):
        for name in sys.argv[1:]:
            for model in models.of(name, self.directory):
                self.check_model(model)

    def check_model(self, model):
        expected = None
        for target in TARGETS:
            for cell in target.cells:
                with self.subTest(f"{model.name} {target.name} {cell.executor}"):
                    arguments = (*model.arguments, *target.arguments, *cell.arguments, *_ALWAYS)
                    self.check_compiled(arguments, cell.stages)
                    expected = expected or self.graph(model)
                    for stage in cell.stages:
                        self.check_network(stage, model, expected)
                        self.check_whole(stage)

    def graph(self, model):
        return Graph(hook.member(self.archive, _GRAPH), model.input_count)

    def check_compiled(self, arguments, stages):
        own = ("-o", str(self.archive), "--tir-stages", ",".join(stages))
        said = spied_tvmc.compile_in_child(self.directory, *arguments, *own)
        self.assertNotIn("tvmc-mlf:", said)
        self.assertEqual(hook.own_names(self.archive), hook.expected_names(stages))
        self.check_tir()
        support.run_ok("verify", self.archive)

    def check_tir(self):
        independent = (self.directory / "lowered.json").read_text()
        self.assertEqual(hook.member(self.archive, "src/tir-1.tvm.json"), independent)
        text = (self.directory / "lowered.txt").read_text()
        self.assertEqual(hook.member(self.archive, "src/tir-1.txt"), text)
        written = json.loads(hook.member(self.archive, "src/tir-1.json"))
        self.assertEqual(hook.without_source(written), hook.document(independent))

    def check_whole(self, stage):
        stem = "src/tir-1" if stage == "lowered" else f"src/tir-1.{stage}"
        texts = (hook.member(self.archive, stem + end) for end in (".tvm.json", ".json"))
        self.assertIsNone(hook.difference(*texts))

    def check_network(self, stage, model, expected):
        found = Graph(hook.graph_of_stage(self.archive, stage), model.input_count)
        self.assertEqual(found.parts, expected.parts)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(__doc__)
    for model_name in sys.argv[1:]:
        models.skip_unless_there(model_name)
    unittest.main(argv=sys.argv[:1])

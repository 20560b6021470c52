"""tvmc with the hook in every way to build: command line in, complete archive out.

Of each archive: `mlf verify` passes; its TIR is what TVM itself serialises in the same process; the
networks of all stages are the one of the graph executor. Real networks take part where they are.

Usage: PYTHON_OF_A_TVM_VENV matrix_tvmc.py
"""

import json
import pathlib
import tarfile
import tempfile
import typing
import unittest

import hook_support as hook

import support

import models
from graph_json import Graph

_SPIED = pathlib.Path(__file__).with_name("spied_tvmc.py")
_GRAPH = "executor-config/graph/default.graph"
_INPUTS = 1  # of each model


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
CELLS = (
    Cell("graph", ()),
    Cell("packed", (*_PACKED, *_UNPLANNED)),
    Cell("packed-usmp", (*_PACKED, *_PLANNED)),
    Cell("interface-c", (*_C, *_UNPLANNED)),
    Cell("interface-c-usmp", (*_C, *_PLANNED)),
)
TARGETS = {
    "c": ("--target=c -host=c", "--runtime=crt"),
    # LLVM code for the C runtime has to register its functions.
    "llvm": ("--target=llvm", "--runtime=crt", "--runtime-crt-system-lib=1"),
}
# C has no types for vectors, and LLVM in one of the wheels fails on some.
_ALWAYS = ("--pass-config", "tir.disable_vectorize=1", "--output-format=mlf")


def is_refused_by_tvm(target, cell):
    """Neither wheel has an entry point in LLVM for the C interface."""
    return target == "llvm" and cell.executor.startswith("interface-c")


def stem(stage):
    return "tir-1" if stage == "lowered" else f"tir-1.{stage}"


def only_stage(archive, stage):
    """The archive as it would be with the TIR of one stage, before mlf."""
    others = {"./src/" + name for name in hook.own_names(archive)}
    others -= {f"./src/{stem(stage)}{end}" for end in (".txt", ".tvm.json")}
    with tarfile.open(archive) as tar:
        members = {
            member.name[len("./") :]: tar.extractfile(member).read()
            for member in tar.getmembers()
            if member.isfile() and member.name not in others
        }
    return support.make_tar(members)


class Matrix(unittest.TestCase):
    def setUp(self):
        context = tempfile.TemporaryDirectory()
        self.addCleanup(context.cleanup)
        self.folder = pathlib.Path(context.name)
        self.archive = self.folder / "module.tar"

    def test_small_model(self):
        self.check_model(models.small(self.folder))

    def test_real_models(self):
        for path in models.real():
            self.check_model((path, "--model-format=tflite"))

    def check_model(self, model):
        expected = None
        for target, options in TARGETS.items():
            for cell in CELLS:
                with self.subTest(f"{model[0].name} {target} {cell.executor}"):
                    arguments = ("compile", *model, *options, *cell.arguments, *_ALWAYS)
                    if is_refused_by_tvm(target, cell):
                        self.check_refused(arguments)
                        continue
                    self.check_compiled(arguments, cell.stages)
                    expected = expected or Graph(hook.member(self.archive, _GRAPH), _INPUTS)
                    for stage in cell.stages:
                        self.check_network(stage, expected)

    def check_refused(self, arguments):
        plain = ("-m", "tvm.driver.tvmc")
        results = [
            hook.run_python(*program, *arguments, "-o", self.folder / "refused.tar")
            for program in (plain, ("-m", "mlf_tvmc"))
        ]
        theirs, ours = ((result.returncode, result.stderr.splitlines()[-1]) for result in results)
        self.assertNotEqual(theirs[0], 0)
        self.assertEqual(ours, theirs)

    def check_compiled(self, arguments, stages):
        arguments = (*arguments, "-o", self.archive, "--tir-stages", ",".join(stages))
        result = hook.run_python(_SPIED, self.folder, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("tvmc-mlf:", result.stderr)
        expected = {stem(stage) + end for stage in stages for end in (".txt", ".tvm.json", ".json")}
        expected |= {"mlf.json", "default.topology.json", "default.graph.json"}
        self.assertEqual(hook.own_names(self.archive), expected)
        self.check_tir()
        support.run_ok("verify", self.archive)

    def check_tir(self):
        independent = (self.folder / "lowered.json").read_text()
        self.assertEqual(hook.member(self.archive, "src/tir-1.tvm.json"), independent)
        text = (self.folder / "lowered.txt").read_text()
        self.assertEqual(hook.member(self.archive, "src/tir-1.txt"), text)
        written = json.loads(hook.member(self.archive, "src/tir-1.json"))
        self.assertEqual(hook.without_source(written), hook.document(independent))

    def check_network(self, stage, expected):
        archive = self.folder / "stage.tar"
        archive.write_bytes(only_stage(self.archive, stage))
        support.run_ok("process", archive)
        found = Graph(hook.member(archive, "src/default.graph.json"), _INPUTS)
        self.assertEqual(found.calls, expected.calls)
        self.assertEqual(found.inputs, expected.inputs)
        self.assertEqual(found.outputs, expected.outputs)


if __name__ == "__main__":
    unittest.main()

"""Builds for devices, which have no archive: the directory of export_tir is one for mlf.

For the networks of tests/e2e/tvm, built for OpenCL, Metal and CUDA with hosts in C and LLVM: the
graph that mlf finds in AOT's main, and the one that it keeps of the graph executor, are those that
TVM gives its graph executor; and every command takes the directory. Each network is built for one pair
of device and host, in turns; for all pairs with MLF_EVERY_ARCHIVE=1. Prints how many graphs agree.

Usage: PYTHON_OF_A_TVM_VENV device_builds.py
"""

import collections
import contextlib
import json
import os
import unittest

# Schedules of the devices would ask the network for logs of the tuner.
os.environ["TOPHUB_LOCATION"] = "NONE"

import hook_support  # noqa: F401: skips where there is no TVM
import mlf_tvmc
import networks
import program_case
import support
import tvm
from graph_json import Graph
from tvm import relay

PAIRS = [(kind, host) for kind in ("opencl", "metal", "cuda") for host in ("c", "llvm")]
DEVICE_TYPES = {"opencl": 4, "metal": 8, "cuda": 2}
COMMANDS = ("inspect", "report", "plan", "table", "verify")


def turns():
    """Pairs of network and (device, host)."""
    for i, network in enumerate(networks.all_networks()):
        for pair in PAIRS if os.environ.get("MLF_EVERY_ARCHIVE") else [PAIRS[i % len(PAIRS)]]:
            yield network, pair


class TvmGraph:
    """The JSON that relay.build gives the graph executor, also where code generation fails; empty
    where TVM has no schedule of an operator for the device."""

    def __enter__(self):
        self.text = ""
        self._original = relay.build_module.BuildModule.build

        def build(build_module, *arguments, **options):
            try:
                return self._original(build_module, *arguments, **options)
            finally:
                self.text = build_module.get_graph_json()

        relay.build_module.BuildModule.build = build
        return self

    def __exit__(self, *_):
        relay.build_module.BuildModule.build = self._original


def build(module, kind, host, executor):
    """Whether code generation of these wheels knows the device does not matter."""
    target = tvm.target.Target(kind, host=host)
    with tvm.transform.PassContext(opt_level=3, config={"tir.disable_vectorize": True}):
        with contextlib.suppress(tvm.TVMError, RuntimeError):
            relay.build(module, target, executor=relay.backend.Executor(executor))


class DeviceBuilds(program_case.Directory):
    def export(self, network, kind, host, executor):
        directory = self.directory / f"{network.name}-{kind}-{host}-{executor}"
        with mlf_tvmc.capture() as captured:
            build(network.module, kind, host, executor)
        mlf_tvmc.export_tir(captured, directory)
        return directory

    def test_graphs_are_those_of_the_graph_executor(self):
        agreeing = collections.Counter()
        for network, (kind, host) in turns():
            with TvmGraph() as expected:
                build(network.module, kind, host, "graph")
            if not expected.text:
                agreeing["TVM cannot build", kind, host] += 1
                continue
            wanted = Graph(expected.text, len(network.inputs))
            for executor in ("aot", "graph"):
                with self.subTest(f"{network.name} {kind} {host} {executor}"):
                    directory = self.export(network, kind, host, executor)
                    text = (directory / "default.graph.json").read_text()
                    self.assertEqual(Graph(text, len(network.inputs)).parts, wanted.parts)
                    self.check_commands(directory)
                    agreeing[kind, host, executor] += 1
        for key, count in sorted(agreeing.items()):
            print(*key, count)
        self.assertGreater(sum(agreeing.values()), 2 * len(PAIRS))

    def check_commands(self, directory):
        for command in COMMANDS:
            support.run_ok(command, directory)
        support.run_ok("show", directory, "0")
        support.run_ok("diff", directory, directory)
        # Nothing is left to be done.
        before = {path: path.read_bytes() for path in directory.iterdir()}
        support.run_ok("process", directory)
        self.assertEqual({path: path.read_bytes() for path in directory.iterdir()}, before)

    def test_every_document_tells_its_target(self):
        (network, *_) = networks.all_networks()
        for kind, host in PAIRS:
            directory = self.export(network, kind, host, "aot")
            manifest = json.loads((directory / "mlf.json").read_text())
            targets = {entry["member"]: entry["target"]["kind"] for entry in manifest["tir"]}
            device = f"tir-{DEVICE_TYPES[kind]}.json"
            self.assertEqual(targets, {"tir-1.json": host, device: kind})
            for name, expected in targets.items():
                target = json.loads((directory / name).read_text())["target"]
                self.assertEqual(target["kind"], expected)


class Directories(program_case.Directory):
    def setUp(self):
        self.directory /= "build"

    def export(self, *kinds, **options):
        with mlf_tvmc.capture() as captured:
            for kind in kinds:
                build(self.network(), kind, "c", "aot")
        return mlf_tvmc.export_tir(captured, self.directory, **options)

    def network(self):
        data = relay.var("data", shape=(1, 8))
        return tvm.IRModule.from_expr(relay.nn.softmax(relay.exp(data)))

    def modules(self, directory):
        document = json.loads((directory / "build.json").read_text())
        return [(one["name"], one["style"], one["executor"]) for one in document["modules"]]

    def test_modules_of_other_names_share_a_directory(self):
        with mlf_tvmc.capture() as captured:
            for name in ("first", "second"):
                target = tvm.target.Target("opencl", host="c")
                with tvm.transform.PassContext(config={"tir.disable_vectorize": True}):
                    relay.build(self.network(), target, mod_name=name)
        mlf_tvmc.export_tir(captured, self.directory)
        expected = [(name, "full-model", "graph") for name in ("first", "second")]
        self.assertEqual(self.modules(self.directory), expected)
        found = support.json_of("inspect", "--json", self.directory)
        self.assertEqual([one["reading"]["modules"] for one in found["tir"]], [["first"], ["second"]])

    def test_builds_of_one_name_are_told_apart(self):
        self.export("opencl", "metal")
        expected = [(name, "full-model", "aot") for name in ("default", "default-2")]
        self.assertEqual(self.modules(self.directory), expected)
        found = support.json_of("inspect", "--json", self.directory)
        modules = {one["stem"]: one["reading"]["modules"] for one in found["tir"]}
        of_second = {stem for stem, names in modules.items() if names == ["default-2"]}
        self.assertEqual(of_second, {"tir-1-c", "tir-8"})
        graphs = [(self.directory / f"{name}.graph.json").read_text() for name, *_ in expected]
        self.assertEqual(Graph(graphs[0], 1).parts, Graph(graphs[1], 1).parts)
        support.run_ok("verify", self.directory)

    def test_operators_are_named_by_their_functions(self):
        data = tvm.te.placeholder((8,), name="A")
        results = {
            "increment": tvm.te.compute((8,), lambda i: data[i] + 1.0, name="B"),
            "decrement": tvm.te.compute((8,), lambda i: data[i] - 1.0, name="B"),
        }
        with mlf_tvmc.capture() as captured:
            for name, result in results.items():
                schedule = tvm.te.create_schedule(result.op)
                tvm.build(schedule, [data, result], target="c", name=name)
        mlf_tvmc.export_tir(captured, self.directory)
        expected = [("increment", "operator", None), ("decrement", "operator", None)]
        self.assertEqual(self.modules(self.directory), expected)
        report = support.json_of("report", "--json", self.directory)
        modules = {one["name"]: one for one in report["modules"]}
        for name in ("increment", "decrement"):
            self.assertEqual([one["symbol"] for one in modules[name]["kernels"]], [name])

    def test_kernels_have_lines_in_the_text_beside_the_twin(self):
        self.export("opencl")
        lines = (self.directory / "tir-4.txt").read_text().splitlines()
        report = support.json_of("report", "--json", self.directory)
        kernels = report["modules"][0]["kernels"]
        self.assertGreater(len(kernels), 1)
        for kernel in kernels:
            place = kernel["tir"]
            self.assertEqual(place["file"], "tir-4.txt")
            shown = "\n".join(lines[place["first_line"] - 1 : place["last_line"]])
            self.assertIn(kernel["symbol"], shown)

    def test_texts_alone_are_written_on_request(self):
        paths = self.export("opencl", save_json=False)
        names = {f"{stem}{end}" for stem in ("tir-1", "tir-4") for end in (".txt", ".json")}
        self.assertEqual({path.name for path in paths}, names)
        self.assertEqual(list(self.directory.glob("*.tvm.json")), [])
        support.run_ok("verify", self.directory)

    def test_a_second_export_replaces_the_first(self):
        for kind, device in (("opencl", "tir-4"), ("metal", "tir-8")):
            self.export(kind)
            found = {path.name for path in self.directory.glob("tir-*.json")}
            self.assertEqual(found, {f"{stem}{end}" for stem in ("tir-1", device)
                                     for end in (".json", ".tvm.json")})

    def test_a_directory_of_captures_without_build_json_is_read_in_part(self):
        self.export("opencl")
        graph = (self.directory / "default.graph.json").read_text()
        for name in ("build.json", "mlf.json", "default.graph.json", "default.topology.json"):
            (self.directory / name).unlink()
        for path in self.directory.glob("tir-?.json"):
            path.unlink()
        self.assertNotEqual(support.run("process", self.directory).returncode, 0)
        support.run_ok("process", "--module", "default", self.directory)
        self.assertEqual((self.directory / "default.graph.json").read_text(), graph)


if __name__ == "__main__":
    unittest.main()

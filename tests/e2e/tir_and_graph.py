"""mlf tir and mlf graph: what they print in each form, and what they refuse."""

import dataclasses
import json
import os
import re
import shutil
import struct
import typing
import unittest
import xml.etree.ElementTree

import program_case
import support


QNN = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
# What Graphviz leaks is its own.
GRAPHVIZ = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}


def typed(module, kind, data):
    """`data` as an instance of a dataclass, or of what a field's annotation says; else TypeError."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind, vars(module))
        return kind(**{key: typed(module, hints[key], value) for key, value in data.items()})
    if origin is list:
        return [typed(module, arguments[0], one) for one in data]
    if origin is dict:
        return {key: typed(module, arguments[1], one) for key, one in data.items()}
    if arguments:  # a union: none of ours is more than one of plain types and None
        kind = tuple(one for one in arguments if isinstance(one, type))
    if not isinstance(data, kind):
        raise TypeError(f"{data!r} is no {kind}")
    return data


class Tir(program_case.Directory):
    def test_tir_without_the_data_of_constants(self):
        archive = QNN
        whole, short = (
            support.run_ok("tir", "--format", "tvmscript", "--constants", data, archive).stdout
            for data in ("inline", "none")
        )
        self.assertLess(len(short), len(whole))
        self.assertIn(b'T.allocate_const(metadata["runtime.NDArray"][0], ', short)
        again = support.json_of("tir", "-", input=short)
        self.assertTrue(again["constants"])
        self.assertEqual({constant["sha256"] for constant in again["constants"]}, {None})
        for form in ("save_json", "c"):
            result = support.run_to(65, "tir", "--format", form, "--constants", "none", archive)
            self.assertIn(b"cannot be written without their data", result.stderr)
            self.assertTrue(result.stderr.startswith(b"mlf: error: %b: " % os.fsencode(archive)))

    def test_tir_without_its_metadata_section(self):
        archive = support.SOURCE / "tests/data/archives/tvm-0.18-add-aot-c.tar"
        refused = support.run_to(65, "tir", "--format", "save_json", archive)
        self.assertIn(b'%b: metadata["Executor"][0] is not known' % os.fsencode(archive), refused.stderr)
        self.assertIn(b"; --missing=omit leaves out attributes that refer to it\n", refused.stderr)
        for form in ("save_json", "tvmscript"):
            result = support.run_ok("tir", "--missing=omit", "--format", form, archive)
            notes = result.stderr.decode().splitlines()
            self.assertTrue(notes)
            for note in notes:
                self.assertRegex(note, "^mlf: info: left out: '.*' of the module, which the format cannot express")
            again = support.json_of("tir", "-", input=result.stdout)
            self.assertNotIn("attr-object", {loss["code"] for loss in again["losses"]})

    def test_a_function_that_is_not_tir_is_named_where_it_is_left_out(self):
        relax = "    @R.function\n    def main(x: R.Tensor) -> R.Tensor:\n        return x\n"
        source = support.NETWORK + "\n" + relax
        document = support.run_ok("tir", "-", input=source.encode())
        losses = {loss["code"]: loss["places"] for loss in json.loads(document.stdout)["losses"]}
        self.assertEqual([place["name"] for place in losses["foreign-function"]], ["main"])
        self.assertEqual(document.stderr, b"")
        for form in ("save_json", "tvmscript", "c"):
            result = support.run("tir", "-", "--format", form, input=source.encode())
            self.assertIn(b"mlf: warning: left out: function 'main', which is not TIR\n", result.stderr)
            self.assertEqual(support.run("tir", "-", "--format", form, input=support.NETWORK.encode()).stderr,
                             b"", form)

    NAMES = ("", ":tir-1", ":src/tir-1.txt", ":./src/tir-1.txt")

    def test_tir_of_an_archive_has_its_constants_however_it_is_named(self):
        archive = QNN
        texts = {support.run_ok("tir", f"{archive}{member}").stdout for member in self.NAMES}
        self.assertEqual(len(texts), 1)

    def test_every_way_to_name_a_tir_gives_the_same(self):
        path = self.archive()
        bare = self.directory / "tir-1.txt"
        bare.write_text(support.LEGACY_TEXT)
        outputs = [support.run_ok("tir", f"{path}{member}").stdout for member in self.NAMES]
        with open(path, "rb") as source:
            outputs.append(support.run_ok("tir", "--", "-:tir-1", stdin=source).stdout)
        functions = {json.dumps(json.loads(output)["functions"]) for output in outputs}
        functions.add(json.dumps(support.json_of("tir", bare)["functions"]))
        piped = support.run_ok("tir", "-", input=support.LEGACY_TEXT.encode()).stdout
        functions.add(json.dumps(json.loads(piped)["functions"]))
        self.assertEqual(len(functions), 1)

    def test_pretty_is_the_same_document(self):
        path = self.archive()
        compact = support.run_ok("tir", path).stdout
        pretty = support.run_ok("tir", "--pretty", path).stdout
        self.assertEqual(json.loads(compact), json.loads(pretty))
        self.assertGreater(pretty.count(b"\n"), compact.count(b"\n"))

    def test_its_own_json_reads_back_to_the_same_bytes(self):
        json_file = self.directory / "x.json"
        json_file.write_bytes(support.run_ok("tir", self.archive()).stdout)
        self.assertEqual(support.run_ok("tir", json_file).stdout, json_file.read_bytes())

    def test_save_json_is_the_way_back_to_tvm(self):
        text = support.run_ok("tir", "--format", "save_json", self.archive()).stdout
        self.assertLessEqual({"root", "nodes", "attrs"}, json.loads(text).keys())

    def script(self, *options):
        return support.run_ok("tir", "--format", "tvmscript", *options, self.archive()).stdout

    def test_tvmscript_is_spelled_as_the_named_version_does(self):
        for version, line in (
            ("0.16", b"@I.ir_module"),
            ("0.12.1.dev3+g0123abc", b"@I.ir_module"),
            ("0.11", b"@tvm.script.ir_module"),
            ("0.9.dev0", b"@tvm.script.ir_module"),
        ):
            self.assertIn(line + b"\nclass Module:\n", self.script("--tvm-version", version))

    def test_tvmscript_is_for_the_tvm_of_the_source_unless_said_otherwise(self):
        script = self.script()
        self.assertIn(b"@tvm.script.ir_module", script, "legacy text is from v0.8 to v0.11")
        again = support.run_ok("tir", "--format", "tvmscript", "-", input=script).stdout
        self.assertEqual(again, script)

    def test_what_is_no_version_of_tvm_is_a_usage_error(self):
        for version in ("0.16.abc", "0.16.", "0.7", "0.19", "latest", ""):
            result = support.run_to(64, "tir", "--tvm-version", version, self.archive())
            self.assertIn(b"--tvm-version: expected a version of TVM from 0.8 to 0.18", result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_c_is_read_and_printed_again(self):
        once = support.run_ok("tir", "--format", "c", self.generated_c()).stdout
        again = self.directory / "again.c"
        again.write_bytes(once)
        self.assertEqual(support.run_ok("tir", "--format", "c", again).stdout, once)

    def test_what_c_cannot_say_is_an_error(self):
        text = support.LEGACY_TEXT.replace("@tir.ret(0", "@tir.popcount(0")
        result = support.run_to(65, "tir", "--format", "c", self.archive(text=text))
        self.assertIn(b"a call of tir.popcount cannot be printed as C", result.stderr)

    def generated_c(self):
        path = self.directory / "default_lib1.c"
        path.write_bytes(support.members_of(QNN)["codegen/host/src/default_lib1.c"])
        return path


class Graph(program_case.Directory):
    def real(self, name="tvm-0.18-qnn_conv-aot-c.tar"):
        return support.ARCHIVES / name

    def test_the_formats_show_one_network(self):
        topology = support.json_of("graph", self.real())
        graph = support.json_of("graph", self.real(), "--format", "json")
        dot = support.run_ok("graph", self.real(), "--format", "dot").stdout.decode()
        kernels = [node for node in graph["nodes"] if node["op"] == "tvm_op"]
        self.assertEqual(len(topology["calls"]), 4)
        self.assertEqual(len(kernels), 4)
        self.assertTrue(dot.startswith("digraph"))

    def test_a_picture_is_svg(self):
        result = support.run("graph", self.real(), "--format", "svg", env=GRAPHVIZ)
        if result.returncode == 64:
            self.skipTest("built without Graphviz")
        svg = xml.etree.ElementTree.fromstring(result.stdout)
        self.assertTrue(svg.tag.endswith("svg"))
        self.assertGreaterEqual(len(svg.findall(".//{*}g[@class='node']")), 4)

    def test_a_picture_is_the_same_each_time(self):
        archive = self.chain("+-*" * 84)
        results = [support.run("graph", archive, "--format", "svg", env=GRAPHVIZ) for _ in range(3)]
        if results[0].returncode == 64:
            self.skipTest("built without Graphviz")
        self.assertEqual(len({result.stdout for result in results}), 1)

    def test_a_picture_in_pixels_is_png(self):
        result = support.run("graph", self.real(), "--format", "png", env=GRAPHVIZ)
        if result.returncode != 0:
            self.assertRegex(result.stderr, b"built without Graphviz|cannot draw the graph as png")
            self.skipTest("no Graphviz that draws PNG")
        self.assertEqual(result.stdout[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", result.stdout[16:24])
        self.assertGreater(width, 100)
        self.assertGreater(height, width)

    def chain(self, kernels):
        """An archive with a call of each kernel ("+", "-", "*"), which reads the one before."""
        names = {"+": "add", "-": "subtract", "*": "multiply"}
        calls = [(names[kernel], [i - 1]) for i, kernel in enumerate(kernels)]
        code = "".join(support.KERNEL.replace("default_add", f"default_{name}").replace(" + ", f" {sign} ")
                       for sign, name in names.items())  # fmt: skip
        return self.archive("chain.tar", support.network(calls, code))

    def test_repeated_parts_are_drawn_once(self):
        archive = self.chain("+" + "-*" * 5 + "+")
        dot = support.run_ok("graph", archive, "--format", "dot", "--fold").stdout.decode()
        self.assertEqual(re.findall(r"^  (calls?\w+) \[", dot, re.MULTILINE),
                         ["call0", "calls1to10", "call11"])
        self.assertIn(r'"calls 1 to 10\n5 times:\nsubtract\nmultiply', dot)
        self.assertEqual(support.run_ok("graph", archive, "--format", "dot", "--fold").stdout.decode(),
                         dot)
        whole = support.run_ok("graph", archive, "--format", "dot").stdout.decode()
        self.assertEqual(len(re.findall(r"^  call\d+ \[", whole, re.MULTILINE)), 12)

    def test_blocks_are_parts_that_repeat(self):
        archive = support.BUNDLED_CORPUS / "tvm-0.16" / "blocks-aot-c-usmp" / "module.tar"
        dot = support.run_ok("graph", archive, "--format", "dot", "--fold").stdout.decode()
        self.assertIn(r'"calls 1 to 6\n6 times:\n', dot)

    def test_only_pictures_are_folded(self):
        self.assertIn("--fold is for --format dot, svg and png", support.refused(64, "graph", self.real(), "--fold"))

    def test_what_is_too_large_for_a_layout_is_folded(self):
        result = support.run("graph", self.chain("+-" * 600), "--format", "svg", env=GRAPHVIZ)
        if result.returncode == 64:
            self.skipTest("built without Graphviz")
        self.assertIn(b"repeated parts are drawn once, as with --fold", result.stderr)
        svg = xml.etree.ElementTree.fromstring(result.stdout)
        titles = [title.text for title in svg.iterfind(".//{*}g[@class='node']/{*}title")]
        self.assertIn("calls0to1199", titles)

    def test_what_is_too_large_even_so_is_a_column(self):
        # How many ones are between the zeros of the sequence of Thue and Morse: no part repeats.
        ones = "".join(str(i.bit_count() % 2) for i in range(2300)).split("0")
        kernels = ["+-*"[len(run)] for run in ones[1:-1]]
        result = support.run_ok("graph", self.chain(kernels), "--format", "svg")
        self.assertIn(b"too many edges for a layout: the picture is a column", result.stderr)
        svg = xml.etree.ElementTree.fromstring(result.stdout)
        self.assertEqual(len(svg.findall("{*}rect")), len(kernels))
        texts = [element.text for element in svg.findall("{*}text")]
        self.assertIn("in the order of main", texts[0])
        self.assertEqual(texts[-1], f"reads call {len(kernels) - 2}")
        refused = support.refused(64, "graph", self.chain(kernels), "--format", "png")
        self.assertIn("too many edges for a layout: --format svg lists the calls", refused)

    def test_layers_of_cmsis_nn_state_the_shapes_between_them(self):
        archive = support.CORPUS / "tvm-0.18" / "cmsis-nn" / "module.tar"
        dot = support.run_ok("graph", archive, "--format", "dot").stdout.decode()
        self.assertRegex(dot, r'call0 -> call1 \[label=" *int8\[1, 8, 8, 8\] *\\n *512 B *"\]')

    def test_unknown_shapes_have_their_bytes(self):
        archive = support.CORPUS / "tvm-0.18" / "cmsis-nn" / "module.tar"
        support.unpacked(archive, self.directory)
        text = self.directory / "src" / "tir-1.txt"
        text.write_text(text.read_text().replace("arm_max_pool_s8", "my_pool"))
        # The C would decide.
        shutil.rmtree(self.directory / "codegen")
        dot = support.run_ok("graph", self.directory, "--format", "dot").stdout.decode()
        self.assertNotIn("?[?]", dot)
        self.assertRegex(dot, r'call\d+ -> call\d+ \[label=" *int8\[\?\] *\\n *at most 512 B *"\]')

    def test_boxes_of_pictures_have_the_layers_of_their_calls(self):
        archive = support.BUNDLED_CORPUS / "tvm-0.16" / "blocks-aot-c-usmp" / "module.tar"
        module = support.report_of(archive)
        dot = support.run_ok("graph", archive, "--format", "dot").stdout.decode()
        boxes = dict(re.findall(r'^  call(\d+) \[label="([^"]*)"', dot, re.MULTILINE))
        named = 0
        for number, call in enumerate(module["calls"]):
            layer = (call["layer"] or "").split(";")[0]
            named += bool(layer)
            lines = boxes[str(number)].split(f"\\ncall {number}\\n")[0].replace("\\n", "")
            self.assertTrue(lines.endswith(layer), (lines, layer))
        self.assertGreater(named, 5)

    def check_trace(self, archive):
        """The trace is the topology's memory, by the rules of the Trace Event Format: slices of a
        thread nest, asynchronous ones begin and end in pairs, counters have numbers."""
        topology = support.json_of("graph", archive)
        trace = support.json_of("graph", archive, "--format", "perfetto")
        self.assertEqual(list(trace), ["traceEvents"])
        events = {phase: [event for event in trace["traceEvents"] if event["ph"] == phase]
                  for phase in "MXbeC"}
        self.assertEqual(sum(map(len, events.values())), len(trace["traceEvents"]))
        for event in trace["traceEvents"]:
            self.assertIsInstance(event["name"], str)
            self.assertGreaterEqual(event["ts"], 0)
            self.assertEqual((event["pid"], event["tid"]), (1, 1))
        self.assertEqual({event["name"] for event in events["M"]}, {"process_name", "thread_name"})

        slices = sorted((event["ts"], event["dur"], event["name"]) for event in events["X"])
        for before, after in zip(slices, slices[1:]):
            self.assertLessEqual(before[0] + before[1], after[0])
        names = {name: start for start, _, name in slices}
        for call in topology["calls"]:
            self.assertEqual(names[call["name"]], call["position"])

        ends = {event["id"]: event for event in events["e"]}
        self.assertEqual(len(ends), len(events["b"]))
        for begin in events["b"]:
            value = topology["values"][begin["id"]]
            end = ends[begin["id"]]
            self.assertEqual((begin["name"], begin["cat"]), (end["name"], end["cat"]))
            self.assertEqual(begin["name"], value["name"])
            self.assertEqual(begin["args"].get("bytes"), value["bytes"])
            self.assertEqual(begin["ts"], value["first_definition"] or 0)
            self.assertGreater(end["ts"], begin["ts"])
            if value["last_use"] is not None:
                self.assertEqual(end["ts"], value["last_use"] + 1)

        for use in topology["memory"]:
            name = use["kind"] if use["pool"] is None else topology["pools"][use["pool"]]["name"]
            counted = [(event["ts"], event["args"]["bytes"]) for event in events["C"]
                       if event["name"] == name]
            self.assertEqual(counted[:-1], [(live["position"], live["bytes"]) for live in use["live"]])
            if use["peak"]:
                self.assertEqual(max(bytes for _, bytes in counted), use["peak"]["bytes"])

    def check_model_explorer(self, archive):
        """Model Explorer's graph has the calls, tensors and edges of the topology."""
        topology = support.json_of("graph", archive)
        text = support.run_ok("graph", archive, "--format", "model-explorer").stdout
        (graph,) = json.loads(text)["graphs"]
        nodes = {node["id"]: node for node in graph["nodes"]}
        self.assertEqual(len(nodes), len(graph["nodes"]))
        # Which the viewer needs, though the type has a default.
        self.assertEqual({node["namespace"] for node in graph["nodes"]}, {""})
        # Tensor by tensor: who writes it is the edge's source, by name.
        written = {
            (node["id"], output["id"]): {one["key"]: one["value"] for one in output["attrs"]}
            for node in graph["nodes"]
            for output in node.get("outputsMetadata", [])
        }
        for number, call in enumerate(topology["calls"]):
            reads = [topology["values"][argument["reads"]] for argument in call["arguments"]
                     if argument["reads"] is not None]
            edges = nodes[f"call{number}"]["incomingEdges"]
            sources = [written[edge["sourceNodeId"], edge["sourceNodeOutputId"]] for edge in edges]
            self.assertEqual([one["tensor_name"] for one in sources], [one["name"] for one in reads])
            for source, value in zip(sources, reads, strict=True):
                self.assertEqual(source.get("bytes"), value["bytes"] and str(value["bytes"]))
            self.assertEqual([int(edge["targetNodeInputId"]) for edge in edges],
                             list(range(len(edges))))
        for number, output in enumerate(topology["outputs"]):
            edges = nodes[f"output{number}"]["incomingEdges"]
            self.assertEqual(len(edges), output["value"] is not None)
        self.check_node_data(archive, graph)
        return json.loads(text)

    def check_node_data(self, archive, graph):
        module = support.report_of(archive)
        for name in ("mac", "loaded", "live"):
            data = support.json_of("report", archive, "--node-data", name)
            self.assertEqual(list(data), [graph["id"]])
            numbers = {f"call{number}": {"value": call[name]}
                       for number, call in enumerate(module["calls"])
                       if isinstance(call[name], int)}
            self.assertEqual(data[graph["id"]]["results"], numbers)

    def for_each_network(self, check):
        for archive in support.bundled_archives():
            if support.run("graph", archive).returncode == 0:
                with self.subTest(archive):
                    check(archive)

    def test_a_graph_for_model_explorer_is_the_topology(self):
        self.for_each_network(self.check_model_explorer)

    def test_model_explorers_own_types_have_all_that_its_files_say(self):
        try:
            from model_explorer import graph_builder, node_data_builder
        except ImportError:
            self.skipTest("the Python package ai-edge-model-explorer is not installed")
        archive = QNN
        typed(graph_builder, graph_builder.GraphCollection, self.check_model_explorer(archive))
        data = support.json_of("report", archive, "--node-data", "mac")
        for one in data.values():
            typed(node_data_builder, node_data_builder.GraphNodeData, one)

    def test_a_trace_is_the_memory_of_the_topology(self):
        self.for_each_network(self.check_trace)

    def test_what_process_writes_is_what_graph_prints(self):
        path = self.directory / "module.tar"
        path.write_bytes(self.real().read_bytes())
        support.run_ok("process", path)
        for form, member in (("topology", "default.topology"), ("json", "default.graph")):
            written = support.members_of(path)[f"src/{member}.json"]
            self.assertEqual(support.run_ok("graph", path, "--format", form).stdout, written)

    def test_pretty_is_the_same_document(self):
        for form in ("topology", "json"):
            compact = support.run_ok("graph", self.real(), "--format", form).stdout
            pretty = support.run_ok("graph", self.real(), "--format", form, "--pretty").stdout
            self.assertEqual(json.loads(compact), json.loads(pretty))
            self.assertGreater(pretty.count(b"\n"), compact.count(b"\n"))

    def test_an_operator_archive_has_no_network(self):
        result = support.run_to(1, "graph", self.real("tvm-0.9-op-add.tar"))
        self.assertIn(b"an operator archive has bare functions and no main", result.stderr)

    def test_tir_beside_the_archive_is_preferred_to_its_c(self):
        kept = support.members_of(self.real())
        text = kept.pop("src/tir-1.txt")
        stock, capture = self.tar(kept, "stock.tar"), self.directory / "capture.txt"
        capture.write_bytes(text)
        for arguments, dialect in (((), "c"), (("--tir", capture), "tvmscript")):
            topology = support.json_of("graph", stock, *arguments)
            self.assertEqual(topology["provenance"]["dialect"], dialect)
            self.assertEqual(len(topology["calls"]), 4)

    def test_one_of_several_modules_has_to_be_named(self):
        metadata = json.loads(support.METADATA)
        metadata["modules"]["other"] = {**metadata["modules"]["default"], "model_name": "other"}
        path = self.tar({"metadata.json": json.dumps(metadata)}, "two.tar")
        self.assertIn(b"--module: default, other", support.run_to(64, "graph", path).stderr)
        self.assertEqual(support.run("graph", path, "--module", "third").returncode, 64)
        self.assertEqual(support.run("graph", path, "--module", "other").returncode, 1)


if __name__ == "__main__":
    unittest.main()

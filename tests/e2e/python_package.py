"""The package mlf on the archives of this repository and of the corpus.

What it says is compared with the program, the C of the archives and the table of node kinds.
"""

import base64
import contextlib
import doctest
import functools
import gc
import io
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import threading
import unittest
import xml.etree.ElementTree

import optimize_cc
import program_case
import support

try:
    import mlf
    import networkx  # noqa: F401
    import numpy
    import pandas
    import pyarrow
    from mlf import tir
except ImportError as missing:
    support.skip(f"{missing}; tests/run --all makes a Python that has it")

QNN = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
ROWS = ("archive", "call", "tensor", "constant", "finding", "device")
NODES = support.SOURCE / "include" / "mlf" / "tir" / "nodes.def"


def qnn():
    return mlf.open(QNN)


def printed(*arguments):
    return support.run_ok(*arguments).stdout.decode()


class EveryArchive(unittest.TestCase):
    def each(self):
        for path in support.archives():
            with self.subTest(path):
                yield path, mlf.open(path)

    def test_tables_are_those_of_the_program(self):
        for path, archive in self.each():
            for rows in ROWS:
                lines = printed("table", "--format", "jsonl", "--rows", rows, path).splitlines()
                table = archive.table(rows)
                expected = [json.loads(line) for line in lines]
                for row in expected:
                    self.assertEqual((row.pop("archive"), row.pop("error")), (str(path), None))
                self.assertEqual(table.to_dicts(), expected)
                types = [str if column.is_text else int for column in table.columns]
                for row in table.rows:
                    for cell, cell_type in zip(row, types, strict=True):
                        self.assertIsInstance(cell, (cell_type, type(None)))

    def test_networks_are_those_of_the_program(self):
        for path, archive in self.each():
            names = {module.name for module in archive.modules}
            self.assertEqual(names, archive.networks.keys() | archive.missing_networks.keys())
            for name, network in archive.networks.items():
                expected = json.loads(printed("graph", "--module", name, path))
                self.assertEqual(network.topology, expected)
                graph = network.graph()
                self.assertEqual(sorted(graph.edges(data="argument"), key=str), edges_of(expected))
                nodes = sum(len(expected[key]) for key in ("calls", "copies", "values"))
                self.assertEqual(graph.number_of_nodes(), nodes)

    def test_constants_are_those_of_the_json(self):
        for path, archive in self.each():
            for stem, document in archive.tir.items():
                written = json.loads(printed("tir", f"{path}:{stem}"))
                expected = sorted(
                    (c["dtype"], c["shape"], base64.b64decode(c["data"]))
                    for c in written["constants"]
                    if c["data"] is not None
                )
                found = sorted(
                    (c.dtype, list(c.shape), c.numpy().tobytes())
                    for c in document.constants
                    if c.data is not None
                )
                self.assertEqual(found, expected)

    def test_arrays_in_c_are_constants(self):
        """Every array of generated C is a constant of the TIR, byte by byte."""
        checked = 0
        for path, archive in self.each():
            constants = [c for document in archive.tir.values() for c in document.constants]
            if any(c.data is None for c in constants):
                continue  # of a text that cuts them, and nothing in the archive says which they were
            found = {(c.dtype, c.numpy().tobytes()) for c in constants}
            for text in c_of(path):
                for dtype, array in arrays_in(text):
                    self.assertIn((dtype, array), found)
                    checked += 1
        print(f"{checked} arrays")
        self.assertGreaterEqual(checked, 80 if support.HAS_WHOLE_CORPUS else 4)


C_ARRAY = re.compile(
    r"static const (float|double|u?int\d+_t) __attribute__\([^;=]*?\) (?!kTvmgen)\w+\[\d+\]"
    r" = \{([^}]*)\};"
)


def arrays_in(text):
    """What generated C has of constants: their types, and their bytes as a compiler would have them."""
    for name, words in C_ARRAY.findall(text):
        numbers = words.replace("\n", "").split(",")
        if name in ("float", "double"):
            dtype, values = {"float": "float32", "double": "float64"}[name], map(c_float, numbers)
        else:
            dtype, values = name.removesuffix("_t"), (int(number.strip().rstrip("UL"), 16) for number in numbers)
        yield dtype, numpy.array(list(values), dtype).tobytes()


def c_float(text):
    return float.fromhex(text.strip().removesuffix("f"))


def c_of(path):
    """The sources of an archive in C."""
    for name, content in support.members_of(path).items():
        if name.endswith(".c") and name.startswith("codegen/"):
            yield content.decode()


def edges_of(topology):
    """As calls and copies have them; the graph takes them from the values."""
    edges = []
    for number, call in enumerate(topology["calls"]):
        for position, argument in enumerate(call["arguments"]):
            if argument["reads"] is not None:
                edges.append((("value", argument["reads"]), ("call", number), position))
            if argument["writes"] is not None:
                edges.append((("call", number), ("value", argument["writes"]), position))
    for number, copy in enumerate(topology["copies"]):
        if copy["reads"] is not None:
            edges.append((("value", copy["reads"]), ("copy", number), None))
        edges.append((("copy", number), ("value", copy["writes"]), None))
    return sorted(edges, key=str)


class Opening(program_case.Directory):
    def test_path_bytes_and_file_are_the_same_archive(self):
        data = QNN.read_bytes()
        expected = qnn().report()
        for source in (str(QNN), data, memoryview(data), io.BytesIO(data)):
            self.assertEqual(mlf.open(source).report(), expected)
        with open(QNN, "rb") as file:
            self.assertEqual(mlf.open(file).report(), expected)

    def test_a_name_that_is_not_utf_8_is_opened(self):
        path = os.path.join(self.directory, os.fsdecode(b"\xff.tar"))
        with self.assertRaises(mlf.Error) as caught:
            mlf.open(path)
        self.assertEqual(caught.exception.file, path)
        shutil.copy(QNN, path)
        self.assertTrue(mlf.open(path).process().changed)
        self.assertFalse(mlf.open(path).process().changed)

    def test_modules_are_those_of_metadata(self):
        archive = qnn()
        (module,) = archive.modules
        self.assertEqual((archive.version, module.name, module.style.name), (7, "default", "full_model"))
        self.assertEqual([t.kind for t in module.targets], ["c"])
        self.assertEqual([e.name for e in module.executors], ["aot"])
        metadata = json.loads(support.members_of(QNN)["metadata.json"])["modules"]["default"]["memory"]
        (main,) = metadata["functions"]["main"]
        self.assertEqual(module.main_memory[0].workspace_size_bytes, main["workspace_size_bytes"])
        self.assertEqual([i.name for i in module.main_memory[0].inputs], list(main["inputs"]))

    def test_tir_beside_the_archive_is_read(self):
        path = self.tar({"metadata.json": support.METADATA}, "a.tar")
        beside = self.directory / "tir-1.txt"
        beside.write_text(support.NETWORK)
        self.assertEqual(list(mlf.open(path).tir), [])
        archive = mlf.open(path, tir=[beside])
        self.assertEqual(list(archive.tir), ["tir-1"])
        self.assertEqual(len(archive.networks["default"].calls), 1)

    def test_an_archive_outlives_its_file(self):
        """A build that writes over it or truncates it changes nothing that is open."""
        expected = qnn().report()
        for change in (lambda path: os.truncate(path, 0), lambda path: path.write_bytes(b"?" * 200_000)):
            path = shutil.copy(QNN, self.directory / "a.tar")
            archive = mlf.open(path)
            change(path)
            self.assertEqual(archive.report(), expected)
            self.assertEqual(len(archive.networks["default"].calls), 4)
            with self.assertRaises(mlf.Error):
                archive.optimize(self.directory / "b.tar")
            with self.assertRaises(mlf.Error):
                archive.process()

    def test_other_threads_run_while_an_archive_is_read(self):
        """Opening waits for this very process to write: it would wait for ever under the GIL."""
        pipe = os.path.join(self.directory, "pipe")
        os.mkfifo(pipe)
        opened = []
        reader = threading.Thread(target=lambda: opened.append(mlf.open(pipe)), daemon=True)
        reader.start()
        with open(pipe, "wb") as file:
            file.write(QNN.read_bytes())
        reader.join(60)
        self.assertEqual(len(opened[0].networks["default"].calls), 4)


class Threads(program_case.Directory):
    """While a call is at work in the library, other threads run."""

    # Long enough for another thread to wake up in the meantime, sooner or later.
    TEXT = support.network([("add", [i - 1]) for i in range(300)])
    ATTEMPTS = 100

    @staticmethod
    def lets_another_run(call):
        """Python does not switch threads by itself here, so another one runs only where the call lets it."""
        begun, done = threading.Event(), []

        def work():
            begun.set()
            call()
            done.append(True)

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)
        try:
            thread = threading.Thread(target=work)
            thread.start()
            begun.wait()
            return not done
        finally:
            sys.setswitchinterval(interval)
            thread.join()

    def check(self, prepare):
        """`prepare` gives a call that was not made before: what it finds is kept."""
        self.assertTrue(any(self.lets_another_run(prepare()) for _ in range(self.ATTEMPTS)))

    def test_this_test_detects_a_held_gil(self):
        numbers = list(range(20_000, 0, -1))
        self.assertFalse(any(self.lets_another_run(lambda: sorted(numbers)) for _ in range(5)))

    def test_archives_are_read_by_several_threads(self):
        data = support.make_tar({"metadata.json": support.METADATA, "src/tir-1.txt": self.TEXT})
        self.check(lambda: lambda: mlf.open(data))
        for call in (
            lambda archive: archive.tir["tir-1"],
            lambda archive: archive.networks,
            lambda archive: archive.report(),
            lambda archive: archive.plan(),
            lambda archive: archive.table("call"),
        ):
            self.check(lambda call=call: functools.partial(call, mlf.open(data)))

    def test_documents_are_read_by_several_threads(self):
        document = tir.read(self.TEXT)
        copy = document.replace(document.module.replace())
        for call in (
            lambda: tir.read(self.TEXT),
            document.tir_json,
            document.save_json,
            document.script,
            lambda: document.differences(copy),
        ):
            self.check(lambda call=call: call)

    def test_archives_are_processed_by_several_threads(self):
        members = {"metadata.json": support.METADATA, "src/tir-1.txt": self.TEXT}
        path = self.tar(members, "a.tar")
        archive = mlf.open(path)
        self.check(lambda: lambda: archive.process(self.directory / "b.tar"))


class DaemonThreads(unittest.TestCase):
    PROGRAM = """
import sys, threading, time
import mlf
def work():
    while True:
        archive = mlf.open(data)
        archive.report()
        archive.networks
data = open(sys.argv[1], "rb").read()
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(float(sys.argv[2]))
"""

    def test_do_not_disturb_the_end_of_the_interpreter(self):
        for i in range(5):
            words = [sys.executable, "-c", self.PROGRAM, QNN, str(0.1 + 0.02 * i)]
            done = subprocess.run(words, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""))


class Errors(unittest.TestCase):
    def test_of_archives_have_message_and_exit_code(self):
        with self.assertRaises(mlf.Error) as caught:
            mlf.open(b"no tar")
        self.assertEqual(caught.exception.exit_code, 65)
        with self.assertRaises(mlf.Error) as caught:
            mlf.open("/nowhere/a.tar")
        self.assertEqual((caught.exception.exit_code, caught.exception.file), (74, "/nowhere/a.tar"))

    def test_of_members_have_line_and_column(self):
        text = support.NETWORK.replace("for i in range(4):", "for i in range(4:")
        archive = mlf.open(support.make_tar({"metadata.json": support.METADATA, "src/tir-1.txt": text}))
        with self.assertRaises(mlf.Error) as caught:
            archive.tir["tir-1"]
        error = caught.exception
        line = text.splitlines()[error.line - 1]
        self.assertEqual(error.member, "src/tir-1.txt")
        self.assertEqual(line[error.column - 1 :][:1], ":")
        self.assertIn(line, str(error))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual(again.diagnostics, error.diagnostics)

    def test_of_arguments_are_those_of_python(self):
        with self.assertRaisesRegex(KeyError, "no TIR 'tir-2' in this archive; it has tir-1"):
            qnn().tir["tir-2"]
        with self.assertRaisesRegex(KeyError, "unknown table 'calls'; known are archive, call, tensor"):
            qnn().table("calls")
        with self.assertRaises(ValueError):
            mlf.open(QNN.read_bytes()).process()
        with self.assertRaises(ValueError):
            mlf.open(QNN.read_bytes(), tir=["tir-1.txt"])


class Documents(unittest.TestCase):
    def setUp(self):
        self.document = qnn().tir["tir-1"]

    def test_classes_are_the_rows_of_nodes_def(self):
        text = re.sub(r"#define MLF_\w+\(.*?[^\\]\n", "", NODES.read_text(), flags=re.DOTALL)
        rows = re.findall(r"^MLF_(NODE|EXPRESSION)\((\w+),(.*(?:\n +MLF_FIELD.*)*)\)\)$", text, re.MULTILINE)
        self.assertGreater(len(rows), 80)
        for row, name, fields in rows:
            names = ["dtype"] * (row == "EXPRESSION") + re.findall(r"MLF_FIELD(?:_AS)?\((\w+)", fields)
            self.assertEqual(getattr(tir, name).__match_args__, tuple(names), name)
        self.assertTrue(issubclass(tir.SizeVar, tir.Var))
        self.assertTrue(issubclass(tir.Add, tir.Expr))

    def test_match_works_on_nodes(self):
        loops = {}
        for function in self.document.functions.values():
            for node in tir.walk(function):
                match node:
                    case tir.For(tir.Var(name=name), tir.IntImm(value=0), tir.IntImm(_, count), "serial"):
                        loops[name] = count
        text = support.members_of(QNN)["src/tir-1.txt"].decode()
        self.assertTrue(loops)
        for name, count in loops.items():
            words = re.escape(name.rstrip("_0123456789"))
            self.assertRegex(text, rf"for .*{words}.* in .*\b{count}\b")

    def test_walk_meets_every_node_once(self):
        nodes = list(tir.walk(self.document.module))
        self.assertEqual(len(nodes), len(set(nodes)))
        seen = set(nodes)
        for node in nodes:
            self.assertLessEqual(set(node.children()), seen)

    def test_constants_are_views_that_outlive_the_archive(self):
        document = qnn().tir["tir-1"]
        first, again = (next(c for c in document.constants if c.dtype == "int16").numpy() for _ in "ab")
        before = first.copy()
        self.assertTrue(numpy.shares_memory(first, again))
        self.assertFalse(first.flags.writeable)
        del document, again
        gc.collect()
        self.assertTrue((first == before).all())

    def test_visitor_calls_the_method_of_the_class(self):
        class Stores(tir.Visitor):
            def __init__(self):
                self.buffers = []

            def visit_BufferStore(self, store):
                self.buffers.append(store.buffer.name)
                self.generic_visit(store)

        stores = Stores()
        function = self.document.functions["tvmgen_default_fused_cast_subtract"]
        stores.visit(function)
        (name,) = stores.buffers
        self.assertTrue(name.startswith("T_subtract"))
        self.assertEqual(function.attributes["global_symbol"], "tvmgen_default_fused_cast_subtract")


class NewTrees(program_case.Directory):
    def setUp(self):
        self.document = qnn().tir["tir-1"]

    def changed(self, change):
        module = tir.rewrite(self.document.module, change)
        return self.document.replace(module)

    def test_nothing_changed_is_structurally_equal(self):
        copy = self.document.replace(self.document.module.replace())
        self.assertEqual(self.document.differences(copy), [])
        self.assertEqual(copy.tir_json(), self.document.tir_json())

    def test_every_node_made_anew_is_structurally_equal(self):
        copy = self.changed(lambda node: node.replace())
        self.assertEqual(self.document.differences(copy), [])

    def test_one_change_is_one_difference(self):
        def change(node):
            match node:
                case tir.BufferStore(value=tir.Sub() as value):
                    return node.replace(value=tir.Add(value.dtype, value.a, value.b))

        before = sum(isinstance(n, tir.Add) for n in tir.walk(self.document.module))
        copy = self.changed(change)
        after = sum(isinstance(n, tir.Add) for n in tir.walk(copy.module))
        self.assertGreater(after, before)
        found = self.document.differences(copy)
        self.assertEqual(len(found), after - before)
        self.assertRegex(found[0], r"tvmgen_default_fused_cast_subtract.*Sub.*Add")

    def test_a_changed_module_is_written_and_read_again(self):
        def rename(node):
            if isinstance(node, tir.Var):
                return node.replace(name=node.name + "_new")

        text = self.changed(rename).tir_json()
        with self.subTest("the text is that of the new tree"):
            self.assertIn("ax2_new", text)
        path = self.tar({"metadata.json": support.METADATA}, "a.tar")
        beside = self.directory / "tir-1.txt"
        beside.write_text(self.changed(rename).script())
        self.assertIn("ax2_new", mlf.open(path, tir=[beside]).tir["tir-1"].script())

    def test_what_does_not_fit_is_refused(self):
        one = tir.IntImm("int32", 1)
        for wrong in (
            lambda: tir.Add("int32", one),
            lambda: tir.Add("int32", one, one, one),
            lambda: tir.Add("int32", one, one, c=one),
            lambda: self.document.replace(tir.IRModule(functions={1: one})),
            lambda: self.changed(lambda n: one if isinstance(n, tir.For) else None),
            lambda: self.changed(lambda n: n.replace(value="1") if isinstance(n, tir.IntImm) else None),
        ):
            with self.assertRaises(TypeError):
                wrong()
        for wrong in (
            lambda: self.changed(lambda n: n.replace(kind="x") if isinstance(n, tir.For) else None),
            lambda: self.changed(lambda n: n.replace(dtype="x") if isinstance(n, tir.IntImm) else None),
            lambda: qnn().tir["tir-1"].replace(self.document.module),
        ):
            with self.assertRaises(ValueError):
                wrong()

    def test_without_missing_leaves_out_attributes(self):
        with self.assertRaises(mlf.Error):
            self.document.save_json()
        whole, omitted = self.document.without_missing()
        self.assertIn(("", "executor"), omitted)
        self.assertIn("tvm_version", json.loads(whole.save_json())["attrs"])


class Tables(unittest.TestCase):
    def test_tables_become_pandas_and_arrow(self):
        table = qnn().table("call")
        frame, arrow = table.to_pandas(), table.to_arrow()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertIsInstance(arrow, pyarrow.Table)
        self.assertEqual(arrow.to_pylist(), table.to_dicts())
        self.assertEqual(frame["mac_max"].sum(), sum(row["mac_max"] for row in table.to_dicts()))

    def test_a_notebook_shows_every_cell(self):
        archive = qnn()
        for shown, table in ((archive.table("call")._repr_html_(), archive.table("call")),
                             (archive._repr_html_(), archive.table())):  # fmt: skip
            page = xml.etree.ElementTree.fromstring(shown)
            cells = [[cell.text or "" for cell in row] for row in page.iter("tr")]
            expected = [["" if cell is None else str(cell) for cell in row] for row in table.rows]
            self.assertEqual(cells, [table.names, *expected])

    def test_names_are_escaped(self):
        table = mlf.Table([mlf.Column("<b>", "", True)], [("<script>",), (None,)])
        shown = table._repr_html_()
        self.assertNotIn("<script>", shown)
        self.assertIn("&lt;script&gt;", shown)

    def test_a_notebook_shows_a_picture_with_every_call(self):
        network = qnn().networks["default"]
        picture = xml.etree.ElementTree.fromstring(network._repr_svg_())
        words = [text.text.strip() for text in picture.iterfind(".//{*}text")]
        for call in network.calls:
            symbol = network.kernels[call["kernel"]]["symbol"]
            self.assertTrue(any(word and symbol.endswith(word) for word in words), symbol)
        # Graphviz would take minutes for it: the text is what notebooks show then.
        network.topology["calls"] *= mlf.network.MOST_CALLS_DRAWN
        self.assertIsNone(network._repr_svg_())


GUIDE = support.SOURCE / "mlf" / "guide" / "python.md"
PAGES = [support.SOURCE / "mlf" / "python" / "README.md", GUIDE, GUIDE.with_name("code-generator.md"),
         GUIDE.with_name("many-archives.md")]  # fmt: skip


class Examples(program_case.Directory):
    def test_examples_show_what_happens(self):
        with contextlib.chdir(self.directory):
            shutil.copy(QNN, "module.tar")
            os.mkdir("fleet")
            for name in ("one", "two"):
                shutil.copy(QNN, f"fleet/{name}.tar")
            pathlib.Path("fleet/bad.tar").write_bytes(b"no tar")
            tried = 0
            for page in PAGES:
                result = doctest.testfile(str(page), module_relative=False)
                self.assertEqual(result.failed, 0, page.name)
                self.assertGreater(result.attempted, 1, page.name)
                tried += result.attempted
        self.assertGreater(tried, 10)

    def test_every_guide_with_examples_is_tested(self):
        guides = (support.SOURCE / "mlf" / "guide").glob("*.md")
        self.assertLessEqual({guide for guide in guides if ">>> " in guide.read_text()}, set(PAGES))

    def test_the_first_example_of_the_guide_runs(self):
        page = GUIDE.read_text()
        (code,) = re.findall(r"^```py\n(import mlf\n.*?)^```$", page, re.MULTILINE | re.DOTALL)
        printed = io.StringIO()
        shutil.copy(QNN, self.directory / "module.tar")
        with contextlib.chdir(self.directory), contextlib.redirect_stdout(printed):
            exec(code, {})
        self.assertIn("kernel", printed.getvalue())


class Processing(program_case.Directory):
    def test_process_writes_what_the_program_writes(self):
        theirs, ours = self.directory / "theirs.tar", self.directory / "ours.tar"
        support.run_ok("process", QNN, "-o", theirs)
        result = qnn().process(ours)
        self.assertTrue(result.changed)
        self.assertIn("src/tir-1.json", result.written)
        self.assertEqual(ours.read_bytes(), theirs.read_bytes())
        self.assertFalse(mlf.open(ours).process().changed)
        ours.write_bytes(QNN.read_bytes())
        self.assertTrue(mlf.open(ours).process(dry_run=True).changed)
        self.assertEqual(ours.read_bytes(), QNN.read_bytes())

    def test_report_and_plan_are_those_of_the_program(self):
        self.assert_same(qnn().report(), printed("report", "--json", QNN))
        self.assert_same(qnn().plan(), printed("plan", "--json", QNN))

    def assert_same(self, document, text):
        """But for the command, which only the program has, and the archives that it read."""
        theirs = json.loads(text)
        self.assertIsNone(document.pop("origin")["command"])
        self.assertTrue(theirs.pop("origin")["command"].startswith("mlf "))
        self.assertEqual(document, theirs)

    def test_a_run_is_that_of_the_program(self):
        outputs, layers = self.directory / "outputs.npz", self.directory / "layers.npz"
        support.run_ok("run", "--random", "3", "-o", outputs, "--layers", layers, QNN)
        for ours, theirs in ((qnn().run(seed=3), outputs), (qnn().run_calls(seed=3), layers)):
            with numpy.load(theirs) as expected:
                self.assertEqual([*ours], expected.files)
                for name, array in ours.items():
                    self.assertEqual(array.dtype, expected[name].dtype)
                    numpy.testing.assert_array_equal(array, expected[name])
        x = numpy.arange(256, dtype=numpy.uint8).view("int8").reshape(1, 8, 8, 4)
        outputs = qnn().run({"x": x})
        # In another order of bytes or of dimensions: the same values.
        numpy.testing.assert_array_equal(qnn().run({"x": numpy.asfortranarray(x)})["output"], outputs["output"])
        outputs["output"][0] = 0  # they may be changed
        for wrong in ({}, {"x": x[0]}, {"x": x.astype("int16")}, {"x": x, "y": x}, {"x": x.astype(complex)}):
            with self.assertRaises(mlf.Error):
                qnn().run(wrong)
        two = mlf.open(support.BUNDLED_CORPUS / "tvm-0.18/two-modules/module.tar")
        with self.assertRaises(ValueError):
            two.run(seed=1)
        self.assertEqual(len(two.run(seed=1, module="second")), 1)

    def test_a_profile_is_that_of_the_program(self):
        document = qnn().profile("host", runs=3)
        expected = json.loads(printed("profile", "--json", "--cpu", "host", "--runs", "3", QNN))
        for one in (document, expected):
            del one["origin"]
            for numbers in (*one["calls"], *one["kernels"], one["total"], one["network"]):
                spread = numbers.pop("nanoseconds")
                self.assertLessEqual(spread["min"], spread["max"])
        self.assertEqual(document, expected)
        x = numpy.zeros((1, 8, 8, 4), "int8")
        self.assertNotEqual(qnn().profile("host", {"x": x})["outputs"], document["outputs"])
        for wrong in ({"cpu": "cortex-m1"}, {"cpu": "host", "clock": 80_000_000}):
            with self.assertRaises(mlf.Error):
                qnn().profile(**wrong)
        if shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm"):
            document = qnn().profile("cortex-m4", clock=80_000_000, cpi=(1.2, 1.8), cflags=["-Os"])
            options = "--cpu cortex-m4 --clock 80M --cpi 1.2..1.8 --cflags=-Os".split()
            expected = json.loads(printed("profile", "--json", *options, QNN))
            self.assertEqual({**document, "origin": None}, {**expected, "origin": None})
            self.assertEqual(document["clock"]["cycles_per_instruction"]["source"], "--cpi")

    def test_a_profile_is_a_table(self):
        table = qnn().profile("host", runs=2).table()
        self.assertEqual(table.names[:6], ["call", "kernel", "layer", "nanoseconds_min", "nanoseconds_median", "nanoseconds_max"])
        self.assertEqual([row[0] for row in table.rows], [0, 1, 2, 3])
        self.assertEqual(table.to_dicts()[1]["mac_min"], 18432)
        shown = qnn().profile("host", runs=2)._repr_html_()
        self.assertIn("<th>nanoseconds_median</th>", shown)
        self.assertEqual(shown.count("<tr>"), 5)

    def test_instruments_are_those_of_the_program(self):
        theirs, ours, back = (self.directory / name for name in ("theirs.tar", "ours.tar", "back.tar"))
        printed("profile", "--instrument", "-o", theirs, QNN)
        self.assertEqual(qnn().instrument(ours), [])
        self.assertEqual(ours.read_bytes(), theirs.read_bytes())
        self.assertEqual(mlf.open(ours).remove_instruments(back), [])
        self.assertEqual(back.read_bytes(), pathlib.Path(QNN).read_bytes())
        with self.assertRaises(mlf.Error):
            qnn().remove_instruments(back)

    def test_optimizing_is_that_of_the_program(self):
        theirs, ours = self.directory / "theirs.tar", self.directory / "ours.tar"
        expected = json.loads(printed("optimize", "--json", "-o", theirs, QNN))
        optimized = qnn().optimize(ours)
        del optimized["origin"], expected["origin"]
        self.assertEqual(optimized, expected)
        self.assertEqual(ours.read_bytes(), theirs.read_bytes())
        self.assertEqual({**qnn().optimize(), "origin": None}, {**expected, "origin": None})
        flash = qnn().optimize(only=["flash"])
        self.assertLess(flash["modules"][0]["new_constants_bytes"], flash["modules"][0]["constants_bytes"])
        self.assertIsNone(flash["ram_plan"])
        with self.assertRaises(mlf.Error):
            qnn().optimize(only=["everything"])

    def test_optimizing_measures_code_with_the_compiler(self):
        archive = mlf.open(optimize_cc.archive_of_one_value(self.directory))
        for options, is_collapsed in (
            ({}, True),
            ({"cc": "cc", "cflags": ["-Os"]}, True),
            ({"cc": str(optimize_cc.growing_compiler(self.directory))}, False),
        ):
            constant = optimize_cc.constant_of_one_value(archive.optimize(**options))
            self.assertEqual(constant["collapsed"], is_collapsed, options)
        with self.assertRaises(mlf.Error):
            archive.optimize(cc="cc", cflags=["--no-such-option"])

    def test_inspect_and_verify_are_those_of_the_program(self):
        self.assert_same(qnn().inspect(), printed("inspect", "--json", QNN))
        self.assert_same(qnn().integration(), printed("inspect", "--integration", "--json", QNN))
        self.assert_same(qnn().verify(), printed("verify", "--json", QNN))
        with self.assertRaises(ValueError):
            mlf.open(QNN.read_bytes()).verify()

    def test_a_check_is_that_of_the_program(self):
        options = ("--ram", "1K", "--mac", "1G", "--no-finding", "constants-twice")
        expected = support.run("check", *options, "--format", "json", QNN).stdout
        limits = {"ram": 1024, "mac": 2**30}
        self.assert_same(qnn().check(limits, no_findings=["constants-twice"]), expected)
        for wrong in (lambda: qnn().check({"rom": 1}), lambda: qnn().check(no_findings=["none"])):
            with self.assertRaises(mlf.Error):
                wrong()

    def test_a_difference_is_that_of_the_program(self):
        other = support.ARCHIVES / "tvm-0.9-qnn_conv-aot-c.tar"
        expected = support.run("diff", "--format", "json", QNN, other).stdout
        self.assert_same(mlf.diff(qnn(), mlf.open(other)), expected)
        self.assertEqual(mlf.diff(qnn(), qnn())["modules"], [])


if __name__ == "__main__":
    unittest.main()

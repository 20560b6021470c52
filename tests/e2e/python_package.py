"""The package mlf on the archives of this repository and of the corpus.

What it says is held against the program, the C of the archives and the table of node kinds.
"""

import base64
import contextlib
import doctest
import gc
import io
import json
import os
import pathlib
import pickle
import re
import shutil
import tarfile
import tempfile
import threading
import unittest

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
ROWS = ("archive", "call", "tensor", "constant", "finding")
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
                ends = sum(
                    len(value["consumers"]) + (value["producer"] is not None)
                    for value in expected["values"]
                )
                graph = network.graph()
                self.assertEqual(graph.number_of_edges(), ends)
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
        """Every integer array of generated C is a constant of the TIR, element by element."""
        array = re.compile(
            r"static const (u?int\d+)_t __attribute__\(\([^;=]*?\)\) \w+\[\d+\] = \{([^}]*)\};"
        )
        checked = 0
        for path in support.bundled_archives():
            archive = mlf.open(path)
            constants = {
                (c.dtype, tuple(c.numpy().ravel().tolist()))
                for document in archive.tir.values()
                for c in document.constants
                if c.data is not None
            }
            for module in archive.modules:
                for source in module.sources:
                    for dtype, text in array.findall(member(path, source.name)):
                        values = tuple(int(word, 16) for word in text.replace("\n", "").split(","))
                        self.assertIn((dtype, values), constants)
                        checked += 1
        self.assertGreaterEqual(checked, 4)


def member(path, name):
    with tarfile.open(path) as tar:
        return tar.extractfile("./" + name).read().decode()


class Opening(unittest.TestCase):
    def test_path_bytes_and_file_are_the_same_archive(self):
        data = QNN.read_bytes()
        expected = qnn().report()
        for source in (str(QNN), data, memoryview(data), io.BytesIO(data)):
            self.assertEqual(mlf.open(source).report(), expected)
        with open(QNN, "rb") as file:
            self.assertEqual(mlf.open(file).report(), expected)

    def test_metadata(self):
        archive = qnn()
        (module,) = archive.modules
        self.assertEqual((archive.version, module.name, module.style.name), (7, "default", "full_model"))
        self.assertEqual([t.kind for t in module.targets], ["c"])
        self.assertEqual([e.name for e in module.executors], ["aot"])
        metadata = json.loads(member(QNN, "metadata.json"))["modules"]["default"]["memory"]
        (main,) = metadata["functions"]["main"]
        self.assertEqual(module.main_memory[0].workspace_size_bytes, main["workspace_size_bytes"])
        self.assertEqual([i.name for i in module.main_memory[0].inputs], list(main["inputs"]))

    def test_tir_beside_the_archive(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.tar")
            path.write_bytes(support.make_tar({"metadata.json": support.METADATA}))
            beside = pathlib.Path(folder, "tir-1.txt")
            beside.write_text(support.NETWORK)
            self.assertEqual(list(mlf.open(path).tir), [])
            archive = mlf.open(path, tir=[beside])
            self.assertEqual(list(archive.tir), ["tir-1"])
            self.assertEqual(len(archive.networks["default"].calls), 1)

    def test_other_threads_run_while_an_archive_is_read(self):
        """Opening waits for this very process to write: it would wait for ever under the GIL."""
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            opened = []
            reader = threading.Thread(target=lambda: opened.append(mlf.open(pipe)), daemon=True)
            reader.start()
            with open(pipe, "wb") as file:
                file.write(QNN.read_bytes())
            reader.join(60)
            self.assertEqual(len(opened[0].networks["default"].calls), 4)


class Errors(unittest.TestCase):
    def test_of_archives(self):
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

    def test_of_python(self):
        with self.assertRaises(KeyError):
            qnn().tir["tir-2"]
        with self.assertRaises(ValueError):
            mlf.open(QNN.read_bytes()).process()
        with self.assertRaises(ValueError):
            mlf.open(QNN.read_bytes(), tir=["tir-1.txt"])


class Documents(unittest.TestCase):
    def setUp(self):
        self.document = qnn().tir["tir-1"]

    def test_classes_are_the_rows_of_nodes_def(self):
        text = re.sub(r"#define MLF_\w+\(.*?[^\\]\n", "", NODES.read_text(), flags=re.DOTALL)
        rows = re.findall(r"^MLF_NODE\((\w+),.*\n((?:MLF_FIELD.*\n)*)MLF_END", text, re.MULTILINE)
        self.assertGreater(len(rows), 80)
        for name, fields in rows:
            names = re.findall(r"MLF_FIELD(?:_AS)?\((\w+)", fields)
            self.assertEqual(getattr(tir, name).__match_args__, tuple(names), name)
        self.assertTrue(issubclass(tir.SizeVar, tir.Var))
        self.assertTrue(issubclass(tir.Add, tir.Expr))

    def test_match(self):
        loops = {}
        for function in self.document.functions.values():
            for node in tir.walk(function):
                match node:
                    case tir.For(tir.Var(name=name), tir.IntImm(value=0), tir.IntImm(_, count), "serial"):
                        loops[name] = count
        text = member(QNN, "src/tir-1.txt")
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

    def test_visitor(self):
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


class NewTrees(unittest.TestCase):
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
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.tar")
            path.write_bytes(support.make_tar({"metadata.json": support.METADATA}))
            beside = pathlib.Path(folder, "tir-1.txt")
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

    def test_without_what_is_missing(self):
        with self.assertRaises(mlf.Error):
            self.document.save_json()
        whole, omitted = self.document.without_missing()
        self.assertIn(("", "executor"), omitted)
        self.assertIn("tvm_version", json.loads(whole.save_json())["attrs"])


class Tables(unittest.TestCase):
    def test_pandas_and_arrow(self):
        table = qnn().table("call")
        frame, arrow = table.to_pandas(), table.to_arrow()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertIsInstance(arrow, pyarrow.Table)
        self.assertEqual(arrow.to_pylist(), table.to_dicts())
        self.assertEqual(frame["mac_max"].sum(), sum(row["mac_max"] for row in table.to_dicts()))

    def test_names_are_escaped(self):
        table = mlf.Table([mlf.Column("<b>", "", True)], [("<script>",), (None,)])
        shown = table._repr_html_()
        self.assertNotIn("<script>", shown)
        self.assertIn("&lt;script&gt;", shown)

    def test_pictures(self):
        shown = qnn().networks["default"]._repr_svg_()
        self.assertIn("<svg", shown)


class Readme(unittest.TestCase):
    def test_examples_show_what_happens(self):
        readme = support.SOURCE / "mlf" / "python" / "README.md"
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            shutil.copy(QNN, "module.tar")
            os.mkdir("fleet")
            for name in ("one", "two"):
                shutil.copy(QNN, f"fleet/{name}.tar")
            pathlib.Path("fleet/bad.tar").write_bytes(b"no tar")
            failed, tried = doctest.testfile(str(readme), module_relative=False)
        self.assertGreater(tried, 10)
        self.assertEqual(failed, 0)


    def test_the_example_of_the_first_page_runs(self):
        page = (support.SOURCE / "README.md").read_text()
        (code,) = re.findall(r"^```py\n(import mlf\n.*?)^```$", page, re.MULTILINE | re.DOTALL)
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            shutil.copy(QNN, "module.tar")
            with contextlib.redirect_stdout(printed):
                exec(code, {})
        self.assertIn("kernel", printed.getvalue())


class Processing(unittest.TestCase):
    def test_as_the_program_does(self):
        with tempfile.TemporaryDirectory() as folder:
            theirs, ours = pathlib.Path(folder, "theirs.tar"), pathlib.Path(folder, "ours.tar")
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
        self.assertEqual(qnn().report(), json.loads(printed("report", "--json", QNN)))
        self.assertEqual(qnn().plan(), json.loads(printed("plan", "--json", QNN)))


if __name__ == "__main__":
    unittest.main()

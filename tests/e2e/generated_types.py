"""Types that generators make of the schemas read every document that mlf writes.

Python types by datamodel-code-generator from PyPI, TypeScript types by json-schema-to-typescript from
npm. The documents are those of the bundled archives, and of the corpus where it is there.
"""

import contextlib
import functools
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import support

try:
    import datamodel_code_generator
    import pydantic
except ImportError as error:
    support.skip(f"the Python package {error.name} is not installed")

NODE_TOOLS = support.SOURCE / "build" / "node" / "node_modules" / ".bin"  # tests/run --all
WALK = support.SOURCE / "tests" / "e2e" / "types" / "walk.ts"
SCHEMAS = {"tir": ".json", "topology": ".topology.json"}
LOADS, STORES = {"Load", "BufferLoad"}, {"Store", "BufferStore"}


def schema(name):
    return support.SOURCE / "schemas" / f"{name}.schema.json"


@functools.cache
def python_types(name, folder):
    """The class of the whole document, with those of its parts in its module."""
    module = folder / f"{name}_types.py"
    datamodel_code_generator.generate(
        schema(name),
        input_file_type=datamodel_code_generator.InputFileType.JsonSchema,
        output=module,
        output_model_type=datamodel_code_generator.DataModelType.PydanticV2BaseModel,
        target_python_version=datamodel_code_generator.PythonVersion.PY_311,
        formatters=[],
    )
    spec = importlib.util.spec_from_file_location(module.stem, module)
    sys.modules[module.stem] = loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return getattr(loaded, json.loads(schema(name).read_text())["title"])


def schema_of(member):
    if member.endswith(".topology.json"):
        return "topology"
    return "tir" if pathlib.PurePath(member).name.startswith("tir-") else None


@contextlib.contextmanager
def processed():
    """Every document with a schema here, in a file of its own: (schema, file)."""
    with tempfile.TemporaryDirectory() as name:
        found, copy = [], pathlib.Path(name) / "module.tar"
        for archive in support.archives():
            shutil.copy(archive, copy)
            support.run_ok("process", copy)
            with tarfile.open(copy) as tar:
                for member in tar.getmembers():
                    its_schema = member.isfile() and schema_of(member.name)
                    if its_schema and member.name.endswith(".json") and ".tvm." not in member.name:
                        file = pathlib.Path(name) / f"{len(found)}.json"
                        file.write_bytes(tar.extractfile(member).read())
                        found.append((its_schema, file))
        yield found


def nodes_in(value):
    """The kinds of all nodes in a value, however deep."""
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack.extend(value.values())
            if "node" in value:
                yield value["node"]
        elif isinstance(value, list):
            stack.extend(value)


def loads_and_stores(document):
    kinds = []
    for function in document["functions"]:
        if "body" in function:
            kinds.extend(nodes_in([function["body"], function["exprs"]]))
    return sum(kind in LOADS for kind in kinds), sum(kind in STORES for kind in kinds)


class GeneratedTypes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        resources = contextlib.ExitStack()
        cls.addClassCleanup(resources.close)
        cls.folder = pathlib.Path(resources.enter_context(tempfile.TemporaryDirectory()))
        cls.documents = resources.enter_context(processed())

    def test_python_types_read_and_write_every_document(self):
        types = {name: python_types(name, self.folder) for name in SCHEMAS}
        for name, path in self.documents:
            with self.subTest(path):
                document = types[name].model_validate_json(path.read_bytes(), strict=True)
                written = document.model_dump_json(by_alias=True, exclude_unset=True)
                self.assertEqual(json.loads(written), json.loads(path.read_bytes()))
        print(f"{len(self.documents)} documents")

    def test_python_types_refuse_what_the_format_does_not_have(self):
        tir = python_types("tir", self.folder)
        path = next(path for name, path in self.documents if name == "tir")
        for key in ("node", "dtype"):
            document = json.loads(path.read_bytes())
            document["functions"][0]["vars"][0][key] = "Unknown"
            with self.subTest(key), self.assertRaises(pydantic.ValidationError):
                tir.model_validate(document)

    def typescript(self):
        """A folder with the program and the types that it imports."""
        if not (NODE_TOOLS / "tsc").exists() or not shutil.which("node"):
            self.skipTest("no build/node (tests/run --all makes it where there is npm)")
        for name in SCHEMAS:
            types = self.folder / f"{name}.d.ts"
            tool = [NODE_TOOLS / "json2ts", "-i", schema(name), "-o", types]
            subprocess.run(tool, check=True)
        return self.folder / "walk.ts"

    def compile(self, program):
        options = ["--strict", "--noEmitOnError", "--target", "es2022", "--module", "commonjs",
                   "--types", "node", "--typeRoots", NODE_TOOLS.parent / "@types"]
        return subprocess.run([NODE_TOOLS / "tsc", *options, program], capture_output=True,
                              text=True, check=False)

    def test_a_typescript_program_over_the_types_reads_every_document(self):
        program = self.typescript()
        shutil.copy(WALK, program)
        compiled = self.compile(program)
        self.assertEqual((compiled.stdout, compiled.returncode), ("", 0))
        paths = [path for name, path in self.documents if name == "tir"]
        printed = subprocess.run(["node", program.with_suffix(".js"), *paths], capture_output=True,
                                 text=True, check=True).stdout.splitlines()
        expected = [loads_and_stores(json.loads(path.read_bytes())) for path in paths]
        self.assertEqual([tuple(map(int, line.split())) for line in printed], expected)
        self.assertGreater(sum(loads for loads, _ in expected), 20)

    def test_a_typescript_program_with_a_kind_left_out_does_not_compile(self):
        program = self.typescript()
        for case in ('    case "While":\n', '    case "Broadcast":\n'):
            program.write_text(WALK.read_text().replace(case, ""))
            with self.subTest(case):
                self.assertIn("to parameter of type 'never'", self.compile(program).stdout)


if __name__ == "__main__":
    unittest.main()

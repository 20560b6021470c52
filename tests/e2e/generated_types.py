"""Types that generators make of the schemas read every document that mlf writes.

Python types by datamodel-code-generator from PyPI, TypeScript types by json-schema-to-typescript from
npm. The documents are those of the bundled archives, and of the corpus where it is there.

Usage: generated_types.py [--update], which writes schemas/*.d.ts anew; needs build/node (tests/run --all)
"""

import functools
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

import support

try:
    import datamodel_code_generator
    import pydantic
except ImportError as error:
    support.skip(f"the Python package {error.name} is not installed")

NODE_TOOLS = support.SOURCE / "build" / "node" / "node_modules" / ".bin"  # tests/run --all
PROGRAMS = support.SOURCE / "tests" / "e2e" / "types"
WALK = PROGRAMS / "walk.ts"
TITLES = {"tir": "src/tir-N.json", "topology": "src/<m>.topology.json"}
BANNER = "// Types of {title}, made of {name}.schema.json by tests/e2e/generated_types.py --update"
LOADS, STORES = {"Load", "BufferLoad"}, {"Store", "BufferStore"}


def schema(name):
    return support.SOURCE / "schemas" / f"{name}.schema.json"


@functools.cache
def python_types(name, directory):
    """The class of the whole document, with those of its parts in its module."""
    module = directory / f"{name}_types.py"
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


def committed_types(name):
    return support.SOURCE / "schemas" / f"{name}.d.ts"


def typescript_types(name):
    """What the generator of npm makes of a schema."""
    banner = BANNER.format(name=name, title=TITLES[name])
    tool = [NODE_TOOLS / "json2ts", "-i", schema(name), "--bannerComment", banner]
    return subprocess.run(tool, check=True, capture_output=True, text=True).stdout


def schema_of(member):
    if member.endswith(".topology.json"):
        return "topology"
    return "tir" if pathlib.PurePath(member).name.startswith("tir-") else None


def processed(directory):
    """Every document with a schema here, in a file of its own: (schema, file)."""
    found, copy = [], directory / "module.tar"
    for archive in support.archives():
        shutil.copy(archive, copy)
        support.run_ok("process", copy)
        for member, content in support.members_of(copy).items():
            its_schema = schema_of(member)
            if its_schema and member.endswith(".json") and ".tvm." not in member:
                file = directory / f"{len(found)}.json"
                file.write_bytes(content)
                found.append((its_schema, file))
    return found


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


def edges_and_bytes(document):
    ends = [end for value in document["values"]
            for end in [value["producer"], *value["consumers"]] if end is not None]  # fmt: skip
    copies = sum("copy" in end for end in ends)
    return len(ends) - copies, copies, sum(one["bytes"] or 0 for one in document["storages"])


def has_typescript():
    return (NODE_TOOLS / "tsc").exists() and shutil.which("node") is not None


class GeneratedTypes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = support.directory_of(cls)
        cls.documents = processed(cls.directory)

    def test_python_types_read_and_write_every_document(self):
        types = {name: python_types(name, self.directory) for name in TITLES}
        for name, path in self.documents:
            with self.subTest(path):
                document = types[name].model_validate_json(path.read_bytes(), strict=True)
                written = document.model_dump_json(by_alias=True, exclude_unset=True)
                self.assertEqual(json.loads(written), json.loads(path.read_bytes()))
        print(f"{len(self.documents)} documents")

    def test_python_types_refuse_what_the_format_does_not_have(self):
        tir = python_types("tir", self.directory)
        path = next(path for name, path in self.documents if name == "tir")
        for key in ("node", "dtype"):
            document = json.loads(path.read_bytes())
            document["functions"][0]["vars"][0][key] = "Unknown"
            with self.subTest(key), self.assertRaises(pydantic.ValidationError):
                tir.model_validate(document)

    def typescript(self, *programs):
        """A directory with the programs and the types that they import."""
        if not has_typescript():
            self.skipTest("no build/node (tests/run --all makes it where there is npm)")
        for file in (*map(committed_types, TITLES), *programs):
            shutil.copy(file, self.directory)
        return [self.directory / program.name for program in programs]

    def compile(self, *programs):
        options = ["--strict", "--noEmitOnError", "--target", "es2022", "--module", "commonjs",
                   "--types", "node", "--typeRoots", NODE_TOOLS.parent / "@types"]
        return subprocess.run([NODE_TOOLS / "tsc", *options, *programs],
                              capture_output=True, text=True, check=False)

    def printed(self, program, kind):
        """Lines that a program prints, each a list of numbers: one line a document."""
        paths = [path for name, path in self.documents if name == kind]
        done = subprocess.run(["node", program.with_suffix(".js"), *paths], capture_output=True,
                              text=True, check=True)  # fmt: skip
        return paths, [tuple(map(int, line.split())) for line in done.stdout.splitlines()]

    def test_the_types_in_schemas_are_those_of_the_schemas(self):
        if not has_typescript():
            self.skipTest("no build/node (tests/run --all makes it where there is npm)")
        for name in TITLES:
            self.assertEqual(committed_types(name).read_text(), typescript_types(name), name)

    def test_typescript_programs_over_the_types_read_every_document(self):
        walk, network = programs = self.typescript(WALK, PROGRAMS / "network.ts")
        compiled = self.compile(*programs)
        self.assertEqual((compiled.stdout, compiled.returncode), ("", 0))
        paths, counted = self.printed(walk, "tir")
        self.assertEqual(counted, [loads_and_stores(json.loads(path.read_bytes())) for path in paths])
        self.assertGreater(sum(loads for loads, _ in counted), 20)
        paths, counted = self.printed(network, "topology")
        self.assertEqual(counted, [edges_and_bytes(json.loads(path.read_bytes())) for path in paths])
        self.assertGreater(sum(edges for edges, _, _ in counted), 15)

    def test_typescript_programs_that_do_not_fit_the_types_do_not_compile(self):
        walk, network = self.typescript(WALK, PROGRAMS / "network.ts")
        for case in ('    case "While":\n', '    case "Broadcast":\n'):
            walk.write_text(WALK.read_text().replace(case, ""))
            with self.subTest(case):
                self.assertIn("to parameter of type 'never'", self.compile(walk).stdout)
        network.write_text(network.read_text().replace("storage.bytes ?? 0", "storage.bytes"))
        self.assertIn("is possibly 'null'", self.compile(network).stdout)


if __name__ == "__main__":
    if "--update" in sys.argv:
        for name in TITLES:
            committed_types(name).write_text(typescript_types(name))
    else:
        unittest.main()

"""README.md and the guides show what the program does: `readme.py --update` writes what it prints."""

import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

import program_case
import support

GUIDES = sorted((support.SOURCE / "mlf" / "guide").glob("*.md"))
DOCUMENTS = {path: path.read_text() for path in [support.SOURCE / "README.md", *GUIDES]}
ARCHIVE = support.SOURCE / "tests" / "data" / "archives" / "tvm-0.18-qnn_conv-aot-c.tar"
README_WORDS, GUIDE_WORDS = 1000, 1200

# The archives that commands name, beside module.tar, which is ARCHIVE.
ARCHIVES = {
    "old.tar": support.ARCHIVES / "tvm-0.9-qnn_conv-aot-c.tar",
    "planned.tar": support.BUNDLED_CORPUS / "tvm-0.18" / "qnn_conv-aot-packed-usmp" / "module.tar",
    "two_out.tar": support.BUNDLED_CORPUS / "tvm-0.18" / "two_out-aot-c-usmp" / "module.tar",
}


def blocks_of(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def blocks(language):
    return [block for text in DOCUMENTS.values() for block in blocks_of(text, language)]


def object_file(functions, calls=(), constants=0):
    """An ELF file for linking whose .text has these functions (name to bytes), without their code. The
    last one refers to `calls`."""
    names, symbols, places, end = b"\0", bytes(24), {}, 0
    for name, size in functions.items():
        # A global function of section 1.
        symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 1, end, size)
        names += name.encode() + b"\0"
        places[name] = len(places) + 1
        last, end = end, end + size
    # R_X86_64_PLT32, behind the first byte of a call.
    relocations = b"".join(
        struct.pack("<QQq", last + 5 * i + 1, places[callee] << 32 | 4, -4)
        for i, callee in enumerate(calls)
    )
    titles = b"\0.text\0.rela.text\0.symtab\0.strtab\0.shstrtab\0.rodata\0"
    # Type, flags, link, info and entry size of each section, and what it has.
    sections = [
        (b".text", 1, 6, 0, 0, 0, bytes(end)),
        (b".rela.text", 4, 0x40, 3, 1, 24, relocations),
        (b".symtab", 2, 0, 4, 1, 24, symbols),
        (b".strtab", 3, 0, 0, 0, 0, names),
        (b".shstrtab", 3, 0, 0, 0, 0, titles),
        (b".rodata", 1, 2, 0, 0, 0, bytes(constants)),
    ]
    contents, headers = b"", bytes(64)
    for title, kind, flags, link, info, entry, data in sections:
        place = (titles.index(title + b"\0"), kind, flags, 0, 64 + len(contents), len(data))
        headers += struct.pack("<IIQQQQIIQQ", *place, link, info, 1, entry)
        contents += data
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    shape = (1, 62, 1, 0, 0, 64 + len(contents), 0, 64, 0, 0, 64, 7, 5)
    return ident + struct.pack("<HHIQQQIHHHHHH", *shape) + contents + headers


# By the number of the file. Kernels are in the order of their names, as LLVM has them.
KERNELS = {
    "tvmgen_default_fused_cast_subtract": 96,
    "tvmgen_default_fused_nn_avg_pool2d_cast": 176,
    "tvmgen_default_fused_nn_conv2d_add_fixed_point_multiply_add_clip_cast": 720,
    "tvmgen_default_fused_nn_max_pool2d_cast": 208,
}
CALLS = [list(KERNELS)[i] for i in (0, 2, 3, 1)]
OBJECTS = {
    "default_lib0": object_file({"tvmgen_default_run": 16}),
    "default_lib1": object_file({**KERNELS, "tvmgen_default___tvm_main__": 160}, CALLS, 608),
}


def write_archive_of_objects(directory):
    """ARCHIVE as target llvm exports it, objects.tar, and the TIR that was in it, tir-1.txt."""
    with tarfile.open(ARCHIVE) as source, tarfile.open(directory / "objects.tar", "w") as objects:
        for member in source:
            data = source.extractfile(member).read() if member.isfile() else b""
            if member.name == "./src/tir-1.txt":
                (directory / "tir-1.txt").write_bytes(data)
                continue
            if member.name.endswith(".c"):
                name = Path(member.name).stem
                member.name, data = f"./codegen/host/lib/{name}.o", OBJECTS[name]
            if member.name == "./metadata.json":
                data = data.replace(b"c -keys=cpu", b"llvm -keys=cpu")
            member.size = len(data)
            objects.addfile(member, io.BytesIO(data))


def write_files(directory, text):
    """What the commands of a document name."""
    for name, path in {"module.tar": ARCHIVE, **ARCHIVES}.items():
        shutil.copyfile(path, directory / name)
    write_archive_of_objects(directory)
    for language, names in {"toml": ("mlf-budget.toml", "board.toml"), "python": ("scale.py",)}.items():
        for name, block in zip(names, blocks_of(text, language)):
            (directory / name).write_text(block)


def sessions(text):
    """Each command of a document and the output below it."""
    for block in blocks_of(text, "console"):
        for entry in re.split(r"^\$ mlf ", block, flags=re.MULTILINE)[1:]:
            command, output = entry.split("\n", 1)
            yield command, output


def output_of(command, directory):
    """Lines end as Markdown's do: those of CSV end with CR LF."""
    result = support.run(*command.split(), cwd=directory)
    return (result.stderr + result.stdout).decode().replace("\r\n", "\n").rstrip()


def update():
    """Replaces each output by what the program prints."""
    for path, text in DOCUMENTS.items():
        with tempfile.TemporaryDirectory() as directory:
            write_files(Path(directory), text)

            def printed(match):
                lines = re.findall(r"^\$ mlf .*$", match[0], re.MULTILINE)
                found = [f"{line}\n{output_of(line[6:], directory)}".rstrip() for line in lines]
                return "```console\n" + "\n".join(found) + "\n```"

            path.write_text(re.sub(r"^```console\n.*?^```$", printed, text, flags=re.MULTILINE | re.DOTALL))


def pictures(kind):
    return {(path.parent / picture).resolve() for path, text in DOCUMENTS.items()
            for picture in re.findall(rf'<img src="([^"]+[.]{kind})"', text)}  # fmt: skip


class Documents(program_case.Directory):
    def test_commands_print_what_is_below_them(self):
        count = 0
        for path, text in DOCUMENTS.items():
            write_files(self.directory, text)
            for command, output in sessions(text):
                with self.subTest(f"{path.name}: {command}"):
                    self.assertEqual(output_of(command, self.directory), output.rstrip())
                count += 1
        self.assertGreater(count, 20)

    def test_commands_with_output_are_mlf(self):
        """The program of another command would not be run."""
        for block in blocks("console"):
            self.assertTrue(block.startswith("$ mlf "))
            self.assertNotRegex(block, r"(?m)^\$ (?!mlf )")

    def test_other_files_have_no_commands_with_output(self):
        """They would never be run."""
        names = subprocess.run(["git", "ls-files", "*.md"], cwd=support.SOURCE, capture_output=True,
                               text=True, check=True).stdout.split()  # fmt: skip
        having = {name for name in names if "```console" in (support.SOURCE / name).read_text()}
        known = {path.relative_to(support.SOURCE).as_posix() for path in DOCUMENTS}
        self.assertIn("README.md", having)
        self.assertEqual(having - known, set())

    def test_they_are_short(self):
        for path, text in DOCUMENTS.items():
            most = GUIDE_WORDS if path in GUIDES else README_WORDS
            self.assertLessEqual(len(text.split()), most, path.name)

    def test_readme_leads_to_every_guide(self):
        readme = DOCUMENTS[support.SOURCE / "README.md"]
        for path in GUIDES:
            self.assertIn(f"(mlf/guide/{path.name}", readme)

    def test_readme_names_both_commands_of_a_fresh_machine(self):
        (block,) = blocks_of(DOCUMENTS[support.SOURCE / "README.md"], "sh")
        commands = [line.split()[0] for line in block.splitlines()]
        self.assertEqual(commands, ["mlf/quickstart", "tests/run"])
        for command in commands:
            self.assertTrue(os.access(support.SOURCE / command, os.X_OK), command)

    def test_the_json_is_that_of_the_kernel_above_it(self):
        text = DOCUMENTS[support.SOURCE / "mlf" / "guide" / "tir.md"]
        (kernel,) = blocks_of(text, "python")
        (body,) = blocks("json")
        (self.directory / "scale.py").write_text(kernel)
        printed = support.run_ok("tir", self.directory / "scale.py").stdout
        self.assertEqual(json.loads(printed)["functions"][0]["body"], json.loads(body))

    def test_the_picture_is_that_of_the_network(self):
        """The committed picture shows the labels of the committed DOT, which mlf still writes."""
        directory = support.SOURCE / "tests" / "golden" / "graph"
        self.assertEqual(pictures("svg"), {directory / "resnet8.svg"})
        dot = (directory / "resnet8.dot").read_text()
        labels = re.findall(r'label="((?:[^"\\]|\\.)*)"', dot)
        # Spaces around labels keep them off the lines of edges.
        lines = sorted(line.strip() for label in labels for line in label.split("\\n"))
        svg = xml.etree.ElementTree.parse(directory / "resnet8.svg")
        shown = sorted(text.text.strip() for text in svg.iterfind(".//{*}text"))
        self.assertEqual(shown, lines)
        archive = support.CORPUS / "tvm-0.18" / "resnet8-aot-packed-usmp" / "module.tar"
        if archive.exists():
            drawn = support.run_ok("graph", archive, "--format", "dot").stdout.decode()
            self.assertEqual(drawn, dot)

    def test_pictures_of_the_page_are_there_and_small(self):
        self.assertEqual(len(pictures("png")), 3)
        for picture in pictures("png"):
            data = picture.read_bytes()
            self.assertTrue(data.startswith(b"\x89PNG\r\n"))
            self.assertLessEqual(len(data), 150_000)

    def test_limits_are_those_of_the_help(self):
        limits = re.search(r"^  members=.*?\n\n", support.run_ok("--help").stdout.decode(),
                           re.MULTILINE | re.DOTALL)  # fmt: skip
        self.assertIn(limits[0].rstrip(), DOCUMENTS[support.SOURCE / "mlf" / "guide" / "limits.md"])


def specification(name):
    return (support.SOURCE / "schemas" / f"{name}.md").read_text()


def examples(words):
    found = re.findall(r"^```js (\w+)\n(.*?)^```$", words, re.MULTILINE | re.DOTALL)
    return {name: json.loads(text) for name, text in found}


def words_of(schema):
    """Every key and every code that a schema has."""
    stack, found = [schema], set()
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            found.update(value.get("properties", {}))
            found.update(code for code in value.get("enum", []) if isinstance(code, str))
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
    return found


def origin_of_documents():
    definitions = json.loads((support.SOURCE / "schemas" / "report.schema.json").read_text())["$defs"]
    return [definitions["origin"], definitions["digest"]]


ORIGIN = origin_of_documents()


class Contract(program_case.Directory):
    """The specifications of documents that have no table in the code to be made from."""

    # Words of a specification that another one explains.
    REFERENCES = {"manifest": "", "report": "", "plan": "numbers", "diff": "numbers", "profile": "numbers",
                  "check": "numbers codes", "inspect": "codes", "integration": "numbers", "verify": "codes", "run": "",
                  "process": ""}  # fmt: skip

    def test_every_key_and_code_of_the_schemas_is_in_the_words(self):
        index = (support.SOURCE / "schemas" / "README.md").read_text()
        origin = words_of(ORIGIN) | {"origin"}
        self.assertEqual([w for w in sorted(origin) if f"`{w}`" not in index], [])
        explained = {"numbers": {"min", "max"}, "codes": words_of_other_tables()}
        for name, references in self.REFERENCES.items():
            schema = json.loads((support.SOURCE / "schemas" / f"{name}.schema.json").read_text())
            words = specification(name)
            elsewhere = origin.union(*map(explained.get, references.split()))
            missing = [w for w in words_of(schema) - elsewhere if f"`{w}`" not in words]
            self.assertEqual(sorted(missing), [], name)

    def test_the_origin_is_the_same_object_in_all_documents(self):
        having = []
        for path in sorted((support.SOURCE / "schemas").glob("*.schema.json")):
            definitions = json.loads(path.read_text())["$defs"]
            if "origin" in definitions:
                self.assertEqual([definitions["origin"], definitions["digest"]], ORIGIN, path.name)
                having.append(path.name.partition(".")[0])
        self.assertEqual(having, ["check", "diff", "inspect", "integration", "optimize", "plan", "process", "profile",
                                  "report", "run", "verify"])

    def test_the_index_has_every_specification_and_schema(self):
        directory = support.SOURCE / "schemas"
        index = (directory / "README.md").read_text()
        for path in directory.iterdir():
            if path.name != "README.md":
                self.assertIn(f"({path.name})", index)

    def test_every_rule_that_the_code_names_is_specified(self):
        rules = set(re.findall(r"^### Rule ([a-z-]+)$", specification("topology"), re.MULTILINE))
        named = set()
        for path in (support.SOURCE / "src" / "graph").rglob("*"):
            if path.suffix in (".cpp", ".h"):
                text = re.sub(r"\n\s*//+", "", path.read_text())
                for found in re.findall(r"rules?((?:,? `[a-z-]+`)+)", text):
                    named.update(re.findall(r"`([a-z-]+)`", found))
        self.assertGreater(len(named), 12)
        self.assertEqual(named - rules, set())

    def test_the_examples_are_what_the_program_writes(self):
        copy = shutil.copy(ARCHIVE, Path(self.directory) / "module.tar")
        support.run_ok("process", copy)
        with tarfile.open(copy) as tar:
            manifest = json.load(tar.extractfile("./src/mlf.json"))
        del manifest["generator"]
        for container, key in ((manifest["consumed"], "members"), (manifest, "written")):
            container[key] = [digest["name"] for digest in container[key]]
        self.assertEqual(examples(specification("manifest"))["manifest"], manifest)

        inspection = support.json_of("inspect", "--json", ARCHIVE)
        self.assertEqual(examples(specification("inspect"))["claims"],
                         inspection["modules"][0]["memory"]["claims"])  # fmt: skip

        outputs = support.json_of("run", "--random", "1", "--json", ARCHIVE)["outputs"]
        self.assertEqual(examples(specification("run"))["outputs"], outputs)

        archive = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
        verdict = support.json_of("verify", "--json", archive)
        for check in examples(specification("verify"))["checks"]:
            self.assertIn(check, verdict["archives"][0]["checks"])

        (processed,) = support.json_of("process", "--dry-run", "--json", ARCHIVE)["archives"]
        example = examples(specification("process"))["archive"]
        self.assertEqual({key: processed[key] for key in example}, example)


def words_of_other_tables():
    """Dialects, checks of a network, and findings."""
    tir = json.loads((support.SOURCE / "schemas" / "tir.schema.json").read_text())
    directory = support.SOURCE / "include" / "mlf"
    codes = (directory / "graph" / "checks.def").read_text() + (directory / "findings.def").read_text()
    dialects = tir["$defs"]["Source"]["properties"]["dialect"]["enum"]
    return {*dialects, *re.findall(r'"([a-z-]+)"', codes)}


if __name__ == "__main__":
    update() if sys.argv[1:] == ["--update"] else unittest.main()

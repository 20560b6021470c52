"""An application made of `mlf inspect --integration --json` alone links and runs: with arenas of exactly
the bytes of the list, the functions that it names and no others. With an arena of one byte less it fails.

All archives of the corpus with MLF_EVERY_ARCHIVE=1; --table prints what became of each.
"""

import json
import math
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import battery_archives
import generated_c
import numpy_files
import plan_programs
import program_case
import support

# What the application has of TVM's runtime: its stack allocator, over an arena of `heap_bytes`.
TVM_FUNCTIONS = {
    "TVMBackendAllocWorkspace": """
static size_t heap_used;
void *TVMBackendAllocWorkspace(int type, int id, uint64_t bytes, int code, int bits) {
  (void)type, (void)id, (void)code, (void)bits;
  bytes = (bytes + 15) / 16 * 16;
  if (heap_used + bytes > heap_bytes) return NULL;
  heap_used += bytes;
  return heap + (heap_used - bytes);
}""",
    "TVMBackendFreeWorkspace": """
int TVMBackendFreeWorkspace(int type, int id, void *memory) {
  (void)type, (void)id;
  if ((uint8_t *)memory < heap || (uint8_t *)memory > heap + heap_used) return -1;
  heap_used = (size_t)((uint8_t *)memory - heap);
  return 0;
}""",
    "TVMAPISetLastError": "void TVMAPISetLastError(const char *why) { (void)why; }",
}
# Memory that ends where it ends: for the sanitizer, or with bytes behind it that nothing may change.
MEMORY = """
static uint8_t *ends[1000];
static size_t count;
static uint8_t *exactly(size_t bytes, size_t alignment) {
  uint8_t *whole = memalign(2 * alignment, alignment + bytes + CANARY);
  ends[count] = whole + alignment + bytes;
  memset(ends[count++], 0xA5, CANARY);
  return whole + alignment;
}
static int is_changed(void) {
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < CANARY; ++k)
      if (ends[i][k] != 0xA5) return 4;
  return 0;
}
"""
# What the graph executor does with the table of functions.
FIND = """
static TVMBackendPackedCFunc find(const char *name) {
  const TVMFuncRegistry *functions = TVMSystemLibEntryPoint()->registry;
  const char *known = functions->names + 2;
  for (int i = 0; i < functions->names[0]; ++i, known += strlen(known) + 1)
    if (strcmp(known, name) == 0) return functions->funcs[i];
  return NULL;
}
"""
QNN = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
SYSTEM_LIBRARY = "TVMSystemLibEntryPoint"
# -O0 makes no calls that the C does not have.
HOST = ["-O0", "-w", "-std=gnu11", "-DCANARY=0", f"-I{generated_c.HEADERS}"]
ARM = ["-O1", "-w", "-DCANARY=16", "-std=gnu11", "-mcpu=cortex-m3", "-mthumb", "-mfp16-format=ieee", f"-I{generated_c.HEADERS}"]
HALF = {"gcc": "_Float16", "arm-none-eabi-gcc": "__fp16"}


class CannotLink(Exception):
    """Why an archive has no application on this computer."""


def bytes_of(memory):
    return support.most(memory["bytes"])


def lists(archive, *arguments):
    return support.json_of("inspect", "--integration", "--json", *arguments, archive)["modules"]


def unpacked(archive, directory):
    return archive if archive.is_dir() else support.unpacked(archive, directory)


def element(dtype, source):
    """The bytes of a value of any type, small: floats are numbers."""
    if dtype == "float32":
        return bytes([0, 0, source.choice([0x80, 0x00]), source.choice([0x3F, 0xBF, 0x40])])
    if dtype == "float64":
        return bytes(6) + bytes([source.choice([0xF0, 0xE0]), 0x3F])
    if dtype == "float16":
        return bytes([0, source.choice([0x3C, 0xBC])])
    if dtype == "bool":
        return bytes([source.randrange(2)])
    if dtype in ("int8", "uint8"):
        return bytes([source.randrange(128)])
    width = int(re.search(r"\d+", dtype)[0]) // 8
    return source.randrange(4).to_bytes(width, "little")


class Application(generated_c.Driver):
    """The text of main.c, made of the list of one module and files that it names."""

    def __init__(self, module, root, less=None):
        super().__init__()
        self.module, self.root, self.less = module, root, less
        self.outputs = []
        self.source = random.Random(7)
        self.inputs = {}
        self.has_table = any(one["symbol"] == SYSTEM_LIBRARY for one in module["functions"])

    def bytes_for(self, memory):
        size = bytes_of(memory)
        if size is None:
            raise CannotLink(f"the bytes of its {memory['kind']} are not known")
        return size - (1 if memory is self.less else 0)

    def memory(self, size, alignment, content=None):
        """A variable with the address of so many bytes, as aligned as the list says and no more."""
        self.count += 1
        name = f"memory_{self.count}"
        self.globals.append(f"static uint8_t *{name};")
        self.statements.append(f"{name} = exactly({size}, {alignment});")
        if content:
            self.globals.append(f"static const uint8_t {name}_content[] = {{{', '.join(map(str, content))}}};")
            self.statements.append(f"memcpy({name}, {name}_content, {len(content)});")
        return name

    def tensor(self, memory, tensor):
        if tensor["shape"] is None:
            raise CannotLink(f"the shape of {tensor['name']} is not known")
        name = super().tensor("0", tensor)
        self.statements.append(f"{name}.data = {memory};")
        return name

    def call(self, function, tensors, pointers):
        if function["prototype"] is None:
            raise CannotLink(f"no prototype of {function['symbol']}")
        if " resource_handle" not in function["prototype"]:
            self.statements.append(f"if ({function['symbol']}({', '.join(pointers)})) return 3;")
            return
        values = ", ".join(f"{{.v_handle = &{one}}}" for one in tensors)
        codes = ", ".join(["kTVMDLTensorHandle"] * (self.module["type_codes"] or len(tensors)))
        callee = f'find("{function["symbol"]}")' if self.has_table else function["symbol"]
        self.statements.append(
            f"{{ TVMValue args[] = {{{values}}}, result; int codes[] = {{{codes}}}, code; "
            f"if ({callee}((void *)args, (void *)codes, {len(tensors)}, (void *)&result, "
            f"(void *)&code, NULL)) return 3; }}")

    def inputs_and_outputs(self):
        inputs = []
        for one in self.module["inputs"]:
            if one["bytes"] is None:
                raise CannotLink(f"the bytes of {one['name']} are not known")
            width = math.prod(one["shape"] or [one["bytes"]]) or 1
            content = b"".join(element(one["dtype"] or "uint8", self.source) for _ in range(width))
            if len(content) != one["bytes"]:
                content = bytes(one["bytes"])
            self.inputs[one["name"]] = (one, content)
            inputs.append(self.memory(one["bytes"], one["alignment"], content))
        outputs = [self.memory(one["bytes"], one["alignment"]) for one in self.module["outputs"]]
        self.outputs = [(name, one["bytes"]) for name, one in zip(outputs, self.module["outputs"], strict=True)]
        return inputs, outputs

    def network(self):
        (function,) = self.module["functions"]
        inputs, outputs = self.inputs_and_outputs()
        tensors = self.module["inputs"] + self.module["outputs"]
        if self.module["interface"] == "packed":
            made = [self.tensor(*one) for one in zip(inputs + outputs, tensors, strict=True)]
            return self.call(function, made, [])
        fields = {"_inputs": dict(zip((one["field"] for one in self.module["inputs"]), inputs)),
                  "_outputs": dict(zip((one["field"] for one in self.module["outputs"]), outputs)),
                  "_workspace_pools": self.pools()}
        pointers = []
        for struct in self.module["structs"]:
            end = next((end for end in fields if struct["name"].endswith(end)), None)
            if end is None:
                raise CannotLink(f"{struct['name']} has drivers of devices")
            values = ", ".join(f".{field} = {fields[end][field]}" for field in struct["fields"])
            self.statements.append(f"struct {struct['name']} {struct['name']}_value = {{{values}}};")
            pointers.append(f"&{struct['name']}_value")
        return self.call(function, [], pointers)

    def pools(self):
        made = {}
        for one in self.module["memory"]:
            if one["in_archive"] or not one["kind"].endswith("-pool"):
                continue
            made[one["name"]] = self.memory(self.bytes_for(one), one["alignment"])
            if one["data"]:
                self.statements.append(f"static const uint8_t content_{self.count}[] = {{{one['data']}}};")
                self.statements.append(f"memcpy({made[one['name']]}, content_{self.count}, sizeof content_{self.count});")
        return made

    def graph(self):
        """What TVM's graph executor does, by the archive's graph."""
        graph = json.loads((self.root / self.module["files"]["graph"]).read_text())
        attributes = {name: value[1] for name, value in graph["attrs"].items()}
        storages = {}
        for one in self.module["memory"]:
            if one["kind"] == "storage":
                storages[one["name"]] = self.memory(self.bytes_for(one), one["alignment"])
        if not all(f"storage_{one}" in storages for one in attributes["storage_id"]):
            raise CannotLink("its C has parameters that TVM's graph executor looks up")
        places = [storages[f"storage_{one}"] for one in attributes["storage_id"]]
        entry = lambda node, index: graph["node_row_ptr"][node] + index
        inputs = {one["name"]: one for one in self.module["inputs"]}
        for number in graph["arg_nodes"]:
            name, at = graph["nodes"][number]["name"], entry(number, 0)
            if name not in inputs:
                raise CannotLink("its graph has parameters")
            one = inputs[name]
            content = b"".join(element(one["dtype"], self.source) for _ in range(math.prod(one["shape"])))
            self.inputs[name] = (one, content)
            given = self.memory(one["bytes"], one["alignment"], content)
            self.statements.append(f"memcpy({places[at]}, {given}, {one['bytes']});")
        functions = {one["symbol"]: one for one in self.module["functions"]}
        for number, node in enumerate(graph["nodes"]):
            if node["op"] != "tvm_op" or node["attrs"]["func_name"] == "__nop":
                continue
            tensors = []
            results = range(int(node["attrs"]["num_outputs"]))
            for at in [entry(one[0], one[1]) for one in node["inputs"]] + [entry(number, one) for one in results]:
                tensor = {"name": "", "dtype": attributes["dltype"][at], "shape": attributes["shape"][at]}
                tensors.append(self.tensor(places[at], tensor))
            self.call(functions[node["attrs"]["func_name"]], tensors, [])
        self.outputs = [(places[entry(one[0], one[1])], tensor["bytes"])
                        for one, tensor in zip(graph["heads"], self.module["outputs"], strict=True)]

    def operators(self):
        for function in self.module["functions"]:
            places = []
            for one in function["arguments"]:
                content = b"".join(element(one["dtype"], self.source) for _ in range(math.prod(one["shape"])))
                places.append(self.memory(one["bytes"], one["alignment"], content))
            made = [self.tensor(*one) for one in zip(places, function["arguments"], strict=True)]
            self.call(function, made, places)

    def text(self):
        if self.module["interface"] is None:
            raise CannotLink("mlf does not know how it is called")
        {"graph": self.graph, "operators": self.operators}.get(self.module["interface"], self.network)()
        lines = ["#include <stddef.h>", "#include <stdint.h>", "#include <stdio.h>", "#include <string.h>",
                 "#include <malloc.h>", MEMORY,
                 '#include "tvm/runtime/c_backend_api.h"']
        for heap in [one for one in self.module["memory"] if one["kind"] == "heap"]:
            size = self.bytes_for(heap)
            lines.append(f"enum {{ heap_bytes = {size} }};\n"
                         f"static _Alignas({heap['alignment']}) uint8_t heap[{size}];")
        for one in self.module["external"]:
            if one["origin"] == "tvm" and one["name"] not in TVM_FUNCTIONS:
                raise CannotLink(f"the application has no {one['name']}")
            if one["origin"] == "tvm":
                lines.append(TVM_FUNCTIONS[one["name"]])
        if self.module["interface"] == "c":
            lines.append(f'#include "{pathlib.Path(self.module["functions"][0]["member"]).name}"')
        if self.has_table:
            lines += ['#include "tvm/runtime/crt/module.h"', f"{self.module['functions'][0]['prototype']};", FIND]
        elif self.module["interface"] != "c":
            lines += [f"{one['prototype']};" for one in self.module["functions"]]
        lines += [*self.globals, "int main(void) {", *self.statements]
        for name, size in self.outputs:
            lines.append(f'for (size_t i = 0; i < {size}; ++i) printf("%02x", ((uint8_t *){name})[i]);\nputs("");')
        return "\n".join([*lines, "return is_changed();", "}", ""])


class Build:
    """An application of one module in a directory."""

    def __init__(self, module, root, directory, compiler="gcc", flags=(), runner=()):
        self.module, self.root, self.directory = module, root, directory
        self.compiler, self.runner = compiler, list(runner)
        self.flags = [*flags, *module["flags"] * (compiler != "gcc")]
        self.flags += [f"-I{root / one}" for one in module["include_directories"]]
        self.flags += [f"-D{one}={HALF[compiler]}" for one in module["definitions"]]
        origins = {one["origin"] for one in module["external"] + module["headers"]}
        for library in {"cmsis", "ethos-u"} & origins:
            raise CannotLink(f"it needs {library}, which is not here")
        self.objects = []
        for source in module["files"]["sources"]:
            self.objects.append(directory / (pathlib.Path(source).stem + ".o"))
            self.run(compiler, *self.flags, "-c", root / source, "-o", self.objects[-1])
        for name in module["files"]["objects"]:
            if self.machine(root / name) != self.machine(shutil.which(compiler)):
                raise CannotLink("its objects are for another processor")
            self.objects.append(root / name)

    @staticmethod
    def machine(path):
        return pathlib.Path(path).read_bytes()[18:20]

    def run(self, *command):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{generated_c.first_error(done.stderr)}\n{done.stderr[-2000:]}"
        return done.stdout

    def symbols(self, *options):
        """The words of each line of nm."""
        nm = "nm" if self.compiler == "gcc" else "arm-none-eabi-nm"
        return [line.split() for path in self.objects for line in self.run(nm, *options, path).splitlines()]

    def undefined(self):
        """The symbols that the objects need from elsewhere."""
        needed, defined = set(), set()
        for words in self.symbols():
            (needed if words[-2] in "Uw" else defined).add(words[-1])
        return {name for name in needed - defined if not name.startswith("__asan")}

    def exported(self):
        """The symbols of which a program can have one: functions, and variables."""
        functions = {words[-1] for words in self.symbols() if words[-2] == "T"}
        return functions, {words[-1] for words in self.symbols() if words[-2] in "BCDR"}

    def sizes(self):
        """The bytes of each variable that the objects define."""
        return {words[3]: int(words[1], 16) for words in self.symbols("-S")
                if len(words) == 4 and words[2] in "bBdDrR"}

    def result(self, less=None):
        """Exit status and output of the application."""
        application = Application(self.module, self.root, less)
        main = self.directory / "main.c"
        main.write_text(application.text())
        libraries = ["-lm"] if any(one["origin"] == "libm" for one in self.module["external"]) else []
        program = self.directory / "program"
        self.run(self.compiler, *self.flags, main, *self.objects, "-Wl,--no-undefined", *libraries, "-o", program)
        done = subprocess.run([*self.runner, program], capture_output=True, text=True, check=False, timeout=300)
        return application, done


def arenas(module):
    return [one for one in module["memory"]
            if not one["in_archive"] and one["kind"] in ("heap", "workspace-pool", "storage") and bytes_of(one)]


def outputs_of_mlf(archive, module, application, directory):
    """What `mlf run` computes of the same inputs, as hexadecimal lines."""
    arguments = []
    for number, (name, (tensor, content)) in enumerate(application.inputs.items()):
        path = directory / f"{number}.npy"
        path.write_bytes(numpy_files.npy(numpy_files.Array(tensor["dtype"], tensor["shape"], content)))
        arguments += ["--input", f"{name}={path}"]
    archive_of = directory / "outputs.npz"
    support.run_ok("run", "--cc", "gcc", "--cflags=-O0 -w -Dhalf=_Float16", "--module", module["name"], *arguments, "-o", archive_of, archive)
    arrays = numpy_files.read_npz(archive_of)
    return [arrays[tensor["name"]].data.hex() for tensor in module["outputs"]]


def check(case, archive, module, root, directory, filled=None):
    """Builds and runs the application of one module; a sentence about what was shown. `filled` is the
    memory that a run fills to its last byte, all arenas by default."""
    build = Build(module, root, directory, flags=[*HOST, "-fsanitize=address"])
    listed = {one["name"] for one in module["external"]}
    missing = build.undefined() - listed
    # The C does not name what the compiler calls: its own functions have such names.
    case.assertEqual({name for name in missing if not name.startswith(("__", "mem"))}, set())
    application, done = build.result()
    case.assertEqual(done.returncode, 0, done.stderr[:2000])
    shown = "ran"
    if application.outputs:
        case.assertEqual(done.stdout.split(), outputs_of_mlf(archive, module, application, directory))
        shown += ", outputs are those of mlf run"
    failed = []
    for arena in arenas(module) if filled is None else filled:
        _, done = build.result(arena)
        case.assertNotEqual(done.returncode, 0, f"{arena} is not filled")
        failed.append(bytes_of(arena))
    if failed:
        shown += f"; fails with {', '.join(str(size - 1) for size in failed)} bytes"
    return shown


def named(archive):
    return "/".join(archive.parts[-3:-1]) if archive.stem == "module" else archive.stem


class Integration(program_case.Directory):
    def setUp(self):
        if shutil.which("gcc") is None:
            support.skip("there is no gcc")

    def new(self):
        """A directory."""
        return pathlib.Path(tempfile.mkdtemp(dir=self.directory))

    def each(self, found, *arguments):
        for archive in found:
            root = unpacked(archive, self.new())
            for module in lists(archive, *arguments):
                yield archive, root, module, self.new()

    def test_an_application_of_the_list_links_and_runs(self):
        table = []
        for archive, root, module, directory in self.each(support.archives()):
            shown = "failed"
            with self.subTest(archive=str(archive), module=module["name"]):
                try:
                    shown = check(self, archive, module, root, directory)
                except CannotLink as why:
                    shown = f"skipped: {why}"
            table.append((archive, module, shown))
        for archive, module, shown in table:
            print(f"{named(archive)} {module['name']}: {module['interface']}, {shown}")
        self.assertGreater(sum(shown.startswith("ran") for *_, shown in table), len(table) / 2)

    def test_with_a_compiler_the_functions_are_those_that_the_objects_lack(self):
        compilers, compared = {"gcc": HOST, "arm-none-eabi-gcc": ARM}, 0
        for compiler, flags in compilers.items():
            if shutil.which(compiler) is None:
                print(f"skipped: there is no {compiler}")
                continue
            cflags = [*flags, f"-Dhalf={HALF[compiler]}"]
            found = support.archives()
            if not support.EVERY_ARCHIVE:
                found = found[::5] + [one for one in found if "usmp" in named(one)][:2]
            for archive, root, module, directory in self.each(found, "--cc", compiler, f"--cflags={' '.join(cflags)}"):
                with self.subTest(archive=str(archive), compiler=compiler):
                    try:
                        build = Build(module, root, directory, compiler, flags)
                    except CannotLink:
                        continue
                    self.assertEqual(module["external_from"], "objects")
                    self.assertEqual({one["name"] for one in module["external"]}, build.undefined())
                    functions, variables = build.exported()
                    self.assertEqual(set(module["defined"]), functions | variables)
                    (of_c,) = (one for one in lists(archive) if one["name"] == module["name"])
                    self.assertLessEqual(functions, set(of_c["defined"]))
                    self.assertLessEqual(set(of_c["defined"]), functions | variables)
                    origins = {one["name"]: one["origin"] for one in module["external"]}
                    self.assertNotIn("unknown", origins.values(), origins)
                    defined = build.sizes()
                    pools = {one["name"]: one["bytes"] for one in module["memory"]
                             if one["in_archive"] and one["name"] in defined}
                    self.assertEqual(pools, {name: defined[name] for name in pools})
                    compared += len(pools)
        self.assertGreater(compared, 0)

    def test_it_runs_on_a_board(self):
        if not all(map(shutil.which, ("arm-none-eabi-gcc", "qemu-system-arm"))):
            support.skip("there is no arm-none-eabi-gcc or qemu-system-arm")
        kinds = ("qnn_conv-aot-c", "dense-aot-packed-usmp", "split_concat-graph", "aww-aot-packed", "op-multi")
        found = support.every_archive()
        if not support.EVERY_ARCHIVE:
            found = {one.parent.name: one for one in found if named(one).endswith(kinds)}.values()
        flags = [*ARM, "--specs=rdimon.specs", "-T", str(generated_c.RUNTIME / "cortex_m.ld")]
        rows = 0
        for archive, root, module, directory in self.each(found):
            with self.subTest(archive=str(archive), module=module["name"]):
                try:
                    build = Build(module, root, directory, "arm-none-eabi-gcc", flags, plan_programs.QEMU)
                    _, done = build.result()
                except CannotLink as why:
                    print(f"{named(archive)} {module['name']} on a Cortex-M3: skipped: {why}")
                    continue
                self.assertEqual(done.returncode, 0, done.stderr[:500])
                less = [build.result(arena)[1].returncode for arena in arenas(module)]
                self.assertNotIn(0, less)
                print(f"{named(archive)} {module['name']} on a Cortex-M3: ran; {len(less)} arenas of a byte less fail")
                rows += 1
        self.assertGreater(rows, 0)

    def test_objects_take_the_packed_interface(self):
        """The C of an archive as an object file, as an archive of an LLVM target has it."""
        (archive,) = [one for one in support.bundled_archives() if one.stem == "tvm-0.18-qnn_conv-aot-c"]
        found = [one for one in support.every_archive() if named(one).endswith("qnn_conv-aot-packed")]
        if not found:
            self.skipTest(f"the bundled archives have no packed main without pools, {archive.stem} neither")
        root = unpacked(found[0], self.directory / "objects")
        objects = root / "codegen/host/lib"
        objects.mkdir()
        for source in sorted((root / "codegen/host/src").glob("*.c")):
            if "// tvm target: c" in source.read_text():
                subprocess.run(["gcc", *HOST, "-c", source, "-o", objects / "default_lib0.o"], check=True)
        shutil.rmtree(root / "codegen/host/src")
        (module,) = lists(root)
        self.assertEqual((module["interface"], module["external_from"]), ("packed", "objects"))
        shown = check(self, root, module, root, self.new())
        print(f"objects of {named(found[0])}: {shown}")

    def test_workspaces_of_operators_are_the_heap(self):
        """The form in which TVM's C takes and returns tensors from 1,024 bytes on."""
        root = unpacked(support.ARCHIVES / "tvm-0.9-op-add.tar", self.directory / "operator")
        shutil.rmtree(root / "src")
        (source,) = (root / "codegen/host/src").glob("*.c")
        take, give = "", ""
        for name, size in (("T", 8192), ("U", 1208)):
            take += (f"  void* {name} = TVMBackendAllocWorkspace(1, dev_id, (uint64_t){size}, 0, 8);\n"
                     f"  if ({name} == NULL) {{\n    return -1;\n  }}\n"
                     f"  for (int32_t k = 0; k < {size}; ++k) {{\n    ((int8_t*){name})[k] = (int8_t)0;\n  }}\n")
            give = (f"  if (TVMBackendFreeWorkspace(1, dev_id, {name}) != 0) {{\n    return -1;\n  }}\n") + give
        text = source.read_text()
        loop = text.index("  for (int32_t i = 0; ")
        end = text.index("  return 0;\n", loop)
        source.write_text(text[:loop] + take + text[loop:end] + give + text[end:])
        (module,) = lists(root)
        self.assertEqual([bytes_of(one) for one in module["memory"] if one["kind"] == "heap"], [8192 + 1216])
        shown = check(self, root, module, root, self.new())
        print(f"operator with workspaces: {shown}")

    def test_two_pools_of_the_application(self):
        """The form that TVM gives to pools with names: fields of a struct, sizes as macros."""
        members = battery_archives.with_two_pools(battery_archives.archive_of(["unary", "binary", "unary"]).members)
        header, wrapper = members[battery_archives.HEADER], members[battery_archives.WRAPPER]
        pools = re.findall(r"static uint8_t (\w+)\[(\d+)\];", wrapper)
        self.assertEqual(len(pools), 2)
        struct = "struct tvmgen_default_workspace_pools"
        for name, size in pools:
            wrapper = re.sub(rf"(__attribute__[^\n]*\n)?static uint8_t {name}\[\d+\];", "", wrapper)
            wrapper = wrapper.replace(f"&{name}", f"workspace_pools->{name}")
            header += f"#define TVMGEN_DEFAULT_{name.upper()}_WORKSPACE_POOL_SIZE {size}\n"
        wrapper = wrapper.replace("_outputs* outputs)", f"_outputs* outputs, {struct}* workspace_pools)")
        declared = f"{struct} {{\n" + "".join(f"  void* {name};\n" for name, _ in pools) + "};\nint32_t tvmgen_default_run("
        header = header.replace("int32_t tvmgen_default_run(", declared)
        header = re.sub(r"(_outputs\* outputs)\s*\)", rf"\1,\n  {struct}* workspace_pools\n)", header)
        members |= {battery_archives.HEADER: header, battery_archives.WRAPPER: wrapper}
        archive = self.tar(members, "two_pools.tar")
        (module,) = lists(archive)
        given = [(one["name"], bytes_of(one)) for one in module["memory"] if not one["in_archive"]][:2]
        self.assertEqual(given, [(name, int(size)) for name, size in pools])
        root = unpacked(archive, self.directory / "two_pools")
        # These pools are larger than what kernels use.
        shown = check(self, archive, module, root, self.new(), [])
        print(f"two pools: {shown}")

    def test_a_pool_that_the_wrapper_allocates_is_not_asked_for(self):
        members = dict(battery_archives.archive_of(["unary", "binary"]).members)
        wrapper = members[battery_archives.WRAPPER]
        (pool,) = re.findall(r"static uint8_t (\w+)\[\d+\];", wrapper)
        wrapper = wrapper.replace(f"static uint8_t {pool}[", "static uint8_t unused[")
        members[battery_archives.WRAPPER] = wrapper.replace(f"((uint8_t*)&{pool})", "((uint8_t*)malloc(4096))")
        (module,) = lists(self.tar(members, "allocated.tar"))
        self.assertEqual([one["name"] for one in module["memory"] if not one["in_archive"] and one["name"]], [])
        self.assertIn({"name": "malloc", "origin": "c-library", "kind": "function"}, module["external"])

    def test_other_sizes_in_the_header_are_named(self):
        archive = support.BUNDLED_CORPUS / "tvm-0.18/two_out-aot-c-usmp/module.tar"
        support.unpacked(archive, self.directory / "module")
        header = self.directory / "module/codegen/host/include/tvmgen_default.h"
        header.write_text(re.sub(r"(_X_SIZE) \d+", r"\1 68897760", header.read_text()))
        (sentence,) = lists(self.directory / "module")[0]["other_sizes"]
        self.assertRegex(sentence, "'x' has 68897760 bytes in the C header, of which the calls access \\d+")
        for option in ([], ["--integration"]):
            text = support.run_ok("inspect", *option, self.directory / "module").stdout.decode()
            self.assertIn("OTHER SIZES IN THE C HEADER\n" + sentence, text)

    def test_what_nothing_defines_is_listed(self):
        def unknown(members):
            (module,) = lists(self.tar(members))
            return {one["name"] for one in module["external"] if one["origin"] == "unknown"}

        members = support.members_of(QNN)
        self.assertEqual(unknown(members), set())
        header = b"#include <emscripten.h>\nint TVMArrayAlloc(const int64_t *shape, int bits);\nint board(void);\n"
        beside = members | {"codegen/host/include/tvm/runtime/c_runtime_api.h": header}
        self.assertEqual(unknown(beside), set())
        macros = b"#define ALL(FUNC) FUNC(tvmgen_default_run)\n#define DECLARE(name) int32_t name(void *args);\nALL(DECLARE)\n"
        self.assertEqual(unknown(members | {"codegen/host/include/model.h": macros}), set())
        (wrapper,) = [name for name in members if name.endswith("lib0.c")]
        uncertain = members[wrapper].replace(b"int32_t tvmgen_default_run(", b"#ifdef BOARD\nint32_t tvmgen_default_run(")
        self.assertEqual(unknown(members | {wrapper: uncertain + b"\n#endif\n"}), {"tvmgen_default_run"})
        more = members[wrapper] + b"\nextern int8_t board_table[4];\nextern volatile int ticks;\nint8_t board_table[4];\n"
        self.assertEqual(unknown(members | {wrapper: more}), {"ticks"})
        more += b"extern float gains[2], offset;\nextern int own;\nint own;\n"
        self.assertEqual(unknown(members | {wrapper: more}), {"ticks", "gains", "offset"})
        path = self.tar(members | {wrapper: more}, "variables.tar")
        (module,) = lists(path)
        variables = {one["name"] for one in module["external"] if one["kind"] == "variable"}
        self.assertEqual(variables, {"ticks", "gains", "offset"})
        text = support.run_ok("inspect", "--integration", path).stdout.decode()
        self.assertRegex(text, r"VARIABLES OF +NAMES\nunknown +gains, offset, ticks\n")

    def test_a_directory_of_c_alone_has_the_struct_of_its_model_and_least_sizes(self):
        """As TVM wrote C in 2021, before a function `tvmgen_<module>_run` was there."""
        source = self.directory / "c"
        source.mkdir()
        (source / "default_lib1.c").write_bytes(support.members_of(QNN)["codegen/host/src/default_lib1.c"])
        (source / "default_lib0.c").write_text("""
#include "../../src/standalone_crt/include/tvm/runtime/c_runtime_api.h"
static int32_t run(void* args, void* codes, int count, void* out, void* out_code, void* resource) { return 0; }
const tvm_model_t tvmgen_default_network = {
    .run_func = &run, .num_input_tensors = 1, .num_output_tensors = 1,
};
""")
        (module,) = lists(source)
        self.assertEqual(module["interface"], "packed")
        self.assertEqual([(one["prototype"], one["member"]) for one in module["functions"]],
                         [("extern const tvm_model_t tvmgen_default_network",
                           "codegen/host/src/default_lib0.c")])
        self.assertEqual([one["bytes"] for one in module["inputs"]], [{"min": 256, "max": None}])
        self.assertIn({"name": "../../src/standalone_crt/include/tvm/runtime/c_runtime_api.h", "origin": "tvm"},
                      module["headers"])
        header = self.directory / "src/standalone_crt/include/tvm/runtime/c_runtime_api.h"
        (self.directory / "a/b").mkdir(parents=True)
        header.parent.mkdir(parents=True)
        header.write_text("#include <stdint.h>\ntypedef struct { int32_t (*run_func)(void*, void*, int, void*, void*, void*);"
                          " int num_input_tensors, num_output_tensors; } tvm_model_t;\n")
        for arguments in ((), ("--cc", "gcc", f"--cflags=-fpic -I{self.directory}/a/b")):
            (module,) = lists(source, *arguments)
            self.assertEqual(module["external_from"], "objects" if arguments else "c")
            self.assertNotIn("tvmgen_default_network", [one["name"] for one in module["external"] + module["state"]])

    def test_main_is_called_if_the_declared_function_is_nowhere(self):
        members = support.members_of(QNN)
        (wrapper,) = [name for name in members if name.endswith("lib0.c")]
        del members[wrapper]
        path = self.tar(members, "main.tar")
        (module,) = lists(path)
        (function,) = module["functions"]
        self.assertEqual((module["interface"], function["symbol"], function["member"]),
                         ("c", "tvmgen_default___tvm_main__", "codegen/host/src/default_lib1.c"))
        self.assertEqual(module["structs"], [])
        self.assertEqual({one["origin"] for one in module["external"]} - {"tvm", "libm"}, set())
        self.assertIn("codegen/host/include", module["include_directories"])
        root = unpacked(path, self.directory / "main")
        build = Build(module, root, self.directory, flags=HOST)
        self.assertIn(function["symbol"], build.exported()[0])
        (module,) = support.json_of("inspect", "--json", path)["modules"]
        self.assertEqual((module["entry_point"]["function"], module["entry_point"]["member"]),
                         (function["symbol"], function["member"]))
        outputs = [support.run_ok("run", "--random", "1", one).stdout for one in (path, QNN)]
        self.assertEqual(outputs[0], outputs[1])

    def test_operators_without_metadata_are_listed(self):
        (described,) = lists(support.ARCHIVES / "tvm-0.9-op-add.tar")
        root = unpacked(support.ARCHIVES / "tvm-0.9-op-add.tar", self.directory / "c")
        (root / "metadata.json").unlink()
        (module,) = lists(root)
        self.assertEqual(module["interface"], "operators")
        self.assertEqual([(one["symbol"], one["prototype"], one["member"]) for one in module["functions"]],
                         [(one["symbol"], one["prototype"], one["member"]) for one in described["functions"]])

    def test_paths_of_flat_directories_are_those_on_disk(self):
        corpus = support.BUNDLED_CORPUS / "tvm-0.18"
        for number, (archive, directories, flat) in enumerate((
                (QNN, ["."], lambda name: name.split("/")[-1]),
                (QNN, ["include"], lambda name: name.removeprefix("codegen/host/")),
                (corpus / "qnn_conv-graph/module.tar", [], lambda name: name.split("/")[-1].replace("default.graph", "mod.json")))):
            with self.subTest(number):
                root = self.directory / f"flat{number}"
                members = support.members_of(archive)
                for name, text in members.items():
                    if name.startswith("codegen/") or name.endswith(".graph"):
                        (root / flat(name)).parent.mkdir(parents=True, exist_ok=True)
                        (root / flat(name)).write_bytes(text)
                (module,) = lists(root)
                self.assertEqual(module["include_directories"], directories)
                text = support.run_ok("inspect", "--integration", root).stdout.decode()
                self.assertEqual(re.findall(r"(?m)^content of +(.*)$", text), ["mod.json"] * (number == 2))
                print(check(self, root, module, root, self.new()))

    def test_flags_are_those_that_compilers_take(self):
        root = self.edited(support.ARCHIVES / "tvm-0.9-op-add.tar", lambda text: text)
        (root / "metadata.json").unlink()
        (source,) = (root / "codegen/host/src").glob("*.c")
        target = "// tvm target: c -keys=cpu -mabi=ilp32 -march=rv32im -mcpu=generic-rv32"
        source.write_text(re.sub("// tvm target: c.*", target, source.read_text()))
        self.assertEqual(lists(root)[0]["flags"], ["-march=rv32im", "-mabi=ilp32"])
        source.write_text(source.read_text().replace("generic-rv32", "cortex-m7"))
        self.assertEqual(lists(root)[0]["flags"], ["-mcpu=cortex-m7", "-march=rv32im", "-mabi=ilp32"])

    def with_headers(self):
        """C that includes headers of the archive, which include others, in circles."""
        root = unpacked(support.ARCHIVES / "tvm-0.9-op-add.tar", self.new())
        (source,) = (root / "codegen/host/src").glob("*.c")
        source.write_text("#include <board/extra.h>\n#include \"near/own.h\"\n" + source.read_text())
        headers = {"extra/include/board/extra.h": '#include <board/more.h>\n#include "side.h"\n',
                   "extra/include/board/side.h": "#include <ethosu_driver.h>\n#include <board/extra.h>\n",
                   "other/include/board/more.h": "#include <ethosu_driver.h>\n#include <arm_math.h>\n#include <extra.h>\n",
                   "codegen/host/src/near/own.h": '#include "../far.h"\n',
                   "codegen/host/src/far.h": "#include <board.h>\n",
                   "codegen/host/include/my_extra.h": ""}
        for name, text in headers.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(f"#ifndef GUARD_{pathlib.Path(name).stem}\n#define GUARD_{pathlib.Path(name).stem}\n{text}#endif\n")
        return root

    def test_headers_of_headers_are_followed(self):
        (module,) = lists(self.with_headers())
        headers = {one["name"]: one["origin"] for one in module["headers"]}
        self.assertEqual({name: origin for name, origin in headers.items() if origin not in ("tvm", "c-library")},
                         {"ethosu_driver.h": "ethos-u", "arm_math.h": "cmsis", "extra.h": "unknown", "board.h": "unknown"})
        self.assertEqual(len(module["headers"]), len(headers))
        self.assertEqual(module["include_directories"][-2:], ["extra/include", "other/include"])

    def test_a_compiler_finds_headers_where_the_list_says(self):
        root = self.with_headers()
        for name in ("board.h", "ethosu_driver.h", "arm_math.h", "extra.h"):
            (root / "far/include").mkdir(parents=True, exist_ok=True)
            (root / "far/include" / name).write_text("")
        (module,) = lists(root, "--cc", "gcc")
        self.assertEqual(module["external_from"], "objects")
        Build(module, root, self.directory, flags=HOST)

    def edited(self, archive, edit):
        """The directory of an archive whose file of kernels is `edit` of its text."""
        root = unpacked(archive, self.new())
        for source in (root / "codegen/host/src").glob("*.c"):
            text = source.read_text()
            if "// tvm target: c" in text:
                source.write_text(edit(text))
        return root

    @staticmethod
    def in_first_kernel(text, code, before=""):
        return re.sub(r"(TVM_DLL[^;{]*\) \{\n)", lambda head: before + head[1] + code, text, count=1)

    def test_variables_of_the_c_are_state(self):
        def edit(text):
            code = "  static const int32_t table[2] = {1, 2}; static float last; last += (float)table[calls++ & 1];\n"
            return self.in_first_kernel(text, code, "static int calls;\n")

        corpus = support.BUNDLED_CORPUS / "tvm-0.18"
        for archive in (QNN, support.ARCHIVES / "tvm-0.9-op-add.tar",
                        corpus / "qnn_conv-graph/module.tar"):
            with self.subTest(archive.name):
                root = self.edited(archive, edit)
                for arguments, bytes in (((), None), (("--cc", "gcc"), 4)):
                    state = {one["name"]: one["bytes"] for one in lists(root, *arguments)[0]["state"]}
                    others = state.keys() - {"TVMBackendAllocWorkspace", "storages"}
                    self.assertEqual({name: state[name] for name in others}, {"calls": bytes, "last": bytes})

    def test_c_and_objects_tell_whether_there_is_a_heap(self):
        """A kernel may allocate if its C is not there, or names the allocator where its object does not call it."""
        def heaps(code, *arguments):
            root = self.edited(archive, lambda text: self.in_first_kernel(text, code))
            (module,) = lists(root, *arguments)
            state = {one["name"] for one in module["state"]}
            self.assertEqual("heap" in {one["kind"] for one in module["memory"]}, "TVMBackendAllocWorkspace" in state)
            return sum(one["kind"] == "heap" for one in module["memory"])

        archive = support.BUNDLED_CORPUS / "tvm-0.18/qnn_conv-graph/module.tar"
        code = "  static const int32_t table[2] = {1, 2}; static float last; static int calls; last += (float)table[calls++ & 1];\n"
        more = "  TVMBackendFreeWorkspace(1, 0, TVMBackendAllocWorkspace(1, 0, 8, 0, 8));\n"
        self.assertEqual([heaps(code), heaps(code, "--cc", "gcc"), heaps(code + more, "--cc", "gcc")], [0, 0, 1])
        self.assertEqual([heaps(f"  if (0) {{{more}}}\n"), heaps(f"  if (0) {{{more}}}\n", "--cc", "gcc")], [1, 0])
        body = re.compile(r"(TVM_DLL[^;{]*\)) \{\n.*?\n\}\n", re.DOTALL)
        root = self.edited(archive, lambda text: body.sub(r"\1;\n", text, count=1))
        (module,) = lists(root)
        self.assertIn("heap", {one["kind"] for one in module["memory"]})

    def test_runs_share_the_storages_of_the_graph_executor(self):
        (module,) = lists(support.BUNDLED_CORPUS / "tvm-0.18/qnn_conv-graph/module.tar")
        storages = sum(bytes_of(one) for one in module["memory"] if one["kind"] == "storage")
        self.assertIn(("storages", storages), [(one["name"], one["bytes"]) for one in module["state"]])

    def test_outputs_have_the_names_that_tvm_gives_its_own_runtime(self):
        compared = 0
        for archive, root, module, _ in self.each(support.every_archive()):
            for source in module["files"]["sources"]:
                tensors = re.search(r"kTvmgenMetadata_outputs\[\d+\] = \{(.+?)\n\};", (root / source).read_text(), re.DOTALL)
                names = re.findall(r'"(.+)" /\* name', tensors[1]) if tensors else []
                # One output may have a name of the model, which these are not.
                if len(names) < 2:
                    continue
                with self.subTest(archive=str(archive), module=module["name"]):
                    self.assertEqual([one["name"] for one in module["outputs"]], names)
                    compared += 1
        self.assertGreaterEqual(compared, support.HAS_WHOLE_CORPUS)

    def test_loops_are_lines_of_the_c(self):
        """Each loop with one extent is at a line with this `for`, and all `for` of the C are loops."""
        for archive, root, module, _ in self.each(support.archives()):
            with self.subTest(archive=str(archive), module=module["name"]):
                lines = {name: (root / name).read_text().splitlines() for name in module["files"]["sources"]}
                found = set()
                for loop in module["loops"]:
                    self.assertGreaterEqual(support.least(loop["iterations"]), 0)
                    if loop["line"] is None:
                        continue
                    text = lines[loop["member"]][loop["line"] - 1]
                    found.add((loop["member"], loop["line"]))
                    self.assertRegex(text, rf"\b(for|{loop['variable']})\b")
                    if isinstance(loop["extent"], int):
                        self.assertRegex(text, rf"< (\(.*\+ )?{loop['extent']}\)?;")
                for name, text in lines.items():
                    every = {(name, i) for i, line in enumerate(text, 1) if line.lstrip().startswith("for (")}
                    self.assertLessEqual(every, found)

    def test_loops_without_a_known_bound_are_listed(self):
        code = """  int32_t z = 0;
  while (z < 5) { z = z + 1; }
  do z--; while (z > 0);
  for (;;)
    while (z < 3) ++z, --z; again:
  EACH(2) z++;
  if (z > 100) goto again;
  for (;;) if (z) --z; else while (z < 3) ++z;
"""
        root = self.edited(support.ARCHIVES / "tvm-0.9-op-add.tar",
                           lambda text: "#define EACH(n) for (int i = 0; i < n; ++i)\n" + self.in_first_kernel(text, code))
        (module,) = lists(root)
        added = [one for one in module["loops"] if one["extent"] is None and one["line"]]
        found = [(one["variable"], one["line"] - added[0]["line"], one["depth"]) for one in added]
        self.assertEqual(found[:6], [("while", 0, 0), ("do", 1, 0), ("for", 2, 0), ("while", 3, 1), ("EACH", 4, 0), ("goto", 5, 0)])
        self.assertEqual(found[6:8], [("for", 6, 0), ("while", 6, 1)])
        self.assertEqual({one["iterations"] for one in added}, {None})
        text = support.run_ok("inspect", "--integration", "--loops", root).stdout.decode()
        self.assertRegex(text, rf"(?m)^add +lib0.c:{added[0]['line']} +while +0 +\? +\?$")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *[one for one in sys.argv[1:] if one != "--table"]])

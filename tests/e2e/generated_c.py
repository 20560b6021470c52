"""The C of an archive, compiled with gcc and run: the truth about its memory.

TVM's headers are not needed: src/compile/include has declarations of our own. `Program` compiles the
sources of one module, tells what is in which section of the object files, calls the network once
with an allocator that counts, and tells how often each line ran.
"""

import json
import pathlib
import platform
import re
import subprocess

RUNTIME = pathlib.Path(__file__).resolve().parent / "c_runtime"
HEADERS = pathlib.Path(__file__).resolve().parents[2] / "src" / "compile" / "include"
# `half` is no type of C: TVM's target "c" writes it nevertheless.
FLAGS = ["-O0", "-w", "-std=gnu11", "-Dhalf=_Float16", "-DMLF_WITHOUT_LIBRARY", f"-I{HEADERS}"]
if platform.machine() == "x86_64":
    FLAGS.append("-mno-red-zone")  # or frames have up to 128 bytes that -fstack-usage leaves out
CODES = {"int": 0, "uint": 1, "float": 2, "handle": 3, "bfloat": 4, "bool": 1}


class CannotRun(Exception):
    """The archive's C cannot be compiled or called; the message says why."""


def bits_of(dtype):
    return int(re.search(r"\d+", dtype)[0]) if dtype != "bool" else 8


def bytes_of(tensor):
    if tensor["dtype"] is None or tensor["shape"] is None:
        return None
    count = (bits_of(tensor["dtype"]) + 7) // 8
    for extent in tensor["shape"]:
        count *= extent
    return count


def first_error(text):
    return next((line for line in text.splitlines() if "error" in line), text[:200])


class Driver:
    """Text of a C program that calls functions with tensors of zeros."""

    def __init__(self):
        self.globals = []
        self.statements = []
        self.count = 0

    def memory(self, size):
        self.count += 1
        name = f"memory_{self.count}"
        self.globals.append(f"static char {name}[{max(size, 1)}] __attribute__((aligned(64)));")
        return name

    def tensor(self, memory, argument):
        self.count += 1
        name = f"tensor_{self.count}"
        shape = argument["shape"] or []
        dtype = argument["dtype"] or "uint8"
        extents = ", ".join(map(str, shape)) or "1"
        self.globals.append(f"static int64_t shape_{name}[] = {{{extents}}};")
        code = CODES[re.match(r"[a-z]+", dtype)[0]]
        self.globals.append(
            f"static DLTensor {name} = {{{memory}, {{kDLCPU, 0}}, {len(shape)}, "
            f"{{{code}, {bits_of(dtype) if dtype != 'bool' else 1}, 1}}, shape_{name}, 0, 0}};"
        )
        return name

    def packed(self, function, tensors):
        self.globals.append(f"int32_t {function}(TVMValue*, int*, int, TVMValue*, int*, void*);")
        values = ", ".join(f"{{.v_handle = &{tensor}}}" for tensor in tensors)
        types = ", ".join(["kTVMDLTensorHandle"] * len(tensors))
        self.statements.append(
            f"{{ TVMValue args[] = {{{values}}}; int types[] = {{{types}}}; TVMValue result; "
            f"int type; if ({function}(args, types, {len(tensors)}, &result, &type, 0)) return 1; }}"
        )

    def text(self, before=(), behind=("report_allocations();",)):
        """Of a program that calls them, with statements before and behind the calls."""
        return "\n".join(
            ["#include <stdio.h>", '#include "tvm/runtime/c_backend_api.h"', "void report_allocations(void);"]
            + self.globals
            + ["int main(void) {", *before, *self.statements, *behind, "return 0;", "}", ""]
        )


def tensors_of_ports(driver, document):
    """Memory for every input and output, in the order of main's parameters."""
    for port in document["inputs"] + document["outputs"]:
        size = bytes_of(port)
        if size is None:
            value = document["values"][port["value"]] if port["value"] is not None else port
            size = value.get("bytes")
        if size is None:
            raise CannotRun(f"the size of {port['name']} is not known")
        yield driver.memory(size), port


def call_aot(driver, document, headers, pools=()):
    """Calls the entry of the module: by the structs of its header, or with packed arguments. `pools`
    are those that the caller gives it, variables of the program. Gives memory and ports, in the
    order of main's parameters."""
    memory = list(tensors_of_ports(driver, document))
    inputs = len(document["inputs"])
    name = f"tvmgen_{document['module']}_run"
    if not headers:
        driver.packed(name, [driver.tensor(*one) for one in memory])
        return memory
    driver.globals += [f'#include "{header.name}"' for header in headers]
    structs = re.findall(r"struct (\w+) \{", "".join(header.read_text() for header in headers))
    fields = {"_inputs": [one for one, _ in memory[:inputs]]}
    fields["_outputs"] = [one for one, _ in memory[inputs:]]
    if pools:
        fields["_workspace_pools"] = list(pools)
    ends = [next((end for end in fields if struct.endswith(end)), None) for struct in structs]
    if None in ends:
        raise CannotRun("its entry takes pools or devices of the caller")
    for struct, end in zip(structs, ends, strict=True):
        driver.statements.append(f"struct {struct} {struct}_ = {{{', '.join(fields[end])}}};")
    driver.statements.append(f"if ({name}({', '.join(f'&{one}_' for one in structs)})) return 1;")
    return memory


def call_kernels(driver, document):
    """What the graph executor does: calls in their order, storages allocated before. Memory and ports."""
    sizes = {}
    for value in document["values"]:
        sizes[value["storage"]] = max(sizes.get(value["storage"], 0), value["bytes"])
    memory = {storage: driver.memory(size) for storage, size in sizes.items()}
    for call in document["calls"]:
        tensors = [driver.tensor(memory[one["storage"]], one) for one in call["arguments"]]
        driver.packed(document["kernels"][call["kernel"]]["symbol"], tensors)
    ports = document["inputs"] + document["outputs"]
    return [(memory[document["values"][port["value"]]["storage"]], port) for port in ports]


class Program:
    def __init__(self, root, module, directory, flags=()):
        self.root, self.flags = root, flags
        self.sources = sorted((root / "codegen/host/src").glob(f"{module}_lib*.c"))
        self.headers = sorted((root / "codegen/host/include").glob(f"tvmgen_{module}.h"))
        self.directory = directory
        if not self.sources:
            raise CannotRun("there is no C: its code is in objects")
        include = [f"-I{root / 'codegen/host/include'}"]
        self.objects = [self.compile(source, include) for source in self.sources]
        self.include = include

    def compile(self, source, include):
        target = self.directory / (source.stem + ".o")
        command = ["gcc", *FLAGS, *include, *self.flags, "-c", str(source), "-o", str(target)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            raise CannotRun(f"gcc: {first_error(result.stderr)}")
        return target

    def symbols(self):
        """(section, bytes, name) of every object, not function, in the object files."""
        text = subprocess.run(
            ["objdump", "-t", *map(str, self.objects)], capture_output=True, text=True, check=True
        ).stdout
        pattern = r"^[0-9a-f]+ .{5} O (\S+)\s+([0-9a-f]+) (?:\.hidden )?(\S+)$"
        found = re.findall(pattern, text, re.MULTILINE)
        return [(section, int(size, 16), name) for section, size, name in found]

    def alignment(self, struct):
        """The largest alignment that the C asks for a member of the struct of this name; 1 if none."""
        numbers = [1]
        for source in self.sources:
            text = source.read_text(errors="replace")
            for members in re.findall(rf"struct {re.escape(struct)} \{{(.*?)\n\}}", text, re.DOTALL):
                numbers += map(int, re.findall(r"aligned\((\d+)\)", members))
        return max(numbers)

    def stack_usage(self):
        """Bytes of the frame of every function."""
        frames = {}
        for target in self.objects:
            for line in target.with_suffix(".su").read_text().splitlines():
                place, size, _ = line.split("\t")
                frames[place.rsplit(":", 1)[1]] = int(size)
        return frames

    def run(self, document, inputs=None):
        """Calls the network once; what the allocator says, or where inputs are given the outputs, one behind the
        other."""
        driver = Driver()
        if document["provenance"]["kind"] == "graph-json":
            memory = call_kernels(driver, document)
        else:
            memory = call_aot(driver, document, self.headers)
        text = driver.text()
        if inputs is not None:
            reads = [f"fread({name}, 1, {len(one)}, stdin);" for (name, _), one in zip(memory, inputs)]
            writes = [f"fwrite({name}, 1, {bytes_of(port)}, stdout);" for name, port in memory[len(inputs) :]]
            text = driver.text(reads, writes)
        source = self.directory / "driver.c"
        source.write_text(text)
        program = self.directory / "driver"
        command = ["gcc", *FLAGS, *self.flags, *self.include, str(source)]
        command += [str(RUNTIME / "allocator.c"), *map(str, self.objects), "-lm", "-o", str(program)]
        result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.directory)
        if result.returncode:
            raise CannotRun(f"gcc: {first_error(result.stderr)}")
        result = subprocess.run([program], input=b"".join(inputs or ()), capture_output=True, check=False, timeout=600)
        if result.returncode:
            raise CannotRun(f"the network ended with {result.returncode}")
        return result.stdout

    def heap(self, document):
        """The most bytes that TVMBackendAllocWorkspace has given out at one time."""
        most, left = map(int, self.run(document).split())
        assert left == 0, f"{left} bytes were not given back"
        return most

    def executed_lines(self):
        """(function, text of the line, times it ran) after a run that was compiled with --coverage."""
        for source, target in zip(self.sources, self.objects, strict=True):
            text = source.read_text(errors="replace").splitlines()
            command = ["gcov", "--json-format", "--stdout", str(target)]
            found = subprocess.run(command, capture_output=True, check=True, cwd=self.directory)
            for file in json.loads(found.stdout)["files"]:
                if pathlib.Path(file["file"]).name != source.name:
                    continue
                for line in file["lines"]:
                    if "function_name" in line:
                        yield line["function_name"], text[line["line_number"] - 1], line["count"]

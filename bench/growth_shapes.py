"""Shapes of input that a program, or an attacker, makes large: each a generator, and commands over it."""

import json
import math
import pathlib
import struct
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))

import battery_archives  # noqa: E402
import module_copies  # noqa: E402
import support  # noqa: E402
from save_json_module import FIRST, PARAMETER, module_of, node  # noqa: E402

SHAPES = {}


def shape(size, *commands):
    """Registers a generator: `size` is that of the first column; FILE in a command is its file."""

    def register(generate):
        SHAPES[generate.__name__] = (size, commands or (["tir", "FILE"],), generate)
        return generate

    return register


# --- Texts --------------------------------------------------------------------------------------

SCRIPT = "# from tvm.script import tir as T\n\n@T.prim_func\ndef f({}):\n{}"
LEGACY = '@f = primfn({}) -> ()\n  attr = {{"global_symbol": "f"}}\n{{\n{}\n}}\n'
TVMSCRIPT = (["tir", "FILE"], ["tir", "FILE", "--format", "tvmscript"])


def script(parameters, lines):
    return SCRIPT.format(parameters, "".join(f"    {line}\n" for line in lines))


@shape(20_000, *TVMSCRIPT)
def lets_of_tvmscript(n):
    lines = [f"x{i}: T.int32 = x{i - 1} + 1" for i in range(1, n)]
    return script("x0: T.int32", [*lines, f"T.evaluate(x{n - 1})"])


@shape(20_000)
def lets_of_legacy_text(n):
    lines = [f"  let x{i}: int32 = (x{i - 1} + 1)" for i in range(1, n)]
    return LEGACY.format("x0: int32", "\n".join([*lines, f"  @tir.ret(x{n - 1}, dtype=int32)"]))


@shape(25_000, *TVMSCRIPT, ["tir", "FILE", "--format", "c"])
def nested_calls(n):
    return script("x: T.float32", ["T.evaluate(" + "T.exp(" * n + "x" + ")" * n + ")"])


@shape(25_000)
def nested_parentheses_of_legacy_text(n):
    return LEGACY.format("x: int32", "  @tir.ret(" + "(" * n + "x" + " + x)" * n + ", dtype=int32)")


@shape(10_000, *TVMSCRIPT)
def one_wide_call(n):
    arguments = ", ".join(str(i) for i in range(n))
    return script("x: T.int32", [f'T.evaluate(T.call_extern("int32", "g", {arguments}))'])


@shape(10_000, *TVMSCRIPT, ["tir", "FILE", "--format", "c"])
def parameters(n):
    return script(", ".join(f"x{i}: T.int32" for i in range(n)), ["T.evaluate(0)"])


@shape(10_000)
def parameters_of_legacy_text(n):
    return LEGACY.format(", ".join(f"x{i}: int32" for i in range(n)), "  @tir.ret(0, dtype=int32)")


@shape(10_000, *TVMSCRIPT)
def functions(n):
    return "# from tvm.script import tir as T\n" + "".join(
        f"\n@T.prim_func\ndef f{i}(x: T.int32):\n    T.evaluate(x)\n" for i in range(n)
    )


@shape(5_000, *TVMSCRIPT)
def axes_of_one_grid(n):
    names = ", ".join(f"i{k}" for k in range(n))
    return script("x: T.int32", [f"for {names} in T.grid({', '.join('2' for _ in range(n))}):",
                                 "    T.evaluate(i0)"])


@shape(2_000, *TVMSCRIPT)
def allocate_consts(n):
    lines = [f'c{i} = T.allocate_const([{i}, 2], "int32", [2])' for i in range(n)]
    return script("x: T.int32", [*lines, "T.evaluate(x)"])


@shape(5_000, *TVMSCRIPT, ["tir", "FILE", "--format", "c"])
def lets_in_the_value_of_a_let(n):
    value = "".join(f"T.Let(x{i}, where={{x{i}: " for i in range(1, n)) + "x0 + 1" + "})" * (n - 1)
    variables = "".join(f"x{i} = T.int32()\n    " for i in range(1, n))
    return script("x0: T.int32", [variables + f"T.evaluate({value})"])


@shape(5_000, *TVMSCRIPT, ["tir", "FILE", "--format", "c"])
def lets_in_the_body_of_a_let(n):
    value = "".join("T.Let(" for _ in range(1, n)) + "x1" + "".join(
        f", where={{x{i}: x{i + 1 if i + 1 < n else 0} + 1}})" for i in range(1, n))
    variables = "".join(f"x{i} = T.int32()\n    " for i in range(1, n))
    return script("x0: T.int32", [variables + f"T.evaluate({value})"])


@shape(5_000, ["tir", "FILE"], ["tir", "FILE", "--format", "tvmscript"])
def nested_lets_of_legacy_text(n):
    lets = "".join(f"(let x{i}: int32 = (x{i - 1} + 1) in " for i in range(1, n))
    return LEGACY.format("x0: int32", f"  @tir.ret({lets}x{n - 1}{')' * (n - 1)}, dtype=int32)")


@shape(2_000, *TVMSCRIPT)
def constants_of_one_function(n):
    """Each is read through a buffer, which can be declared only behind its constant."""
    lines = [f'c{i}_data = T.allocate_const([{i}, 2], "int32", [2])\n    c{i} = T.Buffer((2,), "int32", data=c{i}_data)'
             for i in range(n)]
    return script("x: T.int32", lines + [f"T.evaluate(c{i}[0])" for i in range(n)])


@shape(20_000)
def lines_of_attributes(n):
    return script("x: T.int32", [*(f'T.func_attr({{"a{i}": 1}})' for i in range(n)), "T.evaluate(x)"])


@shape(20_000, *TVMSCRIPT)
def names_with_one_prefix(n):
    """Loops of one name: each is another variable, and a writer has to number them."""
    return script("x: T.int32", [line for _ in range(n)
                                 for line in ("for i in range(2):", "    T.evaluate(i)")])


@shape(5_000)
def losses_of_unknown_operators(n):
    lines = [f'T.evaluate(T.unknown_{i}(x))' for i in range(n)]
    return script("x: T.int32", lines)


@shape(50_000)
def pragmas_before_one_value(n):
    return LEGACY.format("x: int32", "  // attr [x] " + "pragma_import_" * n + "c = 1\n  0")


@shape(4_000)
def strings_of_legacy_text_on_one_line(n):
    imported = '  attr [x] "pragma_import_c" = "a"b";\n  '
    return LEGACY.format("x: int32", imported + 'attr [x] "k" = "v"; ' * n + "0")


def unclosed(frame, word):
    return lambda n: frame.format(word * n)


FRAMES = {
    "legacy": LEGACY.replace("{}", "x: int32", 1).replace("\n{}\n", "\n  @tir.ret({})\n"),
    "old_tvmscript": "# from tvm.script import tir as T\n@T.prim_func\n"
    "def f(x: T.handle) -> None:\n    T.evaluate({})\n",
}
for frame_name, frame in FRAMES.items():
    for word in ("meta[", "name(", "Target(", "iter_var(", "{", "T.Ptr[", "(", "["):
        SHAPES[f"unclosed {word} in {frame_name}"] = (
            100_000, (["tir", "FILE"],), unclosed(frame, word))  # fmt: skip


# --- Generated C --------------------------------------------------------------------------------

C_HEAD = "// tvm target: c -keys=cpu \n#define TVM_EXPORTS\n"
C_FUNCTION = "TVM_DLL int32_t tvmgen_default_{}({}) {{\n{}  return 0;\n}}\n"


@shape(4_000)
def parameters_of_generated_c(n):
    types = ", ".join(f"float* p{i}" for i in range(n))
    stores = "".join(f"    p{i}[i] = 1.000000e+00f;\n" for i in range(n))
    loop = "  for (int32_t i = 0; i < 8; ++i) {\n" + stores + "  }\n"
    return C_HEAD + C_FUNCTION.format("f", types, loop)


@shape(5_000)
def functions_of_c_outside_of_the_grammar(n):
    return C_HEAD + "".join(C_FUNCTION.format(f"f{i}", "float* p0", "  goto l;\n") for i in range(n))


@shape(1_500, *TVMSCRIPT, ["tir", "FILE", "--format", "c"])
def constants_of_generated_c(n):
    """Arrays that one function reads."""
    arrays = "".join(f"static const float __attribute__((section(\".rodata.tvm\"), aligned(16))) c{i}[2] = "
                     "{\n    0x1p+0, 0x1p+1\n};\n" for i in range(n))
    stores = "".join(f"    p0[{i}] = (p0[i] + c{i}[i]);\n" for i in range(n))
    loop = "  for (int32_t i = 0; i < 2; ++i) {\n" + stores + "  }\n"
    return C_HEAD + arrays + C_FUNCTION.format("f", "float* p0", loop)


# --- save_json ----------------------------------------------------------------------------------


def save_json(nodes):
    return "".join(module_of(map(json.dumps, nodes)))


@shape(12_000, ["tir", "FILE"], ["tir", "FILE", "--format", "tvmscript"],
       ["tir", "FILE", "--format", "c"])
def additions_in_save_json(n):
    return save_json(node("tir.Add", a=str(FIRST + i + 1 if i + 1 < n else PARAMETER), b=str(PARAMETER), dtype="int32")
                     for i in range(n))


@shape(30, ["tir", "FILE"], ["tir", "FILE", "--format", "tvmscript"],
       ["tir", "FILE", "--format", "c"], ["tir", "FILE", "--format", "save_json"])
def additions_that_share_their_operands(n):
    below = [str(FIRST + i + 1 if i + 1 < n else PARAMETER) for i in range(n)]
    return save_json(node("tir.Add", a=one, b=one, dtype="int32") for one in below)


@shape(5_000, ["tir", "FILE"], ["tir", "FILE", "--format", "tvmscript"],
       ["tir", "FILE", "--format", "c"])
def lets_in_save_json(n):
    """Let i is the body of the one before it, or its value."""
    nodes = []
    for i in range(n):
        inner = str(FIRST + 2 * (i + 1) if i + 1 < n else PARAMETER)
        variable = str(FIRST + 2 * i + 1)
        value, body = (inner, variable) if i % 2 else (str(PARAMETER), inner)
        nodes.append(node("tir.Let", body=body, dtype="int32", value=value, var=variable))
        nodes.append(node("tir.Var", dtype="int32", name="11", type_annotation="12"))
    return save_json(nodes)


# --- Archives -----------------------------------------------------------------------------------

ARCHIVE = (["process", "FILE", "-o", "OUT"], ["inspect", "FILE"], ["verify", "FILE"])


def archive(members):
    return support.make_tar(members)


def metadata(names):
    document = json.loads(support.METADATA)
    module = document["modules"].pop("default")
    document["modules"] = {name: {**module, "model_name": name} for name in names}
    return json.dumps(document)


@shape(800, *ARCHIVE, ["report", "FILE"], ["report", "FILE", "--html", "OUT"], ["plan", "FILE"],
       ["table", "FILE", "--rows", "constant"])
def modules(n):
    """Modules with C files, and one TIR of all."""
    names = [f"m{i}" for i in range(n)]
    members = {"metadata.json": metadata(names)}
    text = support.NETWORK[: support.NETWORK.index("    @T.prim_func")]
    for name in names:
        members[f"codegen/host/include/tvmgen_{name}.h"] = "#include <stdint.h>\n"
        members[f"codegen/host/src/{name}_lib1.c"] = "#include <stdint.h>\n"
        part = support.NETWORK[support.NETWORK.index("    @T.prim_func"):]
        part = part.replace("tvmgen_default", f"tvmgen_{name}")
        text += part.replace("__tvm_main__(", f"__tvm_main___{name}(") + "\n"
    return archive({**members, "src/tir-1.txt": text})


def module_of_c(name, main):
    loop = "  for (int32_t i = 0; i < 4; ++i) {\n    p1[i] = (p0[i] + 1.000000e+00f);\n  }\n"
    code = C_HEAD + C_FUNCTION.format(f"{name}_add", "float* p0, float* p1", loop)
    code = code.replace("tvmgen_default_", "tvmgen_")
    if main:
        code += (f"TVM_DLL int32_t tvmgen_{name}___tvm_main__(float* x, float* y) {{\n"
                 f"  if (tvmgen_{name}_add(x, y) != 0 ) return -1;\n  return 0;\n}}\n")
    return code


def archive_of_c(n, main, tir):
    names = [f"m{i}" for i in range(n)]
    members = {"metadata.json": metadata(names)}
    for i, name in enumerate(names):
        members[f"codegen/host/src/{name}_lib0.c"] = module_of_c(name, main)
        if tir:
            members[f"src/tir-{i + 1}.txt"] = support.NETWORK.replace("default", name)
    return archive(members)


READING = (["process", "FILE", "-o", "OUT"], ["inspect", "FILE"], ["verify", "FILE"],
           ["report", "FILE"], ["table", "FILE"], ["diff", "FILE", "FILE"])


@shape(1_000, *READING)
def modules_with_c_but_no_main(n):
    return archive_of_c(n, main=False, tir=False)


@shape(1_000, *READING)
def modules_with_c(n):
    return archive_of_c(n, main=True, tir=False)


@shape(1_000, *READING)
def modules_with_c_and_their_own_tir(n):
    return archive_of_c(n, main=True, tir=True)


@shape(800, *ARCHIVE)
def modules_with_their_own_tir(n):
    names = [f"m{i}" for i in range(n)]
    members = {"metadata.json": metadata(names)}
    for i, name in enumerate(names):
        members[f"src/tir-{i + 1}.txt"] = support.NETWORK.replace("default", name)
    return archive(members)


def members_with_constants():
    """int8 weights that TVM widened, in C and in captured TIR."""
    with tarfile.open(ROOT / "tests/data/archives/tvm-0.18-qnn_conv-aot-c.tar") as tar:
        content = {member.name.removeprefix("./"): tar.extractfile(member).read()
                   for member in tar if member.isfile()}
    names = [name for name in content if name.endswith((".json", ".h", ".c", ".txt"))]
    return {name: content[name].decode() for name in names}


OPTIMIZING = (["optimize", "FILE", "-o", "OUT"],)


@shape(100, *OPTIMIZING)
def modules_with_wide_constants(n):
    return archive(module_copies.copies_of(members_with_constants(), n))


@shape(100, *OPTIMIZING)
def modules_with_wide_constants_in_one_tir(n):
    return archive(module_copies.in_one_tir(module_copies.copies_of(members_with_constants(), n)))


@shape(100, *OPTIMIZING)
def modules_with_pools(n):
    members = battery_archives.archive_of(["both", "update", "reverse"]).members
    return archive(module_copies.copies_of(members, n))


@shape(10_000, *ARCHIVE)
def members(n):
    return archive({"metadata.json": support.METADATA, "src/tir-1.txt": support.NETWORK,
                    **{f"runtime/file-{i}.h": "" for i in range(n)}})


@shape(5_000, *ARCHIVE)
def extended_headers(n):
    return archive({"metadata.json": support.METADATA, "src/tir-1.txt": support.NETWORK,
                    **{f"runtime/{'long/' * 30}{i}.h": "" for i in range(n)}})


@shape(100_000, ["process", "FILE", "-o", "OUT"])
def targets_of_metadata(n):
    document = json.loads(support.METADATA)
    document["modules"]["default"]["target"] = ["c"] * n
    return archive({"metadata.json": json.dumps(document), "src/tir-1.txt": support.NETWORK})


@shape(1_000_000, ["process", "FILE", "-o", "OUT"], ["verify", "FILE"])
def numbers_in_metadata(n):
    document = json.loads(support.METADATA)
    document["extra"] = [0] * n
    return archive({"metadata.json": json.dumps(document), "src/tir-1.txt": support.NETWORK})


@shape(1_000_000, ["verify", "FILE"])
def brackets_in_the_manifest(n):
    return archive({"metadata.json": support.METADATA, "src/tir-1.txt": support.NETWORK,
                    "src/mlf.json": "[" * n})


@shape(2_000, ["process", "FILE", "-o", "OUT"], ["report", "FILE"])
def inputs_of_main(n):
    text = support.NETWORK.replace("__tvm_main__(x: T.handle", "__tvm_main__(x: T.handle, "
                                   + ", ".join(f"y{i}: T.handle" for i in range(n)))
    bound = "".join(f"        y{i}_buffer = T.match_buffer(y{i}, (4,), align=16)\n"
                    for i in range(n))
    at = text.index("        output_buffer")
    return archive({"metadata.json": support.METADATA,
                    "src/tir-1.txt": text[:at] + bound + text[at:]})


@shape(10_000, ["process", "FILE", "-o", "OUT"])
def relay_parameters(n):
    relay = "def @main(" + ", ".join(f"%x{i}" for i in range(n)) + ") {\n  %x0\n}\n"
    return archive({"metadata.json": support.METADATA, "src/tir-1.txt": support.NETWORK,
                    "src/default.relay": relay})


# --- Graphs of the graph executor ----------------------------------------------------------------


def parameters_file(names):
    """A .params file; each parameter is four times int16."""
    first = struct.pack("<QQQ", 0xF7E58D4F05049CB7, 0, len(names))
    listed = b"".join(struct.pack("<Q", len(name)) + name.encode() for name in names)
    array = struct.pack("<QQiiiBBHqq", 0xDD5E40F096B4A13F, 0, 1, 0, 1, 0, 16, 1, 4, 8) + bytes(8)
    return first + listed + struct.pack("<Q", len(names)) + array * len(names)


def graph_of(parameters, calls, kernels=1):
    """Each call multiplies what the one before it made with a parameter, in the next kernel."""
    nodes = [{"op": "null", "name": name, "inputs": []} for name in ["x", *parameters]]
    attrs = {"num_inputs": "2", "num_outputs": "1", "flatten_data": "0"}
    for i in range(calls):
        before = len(nodes) - 1 if i else 0
        inputs = [[before, 0, 0], [1 + i % len(parameters), 0, 0]]
        kernel = {"func_name": f"tvmgen_default_multiply_{i % kernels}", **attrs}
        nodes.append({"op": "tvm_op", "name": f"multiply{i}", "inputs": inputs, "attrs": kernel})
    count = len(nodes)
    lists = {"dltype": ["list_str", ["int16"] * count], "shape": ["list_shape", [[4]] * count],
             "storage_id": ["list_int", list(range(count))]}
    graph = {"nodes": nodes, "arg_nodes": list(range(len(parameters) + 1)), "heads": [[count - 1, 0, 0]],
             "attrs": lists, "node_row_ptr": list(range(count + 1))}
    functions = "".join(
        C_FUNCTION.format(
            f"multiply_{k}", "int16_t* p0, int16_t* p1, int16_t* p2",
            "  for (int32_t i = 0; i < 4; ++i) {\n    p2[i] = (p0[i] * p1[i]);\n  }\n")
        for k in range(kernels))  # fmt: skip
    document = json.loads(support.METADATA)
    document["modules"]["default"]["executors"] = ["graph"]
    return archive({"metadata.json": json.dumps(document), "codegen/host/src/default_lib1.c": C_HEAD + functions,
                    "executor-config/graph/default.graph": json.dumps(graph),
                    "parameters/default.params": parameters_file(parameters)})


GRAPH = (["process", "FILE", "-o", "OUT"], ["report", "FILE"], ["verify", "FILE"], ["inspect", "FILE"],
         ["table", "FILE"], ["graph", "FILE"], ["diff", "FILE", "FILE"])


@shape(5_000, *GRAPH, ["optimize", "FILE", "-o", "OUT"])
def parameters_of_a_graph(n):
    return graph_of([f"p{i}" for i in range(n)], 1)


@shape(2_000, *GRAPH)
def calls_of_a_graph(n):
    return graph_of([f"p{i}" for i in range(n)], n)


OF_KERNELS = (["report", "FILE"], ["report", "FILE", "--html", "OUT"], ["table", "FILE", "--rows", "constant"],
              ["plan", "FILE"], ["diff", "FILE", "FILE"], ["diff", "FILE", "FILE", "--html", "OUT"],
              ["process", "FILE", "-o", "OUT"], ["optimize", "FILE", "-o", "OUT"])


@shape(1_500, *OF_KERNELS)
def kernels_of_a_graph(n):
    return graph_of([f"p{i}" for i in range(n)], n, n)


# --- Calls ---------------------------------------------------------------------------------------


def chain(count, reads=lambda i: [i - 1]):
    """A main of `count` calls in a row; call i reads what the calls in `reads(i)` made."""
    calls = [(f"add{len(reads(i))}", reads(i)) for i in range(count)]
    kernels = []
    for width in sorted({len(reads(i)) for i in range(count)}):
        inputs = "".join(f'p{k}: T.Buffer((4,), "float32"), ' for k in range(width))
        kernels.append(support.KERNEL.replace('p0: T.Buffer((4,), "float32"), ', inputs).replace(
            "default_add", f"default_add{width}"))
    text = support.network(calls, "\n".join(kernels))
    return archive({"metadata.json": support.METADATA, "src/tir-1.txt": text})


def all_to_all(edges):
    """About `edges` edges: each call reads what all calls before it made."""
    return chain(math.isqrt(2 * edges), lambda i: list(range(i)) or [-1])


@shape(2_000, ["process", "FILE", "-o", "OUT"], ["report", "FILE"], ["plan", "FILE"])
def calls_of_main(n):
    return chain(n)


@shape(2_000, *OF_KERNELS)
def kernels_of_main(n):
    kernels = (support.KERNEL.replace("default_add", f"default_add_{i}") for i in range(n))
    text = support.network([(f"add_{i}", [i - 1]) for i in range(n)], "\n".join(kernels))
    return archive({"metadata.json": support.METADATA, "src/tir-1.txt": text})


@shape(2_000, ["report", "FILE"], ["report", "FILE", "--html", "OUT"], ["diff", "FILE", "FILE"])
def layers_of_relay(n):
    """Convolutions in a row, each of which names its layer."""
    kernel = support.KERNEL.replace("default_add", "default_fused_nn_conv2d")
    text = support.network([("fused_nn_conv2d", [i - 1]) for i in range(n)], kernel)
    relay = "def @main(%x: Tensor[(4), float32]) {\n" + "".join(
        f"  %{i} = nn.conv2d({f'%{i - 1}' if i else '%x'}, meta[relay.Constant][0]) /* span=layer_{i}:0:0 */;\n"
        for i in range(n)) + f"  %{n - 1}\n}}\n"  # fmt: skip
    return archive({"metadata.json": support.METADATA, "src/tir-1.txt": text, "src/default.relay": relay})


@shape(2_000, ["report", "FILE"], ["plan", "FILE"], ["optimize", "FILE", "-o", "OUT"])
def lets_in_a_kernel(n):
    lets = "".join(f"T.Let(x{i}, where={{x{i}: " for i in range(n)) + "p0[i] + T.float32(1)" + "})" * n
    variables = "".join(f"            x{i} = T.float32()\n" for i in range(n))
    text = support.NETWORK.replace("            T_add[i] = p0[i] + T.float32(1)", f"{variables}            T_add[i] = {lets}")
    return archive({"metadata.json": support.METADATA, "src/tir-1.txt": text})


@shape(500, ["graph", "FILE", "--format", "svg"])
def pictures_of_calls(n):
    return chain(n)


@shape(50, ["graph", "FILE", "--format", "svg"])
def pictures_of_all_to_all_edges(n):
    return all_to_all(n)


@shape(1_600, ["process", "FILE", "-o", "OUT"], ["report", "FILE", "--html", "OUT"])
def all_to_all_edges(n):
    return all_to_all(n)

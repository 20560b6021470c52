"""Computes what a tir-N.json says: proof that the document holds all there is to a network.

The document, with the .npy files that it names, becomes a program in C by the rules of schemas/tir.md. gcc compiles
it with AddressSanitizer, which ends it where it leaves a buffer, and it is run with the inputs of main. What a
network of one target does not have (vectors, threads, blocks) is Unsupported.
"""

import base64
import os
import re
import subprocess

import numpy as np

C_TYPES = {"bool": "_Bool", "float16": "_Float16", "float32": "float", "float64": "double", "handle": "char*"}
C_TYPES |= {f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}
OPERATORS = {"Add": "+", "Sub": "-", "Mul": "*", "EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">=",
             "And": "&&", "Or": "||"}  # fmt: skip
OPERATORS_THAT_ARE_CALLED = {"shift_left": "<<", "shift_right": ">>", "bitwise_and": "&", "bitwise_or": "|",
                             "bitwise_xor": "^"}  # fmt: skip
MATH = set("""exp exp2 log log2 log10 log1p pow sqrt erf tanh tan sin cos sinh cosh asin acos atan asinh acosh atanh
              atan2 hypot floor ceil trunc fabs round nearbyint fmod copysign""".split())
# Attributes that say nothing about what is computed.
HINTS = {"extern_scope", "device_type", "device_id", "storage_alignment", "realize_scope", "compute_scope",
         "device_scope"}  # fmt: skip
FLAGS = ["-std=gnu11", "-O0", "-w", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing", "-fsanitize=address"]
HEAD = """#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char* allocate(int64_t bytes) { return memset(malloc(bytes), 0xA5, bytes); }
static void release(char** memory) { free(*memory); }
static FILE* given;
static char* read_bytes(int64_t bytes) {
  char* memory = malloc(bytes);
  if (fread(memory, 1, bytes, given) != bytes) exit(2);
  return memory;
}
static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }
static int64_t floor_remainder(int64_t a, int64_t b) { return a - floor_divide(a, b) * b; }
/* x * multiplier * 2^(left - right - bits), rounded half up. */
static int32_t multiply_shift(int64_t x, int64_t multiplier, int left, int right, int bits) {
  return (int32_t)((((x << left) * multiplier) + (INT64_C(1) << (right + bits - 1))) >> (right + bits));
}
"""


class Unsupported(Exception):
    """The document is fine, but there is no rule for something in it."""


class Missing(Exception):
    """The source of the document had lost the bytes of a constant."""


class Failed(Exception):
    """The program does not compile or ends with an error."""


def c_type(dtype):
    if dtype not in C_TYPES:
        raise Unsupported(f"values of dtype {dtype}")
    return C_TYPES[dtype]


def number_of(expr):
    """The value of an IntImm, which is a string where 32 bits may not do; None for all others."""
    return int(expr["value"]) if expr and expr["node"] == "IntImm" else None


def literal(expr):
    value, ctype = expr["value"], c_type(expr["dtype"])
    if expr["node"] == "FloatImm":
        number = float(value)
        if np.isnan(number):
            return f"(({ctype})NAN)"
        return f"(({ctype}){number.hex() if np.isfinite(number) else f'{number}inity'.upper()})"
    return f"(({ctype}){int(value) & (2**64 - 1):#x}ull)"


class Function:
    """The text of one PrimFunc; `program` has the tables of the document."""

    def __init__(self, program, function):
        self.program, self.function = program, function

    def text(self):
        head = f"static int32_t {self.program.names[self.function['name']]}({self.parameters()}) {{\n"
        mapped = "".join(f"char* v{self.program.buffers[one['buffer']]['data']} = v{one['param']};\n"
                         for one in self.function["buffer_map"])
        return head + mapped + self.statements(self.function["body"]) + "return 0;\n}\n"

    def parameters(self):
        return ", ".join(self.declared(var) for var in self.function["params"]) or "void"

    def declared(self, var):
        return f"{c_type(self.program.vars[var]['dtype'])} v{var}"

    # --- Statements ---------------------------------------------------------------------------------

    def statements(self, entries):
        """Names are unique, so that scopes matter to those who want a tree only."""
        return "".join(self.statement(entry) for entry in entries or [])

    def statement(self, entry):
        kind = entry["node"]
        if kind in ("DeclBuffer", "SeqStmt"):
            return ""
        if kind == "LetStmt":
            return f"{self.declared(entry['var'])} = {self.code(entry['value'])};\n"
        if kind == "AttrStmt":
            if entry["attr_key"] not in HINTS and not entry["attr_key"].startswith("pragma_"):
                raise Unsupported(f"attribute {entry['attr_key']}")
            return ""
        if kind == "AssertStmt":
            return f"if (!{self.code(entry['condition'])}) abort();\n"
        if kind == "Allocate":
            count = " * ".join(["(int64_t)1", *map(self.code, entry["extents"])])
            return (f"__attribute__((cleanup(release))) char* v{entry['buffer_var']} = "
                    f"allocate({count} * sizeof({c_type(entry['dtype'])}));\n")
        if kind == "AllocateConst":
            return f"char* v{entry['buffer_var']} = {self.program.constant(entry['data'])};\n"
        if kind == "BufferStore":
            return f"{self.element(entry)} = {self.code(entry['value'])};\n"
        if kind == "IfThenElse":
            return (f"if ({self.code(entry['condition'])}) {{\n{self.statements(entry['then_case'])}}} "
                    f"else {{\n{self.statements(entry['else_case'])}}}\n")
        if kind == "While":
            return f"while ({self.code(entry['condition'])}) {{\n{self.statements(entry['body'])}}}\n"
        if kind == "For" and entry["kind"] != "thread_binding":
            var, least = f"v{entry['loop_var']}", self.code(entry["min"])
            loop = f"for ({self.declared(entry['loop_var'])} = {least}, end = {var} + {self.code(entry['extent'])}; "
            return f"{loop}{var} < end; ++{var}) {{\n{self.statements(entry['body'])}}}\n"
        if kind == "Evaluate":
            return self.evaluated(entry["value"])
        raise Unsupported(f"statements of kind {kind}")

    def evaluated(self, expr):
        """A call that may end the function, or an expression whose value nothing uses."""
        operator = expr.get("op")
        if operator == "tir.ret":
            return f"return {self.code(expr['args'][0])};\n"
        if operator == "tir.tvm_check_return":
            expected, result, value = map(self.code, expr["args"])
            return f"if ({value} != {expected}) return {result};\n"
        if operator in ("tir.tvm_call_packed", "tir.tvm_call_cpacked"):
            return f"if ({self.called(expr['args'])} != 0) return -1;\n"
        return f"{self.code(expr)};\n"

    # --- Expressions --------------------------------------------------------------------------------

    def element(self, access):
        """What a load reads or a store writes."""
        if access.get("predicate"):
            raise Unsupported("accesses with a predicate")
        buffer = self.program.buffers[access["buffer"]]
        strides = [self.code(one) for one in buffer["strides"]] or [
            " * ".join(["(int64_t)1", *map(self.code, buffer["shape"][place + 1 :])])
            for place in range(len(access["indices"]))
        ]
        terms = [f"{self.code(index)} * {stride}" for index, stride in zip(access["indices"], strides, strict=True)]
        offset = number_of(buffer["elem_offset"]) or 0
        return f"(({c_type(buffer['dtype'])}*)v{buffer['data']})[{' + '.join([str(offset), *terms])}]"

    def code(self, expr):
        kind, dtype = expr["node"], expr["dtype"]
        if kind == "Var":
            return f"v{expr['var']}"
        if kind in ("IntImm", "FloatImm"):
            return literal(expr)
        if kind == "ExprRef":
            return self.code(self.function["exprs"][expr["expr"]])
        if kind == "BufferLoad":
            return self.element(expr)
        if kind == "Let":
            return f"({{ {self.declared(expr['var'])} = {self.code(expr['value'])}; {self.code(expr['body'])}; }})"
        if kind == "Select":
            return self.chosen(*(expr[key] for key in ("condition", "true_value", "false_value")))
        if kind == "Call":
            return self.call(expr)
        if kind == "Cast":
            return f"(({c_type(dtype)}){self.code(expr['value'])})"
        if kind == "Not":
            return f"(!{self.code(expr['a'])})"
        if "a" not in expr or "b" not in expr:
            raise Unsupported(f"expressions of kind {kind}")
        a, b = self.code(expr["a"]), self.code(expr["b"])
        if kind in OPERATORS:
            return f"(({c_type(dtype)})({a} {OPERATORS[kind]} {b}))"
        if kind in ("Min", "Max"):
            return f"({a} {'<' if kind == 'Min' else '>'} {b} ? {a} : {b})"
        is_float, is_unsigned = dtype.startswith("float"), dtype.startswith("uint")
        if kind == "Div" or kind == "FloorDiv" and is_unsigned:
            return f"(({c_type(dtype)})({a} / {b}))"
        if kind == "Mod" or kind == "FloorMod" and is_unsigned:
            return f"fmod({a}, {b})" if is_float else f"(({c_type(dtype)})({a} % {b}))"
        if kind in ("FloorDiv", "FloorMod") and not is_float:
            return f"(({c_type(dtype)})floor_{'divide' if kind == 'FloorDiv' else 'remainder'}({a}, {b}))"
        raise Unsupported(f"expressions of kind {kind} and dtype {dtype}")

    def chosen(self, condition, if_true, if_false):
        """Lazy, as generated C is: Select, too, is printed with `?:`."""
        return f"({self.code(condition)} ? {self.code(if_true)} : {self.code(if_false)})"

    def call(self, expr):
        operator, arguments, ctype = expr["op"], expr["args"], c_type(expr["dtype"]) if expr["dtype"] != "void" else ""
        if isinstance(operator, dict):
            return self.call_of(operator["global_var"], arguments)
        name = operator.removeprefix("tir.")
        if name in ("call_extern", "call_pure_extern"):
            return self.called(arguments)
        if name == "if_then_else":
            return self.chosen(*arguments)
        if name == "address_of":
            return f"((char*)&{self.element(arguments[0])})"
        if name == "large_uint_imm":
            low, high = map(number_of, arguments)
            return f"(({ctype}){low + (high << 32):#x}ull)"
        if name == "tvm_stack_make_shape":
            return "0"
        codes = [self.code(one) for one in arguments]
        if name == "tvm_stack_make_array":
            data, *_, element, offset = codes
            return f"({data} + {offset} * sizeof({element}))"
        if name == "reinterpret":
            if expr["dtype"] == "handle" and number_of(arguments[0]) != 0:
                raise Unsupported("pointers made of numbers")
            return f"({{ __typeof__({codes[0]}) from = {codes[0]}; {ctype} to; memcpy(&to, &from, sizeof to); to; }})"
        if name in OPERATORS_THAT_ARE_CALLED:
            return f"(({ctype})({codes[0]} {OPERATORS_THAT_ARE_CALLED[name]} {codes[1]}))"
        if name == "bitwise_not":
            return f"(({ctype})~{codes[0]})"
        if name == "q_multiply_shift":
            x, multiplier, bits, shift = codes
            return f"multiply_shift({x}, {multiplier}, {shift} > 0 ? {shift} : 0, {shift} < 0 ? -{shift} : 0, {bits})"
        if name == "q_multiply_shift_per_axis":
            x, multiplier, left, right, bits, has_left, has_right = codes
            return f"multiply_shift({x}, {multiplier}, {has_left} ? {left} : 0, {has_right} ? {right} : 0, {bits})"
        suffix = "f" if expr["dtype"] in ("float32", "float16") else ""
        if name in MATH:
            return f"(({ctype}){name}{suffix}({', '.join(codes)}))"
        if name in ("sigmoid", "rsqrt"):
            form = "1 / (1 + exp{}(0 - {}))" if name == "sigmoid" else "1 / sqrt{}({})"
            return f"(({ctype})({form.format(suffix, codes[0])}))"
        if name in ("likely", "tvm_thread_invariant"):
            return codes[0]
        if name in ("isnan", "isnullptr"):
            return f"({codes[0]} != {codes[0]})" if name == "isnan" else f"({codes[0]} == 0)"
        raise Unsupported(f"operator {operator}")

    def called(self, arguments):
        """A function of math.h or of the document, by its symbol."""
        symbol, *arguments = arguments
        if symbol["value"].removesuffix("f") in MATH or symbol["value"] in MATH:
            return f"{symbol['value']}({', '.join(map(self.code, arguments))})"
        if symbol["value"] not in self.program.symbols:
            raise Unsupported(f"calls of {symbol['value']}, which is not in the document")
        return self.call_of(self.program.symbols[symbol["value"]], arguments)

    def call_of(self, name, arguments):
        """The context of a device and pools come last, which the callee may not want."""
        wanted = len(self.program.functions[name]["params"])
        return f"{self.program.names[name]}({', '.join(map(self.code, arguments[:wanted]))})"


class Program:
    """A tir-N.json, compiled in a directory; `files` is where the .npy files of its constants are."""

    def __init__(self, content, directory, files=None):
        assert (content["format"], content["version"]) == ("mlf-tir", 1)
        self.content, self.directory, self.files = content, directory, files
        self.objects = {entry["id"]: entry for entry in content["objects"]}
        functions = [one for one in content["functions"] if "function" not in one]
        scopes = [content, *(one for one in content["objects"] if one["node"] == "PrimFunc"), *functions]
        self.vars = {entry["id"]: entry for scope in scopes for entry in scope["vars"]}
        self.buffers = {entry["id"]: entry for scope in scopes for entry in scope["buffers"]}
        self.functions = {one["name"]: one for one in functions}
        self.names = {name: f"function_{place}" for place, name in enumerate(self.functions)}
        self.symbols = {one["global_symbol"] or one["name"]: one["name"] for one in functions}
        self.blocks = []  # bytes that the program reads when it starts: constants, then pools
        (self.main,) = (one for one in functions if one["role"] == "main")
        self.pools = self.pools_of_main()
        self.compile()

    def bytes_of(self, number):
        """The elements of a constant, little-endian."""
        entry = next((one for one in self.content["constants"] if one["id"] == number), {"data": None})
        if "file" in entry:
            array = np.load(self.files / entry["file"])
            return array.astype(array.dtype.newbyteorder("<")).tobytes()
        if entry["data"] is None:
            raise Missing(f"constant {number}")
        return base64.b64decode(entry["data"], validate=True)

    def block(self, content):
        self.blocks.append(content)
        return f"blocks[{len(self.blocks) - 1}]"

    def constant(self, number):
        return self.block(self.bytes_of(number))

    def list_of(self, value):
        """An Array, which is in `objects` if it is used more than once, or nothing."""
        value = self.objects[value["object"]]["elements"] if isinstance(value, dict) else value
        return [self.objects[one["object"]] for one in value or []]

    def pools_of_main(self):
        """By the place of the parameter, the bytes of memory that main does not allocate but is given."""
        infos = self.list_of((self.main["attrs"] or {}).get("pool_args"))
        found, first = {}, len(self.main["params"]) - len(infos)
        for number, info in enumerate(infos):
            if info["node"] == "MissingObject":
                raise Missing("what a pool is like")
            pool = bytearray(b"\xa5" * number_of(info["allocated_size"]))
            for constant in self.list_of(self.objects[info["pool_info"]["object"]].get("constant_info_array")):
                content = self.bytes_of(constant["data"])
                begin = number_of(constant["byte_offset"])
                pool[begin : begin + len(content)] = content
            place = info.get("pool_var_idx")
            found[first + number if place is None else number_of(place)] = self.block(bytes(pool))
        return found

    def compile(self):
        functions = [Function(self, one) for one in self.functions.values()]
        prototypes = [f"static int32_t {self.names[one.function['name']]}({one.parameters()});\n" for one in functions]
        texts = [one.text() for one in functions]
        places = range(len(self.main["params"]))
        tensors = (f"tensors[{number}]" for number in places)
        arguments = [self.pools.get(place) or next(tensors) for place in places]
        count = len(places) - len(self.pools)
        sizes = ", ".join(str(len(one)) for one in self.blocks) or "0"
        (self.directory / "program.c").write_text(f"""{HEAD}
static char* blocks[{len(self.blocks) + 1}];
static char* tensors[{count + 1}];
{''.join(prototypes + texts)}
int main(int argc, char** argv) {{
  static const int64_t sizes[] = {{{sizes}}};
  given = fopen(argv[1], "rb");
  for (int i = 0; i < {len(self.blocks)}; ++i) blocks[i] = read_bytes(sizes[i]);
  given = stdin;
  for (int i = 0; i < {count}; ++i) tensors[i] = read_bytes(atoll(argv[i + 2]));
  if ({self.names[self.main['name']]}({', '.join(arguments)}) != 0) return 3;
  for (int i = 0; i < {count}; ++i) fwrite(tensors[i], 1, atoll(argv[i + 2]), stdout);
  return 0;
}}
""")
        (self.directory / "blocks").write_bytes(b"".join(self.blocks))
        command = ["gcc", *FLAGS, "program.c", "-lm", "-o", "program"]
        done = subprocess.run(command, cwd=self.directory, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(done.stderr[:2000])

    def run_main(self, tensors):
        """Runs main with its inputs and outputs, in the order of its parameters, in place."""
        command = ["./program", "blocks", *(str(one.nbytes) for one in tensors)]
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
        done = subprocess.run(command, cwd=self.directory, input=b"".join(one.tobytes() for one in tensors),
                              capture_output=True, check=False, timeout=600, env=environment)  # fmt: skip
        if done.returncode:
            error = re.search(r"ERROR: .*", done.stderr.decode(errors="replace"))
            raise Failed(error[0] if error else f"exit {done.returncode}")
        place = 0
        for one in tensors:
            one[...] = np.frombuffer(done.stdout, one.dtype, one.size, place).reshape(one.shape)
            place += one.nbytes

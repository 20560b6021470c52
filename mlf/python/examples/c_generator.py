"""A code generator: writes the TIR of an archive as plain C: c_generator.py ARCHIVE > net.c

Every pointer is a `void*`, every workspace a static array. It reports nodes that it does not know.
"""

import re
import sys

import mlf
from mlf import tir

PROLOGUE = """\
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
/* TIR rounds these towards minus infinity, C towards zero. */
static inline int64_t floordiv(int64_t a, int64_t b) { return a / b - (a % b && (a < 0) != (b < 0)); }
static inline int64_t floormod(int64_t a, int64_t b) { return a - floordiv(a, b) * b; }
/* tir.q_multiply_shift: x * y * 2^(s - q), rounded half up. */
static inline int32_t q_multiply_shift(int32_t x, int32_t y, int q, int s) {
  int shift = q - (s < 0 ? s : 0);
  return (int32_t)(((s > 0 ? (int64_t)x << s : x) * y + ((int64_t)1 << (shift - 1))) >> shift);
}
"""
OPERATORS = {
    "Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%", "EQ": "==", "NE": "!=", "LT": "<",
    "LE": "<=", "GT": ">", "GE": ">=", "And": "&&", "Or": "||", "shift_left": "<<",
    "shift_right": ">>", "bitwise_and": "&", "bitwise_or": "|",
}  # fmt: skip
MATH = ("q_multiply_shift", "exp", "log", "sqrt", "tanh", "floor", "ceil", "round", "fabs", "pow", "erf")
TYPES = {"bool": "bool", "float32": "float", "float64": "double", "handle": "void*"}


def c_type(dtype: str) -> str:
    if not re.fullmatch(r"bool|handle|float32|float64|u?int(8|16|32|64)", dtype):
        raise NotImplementedError(f"values of {dtype}")
    return TYPES.get(dtype, dtype + "_t")


class CGenerator:
    def __init__(self) -> None:
        self.prototypes: list[str] = []
        self.lines: list[str] = []
        self.names: dict[tir.Var, str] = {}

    def name(self, var: tir.Expr) -> str:
        assert isinstance(var, tir.Var)
        return self.names.setdefault(var, re.sub(r"\W", "_", var.name) + f"_{len(self.names)}")

    def access(self, buffer: tir.Buffer, indices: tuple[tir.Expr, ...]) -> str:
        index = "0"
        for extent, position in zip(buffer.shape, indices):
            index = f"({index}) * {self.expr(extent)} + {self.expr(position)}"
        return f"(({c_type(buffer.dtype)}*){self.name(buffer.data)})[{index}]"

    def expr(self, e: tir.Expr) -> str:
        kind = type(e).__name__
        match e:
            case tir.Var():
                return self.name(e)
            case tir.IntImm(dtype=dtype, value=value):
                return f"(({c_type(dtype)}){value}{'LL' if dtype == 'int64' else ''})"
            case tir.FloatImm(dtype=dtype, value=value):
                # Six digits, like TVM's target c, so the results are equal.
                return f"(({c_type(dtype)}){value:.6e}{'f' if dtype == 'float32' else ''})"
            case tir.Cast(dtype=dtype, value=operand):
                return f"(({c_type(dtype)}){self.expr(operand)})"
            case tir.BufferLoad(buffer=buffer, indices=indices):
                return self.access(buffer, indices)
            case tir.Min(a=a, b=b) | tir.Max(a=a, b=b):
                left, right = self.expr(a), self.expr(b)
                return f"({left} {'<' if kind == 'Min' else '>'} {right} ? {left} : {right})"
            case tir.FloorDiv(a=a, b=b) | tir.FloorMod(a=a, b=b):
                return f"(({c_type(e.dtype)}){kind.lower()}({self.expr(a)}, {self.expr(b)}))"
            case tir.Call(op=tir.Op(name=name), args=args):
                return self.call(name, args, e.dtype)
        if kind in OPERATORS:
            left, right = (self.expr(part) for part in e.children() if isinstance(part, tir.Expr))
            return f"({left} {OPERATORS[kind]} {right})"
        raise NotImplementedError(kind)

    def call(self, name: str, args: tuple[tir.Expr, ...], dtype: str) -> str:
        short = name.removeprefix("tir.")
        given = [arg.value if isinstance(arg, tir.StringImm) else self.expr(arg) for arg in args]
        if short == "call_extern":
            return f"{given[0]}({', '.join(given[1:])})"
        if short == "tvm_check_return":
            return f"({{ if ({given[2]} != {given[0]}) return {given[1]}; 0; }})"
        if short == "if_then_else":
            return f"({given[0]} ? {given[1]} : {given[2]})"
        if short in OPERATORS:
            return f"({given[0]} {OPERATORS[short]} {given[1]})"
        if short in MATH:
            return f"{short}{'f' if dtype == 'float32' else ''}({', '.join(given)})"
        raise NotImplementedError(name)

    def stmt(self, s: tir.Stmt) -> None:
        match s:
            case tir.SeqStmt(seq=parts):
                for part in parts:
                    self.stmt(part)
            case tir.BufferStore(buffer, value, indices):
                self.lines.append(f"{self.access(buffer, indices)} = {self.expr(value)};")
            case tir.Evaluate(value=value):
                self.lines.append(f"{self.expr(value)};")
            case tir.LetStmt(var=var, value=value, body=body):
                self.block(f"{c_type(var.dtype)} {self.name(var)} = {self.expr(value)};", body)
            case tir.For(loop_var=var, min=low, extent=extent, body=body):
                i, first, count = self.name(var), self.expr(low), self.expr(extent)
                steps = f"{c_type(var.dtype)} {i} = {first}; {i} < {first} + {count}; ++{i}"
                self.block("", body, f"for ({steps}) ")
            case tir.IfThenElse(condition=condition, then_case=yes, else_case=no):
                self.block("", yes, f"if ({self.expr(condition)}) ")
                self.block("", no or tir.SeqStmt([]), "else ")
            case tir.Allocate(buffer_var=var, dtype=dtype, extents=extents, body=body):
                size = " * ".join([f"sizeof({c_type(dtype)})", *map(self.expr, extents)])
                self.block(f"static _Alignas(64) char {self.name(var)}[{size}];", body)
            case tir.AllocateConst(buffer_var=var, data=tir.NDArray() as data, body=body):
                array = ", ".join(map(str, data.numpy().tobytes()))
                self.block(f"static _Alignas(64) uint8_t {self.name(var)}[] = {{{array}}};", body)
            case tir.AttrStmt(body=body) | tir.DeclBuffer(body=body):
                self.stmt(body)
            case _:
                raise NotImplementedError(type(s).__name__)

    def block(self, first: str, body: tir.Stmt, head: str = "") -> None:
        self.lines.append(f"{head}{{ {first}")
        self.stmt(body)
        self.lines.append("}")

    def function(self, function: tir.PrimFunc) -> None:
        params = ", ".join(f"void* {self.name(param)}" for param in function.params)
        head = f"int32_t {function.attributes['global_symbol']}({params})"
        self.prototypes.append(head + ";")
        self.lines.append(head + " {")
        for param, buffer in function.buffer_map.items():
            self.lines.append(f"void* {self.name(buffer.data)} = {self.name(param)};")
        self.stmt(function.body)
        self.lines += ["return 0;", "}"]


def generate(document: tir.Document) -> str:
    generator = CGenerator()
    for function in document.functions.values():
        generator.function(function)
    return PROLOGUE + "\n".join(generator.prototypes + generator.lines) + "\n"


if __name__ == "__main__":
    print(generate(mlf.open(sys.argv[1]).tir["tir-1"]))

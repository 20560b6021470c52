"""The rules of tests/e2e/interpreter on small documents, all iterations at once and one by one.

Usage: PYTHON_WITH_NUMPY interpreter_rules.py
"""

import contextlib
import hashlib
import pathlib
import tempfile
import unittest
from unittest import mock

import support

try:
    import numpy as np
except ImportError:
    support.skip("this Python has no NumPy; tests/run --all makes one that has")

from interpreter import Document, Missing, Program, lanes
from interpreter.memory import Pointer, pointer_to

HANDLE = {"node": "PrimType", "dtype": "handle"}
ROW = {"node": "Var", "dtype": "int32", "var": 100}
COLUMN = {"node": "Var", "dtype": "int32", "var": 101}


def integer(value, dtype="int32"):
    return {"node": "IntImm", "dtype": dtype, "value": value}


def real(value, dtype="float32"):
    return {"node": "FloatImm", "dtype": dtype, "value": value}


def binary(kind, a, b):
    dtype = "bool" if kind in ("LT", "LE", "EQ", "And", "Or") else a["dtype"]
    return {"node": kind, "dtype": dtype, "a": a, "b": b}


def call(operator, dtype, *arguments):
    return {"node": "Call", "dtype": dtype, "op": "tir." + operator, "args": list(arguments)}


def load(buffer, index, dtype="int32"):
    return {"node": "BufferLoad", "dtype": dtype, "buffer": buffer, "indices": [index]}


def store(buffer, index, value):
    return {"node": "BufferStore", "buffer": buffer, "value": value, "indices": [index]}


def matrix(number, rows, columns):
    return {**buffer(number, rows), "shape": [integer(rows), integer(columns)]}


def loop(var, extent, *body):
    return {"node": "For", "loop_var": var["var"], "min": integer(0), "extent": integer(extent),
            "kind": "serial", "body": list(body), "thread_binding": None}  # fmt: skip


def variable(number, dtype):
    return {"id": number, "name": f"v{number}", "node": "Var", "dtype": dtype,
            "type_annotation": HANDLE}


def buffer(number, extent, dtype="int32"):
    """Buffer k has the data variable k."""
    return {"id": number, "name": f"b{number}", "data": number, "dtype": dtype,
            "shape": [integer(extent)], "strides": [], "elem_offset": integer(0)}  # fmt: skip


def document(buffers, body, exprs=(), constants=(), parameters=None):
    """One function `f`, whose parameters are the data of buffers."""
    data = [entry["data"] for entry in buffers]
    function = {
        "name": "f", "global_symbol": "f", "role": "operator", "attrs": {}, "buffer_map": [],
        "vars": [*(variable(number, "handle") for number in data), variable(100, "int32"),
                 variable(101, "int32")],
        "buffers": buffers, "params": data if parameters is None else parameters,
        "exprs": list(exprs), "body": body,
    }  # fmt: skip
    return {
        "format": "mlf-tir", "version": 1, "losses": [], "constants": list(constants), "vars": [],
        "buffers": [], "exprs": [], "objects": [], "functions": [function],
    }  # fmt: skip


def run(content, *arguments, directory=None):
    pointers = [a if isinstance(a, Pointer) else pointer_to(a) for a in arguments]
    with np.errstate(all="ignore"):
        Program(Document(content, directory)).call("f", pointers)


def one_by_one():
    return mock.patch.object(lanes, "prove", lambda *_: None)


BOTH = (contextlib.nullcontext, one_by_one)


class Rules(unittest.TestCase):
    def check(self, content, expected, *given):
        """The first argument is written; the same with all iterations at once and one by one."""
        for way in BOTH:
            result = np.zeros_like(expected)
            with self.subTest(way.__name__), way():
                run(content, result, *map(np.copy, given))
                np.testing.assert_array_equal(result, expected)

    def value(self, expr, expected):
        dtype = expr["dtype"]
        content = document([buffer(0, 1, dtype)], [store(0, integer(0), expr)])
        self.check(content, np.array([expected], dtype))

    def of_elements(self, expr, expected, given, dtype="int32"):
        """`expr` reads element i of buffer 1."""
        given, expected = np.array(given, dtype), np.array(expected, expr["dtype"])
        count = len(given)
        buffers = [buffer(0, count, expr["dtype"]), buffer(1, count, dtype)]
        self.check(document(buffers, [loop(ROW, count, store(0, ROW, expr))]), expected, given)

    def test_integers_wrap_around(self):
        self.value(binary("Add", integer(100, "int8"), integer(100, "int8")), -56)
        self.value(binary("Sub", integer(1, "uint8"), integer(2, "uint8")), 255)
        big = integer("9223372036854775807", "int64")
        self.value(binary("Add", big, integer("1", "int64")), -(2**63))
        double = binary("Mul", load(1, ROW), integer(2))
        self.of_elements(double, [-2, 2], [2**31 - 1, 1])

    def test_division_is_towards_zero_or_downwards(self):
        seven = load(1, ROW)
        self.of_elements(binary("Div", seven, integer(2)), [-3, 3], [-7, 7])
        self.of_elements(binary("Mod", seven, integer(2)), [-1, 1], [-7, 7])
        self.of_elements(binary("FloorDiv", seven, integer(2)), [-4, 3], [-7, 7])
        self.of_elements(binary("FloorMod", seven, integer(2)), [1, 1], [-7, 7])
        self.of_elements(call("shift_right", "int32", seven, integer(1)), [-4, 3], [-7, 7])

    def test_casts_cut_off(self):
        self.value({"node": "Cast", "dtype": "int8", "value": integer(300)}, 44)
        self.value({"node": "Cast", "dtype": "int32", "value": real(-1.75)}, -1)

    def test_floats_are_rounded_after_every_operation(self):
        third = binary("Div", real(1.0), real(3.0))
        self.value(binary("Mul", third, real(3.0)), 1.0)
        self.value(binary("Add", real(16777216.0), real(1.0)), 16777216.0)

    def test_rounding_modes_are_those_of_tvm(self):
        numbers = [2.5, -2.5, 0.49999997, -0.5]
        number = load(1, ROW, "float32")
        self.of_elements(call("round", "float32", number), [3, -3, 0, -1], numbers, "float32")
        self.of_elements(call("nearbyint", "float32", number), [2, -2, 0, 0], numbers, "float32")
        self.of_elements(call("trunc", "float32", number), [2, -2, 0, 0], numbers, "float32")

    def test_fixed_point_multiplication_rounds_half_up(self):
        def scaled(shift):
            half = (load(1, ROW), integer(1 << 30), integer(31), integer(shift))
            return call("q_multiply_shift", "int32", *half)

        self.of_elements(scaled(0), [1, 0, 50], [1, -1, 100])
        self.of_elements(scaled(1), [1, -1, 100], [1, -1, 100])
        self.of_elements(scaled(-1), [0, 0, 25], [1, -1, 100])

    def test_the_smaller_of_something_and_no_number_is_the_second(self):
        number = load(1, ROW, "float32")
        least = binary("Min", number, real(1.0))
        self.of_elements(least, [1, 1, 0], [np.nan, 2, 0], "float32")

    def test_a_branch_that_is_not_taken_reads_nothing(self):
        is_inside = binary("LT", ROW, integer(2))
        padded = call("if_then_else", "int32", is_inside, load(1, ROW), integer(7))
        buffers = [buffer(0, 4), buffer(1, 2)]
        content = document(buffers, [loop(ROW, 4, store(0, ROW, padded))])
        self.check(content, np.array([5, 6, 7, 7], "int32"), np.array([5, 6], "int32"))
        both = binary("And", is_inside, binary("EQ", load(1, ROW), integer(6)))
        case = {"node": "IfThenElse", "condition": both, "then_case": [store(0, ROW, integer(1))],
                "else_case": [store(0, ROW, integer(2))]}  # fmt: skip
        content = document(buffers, [loop(ROW, 4, case)])
        self.check(content, np.array([2, 1, 2, 2], "int32"), np.array([5, 6], "int32"))

    def test_elements_before_and_behind_a_buffer_are_errors(self):
        for index in (binary("Sub", ROW, integer(1)), binary("Add", ROW, integer(1))):
            content = document(
                [buffer(0, 3), buffer(1, 3)], [loop(ROW, 3, store(0, ROW, load(1, index)))]
            )
            for way in BOTH:
                with way(), self.assertRaises(IndexError):
                    run(content, np.zeros(3, "int32"), np.zeros(3, "int32"))

    def test_deep_loops_need_no_recursion(self):
        once, twice = (binary("Sub", integer(count + 1), integer(1)) for count in (1, 2))
        body = [store(0, integer(0), binary("Add", load(0, integer(0)), integer(1)))]
        for depth in range(60):
            body = [{**loop(ROW, 1, *body), "extent": once if depth % 20 else twice}]
        self.check(document([buffer(0, 1)], body), np.array([8], "int32"))

    def test_a_while_runs_until_its_condition_fails(self):
        first = load(0, integer(0))
        goes_on = binary("LT", first, integer(100))
        double = store(0, integer(0), binary("Mul", first, integer(3)))
        body = [store(0, integer(0), integer(1)),
                {"node": "While", "condition": goes_on, "body": [double]}]  # fmt: skip
        self.check(document([buffer(0, 1)], body), np.array([243], "int32"))

    def test_iterations_that_need_each_other_are_in_order(self):
        body = store(0, binary("Add", ROW, integer(1)), binary("Add", load(0, ROW), load(1, ROW)))
        content = document([buffer(0, 5), buffer(1, 4)], [loop(ROW, 4, body)])
        self.check(content, np.array([0, 1, 3, 6, 10], "int32"), np.array([1, 2, 3, 4], "int32"))

    def test_sums_in_a_loop_that_runs_at_once(self):
        element = binary("Add", binary("Mul", ROW, integer(3)), COLUMN)
        total = store(0, ROW, binary("Add", load(0, ROW), load(1, element)))
        body = loop(ROW, 2, store(0, ROW, integer(0)), loop(COLUMN, 3, total))
        content = document([buffer(0, 2), buffer(1, 6)], [body])
        self.check(content, np.array([3, 12], "int32"), np.arange(6, dtype="int32"))

    def test_elements_lie_row_after_row(self):
        stored = store(0, ROW, load(1, COLUMN))
        stored["indices"] = [ROW, COLUMN]
        body = loop(ROW, 2, loop(COLUMN, 3, stored))
        content = document([matrix(0, 2, 3), buffer(1, 3)], [body])
        self.check(content, np.array([1, 2, 3] * 2, "int32"), np.array([1, 2, 3], "int32"))

    def test_every_iteration_has_the_memory_that_it_allocates(self):
        allocate = {"node": "Allocate", "scope": 2, "buffer_var": 2, "dtype": "int32",
                    "extents": [integer(1)], "condition": integer(1, "bool")}  # fmt: skip
        fill = store(2, integer(0), binary("Mul", load(1, ROW), integer(10)))
        body = loop(ROW, 3, allocate, fill, store(0, ROW, load(2, integer(0))))
        buffers = [buffer(0, 3), buffer(1, 3), buffer(2, 1)]
        content = document(buffers, [body], parameters=[0, 1])
        self.check(content, np.array([10, 20, 30], "int32"), np.array([1, 2, 3], "int32"))

    def test_buffers_that_overlap_are_copied_one_by_one(self):
        memory = np.array([1, 2, 3, 4], "int32")
        whole = pointer_to(memory)
        content = document(
            [buffer(0, 3), buffer(1, 3)], [loop(ROW, 3, store(0, ROW, load(1, ROW)))]
        )
        run(content, whole.after(4), whole)
        np.testing.assert_array_equal(memory, [1, 1, 1, 1])

    def test_memory_with_two_names_overlaps_itself(self):
        allocate = {"node": "Allocate", "scope": 4, "buffer_var": 2, "dtype": "int32",
                    "extents": [integer(4)], "condition": integer(1, "bool")}  # fmt: skip
        pointer = {"node": "Var", "dtype": "handle", "var": 2}
        body = [
            allocate,
            {"node": "LetStmt", "scope": 3, "var": 3, "value": pointer},
            loop(ROW, 4, store(2, ROW, binary("Add", ROW, integer(1)))),
            loop(ROW, 3, store(3, binary("Add", ROW, integer(1)), load(2, ROW))),
            loop(ROW, 4, store(0, ROW, load(2, ROW))),
        ]
        buffers = [buffer(0, 4), buffer(2, 4), buffer(3, 4)]
        self.check(document(buffers, body, parameters=[0]), np.array([1, 1, 1, 1], "int32"))

    def test_shared_expressions_have_one_value(self):
        def shared(number):
            return {"node": "ExprRef", "dtype": "int32", "expr": number}

        exprs = [binary("Add", load(1, ROW), integer(1)), binary("Mul", shared(0), shared(0))]
        body = store(0, ROW, binary("Add", shared(1), shared(0)))
        content = document([buffer(0, 3), buffer(1, 3)], [loop(ROW, 3, body)], exprs)
        self.check(content, np.array([2, 6, 12], "int32"), np.array([0, 1, 2], "int32"))

    def test_constants_may_be_files(self):
        data = np.array([3, -4], "<i2")
        constant = {"id": 0, "dtype": "int16", "shape": [2], "bytes": 4, "file": "constant-0.npy",
                    "sha256": hashlib.sha256(data.tobytes()).hexdigest()}  # fmt: skip
        declared = {"node": "AllocateConst", "scope": 1, "buffer_var": 1, "data": 0}
        buffers = [buffer(0, 2, "int16"), buffer(1, 2, "int16")]
        body = [declared, loop(ROW, 2, store(0, ROW, load(1, ROW, "int16")))]
        content = document(buffers, body, constants=[constant], parameters=[0])
        with tempfile.TemporaryDirectory() as directory:
            np.save(pathlib.Path(directory) / "constant-0.npy", data)
            result = np.zeros(2, "int16")
            run(content, result, directory=pathlib.Path(directory))
        np.testing.assert_array_equal(result, data)

    def test_lost_constants_are_no_zeros(self):
        constant = {"id": 0, "dtype": "int8", "shape": [1], "bytes": 1, "data": None}
        declared = {"node": "AllocateConst", "scope": 1, "buffer_var": 1, "data": 0}
        buffers = [buffer(0, 1, "int8"), buffer(1, 1, "int8")]
        body = [declared, store(0, integer(0), load(1, integer(0), "int8"))]
        content = document(buffers, body, constants=[constant], parameters=[0])
        with self.assertRaises(Missing):
            run(content, np.zeros(1, "int8"))


if __name__ == "__main__":
    unittest.main()

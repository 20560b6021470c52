"""Statements as Python text.

The lists of the document are read as they are: names are unique, so what governs others (LetStmt,
Allocate, …) binds a name, and `scope` counts matter to those who want a tree only.
"""

import contextlib
import textwrap

from interpreter import lanes
from interpreter.document import Unsupported, item_size, number_of, numpy_name
from interpreter.expressions import Expressions

# Attributes that say nothing about what is computed.
_HINTS = {"extern_scope", "device_type", "device_id", "storage_alignment", "realize_scope",
          "compute_scope", "device_scope"}  # fmt: skip


_LOOPS_OF_A_FUNCTION = 16


class Statements:
    """Writes the body of one function."""

    def __init__(self, scope):
        self._scope = scope
        self._expressions = Expressions(scope)
        self._fresh = set()  # variables that point to memory of this function only
        self._lines = []
        self._depth = 0
        self._loops = 0
        self._one_by_one = False
        self._kinds = {
            "LetStmt": self._let,
            "AttrStmt": self._attribute,
            "AssertStmt": self._assert,
            "Allocate": self._allocate,
            "AllocateConst": self._constant,
            "DeclBuffer": self._nothing,
            "SeqStmt": self._nothing,
            "BufferStore": self._store,
            "IfThenElse": self._branch,
            "Evaluate": self._evaluate,
            "For": self._loop,
            "While": self._while,
        }

    def function(self, function):
        """Text that defines the function as `run`."""
        parameters = ", ".join(f"v{var}" for var in function["params"])
        self._lines = [f"def run({parameters}):"]
        self._depth = 1
        for entry in function["buffer_map"]:
            data = self._scope.buffer(entry["buffer"])["data"]
            self._line(f"v{data} = data_of(v{entry['param']})")
            self._bind_buffers(data)
        for var in function["params"]:
            self._bind_buffers(var)
        self._list(function["body"])
        return "\n".join(self._lines) + "\n"

    def _list(self, entries, mask=None):
        for entry in entries:
            if entry["node"] not in self._kinds:
                raise Unsupported(f"statements of kind {entry['node']}")
            self._kinds[entry["node"]](entry, mask)

    def _block(self, head, entries, mask=None):
        self._line(head)
        self._depth += 1
        first = len(self._lines)
        self._list(entries, mask)
        if len(self._lines) == first:
            self._line("pass")
        self._depth -= 1

    def _line(self, text):
        """One statement of Python, behind the shared expressions that it wants."""
        for number, shared in self._scope.shared.items():
            self._add(f"e{number} = once(lambda: {shared})")
        self._scope.shared.clear()
        self._add(text)

    def _add(self, text):
        self._lines.append(textwrap.indent(text, " " * self._depth))

    def _text(self, expr):
        return self._expressions.text(expr)

    def _bind_buffers(self, var):
        for name, view in self._scope.views.of(var):
            self._line(f"{name} = {view}")

    def _nothing(self, entry, mask):
        pass

    def _let(self, entry, mask):
        if self._scope.dtype_of(entry["var"]) == "handle":
            self._fresh.clear()  # it may be another name of that memory
        code = self._expressions.code(entry["value"], mask)
        self._scope.bind(entry["var"], code)
        self._line(f"v{entry['var']} = {code.text}")
        self._bind_buffers(entry["var"])

    def _attribute(self, entry, mask):
        key = entry["attr_key"]
        if key not in _HINTS and not key.startswith("pragma_"):
            raise Unsupported(f"attribute {key}")

    def _assert(self, entry, mask):
        self._line(f"assert {self._text(entry['condition'])}, {self._text(entry['message'])}")

    def _allocate(self, entry, mask):
        count = " * ".join(map(self._text, entry["extents"])) or "1"
        var, dtype = entry["buffer_var"], numpy_name(entry["dtype"])
        self._fresh.add(var)
        if not self._scope.lanes:
            self._line(f"v{var} = allocate('{dtype}', {count})")
            self._bind_buffers(var)
            return
        size = lanes.product(entry["extents"]) * item_size(entry["dtype"])
        self._line(f"o{var} = lane_number({self._lane_text()})")
        self._line(f"v{var} = allocate('uint8', {self._scope.lane_count() * size})")
        self._scope.make_private(var, size)
        for name, view in self._scope.views.of_all_lanes(var):
            self._line(f"{name} = {view}")

    def _lane_text(self):
        return ", ".join(f"(v{var}, {low}, {extent})" for var, low, extent in self._scope.lanes)

    def _constant(self, entry, mask):
        self._fresh.add(entry["buffer_var"])
        self._line(f"v{entry['buffer_var']} = constant({entry['data']})")
        self._bind_buffers(entry["buffer_var"])

    def _store(self, entry, mask):
        if entry.get("predicate"):
            raise Unsupported("stores with a predicate")
        buffer = self._scope.buffer(entry["buffer"])
        element = self._expressions.element(buffer, entry["indices"], mask).text
        value = self._expressions.code(entry["value"], mask).text
        if mask is None:
            self._line(f"b{buffer['id']}[at({element})] = {value}")
        else:
            self._line(f"store_where({mask}, b{buffer['id']}, {element}, {value})")

    def _branch(self, entry, mask):
        condition = self._expressions.code(entry["condition"], mask)
        if condition.has_lanes:
            self._masked_branch(entry, condition.text, mask)
            return
        self._block(f"if {condition.text}:", entry["then_case"], mask)
        if entry["else_case"]:
            self._block("else:", entry["else_case"], mask)

    def _masked_branch(self, entry, condition, mask):
        """Both cases run, each for the lanes that take it."""
        chosen, outer = self._scope.new_name("m"), "" if mask is None else f"{mask} & "
        self._line(f"{chosen} = {outer}{condition}")
        self._list(entry["then_case"], chosen)
        if entry["else_case"]:
            other = self._scope.new_name("m")
            self._line(f"{other} = {outer}~{chosen}")
            self._list(entry["else_case"], other)

    def _evaluate(self, entry, mask):
        if number_of(entry["value"]) is None:
            self._line(self._text(entry["value"]))

    def _while(self, entry, mask):
        with self._deeper():
            self._line("while True:")
            self._depth += 1
            self._line(f"if not {self._text(entry['condition'])}: break")
            self._list(entry["body"])
            self._depth -= 1

    def _loop(self, entry, mask):
        if entry["kind"] == "thread_binding":
            raise Unsupported("loops over threads")
        if number_of(entry["extent"]) == 1:
            self._line(f"v{entry['loop_var']} = {self._text(entry['min'])}")
            self._list(entry["body"], mask)
            return
        proof = None if self._one_by_one else lanes.prove(entry, self._scope, self._fresh)
        if proof is None:
            self._iterate(entry, mask)
        elif self._scope.lanes or not proof.written:
            self._at_once(entry, mask)
        else:
            self._line(f"if disjoint({_views(proof.written)}, {_views(proof.others)}):")
            self._indented(self._at_once, entry, mask)
            self._line("else:")
            self._indented(self._all_one_by_one, entry, mask)

    def _indented(self, write, entry, mask):
        self._depth += 1
        write(entry, mask)
        self._depth -= 1

    def _iterate(self, entry, mask):
        dtype = numpy_name(self._scope.dtype_of(entry["loop_var"]))
        numbers = f"numbers({self._text(entry['min'])}, {self._text(entry['extent'])}, '{dtype}')"
        with self._deeper():
            self._block(f"for v{entry['loop_var']} in {numbers}:", entry["body"], mask)

    @contextlib.contextmanager
    def _deeper(self):
        """Writes a loop; every so many go into a function, as Python nests 20 of them at most."""
        self._loops += 1
        if self._loops % _LOOPS_OF_A_FUNCTION:
            yield
        else:
            name = self._scope.new_name("part")
            self._line(f"def {name}():")
            self._depth += 1
            yield
            self._depth -= 1
            self._line(f"{name}()")
        self._loops -= 1

    def _all_one_by_one(self, entry, mask):
        self._one_by_one = True
        self._iterate(entry, mask)
        self._one_by_one = False

    def _at_once(self, entry, mask):
        var, low, extent = entry["loop_var"], number_of(entry["min"]), number_of(entry["extent"])
        dtype = numpy_name(self._scope.dtype_of(var))
        axes = len(self._scope.lanes)
        self._line(f"v{var} = numbers({low}, {extent}, '{dtype}').reshape({(-1,) + (1,) * axes})")
        before = self._scope.enter(var, low, extent)
        self._list(entry["body"], mask)
        self._scope.leave(before)


def _views(groups):
    names = ([f"b{buffer}" for buffer in group] for group in groups)
    return "[" + ", ".join(f"[{', '.join(group)}]" for group in names) + "]"

"""Small archives in the grammar of TVM's generated C, at random: networks of a few kernels with a
memory pool, sound ones and such as people write by hand.

`archive(seed)` is the same for one seed, and `archive_of(steps)` has what is asked for. `oddities` names what is in it that TVM never writes; where
that is empty, nothing of it may be refused. All of them stay inside their pool as they are given.
"""

import contextlib
import dataclasses
import io
import json
import random
import re
import tarfile

SIZES = {"int8_t": 1, "uint8_t": 1, "int16_t": 2, "int32_t": 4, "float": 4, "double": 8}
DTYPES = {
    "int8_t": "int8",
    "uint8_t": "uint8",
    "int16_t": "int16",
    "int32_t": "int32",
    "float": "float32",
    "double": "float64",
}
# Bytes in front of the first buffer and behind the last one: accesses that go astray stay inside.
SLACK = 1024
POOL = "global_workspace"
CODE = "codegen/host/src/default_lib1.c"
WRAPPER = "codegen/host/src/default_lib0.c"
HEADER = "codegen/host/include/tvmgen_default.h"


@dataclasses.dataclass
class Tensor:
    """A buffer in the pool, or an input or output; `expression` is what main passes."""

    expression: str
    ctype: str
    count: int
    offset: int = -1

    def bytes(self):
        return self.count * SIZES[self.ctype]


class NothingFits(Exception):
    """No tensor is large enough for a kernel, which is left out then."""


@dataclasses.dataclass
class Archive:
    members: dict
    oddities: list
    input_type: str
    output_bytes: int


def literal(ctype, number):
    if ctype == "float":
        return f"{number:.6e}f"
    if ctype == "double":
        return f"{number:.6e}"
    return str(number) if ctype == "int32_t" else f"(({ctype}){number})"


def wide(ctype, value):
    return value if ctype in ("int32_t", "float", "double") else f"((int32_t){value})"


def narrow(ctype, value):
    return value if ctype in ("int32_t", "float", "double") else f"(({ctype}){value})"


def plus(ctype, a, b):
    return narrow(ctype, f"({wide(ctype, a)} + {wide(ctype, b)})")


def loop(variable, extent, *lines):
    return [
        f"for (int32_t {variable} = 0; {variable} < {extent}; ++{variable}) {{",
        *("  " + line for line in lines),
        "}",
    ]


class Network:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.kernels = []  # (name, parameters, body)
        self.lets = []
        self.calls = []
        self.live = []
        self.stack = 0  # bytes that metadata.json counts beside the pool
        self.oddities = []
        self.statics = []
        self.end = SLACK
        self.own = {}  # bytes of buffers that nothing else is in, by offset
        self.free = []  # the same of those that are not needed any more
        self.names = 0

    # --- Buffers and kernels ------------------------------------------------------------------

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def place(self, count, alignment=16):
        """Bytes of the pool behind all others, at random with a gap."""
        offset = self.end + alignment * self.random.choice([0, 0, 1, 3])
        self.end = (offset + count + alignment - 1) // alignment * alignment
        return offset

    def let_at(self, ctype, count, offset):
        name = self.name("sid_") + "_let"
        self.lets.append(f"void* {name} = (&({POOL}_0_var[{offset}]));")
        return Tensor(name, ctype, count, offset)

    def tensor(self, ctype, count):
        """In a place of its own, or where nothing is needed any more."""
        size = count * SIZES[ctype]
        places = [one for one in self.free if one[1] >= size]
        if places and self.random.random() < 0.5:
            place = self.random.choice(places)
            self.free.remove(place)
            offset = place[0]
        else:
            offset = self.place(size)
        self.own[offset] = size
        return self.let_at(ctype, count, offset)

    def kernel(self, stem, parameters, body):
        """`parameters` are C types with a `*`, and names; the name of the kernel."""
        name = self.name(f"tvmgen_default_{stem}_")
        parameters = [*parameters, ("uint8_t*", f"{POOL}_{self.names}_var")]
        self.kernels.append((name, parameters, body))
        return name

    def call(self, name, *tensors, pool=f"{POOL}_0_var"):
        arguments = ", ".join([*(one.expression for one in tensors), pool])
        self.calls.append(f"if ({name}({arguments}) != 0 ) return -1;")

    def run(self, stem, inputs, output, body):
        """A kernel `p0`, `p1`, … to `q`, and its call."""
        parameters = [(one.ctype + "*", f"p{i}") for i, one in enumerate(inputs)]
        name = self.kernel(stem, [*parameters, (output.ctype + "*", "q")], body)
        self.call(name, *inputs, output)

    def pick(self, least=1, ctype=None):
        """A tensor that holds something."""
        fits = [
            one
            for one in self.live
            if one.count >= least and (ctype is None or one.ctype == ctype)
        ]
        if not fits:
            raise NothingFits
        return self.random.choice(fits)

    def result(self, tensor):
        self.live.append(tensor)
        # Old ones are let go of, so that there is something to plan.
        if len(self.live) > self.random.choice([1, 2, 3]):
            gone = self.live.pop(0)
            if gone.offset in self.own:
                self.free.append((gone.offset, self.own.pop(gone.offset)))

    # --- Kernels as TVM writes them -----------------------------------------------------------

    def element(self, ctype, value):
        return plus(ctype, value, literal(ctype, self.random.randint(1, 3)))

    def unary(self, p=None, q=None):
        p = p or self.pick()
        q = q or self.tensor(p.ctype, p.count)
        body = loop("i", p.count, f"q[i] = {self.element(p.ctype, 'p0[i]')};")
        self.run("unary", [p], q, body)
        self.result(q)

    def nested(self):
        p = self.pick(4)
        columns = self.random.choice([2, 3, 4])
        rows = p.count // columns
        q = self.tensor(p.ctype, rows * columns)
        at = f"((i * {columns}) + k)"
        inner = loop("k", columns, f"q[{at}] = {self.element(p.ctype, f'p0[{at}]')};")
        self.run("nested", [p], q, loop("i", rows, *inner))
        self.result(q)

    def binary(self):
        p = self.pick()
        other = self.pick(1, p.ctype)
        q = self.tensor(p.ctype, p.count)
        at = "i" if other.count >= p.count else f"(i % {other.count})"
        body = loop("i", p.count, f"q[i] = {plus(p.ctype, 'p0[i]', f'p1[{at}]')};")
        self.run("binary", [p, other], q, body)
        self.result(q)

    def widen(self):
        p = self.pick()
        ctype = self.random.choice(["int32_t", "float"]) if p.ctype != "double" else "double"
        q = self.tensor(ctype, p.count)
        self.run("cast", [p], q, loop("i", p.count, f"q[i] = (({ctype})p0[i]);"))
        self.result(q)

    def reduce(self):
        p = self.pick(4)
        columns = self.random.choice([2, 4])
        rows = p.count // columns
        q = self.tensor(p.ctype, rows)
        add = f"q[i] = {plus(p.ctype, 'q[i]', f'p0[((i * {columns}) + k)]')};"
        if self.random.random() < 0.5:
            body = loop("i", rows, f"q[i] = {literal(p.ctype, 0)};", *loop("k", columns, add))
        else:
            first = ["if (k == 0) {", f"  q[i] = {literal(p.ctype, 0)};", "}"]
            body = loop("i", rows, *loop("k", columns, *first, add))
        self.run("reduce", [p], q, body)
        self.result(q)

    def pad(self):
        p = self.pick()
        side = self.random.randint(1, 5)
        q = self.tensor(p.ctype, p.count + 2 * side)
        inside = f"(({side} <= i) && (i < {p.count + side}))"
        value = f"({inside} ? p0[(i - {side})] : {literal(p.ctype, 0)})"
        self.run("pad", [p], q, loop("i", q.count, f"q[i] = {value};"))
        self.result(q)

    def stencil(self):
        p = self.pick(4)
        q = self.tensor(p.ctype, p.count - 2)
        total = plus(p.ctype, plus(p.ctype, "p0[i]", "p0[(i + 1)]"), "p0[(i + 2)]")
        self.run("stencil", [p], q, loop("i", q.count, f"q[i] = {total};"))
        self.result(q)

    def stride(self):
        p = self.pick(4)
        q = self.tensor(p.ctype, p.count // 2)
        self.run("stride", [p], q, loop("i", q.count, "q[i] = p0[(i * 2)];"))
        self.result(q)

    def transpose(self):
        p = self.pick(4)
        rows = self.random.choice([2, 3, 4])
        columns = p.count // rows
        q = self.tensor(p.ctype, rows * columns)
        to = f"(((i % {columns}) * {rows}) + (i / {columns}))"
        self.run("transpose", [p], q, loop("i", q.count, f"q[{to}] = p0[i];"))
        self.result(q)

    def reverse(self):
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        self.run("reverse", [p], q, loop("i", p.count, f"q[({p.count - 1} - i)] = p0[i];"))
        self.result(q)

    def concat(self):
        p = self.pick()
        other = self.pick(1, p.ctype)
        q = self.tensor(p.ctype, p.count + other.count)
        body = [
            *loop("i", p.count, "q[i] = p0[i];"),
            *loop("k", other.count, f"q[(k + {p.count})] = p1[k];"),
        ]
        self.run("concat", [p, other], q, body)
        self.result(q)

    def interleave(self):
        p = self.pick()
        other = self.pick(p.count, p.ctype)
        q = self.tensor(p.ctype, 2 * p.count)
        body = loop("i", p.count, "q[(i * 2)] = p0[i];", "q[((i * 2) + 1)] = p1[i];")
        self.run("interleave", [p, other], q, body)
        self.result(q)

    def split(self):
        p = self.pick(4)
        first = self.random.randint(0, p.count // 2)
        q = self.tensor(p.ctype, p.count - first)
        self.run("split", [p], q, loop("i", q.count, f"q[i] = p0[(i + {first})];"))
        self.result(q)

    def scan(self):
        p = self.pick(2)
        q = self.tensor(p.ctype, p.count)
        add = f"q[(i + 1)] = {plus(p.ctype, 'q[i]', 'p0[(i + 1)]')};"
        self.run("scan", [p], q, ["q[0] = p0[0];", *loop("i", p.count - 1, add)])
        self.result(q)

    def tail(self):
        p = self.pick(2)
        q = self.tensor(p.ctype, p.count)
        at = "((o * 8) + i)"
        store = [f"if ({at} < {p.count}) {{", f"  q[{at}] = {self.element(p.ctype, f'p0[{at}]')};", "}"]
        self.run("tail", [p], q, loop("o", (p.count + 7) // 8, *loop("i", 8, *store)))
        self.result(q)

    def let_index(self):
        p = self.pick(4)
        q = self.tensor(p.ctype, p.count // 2 * 2)
        body = loop(
            "i",
            p.count // 2,
            "int32_t cse_var_1 = (i * 2);",
            "int32_t cse_var_2 = (cse_var_1 + 1);",
            "q[cse_var_1] = p0[cse_var_2];",
            "q[cse_var_2] = p0[cse_var_1];",
        )
        self.run("let_index", [p], q, body)
        self.result(q)

    def local(self):
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        # As much as one kernel has, rounded up as TVM does.
        self.stack = 16
        body = [f"{p.ctype} acc[2];", *loop("i", p.count, "acc[0] = p0[i];", "q[i] = acc[0];")]
        self.run("local", [p], q, body)
        self.result(q)

    def scratch(self, p=None):
        p = p or self.pick(2)
        q = self.tensor(p.ctype, p.count)
        offset = self.place(p.bytes())
        let = self.name("pad_temp") + "_let"
        pool = f"{POOL}_{self.names + 1}_var"
        body = [
            f"void* {let} = (&({pool}[{offset}]));",
            *loop("i", p.count, f"(({p.ctype}*){let})[i] = {self.element(p.ctype, 'p0[i]')};"),
            *loop("k", p.count, f"q[k] = (({p.ctype}*){let})[({p.count - 1} - k)];"),
        ]
        self.run("scratch", [p], q, body)
        self.result(q)

    def update(self):
        p = self.pick()
        q = self.pick(p.count, p.ctype)
        if q is p:
            return self.unary()
        body = loop("i", p.count, f"q[i] = {plus(p.ctype, 'q[i]', 'p0[i]')};")
        self.run("update", [p], q, body)
        return None

    def both(self):
        """Two results of one kernel."""
        p = self.pick()
        q, r = self.tensor(p.ctype, p.count), self.tensor(p.ctype, p.count)
        body = loop("i", p.count, f"q[i] = {self.element(p.ctype, 'p0[i]')};", "r[i] = p0[i];")
        parameters = [(p.ctype + "*", "p0"), (p.ctype + "*", "q"), (p.ctype + "*", "r")]
        self.call(self.kernel("both", parameters, body), p, q, r)
        self.result(r)
        self.live.append(q)

    def again(self):
        """A kernel that is called twice, with a workspace."""
        p = self.pick(2)
        self.scratch(p)
        name, middle = self.kernels[-1][0], self.live[-1]
        q = self.tensor(p.ctype, p.count)
        self.call(name, middle, q)
        self.result(q)

    def take(self):
        """An index out of memory that is clamped, as TVM prints it."""
        p = self.pick(4)
        index = self.pick(1, "int32_t")
        q = self.tensor(p.ctype, index.count)
        least = f"((p1[i]) < ({p.count - 1}) ? (p1[i]) : ({p.count - 1}))"
        at = f"(({least}) > (0) ? ({least}) : (0))"
        self.run("take", [p, index], q, loop("i", q.count, f"q[i] = p0[{at}];"))
        self.result(q)

    def blocks(self):
        """Tiles in another order than memory, and a bound of the inner loop that depends on the outer."""
        p = self.pick(6)
        q = self.tensor(p.ctype, p.count // 6 * 6)
        at = "(((o * 6) + (k * 2)) + i)"
        body = loop("i", 2, *loop("k", 3, *loop("o", p.count // 6, f"q[{at}] = p0[{at}];")))
        self.run("blocks", [p], q, body)
        self.result(q)

    SOUND = (
        "unary nested binary widen reduce pad stencil stride transpose reverse concat interleave split "
        "scan tail let_index local scratch update both again take blocks"
    ).split()

    # --- What people write --------------------------------------------------------------------

    def cast_store(self):
        """Stores through a pointer to elements of another size."""
        p = self.pick(8)
        ctype = self.random.choice([one for one in SIZES if one != p.ctype])
        count = self.random.choice([p.bytes(), p.bytes() // 2]) // SIZES[ctype]
        if count < 1:
            return
        q = self.tensor(p.ctype, p.count)
        value = f"(({ctype}*)p0)[i]"
        self.run("cast_store", [p], q, loop("i", count, f"(({ctype}*)q)[i] = {value};"))
        self.result(q)

    def cast_wide(self):
        """As many elements as the tensor has, of a larger type: twice its bytes."""
        p = self.pick(4)
        larger = [one for one in SIZES if SIZES[one] > SIZES[p.ctype]]
        if not larger:
            return
        ctype = self.random.choice(larger)
        q = self.let_at(p.ctype, p.count, self.place(p.count * SIZES[ctype]))
        value = f"(({ctype})p0[i])"
        self.run("cast_wide", [p], q, loop("i", p.count, f"(({ctype}*)q)[i] = {value};"))
        self.live.append(Tensor(q.expression, ctype, p.count, q.offset))

    def pointer_in_kernel(self):
        """A second pointer into the result, a number of elements behind the first."""
        p = self.pick(4)
        half = p.count // 2
        q = self.let_at(p.ctype, 2 * half, self.place(p.bytes()))
        shift = self.random.choice([half, half, half - 1, half + 1])
        body = [
            f"void* r_let = (&(q[{shift}]));",
            *loop("i", half, "q[i] = p0[i];", f"(({p.ctype}*)r_let)[i] = p0[i];"),
        ]
        self.run("pointer", [p], q, body)
        self.result(q)

    def pointer_in_main(self):
        """main passes an address inside of a tensor."""
        p = self.pick(4)
        if p.offset < 0:
            return
        shift = self.random.randint(1, p.count // 2)
        address = f"(&((({p.ctype}*){p.expression})[{shift}]))"
        if self.random.random() < 0.5:
            name = self.name("shifted_") + "_let"
            self.lets.append(f"void* {name} = {address};")
            address = name
        rest = Tensor(address, p.ctype, p.count - shift, p.offset + shift * SIZES[p.ctype])
        self.unary(rest)

    def beyond(self):
        """Reads more than the writer wrote."""
        p = self.pick(2)
        if p.offset < 0:
            return
        more = self.random.choice([1, p.count, p.count // 2 + 1])
        q = self.tensor(p.ctype, p.count + more)
        self.run("beyond", [p], q, loop("i", q.count, f"q[i] = {self.element(p.ctype, 'p0[i]')};"))
        self.result(q)

    def behind(self):
        """Reads one tensor through the address of another."""
        p = self.pick(2)
        if p.offset < 0:
            return
        distance = self.random.choice([1, -1]) * self.random.randint(1, 32)
        q = self.tensor(p.ctype, p.count)
        at = f"(i + {distance})" if distance > 0 else f"(i - {-distance})"
        self.run("behind", [p], q, loop("i", p.count, f"q[i] = p0[{at}];"))
        self.result(q)

    def write_beyond(self):
        p = self.pick(2)
        distance = self.random.choice([1, -1]) * self.random.randint(1, 16)
        q = self.let_at(p.ctype, p.count, self.place(p.bytes() + 256) + 128)
        at = f"(i + {distance})" if distance > 0 else f"(i - {-distance})"
        self.run("write_beyond", [p], q, loop("i", p.count, f"q[{at}] = p0[i];"))
        back = self.tensor(p.ctype, p.count)
        self.run("read_back", [q], back, loop("i", p.count, f"q[i] = p0[{at}];"))
        self.result(back)

    def two_halves(self):
        p = self.pick(2)
        half = (p.count + 3) // 4 * 4
        offset = self.place(2 * half * SIZES[p.ctype])
        a = self.let_at(p.ctype, p.count, offset)
        b = self.let_at(p.ctype, p.count, offset + p.bytes())
        self.unary(p, a)
        self.live.pop()
        self.unary(p, b)
        self.live.pop()
        self.live.append(Tensor(a.expression, p.ctype, 2 * p.count, a.offset))

    def alias(self):
        """Two names of one place, or of places that overlap."""
        p = self.pick(2)
        q = self.tensor(p.ctype, p.count)
        shift = self.random.choice([0, 0, SIZES[p.ctype]])
        other = self.let_at(p.ctype, p.count - (1 if shift else 0), q.offset + shift)
        self.unary(p, q)
        self.live.pop()
        self.live.append(other)
        if self.random.random() < 0.5:
            self.live.append(q)

    def partial(self):
        """Writes a part; the rest is of before, or of another kernel."""
        p = self.pick(4)
        q = self.tensor(p.ctype, p.count)
        part = self.random.randint(1, p.count - 1)
        self.run("partial", [p], q, loop("i", part, "q[i] = p0[i];"))
        if self.random.random() < 0.7:
            body = loop("i", p.count - part, f"q[(i + {part})] = p0[i];")
            self.run("rest", [p], q, body)
        self.result(q)

    def holes(self):
        """Writes every other element."""
        p = self.pick(4)
        q = self.tensor(p.ctype, p.count)
        self.run("holes", [p], q, loop("i", p.count // 2, "q[(i * 2)] = p0[i];"))
        if self.random.random() < 0.5:
            r = self.tensor(p.ctype, p.count // 2)
            self.run("even", [q], r, loop("i", r.count, "q[i] = p0[(i * 2)];"))
            q = r
        self.result(q)

    def read_first(self):
        """Reads its result before it writes it."""
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        body = loop("i", p.count, f"q[i] = {plus(p.ctype, 'q[i]', 'p0[i]')};")
        self.run("read_first", [p], q, body)
        self.result(q)

    def late_init(self):
        """Reads an element of its result in the iteration before the one that writes it."""
        p = self.pick(3)
        q = self.tensor(p.ctype, p.count)
        body = loop("i", p.count - 1, f"q[i] = {plus(p.ctype, 'q[(i + 1)]', 'p0[i]')};")
        self.run("late_init", [p], q, body)
        self.result(q)

    def condition_on_data(self):
        """A store that happens or not."""
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        body = loop(
            "i", p.count, f"if (p0[i] > {literal(p.ctype, 1)}) {{", "  q[i] = p0[i];", "}"
        )
        self.run("condition", [p], q, body)
        self.result(q)

    def branches(self):
        """Each element is written in one of two branches."""
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        body = loop(
            "i",
            p.count,
            f"if (p0[i] > {literal(p.ctype, 1)}) {{",
            "  q[i] = p0[i];",
            "} else {",
            f"  q[i] = {literal(p.ctype, 2)};",
            "}",
        )
        self.run("branches", [p], q, body)
        self.result(q)

    def scratch_left(self):
        """One kernel leaves something in its workspace for the next one."""
        p = self.pick(2)
        offset = self.place(p.bytes())
        a, b = self.tensor(p.ctype, p.count), self.tensor(p.ctype, p.count)
        let = self.name("left") + "_let"
        address = f"void* {let} = (&({POOL}_{{}}_var[{offset}]));"
        keep = f"(({p.ctype}*){let})[i] = p0[i];"
        body = [
            address.format(self.names + 1),
            *loop("i", p.count, keep, f"q[i] = {self.element(p.ctype, 'p0[i]')};"),
        ]
        self.run("leave", [p], a, body)
        take = f"q[i] = {plus(p.ctype, 'p0[i]', f'(({p.ctype}*){let})[i]')};"
        self.run("take", [a], b, [address.format(self.names + 1), *loop("i", p.count, take)])
        self.result(b)

    def scratch_unwritten(self):
        """Reads more of its workspace than it has written."""
        p = self.pick(4)
        offset = self.place(p.bytes())
        q = self.tensor(p.ctype, p.count)
        let = self.name("few") + "_let"
        body = [
            f"void* {let} = (&({POOL}_{self.names + 1}_var[{offset}]));",
            *loop("i", p.count // 2, f"(({p.ctype}*){let})[i] = p0[i];"),
            *loop("k", p.count, f"q[k] = (({p.ctype}*){let})[k];"),
        ]
        self.run("few", [p], q, body)
        self.result(q)

    def scratch_beyond(self):
        """Two workspaces side by side, used through the first one's address."""
        p = self.pick(2)
        offset = self.place(2 * p.bytes())
        q = self.tensor(p.ctype, p.count)
        one, two = self.name("one") + "_let", self.name("two") + "_let"
        pool = f"{POOL}_{self.names + 1}_var"
        body = [
            f"void* {one} = (&({pool}[{offset}]));",
            f"void* {two} = (&({pool}[{offset + p.bytes()}]));",
            *loop("i", p.count, f"(({p.ctype}*){one})[i] = p0[i];"),
            *loop("k", p.count, f"(({p.ctype}*){two})[k] = p0[k];"),
            *loop("m", p.count, f"q[m] = (({p.ctype}*){one})[(m + {p.count // 2 + 1})];"),
        ]
        self.run("scratch_beyond", [p], q, body)
        self.result(q)

    def pool_with_offset(self):
        """A kernel gets an address inside of the pool as its pool."""
        p = self.pick(2)
        offset = self.place(p.bytes())
        q = self.tensor(p.ctype, p.count)
        let = self.name("moved") + "_let"
        shift = self.random.choice([16, 64])
        body = [
            f"void* {let} = (&({POOL}_{self.names + 1}_var[{offset - shift}]));",
            *loop("i", p.count, f"(({p.ctype}*){let})[i] = p0[i];"),
            *loop("k", p.count, f"q[k] = (({p.ctype}*){let})[k];"),
        ]
        name = self.kernel("moved", [(p.ctype + "*", "p0"), (p.ctype + "*", "q")], body)
        self.call(name, p, q, pool=f"(&({POOL}_0_var[{shift}]))")
        self.result(q)

    def swapped(self):
        """A kernel that takes its result first."""
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        body = loop("i", p.count, f"q[i] = {self.element(p.ctype, 'p0[i]')};")
        name = self.kernel("swapped", [(p.ctype + "*", "q"), (p.ctype + "*", "p0")], body)
        self.call(name, q, p)
        self.result(q)

    def called_swapped(self):
        """A call that gives a kernel its arguments the wrong way round."""
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        self.unary(p, q)
        self.live.pop()
        name = self.kernels[-1][0]
        r = self.tensor(p.ctype, p.count)
        self.unary(q, r)
        self.call(name, r, q)

    def state(self):
        """A kernel that remembers something from call to call."""
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        counter = self.name("calls_")
        body = [
            *loop("i", p.count, f"q[i] = {plus(p.ctype, 'p0[i]', f'(({p.ctype}){counter})')};"),
            f"{counter} = ({counter} + 1);",
        ]
        if self.random.random() < 0.5:
            body.insert(0, f"static int32_t {counter} = 0;")
        else:
            self.statics.append(f"static int32_t {counter};")
        self.run("state", [p], q, body)
        self.result(q)

    def kept_pointer(self):
        """A kernel that keeps the address that it is given, for the next call."""
        p = self.pick()
        q, r = self.tensor(p.ctype, p.count), self.tensor(p.ctype, p.count)
        kept = self.name("kept_")
        self.statics.append(f"static {p.ctype}* {kept};")
        self.run("keep", [p], q, [f"{kept} = p0;", *loop("i", p.count, "q[i] = p0[i];")])
        body = loop("i", p.count, f"q[i] = {plus(p.ctype, 'p0[i]', f'{kept}[i]')};")
        self.run("use_kept", [q], r, body)
        self.result(r)

    def call_in_branch(self):
        """main calls a kernel under a condition."""
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        self.unary(p, q)
        r = self.pick(q.count, q.ctype)
        body = loop("i", q.count, f"q[i] = {self.element(q.ctype, 'p0[i]')};")
        name = self.kernel("sometimes", [(q.ctype + "*", "p0"), (q.ctype + "*", "q")], body)
        pool = f"{POOL}_0_var"
        self.calls.append(f"if (x_buffer_var[0] > {literal(self.input.ctype, 2)}) {{")
        self.calls.append(f"  if ({name}({q.expression}, {r.expression}, {pool}) != 0 ) return -1;")
        self.calls.append("}")

    def main_writes(self):
        """main stores into a tensor itself."""
        p = self.pick()
        if p.offset < 0:
            return
        self.calls.append(f"(({p.ctype}*){p.expression})[0] = {literal(p.ctype, 5)};")

    def gather(self):
        """An index out of memory, within bounds or clamped to them."""
        p = self.pick(8)
        index = self.pick(1)
        q = self.tensor(p.ctype, index.count)
        value = "((int32_t)p1[i])"
        clamped = f"(((0 < {value}) && ({value} < {p.count})) ? {value} : 0)"
        masked = f"({value} & 7)"
        at = self.random.choice([clamped, masked])
        self.run("gather", [p, index], q, loop("i", q.count, f"q[i] = p0[{at}];"))
        self.result(q)

    def extern(self):
        """A function of C's library."""
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        body = [f"memcpy(q, p0, {p.bytes()});"]
        if self.random.random() < 0.5:
            body = [f"memset(q, 1, {p.bytes()});", *loop("i", p.count // 2, "q[i] = p0[i];")]
        self.run("extern", [p], q, body)
        self.result(q)

    def bound_by_data(self):
        p = self.pick(2)
        q = self.tensor(p.ctype, p.count)
        body = [
            *loop("i", p.count, "q[i] = p0[i];"),
            f"int32_t bound = (((int32_t)p0[0]) & {1 if p.count < 4 else 3});",
            *loop("k", "bound", f"q[k] = {literal(p.ctype, 1)};"),
        ]
        self.run("bound", [p], q, body)
        self.result(q)

    def moving_pointer(self):
        """An address that each iteration computes anew."""
        p = self.pick(4)
        half = p.count // 2
        q = self.tensor(p.ctype, 2 * half)
        body = loop(
            "i",
            half,
            "void* r_let = (&(q[(i * 2)]));",
            f"(({p.ctype}*)r_let)[0] = p0[i];",
            f"(({p.ctype}*)r_let)[1] = p0[i];",
        )
        self.run("moving", [p], q, body)
        self.result(q)

    def over_itself(self):
        """A call whose result goes over its input, shifted by one element or in place."""
        p = self.pick(4)
        if p.offset < 0:
            return
        shift = self.random.choice([0, 1])
        q = self.let_at(p.ctype, p.count - 1, p.offset + shift * SIZES[p.ctype])
        body = loop("i", q.count, f"q[i] = {self.element(p.ctype, 'p0[i]')};")
        self.run("over", [p], q, body)
        self.live = [q]

    def same_twice(self):
        """One tensor as two arguments of a call."""
        p = self.pick(2)
        if p.offset < 0:
            return
        body = loop("i", p.count - 1, f"q[i] = {plus(p.ctype, 'p0[i]', 'p0[(i + 1)]')};")
        self.run("twice", [p], p, body)

    def stale(self):
        """Reads a buffer that another one has been put over since."""
        p = self.pick(2)
        q = self.tensor(p.ctype, p.count)
        self.unary(p, q)
        self.live.pop()
        r = self.let_at(p.ctype, p.count // 2, q.offset)
        self.run("half", [p], r, loop("i", r.count, f"q[i] = {self.element(p.ctype, 'p0[i]')};"))
        self.live.append(q)

    def narrow_write(self):
        """Bytes of elements, one by one, and not all of them."""
        p = self.pick(2)
        q = self.tensor(p.ctype, p.count)
        parts = self.random.choice([SIZES[p.ctype], SIZES[p.ctype], max(SIZES[p.ctype] - 1, 1)])
        at = f"((i * {SIZES[p.ctype]}) + k)"
        inner = loop("k", parts, f"((int8_t*)q)[{at}] = ((int8_t*)p0)[{at}];")
        self.run("bytes", [p], q, loop("i", p.count, *inner))
        self.result(q)

    def early_return(self):
        """A kernel that ends before it has written anything, and main ignores its result."""
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        code = self.random.choice([-1, 0, 1])
        body = [
            f"if (p0[0] > {literal(p.ctype, 3)}) {{",
            f"  return {code};",
            "}",
            *loop("i", p.count, "q[i] = p0[i];"),
        ]
        self.run("early", [p], q, body)
        if self.random.random() < 0.7:
            call = self.calls.pop().removeprefix("if (").removesuffix(" != 0 ) return -1;")
            self.calls.append(self.random.choice([f"{call};", f"(void){call};"]))
        self.result(q)

    def lossy_let(self):
        """A variable that is too small for what it is given."""
        p = self.pick(8)
        q = self.let_at(p.ctype, p.count, self.place(p.bytes() + 1024) + 512)
        ctype = self.random.choice(["int8_t", "uint8_t", "int16_t"])
        step = self.random.choice([40, 64, 100, 9000])
        # Large steps only where the index is masked: the others have to stay in the pool.
        indices = ["((int32_t)at) & 15"] + (["(((int32_t)at) / 40)"] if step < 9000 else [])
        index = self.random.choice(indices)
        body = loop("i", 4, f"{ctype} at = (i * {step});", f"q[{index}] = p0[i];")
        self.run("lossy", [p], q, body)
        self.result(q)

    def own_loops(self):
        """Loops that are none of TVM's."""
        p = self.pick(4)
        q = self.tensor(p.ctype, p.count)
        head = self.random.choice(
            [
                f"for (int32_t i = 0; i < {p.count}; i += 2) {{",
                f"for (int32_t i = 0; i <= {p.count - 1}; ++i) {{",
                f"for (int32_t i = {p.count - 1}; i >= 0; --i) {{",
                f"for (int32_t i = 0; i < {p.count}; i++) {{",
                f"for (int32_t i = 1; i < {p.count}; ++i) {{",
            ]
        )
        last = self.random.choice([[], ["  ++i;"], ["  if (i > 2) break;"], ["  i = (i + 1);"]])
        if "--i" in head:
            last = []
        self.run("own", [p], q, [head, "  q[i] = p0[i];", *last, "}"])
        self.result(q)

    def while_loop(self):
        p = self.pick(4)
        q = self.tensor(p.ctype, p.count)
        body = [
            "int32_t i[1];",
            "i[0] = 0;",
            f"while ((i[0] < {p.count})) {{",
            "  q[i[0]] = p0[i[0]];",
            "  i[0] = (i[0] + 1);",
            "}",
        ]
        self.run("while", [p], q, body)
        self.result(q)

    def pointer_variable(self):
        """A pointer that changes."""
        p = self.pick(4)
        q = self.tensor(p.ctype, p.count)
        body = [
            f"{p.ctype}* at = q;",
            *loop("i", p.count, "at[0] = p0[i];", "at = (at + 1);"),
        ]
        self.run("walk", [p], q, body)
        self.result(q)

    def copy_in_main(self):
        """main copies a tensor, all of it or less or more."""
        p = self.pick()
        if p.offset < 0:
            return
        q = self.tensor(p.ctype, p.count)
        count = p.bytes() + self.random.choice([0, 0, -1, 4])
        to, of = f"((uint8_t*){q.expression})", f"((uint8_t*){p.expression})"
        self.calls += loop("i", count, f"{to}[i] = {of}[i];")
        self.result(q)

    def calls_kernel(self):
        """A kernel that calls another one."""
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        self.unary(p, q)
        self.live.pop()
        r = self.tensor(p.ctype, p.count)
        pool = f"{POOL}_{self.names + 1}_var"
        body = [f"if ({self.kernels[-1][0]}(p0, q, {pool}) != 0 ) return -1;"]
        self.run("calls", [q], r, body)
        self.result(r)

    def two_views(self):
        """Reads through one pointer what it has written through another."""
        p = self.pick(4)
        q = self.tensor(p.ctype, p.count)
        shift = self.random.randint(0, 2)
        body = [
            f"void* r_let = (&(q[{shift}]));",
            *loop("i", p.count - shift, f"(({p.ctype}*)r_let)[i] = p0[i];"),
            *loop("k", p.count, f"q[k] = {plus(p.ctype, 'q[k]', 'p0[k]')};"),
        ]
        self.run("views", [p], q, body)
        self.result(q)

    def pool_itself(self):
        """A kernel that uses its pool without a let."""
        p = self.pick()
        q = self.tensor(p.ctype, p.count)
        offset = self.place(64)
        pool = f"{POOL}_{self.names + 1}_var"
        body = [
            f"{pool}[{offset}] = ((uint8_t)3);",
            *loop("i", p.count, f"q[i] = {plus(p.ctype, 'p0[i]', f'(({p.ctype}){pool}[{offset}])')};"),
        ]
        self.run("bare", [p], q, body)
        self.result(q)

    ODD = (
        "cast_store cast_wide pointer_in_kernel pointer_in_main beyond behind write_beyond two_halves "
        "alias partial holes read_first late_init condition_on_data branches scratch_left "
        "scratch_unwritten scratch_beyond pool_with_offset swapped called_swapped state kept_pointer "
        "call_in_branch main_writes gather extern bound_by_data moving_pointer over_itself same_twice "
        "stale narrow_write early_return lossy_let own_loops while_loop pointer_variable copy_in_main "
        "calls_kernel two_views pool_itself"
    ).split()

    # --- The whole ----------------------------------------------------------------------------

    def random_steps(self):
        choose = self.random
        steps = [choose.choice(self.SOUND) for _ in range(choose.randint(2, 6))]
        for one in choose.sample(self.ODD, choose.choice([0, 0, 1, 1, 1, 2, 3])):
            steps.insert(choose.randint(0, len(steps)), one)
        return steps

    def build(self, steps):
        choose = self.random
        ctype = choose.choice(list(SIZES))
        self.input = Tensor("x_buffer_var", ctype, choose.choice([4, 5, 8, 16, 16, 32, 61]))
        self.live = [self.input]
        # Shapes shrink: what needs more elements than there are is left out.
        for step in steps:
            calls = len(self.calls)
            with contextlib.suppress(NothingFits):
                getattr(self, step)()
            if step in self.ODD and len(self.calls) != calls:
                self.oddities.append(step)
        last = self.live[-1]
        self.output = Tensor("output_buffer_var", last.ctype, last.count)
        self.unary(last, self.output)
        return self

    def archive(self):
        pool = self.end + SLACK
        self.workspace = pool + self.stack
        return Archive(
            {
                "metadata.json": self.metadata(),
                WRAPPER: self.wrapper(pool),
                CODE: self.code(),
                HEADER: self.header(),
            },
            self.oddities,
            self.input.ctype,
            self.output.bytes(),
        )

    def metadata(self):
        def tensor(one):
            return {"dtype": DTYPES[one.ctype], "size": one.bytes()}

        main = {
            "constants_size_bytes": 0,
            "device": 1,
            "inputs": {"x": tensor(self.input)},
            "io_size_bytes": self.input.bytes() + self.output.bytes(),
            "outputs": {"output": tensor(self.output)},
            "workspace_size_bytes": self.workspace,
        }
        module = {
            "executors": ["aot"],
            "export_datetime": "2024-01-01 00:00:00Z",
            "memory": {"functions": {"main": [main], "operator_functions": []}},
            "model_name": "default",
            "style": "full-model",
            "target": ["c -keys=cpu "],
        }
        return json.dumps({"modules": {"default": module}, "version": 7}, indent=2)

    @staticmethod
    def wrapper(pool):
        main = "tvmgen_default___tvm_main__"
        return f"""#include "tvm/runtime/c_runtime_api.h"
#ifdef __cplusplus
extern "C" {{
#endif
__attribute__((section(".bss.noinit.tvm"), aligned(16)))
static uint8_t {POOL}[{pool}];
#include <tvmgen_default.h>
TVM_DLL int32_t {main}(void* x,void* output0,uint8_t* {POOL}_0_var);
int32_t tvmgen_default_run(struct tvmgen_default_inputs* inputs,struct tvmgen_default_outputs* outputs) {{return {main}(inputs->x,outputs->output,((uint8_t*)&{POOL}));
}}
#ifdef __cplusplus
}}
#endif
;"""

    def header(self):
        return f"""#ifndef TVMGEN_DEFAULT_H_
#define TVMGEN_DEFAULT_H_
#include <stdint.h>
#define TVMGEN_DEFAULT_X_SIZE {self.input.bytes()}
#define TVMGEN_DEFAULT_OUTPUT_SIZE {self.output.bytes()}
struct tvmgen_default_inputs {{
  void* x;
}};
struct tvmgen_default_outputs {{
  void* output;
}};
int32_t tvmgen_default_run(
  struct tvmgen_default_inputs* inputs,
  struct tvmgen_default_outputs* outputs
);
#define TVMGEN_DEFAULT_WORKSPACE_SIZE {self.workspace}
#endif // TVMGEN_DEFAULT_H_
"""

    def code(self):
        main = [
            (self.input.ctype + "*", "x_buffer_var"),
            (self.output.ctype + "*", "output_buffer_var"),
            ("uint8_t*", f"{POOL}_0_var"),
        ]
        body = [*self.lets, *self.calls]
        functions = [*self.kernels, ("tvmgen_default___tvm_main__", main, body)]
        guard = '#ifdef __cplusplus\nextern "C"\n#endif\n'

        def head(name, parameters):
            listed = ", ".join(f"{ctype} {parameter}" for ctype, parameter in parameters)
            return f"{guard}TVM_DLL int32_t {name}({listed})"

        text = [
            "// tvm target: c -keys=cpu ",
            "#define TVM_EXPORTS",
            '#include "tvm/runtime/c_runtime_api.h"',
            '#include "tvm/runtime/c_backend_api.h"',
            "#include <math.h>",
            "#include <stdbool.h>",
            *self.statics,
            *(head(name, parameters) + ";" for name, parameters, _ in functions),
        ]
        for name, parameters, body in functions:
            lines = "".join(f"  {line}\n" for line in body)
            text.append(f"{head(name, parameters)} {{\n{lines}  return 0;\n}}\n")
        return "\n".join(text)


def archive(seed):
    network = Network(seed)
    return network.build(network.random_steps()).archive()


def archive_of(steps, seed=0):
    """These steps alone; sizes and types are those of the seed."""
    return Network(seed).build(steps).archive()


def tar_of(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo("./" + name)
            info.size = len(content.encode())
            tar.addfile(info, io.BytesIO(content.encode()))
    return out.getvalue()


def with_two_pools(members, swapped_call=None):
    """The archive with a second pool that all kernels are given. The call with this number gives the
    two the other way round."""
    first, second = f"{POOL}_0_var", "other_workspace_90_var"
    code = members[CODE]
    code = re.sub(rf"uint8_t\* {POOL}_(\d+)_var", r"\g<0>, uint8_t* other_workspace_9\1_var", code)
    code, calls = re.subn(rf"{first}\) != 0", f"{first}, {second}) != 0", code)
    if swapped_call is not None:
        at = [one.start() for one in re.finditer(rf"{first}, {second}\) != 0", code)][swapped_call]
        code = code[:at] + code[at:].replace(f"{first}, {second}", f"{second}, {first}", 1)
    wrapper = members[WRAPPER]
    size = re.search(rf"{POOL}\[(\d+)\]", wrapper)[1]
    for old, new in (
        (f"static uint8_t {POOL}[{size}];", f"static uint8_t {POOL}[{size}], other_workspace[{size}];"),
        (f"uint8_t* {first})", f"uint8_t* {first},uint8_t* {second})"),
        (f"((uint8_t*)&{POOL})", f"((uint8_t*)&{POOL}),((uint8_t*)&other_workspace)"),
    ):
        assert old in wrapper and calls
        wrapper = wrapper.replace(old, new)
    wrapper = wrapper.replace(", other_workspace[", ";\nstatic uint8_t other_workspace[")
    changed = {CODE: code, WRAPPER: wrapper}
    for name, before in (("metadata.json", f": {size}\n"), (HEADER, f"WORKSPACE_SIZE {size}\n")):
        changed[name] = members[name].replace(before, before.replace(size, str(2 * int(size))))
    return {**members, **changed}

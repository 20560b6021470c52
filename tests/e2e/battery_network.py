"""Networks of battery_archives.py: buffers in a memory pool, kernels as text, their calls."""

import dataclasses
import random

SIZES = {"int8_t": 1, "uint8_t": 1, "int16_t": 2, "int32_t": 4, "float": 4, "double": 8}
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


class Buffers:
    """The buffers of a network in its pool, and the kernels that were written for it."""

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

    def pick_in_pool(self, least=1):
        """A tensor that holds something and is no input."""
        p = self.pick(least)
        if p.offset < 0:
            raise NothingFits
        return p

    def pair(self, least=1):
        """A tensor that holds something, and another one of its kind."""
        p = self.pick(least)
        return p, self.tensor(p.ctype, p.count)

    def result(self, tensor):
        self.live.append(tensor)
        # Old ones are let go of, so that there is something to plan.
        if len(self.live) > self.random.choice([1, 2, 3]):
            gone = self.live.pop(0)
            if gone.offset in self.own:
                self.free.append((gone.offset, self.own.pop(gone.offset)))

    def make(self, stem, inputs, output, body):
        """`run`, where the output is what later kernels take."""
        self.run(stem, inputs, output, body)
        self.result(output)

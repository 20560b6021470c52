"""Kernels of battery_archives.py as TVM writes them."""

from battery_network import POOL, Buffers, literal, loop, plus


class Kernels(Buffers):
    """Each method adds a kernel of its kind, and its call."""

    def element(self, ctype, value):
        return plus(ctype, value, literal(ctype, self.random.randint(1, 3)))

    def unary(self, p=None, q=None):
        p = p or self.pick()
        q = q or self.tensor(p.ctype, p.count)
        self.make("unary", [p], q, loop("i", p.count, f"q[i] = {self.element(p.ctype, 'p0[i]')};"))

    def nested(self):
        p = self.pick(4)
        columns = self.random.choice([2, 3, 4])
        rows = p.count // columns
        q = self.tensor(p.ctype, rows * columns)
        at = f"((i * {columns}) + k)"
        inner = loop("k", columns, f"q[{at}] = {self.element(p.ctype, f'p0[{at}]')};")
        self.make("nested", [p], q, loop("i", rows, *inner))

    def binary(self):
        p = self.pick()
        other = self.pick(1, p.ctype)
        q = self.tensor(p.ctype, p.count)
        at = "i" if other.count >= p.count else f"(i % {other.count})"
        self.make("binary", [p, other], q, loop("i", p.count, f"q[i] = {plus(p.ctype, 'p0[i]', f'p1[{at}]')};"))

    def widen(self):
        p = self.pick()
        ctype = self.random.choice(["int32_t", "float"]) if p.ctype != "double" else "double"
        q = self.tensor(ctype, p.count)
        self.make("cast", [p], q, loop("i", p.count, f"q[i] = (({ctype})p0[i]);"))

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
        self.make("reduce", [p], q, body)

    def pad(self):
        p = self.pick()
        side = self.random.randint(1, 5)
        q = self.tensor(p.ctype, p.count + 2 * side)
        inside = f"(({side} <= i) && (i < {p.count + side}))"
        value = f"({inside} ? p0[(i - {side})] : {literal(p.ctype, 0)})"
        self.make("pad", [p], q, loop("i", q.count, f"q[i] = {value};"))

    def stencil(self):
        p = self.pick(4)
        q = self.tensor(p.ctype, p.count - 2)
        total = plus(p.ctype, plus(p.ctype, "p0[i]", "p0[(i + 1)]"), "p0[(i + 2)]")
        self.make("stencil", [p], q, loop("i", q.count, f"q[i] = {total};"))

    def stride(self):
        p = self.pick(4)
        q = self.tensor(p.ctype, p.count // 2)
        self.make("stride", [p], q, loop("i", q.count, "q[i] = p0[(i * 2)];"))

    def transpose(self):
        p = self.pick(4)
        rows = self.random.choice([2, 3, 4])
        columns = p.count // rows
        q = self.tensor(p.ctype, rows * columns)
        to = f"(((i % {columns}) * {rows}) + (i / {columns}))"
        self.make("transpose", [p], q, loop("i", q.count, f"q[{to}] = p0[i];"))

    def reverse(self):
        p, q = self.pair()
        self.make("reverse", [p], q, loop("i", p.count, f"q[({p.count - 1} - i)] = p0[i];"))

    def concat(self):
        p = self.pick()
        other = self.pick(1, p.ctype)
        q = self.tensor(p.ctype, p.count + other.count)
        body = [
            *loop("i", p.count, "q[i] = p0[i];"),
            *loop("k", other.count, f"q[(k + {p.count})] = p1[k];"),
        ]
        self.make("concat", [p, other], q, body)

    def interleave(self):
        p = self.pick()
        other = self.pick(p.count, p.ctype)
        q = self.tensor(p.ctype, 2 * p.count)
        self.make("interleave", [p, other], q, loop("i", p.count, "q[(i * 2)] = p0[i];", "q[((i * 2) + 1)] = p1[i];"))

    def split(self):
        p = self.pick(4)
        first = self.random.randint(0, p.count // 2)
        q = self.tensor(p.ctype, p.count - first)
        self.make("split", [p], q, loop("i", q.count, f"q[i] = p0[(i + {first})];"))

    def scan(self):
        p, q = self.pair(2)
        add = f"q[(i + 1)] = {plus(p.ctype, 'q[i]', 'p0[(i + 1)]')};"
        self.make("scan", [p], q, ["q[0] = p0[0];", *loop("i", p.count - 1, add)])

    def tail(self):
        p, q = self.pair(2)
        at = "((o * 8) + i)"
        store = [f"if ({at} < {p.count}) {{", f"  q[{at}] = {self.element(p.ctype, f'p0[{at}]')};", "}"]
        self.make("tail", [p], q, loop("o", (p.count + 7) // 8, *loop("i", 8, *store)))

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
        self.make("let_index", [p], q, body)

    def local(self):
        p, q = self.pair()
        # As much as one kernel has, rounded up as TVM does.
        self.stack = 16
        body = [f"{p.ctype} acc[2];", *loop("i", p.count, "acc[0] = p0[i];", "q[i] = acc[0];")]
        self.make("local", [p], q, body)

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
        self.make("scratch", [p], q, body)

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
        self.make("take", [p, index], q, loop("i", q.count, f"q[i] = p0[{at}];"))

    def blocks(self):
        """Tiles in another order than memory, and a bound of the inner loop that depends on the outer."""
        p = self.pick(6)
        q = self.tensor(p.ctype, p.count // 6 * 6)
        at = "(((o * 6) + (k * 2)) + i)"
        self.make("blocks", [p], q, loop("i", 2, *loop("k", 3, *loop("o", p.count // 6, f"q[{at}] = p0[{at}];"))))

    SOUND = (
        "unary nested binary widen reduce pad stencil stride transpose reverse concat interleave split "
        "scan tail let_index local scratch update both again take blocks"
    ).split()

"""What people write by hand and TVM never does, for the networks of battery_archives.py."""

from battery_kernels import Kernels
from battery_network import POOL, SIZES, Tensor, literal, loop, plus


class Oddities(Kernels):
    """Each method adds one of them, where the network has a place for it."""

    def cast_store(self):
        """Stores through a pointer to elements of another size."""
        p = self.pick(8)
        ctype = self.random.choice([one for one in SIZES if one != p.ctype])
        count = self.random.choice([p.bytes(), p.bytes() // 2]) // SIZES[ctype]
        if count < 1:
            return
        q = self.tensor(p.ctype, p.count)
        value = f"(({ctype}*)p0)[i]"
        self.make("cast_store", [p], q, loop("i", count, f"(({ctype}*)q)[i] = {value};"))

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
        self.make("pointer", [p], q, body)

    def pointer_in_main(self):
        """main passes an address inside of a tensor."""
        p = self.pick_in_pool(4)
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
        p = self.pick_in_pool(2)
        more = self.random.choice([1, p.count, p.count // 2 + 1])
        q = self.tensor(p.ctype, p.count + more)
        self.make("beyond", [p], q, loop("i", q.count, f"q[i] = {self.element(p.ctype, 'p0[i]')};"))

    def behind(self):
        """Reads one tensor through the address of another."""
        p = self.pick_in_pool(2)
        distance = self.random.choice([1, -1]) * self.random.randint(1, 32)
        q = self.tensor(p.ctype, p.count)
        at = f"(i + {distance})" if distance > 0 else f"(i - {-distance})"
        self.make("behind", [p], q, loop("i", p.count, f"q[i] = p0[{at}];"))

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
        p, q = self.pair(2)
        shift = self.random.choice([0, 0, SIZES[p.ctype]])
        other = self.let_at(p.ctype, p.count - (1 if shift else 0), q.offset + shift)
        self.unary(p, q)
        self.live.pop()
        self.live.append(other)
        if self.random.random() < 0.5:
            self.live.append(q)

    def partial(self):
        """Writes a part; the rest is of before, or of another kernel."""
        p, q = self.pair(4)
        part = self.random.randint(1, p.count - 1)
        self.run("partial", [p], q, loop("i", part, "q[i] = p0[i];"))
        if self.random.random() < 0.7:
            body = loop("i", p.count - part, f"q[(i + {part})] = p0[i];")
            self.run("rest", [p], q, body)
        self.result(q)

    def holes(self):
        """Writes every other element."""
        p, q = self.pair(4)
        self.run("holes", [p], q, loop("i", p.count // 2, "q[(i * 2)] = p0[i];"))
        if self.random.random() < 0.5:
            r = self.tensor(p.ctype, p.count // 2)
            self.run("even", [q], r, loop("i", r.count, "q[i] = p0[(i * 2)];"))
            q = r
        self.result(q)

    def read_first(self):
        """Reads its result before it writes it."""
        p, q = self.pair()
        self.make("read_first", [p], q, loop("i", p.count, f"q[i] = {plus(p.ctype, 'q[i]', 'p0[i]')};"))

    def late_init(self):
        """Reads an element of its result in the iteration before the one that writes it."""
        p, q = self.pair(3)
        self.make("late_init", [p], q, loop("i", p.count - 1, f"q[i] = {plus(p.ctype, 'q[(i + 1)]', 'p0[i]')};"))

    def condition_on_data(self):
        """A store that happens or not."""
        p, q = self.pair()
        body = loop("i", p.count, f"if (p0[i] > {literal(p.ctype, 1)}) {{", "  q[i] = p0[i];", "}")
        self.make("condition", [p], q, body)

    def branches(self):
        """Each element is written in one of two branches."""
        p, q = self.pair()
        body = loop(
            "i",
            p.count,
            f"if (p0[i] > {literal(p.ctype, 1)}) {{",
            "  q[i] = p0[i];",
            "} else {",
            f"  q[i] = {literal(p.ctype, 2)};",
            "}",
        )
        self.make("branches", [p], q, body)

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
        self.make("few", [p], q, body)

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
        self.make("scratch_beyond", [p], q, body)

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
        p, q = self.pair()
        body = loop("i", p.count, f"q[i] = {self.element(p.ctype, 'p0[i]')};")
        name = self.kernel("swapped", [(p.ctype + "*", "q"), (p.ctype + "*", "p0")], body)
        self.call(name, q, p)
        self.result(q)

    def called_swapped(self):
        """A call that gives a kernel its arguments the wrong way round."""
        p, q = self.pair()
        self.unary(p, q)
        self.live.pop()
        name = self.kernels[-1][0]
        r = self.tensor(p.ctype, p.count)
        self.unary(q, r)
        self.call(name, r, q)

    def state(self):
        """A kernel that remembers something from call to call."""
        p, q = self.pair()
        counter = self.name("calls_")
        body = [
            *loop("i", p.count, f"q[i] = {plus(p.ctype, 'p0[i]', f'(({p.ctype}){counter})')};"),
            f"{counter} = ({counter} + 1);",
        ]
        if self.random.random() < 0.5:
            body.insert(0, f"static int32_t {counter} = 0;")
        else:
            self.statics.append(f"static int32_t {counter};")
        self.make("state", [p], q, body)

    def kept_pointer(self):
        """A kernel that keeps the address that it is given, for the next call."""
        p = self.pick()
        q, r = self.tensor(p.ctype, p.count), self.tensor(p.ctype, p.count)
        kept = self.name("kept_")
        self.statics.append(f"static {p.ctype}* {kept};")
        self.run("keep", [p], q, [f"{kept} = p0;", *loop("i", p.count, "q[i] = p0[i];")])
        self.make("use_kept", [q], r, loop("i", p.count, f"q[i] = {plus(p.ctype, 'p0[i]', f'{kept}[i]')};"))

    def call_in_branch(self):
        """main calls a kernel under a condition."""
        p, q = self.pair()
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
        p = self.pick_in_pool()
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
        self.make("gather", [p, index], q, loop("i", q.count, f"q[i] = p0[{at}];"))

    def extern(self):
        """A function of C's library."""
        p, q = self.pair()
        body = [f"memcpy(q, p0, {p.bytes()});"]
        if self.random.random() < 0.5:
            body = [f"memset(q, 1, {p.bytes()});", *loop("i", p.count // 2, "q[i] = p0[i];")]
        self.make("extern", [p], q, body)

    def bound_by_data(self):
        p, q = self.pair(2)
        body = [
            *loop("i", p.count, "q[i] = p0[i];"),
            f"int32_t bound = (((int32_t)p0[0]) & {1 if p.count < 4 else 3});",
            *loop("k", "bound", f"q[k] = {literal(p.ctype, 1)};"),
        ]
        self.make("bound", [p], q, body)

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
        self.make("moving", [p], q, body)

    def over_itself(self):
        """A call whose result goes over its input, shifted by one element or in place."""
        p = self.pick_in_pool(4)
        shift = self.random.choice([0, 1])
        q = self.let_at(p.ctype, p.count - 1, p.offset + shift * SIZES[p.ctype])
        body = loop("i", q.count, f"q[i] = {self.element(p.ctype, 'p0[i]')};")
        self.run("over", [p], q, body)
        self.live = [q]

    def same_twice(self):
        """One tensor as two arguments of a call."""
        p = self.pick_in_pool(2)
        body = loop("i", p.count - 1, f"q[i] = {plus(p.ctype, 'p0[i]', 'p0[(i + 1)]')};")
        self.run("twice", [p], p, body)

    def stale(self):
        """Reads a buffer that another one has been put over since."""
        p, q = self.pair(2)
        self.unary(p, q)
        self.live.pop()
        r = self.let_at(p.ctype, p.count // 2, q.offset)
        self.run("half", [p], r, loop("i", r.count, f"q[i] = {self.element(p.ctype, 'p0[i]')};"))
        self.live.append(q)

    def narrow_write(self):
        """Bytes of elements, one by one, and not all of them."""
        p, q = self.pair(2)
        parts = self.random.choice([SIZES[p.ctype], SIZES[p.ctype], max(SIZES[p.ctype] - 1, 1)])
        at = f"((i * {SIZES[p.ctype]}) + k)"
        inner = loop("k", parts, f"((int8_t*)q)[{at}] = ((int8_t*)p0)[{at}];")
        self.make("bytes", [p], q, loop("i", p.count, *inner))

    def early_return(self):
        """A kernel that ends before it has written anything, and main ignores its result."""
        p, q = self.pair()
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
        self.make("lossy", [p], q, loop("i", 4, f"{ctype} at = (i * {step});", f"q[{index}] = p0[i];"))

    def own_loops(self):
        """Loops that are none of TVM's."""
        p, q = self.pair(4)
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
        self.make("own", [p], q, [head, "  q[i] = p0[i];", *last, "}"])

    def while_loop(self):
        p, q = self.pair(4)
        body = [
            "int32_t i[1];",
            "i[0] = 0;",
            f"while ((i[0] < {p.count})) {{",
            "  q[i[0]] = p0[i[0]];",
            "  i[0] = (i[0] + 1);",
            "}",
        ]
        self.make("while", [p], q, body)

    def pointer_variable(self):
        """A pointer that changes."""
        p, q = self.pair(4)
        body = [
            f"{p.ctype}* at = q;",
            *loop("i", p.count, "at[0] = p0[i];", "at = (at + 1);"),
        ]
        self.make("walk", [p], q, body)

    def copy_in_main(self):
        """main copies a tensor, all of it or less or more."""
        p = self.pick_in_pool()
        q = self.tensor(p.ctype, p.count)
        count = p.bytes() + self.random.choice([0, 0, -1, 4])
        to, of = f"((uint8_t*){q.expression})", f"((uint8_t*){p.expression})"
        self.calls += loop("i", count, f"{to}[i] = {of}[i];")
        self.result(q)

    def calls_kernel(self):
        """A kernel that calls another one."""
        p, q = self.pair()
        self.unary(p, q)
        self.live.pop()
        r = self.tensor(p.ctype, p.count)
        pool = f"{POOL}_{self.names + 1}_var"
        body = [f"if ({self.kernels[-1][0]}(p0, q, {pool}) != 0 ) return -1;"]
        self.make("calls", [q], r, body)

    def two_views(self):
        """Reads through one pointer what it has written through another."""
        p, q = self.pair(4)
        shift = self.random.randint(0, 2)
        body = [
            f"void* r_let = (&(q[{shift}]));",
            *loop("i", p.count - shift, f"(({p.ctype}*)r_let)[i] = p0[i];"),
            *loop("k", p.count, f"q[k] = {plus(p.ctype, 'q[k]', 'p0[k]')};"),
        ]
        self.make("views", [p], q, body)

    def pool_itself(self):
        """A kernel that uses its pool without a let."""
        p, q = self.pair()
        offset = self.place(64)
        pool = f"{POOL}_{self.names + 1}_var"
        body = [
            f"{pool}[{offset}] = ((uint8_t)3);",
            *loop("i", p.count, f"q[i] = {plus(p.ctype, 'p0[i]', f'(({p.ctype}){pool}[{offset}])')};"),
        ]
        self.make("bare", [p], q, body)

    ODD = (
        "cast_store cast_wide pointer_in_kernel pointer_in_main beyond behind write_beyond two_halves "
        "alias partial holes read_first late_init condition_on_data branches scratch_left "
        "scratch_unwritten scratch_beyond pool_with_offset swapped called_swapped state kept_pointer "
        "call_in_branch main_writes gather extern bound_by_data moving_pointer over_itself same_twice "
        "stale narrow_write early_return lossy_let own_loops while_loop pointer_variable copy_in_main "
        "calls_kernel two_views pool_itself"
    ).split()

"""Edits of generated C, its wrapper and its header, as people make them after the build, for c_edits.py.

A family is a function of an archive and a source of random numbers. It returns what it did and the
members of the edited archive, or nothing where the archive has no place for it. Whether the result
compiles, and to what, c_edits.py asks gcc.
"""

import dataclasses
import functools
import re

import hiding

HEADER = "codegen/host/include/tvmgen_default.h"
SOURCES = "codegen/host/src/"
POOL = re.compile(
    r'(__attribute__\(\(section\("\.bss\.noinit\.tvm"\), aligned\(\d+\)\)\)\n)static uint8_t (\w+)\[(\d+)\];\n'
)
CONSTANT = re.compile(r"^(?:static )?const (\w+) (?:__attribute__[^\n]*\) )?(\w+)\[(\d+)\] = \{", re.M)
MEMBER = re.compile(r"^  (\w+) (\w+)\[(\d+)\] __attribute__", re.M)
LET = re.compile(r"^ +void\* (\w+) = \(&\((\w+)\[(\d+)\]\)\);\n", re.M)
ENTRY = re.compile(r"^int32_t \w+_run\([^{;]*\) \{", re.M)
# Loops, constants and declarations of code that a family changes.
EXTENT = r"(for \(int32_t \w+ = 0; \w+ < )(\d+)(;)"
IMMEDIATE = r"(?<=[-+*/%(,=] )(?:\(\w+\))?(\d+)(?:\.\d+e[-+]\d+f)?(?=[);,])"
# What an edit calls that is in no file of the archive: the judge has a definition.
EXTERNAL = "hidden_kernel"


@dataclasses.dataclass(frozen=True)
class Edit:
    family: str
    name: str
    members: dict


class Kernel:
    """A function of generated C, and what it can be edited with."""

    def __init__(self, archive, function):
        self.archive, self.function = archive, function
        self.text = archive.texts[function.member]
        self.body = self.text[function.begin : function.end]
        head = self.text[function.head : function.begin]
        self.parameters = re.findall(r"(\w+)\* (\w+)[,)]", head[head.index("(") :])
        self.tensors = [one for one in self.parameters if "workspace_" not in one[1]]
        self.pools = [name for _, name in self.parameters if name.startswith("global_workspace")]
        self.lets = LET.findall(self.body)

    @property
    def result(self):
        return self.tensors[-1]

    def edited(self, begin, end, new, above=""):
        """Members with a part of the body replaced, and text above the function."""
        at, head = self.function.begin, self.above
        text = self.text[:head] + above + self.text[head : at + begin] + new + self.text[at + end :]
        return self.archive.with_text(self.function.member, text)

    @property
    def above(self):
        """The offset of its first line: `extern "C"` may come before the head."""
        guard = "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
        return self.function.head - len(guard) * self.text.endswith(guard, 0, self.function.head)

    def at_start(self, code, above=""):
        return self.edited(0, 0, f"  {code}\n", above)

    def at_end(self, code, above=""):
        at = self.body.rindex("  return 0;\n")
        return self.edited(at, at, f"  {code}\n", above)

    def anywhere(self, random, code, above=""):
        return random.choice([self.at_start, self.at_end])(code, above)

    def substituted(self, random, pattern, new, above=""):
        """Members with one match of `pattern` in the body replaced; nothing where there is none."""
        found = list(re.finditer(pattern, self.body, re.M))
        if not found:
            return None
        match = random.choice(found)
        new = new(match) if callable(new) else match.expand(new)
        return self.edited(match.start(), match.end(), new, above)

    def statements(self):
        """(begin, end) in the body of simple statements on one line."""
        for match in re.finditer(r"^ +(?!return|for|if|int|void|float|static)[^\n{}#/]+ = [^\n{}]+;\n", self.body, re.M):
            yield match.span()

    def place(self, random):
        """A place of a pool: text of an address, and how many bytes there may be behind it."""
        pool = self.archive.pool
        if not self.pools or pool is None:
            return None
        return self.pools[0], random.randrange(0, max(1, pool[1] - 16)) & ~3


class Archive(hiding.Archive):
    """An archive, with the kernels, main and pool of its one module."""

    def __init__(self, members):
        super().__init__(members)
        # Heads of functions with packed arguments have other parameters.
        kernels = [Kernel(self, one) for one in self.functions]
        self.kernels = [one for one in kernels if not one.function.is_main and one.tensors]
        self.mains = [one for one in kernels if one.function.is_main]
        self.pool, self.pool_file = None, None
        for name, text in self.texts.items():
            if found := POOL.search(text):
                self.pool, self.pool_file = (found[2], int(found[3])), name
        self.wrapper = next((name for name, text in self.texts.items() if ENTRY.search(text)), None)

    def in_wrapper(self, code, above="", behind=""):
        """Members with a statement before the call of main, and text above the entry."""
        text = self.texts[self.wrapper]
        entry = ENTRY.search(text)
        end = text.index("\n}", entry.end()) + 2
        made = text[: entry.start()] + above + entry[0] + code + text[entry.end() : end] + behind + text[end:]
        return self.with_text(self.wrapper, made)


FAMILIES = {}


def family(function):
    FAMILIES[function.__name__.replace("_", " ")] = function
    return function


def of_kernel(function):
    """A family that edits one kernel."""

    def edit(archive, random):
        return function(random.choice(archive.kernels), random) if archive.kernels else None

    FAMILIES[function.__name__.replace("_", " ")] = edit
    return function


def of_statement(function):
    """A family that edits one statement of a kernel: it gets the statement and its place."""

    @functools.wraps(function)
    def edit(kernel, random):
        places = list(kernel.statements())
        if not places:
            return None
        begin, end = random.choice(places)
        return function(kernel, random, begin, end, kernel.body[begin:end])

    return of_kernel(edit)


def of_pool(function):
    """A family that edits the file with the pool."""

    def edit(archive, random):
        return function(archive, random) if archive.pool else None

    FAMILIES[function.__name__.replace("_", " ")] = edit
    return function


# --- Kernels --------------------------------------------------------------------------------------


@of_kernel
def block_of_memory(kernel, random):
    choices = [f"memset({name}, 1, 4);" for _, name in kernel.tensors]
    if len(kernel.tensors) > 1:
        choices.append(f"memcpy({kernel.result[1]}, {kernel.tensors[0][1]}, 4);")
    if place := kernel.place(random):
        choices.append(f"memset(&{place[0]}[{place[1]}], 3, 16);")
        choices.append(f"__builtin_memset({place[0]} + {place[1]}, 3, 16);")
        choices.append(f"memcpy({kernel.result[1]}, {place[0]} + {place[1]}, 4);")
    code = random.choice(choices)
    return code, kernel.anywhere(random, code, "#include <string.h>\n")


@of_kernel
def kept_state(kernel, random):
    ctype, name = kernel.result
    choices = {
        f"static int32_t runs; {name}[0] = ({ctype})({name}[0] + runs++);": "",
        f"static {ctype} last[16]; {ctype} now = {name}[0]; {name}[0] = ({ctype})({name}[0] + last[3]); last[3] = now;": "",
        f"{name}[0] = ({ctype})({name}[0] + hidden_runs++);": "static int32_t hidden_runs = 1;\n",
    }
    if place := kernel.place(random):
        at = f"((int32_t*)({place[0]} + {place[1]}))[0]"
        choices[f"{at} = {at} + 1; {name}[0] = ({ctype})({name}[0] + ({at} & 3));"] = ""
    code, above = random.choice(list(choices.items()))
    return code, kernel.at_end(code, above)


@of_kernel
def union_or_struct(kernel, random):
    ctype, name = kernel.result
    union = f"union {{ int32_t word; uint8_t byte[4]; }} hidden_u; hidden_u.word = (int32_t){name}[0]; "
    choices = [union + f"{name}[0] = ({ctype})hidden_u.byte[0];"]
    if place := kernel.place(random):
        struct = "struct hidden_s { int16_t a; int16_t b; }; "
        choices.append(struct + f"{name}[0] = ({ctype})((struct hidden_s*)({place[0]} + {place[1]}))->b;")
        choices.append(struct + f"((struct hidden_s*)({place[0]} + {place[1]}))->a = 7;")
    code = random.choice(choices)
    return code, kernel.anywhere(random, code)


@of_kernel
def cast_through_an_integer(kernel, random):
    ctype, name = kernel.result
    source = random.choice(kernel.tensors)[1]
    choices = [f"{name}[0] = ({ctype})(*(int8_t*)((uintptr_t){source} + 1));"]
    if place := kernel.place(random):
        address = f"((uintptr_t){place[0]} + {place[1]})"
        choices.append(f"{name}[0] = ({ctype})(*(int8_t*){address});")
        choices.append(f"uintptr_t hidden_at = {address}; *(int8_t*)hidden_at = 3;")
    code = random.choice(choices)
    return code, kernel.anywhere(random, code)


@of_statement
def condition_of_the_preprocessor(kernel, random, begin, end, statement):
    form = random.choice([
        "#ifdef HIDDEN_FAST\n{}#endif\n", "#ifndef HIDDEN_FAST\n{}#endif\n", "#if 0\n{}#endif\n",
        "#if HIDDEN_LEVEL < 2\n{0}{0}#else\n{0}#endif\n", "#if defined(__GNUC__)\n{0}{0}#else\n{0}#endif\n",
    ])  # fmt: skip
    return " ".join(form.split()), kernel.edited(begin, end, form.format(statement))


@of_kernel
def macro_above(kernel, random):
    types = sorted(set(re.findall(r"\bu?int(?:8|16|32)_t\b", kernel.body)))
    names = [one[0] for one in kernel.lets] + [name for _, name in kernel.tensors]
    choices = [f"#define {one} {other}" for one in types for other in ("int64_t", "uint16_t") if one != other]
    choices += [f"#define {one} {other}" for one in names for other in names if one != other]
    choices += [f"#define {kernel.result[1]} ({kernel.result[1]} + 1)", "#define return if (0) return"]
    define = random.choice(choices)
    places = [begin for begin, _ in kernel.statements()]
    if places and random.random() < 0.8:
        at = random.choice(places)
        return f"{define}, inside", kernel.edited(at, at, define + "\n")
    return define, kernel.edited(0, 0, "", define + "\n")


@of_statement
def continued_line(kernel, random, begin, end, statement):
    words = list(re.finditer(r"\w\w\w", statement))
    choices = [f"  // once \\\n{statement}", f"  // once ??/\n{statement}"]
    if words:
        at = random.choice(words).start() + 1
        choices.append(statement[:at] + "\\\n" + statement[at:])
    new = random.choice(choices)
    return " ".join(new.split())[:60], kernel.edited(begin, end, new)


@of_statement
def digraphs(kernel, random, begin, end, statement):
    names = [one[0] for one in kernel.lets] + [name for _, name in kernel.tensors]
    define = f"%:define {random.choice(names)} {random.choice(names)}\n"
    if random.random() < 0.5:
        return define.strip(), kernel.edited(begin, begin, define)
    new = statement.replace("[", "<:").replace("]", ":>")
    more = random.choice(["", f"  <% {kernel.result[1]}<:0:> = 1; %>\n"])
    return " ".join((new + more).split())[:60], kernel.edited(begin, end, new + more)


@of_statement
def shadowed_name(kernel, random, begin, end, statement):
    if kernel.lets and random.random() < 0.5:
        name, pool, offset = random.choice(kernel.lets)
        code = f"void* {name} = (&({pool}[{max(0, int(offset) - 4)}]));"
    else:
        ctype, name = random.choice(kernel.tensors)
        other = random.choice([one for _, one in kernel.tensors])
        code = f"{ctype}* hidden = ({ctype}*){other}; {ctype}* {name} = hidden;"
    return code, kernel.edited(begin, end, f"  {{ {code}\n{statement}  }}\n")


@family
def reassigned_buffer(archive, random):
    if not archive.mains:
        return None
    main = archive.mains[0]
    names = re.findall(r"^  void\* (\w+) =", main.body, re.M)
    if not names:
        return None
    name = random.choice(names)
    tensors = [one for _, one in main.tensors]
    code = random.choice([
        f"{name} = (void*){random.choice(names + tensors)};", f"{name} = (uint8_t*){name} + 4;",
        f"void** hidden = &{name}; *hidden = {random.choice(names)};", f"((uint8_t*){name})[0] = 1;",
    ])  # fmt: skip
    return code, main.substituted(random, r"^  if \(tvmgen_\w+\(", lambda match: f"  {code}\n{match[0]}")


@of_kernel
def other_extent(kernel, random):
    def changed(match):
        new = random.choice([f"{int(match[2]) * 2}", f"({match[2]} - 1)", f"HIDDEN_N({match[2]})", f"{match[2]} / 2"])
        return match[1] + new + match[3]

    members = kernel.substituted(random, EXTENT, changed, "#define HIDDEN_N(n) ((n) + 1)\n")
    return members and ("extent of a loop", members)


@of_kernel
def other_constant(kernel, random):
    def changed(match):
        new = random.choice([str(int(match[1]) + 1), f"({match[1]} ^ 3)", "HIDDEN_VALUE", "0x7"])
        return match[0].replace(match[1], new, 1)

    members = kernel.substituted(random, IMMEDIATE, changed, "#define HIDDEN_VALUE 5\n")
    return members and ("immediate", members)


@of_kernel
def early_return(kernel, random):
    code = random.choice(["return 0;", "if (1) return 0;", f"if ({kernel.tensors[0][1]}[0] > 3) return 0;"])
    return code, kernel.at_start(code)


@of_kernel
def extra_workspace(kernel, random):
    size = random.choice(["8000", "(2 * 4000)", "HIDDEN_SIZE", "sizeof(struct hidden_s)"])
    above = "#define HIDDEN_SIZE 8000\nstruct hidden_s { int32_t word[2000]; };\n"
    code = f"void* extra = TVMBackendAllocWorkspace(1, 0, (uint64_t){size}, 0, 8); if (extra == NULL) return -1;"
    code += " if (TVMBackendFreeWorkspace(1, 0, extra) != 0) return -1;"
    return code, kernel.anywhere(random, code, above)


@of_kernel
def extra_table(kernel, random):
    ctype, name = kernel.result
    count = random.choice([200, 1000])
    values = ", ".join(str(i % 7) for i in range(count))
    extent = random.choice([str(count), "", "HIDDEN_COUNT", f"{count // 2} * 2"])
    table = f"static const int16_t hidden_table[{extent}] = {{{values}}};"
    code = f"{name}[0] = ({ctype})({name}[0] + hidden_table[(int32_t){name}[0] & 127]);"
    define = f"#define HIDDEN_COUNT {count}\n"
    if random.random() < 0.5:
        return f"table of {count}", kernel.at_end(f"{table} {code}", define)
    return f"table of {count} above", kernel.at_end(code, f"{define}{table}\n")


@of_kernel
def external_body(kernel, random):
    names = ", ".join(name for _, name in kernel.parameters[: random.randint(1, 2)] + kernel.parameters[-1:])
    body = f"  {random.choice(['return ', 'if (1) return '])}{EXTERNAL}({names});\n"
    if body.startswith("  if"):
        body += "  return 0;\n"
    return f"{EXTERNAL}({names})", kernel.edited(0, len(kernel.body), body, f"int32_t {EXTERNAL}();\n")


@of_kernel
def direct_access(kernel, random):
    place = kernel.place(random)
    if not place:
        return None
    ctype, name = kernel.result
    code = random.choice([
        f"{name}[0] = ({ctype}){place[0]}[{place[1]}];", f"{place[0]}[{place[1]}] = 1;",
        f"{name}[0] = ({ctype})*({place[0]} + {place[1]});", f"{name}[1] = ({ctype})((int16_t*){place[0]})[{place[1] // 2}];",
    ])  # fmt: skip
    return code, kernel.anywhere(random, code)


@of_kernel
def neighbour_of_a_constant(kernel, random):
    loads = list(re.finditer(r"(\(\(\w+\*\)\w*constant\w*\)|\b\w*constant_?\d*)\[(?!\d+\]\)\);)", kernel.body))
    if not loads:
        return None
    ctype, name = kernel.result
    index = random.choice(["-1", "4", "8", "288", "-2"])
    code = f"{name}[0] = ({ctype})({random.choice(loads)[1]}[{index}]);"
    return code, kernel.at_end(code)


@of_kernel
def helper_function(kernel, random):
    ctype, name = kernel.result
    choices = [
        (f"static void hidden_help({ctype}* to) {{ to[0] = ({ctype})(to[0] + 1); }}\n", f"hidden_help({name});"),
        (f"static inline {ctype} hidden_one({ctype} x) {{ static int runs; return ({ctype})(x + runs++); }}\n",
         f"{name}[0] = hidden_one({name}[0]);"),
        (f"#define HIDDEN_ADD(x) x = ({ctype})(x + 1)\n", f"HIDDEN_ADD({name}[0]);"),
        (f"static void hidden_help({ctype}* to) {{ to[0] = ({ctype})(to[0] + 1); }}\n"
         f"static void (*hidden_pointer)({ctype}*) = hidden_help;\n", f"hidden_pointer({name});"),
    ]  # fmt: skip
    if place := kernel.place(random):
        choices.append((f"static void hidden_touch(uint8_t* at) {{ at[{place[1]}] = 5; }}\n", f"hidden_touch({place[0]});"))
    above, code = random.choice(choices)
    return code, kernel.anywhere(random, code, above)


@of_statement
def control_flow(kernel, random, begin, end, statement):
    form = random.choice([
        "  if (0) {{\n{0}  }}\n", "  do {{\n{0}  }} while (0);\n", "  switch (1) {{ default:\n{0}  }}\n",
        "  for (int hidden = 0; hidden < 2; hidden++) {{\n{0}  }}\n", "  while (1) {{\n{0}  break;\n  }}\n",
        "  if (({1}[0], 0)) {{\n{0}  }}\n", "{0}  goto hidden; hidden: ;\n", "  for (int hidden = 3; hidden--; ) {{\n{0}  }}\n",
        "  if (0);\n{0}", "  if (0) ; else {{\n{0}  }}\n", "  {{ {{\n{0}  }} }}\n", "{0}  continue;\n", "{0}  break;\n",
    ])  # fmt: skip
    return " ".join(form.split()), kernel.edited(begin, end, form.format(statement, kernel.result[1]))


@of_kernel
def type_of_another_name(kernel, random):
    types = sorted(set(re.findall(r"\b(?:u?int(?:8|16|32)_t|float)\b", kernel.body)))
    other = random.choice(["int64_t", "int8_t", "double", "uint32_t"])
    if not types:
        return None
    code = f"typedef {other} {random.choice(types)};"
    return code, kernel.at_start(code)


@of_statement
def comment_or_string(kernel, random, begin, end, statement):
    form = random.choice([
        "/* // */ {0}", "/* {0} */\n", "//* \n{0}", '(void)"/*"; {0}(void)"*/";\n', "(void)'\"'; {0}(void)'\"';\n",
        '(void)"\\\\"; {0}', "/\\\n/ {0}", "/\\\n* {0} *\\\n/\n", "/* *\\\n/ {0} /* */\n", '_Pragma("GCC unroll 1") {0}', "#if 1 /* \n */\n{0}#endif\n",
        '#define HIDDEN "\n{0}', "#if 0 // \\\n\n{0}#endif\n", "#if '/*' == 0 // */\n{0}#endif\n", "# /* \n */ if 0\n{0}#endif\n",
    ])  # fmt: skip
    return " ".join(form.split()), kernel.edited(begin, end, form.format(statement))


@family
def calls_of_main(archive, random):
    if not archive.mains:
        return None
    main = archive.mains[0]
    call = r"^  (if \((tvmgen_\w+\([^;]*\)) != 0 \) return -1;)\n"
    form = random.choice([
        r"  \1\n  \1\n", "", r"  (void)\2;\n", r"  for (int hidden = 0; hidden < 2; hidden++) \1\n", r"  if (0) \1\n",
        r"  int hidden = \2;\n", r"  // \1\n", r"  /* \1 */\n", "#ifdef HIDDEN\n  \\1\n#endif\n", r"  if (\2) return -1;\n",
        r"  \2 ? 0 : 1;\n", r"  if (hidden_first) { hidden_first = 0; \1 }\n",
    ])  # fmt: skip
    members = main.substituted(random, call, form, "static int hidden_first = 1;\n" if "first" in form else "")
    return members and (" ".join(form.split()), members)


# --- Sizes ----------------------------------------------------------------------------------------


@of_pool
def size_of_a_pool(archive, random):
    name, size = archive.pool
    above = f"#define HIDDEN_SIZE ({size} + 4000)\nenum {{ hidden_bytes = {size} * 2 }};\n"
    above += f"struct hidden_s {{ uint8_t byte[{size}]; int32_t word[500]; }};\n"
    declaration = random.choice([
        f"uint8_t {name}[{size}+4000]", f"uint8_t {name}[(({size})) * 2]", f"uint8_t {name}[HIDDEN_SIZE]",
        f"uint8_t {name}[sizeof(struct hidden_s)]", f"uint8_t {name}[hidden_bytes]", f"uint32_t {name}[{size}]",
        f"uint8_t {name}[1 ? {size + 2000} : {size}]", f"uint8_t {name}[{hex(size + 4096)}]",
        f"uint8_t {name}[2][{size}]", f"struct hidden_s {name}", f"uint8_t {name}[{size}u << 1]",
        f"uint8_t {name}[{size}], hidden_more[4000]", f"uint8_t {name}[0{size + 999:o}]",
    ])  # fmt: skip
    new = rf"{above}\1static {declaration};" + "\n"
    return declaration, archive.substituted(POOL.pattern, new, archive.pool_file)


@of_pool
def condition_around_a_pool(archive, random):
    name, size = archive.pool
    condition = random.choice(["#ifdef HIDDEN_SMALL", "#if 0", "#if HIDDEN_SMALL > 1", "#ifdef __cplusplus"])
    text = archive.texts[archive.pool_file]
    pool = POOL.search(text)
    large = pool[0].replace(f"[{size}]", f"[{size + 3000}]")
    new = f"{condition}\n{pool[0]}#else\n{large}#endif\n"
    return condition, archive.replaced(archive.pool_file, *pool.span(), new)


@family
def size_of_a_constant(archive, random):
    found = [
        (file, match) for file, text in archive.texts.items() for form in (CONSTANT, MEMBER) for match in form.finditer(text)
    ]
    if not found:
        return None
    file, match = random.choice(found)
    count = int(match[3])
    extent = random.choice([f"{count} + 500", f"{count} * 2", f"sizeof(int32_t) * {count}", f"{hex(count + 300)}", "HIDDEN_COUNT"])
    text = archive.texts[file]
    above = f"#define HIDDEN_COUNT ({count} + 700)\n"
    made = above + text[: match.start(3)] + extent + text[match.end(3) :]
    return f"{match[2]}[{extent}]", archive.with_text(file, made)


@family
def value_of_a_constant(archive, random):
    found = [
        (file, match) for file, text in archive.texts.items() for match in re.finditer(r"(?<=[ {])[-+]0x[0-9a-f]+(?=,)", text)
    ]
    if not found:
        return None
    file, match = random.choice(found)
    value = int(match[0], 16)
    new = random.choice([f"{value // 2 + 1}", f"({value} / 3)", "HIDDEN_VALUE", f"'{chr(65 + abs(value) % 20)}'"])
    text = "#define HIDDEN_VALUE 2\n" + archive.texts[file][: match.start()] + new + archive.texts[file][match.end() :]
    return f"{match[0]} becomes {new}", archive.with_text(file, text)


@family
def constant_that_no_kernel_uses(archive, random):
    names = [match[2] for text in archive.texts.values() for match in CONSTANT.finditer(text)] or ["hidden"]
    file, name = random.choice([one for one in archive.texts if one.endswith(".c")]), random.choice(names)
    section = '__attribute__((section(".rodata.tvm"), aligned(16)))'
    table = random.choice([
        f"static const int16_t {section} {name}[40] = {{\n    {'+0x0001, ' * 39}+0x0001\n}};\n", "const int hidden[300] = {1};\n",
        "static const struct { int a[44]; } hidden = {{1}};\n", "const char* const hidden[4] = {0};\n",
        f"static const int32_t {name}[200] = {{1}};\nint hidden_use(int i) {{ return {name}[i]; }}\n",
        "int hidden_use(int i) { static const int table[99] = {1}; return table[i]; }\n",
    ])  # fmt: skip
    return table[:60].strip(), archive.with_text(file, archive.texts[file] + table)


@family
def alignment_of_a_constant(archive, random):
    found = [(file, match) for file, text in archive.texts.items() for match in re.finditer(r"aligned\(\d+\)", text)]
    if not found:
        return None
    file, match = random.choice(found)
    new = f"aligned({random.choice([1, 64, 1024])})"
    return new, archive.replaced(file, *match.span(), new)


# --- The wrapper and other files --------------------------------------------------------------------


@of_pool
def pool_in_the_wrapper(archive, random):
    name, size = archive.pool
    code, above = random.choice([
        (f" memset({name}, 0, {size}); ", ""),
        (f" memset({name}, 0, sizeof({name})); ", ""),
        (f" memset({name}, 0, sizeof {name}); ", ""),
        (f" for (int i = 0; i < {size}; ++i) {name}[i] = 0; ", ""),
        (f" {name}[{random.randrange(size)}] = 1; ", ""),
        (" memset(hidden_pool, 0, hidden_size); ",
         f"static uint8_t* const hidden_pool = {name};\nenum {{ hidden_size = sizeof({name}) }};\n"),
        (f" HIDDEN_CLEAR({name}); ", "#define HIDDEN_CLEAR(pool) memset(pool, 0, sizeof(pool))\n"),
    ])  # fmt: skip
    return code.strip(), archive.in_wrapper(code, "#include <string.h>\n" + above)


@of_pool
def assertion_about_a_pool(archive, random):
    name, size = archive.pool
    above = random.choice([
        f'_Static_assert(sizeof({name}) == {size}, "pool");\n', f'_Static_assert(sizeof({name}) >= {size}, "pool");\n',
        f"#if TVMGEN_DEFAULT_WORKSPACE_SIZE < {size}\n#error pool\n#endif\n",
        f"typedef char hidden_assert[sizeof({name}) == {size} ? 1 : -1];\n",
        f'_Static_assert(TVMGEN_DEFAULT_WORKSPACE_SIZE == {size}, "header");\n',
        f"#if TVMGEN_DEFAULT_WORKSPACE_SIZE != {size}\nextern int hidden_missing(void);\n"
        "static int hidden_use __attribute__((used)) = sizeof(char[-1]);\n#endif\n",
    ])  # fmt: skip
    return above.strip(), archive.in_wrapper("", above)


@of_pool
def snapshot_of_a_pool(archive, random):
    name, size = archive.pool
    above = f"#include <string.h>\nstatic uint8_t hidden_copy[{random.choice([str(size), f'sizeof({name})'])}];\n"
    above += "static int hidden_runs;\n"
    code = f" if (hidden_runs++) memcpy({name}, hidden_copy, sizeof(hidden_copy)); "
    behind = f"\nvoid hidden_save(void) {{ memcpy(hidden_copy, {name}, sizeof(hidden_copy)); }}\n"
    prototype = "void hidden_save(void);\n"
    edited = archive.in_wrapper(code + ("hidden_save(); " if random.random() < 0.5 else ""), above + prototype, behind)
    return "snapshot", edited


@family
def image_of_constants(archive, random):
    text = archive.texts.get(archive.wrapper, "")
    if "&global_const_workspace)" not in text:
        return None
    name = random.choice(["hidden_image", "hidden_image + 0"])
    size = random.choice(["sizeof(global_const_workspace)", "608", "sizeof global_const_workspace"])
    above = "#include <string.h>\nstatic uint8_t hidden_image[sizeof(global_const_workspace)] __attribute__((aligned(16)));\n"
    text = text.replace("((uint8_t*)&global_const_workspace)", f"({name})")
    changed = Archive(archive.with_text(archive.wrapper, text))
    return "image", changed.in_wrapper(f" memcpy(hidden_image, &global_const_workspace, {size}); ", above)


@of_pool
def glued_name(archive, random):
    name, size = archive.pool
    left, right = name[:6], name[6:]
    paste = random.choice(["a##b", "a %:%: b", "a ## b", "a#\\\n#b"])
    define = random.choice(["#define", "%:define", "# define"]) + f" HIDDEN_GLUE(a, b) {paste}\n"
    code = f" memset(HIDDEN_GLUE({left}, {right}), 1, {size}); "
    return paste, archive.in_wrapper(code, "#include <string.h>\n" + define)


@of_pool
def pool_by_its_section(archive, random):
    name, size = archive.pool
    text = archive.texts[archive.pool_file].replace('section(".bss.noinit.tvm")', 'section("tvm_pool")')
    changed = Archive(archive.with_text(archive.pool_file, text))
    changed.wrapper = archive.wrapper
    above = "#include <string.h>\nextern uint8_t __start_tvm_pool[], __stop_tvm_pool[];\n"
    code = " memset(__start_tvm_pool, 1, (size_t)(__stop_tvm_pool - __start_tvm_pool)); "
    if random.random() < 0.3:
        code = f" memset(__start_tvm_pool, 1, {size}); "
    return code.strip(), changed.in_wrapper(code, above)


@family
def source_of_another_suffix(archive, random):
    """A file that is included: all of one, or a new one that uses the pool."""
    suffix = random.choice(["inc", "def", "txt", "cpp", "h"])
    if archive.pool and random.random() < 0.6:
        name, size = archive.pool
        code = f"static void hidden_clear(void) {{ memset({name}, 1, {random.choice([str(size), f'sizeof({name})'])}); }}\n"
        include = f'#include <string.h>\n#include "hidden.{suffix}"\n'
        members = archive.in_wrapper(" hidden_clear(); ", include)
        return f"pool in hidden.{suffix}", {**members, f"{SOURCES}hidden.{suffix}": code.encode()}
    file = random.choice([name for name in archive.texts if name.startswith(SOURCES) and name.endswith(".c")])
    stem = file.rpartition("/")[2].removesuffix(".c")
    text = f'#include "{stem}.{suffix}"\n'
    members = archive.with_text(file, text)
    return f"{stem}.{suffix}", {**members, f"{SOURCES}{stem}.{suffix}": archive.texts[file].encode()}


@of_pool
def pool_of_another_file(archive, random):
    name, size = archive.pool
    text = archive.texts[archive.pool_file].replace(f"static uint8_t {name}[", f"uint8_t {name}[")
    changed = Archive(archive.with_text(archive.pool_file, text))
    extent = random.choice([str(size), "", f"{size} / 2"])
    other = f"#include <stdint.h>\n#include <string.h>\nextern uint8_t {name}[{extent}];\n"
    other += random.choice([
        f"void hidden_clear(void) {{ memset({name}, 1, {size}); }}\n",
        f"void hidden_clear(void) {{ for (int i = 0; i < {size}; ++i) {name}[i] ^= 1; }}\n",
        f"uint8_t* hidden_pool = {name};\nvoid hidden_clear(void) {{ memset(hidden_pool, 1, {size}); }}\n",
    ])  # fmt: skip
    members = changed.in_wrapper(" hidden_clear(); ", "void hidden_clear(void);\n")
    return "other file", {**members, f"{SOURCES}{random.choice(['hidden', 'default_lib9'])}.c": other.encode()}


@of_pool
def code_before_main(archive, random):
    """A constructor, or a second entry, that uses the pool."""
    name, size = archive.pool
    main = archive.mains[0].function.name if archive.mains else ""
    above, code = random.choice([
        (f"__attribute__((constructor)) static void hidden(void) {{ memset({name}, 1, {size}); }}\n", ""),
        (f"static uint8_t* hidden_at(int i) {{ return &{name}[i]; }}\n", f" *hidden_at({random.randrange(size)}) = 1; "),
        (f"static uint8_t* const hidden_pools[] = {{ {name}, 0 }};\n", f" hidden_pools[0][{random.randrange(size)}] = 1; "),
        (f"struct hidden {{ uint8_t* at; }};\nstatic struct hidden hidden = {{ {name} }};\n", " hidden.at[1] = 3; "),
        (f"#define {main} hidden_main\n", ""),
        (f'extern uint8_t hidden_pool[] __asm__("{name}");\n', f" memset(hidden_pool, 1, {size}); "),
    ])  # fmt: skip
    return (above + code).strip(), archive.in_wrapper(code, "#include <string.h>\n" + above)


@family
def macro_of_the_header(archive, random):
    if HEADER not in archive.texts:
        return None
    text = archive.texts[HEADER]
    lines = ["#define int8_t int16_t", "#define inputs outputs", "#define HIDDEN 1"]
    if archive.pool:
        name, size = archive.pool
        lines += [f"#define {name}_size {size}", "#define uint8_t uint32_t", f"#define {name} ({name})"]
    line = random.choice(lines)
    at = text.index("#include <stdint.h>\n") + len("#include <stdint.h>\n")
    members = archive.with_text(HEADER, text[:at] + line + "\n" + text[at:])
    if archive.pool and random.random() < 0.5:
        define = f"#define HIDDEN_POOL_BYTES ({size} + 4000)"
        changed = Archive(archive.with_text(HEADER, text[:at] + define + "\n" + text[at:]))
        new = rf"#include <tvmgen_default.h>\n\1static uint8_t {name}[HIDDEN_POOL_BYTES];" + "\n"
        return "size from the header", changed.substituted(POOL.pattern, new, archive.pool_file)
    return line, members


def edited(members, name, random):
    """An edit of a family, or nothing where the archive has no place for it."""
    made = FAMILIES[name](Archive(members), random)
    if not made or made[1] is None:
        return None
    return Edit(name, made[0], made[1])

"""Archives with something hidden from mlf, for containment.py.

An edit hides a part of an archive: it may not read as the whole did, but what it stands for has not
changed. `HIDDEN(3);` in place of a loop may be that loop, nothing, or an end of the function, as a
header that is not in the archive says; so each edit has the list of the archives that it may be.
"""

import dataclasses
import json
import random
import re
import support

KINDS = (
    "statement in main",
    "statement in a kernel",
    "callee",
    "declaration of a pool",
    "constants",
    "member",
    "kernel's source",
    "extent",
    "wrapper",
    "metadata",
)
END_OF_C = "  return 0;\n"


@dataclasses.dataclass(frozen=True)
class Hiding:
    """One edit: the members of the archive with something hidden, and of those it may stand for."""

    kind: str
    name: str
    edited: dict
    wholes: list


# --- Generated C ----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Function:
    """Offsets in the text of one file: of its head, of its body without braces."""

    member: str
    name: str
    head: int
    begin: int
    end: int

    @property
    def is_main(self):
        return self.name.endswith(("___tvm_main__", "_run_model"))


FUNCTION = re.compile(r"^TVM_DLL int32_t (\w+)\(([^;{]*)\) \{\n", re.M)


def closing(text, at):
    """The offset of the brace that closes the one before `at`."""
    depth = 1
    for found in re.finditer(r"[{}]", text[at:]):
        depth += 1 if found.group() == "{" else -1
        if depth == 0:
            return at + found.start()
    raise ValueError("a function without its end")


def functions(member, text):
    found = []
    for match in FUNCTION.finditer(text):
        end = closing(text, match.end())
        found.append(Function(member, match[1], match.start(), match.end(), end))
    return found


def statements(text, begin, end):
    """(begin, end) of each statement of a block. Generated C has each on lines of its own."""
    found, at, depth = [], begin, 0
    for line in re.finditer(r"[^\n]*\n", text[begin:end]):
        depth += line.group().count("{") - line.group().count("}")
        follows = text[begin + line.end() : end].lstrip()
        is_open = depth > 0 or line.group().rstrip().endswith(("else", "if")) or follows.startswith("else")
        if not is_open:
            found.append((at, begin + line.end()))
            at = begin + line.end()
    return [(a, b) for a, b in found if text[a:b].strip()]


def blocks(text, begin, end):
    """(begin, end) of the inside of every loop in a block."""
    for match in re.finditer(r"for \([^\n]*\{\n", text[begin:end]):
        yield begin + match.end(), closing(text, begin + match.end())


class Archive:
    """An archive in the form that a user edits: generated C, without captured TIR."""

    def __init__(self, members):
        self.members = members
        self.texts = {
            name: content.decode() for name, content in members.items() if name.endswith((".c", ".h"))
        }
        self.functions = [one for name, text in self.texts.items() for one in functions(name, text)]

    def with_text(self, member, text):
        return {**self.members, member: text.encode()}

    def replaced(self, member, begin, end, new):
        text = self.texts[member]
        return self.with_text(member, text[:begin] + new + text[end:])

    def without(self, *names):
        return {name: content for name, content in self.members.items() if name not in names}

    def substituted(self, pattern, new, member=None, count=1):
        """Members with the first match of `pattern` replaced, or nothing where there is none."""
        for name, text in self.texts.items():
            if member is not None and name != member:
                continue
            made, number = re.subn(pattern, new, text, count=count, flags=re.M)
            if number:
                return self.with_text(name, made)
        return None


# --- Statements -----------------------------------------------------------------------------------

INSERTED = {
    "cycle counter": "uint32_t t0 = DWT->CYCCNT;",
    "macro": "HIDDEN(3);",
    "macro without arguments": "HIDDEN;",
    "macro of a parameter": "HIDDEN({parameter});",
    "address": "hidden_hook(&{parameter}[0]);",
    "check": "if (hidden(3) != 0) return -1;",
    "leave": "if (hidden(3)) return 0;",
    "assembly": '__asm__ volatile ("nop");',
    "switch": "switch (hidden_word) {{ case 1: hidden({parameter}); break; default: break; }}",
    "loop of once": "do {{ hidden({parameter}, 3); }} while (0);",
    "while": "while (hidden_busy) {{ }}",
    "goto": "if (hidden_word) goto hidden_end;\n  hidden_end: ;",
    "vector": "typedef int8_t hidden_4 __attribute__((vector_size(4))); "
    "hidden_4 h = *(hidden_4*){parameter}; hidden_use(h);",
    "unknown type": "hidden_t h = hidden_make({parameter});",
    "structure": "struct hidden_s h = {{ 1, 2 }}; hidden_use(&h);",
    "assignment": "HIDDEN_REGISTER = 1;",
    "pointer": "*(volatile uint32_t*)0x40000000 = 1;",
    "pragma": '_Pragma("GCC unroll 4")',
    "macro that opens": "HIDDEN_BEGIN() {{\n  }}",
}
REPLACEMENTS = {
    "macro": "HIDDEN(3);",
    "macro of a parameter": "HIDDEN({parameter});",
    "assembly": '__asm__ volatile ("nop");',
    "call": "hidden_part({parameter});",
    "loop of another form": "for (int hidden_i = HIDDEN_N; hidden_i--; ) {{ hidden({parameter}); }}",
}


def parameter_of(text, function):
    head = text[function.head : function.begin]
    found = re.search(r"(\w+)\s*[,)]", head[head.index("(") :])
    return found[1] if found else "0"


def truncated(archive, function, at):
    """The archive where the function ends before `at`. Nothing where it holds memory there."""
    text = archive.texts[function.member]
    if "TVMBackendAllocWorkspace" in text[function.begin : function.end] or function.is_main:
        return []
    return [archive.replaced(function.member, at, function.end, END_OF_C)]


def removable(statement):
    return statement.lstrip().startswith("for (") or re.match(r"\s*[\w(][^=\n]* = [^\n]*;\n$", statement)


def declares(statement):
    return re.match(r"\s*(const )?(void\*|u?int\d+_t|float|half|double|bool|TVM\w+)\*? ?\w+ ?(\[|=|;)", statement)


def stands_for(archive, function, begin, end):
    """The archives that a macro in place of a statement may be."""
    text = archive.texts[function.member]
    statement = text[begin:end]
    wholes = [archive.members]
    if removable(statement) and not declares(statement):
        wholes.append(archive.replaced(function.member, begin, end, ""))
        wholes.append(archive.replaced(function.member, begin, end, statement * 2))
    return wholes


def inserted(archive, function, kind, random_source):
    text = archive.texts[function.member]
    places = [begin for begin, _ in statements(text, function.begin, function.end)]
    inner = [begin for begin, _ in blocks(text, function.begin, function.end)]
    for name, form in INSERTED.items():
        new = "  " + form.format(parameter=parameter_of(text, function)) + "\n"
        at = random_source.choice(places)
        may_leave = name.startswith("macro") or name in ("leave", "goto", "check")
        wholes = [archive.members, *(truncated(archive, function, at) if may_leave else [])]
        edited = archive.replaced(function.member, at, at, new)
        yield Hiding(kind, f"{name} in {function.name}", edited, wholes)
        if inner and not function.is_main:
            at = random_source.choice(inner)
            edited = archive.replaced(function.member, at, at, new)
            yield Hiding(kind, f"{name} in a loop of {function.name}", edited, [archive.members])


def replaced(archive, function, kind, random_source):
    text = archive.texts[function.member]
    outer = statements(text, function.begin, function.end)[:-1]
    inner = [one for block in blocks(text, function.begin, function.end) for one in statements(text, *block)]
    for name, form in REPLACEMENTS.items():
        for where, choices in (("", outer), (" inside", inner)):
            if not choices:
                continue
            begin, end = random_source.choice(choices)
            new = "  " + form.format(parameter=parameter_of(text, function)) + "\n"
            label = f"{name} for{where} '{' '.join(text[begin:end].split())[:50]}' of {function.name}"
            edited = archive.replaced(function.member, begin, end, new)
            wholes = stands_for(archive, function, begin, end)
            if not where and name != "call":
                wholes = wholes + truncated(archive, function, begin)
            yield Hiding(kind, label, edited, wholes)


def statement_hidings(archive, kind, some, random_source):
    for function in some:
        yield from inserted(archive, function, kind, random_source)
        yield from replaced(archive, function, kind, random_source)


def hidden_calls(archive, main):
    """Calls of main in the forms that users give them."""
    text = archive.texts[main.member]
    call = re.compile(r"if \((tvmgen_\w+\(.*\)) != 0 \) return -1;")
    for style, form in {
        "macro of a call": r"CHECK(\1);",
        "macro for a call": "RUN_LAYER(3);",
        "status": r"int status = \1;",
        "wrapped call": r"if (hidden_trace(\1)) return -1;",
        "call under a condition": r"if (hidden_word) { if (\1 != 0 ) return -1; }",
    }.items():
        body, number = call.subn(form, text[main.begin : main.end], count=1)
        if number:
            edited = archive.replaced(main.member, main.begin, main.end, body)
            yield Hiding("statement in main", style, edited, [archive.members])


# --- The other kinds ------------------------------------------------------------------------------


def made(kind, archive, **edits):
    for name, edited in edits.items():
        if edited is not None:
            yield Hiding(kind, name.replace("_", " "), edited, [archive.members])


def callee_hidings(archive, kernels, random_source):
    kind = "callee"
    for kernel in kernels:
        text = archive.texts[kernel.member]
        gone = archive.replaced(kernel.member, kernel.head, kernel.end + 1, "")
        yield Hiding(kind, f"{kernel.name} is defined nowhere", gone, [archive.members])
        renamed = text[: kernel.head] + text[kernel.head :].replace(
            f"int32_t {kernel.name}(", f"int32_t my_{kernel.name}(", 1
        )
        edited = archive.with_text(kernel.member, renamed)
        yield Hiding(kind, f"{kernel.name} has another name", edited, [archive.members])
        calls = [one for one in functions(kernel.member, text) if one.is_main]
        if calls:
            main = calls[0]
            body = text[main.begin : main.end].replace(f"{kernel.name}(", f"my_{kernel.name}(")
            edited = archive.replaced(kernel.member, main.begin, main.end, body)
            yield Hiding(kind, f"{kernel.name} is called by another name", edited, [archive.members])
        body = text[kernel.begin : kernel.end]
        called = sorted(set(re.findall(r"\b([a-z]\w*f|arm_\w+|round|sqrt|exp|tanh)\(", body)) - {"if", "sizeof"})
        if called:
            one = random_source.choice(called)
            edited = archive.replaced(
                kernel.member, kernel.begin, kernel.end, body.replace(f"{one}(", "hidden_function(")
            )
            yield Hiding(kind, f"{one} of {kernel.name}", edited, [archive.members])


POOL = re.compile(
    r"(__attribute__\(\(section\(\"\.bss\.noinit\.tvm\"\)[^\n]*\)\)\n)(static uint8_t (\w+)\[(\d+)\];\n)"
)


def pool_hidings(archive):
    for member, text in archive.texts.items():
        match = POOL.search(text)
        if not match:
            continue
        name, size = match[3], match[4]
        for style, new in {
            "gone": "",
            "a pointer": f"static uint8_t* {name};\n",
            "extern": f"extern uint8_t {name}[];\n",
            "of a macro": f"{match[1]}static uint8_t {name}[HIDDEN_SIZE];\n",
            "of a macro, without a section": f"static uint8_t {name}[HIDDEN_SIZE];\n",
            "of another section": f'__attribute__((section(".ccm"))) static uint8_t {name}[HIDDEN];\n',
            "an address": f"static uint8_t* const {name} = (uint8_t*)0x20000000;\n",
            "of a type": f"static hidden_pool_t {name};\n",
            "of a macro's making": f"HIDDEN_POOL({name}, {size});\n",
            "words": f"static uint32_t {name}[HIDDEN_WORDS];\n",
        }.items():
            edited = archive.replaced(member, match.start(), match.end(), new)
            yield Hiding("declaration of a pool", style, edited, [archive.members])
        # Users who allocate the pool change these as well, or do not.
        undeclared = Archive(archive.replaced(member, match.start(), match.end(), ""))
        header = undeclared.substituted(r"^#define \w+_WORKSPACE_SIZE \d+\n", "")
        told = Archive(header or undeclared.members)
        for number in re.findall(rb'"workspace_size_bytes": \d+', told.members.get("metadata.json", b"")):
            told.members["metadata.json"] = told.members["metadata.json"].replace(
                number, b'"workspace_size_bytes": 0'
            )
        yield Hiding("declaration of a pool", "nowhere", told.members, [archive.members])


def constant_hidings(archive):
    kind = "constants"
    for member, text in archive.texts.items():
        array = re.search(
            r"^(static const (\w+) __attribute__\s*\(\([^\n]*\)\) (\w+)\[(\d+)\]) = \{\n([^}]*)\};\n", text, re.M
        )
        if array:
            for style, new in {
                "array elsewhere": f"extern const {array[2]} {array[3]}[{array[4]}];\n",
                "array of unknown size": f"extern const {array[2]} {array[3]}[];\n",
                "array of a macro": f"{array[1].replace(array[4], 'HIDDEN_SIZE')} = {{\n{array[5]}}};\n",
                "array with an include": f'{array[1]} = {{\n#include "weights.inc"\n}};\n',
                "array gone": "",
                "array as a pointer": f"static const {array[2]}* {array[3]} = HIDDEN_ADDRESS;\n",
                "array of another section": f"const {array[2]} {array[3]}[HIDDEN] = {{\n{array[5]}}};\n",
            }.items():
                edited = archive.replaced(member, array.start(), array.end(), new)
                yield Hiding(kind, style, edited, [archive.members])
        pool = re.search(r"^static const struct (\w+) \{\n([^}]*)\} (\w+) = \{\n.*?^\};[^\n]*\n", text, re.M | re.S)
        if pool:
            members = pool[2]
            last = members.rstrip().split("\n")[-1]
            for style, new in {
                "pool elsewhere": f"extern const struct {pool[1]} {pool[1]};\n",
                "pool gone": "",
                "pool without data": f"static const struct {pool[1]} {{\n{members}}} {pool[1]};\n",
                "pool with an include": f"static const struct {pool[1]} {{\n{members}}} {pool[1]} = {{\n"
                '#include "weights.inc"\n};\n',
                "pool without its last member": pool[0].replace(last, "  HIDDEN_MEMBER"),
                "pool as bytes": f"static const uint8_t {pool[1]}[] = HIDDEN_DATA;\n",
                "pool as a pointer": f"static const uint8_t* {pool[1]};\n",
                "pool with a size of a macro": re.sub(r"\[\d+\]", "[HIDDEN]", pool[0], count=1),
            }.items():
                edited = archive.replaced(member, pool.start(), pool.end(), new)
                yield Hiding(kind, style, edited, [archive.members])


def member_hidings(archive):
    for name in archive.members:
        if not name.startswith(("runtime/", "templates/")):
            yield Hiding("member", f"without {name}", archive.without(name), [archive.members])


def source_hidings(archive, kernels):
    kind = "kernel's source"
    for kernel in kernels:
        text = archive.texts[kernel.member]
        head = text[kernel.head : kernel.begin].rstrip(" {\n")
        for style, new in {
            "a prototype": head + ";\n",
            "included": f'#include "{kernel.name}.c"\n',
            "of a macro": f"HIDDEN_KERNEL({kernel.name})\n",
            "an empty body": head + " {\n  HIDDEN_BODY\n}\n",
            "another language": head + ' {\n  __asm__ volatile ("nop");\n  return 0;\n}\n',
        }.items():
            edited = archive.replaced(kernel.member, kernel.head, kernel.end + 1, new)
            yield Hiding(kind, f"{style} for {kernel.name}", edited, [archive.members])


def extent_hidings(archive, some, random_source):
    patterns = {
        "loop": r"(for \(int\w+ \w+ = 0; \w+ < )(\d+)(;)",
        "array": r"^(\s+\w+ \w+\[)(\d+)(\];)",
        "workspace": r"(TVMBackendAllocWorkspace\(\d+, \d+, \(uint64_t\))(\d+)(,)",
        "offset": r"(\(&\(\w+\[)(\d+)(\]\)\))",
        "index": r"(\]? \* )(\d+)(\))",
        "condition": r"(\w+ < )(\d+)(\)+ \{|\)* &&)",
    }
    for function in some:
        text = archive.texts[function.member]
        for name, pattern in patterns.items():
            found = list(re.finditer(pattern, text[function.begin : function.end], re.M))
            if not found:
                continue
            match = random_source.choice(found)
            begin = function.begin + match.start(2)
            for style, new in {"macro": "HIDDEN_N", "call": "hidden_n(3)", "member": "config->n"}.items():
                edited = archive.replaced(function.member, begin, function.begin + match.end(2), new)
                yield Hiding("extent", f"{name} of a {style} in {function.name}", edited, [archive.members])


def wrapper_hidings(archive):
    for name, text in archive.texts.items():
        if "_run(" in text and name.endswith(".c"):
            yield Hiding("wrapper", f"without {name}", archive.without(name), [archive.members])
            without = re.sub(r"^int32_t \w+_run\(.*?^\}\n", "", text, flags=re.M | re.S)
            yield Hiding("wrapper", "without run", archive.with_text(name, without), [archive.members])
            renamed = text.replace("inputs->", "HIDDEN_IN->")
            yield Hiding("wrapper", "other inputs", archive.with_text(name, renamed), [archive.members])


def keys_of(value, path=()):
    if isinstance(value, dict):
        for key, one in value.items():
            yield (*path, key)
            yield from keys_of(one, (*path, key))
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from keys_of(one, (*path, i))


def without_key(document, path):
    document = json.loads(json.dumps(document))
    at = document
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return document


def metadata_hidings(archive):
    name = "metadata.json"
    if name not in archive.members:
        return
    document = json.loads(archive.members[name])
    for path in keys_of(document):
        text = json.dumps(without_key(document, path), indent=2)
        edited = {**archive.members, name: text.encode()}
        yield Hiding("metadata", "without " + "/".join(map(str, path)), edited, [archive.members])


# --- Captured TIR ---------------------------------------------------------------------------------

SCRIPT_FUNCTION = re.compile(r"^    @T\.prim_func\n    def (\w+)\(.*?(?=^    @T\.prim_func|\Z)", re.M | re.S)
SCRIPT_LOOP = re.compile(r"^( +)for [^\n]*:\n(?:\1 +[^\n]*\n)+", re.M)
UNKNOWN_CALL = 'T.evaluate(T.call_extern("int32", "hidden", 3))\n'


def script_hidings(members, name, random_source):
    """Edits of TVMScript: it has no statements that mlf does not know, but calls of any function."""
    text = members[name].decode()

    def edit(begin, end, new):
        return {**members, name: (text[:begin] + new + text[end:]).encode()}

    kernels = [one for one in SCRIPT_FUNCTION.finditer(text) if not one[1].endswith("main__")]
    for kernel in random_source.sample(kernels, min(2, len(kernels))):
        gone = edit(*kernel.span(), "")
        yield Hiding("callee", f"{kernel[1]} is not in {name}", gone, [members])
        loops = list(SCRIPT_LOOP.finditer(text, *kernel.span()))
        if not loops:
            continue
        loop = random_source.choice(loops)
        begin, end = loop.span()
        call = loop[1] + UNKNOWN_CALL
        wholes = [members, edit(begin, end, loop[0] * 2)]
        yield Hiding("statement in a kernel", f"call for a loop of {kernel[1]} in {name}", edit(begin, end, call), wholes)
        yield Hiding("statement in a kernel", f"call in {kernel[1]} in {name}", edit(begin, begin, call), [members])
        bound = re.search(r"range\((\d+)\)", loop[0])
        if bound:
            at = begin + bound.start(1), begin + bound.end(1)
            yield Hiding("extent", f"loop of {kernel[1]} in {name}", edit(*at, "hidden_n"), [members])


def captured_hidings(members, random_source):
    for name in members:
        # Without its TIR an archive is another one: that of the C that TVM made of it.
        if re.fullmatch(r"src/tir-\d+\.txt", name) and b"@T.prim_func" in members[name]:
            yield from script_hidings(members, name, random_source)


def hidings(members, seed):
    """Every edit of an archive: of its generated C without captured TIR, and of TIR. Which kernels and
    statements, the seed says."""
    archive = Archive(support.without_tir(members))
    random_source = random.Random(seed)
    mains = [one for one in archive.functions if one.is_main]
    # Mains of another kind, such as those of operators, are neither.
    kernels = [one for one in archive.functions if not one.name.endswith(("_main__", "_run_model"))]
    some = random_source.sample(kernels, min(2, len(kernels)))
    yield from statement_hidings(archive, "statement in main", mains, random_source)
    for main in mains:
        yield from hidden_calls(archive, main)
    yield from statement_hidings(archive, "statement in a kernel", some, random_source)
    yield from callee_hidings(archive, some, random_source)
    yield from pool_hidings(archive)
    yield from constant_hidings(archive)
    yield from member_hidings(archive)
    yield from source_hidings(archive, some)
    yield from extent_hidings(archive, [*some, *mains], random_source)
    yield from wrapper_hidings(archive)
    yield from metadata_hidings(archive)
    yield from captured_hidings(members, random_source)

"""Networks with memory pools, compiled and run: what a plan of the pools is worth.

A program runs one network on random inputs and prints its outputs. Three builds: as it is, with the
sanitizers, and with a poisoned pool (c_runtime/poisoned_pool.c), for which the lifetimes come from
the topology of the network.
"""

import contextlib
import copy
import dataclasses
import re
import shutil
import subprocess

import generated_c

BASE = ["-std=gnu11", "-DMLF_WITHOUT_LIBRARY", f"-I{generated_c.HEADERS}", f"-I{generated_c.RUNTIME}"]
# A board of QEMU: its newlib writes to the host, has no aligned_alloc, and spells float16 its way.
QEMU = ["qemu-system-arm", "-M", "mps2-an385", "-nographic", "-monitor", "none", "-serial", "none"]
QEMU += ["-semihosting-config", "enable=on,target=native", "-kernel"]


@dataclasses.dataclass(frozen=True)
class Build:
    """How a program is made and started."""

    flags: list
    compiler: str = "gcc"
    runner: tuple = ()


HOST = ["-O1", "-Dhalf=_Float16"]
BUILDS = {
    "plain": Build(HOST),
    "sanitized": Build([*HOST, "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]),
    "poisoned": Build(HOST),
    "cortex-m": Build(
        ["-O1", "-mcpu=cortex-m3", "-mthumb", "-mfp16-format=ieee", "-Dhalf=__fp16"]
        + ["-include", "malloc.h", "-Daligned_alloc=memalign", "--specs=rdimon.specs"]
        + ["-T", str(generated_c.RUNTIME / "cortex_m.ld")],
        "arm-none-eabi-gcc",
        tuple(QEMU),
    ),
}


class Failed(Exception):
    """The program ended with an error: a sanitizer's, or that of the poisoned pool."""


@dataclasses.dataclass(frozen=True)
class Region:
    """Bytes of a pool that hold one value of main; positions of steps where it is defined and last
    used."""

    pool: int
    offset: int
    bytes: int
    defined: int
    last: int


def workspace_pools(document):
    return {i: pool for i, pool in enumerate(document["pools"]) if pool["kind"] == "workspace"}


def regions_of(document):
    """The values of main in pools that are written."""
    pools = workspace_pools(document)
    end = len(document["calls"]) + len(document["copies"])
    outputs = {port["value"] for port in document["outputs"]}
    for i, value in enumerate(document["values"]):
        storage = document["storages"][value["storage"]]
        if storage["pool"] in pools and value["bytes"]:
            defined = -1 if value["first_definition"] is None else value["first_definition"]
            # A value that no call needs, though one may be given it, is dead once it is there.
            unused = end if i in outputs else defined
            last = unused if value["last_use"] is None else value["last_use"]
            pool = list(pools).index(storage["pool"])
            yield Region(pool, storage["offset"], value["bytes"], defined, last)


def lists_of(position, regions):
    """What is alive before, through and behind the call at a position."""
    return (
        [one for one in regions if one.defined < position <= one.last],
        [one for one in regions if one.defined < position < one.last],
        [one for one in regions if one.defined <= position < one.last],
    )


def plan_text(document):
    """The plan as poisoned_pool.c wants it."""
    pools = list(workspace_pools(document).values())
    regions = list(regions_of(document))
    lines = [
        "struct region { int pool; size_t offset, bytes; };",
        "struct regions { const struct region *list; int count; };",
        "struct step { void (*kernel)(void); struct regions before, through, after; };",
        "static const struct { unsigned char *memory; size_t bytes; } pools[] = {",
        *(f"  {{(unsigned char *)&{pool['name']}, {pool['bytes']}}}," for pool in pools),
        "};",
        f"enum {{ pool_count = {len(pools)}, step_count = {len(document['calls'])} }};",
    ]
    symbols = [document["kernels"][call["kernel"]]["symbol"] for call in document["calls"]]
    # Their own types do not matter: addresses are compared.
    lines += [
        f'extern void kernel_of_{i}(void) __asm__("{symbol}");' for i, symbol in enumerate(symbols)
    ]
    steps = []
    for i, call in enumerate(document["calls"]):
        parts = []
        for name, some in zip(
            ("before", "through", "after"), lists_of(call["position"], regions), strict=True
        ):
            items = ", ".join(f"{{{one.pool}, {one.offset}, {one.bytes}}}" for one in some)
            lines.append(f"static const struct region {name}_{i}[] = {{{items or '{0, 0, 0}'}}};")
            parts.append(f"{{{name}_{i}, {len(some)}}}")
        steps.append(f"  {{kernel_of_{i}, {', '.join(parts)}}},")
    lines += ["static const struct step steps[] = {", *steps, "};"]
    return "\n".join([*lines, '#include "poisoned_pool.c"', ""])


def filling(memory, port):
    """A statement that fills an input with random values of its type."""
    kind = re.match(r"[a-z]+", port["dtype"])[0]
    bits = generated_c.bits_of(port["dtype"])
    size = generated_c.bytes_of(port)
    if kind == "float" and bits in (16, 32, 64):
        c_type = {16: "_Float16", 32: "float", 64: "double"}[bits]
        value = f"({c_type})((double)(int32_t)next_random() / 2147483648.0)"
    elif port["dtype"] == "bool":
        c_type, value = "uint8_t", "next_random() & 1"
    elif bits == 8:
        # The first inputs are the smallest and the largest of int8.
        c_type, value = "uint8_t", "run == 0 ? 0x80 : run == 1 ? 0x7F : (uint8_t)next_random()"
    else:  # an index, perhaps
        c_type, value = f"int{bits}_t", "next_random() & 3"
    return (
        f"for (size_t i = 0; i < {size} / sizeof({c_type}); ++i) "
        f"(({c_type}*)(void*){memory})[i] = {value};"
    )


NO_HOOKS = "static void begin_run(void) {}\nstatic void end_run(void) {}\n"


def driver_text(document, headers, runs, hooks=NO_HOOKS, source=None, given=(), begin="", end=""):
    """`hooks` are functions around each run, `given` the pools that the network gets of its caller, `begin` and `end`
    statements at the begin of each run and of the program's end."""
    driver = generated_c.Driver()
    ports = generated_c.call_aot(driver, document, headers, [pool["name"] for pool in given])
    driver.globals += [
        f"static uint8_t {pool['name']}[{pool['bytes']}] __attribute__((aligned(16)));"
        for pool in given
    ]
    inputs = ports[: len(document["inputs"])]
    outputs = ports[len(document["inputs"]) :]
    body = [filling(memory, port) for memory, port in inputs]
    sizes = {memory: generated_c.bytes_of(port) for memory, port in outputs}
    body += [f"memset({memory}, 0xCC, {size});" for memory, size in sizes.items()]
    body += ["begin_run();", *driver.statements, "end_run();"]
    body += [f"fwrite({memory}, 1, {size}, stdout);" for memory, size in sizes.items()]
    return "\n".join(
        [
            "#include <stdint.h>",
            "#include <stdio.h>",
            "#include <string.h>",
            # Its pools are static: they can be seen from the same file alone.
            *([f'#include "{source.name}"'] if source else []),
            *driver.globals,
            "static uint32_t state = 2463534242u;",
            "static uint32_t next_random(void) {",
            "  state ^= state << 13; state ^= state >> 17; state ^= state << 5; return state;",
            "}",
            hooks,
            "int main(void) {",
            f"  for (int run = 0; run < {runs}; ++run) {{",
            begin,
            *body,
            "  }",
            end,
            "  return 0;",
            "}",
            "",
        ]
    )


def can_build(kind):
    """Whether the tools are installed."""
    tools = [BUILDS[kind].compiler, *BUILDS[kind].runner[:1]]
    return all(shutil.which(tool) for tool in tools)


def compile_c(*arguments, directory, compiler="gcc"):
    result = subprocess.run(
        [compiler, *arguments], capture_output=True, text=True, check=False, cwd=directory
    )
    if result.returncode:
        raise generated_c.CannotRun(f"gcc: {generated_c.first_error(result.stderr)}")
    return result.stderr


class Network:
    """One module of an unpacked archive, and the topology that says its plan."""

    def __init__(self, root, document, directory):
        self.root, self.document, self.directory = root, document, directory
        module = document["module"]
        self.sources = sorted((root / "codegen/host/src").glob(f"{module}_lib*.c"))
        self.headers = sorted((root / "codegen/host/include").glob(f"tvmgen_{module}.h"))
        self.include = [f"-I{root / 'codegen/host/include'}", f"-I{root / 'codegen/host/src'}"]
        pools = list(workspace_pools(document).values())
        self.entry = next((one for one in self.sources if self.has_pools(one, pools)), None)
        self.given = []
        if self.entry is None and any("_workspace_pools {" in h.read_text() for h in self.headers):
            self.entry, self.given = self.sources[0], pools
        if self.entry is None:
            raise generated_c.CannotRun("its pools are not in its C")
        directory.mkdir(parents=True, exist_ok=True)
        self.compiled = {}  # by object file, the source that it was made of

    @contextlib.contextmanager
    def edited(self):
        """Inside, its sources may be changed and its topology, which this gives."""
        document, texts = self.document, {source: source.read_text() for source in self.sources}
        self.document = copy.deepcopy(document)
        yield self.document
        self.document = document
        for source, text in texts.items():
            source.write_text(text)

    def has_pools(self, source, pools):
        text = source.read_text()
        return all(f"uint8_t {pool['name']}[" in text for pool in pools)

    def resize(self, pool, size):
        """Another size of a pool, in the topology and in the C where it is there."""
        pool["bytes"] = size
        if self.given:
            return
        array = rf"uint8_t {pool['name']}\[\d+\]"
        text, count = re.subn(array, f"uint8_t {pool['name']}[{size}]", self.entry.read_text())
        assert count == 1, f"{self.entry}: {array} is there {count} times"
        self.entry.write_text(text)

    def warnings(self):
        """What gcc -Wall says of the archive's own C, without places."""
        found = []
        for source in self.sources:
            flags = [*BASE, *HOST, "-Wall", "-Wextra", *self.include, "-fsyntax-only"]
            lines = compile_c(*flags, str(source), directory=self.directory).splitlines()
            found += [line.partition("warning:")[2] for line in lines if "warning:" in line]
        return found

    def build(self, kind, runs):
        program = self.directory / f"{kind}-{runs}"
        build = BUILDS[kind]
        flags = [*BASE, "-w", *build.flags, *self.include]
        hooks = ["-finstrument-functions"] if kind == "poisoned" else []
        objects = []
        for source in self.sources:
            if source == self.entry:
                continue
            objects.append(str(self.directory / f"{kind}-{source.stem}.o"))
            if self.compiled.get(objects[-1]) != source.read_bytes():
                parts = [*flags, *hooks, "-c", str(source), "-o", objects[-1]]
                compile_c(*parts, directory=self.directory, compiler=build.compiler)
                self.compiled[objects[-1]] = source.read_bytes()
        driver = self.directory / f"{kind}.c"
        around = plan_text(self.document) if kind == "poisoned" else NO_HOOKS
        driver.write_text(driver_text(self.document, self.headers, runs, around, self.entry, self.given))
        allocator = str(generated_c.RUNTIME / "allocator.c")
        parts = [*flags, str(driver), allocator, *objects, "-lm", "-o", str(program)]
        compile_c(*parts, directory=self.directory, compiler=build.compiler)
        return program

    def outputs(self, kind, runs):
        """The outputs of `runs` runs, one behind the other. Throws Failed."""
        program = self.build(kind, runs)
        command = [*BUILDS[kind].runner, program]
        result = subprocess.run(command, capture_output=True, check=False, timeout=3600)
        if result.returncode:
            text = result.stderr.decode(errors="replace")
            reason = next((line for line in text.splitlines() if "ERROR" in line), None)
            raise Failed(reason or next(iter(text.splitlines()), f"exit {result.returncode}"))
        return result.stdout

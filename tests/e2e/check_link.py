"""mlf check against a linker: a budget holds exactly where MEMORY regions of that size do.

The archive's own C is compiled by arm-none-eabi-gcc and linked with a script whose FLASH and RAM are
as long as a budget. Nothing else is linked: what the C calls stays unresolved, and what is in RAM
without being in an object file (inputs and outputs, heap, stack arrays) is reserved by the script.

Between sections of object files a linker pads. mlf counts sections as they are, so a link takes at
least as much as mlf says, and at most a section's alignment less one byte more for each of them. In
RAM the script sorts sections by their alignment, and there is no padding where all sizes are
multiples of it, as those of pools are.
"""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import generated_c
import program_case
import support

COMPILER = "arm-none-eabi-gcc"
FLAGS = ("-Os", "-mcpu=cortex-m4", "-mthumb", "-w", "-Dhalf=__fp16", "-mfp16-format=ieee")
HUGE = 1 << 28

SCRIPT = """\
MEMORY {{
  FLASH (rx) : ORIGIN = 0x10000000, LENGTH = {flash}
  RAM (rwx) : ORIGIN = 0x30000000, LENGTH = {ram}
}}
SECTIONS {{
  .moved : {{ {moved} }} > RAM AT> FLASH
  .text : {{ *(SORT_BY_ALIGNMENT(.text*)) }} > FLASH
  .rodata : {{ *(SORT_BY_ALIGNMENT(.rodata*)) }} > FLASH
  .data : {{ *(SORT_BY_ALIGNMENT(.data*)) }} > RAM AT> FLASH
  .bss : {{ *(SORT_BY_ALIGNMENT(.bss*)) *(COMMON) . += {reserved}; }} > RAM
}}
"""

if shutil.which(COMPILER) is None:
    support.skip(f"{COMPILER} is not installed")


def archives():
    """Those with C and one network; of the corpus one version, which takes long enough."""
    bundled = support.bundled_archives() + support.c_archives()
    corpus = sorted((support.CORPUS / "tvm-0.16").glob("*-c*/module.tar"))
    return bundled + corpus


def check(path, **limits):
    """The run, which compiles the archive, and its results by resource; none where it fails."""
    command = ["check", path, "--cc", COMPILER, "--cflags", " ".join(FLAGS), "--format", "json"]
    result = support.run(*command, *(f"--{name}={limit}" for name, limit in limits.items()))
    found = json.loads(result.stdout)["results"] if result.returncode in (0, 1) else []
    return result, {one["resource"]: one for one in found}


def needed(path):
    """What mlf says that the only module needs, by resource, or None where that is not known."""
    _, results = check(path, buffers=HUGE, code=HUGE)
    numbers = {name: one["needed"] for name, one in results.items()}
    return numbers if len(numbers) == 2 and all(isinstance(one, int) for one in numbers.values()) else None


def objects_of(path, directory):
    """Of the C of an archive, which is unpacked there."""
    support.unpacked(path, directory)
    objects = []
    for source in sorted(directory.glob("codegen/host/src/*.c")):
        objects.append(source.with_suffix(".o"))
        headers = f"-I{directory / 'codegen/host/include'}"
        command = [COMPILER, *FLAGS, headers, f"-I{generated_c.HEADERS}", "-c"]
        subprocess.run([*command, source, "-o", objects[-1]], check=True)
    return objects


class Linked:
    """The objects of an archive in a directory, and how they are linked."""

    def __init__(self, path, directory):
        self.directory = pathlib.Path(directory)
        self.objects, self.moved = objects_of(path, self.directory), ""
        (ram,) = [one for one in (support.json_of("report", "--json", path))["modules"]]
        self.reserved = sum(ram["ram"][name] for name in ("io", "executor", "heap", "stack", "arguments"))

    def sections(self):
        """(kind, alignment) of every section that is in memory."""
        for one in self.objects:
            text = subprocess.run(["arm-none-eabi-objdump", "-h", "-w", one], capture_output=True, text=True)
            for line in text.stdout.splitlines():
                match = re.match(r" *\d+ (\S+) +([0-9a-f]+) .* 2\*\*(\d+) .*\bALLOC\b", line)
                if match and int(match[2], 16):
                    yield match[1], 1 << int(match[3])

    def link(self, ram, flash):
        """Whether it fits; anything else that a linker may say ends the test."""
        script = self.directory / "memory.ld"
        script.write_text(SCRIPT.format(ram=ram, flash=flash, reserved=self.reserved, moved=self.moved))
        command = [COMPILER, *FLAGS, "-nostdlib", "-Wl,--unresolved-symbols=ignore-all,--entry=0"]
        done = subprocess.run([*command, f"-Wl,-T,{script}", *self.objects, "-o", self.directory / "out.elf"],
                              capture_output=True, text=True)  # fmt: skip
        if done.returncode == 0:
            return True
        assert re.search(r"overflowed by|will not fit in region", done.stderr), done.stderr[-600:]
        return False

    def size(self, region):
        """The smallest region that everything fits into."""
        self.link(HUGE, HUGE)
        command = ["arm-none-eabi-size", "-A", "-d", self.directory / "out.elf"]
        sections = subprocess.run(command, capture_output=True, text=True).stdout
        wanted = (".moved", ".data", ".bss") if region == "ram" else (".text", ".rodata", ".data")
        start = 0x30000000 if region == "ram" else 0x10000000
        # .data is at addresses of RAM, but its content in FLASH behind .rodata; that of .moved is ahead.
        ends = [(match[1], int(match[2]), int(match[3]))
                for match in re.finditer(r"^(\.\w+) +(\d+) +(\d+)$", sections, re.MULTILINE)]  # fmt: skip
        size = max((at + length - start for name, length, at in ends if name in wanted
                    and at >= start and (region == "ram") == (at >= 0x30000000)), default=0)  # fmt: skip
        if region == "flash":
            size += sum(length for name, length, _ in ends if name == ".data")
        return size

    def fits(self, region, size):
        return self.link(size, HUGE) if region == "ram" else self.link(HUGE, size)


class CheckAndLink(program_case.Directory):
    def test_a_board_has_the_flash_of_a_link_of_two_archives(self):
        two = support.BUNDLED_CORPUS / "tvm-0.18/two-modules/module.tar"
        for path in (support.ARCHIVES / "tvm-0.18-add-aot-c.tar",
                     support.BUNDLED_CORPUS / "tvm-0.16/blocks-aot-c-usmp/module.tar"):
            with self.subTest(path), tempfile.TemporaryDirectory() as name:
                linked = Linked(path, name)
                linked.objects += objects_of(two, linked.directory / "two")
                board = linked.directory / "board.toml"
                board.write_text('[memory.rom]\nbytes = 1\nholds = ["flash"]\n')
                result = support.run("check", "--board", board, path, two, "--cc", COMPILER, "--cflags",
                                     " ".join(FLAGS), "--library-flash", "0", "--format", "json")  # fmt: skip
                document = json.loads(result.stdout)
                self.assertEqual(document["clashes"], [])
                needed = next(one for one in document["results"] if one["memory"] == "rom")["needed"]
                size = linked.size("flash")
                self.assertLessEqual(support.least(needed), size)
                self.assertLessEqual(size, support.most(needed))

    def test_buffers_fail_at_the_same_byte_as_the_linker(self):
        exact = {"ram": 0, "flash": 0}
        compared = 0
        for path in archives():
            numbers = needed(path)
            if numbers is None:
                continue
            compared += 1
            with tempfile.TemporaryDirectory() as directory:
                linked = Linked(path, directory)
                padding = {"ram": 0, "flash": 0}
                for name, alignment in linked.sections():
                    # Content of .data is in both.
                    regions = ("ram",) if name.startswith(".bss") else ("flash",)
                    regions = ("ram", "flash") if name.startswith(".data") else regions
                    for region in regions:
                        padding[region] += alignment - 1
                limits = {}  # one below what fits
                for region, resource in (("ram", "buffers"), ("flash", "code")):
                    number = numbers[resource]
                    where = f"{path}: {region} {number}"
                    size = linked.size(region)
                    self.assertGreaterEqual(size, number, where)
                    self.assertLessEqual(size, number + padding[region], where)
                    self.assertTrue(linked.fits(region, size), where)
                    if size:
                        self.assertFalse(linked.fits(region, size - 1), where)
                    # What the region is called counts as a whole: no link is smaller.
                    limits |= {name: most - 1 for name, most in ((resource, number), (region, size)) if most}
                    exact[region] += size == number
                    if region == "ram":
                        self.assertEqual(size, number, where)
                    print(f"{path.parent.name}/{path.name} {region}: mlf {number}, link {size}")
                fitting, _ = check(path, **numbers)
                # No limit holds for an archive that contradicts itself.
                expected = 1 if b"contradicts itself" in fitting.stdout + fitting.stderr else 0
                self.assertEqual(fitting.returncode, expected, path)
                tight, results = check(path, **limits)
                self.assertEqual(tight.returncode, 1, path)
                self.assertEqual(results.keys(), limits.keys(), path)
                for name, one in results.items():
                    self.assertNotEqual(one["verdict"], "fits", f"{path}: --{name} {limits[name]}")
        print(f"{compared} archives: RAM exact {exact['ram']}, flash exact {exact['flash']}")
        self.assertGreater(compared, 2)

    def test_sections_take_the_memory_that_the_user_states(self):
        """Code and constants that a script moves into RAM, as for kernels in tightly coupled memory."""
        path = support.SOURCE / "tests/data/archives/tvm-0.18-qnn_conv-aot-c.tar"

        def sizes(*options):
            command = ["check", path, "--cc", COMPILER, "--cflags", " ".join(FLAGS), "--format", "json", *options]
            limits = ("--ram", HUGE, "--flash", HUGE, "--library-stack", "0", "--library-flash", "0")
            results = json.loads(support.run(*command, *limits).stdout)["results"]
            return {one["resource"]: support.least(one["needed"]) for one in results}

        before = sizes()
        linked = Linked(path, self.directory)
        names = sorted({name for name, _ in linked.sections() if name.startswith((".text", ".rodata.tvm"))})
        self.assertGreater(len(names), 1)
        whole = {region: linked.size(region) for region in before}
        for name in names:
            linked.moved = f"*({name})"
            after = sizes("--section", f"{name}=ram")
            moved = {region: linked.size(region) - whole[region] for region in before}
            self.assertGreater(moved["ram"], 0)
            self.assertAlmostEqual(after["ram"] - before["ram"], moved["ram"], delta=16)
            self.assertAlmostEqual(after["flash"] - before["flash"], moved["flash"], delta=16)
            back = sizes("--section", f"{name}=flash")
            self.assertEqual(back, before)


if __name__ == "__main__":
    unittest.main()

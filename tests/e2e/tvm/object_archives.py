"""Archives of LLVM targets: what `mlf report` says of their objects.

For x86-64, Arm, AArch64 and RISC-V, with MLF_EVERY_ARCHIVE=1 over every network of the tests:
  - code of each function, and of all sections with code, is what readelf prints;
  - frames are the largest offset that `readelf --debug-dump=frames` prints of the function;
  - the calls of main that mlf finds in the machine code are calls of the TIR that TVM made it from, in
    their order

Usage: PYTHON_OF_A_TVM_VENV object_archives.py
"""

import collections
import os
import re
import shutil
import subprocess
import unittest

import program_case
import support

os.environ["TOPHUB_LOCATION"] = "NONE"  # TVM would look for schedules in the net
import need_tvm  # noqa: F401: skips where there is no TVM
import tvm
from tvm import relay
from tvm.relay.backend import Executor, Runtime

import exporter
import networks

TARGETS = {
    "x86-64": "llvm -mtriple=x86_64-linux-gnu",
    "Arm": "llvm -mtriple=thumbv7em-none-eabi -mcpu=cortex-m4",
    "AArch64": "llvm -mtriple=aarch64-linux-gnu",
    "RISC-V": "llvm -mtriple=riscv32-unknown-elf -mcpu=generic-rv32",
}
SAMPLE = {"int8_convolution", "split_and_concat", "residual"}
# What x86-64 lets a function use below the stack pointer.
RED_ZONE = {"x86-64": 128}


def build(module, target):
    target = tvm.target.Target(target, host=target)
    executor = Executor("aot", {"interface-api": "packed", "unpacked-api": False})
    config = {"tir.disable_vectorize": True, "tir.usmp.enable": False}
    with tvm.transform.PassContext(opt_level=3, config=config):
        return relay.build(
            module, target, executor=executor, runtime=Runtime("crt", {"system-lib": True})
        )


def readelf(*arguments):
    return subprocess.run(
        ["readelf", "-W", *arguments], capture_output=True, text=True, check=True
    ).stdout


def functions_of(path):
    """(section, begin, bytes) of each function, by name."""
    found = collections.defaultdict(list)
    for line in readelf("-s", path).splitlines():
        words = line.split()
        if len(words) == 8 and words[3] == "FUNC" and words[6] != "UND":
            found[words[7]].append((words[6], int(words[1], 16) & ~1, int(words[2], 0)))
    return found


def code_bytes(path):
    flags = re.compile(r"\] \S+ +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +([A-Z]*X[A-Z]*) ")
    return sum(int(size, 16) for size, _ in flags.findall(readelf("-S", path)))


class Objects(program_case.Directory):
    def setUp(self):
        if shutil.which("readelf") is None:
            support.skip("there is no readelf")
        self.compared = collections.Counter()
        self.calls = 0

    def archives(self):
        for network in networks.all_networks():
            if not os.environ.get("MLF_EVERY_ARCHIVE") and network.name not in SAMPLE:
                continue
            for name, target in TARGETS.items():
                try:
                    factory = build(network.module, target)
                except Exception as error:  # TVM's own schedules fail with TypeError and others
                    print(f"not built: {network.name}, {name}: {str(error).strip().splitlines()[-1]}")
                    continue
                path = self.directory / f"{network.name}-{name}.tar"
                exporter.export(factory, path)
                yield network.name, name, path, exporter.captured_tir(factory)

    def test_are_those_of_the_build(self):
        for network, name, path, captured in self.archives():
            with self.subTest(network=network, target=name):
                stock = support.report_of(path)["objects"]
                directory = self.directory / f"{network}-{name}"
                directory.mkdir()
                subprocess.run(["tar", "xf", path, "-C", directory], check=True)
                objects = sorted((directory / "codegen/host/lib").glob("*.o"))
                expected = collections.Counter()
                for one in objects:
                    for function, places in functions_of(one).items():
                        expected[function] += sum(size for _, _, size in places)
                self.assertEqual({one["symbol"]: one["bytes"] for one in stock["functions"]}, dict(expected))
                self.assertEqual(stock["text"], sum(map(code_bytes, objects)))
                self.check_frames(name, stock, objects)
                exporter.add_members(path, captured)
                calls = [call["kernel"] for call in support.report_of(path)["calls"]]
                # Not memcpy, which copies an input to an output.
                found = [call for call in stock["main_calls"] if call.startswith("tvmgen_")]
                self.assertEqual(found, calls)
                self.compared[name] += len(found)
                self.calls += len(calls)
        print(f"calls compared: {dict(self.compared)}, of {self.calls}")
        self.assertEqual(set(self.compared), set(TARGETS))

    def check_frames(self, name, stock, objects):
        """Of functions that begin where one entry alone does."""
        largest = {}
        for one in objects:
            text = readelf("--debug-dump=frames", one)
            for entry in re.split(r"\n(?=[0-9a-f]{8})", text):
                begin = re.search(r"FDE .*pc=([0-9a-f]+)\.\.", entry)
                # Behind a frame pointer the stack pointer may be anywhere.
                if not begin or "def_cfa_register" in entry or "def_cfa:" in entry:
                    continue
                offsets = [int(size) for size in re.findall(r"def_cfa_offset: (\d+)", entry)]
                largest.setdefault((one, int(begin[1], 16)), []).append(max(offsets, default=None))
        known = {one["symbol"]: one["frame"] for one in stock["functions"]}
        for one in objects:
            for function, places in functions_of(one).items():
                entries = largest.get((one, places[0][1]), [])
                if len(entries) != 1 or len(places) != 1 or entries[0] is None:
                    continue
                self.assertEqual(known[function], entries[0] + RED_ZONE.get(name, 0), function)


if __name__ == "__main__":
    unittest.main()

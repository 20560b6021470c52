#!/usr/bin/env python3
"""What `mlf optimize` saves, and what it costs on a Cortex-M4.

For each archive: bytes of constants before, by cause and after, and of workspace pools; code of the archive's
C by arm-none-eabi-gcc -Os; instructions of one run in QEMU, compiled with -O2. Kernels whose code has another
size follow with --kernels. Archives of the graph executor have code, but no run.

The last lines judge all archives together: code and instructions may grow by 1 % in sum, and constants of
networks that have int8 weights which TVM widened take at most 52 %. Exits with 1 otherwise.

Usage: MLF_PROGRAM=mlf bench/optimized.py [--kernels] ARCHIVE...
bench/optimized_networks.py makes those of the networks that the tests build.
"""

import argparse
import dataclasses
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/e2e"))

import cortex_m
import generated_c
import memory_truth
import plan_programs
import plan_run
import support

HEAD = ("ARCHIVE", "CONSTANTS", "NARROWED", "COLLAPSED", "SHARED", "AFTER", "%", "POOLS", "AFTER", "CODE", "AFTER",
        "INSTRUCTIONS", "AFTER")  # fmt: skip
WIDTHS = (40, 10, 10, 10, 8, 9, 6, 9, 9, 8, 8, 13, 11)
CAUSES = ("narrowing", "collapsing", "sharing")
MOST_GROWTH = 1.01
MOST_OF_WIDENED = 0.52


def row(*cells):
    first = f"{cells[0]:{WIDTHS[0]}}"
    print(first + "".join(f"{cell!s:>{width}}" for cell, width in zip(cells[1:], WIDTHS[1:])), flush=True)


@dataclasses.dataclass
class Measured:
    """One archive: by function, and of one run."""

    functions: dict
    instructions: int | None

    @property
    def code(self):
        return sum(self.functions.values())


def measured(archive, module, directory):
    document = {name: one for name, one, _ in memory_truth.networks(archive)}.get(module)
    if document is None:
        return None
    network = plan_programs.Network(plan_run.unpacked(archive, directory), document, directory / "work")
    is_aot = document["provenance"]["kind"] == "main-function"
    functions = cortex_m.code_by_function(network, "-Os")
    return Measured(functions, cortex_m.instructions(network, "-O2") if is_aot else None)


def label_of(archive):
    name = memory_truth.name_of(archive)
    return name if "/" in name or archive.name == "module.tar" else f"{archive.parent.name}/{name}"


def bytes_of(constants, key="bytes"):
    """Of the data alone: pools of small networks have as much alignment as data."""
    return sum(one[key] for one in constants)


def has_widened_weights(constants):
    """Whether most bytes are of int16 that int8 can hold."""
    widened = [one for one in constants if (one["dtype"], one["new_dtype"]) == ("int16", "int8")]
    return 2 * bytes_of(widened) > bytes_of(constants)


class Sums:
    def __init__(self):
        self.code, self.instructions, self.widened = [], [], []
        self.faults = []

    def add(self, label, module, old, new):
        if has_widened_weights(module["constants"]):
            before, after = (bytes_of(module["constants"], key) for key in ("bytes", "new_bytes"))
            self.widened.append((before, after))
            if after > MOST_OF_WIDENED * before:
                self.faults.append(f"{label}: constants {before}, {after} afterwards")
        if old is None or new is None:
            return
        self.code.append((old.code, new.code))
        if old.instructions is not None:
            self.instructions.append((old.instructions, new.instructions))

    def judge(self):
        for name, pairs, most in (
            ("code", self.code, MOST_GROWTH),
            ("instructions", self.instructions, MOST_GROWTH),
            ("constants of networks with widened weights", self.widened, MOST_OF_WIDENED),
        ):
            before, after = (sum(some) for some in zip(*pairs)) if pairs else (0, 0)
            share = 100 * after / max(before, 1)
            print(f"{len(pairs)} archives: {name} {before}, {after} afterwards ({share:.1f} %)")
            if after > most * before:
                self.faults.append(f"{name}: {share:.1f} % in sum")
        for fault in self.faults:
            print(f"FAULT: {fault}")
        return not self.faults


def measure(archive, sums, with_kernels):
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        smaller = directory / "smaller.tar"
        result = support.run("optimize", archive, "-o", smaller, "--json")
        if result.returncode:
            print(f"{label_of(archive)}: {result.stderr.decode().strip().splitlines()[-1]}", flush=True)
            return
        for module in json.loads(result.stdout)["modules"]:
            old = new = None
            if cortex_m.is_there() and smaller.read_bytes() != archive.read_bytes():
                try:
                    old = measured(archive, module["name"], directory / "old")
                    new = measured(smaller, module["name"], directory / "new")
                except (generated_c.CannotRun, plan_programs.Failed) as error:
                    print(f"{label_of(archive)}: not compiled: {str(error).splitlines()[0]}")
            label = label_of(archive)
            write_row(label, module, old, new)
            sums.add(label, module, old, new)
            if with_kernels and old and new:
                for name, size in old.functions.items():
                    if new.functions.get(name) != size:
                        print(f"    {name}: {size}, {new.functions.get(name, 0)} afterwards")


def write_row(label, module, old, new):
    before, after = module["constants_bytes"], module["new_constants_bytes"]
    share = "?" if before is None else f"{100 * (before - after) / max(before, 1):.1f}"
    costs = [getattr(one, name) if one else None for name in ("code", "instructions") for one in (old, new)]
    row(
        label, before, *(module[f"saved_by_{cause}"] for cause in CAUSES), after, share,
        sum(pool["bytes"] for pool in module["pools"]), sum(pool["new_bytes"] for pool in module["pools"]),
        *("-" if cost is None else cost for cost in costs),
    )  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("archives", nargs="+", type=pathlib.Path, metavar="ARCHIVE")
    options = parser.parse_args()
    sums = Sums()
    row(*HEAD)
    for archive in options.archives:
        measure(archive, sums, options.kernels)
    return 0 if sums.judge() else 1


if __name__ == "__main__":
    sys.exit(main())

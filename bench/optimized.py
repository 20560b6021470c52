#!/usr/bin/env python3
"""What `mlf optimize` saves, and what it costs on a Cortex-M4.

For each archive: bytes of constants and of workspace pools before and after, by cause; code of the archive's
C by arm-none-eabi-gcc -Os; instructions of one run in QEMU, compiled with -O2.

Usage: MLF_PROGRAM=mlf bench/optimized.py ARCHIVE...
"""

import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/e2e"))

import cortex_m
import memory_truth
import plan_programs
import plan_run
import support

HEAD = ("ARCHIVE", "CONSTANTS", "NARROWED", "COLLAPSED", "SHARED", "%", "POOLS", "AFTER", "CODE", "AFTER",
        "INSTRUCTIONS", "AFTER")  # fmt: skip
WIDTHS = (40, 10, 10, 10, 8, 6, 9, 9, 8, 8, 13, 11)


def row(*cells):
    first = f"{cells[0]:{WIDTHS[0]}}"
    print(first + "".join(f"{cell!s:>{width}}" for cell, width in zip(cells[1:], WIDTHS[1:])), flush=True)


def network_of(archive, module, directory):
    document = {name: one for name, one, _ in memory_truth.networks(archive)}[module]
    return plan_programs.Network(plan_run.unpacked(archive, directory), document, directory / "work")


def measure(archive):
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        smaller = directory / "smaller.tar"
        text = support.run_ok("optimize", archive, "-o", smaller, "--json").stdout
        for module in json.loads(text)["modules"]:
            before, after = module["constants_bytes"], module["new_constants_bytes"]
            costs = ["-", "-", "-", "-"]
            if cortex_m.is_there():
                old = cortex_m.cost(network_of(archive, module["name"], directory / "old"))
                new = cortex_m.cost(network_of(smaller, module["name"], directory / "new"))
                costs = [old.code, new.code, old.instructions, new.instructions]
            row(
                memory_truth.name_of(archive), before,
                *(module[f"saved_by_{cause}"] for cause in ("narrowing", "collapsing", "sharing")),
                f"{100 * (before - after) / max(before, 1):.1f}",
                sum(pool["bytes"] for pool in module["pools"]),
                sum(pool["new_bytes"] for pool in module["pools"]), *costs,
            )  # fmt: skip


def main():
    row(*HEAD)
    for archive in map(pathlib.Path, sys.argv[1:]):
        measure(archive)


if __name__ == "__main__":
    main()

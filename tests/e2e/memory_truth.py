"""The numbers of mlf about memory against an independent truth.

Of every archive that has C, the C is compiled with gcc and the network is run:
  constants   arrays in .rodata.tvm                 = constants of kernels and main outside of pools
  pools       arrays in .bss.noinit.tvm and structs = pools, each by its name; nothing else is in
              .data or .bss
  heap        high-water mark of TVMBackendAllocWorkspace = `used` of the region "heap"
  executor    storage_id of the archive's graph, summed as GraphExecutor::SetupStorage
              (src/runtime/graph_executor/graph_executor.cc) allocates it, but for the ids of inputs
              and parameters = `used` of the region "executor"
  stack       -fstack-usage                        >= arrays of every kernel
Both TIR that was captured and the generated C itself give these numbers. Prints a table; whatever
cannot be compiled or run is in it with the reason.
"""

import json
import math
import re
import sys

import generated_c
import support


def archives():
    return support.archives_with_c()


def name_of(path):
    if path.name != "module.tar":
        return path.stem
    return path.parent.name if "tests" in path.parts else "/".join(path.parts[-3:-1])


def networks(path):
    """(module, topology) of every network in the archive, or why there is none."""
    modules = support.json_of("inspect", "--json", path)["modules"]
    for module in modules:
        result = support.run("graph", "--module", module["name"], path)
        if result.returncode:
            yield module["name"], None, result.stderr.decode().strip().splitlines()[-1]
        else:
            yield module["name"], json.loads(result.stdout), None


def constants_of(document):
    """Bytes of constants outside of pools, every one once."""
    own = {
        (kernel["symbol"], constant["name"]): constant["bytes"]
        for kernel in document["kernels"]
        for constant in kernel["constants"]
        if constant["memory"] == "program"
    }
    main = [one for one in document["storages"] if one["memory"] == "program"]
    return sum(own.values()) + sum(storage["bytes"] for storage in main)


def regions_of(document, kind):
    return [region for region in document["memory"] if region["kind"] == kind]


def used(document, kind):
    return sum(region["used"] for region in regions_of(document, kind))


def stack_of(kernel):
    ends = [one["offset"] + one["bytes"] for one in kernel["workspaces"] if one["memory"] == "stack"]
    return max(ends, default=0)


def numbers_of(document, program):
    return {
        "constants": constants_of(document),
        "pools": {pool["name"]: padded(pool, program) for pool in document["pools"]},
        "heap": used(document, "heap"),
        "executor": used(document, "executor"),
    }


def padded(pool, program):
    """A pool of constants is a struct with aligned members: C pads its end."""
    if pool["kind"] != "constant":
        return pool["bytes"]
    alignment = program.alignment(pool["name"])
    return (pool["bytes"] + alignment - 1) // alignment * alignment


def executor_storage(root, module):
    """Bytes that the graph executor allocates for what is neither input nor parameter."""
    files = [root / "executor-config/graph" / name for name in (f"{module}.graph", "graph.json")]
    graph = next((json.loads(path.read_text()) for path in files if path.exists()), None)
    if graph is None:
        return 0
    attrs = {name: value[1] for name, value in graph["attrs"].items() if isinstance(value, list)}
    largest = {}
    for storage, shape, dtype in zip(
        attrs["storage_id"], attrs["shape"], attrs["dltype"], strict=True
    ):
        bits = 8 if dtype == "bool" else int(re.search(r"\d+", dtype)[0])
        lanes = int(re.search(r"x(\d+)|$", dtype)[1] or 1)
        size = (bits * lanes + 7) // 8 * math.prod(shape)
        largest[storage] = max(largest.get(storage, 0), size)
    for node in graph["arg_nodes"]:
        largest.pop(attrs["storage_id"][graph["node_row_ptr"][node]], None)
    return sum(largest.values())


def truth_of(document, program, root, module):
    symbols = program.symbols()
    pools = {
        name: size
        for section, size, name in symbols
        if section.startswith((".bss", ".rodata.tvm"))
        if name in {pool["name"] for pool in document["pools"]}
    }
    return {
        "constants": sum(
            size
            for section, size, name in symbols
            if section == ".rodata.tvm" and name not in pools
        ),
        "pools": pools,
        "heap": program.heap(document),
        "executor": executor_storage(root, module),
    }


def frames_too_small(document, program):
    frames = program.stack_usage()
    return [
        f"{kernel['symbol']}: arrays of {stack_of(kernel)} bytes in a frame of {frames[symbol]}"
        for kernel in document["kernels"]
        for symbol in [kernel["symbol"]]
        if stack_of(kernel) > frames[symbol]
    ]


def unknown_memory(document, program):
    """Writable memory of the program that mlf does not know."""
    pools = {pool["name"] for pool in document["pools"]}
    return [
        f"{name}: {size} bytes in {section}"
        for section, size, name in program.symbols()
        if section.startswith((".data", ".bss")) and not section.startswith(".data.rel")
        if name not in pools
    ]


class Truths:
    """What differs from mlf, and what cannot be compared."""

    def __init__(self, flags=("-fstack-usage",)):
        self.flags, self.not_compared, self.faults = flags, [], []

    def check(self, archive):
        with support.temporary_directory() as directory:
            root = support.stock(archive, directory / "archive")
            found = list(networks(archive))
            for name, document, reason in found:
                label = name_of(archive) + (f" {name}" if len(found) > 1 else "")
                try:
                    if document is None:
                        raise generated_c.CannotRun(reason)
                    work = directory / f"work-{name}"
                    work.mkdir()
                    program = generated_c.Program(root, name, work, flags=self.flags)
                    self.check_network(label, archive, document, program)
                except generated_c.CannotRun as why:
                    self.not_compared.append(f"{label}: {why}")

    def end(self, compared):
        """Prints what was found; the exit code of the test."""
        for line in sorted(set(self.not_compared)):
            print(f"not compared: {line}")
        for line in self.faults:
            print(f"DIFFERENT: {line}")
        print(f"{compared}, {len(self.faults)} differences, {len(self.not_compared)} not compared")
        return 1 if self.faults else 0


class Table(Truths):
    compared = 0

    def check_network(self, name, archive, document, program):
        stock = {module: one for module, one, _ in networks(program.root)}
        module = document["module"]
        truth = truth_of(document, program, program.root, module)
        compare(self, name, document, stock[module], program, truth)

    def row(self, name, document, truth):
        self.compared += 1
        pools = " ".join(f"{pool} {size}" for pool, size in sorted(truth["pools"].items())) or "-"
        executor = truth["executor"] or "-"
        stack = used(document, "stack") or "-"
        print(
            f"{name:44}{truth['constants']:>10}{truth['heap']:>10}{executor:>10}{stack:>8}  {pools}"
        )


def compare(table, name, captured, stock, program, truth):
    table.row(name, captured, truth)
    for source, document in (("as it is", captured), ("without src/tir-*", stock)):
        for region in document["memory"]:
            for why in region["uncertain"]:
                table.faults.append(f"{name} ({source}): {region['kind']} is not exact: {why}")
        for what, told in numbers_of(document, program).items():
            if told != truth[what]:
                table.faults.append(f"{name} ({source}): {what}: mlf {told}, truth {truth[what]}")
        for fault in frames_too_small(document, program) + unknown_memory(document, program):
            table.faults.append(f"{name} ({source}): {fault}")


def main():
    table = Table()
    print(f"{'ARCHIVE':44}{'CONSTANTS':>10}{'HEAP':>10}{'EXECUTOR':>10}{'STACK':>8}  POOLS")
    for archive in archives():
        table.check(archive)
    assert table.compared > 0
    return table.end(f"{table.compared} networks compared with gcc and a run")


if __name__ == "__main__":
    sys.exit(main())

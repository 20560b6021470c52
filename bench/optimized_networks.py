"""The networks that the tests build, in every configuration, for bench/optimized.py.

Usage: PYTHON_OF_A_TVM_VENV bench/optimized_networks.py DIRECTORY
tests/run --all makes such a Python (build/venv-tvm-0.16). Writes NETWORK-CONFIGURATION.tar: AOT packed and with
the C interface, with the memory planner and without, and for the graph executor with constants in the C
(graph) and in a file of parameters (graph-params). Leaves archives that are there.
"""

import os
import pathlib
import sys

_SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_SOURCE / name) for name in ("mlf/tvmc", "tests/e2e/hook", "tests/e2e/tvm", "tests/e2e")]
os.environ.setdefault("MLF_PROGRAM", "mlf")  # of modules that tests share; nothing here calls it

import complete_tvm  # noqa: E402  it is found by the lines above

complete_tvm.complete()

import tvm  # noqa: E402

import builds  # noqa: E402
import exporter  # noqa: E402
import networks  # noqa: E402


def _aot(configuration):
    def write(module, path):
        factory = builds.aot(module, configuration)
        exporter.export(factory, path)
        exporter.add_members(path, exporter.captured_tir(factory))

    return write


def _graph(build):
    return lambda module, path: exporter.export(build(module), path)


WRITERS = {one.name: _aot(one) for one in builds.CONFIGURATIONS}
WRITERS["graph"] = _graph(builds.graph_with_constants)
WRITERS["graph-params"] = _graph(builds.graph)


def main(directory):
    directory.mkdir(parents=True, exist_ok=True)
    for network in networks.all_networks():
        for configuration, write in WRITERS.items():
            path = directory / f"{network.name}-{configuration}.tar"
            if path.exists():
                continue
            unfinished = directory / "unfinished.tar"
            try:
                write(network.module, unfinished)
            except tvm.TVMError as error:  # v0.9 fails for networks without a kernel
                print(f"not built: {path.name}: {str(error).strip().splitlines()[-1]}")
                continue
            unfinished.rename(path)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1])) if len(sys.argv) == 2 else sys.exit(__doc__)

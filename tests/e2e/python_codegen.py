"""mlf/python/examples/c_generator.py: its C computes what TVM's C computes, byte by byte."""

import ctypes
import importlib.util
import subprocess
import unittest

import generated_c
import support

try:
    import mlf
    import numpy
except ImportError as missing:
    support.skip(f"{missing}; tests/run --all makes a Python that has it")

EXAMPLE = support.SOURCE / "mlf" / "python" / "examples" / "c_generator.py"
# Both are compiled alike, and no compiler may join a multiplication and an addition into one.
FLAGS = [*generated_c.FLAGS, "-O1", "-ffp-contract=off", "-fPIC", "-shared"]
CORPUS = ("resnet8-aot-c", "dense-aot-c", "mlp-aot-c", "diamond-aot-c", "split_concat-aot-c")
RUNS = 3


def generator():
    spec = importlib.util.spec_from_file_location("c_generator", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(directory, name, sources, flags=()):
    library = directory / f"{name}.so"
    command = ["gcc", *FLAGS, *flags, *map(str, sources), "-lm", "-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return ctypes.CDLL(str(library))


def random(numbers, port):
    dtype = numpy.dtype(port["dtype"])
    if dtype.kind == "f":
        return numbers.standard_normal(port["shape"]).astype(dtype)
    return numbers.integers(-100 if dtype.kind == "i" else 0, 100, port["shape"], dtype)


def outputs(library, symbol, network, inputs):
    results = [numpy.zeros(port["shape"], port["dtype"]) for port in network.outputs]
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (*inputs, *results)]
    assert getattr(library, symbol)(*pointers) == 0
    return results


def document_of(path, archive):
    """Text of TVM up to v0.11 has six digits of a float: then what was captured beside it."""
    document = archive.tir["tir-1"]
    captured = path.with_name("save-1.json")
    if document.dialect == "legacy_text" and captured.exists():
        return mlf.tir.read(captured.read_bytes(), name=captured.name)
    return document


class Generated(unittest.TestCase):
    def check(self, path):
        with support.temporary_directory() as directory:
            support.unpacked(path, directory / "archive")
            archive = mlf.open(path)
            network = archive.networks["default"]
            sources = sorted((directory / "archive/codegen/host/src").glob("default_lib*.c"))
            sources.append(generated_c.RUNTIME / "allocator.c")
            include = f"-I{directory}/archive/codegen/host/include"
            theirs = compiled(directory, "theirs", sources, [include])
            (directory / "ours.c").write_text(generator().generate(document_of(path, archive)))
            ours = compiled(directory, "ours", [directory / "ours.c"])
            numbers = numpy.random.default_rng(18)
            symbol = network.topology["provenance"]["symbol"]
            for _ in range(RUNS):
                inputs = [random(numbers, port) for port in network.inputs]
                expected = outputs(theirs, symbol, network, inputs)
                found = outputs(ours, symbol, network, inputs)
                self.assertEqual([a.tobytes() for a in found], [a.tobytes() for a in expected])
            self.check_kernels(network, theirs, ours, numbers)

    def check_kernels(self, network, theirs, ours, numbers):
        """Each by itself: what one kernel does may be lost in the next one's saturation."""
        for kernel in {call["kernel"]: call for call in network.calls}.values():
            symbol = network.kernels[kernel["kernel"]]["symbol"]
            results = []
            for library, seed in ((theirs, 1), (ours, 1), (theirs, 2)):
                values = numpy.random.default_rng(seed)
                arrays = [random(values, argument) for argument in kernel["arguments"]]
                pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]
                self.assertEqual(getattr(library, symbol)(*pointers), 0)
                results.append(b"".join(array.tobytes() for array in arrays))
            self.assertEqual(results[0], results[1], symbol)
            self.assertNotEqual(results[0], results[2], symbol)

    def test_bundled_networks_compute_the_same(self):
        for path in support.bundled_archives():
            if path.name.endswith("-aot-c.tar"):
                with self.subTest(path.name):
                    self.check(path)

    def test_networks_of_the_corpus_compute_the_same(self):
        paths = [p for name in CORPUS for p in support.CORPUS.glob(f"*/{name}/module.tar")]
        self.assertGreaterEqual(len(paths), len(CORPUS) if support.HAS_WHOLE_CORPUS else 1)
        for path in sorted(paths):
            with self.subTest(str(path)):
                self.check(path)

    def test_the_generator_is_short(self):
        self.assertLessEqual(len(EXAMPLE.read_text().splitlines()), 150)


if __name__ == "__main__":
    unittest.main()

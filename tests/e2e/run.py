"""`mlf run`: outputs are those of another driver, faults are found, and nothing is left.

Outputs    of every bundled archive that has C, the C is compiled and run by a driver of the tests
           (generated_c.py) with the same inputs: the same bytes
Faults     one constant, shift, argument or offset of the C is another one: --compare names the call
Hostile    C that loops for ever, forks, writes files, prints a gigabyte or dies is one clear error
"""

import concurrent.futures
import hashlib
import json
import os
import random
import re
import struct
import subprocess
import unittest
import zipfile

import generated_c
import numpy_files
import program_case
import schemas
import support

QNN = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
ADD = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
CORPUS = support.BUNDLED_CORPUS
BLOCKS = CORPUS / "tvm-0.16/blocks-aot-c-usmp/module.tar"
DIAMOND = CORPUS / "tvm-0.9/diamond-aot-c-usmp/module.tar"
DIAMOND_GRAPH = CORPUS / "tvm-0.9/diamond-graph/module.tar"
PACKED = CORPUS / "tvm-0.18/qnn_conv-aot-packed-usmp/module.tar"
MODULES = CORPUS / "tvm-0.18/two-modules/module.tar"
CASES = support.SOURCE / "tests/data/cases"
CMSIS = CORPUS / "tvm-0.18/cmsis-nn/module.tar"


def networks(archive):
    """The topologies by module."""
    for module in support.json_of("inspect", "--json", archive)["modules"]:
        result = support.run("graph", "--module", module["name"], archive)
        if result.returncode == 0:
            yield module["name"], json.loads(result.stdout)


def runnable():
    """The bundled archives with the C of a network; with MLF_EVERY_ARCHIVE=1 those of the corpus."""
    corpus = support.CORPUS if os.environ.get("MLF_EVERY_ARCHIVE") == "1" else CORPUS
    archives = support.bundled_archives() + sorted((support.SOURCE / "tests/data/c").glob("*/module.tar"))
    for archive in archives + sorted(corpus.glob("*/*/module.tar")):
        if "cmsis" not in archive.parent.name and "op-" not in f"{archive.parent.name} {archive.name}":
            yield archive


def random_array(port, values):
    """What an index, perhaps, may be."""
    size = generated_c.bytes_of(port)
    if port["dtype"].startswith("int") and port["dtype"] != "int8":
        width = generated_c.bits_of(port["dtype"]) // 8
        data = b"".join(values.randrange(2).to_bytes(width, "little") for _ in range(size // width))
    elif port["dtype"] == "float32":

        data = struct.pack(f"<{size // 4}f", *(values.uniform(-1, 1) for _ in range(size // 4)))
    else:
        data = values.randbytes(size)
    return numpy_files.Array(port["dtype"], port["shape"], data)


def driver_outputs(archive, module, document, inputs, directory):
    """The outputs of the driver of the tests, one behind the other."""
    support.unpacked(archive, directory)
    program = generated_c.Program(directory, module, directory, flags=("-O1",))
    return program.run(document, [one.data for one in inputs.values()])


class Outputs(program_case.Directory):
    def outputs(self, *arguments):
        return numpy_files.read_npz(support.run_ok("run", "-o", "-", *arguments).stdout)

    def check(self, archive):
        for module, document in networks(archive):
            directory = self.directory / f"{archive.parent.name}-{archive.stem}-{module}"
            directory.mkdir()
            values = random.Random(str(directory.name))
            inputs = {port["name"]: random_array(port, values) for port in document["inputs"]}
            given = directory / "inputs.npz"
            numpy_files.write_npz(given, inputs)
            found = self.outputs("--module", module, "--input", given, archive)
            self.assertEqual([*found], [port["name"] for port in document["outputs"]], archive)
            expected = driver_outputs(archive, module, document, inputs, directory)
            self.assertEqual(b"".join(one.data for one in found.values()), expected, archive)
        return 1

    def test_are_those_of_another_driver(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.assertGreater(sum(pool.map(self.check, runnable())), 15)

    def test_are_the_same_for_a_seed(self):
        first = support.run_ok("run", "--random", "7", PACKED).stdout
        self.assertEqual(first, support.run_anew("run", "--random", "7", PACKED).stdout)
        self.assertNotEqual(first, support.run_ok("run", "--random", "8", PACKED).stdout)

    def test_have_a_table(self):
        text = support.run_ok("run", "--random", "7", ADD).stdout.decode()
        head, row = text.splitlines()
        self.assertEqual(head.split(), ["OUTPUT", "DTYPE", "SHAPE", "MIN", "MAX", "SHA-256"])
        self.assertRegex(row, r"^output +float32 +1x10 +-?[0-9.]+ +-?[0-9.]+ +[0-9a-f]{16}$")

    def test_may_have_inputs_from_several_files(self):
        array = numpy_files.Array("float32", (1, 10), bytes(40))
        (self.directory / "x.npy").write_bytes(numpy_files.npy(array))
        numpy_files.write_npz(self.directory / "y.npz", {"y": array}, zipfile.ZIP_STORED)
        found = self.outputs("--input", f"x={self.directory}/x.npy", "--input", self.directory / "y.npz", ADD)
        piped = support.run_ok("run", "-o", "-", "--input", "x=/dev/stdin", "--input", self.directory / "y.npz", ADD,
                               input=(self.directory / "x.npy").read_bytes()).stdout  # fmt: skip
        self.assertEqual(numpy_files.read_npz(piped), found)
        self.assertEqual(found["output"], array)

    def test_of_calls_are_those_of_the_network(self):
        for archive, calls in ((BLOCKS, 8), (DIAMOND_GRAPH, 6), (PACKED, 4)):
            layers, outputs = self.directory / "layers.npz", self.directory / "outputs.npz"
            support.run_ok("run", "--random", "3", "-o", outputs, "--layers", layers, archive)
            found = numpy_files.read_npz(layers)
            (_, document) = next(networks(archive))
            names = [f"call {i} {document['kernels'][call['kernel']]['symbol']}/out0"
                     for i, call in enumerate(document["calls"])]  # fmt: skip
            self.assertEqual([*found], names)
            self.assertEqual(len(found), calls)
            (output,) = numpy_files.read_npz(outputs).values()
            self.assertEqual([*found.values()][-1].data, output.data)


class Comparisons(program_case.Directory):
    def test_of_the_same_end_with_0(self):
        outputs = self.directory / "outputs.npz"
        support.run_ok("run", "--random", "1", "-o", outputs, ADD)
        for other in (ADD, outputs):
            support.run_ok("run", "--random", "1", "--compare", other, ADD)
        result = support.run_to(1, "run", "--random", "2", "--compare", outputs, ADD)
        self.assertIn(b"the outputs differ", result.stderr)
        support.run_ok("run", "--random", "2", "--compare", outputs, "--tolerance", "4", ADD)

    def test_of_another_plan_end_with_0(self):
        smaller = self.directory / "smaller.tar"
        support.run_ok("optimize", "--reorder", "-o", smaller, DIAMOND)
        support.run_ok("run", "--random", "1", "--compare", smaller, DIAMOND)

    def test_name_outputs_that_are_not_there(self):
        outputs = self.directory / "outputs.npz"
        numpy_files.write_npz(outputs, {"output": numpy_files.Array("int8", (10,), bytes(10))})
        result = support.run_to(1, "run", "--random", "1", "--compare", outputs, ADD)
        self.assertIn(b"float32 of 40 bytes, and int8 of 10", result.stdout)

    def test_name_arrays_that_nothing_was_compared_with(self):
        (output,) = numpy_files.read_npz(support.run_ok("run", "--random", "1", "-o", "-", ADD).stdout).values()
        outputs = self.directory / "outputs.npz"
        other = numpy_files.Array("int8", (3,), bytes(3))
        numpy_files.write_npz(outputs, {"output": output, "further": other})
        text = support.run_ok("run", "--random", "1", "--compare", outputs, ADD).stdout.decode()
        self.assertRegex(text, r"(?m)^output +name +10 +0 +0 +output$")
        self.assertIn("not compared: 1 other array: further\n", text)

    def test_take_no_array_for_an_output_by_its_shape(self):
        (output,) = numpy_files.read_npz(support.run_ok("run", "--random", "1", "-o", "-", ADD).stdout).values()
        outputs = self.directory / "outputs.npz"
        numpy_files.write_npz(outputs, {"another": output, "further": output})
        result = support.run_to(1, "run", "--random", "1", "--compare", outputs, ADD)
        self.assertIn(b"output 'output' is not compared: no array has its name or that of its layer", result.stderr)

    def test_need_a_finite_tolerance(self):
        for number in ("nan", "inf", "-1"):
            support.run_to(64, "run", "--random", "1", "--compare", ADD, "--tolerance", number, ADD)


class Arrays(program_case.Directory):
    """--compare with tensors of a framework, which have the names of the model's layers."""

    LAYERS = {"qnn.conv2d": "conv", "qnn.requantize": "conv", "nn.max_pool2d": "pool", "nn.avg_pool2d": "mean"}

    def setUp(self):
        members = support.members_of(QNN)
        relay = members["src/default.relay"].decode()
        for operator, layer in self.LAYERS.items():
            relay = re.sub(rf"(?m)({operator}\(.*\));$", rf"\1 /* span=model/{layer}:0:0 */;", relay)
        self.assertEqual(relay.count("span="), 4)
        members["src/default.relay"] = relay.encode()
        self.path = self.tar(members, "layers.tar")
        layers = numpy_files.read_npz(support.run_ok("run", "--random", "1", "--layers", "-", self.path).stdout)
        self.conv, self.pool, self.mean = [*layers.values()][1:]

    def compared(self, arrays, *options, code=0):
        path = self.directory / "framework.npz"
        numpy_files.write_npz(path, arrays)
        document = support.json_of("run", "--random", "1", "--json", "--compare", path, *options, self.path, code=code)
        schemas.check(Documents.VALIDATOR, document, "run")
        return document["comparison"]

    def as_framework(self):
        """The kernel of the pooling writes int32; a framework keeps int8."""
        pool = struct.unpack(f"<{len(self.pool.data) // 4}i", self.pool.data)
        return {
            "weights": numpy_files.Array("int8", (3, 3, 4, 8), bytes(288)),
            "model/mean": self.mean,
            "model/conv": self.conv,
            "model/pool": numpy_files.Array("int8", self.pool.shape, struct.pack(f"{len(pool)}b", *pool)),
        }

    def test_are_paired_by_names_of_layers(self):
        comparison = self.compared(self.as_framework())
        self.assertEqual([(one["tensor"].split("/")[0].split()[0:2][-1], one["array"], one["by"])
                          for one in comparison["arrays"]],
                         [("1", "model/conv", "layer"), ("2", "model/pool", "layer"), ("3", "model/mean", "layer"),
                          ("output", "model/mean", "layer")])  # fmt: skip
        self.assertEqual(comparison["unpaired"], ["weights"])
        self.assertEqual(comparison["calls"], {"compared": 3, "differing": [], "not_compared": [0]})

    def test_name_the_first_layer_that_differs(self):
        arrays = self.as_framework()
        data = bytearray(arrays["model/pool"].data)
        data[5] = (data[5] + 2) % 256
        arrays["model/pool"] = numpy_files.Array("int8", arrays["model/pool"].shape, bytes(data))
        comparison = self.compared(arrays, code=1)
        self.assertEqual(comparison["first_difference"]["before"]["layer"], "model/pool")
        self.assertEqual([one["differing"] for one in comparison["outputs"]], [0])
        self.compared(arrays, "--tolerance", "2")

    def test_of_floating_point_are_compared_in_steps(self):
        """Relay states the scale 0.05 and the zero point -5 of the convolution."""
        values = [(value + 5) * 0.05 for value in struct.unpack(f"{len(self.conv.data)}b", self.conv.data)]
        values[7] += 0.1
        arrays = self.as_framework()
        arrays["model/conv"] = numpy_files.Array("float32", self.conv.shape, struct.pack(f"<{len(values)}f", *values))
        comparison = self.compared(arrays, "--tolerance", "1.5", code=1)
        (conv, *others) = comparison["arrays"]
        self.assertEqual((conv["conversion"], conv["difference"]["largest"]), ("in steps of 0.05", 2))
        self.assertEqual({one["difference"]["differing"] for one in others}, {0})
        self.compared(arrays, "--tolerance", "2")


class Documents(program_case.Directory):
    """`mlf run --json`."""

    VALIDATOR = schemas.validator("run")

    def document(self, *arguments, code=0):
        document = support.json_of("run", "--random", "5", "--json", *arguments, code=code)
        schemas.check(self.VALIDATOR, document, "run")
        return document

    def test_have_the_outputs(self):
        outputs = numpy_files.read_npz(support.run_ok("run", "--random", "5", "-o", "-", ADD).stdout)
        document = self.document(ADD)
        (found,) = document["outputs"]
        data = outputs["output"].data
        values = struct.unpack("<10f", data)
        self.assertEqual((found["name"], found["dtype"], found["shape"], found["bytes"]),
                         ("output", "float32", [1, 10], 40))  # fmt: skip
        self.assertEqual(found["sha256"], hashlib.sha256(data).hexdigest())
        for key, value in (("min", min(values)), ("max", max(values))):
            self.assertEqual(struct.pack("<f", found[key]), struct.pack("<f", value))
        self.assertIsNone(document["comparison"])

    def test_have_the_first_difference(self):
        edit = substituted(r"\+ 31\) - 1", "+ 30) - 1", f"{CONV}_subtract_1")
        wrong = changed(BLOCKS, self.directory / "wrong.tar", edit)
        comparison = self.document("--compare", wrong, BLOCKS, code=1)["comparison"]
        self.assertTrue(comparison["differs"] and comparison["calls_compared"])
        first = comparison["first_difference"]
        self.assertEqual([first[key]["call"] for key in ("before", "after")], [2, 2])
        self.assertEqual(first["before"]["kernel"], f"{CONV}_subtract_1")
        self.assertGreater(first["result"]["differing"], 0)
        self.assertIsNone(first["overwriter"])

    def test_of_equal_outputs_have_no_difference(self):
        comparison = self.document("--compare", ADD, ADD)["comparison"]
        self.assertFalse(comparison["differs"])
        self.assertIsNone(comparison["first_difference"])
        self.assertEqual([one["differing"] for one in comparison["outputs"]], [0])

    def test_have_infinite_numbers_as_text(self):
        given = self.directory / "inputs.npz"
        for value in ("inf", "nan"):
            data = struct.pack("<f", float(value)) * 10
            numpy_files.write_npz(given, {name: numpy_files.Array("float32", (1, 10), data) for name in ("x", "y")})
            outputs = self.directory / f"{value}.npz"
            document = support.json_of("run", "--json", "--input", given, ADD)
            schemas.check(self.VALIDATOR, document, "run")
            self.assertEqual(document["outputs"][0]["max"], "inf" if value == "inf" else None)
            support.run_ok("run", "--random", "5", "-o", outputs, ADD)
            result = support.run("run", "--json", "--input", given, "--compare", outputs, ADD)
            (difference,) = json.loads(result.stdout)["comparison"]["outputs"]
            self.assertEqual(difference["largest"], "inf")


def changed(archive, path, edit):
    """Writes an archive without captured TIR in which `edit(name, text)` has changed the C."""
    members = support.without_tir(support.members_of(archive))
    for name in members:
        if name.endswith((".c", ".h")):
            members[name] = edit(name, members[name].decode()).encode()
    path.write_bytes(support.make_tar(members))
    return path


def substituted(pattern, replacement, within=""):
    """An edit of the one place that a pattern has, in the definition of a function where one is named."""
    def edit(name, text):
        begin, end = 0, len(text)
        if within:
            found = re.search(rf"{within}\([^;{{]*\) {{", text)
            if found is None:
                return text
            begin, end = found.start(), text.index("\n}\n", found.start())
        new, count = re.subn(pattern, replacement, text[begin:end], count=1)
        edit.count += count
        return text[:begin] + new + text[end:]
    edit.count = 0  # fmt: skip
    return edit


CONV = "tvmgen_default_fused_nn_conv2d_add_fixed_point_multiply_per_axis_add_clip_cast"
DENSE = "tvmgen_default_fused_nn_contrib_dense_pack"
MAIN = "tvmgen_default___tvm_main__"


def faults():
    """(archive, edit, the call that is wrong)."""
    for call, kernel in ((1, f"{CONV}_subtract"), (2, f"{CONV}_subtract_1"), (3, f"{CONV}_subtract_2"), (7, CONV)):
        yield BLOCKS, substituted(r"\+ 31\) - 1", "+ 30) - 1", kernel), call  # the rounding of a shift
        yield BLOCKS, substituted(r"< \(127\) \? \((.*)\) : \(127\)", r"< (9) ? (\1) : (9)", kernel), call
        yield BLOCKS, substituted(r"conv2d_nhwc_let\)\[0\] = 0;", "conv2d_nhwc_let)[0] = 999999;", kernel), call
        yield BLOCKS, substituted(r"(pad_temp_let = .*)\[0\]", r"\1[8]", kernel), call  # over the input
    yield BLOCKS, substituted(r"(\.fused_constant_2_let = \{\n +)[+-]0x\w+", r"\1+0x7777"), 3
    for call, kernel in ((0, f"{DENSE}_nn_relu"), (1, DENSE), (2, f"{DENSE}_1")):
        yield DIAMOND, substituted(r"k_outer < \d+", "k_outer < 3", kernel), call
    yield DIAMOND, substituted("sid_2_let, sid_4_let, sid_5_let", "sid_4_let, sid_2_let, sid_5_let", MAIN), 4
    yield DIAMOND, substituted(r"(sid_3_let = .*)\[64\]", r"\1[8]", MAIN), 2  # over what call 4 reads
    yield DIAMOND, substituted(r"(sid_4_let = .*)\[128\]", r"\1[32]", MAIN), 3


class Faults(program_case.Directory):
    def named(self, number, archive, edit):
        """The call that --compare names: the first that differs, or the one that has overwritten its input."""
        wrong = changed(archive, self.directory / f"{number}.tar", edit)
        assert edit.count == 1, number
        result = support.run("run", "--random", "5", "--cflags=-O0 -w", "--compare", wrong, archive)
        text = result.stdout.decode()
        assert result.returncode == 1, f"fault {number} changes nothing\n{text}{result.stderr.decode()}"
        overlap = re.search(r"overlaps that of call (\d+)", text)
        first = re.search(r"first difference: call (\d+)", text)
        assert first, f"fault {number}\n{text}{result.stderr.decode()}"
        return int((overlap or first)[1])

    def test_are_named(self):
        cases = [*faults()]
        self.assertGreaterEqual(len(cases), 20)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = [*pool.map(lambda one: self.named(one[0], *one[1][:2]), enumerate(cases))]
        wrong = [(i, call, one[2]) for i, (call, one) in enumerate(zip(found, cases)) if call != one[2]]
        self.assertEqual(wrong, [])


class EditedArchives(program_case.Directory):
    """The archives of tests/data/cases."""

    NOT_UNDERSTOOD = CASES / "kernel-not-understood.tar.gz"
    SANITIZED = CASES / "asan-recipe.tar.gz"

    def changed(self, archive, *edit):
        path = changed(archive, self.directory / "changed.tar", edited := substituted(*edit))
        self.assertEqual(edited.count, 1)
        return path

    def test_record_calls_of_kernels_that_are_not_understood(self):
        layers = self.directory / "layers.npz"
        result = support.run_ok("run", "--random", "1", "--layers", layers, self.NOT_UNDERSTOOD)
        self.assertIn(b"call 5", result.stderr)
        found = [int(name.split()[1]) for name in numpy_files.read_npz(layers)]
        self.assertEqual(found, [call for call in range(14) if call != 5])

    def test_compare_calls_of_kernels_that_are_not_understood(self):
        original = self.changed(self.NOT_UNDERSTOOD, r"\(v_\) < \(96\)", "(v_) < (127)")
        for pair in ((self.NOT_UNDERSTOOD, original), (original, self.NOT_UNDERSTOOD)):
            result = support.run_to(1, "run", "--random", "1", "--compare", *pair)
            self.assertIn(b"first difference: call 5,", result.stdout)
            self.assertIn(b"14 of 14 calls", result.stdout)

    def test_differ_in_calls_where_outputs_are_the_same(self):
        """Softmax removes what is added to all elements."""
        other = self.changed(self.SANITIZED, r"(compute\[\(\(x_outer[^=]*= )", r"\1 1.0f + ")
        result = support.run("run", "--random", "1..3", "--tolerance", "1e-5", "--compare", other, self.SANITIZED)
        text = result.stdout.decode()
        self.assertEqual(result.returncode, 1, text)
        self.assertIn(b"calls differ, but no outputs", result.stderr)
        self.assertIn("compared: outputs and 5 of 5 calls, with --random 1..3\ncalls that differ: 1\n", text)
        self.assertIn("first difference: call 3, tvmgen_default_fused_nn_contrib_dense_pack", text)
        self.assertIn(" 30 ", text)  # elements of three runs

    def test_are_compared_with_the_same_inputs_only(self):
        message = support.refused(1, "run", "--random", "1", "--compare", ADD, PACKED)
        self.assertIn("the networks have other inputs", message)

    def test_take_several_seeds_for_a_comparison_only(self):
        for seeds, message in (("1..5", "several seeds need"), ("5..1", "--random"), ("1..1000", "--random"),
                               ("x", "--random"), ("1..", "--random")):  # fmt: skip
            self.assertIn(message, support.refused(64, "run", "--random", seeds, ADD))

    def test_take_the_size_of_an_input_from_its_file(self):
        values = struct.pack("<16f", *range(16))
        given = self.directory / "x.npy"
        given.write_bytes(numpy_files.npy(numpy_files.Array("float32", (16,), values)))
        result = support.run_ok("run", "--input", f"x={given}", "-o", "-", CASES / "input-size.tar.gz")
        (output,) = numpy_files.read_npz(result.stdout).values()
        self.assertEqual(output.data, struct.pack("<16f", *range(0, 32, 2)))

    def test_are_refused_if_calls_read_more_than_their_file_has(self):
        given = self.directory / "x.npy"
        given.write_bytes(numpy_files.npy(numpy_files.Array("float32", (15,), bytes(60))))
        result = support.run_to(64, "run", "--input", f"x={given}", CASES / "input-size.tar.gz")
        self.assertIn(b"the network reads 64 bytes of input 'x', and the values are float32[15]", result.stderr)

    def test_have_wrappers_that_take_packed_arguments(self):
        values = bytes(range(12))
        given = self.directory / "input.npy"
        given.write_bytes(numpy_files.npy(numpy_files.Array("int8", (1, 12), values)))
        archive = CASES / "packed-wrapper.tar.gz"
        # Main has only void*: the kernel's casts state the type, Relay's main the shape.
        (port,) = support.json_of("graph", archive)["inputs"]
        self.assertEqual((port["dtype"], port["shape"]), ("int8", [1, 12]))
        support.run_ok("run", "--random", "1", archive)
        result = support.run_ok("run", "--input", f"input={given}", "-o", "-", archive)
        (output,) = numpy_files.read_npz(result.stdout).values()
        self.assertEqual(output.data, bytes(-one % 256 for one in values))

    def test_run_under_sanitizers(self):
        sanitized = ("run", "--random", "1", "--cflags=-fsanitize=address", "--memory", "100T")
        support.run_ok(*sanitized, self.SANITIZED)
        # Main reads type codes of the pools that TVM's wrapper adds.
        support.run_ok(*sanitized, support.BUNDLED_CORPUS / "tvm-0.18/qnn_conv-aot-packed-usmp/module.tar")
        wrong = self.changed(self.SANITIZED, r"(tvmgen_default_fused_nn_softmax\(float\* p0, float\* T_softmax_norm\) {)",
                             r"\1 T_softmax_norm[1000] = 1;")  # fmt: skip
        self.assertIn("AddressSanitizer: heap-buffer-overflow", support.refused(65, *sanitized, wrong))


class HostileC(program_case.Temporaries):
    """Archives that do what they should not."""

    command = "run"

    def refused(self, *arguments, code=65):
        message = support.refused(code, self.command, *arguments, env=self.environment)
        self.assertEqual(list(self.temporary.iterdir()), [])
        return message

    def kernel(self, body):
        """An archive whose kernel does this."""
        edit = substituted(r"for \(int32_t ax1_inner = 0;", body + "\n  for (int32_t ax1_inner = 0;", "fused_add")
        path = changed(ADD, self.directory / "kernel.tar", edit)
        self.assertEqual(edit.count, 1)
        return path


class Refusals(HostileC):
    def test_of_c_that_does_not_end_as_it_should(self):
        libc = "int fork(void); int setsid(void); unsigned sleep(unsigned); void abort(void); int write(int, const void*, unsigned long); "
        for body, message in (
            ("for (;;) {}", "took longer than 1 s"),
            ("if (fork() == 0) { setsid(); sleep(600); } sleep(600);", "took longer than 1 s"),
            ("abort();", "signal 6"),
            ("*(volatile int*)8 = 1;", "signal 11"),
            ("return -1;", "the network returned -1"),
            ('TVMAPISetLastError("no\\\\x1b[31m"); return -1;', "the network returned -1"),
            ("static char text[65536]; for (int i = 0; i < 16384; ++i) write(2, text, 65536); abort();", "signal 6"),
            ("extern void _exit(int); _exit(0);", "did not write all its results"),
            ("volatile char* p = TVMBackendAllocWorkspace(1, 0, (uint64_t)1 << 40, 2, 8); *p = 1;", "not enough memory"),
        ):
            with self.subTest(body):
                path = self.kernel(libc + body)
                text = self.refused("--random", "1", "--seconds", "1" if "took" in message else "60", path)
                self.assertIn(message, text)
                self.assertEqual(text.count("\n"), 1)
                self.assertNotIn("\x1b", text)

    def test_of_c_that_writes_files(self):
        path = self.kernel('#include <stdio.h>\nFILE* f = fopen("big", "wb"); '
                           "if (f) { for (int i = 0; i < 1000; ++i) fputs(\"much of it, again and again\", f); fclose(f); }\n"
                           'FILE* l = fopen("left", "wb"); if (l) fclose(l);')  # fmt: skip
        result = support.run("run", "--random", "1", path, env=self.environment)
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertIn(result.returncode, (0, 65))

    def test_of_functions_that_are_missing(self):
        self.assertRegex(self.refused("--random", "1", CMSIS), r"needs functions that are not in the archive: arm_")

    def test_of_compilers_for_another_processor(self):
        """The linker finds no start-up code, and the object is of another machine."""
        compiler = self.directory / "cross"
        compiler.write_text("#!/bin/sh\nfor last; do :; done\ncase \"$*\" in *' -c '*) gcc \"$@\" || exit;; *) exit 1;; esac\n"
                            "for one; do case $one in *.o) printf '\\050' | dd of=$one bs=1 seek=18 conv=notrunc 2>/dev/null;; esac; done\n")
        compiler.chmod(0o755)
        self.assertIn("--cpu CPU runs", self.refused("--random", "1", "--cc", str(compiler), ADD))

    def test_of_objects_for_another_processor(self):
        source = self.directory / "f.c"
        source.write_text("int unused_function(void) { return 0; }\n")
        subprocess.run(["gcc", "-c", source, "-o", self.directory / "f.o"], check=True)
        data = bytearray((self.directory / "f.o").read_bytes())
        for machine, code in ((data[18], 0), (40, 65)):
            data[18] = machine
            members = support.members_of(ADD)
            path = self.tar({**members, "codegen/host/lib/default_lib2.o": bytes(data)}, "objects.tar")
            result = support.run_to(code, "run", "--random", "1", path, env=self.environment)
        self.assertIn(b"not for the processor", result.stderr)

    def test_of_inputs_that_do_not_fit(self):
        wrong = self.directory / "x.npy"
        wrong.write_bytes(numpy_files.npy(numpy_files.Array("int8", (10,), bytes(10))))
        other = self.directory / "other.npz"
        other.write_bytes(b"PK\3\4")
        for arguments, code, message in (
            ([], 64, "input 'x' has no values: --input x=FILE.npy gives them, --random SEED"),
            (["--input", f"x={wrong}"], 64, "input 'x' is float32[1, 10], and the values are int8[10]"),
            (["--input", f"z={wrong}"], 64, "no input 'z'"),
            (["--input", wrong], 64, "say which input it is"),
            (["--input", other, "--random", "1"], 65, "this .npz file cannot be read"),
            (["--input", f"x={ADD}"], 65, "this is no .npy and no .npz file: numpy.save"),
            (["--random", "1", "--json", "-o", "-"], 64, "two results go to standard output"),
            (["--random", "1", "--layers", "-", "-o", "-"], 64, "two results go to standard output"),
            (["--random", "1", "--cc", "no-such-compiler"], 64, "no-such-compiler"),
            (["--random", "1", "--cc", "false"], 65, "was not compiled"),
        ):
            with self.subTest(arguments):
                self.assertIn(message, self.refused(*arguments, ADD, code=code))
        self.assertIn("bare functions", self.refused("--random", "1", CORPUS / "tvm-0.9/op-multi/module.tar", code=1))
        self.assertIn("--module", self.refused("--random", "1", MODULES, code=64))

    def test_of_a_run_that_is_interrupted(self):
        self.interrupt("run", "--random", "1", self.kernel("for (;;) {}"))


if __name__ == "__main__":
    unittest.main()

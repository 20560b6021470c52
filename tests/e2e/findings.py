"""What mlf report finds: each code of findings.def in a network that has it, and one that has not."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import support

RULES = (support.SOURCE / "include/mlf/findings.def").read_text()
CODES = re.findall(r'MLF_FINDING\(\w+, "([\w-]+)"', RULES)

POOLS = (("global_const_workspace_0", 64), ("global_workspace_1", 48))


def main(calls, pools=()):
    params = "".join(f', {name}_var: T.handle("uint8", "global")' for name, _ in pools)
    lines = ["def __tvm_main__(x: T.handle, output: T.handle" + params + "):",
             '    T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True)})',
             "    x_buffer = T.match_buffer(x, (64,), align=16)",
             "    output_buffer = T.match_buffer(output, (64,), align=16)"]  # fmt: skip
    lines += [
        f'    {name}_buffer_var = T.match_buffer({name}_var, ({size},), "uint8", strides=(1,), align=16)'
        for name, size in pools
    ]
    if not pools:
        lines.append('    between = T.allocate([256], "uint8", "global.workspace")')
    for name, *arguments in calls:
        given = ", ".join(arguments)
        lines.append(
            f'    T.tvm_check_return(0, -1, T.call_extern("int32", "tvmgen_default_{name}", {given}))'
        )
    return lines


def kernel(name, params, *body):
    types = ", ".join(f'{one}: T.Buffer({shape}, "{dtype}")' for one, shape, dtype in params)
    return [f"def tvmgen_default_{name}({types}):", *(f"    {line}" for line in body)]


def constant(name, values, dtype):
    return f'{name} = T.allocate_const({values}, "{dtype}", [{len(values)}])'


def archive(*functions, sources=None):
    text = ["# from tvm.script import ir as I", "# from tvm.script import tir as T", "",
            "@I.ir_module", "class Module:"]  # fmt: skip
    for function in functions:
        text += ["    @T.prim_func", *(f"    {line}" for line in function), ""]
    files = {"metadata.json": support.METADATA, "src/tir-1.txt": "\n".join(text)}
    return support.make_tar({**files, **(sources or {})})


def found(data):
    """By code, the findings of the only module."""
    module = support.report_of("-", input=data)
    findings = {}
    for finding in module["findings"]:
        findings.setdefault(finding["code"], []).append(finding)
    assert list(findings) == [code for code in CODES if code in findings], "not in the order of the rules"
    return findings


def vector(count):
    return f"({count},)"


UNARY = (("p0", vector(64), "float32"), ("out", vector(64), "float32"))
ADD = kernel("add", UNARY, "for i in range(64):", "    out[i] = p0[i] + T.float32(1)")
ONE_CALL = (("add", "x_buffer.data", "output_buffer.data"),)
TWO_CALLS = (("a", "x_buffer.data", "between"), ("b", "between", "output_buffer.data"))


def with_constants(*lines, read="w[i]", dtype="int32"):
    """One kernel that reads the constant `w` in `lines`, and perhaps others."""
    return archive(
        main(ONE_CALL),
        kernel("add", UNARY, *lines, f'w = T.Buffer((16,), "{dtype}", data=w_var)', "for i in range(16):",
               f'    out[i] = p0[i] + T.Cast("float32", {read})'),  # fmt: skip
    )


class Findings(unittest.TestCase):
    def test_are_none_of_a_plain_network(self):
        self.assertEqual(found(archive(main(ONE_CALL), ADD)), {})

    def test_know_constants_that_are_there_twice(self):
        values = list(range(1000, 1016))
        twice = with_constants(
            constant("w_var", values, "int32"), constant("other", values, "int32"),
            'o = T.Buffer((16,), "int32", data=other)', read="(w[i] + o[i])",
        )  # fmt: skip
        (finding,) = found(twice)["constants-twice"]
        self.assertEqual(finding["bytes"], 64)
        self.assertIn("w_var", finding["where"])
        self.assertIn("other", finding["evidence"])
        once = with_constants(constant("w_var", values, "int32"))
        self.assertNotIn("constants-twice", found(once))

    def test_know_weights_that_were_widened(self):
        narrow = with_constants(constant("w_var", [*range(-128, -120), *range(120, 128)], "int16"),
                                dtype="int16")  # fmt: skip
        (finding,) = found(narrow)["widened-weights"]
        self.assertEqual(finding["bytes"], 16)
        self.assertIn("between -128 and 127", finding["evidence"])
        wide = with_constants(constant("w_var", [*range(-129, -121), *range(8)], "int16"), dtype="int16")
        self.assertNotIn("widened-weights", found(wide))

    def test_know_constants_of_one_value(self):
        same = with_constants(constant("w_var", [7] * 16, "int32"))
        (finding,) = found(same)["uniform-constant"]
        self.assertEqual(finding["bytes"], 60)
        other = with_constants(constant("w_var", [7] * 15 + [8], "int32"))
        self.assertNotIn("uniform-constant", found(other))

    def test_know_divisions_in_indices(self):
        divided = kernel("add", UNARY, "for i in range(64):",
                         "    out[i] = p0[i // {0} * {0} + i % {0}]")  # fmt: skip
        (finding,) = found(archive(main(ONE_CALL), [line.format(6) for line in divided]))["index-divisions"]
        self.assertTrue(finding["evidence"].startswith("64 divisions"), finding["evidence"])
        self.assertIsNone(finding["bytes"])
        self.assertNotIn("index-divisions", found(archive(main(ONE_CALL), [line.format(8) for line in divided])))
        # All indices are less.
        self.assertNotIn("index-divisions", found(archive(main(ONE_CALL), [line.format(1000) for line in divided])))

    @unittest.skipUnless(shutil.which("arm-none-eabi-gcc"), "there is no compiler of a Cortex-M")
    def test_know_the_divisions_of_the_compiled_code(self):
        """A kernel without divisions on data has one in its compiled code if and only if the report counts one."""
        compared = {True: 0, False: 0}
        flags = ["-Os", "-mcpu=cortex-m4", "-mthumb", "-mfp16-format=ieee", "-Dhalf=__fp16", "-w"]
        for path in support.archives_with_c(lambda path: "kinds" not in str(path)):
            with tempfile.TemporaryDirectory() as directory:
                sources = [*support.unpacked(path, directory).glob("codegen/host/src/*lib*.c")]
                include = ["-I", support.SOURCE / "src/compile/include", "-I", f"{directory}/codegen/host/include"]
                text = ""
                for source in sources:
                    made = source.with_suffix(".o")
                    subprocess.run(["arm-none-eabi-gcc", *flags, *include, "-c", source, "-o", made], check=True)
                    text += subprocess.run(["arm-none-eabi-objdump", "-d", made], check=True, capture_output=True, text=True).stdout
            functions = dict(re.findall(r"^[0-9a-f]+ <(\w+)>:\n((?:.+\n)+)", text, re.M))
            for module in support.json_of("report", "--json", path)["modules"]:
                for one in module["kernels"]:
                    of_data = ("divide_modulo", "fixed_point", "multiply")
                    is_of_data = any(it["operation"] in of_data and "int" in it["dtype"] for it in one["operations"])
                    if one["symbol"] not in functions or is_of_data or not isinstance(one["index_divisions"], int):
                        continue
                    has = re.search(r"\t([su]div|[su]mull|[su]mlal)\b", functions[one["symbol"]]) is not None
                    self.assertEqual(one["index_divisions"] > 0, has, (path, one["symbol"]))
                    compared[has] += 1
        self.assertTrue(all(compared.values()), compared)

    def test_know_functions_that_main_does_not_call(self):
        data = archive(
            main(ONE_CALL), ADD,
            kernel("unused", UNARY, constant("w_var", list(range(16)), "int32"),
                   'w = T.Buffer((16,), "int32", data=w_var)', 'out[0] = T.Cast("float32", w[0])'),
        )  # fmt: skip
        (finding,) = found(data)["unused-kernel"]
        self.assertEqual((finding["where"], finding["bytes"]), ("tvmgen_default_unused", 64))

    def test_know_parameters_that_nothing_reads(self):
        three = (("p0", vector(64), "float32"), ("p1", vector(64), "float32"), UNARY[1])
        calls = (("a", "x_buffer.data", "between"),
                 ("add", "x_buffer.data", "between", "output_buffer.data"))  # fmt: skip
        first = kernel("a", UNARY, "for i in range(64):", "    out[i] = p0[i]")
        body = ("for i in range(64):", "    out[i] = p0[i] + {}")
        unread = kernel("add", three, body[0], body[1].format("T.float32(1)"))
        (finding,) = found(archive(main(calls), first, unread))["unused-parameter"]
        self.assertEqual((finding["where"], finding["bytes"]), ("tvmgen_default_add", 256))
        self.assertIn("'p1'", finding["evidence"])
        read = kernel("add", three, body[0], body[1].format("p1[i]"))
        self.assertNotIn("unused-parameter", found(archive(main(calls), first, read)))

    def test_know_constants_that_no_function_reads(self):
        code = "codegen/host/src/default_lib1.c"
        members = support.members_of(support.SOURCE / "tests/data/archives/tvm-0.18-qnn_conv-aot-c.tar")
        array = 'static const int32_t __attribute__((section(".rodata.tvm"), aligned(16))) unread[8] = {3, 3, 3, 3, 3, 3, 3, 3};\n'
        text = members[code].decode()
        del members["src/tir-1.txt"]  # which would differ
        self.assertNotIn("unused-constant", found(support.make_tar(members)))
        last = text.rindex("static const")
        members[code] = text[:last] + array + text[last:]
        findings = found(support.make_tar(members))
        (finding,) = findings["unused-constant"]
        self.assertEqual((finding["where"], finding["bytes"]), ("unread", {"min": 0, "max": 32}))
        self.assertNotIn("unread", json.dumps(findings.get("uniform-constant", [])))
        # A statement that is not understood may read it.
        end = members[code].rindex("  return 0;\n}")
        members[code] = members[code][:end] + "  READ(unread);\n" + members[code][end:]
        self.assertNotIn("unused-constant", found(support.make_tar(members)))

    def test_know_pools_that_nothing_is_in(self):
        data = archive(main(ONE_CALL, POOLS), ADD)
        self.assertEqual(
            [(one["where"], one["bytes"]) for one in found(data)["unused-pool"]],
            [("global_const_workspace", 64), ("global_workspace", 48)],
        )

    def test_know_kernels_without_the_vectors_of_others(self):
        def dense(name, *body):
            return kernel(name, UNARY, "for i in range(4):", *body)

        plain = ("    for j in range(16):", "        out[i * 16 + j] = p0[i * 16 + j]")
        vectors = ("    out[i * 16:i * 16 + 16] = p0[i * 16:i * 16 + 16]",)
        names = ("fused_nn_dense", "fused_nn_dense_1", "fused_nn_softmax")
        calls = [(names[0], "x_buffer.data", "between"), (names[1], "between", "output_buffer.data")]
        (finding,) = found(archive(main(calls), dense(names[0], *plain), dense(names[1], *vectors)))[
            "unvectorized-kernel"
        ]
        self.assertEqual(finding["where"], "tvmgen_default_fused_nn_dense")
        self.assertIn("'tvmgen_default_fused_nn_dense_1'", finding["evidence"])
        # Another operator is no measure, and neither are two alike.
        calls[0] = (names[2], *calls[0][1:])
        other = archive(main(calls), dense(names[2], *plain), dense(names[1], *vectors))
        self.assertNotIn("unvectorized-kernel", found(other))
        calls[0] = (names[0], *calls[0][1:])
        alike = archive(main(calls), dense(names[0], *plain), dense(names[1], *plain))
        self.assertNotIn("unvectorized-kernel", found(alike))

    def test_know_kernels_without_the_blocks_of_others(self):
        def convolution(name, shape):
            index = ", ".join("i" if extent > 1 else "0" for extent in shape)
            params = (("p0", shape, "float32"), ("out", shape, "float32"))
            return kernel(name, params, "for i in range(4):", f"    out[{index}] = p0[{index}]")

        calls = (("fused_nn_conv2d", "x_buffer.data", "between"),
                 ("fused_nn_contrib_conv2d_NCHWc", "between", "output_buffer.data"))  # fmt: skip
        plain, blocks = convolution(calls[0][0], (1, 4, 4, 4)), convolution(calls[1][0], (1, 1, 4, 4, 4))
        (finding,) = found(archive(main(calls), plain, blocks))["untiled-kernel"]
        self.assertEqual(finding["where"], "tvmgen_default_fused_nn_conv2d")
        self.assertIn("NCHWc", finding["evidence"])
        alike = archive(main(calls), plain, convolution(calls[1][0], (1, 4, 4, 4)))
        self.assertNotIn("untiled-kernel", found(alike))

    def test_know_kernels_that_compute_the_same_again(self):
        def dense(*loops):
            body = [f"{'    ' * i}{loop}" for i, loop in enumerate(loops)]
            indent = "    " * len(loops)
            return kernel("fused_nn_dense", UNARY, "for i in range(64):", "    out[i] = T.float32(0)", *body,
                          f"{indent}out[i] = out[i] + p0[k] * p0[63 - k]")  # fmt: skip

        def report(relay, *loops):
            calls = main((("fused_nn_dense", "x_buffer.data", "output_buffer.data"),))
            return archive(calls, dense(*loops), sources={"src/default.relay": relay})

        head = "def @main(%x: Tensor[(1, 64), float32], %w: Tensor[(64, 64), float32]) {\n"
        relay = head + "  nn.dense(%x, %w, units=None)\n}\n"
        loops = ("for i in range(64):", "for k in range(64):")
        again = report(relay, "for t in range(3):", *(f"{loop}" for loop in loops))
        (finding,) = found(again)["recomputed"]
        self.assertEqual(finding["where"], "tvmgen_default_fused_nn_dense")
        self.assertEqual(finding["evidence"], "12288 multiply-accumulates; the operator in Relay needs 4096")
        once = report(relay, *loops)
        self.assertNotIn("recomputed", found(once))
        for data, code, word in ((once, 0, b"none"), (again, 1, b"recomputed"),
                                 (report(head + "  nn.dense(%y, %w)\n}\n", *loops), 1, b"undecided")):  # fmt: skip
            result = support.run_to(code, "check", "--no-finding", "recomputed", "-", input=data)
            self.assertIn(word, result.stdout)

    def test_know_c_that_cannot_be_compiled(self):
        half = (("p0", vector(64), "float16"), ("out", vector(64), "float16"))
        cast = kernel("add", half, "for i in range(64):", "    out[i] = p0[i] + T.float16(1)")
        source = (
            "// tvm target: c -keys=cpu \n"
            "#define TVM_EXPORTS\n"
            '#include "tvm/runtime/c_runtime_api.h"\n'
            "TVM_DLL int32_t tvmgen_default_add(half* p0, half* out) {\n"
            "  for (int32_t i = 0; i < 64; ++i) {\n"
            "    out[i] = (p0[i] + (half)1.000000e+00f);\n"
            "  }\n"
            "  return 0;\n"
            "}\n"
        )
        sources = {"codegen/host/src/default_lib1.c": source}
        (finding,) = found(archive(main(ONE_CALL), cast, sources=sources))["half-in-c"]
        self.assertEqual(finding["where"], "tvmgen_default_add")
        self.assertRegex(finding["evidence"], "^C has no type half: .*default_lib1.c, lines ")
        # Without the C there is nothing that cannot be compiled.
        self.assertNotIn("half-in-c", found(archive(main(ONE_CALL), cast)))

    def test_constants_that_are_not_const_are_in_flash_and_named(self):
        def compiled(path):
            module = support.report_of("--cc", "gcc", path)
            return module, {one["code"]: one for one in module["findings"]}

        path = support.SOURCE / "tests/data/c/tvm-0.9-qnn_conv-aot-c-usmp/module.tar"
        module, findings = compiled(path)
        self.assertEqual(module["compiled"]["data"], 0)
        self.assertEqual(findings["writable-constants"]["bytes"], module["flash"]["constants"])
        command = ["check", "--cc", "gcc", "--no-finding", "writable-constants", path]
        self.assertEqual(support.run(*command).returncode, 1)
        self.assertNotIn("writable-constants", compiled(support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar")[1])
        # The C alone shows it, too.
        (finding,) = found(path.read_bytes())["writable-constants"]
        self.assertEqual(finding["bytes"], module["flash"]["constants"])
        self.assertIn("const_workspace", finding["where"])

    def test_constants_that_are_not_const_are_in_the_memory_of_their_section(self):
        source = "codegen/host/src/default_lib0.c"
        members = support.members_of(support.SOURCE / "tests/data/c/tvm-0.9-qnn_conv-aot-c-usmp/module.tar")
        section = b'section(".rodata.tvm"), '
        self.assertIn(section, members[source])

        def ram_and_constants(by, *options):
            edited = {**members, source: members[source].replace(section, by)}
            text = support.run_ok("report", "--json", *options, "-", input=support.make_tar(edited)).stdout
            (module,) = json.loads(text)["modules"]
            return module["ram"]["pools"], module["flash"]["constants"]

        pools, constants = ram_and_constants(section)
        self.assertEqual(ram_and_constants(b""), (pools + constants, constants))
        self.assertEqual(ram_and_constants(b'section(".data.tvm"), '), (pools + constants, constants))
        either = ({"min": pools, "max": pools + constants}, constants)
        self.assertEqual(ram_and_constants(b'section(".weights"), '), either)
        # A compiler has them in its sections.
        self.assertEqual(ram_and_constants(b"", "--cc", "gcc")[0], pools)

    def test_have_a_case_for_every_rule(self):
        """Those that need an archive of TVM's are in report.py and below."""
        text = pathlib.Path(__file__).read_text()
        for code in CODES:
            self.assertTrue(f'"{code}"' in text, code)

    def test_name_what_optimize_makes_smaller(self):
        """With the values of the C, where the captured text has none."""
        codes = {"constants-twice", "widened-weights", "uniform-constant"}
        saved = 0
        for path in support.archives():
            optimized = support.run("optimize", "--dry-run", "--json", path)
            if optimized.returncode:
                continue
            report = support.json_of("report", "--json", path)
            for before, after in zip(report["modules"], json.loads(optimized.stdout)["modules"], strict=True):
                # Compilers leave out what no function reads.
                unused = {one["where"] for one in before["findings"] if one["code"] == "unused-constant"}
                found = sum(one["bytes"] for one in before["findings"] if one["code"] in codes)
                expected = after["constants_bytes"] - after["new_constants_bytes"]
                expected -= sum(one["bytes"] - one["new_bytes"] for one in after["constants"] if one["name"] in unused)
                expected += sum(one["bytes"] - one["new_bytes"] for one in after["constants"] if one["parameter"])
                self.assertEqual(found, expected, path)
                saved += found > 0
        self.assertGreater(saved, 2)

    def test_of_real_archives_have_bytes_and_evidence(self):
        codes = set()
        for path in support.archives():
            for module in support.json_of("report", "--json", path)["modules"]:
                for finding in module["findings"]:
                    codes.add(finding["code"])
                    self.assertTrue(finding["where"] and finding["evidence"], path)
        self.assertLessEqual({"index-divisions", "padding-scratch", "widened-weights"}, codes)
        self.assertLessEqual({"metadata-copies", "constants-twice"}, codes)


if __name__ == "__main__":
    unittest.main()

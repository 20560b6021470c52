"""Small inputs that mlf once judged wrongly, each with what is right of it (tests/data/cases)."""

import json
import pathlib
import re
import shutil
import unittest

import plan_run
import program_case
import seeded_edits
import support

CASES = support.SOURCE / "tests" / "data" / "cases"
QNN = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
KERNELS, WRAPPER = "codegen/host/src/default_lib1.c", "codegen/host/src/default_lib0.c"


class Cases(program_case.Directory):
    def archive(self, name):
        return CASES / f"{name}.tar.gz"

    def expect(self, code, *command):
        result = support.run(*command)
        self.assertEqual(result.returncode, code, (command, result.stdout[:500], result.stderr[:500]))
        return (result.stdout + result.stderr).decode()

    def replaced(self, path, *replacements):
        """An archive whose members, without captures, have each text replaced."""
        members = seeded_edits.members_of(path)
        for old, new in replacements:
            changed = {name: text.replace(old, new) for name, text in members.items()}
            self.assertNotEqual(changed, members, old)
            members = changed
        return self.written(members, "edited.tar")

    def written(self, members, name):
        path = self.directory / name
        path.write_bytes(seeded_edits.as_tar(members))
        return path

    def report(self, name):
        return support.report_of(self.archive(name))

    def planned(self, name):
        """Plans the archive and runs what comes out beside it; its faults."""
        judge = plan_run.Judge()
        path = self.directory / "module.tar"
        path.write_bytes(support.run_ok("process", self.archive(name), "-o", "-").stdout)
        judge.offsets(path)
        self.assertEqual(judge.moved, 1)
        return judge.faults

    def test_a_statement_of_the_users_in_main_hides_no_number(self):
        report = self.report("main-with-cycle-counter")
        ram, flash = report["ram"], report["flash"]
        self.assertGreater(sum(support.least(ram[key]) for key in ("pools", "io", "heap", "stack")), 0)
        self.assertGreater(support.least(flash["constants"]), 0)
        self.assertGreater(support.least(report["mac"]), 0)
        self.assertNotIn("unused-kernel", [one["code"] for one in report["findings"]])
        self.assertNotEqual(report["calls"], [])
        self.expect(1, "check", "--ram", "10", self.archive("main-with-cycle-counter"))

    def test_constants_without_data_are_unknown(self):
        archive = self.archive("constant-pool-missing-data")
        for command in (["report"], ["report", "--html", "-"], ["table"], ["check", "--ram", "10"]):
            self.assertIn(support.run(*command, archive).returncode, (0, 1), command)
        self.assertIn(support.run("diff", archive, archive).returncode, (0, 1))

    def test_a_pool_that_the_wrapper_allocates_has_the_size_that_the_archive_states(self):
        archive = self.archive("heap_pool")
        self.assertEqual(self.report("heap_pool")["ram"]["pools"], 128)
        self.expect(0, "verify", archive)
        self.expect(1, "check", "--ram", "200", archive)

    def test_other_memory_that_the_wrapper_passes_is_no_pool_of_a_known_size(self):
        archive = self.replaced(self.archive("heap_pool"), ("outputs->y,global_workspace)", "outputs->y,malloc(4096))"))
        self.assertEqual(support.report_of(archive)["ram"]["pools"], {"min": 128, "max": None})

    def test_a_wrapper_that_calls_main_in_a_loop_has_no_exact_work(self):
        call = "return tvmgen_default___tvm_main__("
        mac = support.report_of(QNN)["mac"]
        for before, is_exact in (
            ("for (int i = 0; i < 4; ++i) { puts((char*)text); } ", True),
            ("for (int i = 0; i < 4; ++i) if (i) { use(i); } else ", False),
            ("if (tvmgen_default___tvm_main__ == 0) ", True),
            ("int n = 0; do { n += tvmgen_default___tvm_main__(0, 0); } while (n < 4); ", False),
        ):
            with self.subTest(before):
                archive = self.replaced(QNN, (call, before + call))
                given = support.report_of(archive)["mac"]
                self.assertEqual(given, mac if is_exact else {"min": mac, "max": None})

    def test_inputs_have_the_names_that_the_wrapper_passes(self):
        archive = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
        header = ("  void* x;\n  void* y;\n", "  void* y;\n  void* x;\n")
        for changes, names in (
            ([header], ["x", "y"]),
            ([header, ("inputs->x,inputs->y", "buffer_x,buffer_y")], ["x", "y"]),
            ([("inputs->x,inputs->y", "inputs->y,(float*)inputs->x")], ["y", "x"]),
        ):
            graph = support.json_of("graph", self.replaced(archive, *changes))
            self.assertEqual([one["name"] for one in graph["inputs"]], names)
        minus = ("p0[ax1_inner] + p1[ax1_inner]", "p0[ax1_inner] - p1[ax1_inner]")
        plain = shutil.copy(self.replaced(archive, minus), self.directory / "plain.tar")
        swapped = self.replaced(archive, header, minus)
        self.expect(0, "run", "--random", "1", "--compare", plain, swapped)
        self.assertRegex(self.expect(0, "inspect", swapped), r"(?m)^x +inputs\.x .*\ny +inputs\.y ")
        (module,) = support.json_of("inspect", "--integration", "--json", swapped)["modules"]
        self.assertEqual([one["field"] for one in module["inputs"]], [one["name"] for one in module["inputs"]])

    def test_memory_of_another_allocator_is_no_error(self):
        allocation = r"TVMBackendAllocWorkspace\(1, 0, \(uint64_t\)(\d+), 0, 8\)"
        members = seeded_edits.members_of(QNN)
        main = members[KERNELS].rindex("tvm_main__")
        members[KERNELS] = members[KERNELS][:main] + re.sub(allocation, r"malloc(\1)", members[KERNELS][main:])
        lines = self.expect(0, "verify", "-v", self.written(members, "malloc.tar"))
        self.assertIn("[unknown-argument]", lines)
        self.assertRegex(lines, r"checked: 0 of 1 networks .*; not compared: default ")

    def test_pools_with_other_names_are_no_outputs(self):
        members = seeded_edits.members_of(self.archive("heap_pool"))
        renamed = {name: re.sub(r"global_workspace_\d+_var", "arena", text) for name, text in members.items()}
        self.assertNotEqual(renamed, members)
        output = self.written(renamed, "renamed.tar")
        self.expect(0, "verify", output)
        ram = support.report_of(output)["ram"]
        self.assertEqual((ram["pools"], ram["io"]), ({"min": 128, "max": None}, self.report("heap_pool")["ram"]["io"]))

    def test_kernels_of_tensors_without_elements_do_nothing(self):
        path = support.BUNDLED_CORPUS / "tvm-0.18/two_out-aot-c-usmp/module.tar"
        body = r"(int32_t tvmgen_default_fused\w+\([^;{]*\) \{\n).*?^(\}\n)"

        def verified(code, sizes, kernels):
            members = seeded_edits.members_of(path)
            members = {name: text for name, text in members.items() if not name.endswith(".relay")}
            members[KERNELS] = re.sub(body, r"\1  return 0;\n\2", members[KERNELS], kernels, re.MULTILINE | re.DOTALL)
            members["metadata.json"] = re.sub(sizes, r"\g<1>0", members["metadata.json"])
            return self.expect(code, "verify", self.written(members, "empty.tar"))

        self.assertNotIn("[", verified(0, r'("(?:io_size_bytes|size)": )\d+', 0))
        self.assertIn("writes none of its arguments [no-output]", verified(1, r"(never)", 1))

    def test_a_header_may_state_too_little_workspace(self):
        (stated,) = re.findall(r"_WORKSPACE_SIZE (\d+)", "".join(seeded_edits.members_of(QNN).values()))
        less = self.replaced(QNN, (f"_WORKSPACE_SIZE {stated}", "_WORKSPACE_SIZE 512"))
        self.assertIn("states 512 bytes of workspace, and the network uses 1024", self.expect(0, "verify", less))
        # TVM counted without the blocks of an allocator.
        both = self.replaced(QNN, (f"_WORKSPACE_SIZE {stated}", "_WORKSPACE_SIZE 512"),
                             (f'"workspace_size_bytes": {stated}', '"workspace_size_bytes": 512'))  # fmt: skip
        self.assertNotIn("header-size", self.expect(1, "verify", both))

    def test_reads_beyond_memory_of_main_are_errors(self):
        longer = self.replaced(QNN, ("rv0_rv1_fused < 16", "rv0_rv1_fused < 17"))
        self.assertIn("is accessed up to 544 bytes, its storage has 512 [storage-too-small]", self.expect(1, "verify", longer))

    def test_a_kernel_that_may_end_early_reads_nothing_for_certain(self):
        loop = "rv0_rv1_fused < 17; ++rv0_rv1_fused) {"
        guarded = loop + " if (rv0_rv1_fused >= 16) break;"
        self.expect(0, "verify", self.replaced(QNN, (loop.replace("17", "16"), guarded)))

    def test_no_call_writes_into_a_pool_of_constants(self):
        pools = ["global_const_workspace_0_var", "global_workspace_1_var"]
        self.expect(0, "verify", self.archive("file-sums-pool"))
        swapped = self.replaced(self.archive("file-sums-pool"), (", ".join(pools) + ") !=", ", ".join(pools[::-1]) + ") !="))
        self.assertIn("[constant-overwritten]", self.expect(1, "verify", swapped))

    def test_the_entry_point_passes_each_parameter_of_main(self):
        archive = self.replaced(self.archive("heap_pool"), ("outputs->y,global_workspace)", "outputs->y)"))
        text = self.expect(1, "verify", archive)
        self.assertIn("passes main 2 arguments, main has 3 parameters [arity]", text)

    def test_a_guard_keeps_a_kernel_inside_its_storage(self):
        self.expect(0, "verify", self.archive("guard"))
        topology = support.json_of("graph", self.archive("guard"))
        (output,) = topology["outputs"]
        self.assertEqual(topology["values"][output["value"]]["bytes"], 96)
        self.expect(0, "graph", "--format", "json", self.archive("guard"))

    def test_metadata_that_counts_a_stack_array_beside_the_pool_is_planned(self):
        self.assertEqual(self.planned("stack"), [])

    def test_a_pool_that_is_too_small_is_an_error(self):
        self.assertIn("[storage-too-small]", self.expect(1, "verify", self.archive("u-pool-small")))

    def test_c_that_no_compiler_takes_is_an_error(self):
        self.assertIn("'int' is a word of C", self.expect(1, "verify", self.archive("reserved-words-0.16-stock")))

    def test_another_return_type_of_an_extern_call_is_no_difference(self):
        self.expect(0, "verify", self.archive("cortex-m7-0.9"))

    def test_a_dump_of_another_stage_is_not_compared(self):
        self.assertIn("not compared", self.expect(0, "verify", self.archive("tvmc-dump-tir-usmp")))

    def test_schedules_of_two_types_have_their_operators_paired(self):
        pair = [self.archive(f"diff-pairing-{build}") for build in ("before", "after")]
        for builds in (pair, pair[::-1]):
            kernels = support.json_of("diff", "--json", *builds, code=1)["modules"][0]["kernels"]
            pairs = [(one["before"], one["after"]) for one in kernels if one["before"] and one["after"]]
            for operator in ("_dense_", "_conv2d_"):
                (of_operator,) = [one for one in pairs if any(operator in symbol for symbol in one)]
                self.assertTrue(all(operator in symbol for symbol in of_operator), of_operator)
            (flatten,) = [one for one in kernels if "batch_flatten" in str(one)]
            self.assertIn(flatten["change"], ("added", "removed"))

    def test_no_node_is_called_as_another_kernel(self):
        graph = support.json_of("graph", "--format", "json", self.archive("names"))
        kernels = {node["attrs"]["func_name"] for node in graph["nodes"] if node["op"] != "null"}
        for node in graph["nodes"]:
            if node["op"] != "null" and node["name"] in kernels:
                self.assertEqual(node["name"], node["attrs"]["func_name"])

    def test_tensors_have_the_elements_that_kernels_store(self):
        for name in ("plan-dbl", "plan-ptr_shift"):
            with self.subTest(name):
                self.assertEqual(self.planned(name), [])

    def test_what_cannot_be_moved_is_refused(self):
        for name in ("plan-two_halves", "plan-neg_read"):
            with self.subTest(name):
                output = self.directory / "out.tar"
                self.expect(1, "optimize", "--only", "ram", "-o", output, self.archive(name))
                self.assertFalse(output.exists())

    def test_a_pool_that_other_code_uses_as_a_whole_keeps_its_size(self):
        for name in ("wrapper-clears-pool", "file-sums-pool"):
            with self.subTest(name):
                output = self.directory / "out.tar"
                why = self.expect(1, "optimize", "--only", "ram", "-o", output, self.archive(name))
                self.assertIn("other code may use pool 'global_workspace': line ", why)
                self.expect(0, "optimize", "-o", output, self.archive(name))
                self.assertEqual(support.report_of(output)["ram"]["pools"], 1440)

    def test_a_paste_in_its_other_spelling_may_name_a_constant(self):
        output = self.directory / "out.tar"
        self.assertIn("may join parts of names",
                      self.expect(0, "optimize", "-o", output, self.archive("digraph-paste")))
        flash = support.report_of(output)["flash"]
        self.assertEqual(flash["constants"], 608)

    def edited(self, name, member, change):
        """The archive, a case or a path, with another content of a member."""
        members = support.members_of(name if isinstance(name, pathlib.Path) else self.archive(name))
        self.assertNotEqual(change(members[member]), members[member])
        return self.tar(members | {member: change(members[member])}, f"edited-{member.rpartition('/')[2]}.tar")

    def copy_with(self, name, members):
        """The archive with these members added."""
        return self.tar(support.members_of(self.archive(name)) | members, "with-members.tar")

    def test_inputs_take_what_metadata_leaves_for_them(self):
        """The header without sizes, and a main without types: as v0.8 wrote them."""
        support.unpacked(support.ARCHIVES / "tvm-0.18-add-aot-c.tar", self.directory / "a")
        (self.directory / "a/src/tir-1.txt").unlink()
        for path in (self.directory / "a").glob("**/*.relay"):
            path.unlink()
        header = self.directory / "a/codegen/host/include/tvmgen_default.h"
        header.write_text(re.sub(r"#define \w+_SIZE .*", "", header.read_text()))
        for code in (self.directory / "a").glob("codegen/host/src/*.c"):
            code.write_text(re.sub(r"(__tvm_main__\()([^)]*)\)", lambda at: at[1] + re.sub(r"\w+_t\*|float\*", "void*", at[2]) + ")", code.read_text()))
        path = self.directory / "a/metadata.json"
        for rest, bytes in ((0, 40), (4, {"min": 40, "max": None})):
            metadata = json.loads(path.read_text())
            module = metadata["modules"]["default"] if "modules" in metadata else metadata
            (main,) = module["memory"]["functions"]["main"]
            main.pop("inputs", None), main.pop("outputs", None)
            main["io_size_bytes"] = 120 + rest
            other = self.directory / "b"
            shutil.rmtree(other, ignore_errors=True)
            shutil.copytree(self.directory / "a", other)
            (other / "metadata.json").write_text(json.dumps(metadata))
            document = support.json_of("inspect", "--integration", "--json", other)
            self.assertEqual([one["bytes"] for one in document["modules"][0]["inputs"]], [bytes, bytes])

    def test_linked_parameters_count_without_the_graph(self):
        support.unpacked(self.archive("linked-params"), self.directory / "c")
        for path in (self.directory / "c").iterdir():
            if path.name != "codegen":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        module = support.report_of(self.directory / "c")
        self.assertEqual(module["flash"]["constants"], 128)
        self.assertEqual(support.run("check", "--constants=127", self.directory / "c").returncode, 1)

    def test_linked_parameters_are_the_arrays_of_the_c(self):
        archive, output = self.archive("linked-params"), self.directory / "out.tar"
        self.assertEqual(self.report("linked-params")["ram"]["executor"], 128)
        self.assertEqual(self.report("linked-params")["flash"]["constants"], 128)
        row = support.run_ok("table", "--rows", "constant", "--json", archive).stdout
        self.assertEqual([json.loads(row)[key] for key in ("least", "greatest", "zeros", "file")],
                         ["-30", "33", 1, "codegen/host/src/lib1.c"])  # fmt: skip
        self.expect(0, "optimize", "-o", output, archive)
        other_file = self.edited("linked-params", "parameters/default.params", lambda old: old[:-2] + b"\1\1")
        code = "codegen/host/src/lib1.c"
        other_array = self.edited("linked-params", code, lambda old: old.replace(b"-0x001e", b"-0x001f", 1))
        for code, other in ((0, output), (0, other_file), (1, other_array)):
            with self.subTest(other.name):
                self.expect(code, "run", "--random", "1", "--compare", other, archive)

    def test_a_region_of_a_buffer_has_the_axes_that_it_is_used_with(self):
        text = support.run_ok("tir", "--format", "tvmscript", CASES / "match.txt").stdout.decode()
        self.assertIn('T.match_buffer(A[vi, 1, 0:8, 0:8], (8, 8), "float32"', text)

    def test_imports_and_comments_may_come_before_the_text(self):
        for name, function in {
            "python-file-with-imports.py": "equal",
            "licence.c": "tvmgen_default_fused_copy",
            "thread.py": "f",
        }.items():
            with self.subTest(name):
                self.assertIn(f'"{function}"', support.run_ok("tir", CASES / name).stdout.decode())

    def test_a_fully_connected_layer_of_cmsis_nn_is_a_call(self):
        source = CASES / "fully-connected.c"
        text = source.read_text()
        written = support.run_ok("tir", "--format", "c", source).stdout.decode()
        self.assertIn(text[text.index("TVM_DLL") :], written)
        script = support.run_ok("tir", "--format", "tvmscript", source).stdout.decode()
        self.assertIn('T.call_extern("int8", "arm_fully_connected_s8", ', script)
        self.assertIn("filter_, (60,)", script)
        self.assertEqual(support.json_of("tir", source)["source"]["tvm_version"]["exact"], "0.12.dev0")

    def test_a_network_of_cmsis_nn_has_its_shapes_and_products(self):
        report = self.report("cmsis-nn-dense")
        self.assertEqual(report["mac"], 8 * 4 + 4 * 4)
        self.assertEqual([call["mac"] for call in report["calls"]], [8 * 4, 4 * 4, 0])
        self.assertEqual([call["shape"] for call in report["calls"]], [[1, 1, 1, 4], [1, 1, 1, 4], [1, 4]])
        self.assertEqual([call["live"] for call in report["calls"]], [4, 8, 4])
        self.expect(0, "verify", self.archive("cmsis-nn-dense"))
        output = self.directory / "out.tar"
        self.expect(0, "optimize", "--only", "ram", "-o", output, self.archive("cmsis-nn-dense"))
        self.assertEqual(support.report_of(output)["ram"]["pools"], 20)

    def test_a_pooling_of_many_iterations_shares_no_byte_with_its_neighbour(self):
        self.expect(0, "verify", self.archive("pool-neighbour"))
        self.expect(0, "graph", "--format", "json", self.archive("pool-neighbour"))

    def test_no_limit_fits_by_captured_tir_that_the_c_contradicts(self):
        for name, limit in {
            "cont-ws-extra2-tir": ("--heap", "2000"),
            "cont-const-extra-tir": ("--constants", "900"),
            "cont-kernel-cmsis-tir": ("--mac", "100000"),
        }.items():
            with self.subTest(name):
                text = self.expect(1, "check", *limit, self.archive(name))
                self.assertNotIn("fits", text)

    def test_a_kernel_that_is_not_understood_does_not_agree_with_its_capture(self):
        kernel = "tvmgen_default_fused_nn_conv2d_add_fixed_point_multiply_add_clip_cast"
        for name in ("qu-ram-direct2-tir-ram", "qu-ram-struct-tir-ram"):
            with self.subTest(name):
                archive = self.archive(name)
                (checked,) = json.loads(support.run("verify", "--json", archive).stdout)["archives"]
                decided = [one["detail"] for one in checked["findings"] if one["code"] == "decided-by-c"]
                self.assertEqual(len(decided), 1)
                self.assertIn(f"'{kernel}'", decided[0])
                agreeing = next(one for one in checked["checks"] if one["code"] == "generated-c")
                self.assertEqual((agreeing["passed"], agreeing["failed"]), (4, 0))
                self.assertEqual(agreeing["not_compared"], [kernel])
                lines = support.run("verify", "-v", archive).stdout.decode()
                self.assertRegex(lines, rf"checked: 4 of 5 functions of generated C .*; not compared: {kernel} ")
                self.assertIn(decided[0], support.run_ok("report", archive).stdout.decode())
                self.expect(1, "optimize", "--only", "ram", "-o", self.directory / "out.tar", archive)

    def test_the_c_that_decides_is_written_beside_its_capture(self):
        output = self.directory / "out.tar"
        support.run_ok("process", self.archive("qu-ram-direct2-tir-ram"), "-o", output)
        members = support.members_of(output)
        topology = json.loads(members["src/default.topology.json"])
        documents = {name: json.loads(members[f"src/{name}.json"]) for name in ("tir-1", "tir-1-c")}
        sources = {kernel["symbol"]: kernel["source"] for kernel in topology["kernels"]}
        self.assertEqual(sorted(sources.values()), ["tir-1"] * 3 + ["tir-1-c"])
        self.assertEqual(documents["tir-1"]["source"]["stage"], "lowered")
        self.assertEqual(documents["tir-1-c"]["source"]["stage"], "codegen")
        self.assertIn("up to date", support.run_ok("process", "-v", output).stderr.decode())

    def test_a_pool_whose_size_is_a_sum_has_the_sum(self):
        pools = self.report("pool-of-a-sum")["ram"]["pools"]
        self.assertEqual(pools, 1440 + 4000)
        self.expect(1, "check", "--buffers", "3000", self.archive("pool-of-a-sum"))

    def test_a_variable_of_the_wrapper_fits_no_limit(self):
        for kept in (b"static uint8_t kept[4000];", b"struct { int32_t at[1000]; } kept;",
                     b"static union { uint8_t pool[4]; uint8_t at[1000]; } kept __attribute__((aligned(16)));",
                     b"static struct { int32_t at[1000]; } kept = {{1}};", b"int kept = 1;"):
            archive = self.edited("past-a-constant", WRAPPER,
                                  lambda old: old.replace(b"#include <tvmgen", kept + b"\n#include <tvmgen"))
            with self.subTest(kept):
                if kept == b"static uint8_t kept[4000];":
                    self.assertIn("variable 'kept' of the C takes up to 4000 bytes", self.expect(0, "report", archive))
                    self.assertIn("1704..5704", self.expect(1, "check", "--buffers", "5703", archive))
                    self.expect(0, "check", "--buffers", "5704", archive)
                    continue
                self.assertIn("the size of variable 'kept'", self.expect(1, "check", "--buffers", "9000", archive))
        constant = b"static const uint8_t kept[4000] = {1};\nint sum(void);\n#include <tvmgen"
        archive = self.edited("past-a-constant", WRAPPER, lambda old: old.replace(b"#include <tvmgen", constant))
        self.expect(0, "check", "--buffers", "9000", archive)
        constants = self.report("past-a-constant")["flash"]["constants"]
        said = self.expect(1, "check", "--constants", str(constants), archive)
        self.assertIn("compilers may leave out constants that no kernel uses: 'kept'", said)

    def test_attributes_before_a_kernel_leave_it_known(self):
        def with_text(text, lines):
            head = b"TVM_DLL int32_t tvmgen_default_fused"
            return lambda old: old.replace(b"#include", lines + b"#include", 1).replace(head, text + b" " + head)
        macro = b"#define IRAM_ATTR __attribute__((section(\".iram1\")))\n"
        before = self.report("past-a-constant")["mac"]
        definition = rb"\n(TVM_DLL int32_t tvmgen_default_fused\w+\([^)]*\) \{)"
        archive = self.edited("past-a-constant", KERNELS,
                              lambda old: macro + re.sub(definition, rb"\nIRAM_ATTR \1", old))
        self.expect(0, "verify", archive)
        for text, lines, mac in ((b"__attribute__((noinline, section(\".ramfunc\")))", b"", before),
                                 (b"IRAM_ATTR", macro, before),
                                 (b"IRAM_ATTR", b'#include "esp_attr.h"\n', before), (b"BOARD_ATTR", b'#include "board.h"\n', None),
                                 (b"IRAM_ATTR", b"#define IRAM_ATTR __attribute__((weak))\n", None),
                                 (b"__attribute__((weak))", b"", None)):
            archive = self.edited("past-a-constant", KERNELS, with_text(text, lines))
            with self.subTest(text=text):
                self.expect(0, "verify", archive)
                self.assertEqual(support.report_of(archive)["mac"], mac)

    def test_graphs_beside_generated_code_without_directories_are_read(self):
        files = support.members_of(self.archive("graph-params-values"))
        before = self.report("graph-params-values")
        sources = {name.rpartition("/")[2]: text for name, text in files.items() if name.startswith("codegen/")}
        for graph, params in (("mod.json", "mod.params"), ("deploy_graph.json", "deploy_param.params")):
            package = self.tar({**sources, graph: files["executor-config/graph/default.graph"],
                                params: files["parameters/default.params"]}, "package.tar")  # fmt: skip
            report = support.report_of(package)
            for key in ("mac", "ram", "flash", "peak"):
                self.assertEqual(report[key], before[key], key)

    def test_large_arrays_of_kernels_are_on_the_stack(self):
        before = self.report("past-a-constant")["ram"]
        archive = self.edited("past-a-constant", KERNELS, lambda old: re.sub(
            rb"(int32_t tvmgen_default_fused_\w+\([^)]*\) \{\n)", rb"\1  int16_t table[3000];\n  table[0] = (int16_t)0;\n", old))  # fmt: skip
        after = support.report_of(archive)["ram"]
        self.assertEqual(after["heap"], before["heap"])
        self.assertGreaterEqual(after["stack"], before["stack"] + 6000 - 1024)

    def test_assembler_is_code_too(self):
        files = support.members_of(self.archive("past-a-constant"))

        def compiled(assembler):
            caller = "int more(void);\nint call_more(void) { return more(); }\n"
            archive = self.tar({**files, "codegen/host/src/more.S": assembler, "codegen/host/src/call_more.c": caller})
            return support.report_of("--cc", "gcc", archive)["compiled"]

        plain = compiled("")
        least = plain["text"]["min"]
        self.assertEqual(compiled(".text\n.globl more\nmore:\n.skip 100\n")["text"], least + 100)
        unknown = compiled("an instruction of another processor\n")
        self.assertEqual(unknown["text"], {"min": least, "max": None})

    def test_constants_that_two_functions_name_count_once(self):
        call = rb"\n(  if \(tvmgen_default_fused_cast_subtract\([^;]*;)"
        before = self.report("past-a-constant")["flash"]["constants"]
        for statement in (rb"  log_array(fused_constant);", rb"  ((int16_t*)fused_constant)[0] = 3;"):
            archive = self.edited("past-a-constant", KERNELS,
                                  lambda old: re.sub(call, rb"\n" + statement + rb"\n\1", old))  # fmt: skip
            report = support.report_of(archive)
            self.assertEqual(report["flash"]["constants"], {"min": before, "max": None})
            self.assertNotIn("constants-twice", {one["code"] for one in report["findings"]})

    def test_workspaces_that_no_variable_holds_are_unknown(self):
        for statement in (b"  memset(TVMBackendAllocWorkspace(1, 0, (uint64_t)9000, 0, 8), 0, 9000);\n",
                          b"  TVMBackendAllocWorkspace(1, 0, (uint64_t)9000, 0, 8);\n",
                          b"  void* z = p0 ? NULL : TVMBackendAllocWorkspace(1, 0, (uint64_t)9000, 0, 8);\n"):  # fmt: skip
            archive = self.edited("past-a-constant", KERNELS, lambda old: old.replace(
                b"  return 0;\n}", statement + b"  return 0;\n}", 1))  # fmt: skip
            heap = support.report_of(archive)["ram"]["heap"]
            self.assertNotIsInstance(heap, int, statement)

    def test_sections_that_only_a_linker_script_knows_make_ram_a_range(self):
        head = b"TVM_DLL int32_t tvmgen_default_fused"

        def ram(section, *options):
            archive = self.edited("past-a-constant", KERNELS, lambda old: old.replace(
                head, b"__attribute__((section(\"%s\"))) " % section + head) + b"\n")  # fmt: skip
            command = ["check", "--json", "--ram", "1M", "--cc", "gcc", "--cflags=-O1 -fno-pic", "--library-stack", "0"]
            result = json.loads(support.run(*command, *options, archive).stdout)
            (one,) = [one for one in result["results"] if one["resource"] == "ram"]
            return one["needed"]

        plain = ram(b".text.fast")
        either = ram(b".ramfunc")
        self.assertEqual(either["min"], plain["min"])
        self.assertGreater(either["max"], plain["max"] + 200)
        self.assertEqual(ram(b".ramfunc", "--section", ".ramfunc=flash"), plain)
        certain = ram(b".ramfunc", "--section", ".ramfunc=ram")
        self.assertGreater(certain["min"], plain["min"] + 200)
        self.assertLessEqual(certain["max"], either["max"])

    def test_macros_of_the_compiler_decide_conditions(self):
        """A kernel runs twice where DEBUG is defined, and a log of main is there where LEVEL is above 1."""
        call = rb"\n(  if \(tvmgen_default_fused_cast_subtract\([^;]*;)"

        def edit(old):
            old = re.sub(call, rb"\n\1\n#ifdef DEBUG\n\1\n#endif\n#if LEVEL > 1\n  exit(1);\n#endif", old)
            return old

        archive = self.edited("past-a-constant", KERNELS, edit)
        once = len(self.report("past-a-constant")["calls"])

        def calls(*options):
            return len(support.report_of(*options, archive)["calls"])

        self.assertEqual(calls("--define", "DEBUG", "--undefine", "LEVEL"), once + 1)
        self.assertEqual(calls("--undefine", "DEBUG", "--define", "LEVEL=1"), once)
        self.assertEqual(calls("--cc", "gcc", "--cflags=-DDEBUG=2", "--undefine", "LEVEL"), once + 1)
        predefined = self.edited("past-a-constant", KERNELS, lambda old: re.sub(
            call, rb"\n\1\n#ifdef __GNUC__\n\1\n#endif", old))  # fmt: skip
        report = support.report_of("--cc", "gcc", predefined)
        self.assertEqual(len(report["calls"]), once + 1)
        self.assertIsInstance(report["mac"], int)
        unknown = support.report_of(archive)["mac"]
        self.assertNotEqual(unknown, self.report("past-a-constant")["mac"])
        self.expect(0, "verify", "--undefine", "DEBUG", "--undefine", "LEVEL", archive)
        self.expect(0, "process", "--undefine", "DEBUG", "--undefine", "LEVEL", archive, "-o", self.directory / "out.tar")

    def test_a_definition_of_half_as_the_type_of_a_compiler_changes_no_number(self):
        archive = support.SOURCE / "tests/data/c/tvm-0.18-control_ops-aot-c/module.tar"
        report = lambda *options: support.report_of(*options, archive)
        plain = report()
        self.assertEqual(report("--define", "half=__fp16"), plain)
        self.assertEqual(report("--define", "half= _Float16"), plain)
        self.assertNotEqual(report("--define", "half=float"), plain)

    def test_only_c_beside_the_c_is_compiled(self):
        source = "codegen/host/src/"
        archive = self.copy_with("past-a-constant", {source + "default_lib1.o": b"\x7fELF", source + "Makefile": b"all:"})
        self.expect(0, "report", "--cc", "gcc", archive)

    def test_a_lower_bound_is_within_the_pool(self):
        """A kernel that is not understood may use less of its tensors than others do."""
        head = b"global_workspace_9_var) {\n"
        unknown = self.edited("past-a-constant", KERNELS, lambda old: old.replace(head, head + b'  __asm("nop");\n'))
        small = self.edited(unknown, WRAPPER, lambda old: old.replace(b"[1440]", b"[1200]"))
        report = support.report_of(small)
        self.assertEqual((report["ram"]["pools"], report["peak"]["lower_bound"]), (1200, {"min": 1200, "max": None}))

    def test_constants_end_with_padding_to_their_alignment(self):
        archive = self.edited("past-a-constant", WRAPPER,
                              lambda old: old.replace(b"aligned(16))); //", b"aligned(64))); //"))
        for bytes_, code in ((639, 1), (640, 0)):
            self.expect(code, "check", "--constants", str(bytes_), archive)
        compiled = support.report_of("--cc", "gcc", archive)
        self.assertEqual(compiled["flash"]["constants"], 640)
        self.expect(0, "verify", archive)

    def test_code_that_a_condition_leaves_out_does_not_count(self):
        """In front of each kernel: another one of its name, which no compiler reads."""
        kernel = b"#ifdef __cplusplus\nextern \"C\"\n#endif\nTVM_DLL int32_t tvmgen_default_fused"
        other = b"#if %s\nTVM_DLL int32_t tvmgen_default_fused_nn(float* x) { while (1) {} }\n#endif\n" + kernel
        before = self.report("past-a-constant")
        for condition, mac in ((b"0", before["mac"]), (b"defined(MLF_X) && 0 /* no */", before["mac"]), (b"MLF_X", None)):
            archive = self.edited("past-a-constant", KERNELS, lambda old: old.replace(kernel, other % condition))
            with self.subTest(condition):
                report = support.report_of(archive)
                if mac is not None:
                    self.assertEqual((report["mac"], len(report["calls"])), (mac, len(before["calls"])))
                    self.expect(0, "verify", archive)

    def test_findings_include_the_values_of_parameters(self):
        text = self.expect(1, "check", "--no-finding", "widened-weights", self.archive("graph-params-values"))
        self.assertRegex(text, r"widened-weights +p1 +288")
        output = self.directory / "out.tar"
        self.expect(0, "optimize", "-o", output, self.archive("graph-params-values"))
        self.expect(0, "check", "--no-finding", "widened-weights", output)

    def test_constants_of_graph_archives_that_nothing_reads_may_be_left_out(self):
        array = (b'static const int32_t __attribute__((section(".rodata.tvm"), aligned(16))) unread[8] = {\n'
                 b"    +0x01, +0x02, +0x03, +0x04, +0x05, +0x06, +0x07, +0x08\n};\n#ifdef __cplusplus\n")  # fmt: skip
        before = self.report("graph-params-values")["flash"]["constants"]
        archive = self.edited("graph-params-values", KERNELS,
                              lambda old: old.replace(b"#ifdef __cplusplus\n", array, 1))  # fmt: skip
        constants = support.report_of(archive)["flash"]["constants"]
        self.assertEqual(constants, {"min": before, "max": before + 32})

    def test_parameters_that_kernels_of_the_graph_executor_ignore_are_found(self):
        """The graph has shifts of zero as an input of the convolution, and its C does not read them."""
        findings = self.report("graph-params-values")["findings"]
        (found,) = [one for one in findings if one["code"] == "unused-parameter"]
        self.assertEqual((found["bytes"], found["evidence"]), (32, "argument 4 is neither loaded nor stored"))
        # It is an output that code which is not understood may write.
        findings = self.report("kernel-not-understood")["findings"]
        self.assertNotIn("unused-parameter", {one["code"] for one in findings})

    def test_a_network_with_a_kernel_that_is_not_understood_is_not_checked(self):
        lines = self.expect(0, "verify", "-v", self.archive("kernel-not-understood"))
        self.assertRegex(lines, r"not understood: 'tvmgen_\w+' \(.* \[not-compared\]")
        self.assertRegex(lines, r"checked: 0 of 1 networks .*; not compared: default \[network\]")

    def test_workspaces_of_two_kernels_are_not_added_up(self):
        text = support.run_ok("report", self.archive("condition-in-a-kernel")).stdout.decode()
        self.assertRegex(text, r"padding-scratch +2 +max 10368 +10368 ")

    def test_python_files_with_a_module_are_read(self):
        kernel = (
            "    @T.prim_func\n    def main(A: T.Buffer((8,), 'float32'), B: T.Buffer((8,), 'float32')):\n"
            "        for i in range(8):\n            B[i] = A[i] + T.float32(1)\n"
        )
        head = "from tvm.script import tir as T\n\n@tvm.script.ir_module\nclass Module"
        path = self.directory / "module.py"
        for text in (f"{head}():\n{kernel}", f"{head}:\n{kernel}\nresult = tune(\n    mod=Module,\n)\n",
                     f"{head}:\n{kernel}\ndef use():\n    print(\n        Module\n    )\n"):
            path.write_text(text)
            self.expect(0, "tir", path)

    def test_a_directory_is_optimized_as_its_tar_is(self):
        unpacked = self.directory / "unpacked"
        support.unpacked(QNN, unpacked)
        for path in (QNN, unpacked):
            self.expect(0, "optimize", "-o", self.directory / f"{path.stem}.out", path)
        self.expect(0, "process", unpacked, "-o", self.directory / "processed.tar")
        self.expect(0, "verify", self.directory / "processed.tar")
        outputs = [self.directory / f"{path.stem}.out" for path in (QNN, unpacked)]
        self.expect(0, "diff", *outputs)

    def test_text_of_an_older_tvm_is_named(self):
        path = self.directory / "old.txt"
        path.write_text(
            "primfn(A_1: handle) -> ()\n  attr = {}\n  buffers = {A: Buffer(A_2: Pointer(float32), float32, [8], [])}\n"
            '  buffer_map = {A_1: A} {\n  attr [C: Pointer(float32)] "storage_scope" = "global";\n'
            "  allocate(C, float32, [8]) {\n    A_2[0] = 1f32\n  }\n}\n"
        )
        self.assertIn("text of TVM 0.7", self.expect(65, "tir", path))

    def test_a_graph_without_an_archive_is_named(self):
        graph = {"nodes": [], "arg_nodes": [], "heads": [], "attrs": {}, "node_row_ptr": [0]}
        path = self.tar({"deploy_graph.json": json.dumps(graph), "deploy_param.params": b""}, "deploy.tar")
        self.assertIn("--output-format=mlf", self.expect(65, "inspect", path))

    def test_headers_of_the_runtime_in_the_archive_are_found(self):
        name = "tvm/runtime/crt/mine.h"
        members = {"codegen/host/src/default_extra.c": b"#include <%s>\n" % name.encode()}
        archive = self.copy_with("past-a-constant", members)
        compiled = support.report_of("--cc", "gcc", archive)
        self.assertIsNone(compiled["compiled"]["text"]["max"])
        self.assertIsNone(compiled["compiled"]["data"])
        self.assertIn("default_extra.c' was not compiled: the compiler says:", "".join(compiled["uncertain"]))
        self.assertIn("default_extra.c", self.expect(1, "check", "--code", "1M", "--cc", "gcc", archive))
        members["runtime/include/" + name] = b"#define MINE 1\n"
        self.expect(0, "report", "--cc", "gcc", self.copy_with("past-a-constant", members))

    def test_one_file_that_does_not_compile_is_named_and_the_others_count(self):
        archive = self.copy_with("past-a-constant", {"codegen/host/src/default_extra.c": b"vector_t lanes;\n"})
        compiled = support.report_of("--cc", "gcc", archive)
        self.assertGreater(compiled["compiled"]["text"]["min"], 0)
        self.assertIsNone(compiled["flash"]["code"]["max"])
        self.assertIn("default_extra.c' was not compiled: the compiler says: ", "".join(compiled["uncertain"]))
        self.expect(1, "check", "--flash", "10M", "--cc", "gcc", archive)

    def test_constants_and_functions_of_c_that_does_not_compile_count(self):
        archive = self.edited("past-a-constant", KERNELS, lambda old: b"#include <vendor.h>\n" + old)
        constants = self.report("past-a-constant")["flash"]["constants"]
        text = self.expect(1, "check", "--flash", str(constants - 1), "--cc", "gcc", archive)
        self.assertIn("exceeds", text)
        self.assertNotIn("does not contain tvmgen", text)

    def test_a_tensor_that_a_callee_of_a_kernel_reads_is_not_called_unread(self):
        """Two kernels write `sid_1_let`, and the second may read it: only its callee would tell."""
        text = """// tvm target: c
#include "tvm/runtime/c_runtime_api.h"
TVM_DLL int32_t tvmgen_default_step(float* state, float* out) {
  for (int32_t i = 0; i < 4; ++i) {
    state[i] = state[((i + 1) % 4)];
    out[i] = state[i];
  }
  return 0;
}
TVM_DLL int32_t tvmgen_default_fused_zeros(float* T) {
  for (int32_t i = 0; i < 4; ++i) {
    T[i] = 0.000000e+00f;
  }
  return 0;
}
TVM_DLL int32_t tvmgen_default_fused_worker(float* count, float* state, float* out) {
  count[0] = 0.000000e+00f;
  if (tvmgen_default_step(state, out) != 0 ) return -1;
  return 0;
}
TVM_DLL int32_t tvmgen_default___tvm_main__(float* x_buffer_var, float* output_buffer_var, uint8_t* global_workspace_0_var) {
  void* sid_1_let = (&(global_workspace_0_var[0]));
  void* sid_2_let = (&(global_workspace_0_var[64]));
  if (tvmgen_default_fused_zeros(sid_1_let) != 0 ) return -1;
  if (tvmgen_default_fused_worker(sid_2_let, sid_1_let, output_buffer_var) != 0 ) return -1;
  return 0;
}
"""
        source = self.directory / "default_lib1.c"
        source.write_text(text)
        unread = lambda: support.run("verify", self.directory).stdout.decode().count("nothing reads 'sid_1_let'")
        self.assertEqual(unread(), 0)
        call = "  if (tvmgen_default_fused_zeros(sid_1_let) != 0 ) return -1;\n"
        worker = "  if (tvmgen_default_fused_worker(sid_2_let, sid_1_let, output_buffer_var) != 0 ) return -1;\n"
        source.write_text(text.replace(worker, call.replace("sid_1_let", "output_buffer_var")))
        self.assertEqual(unread(), 1)

    def test_pools_of_constants_that_are_restrict_already_are_optimized(self):
        plain = support.SOURCE / "tests/data/c/tvm-0.9-qnn_conv-aot-c-usmp/module.tar"
        members = support.members_of(plain)
        saved = lambda archive: support.json_of("optimize", "--json", "--dry-run", archive)["modules"][0]["constants"]
        for word in (b"restrict", b"__restrict", b"__restrict__"):
            edited = {name: text.replace(b"uint8_t* global_const", b"uint8_t* " + word + b" global_const")
                      for name, text in members.items() if "tir-" not in name}  # fmt: skip
            archive = self.tar(edited)
            self.assertNotEqual(edited, {name: members[name] for name in edited})
            self.assertEqual(saved(archive), saved(plain))

    def test_variables_of_the_c_count_with_a_compiler(self):
        more = b"static int32_t counts[1000];\nint32_t* tvm_counts(void) { return counts; }\n"
        archive = self.edited("past-a-constant", KERNELS, lambda old: old + more)
        self.assertIn("exceeds", self.expect(1, "check", "--ram", "4000", "--cc", "gcc", archive))

    def test_a_comment_that_continues_hides_a_call(self):
        calls = self.report("continued-comment")["calls"]
        self.assertEqual([call["kernel"].count("nn_softmax") for call in calls], [0, 1, 0, 0])

    def test_a_condition_in_a_kernel_leaves_its_products_open(self):
        mac = self.report("condition-in-a-kernel")["mac"]
        self.assertEqual(mac, {"min": 148736, "max": None})

    def test_constants_that_macros_name_and_neighbours_of_loads_stay(self):
        for name in ("pasted-name", "past-a-constant", "before-a-constant"):
            with self.subTest(name):
                output = self.directory / f"{name}.tar"
                command = ["optimize", "--only", "flash", "--json", "-o", output, self.archive(name)]
                (module,) = support.json_of(*command)["modules"]
                self.assertEqual(module["new_constants_bytes"], module["constants_bytes"])


if __name__ == "__main__":
    unittest.main()

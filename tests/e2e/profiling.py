"""`mlf profile`: instructions are exact and the same in every run, outputs are those of `mlf run`, and nothing
is left of hostile code.

Exact      n instructions that are added to one kernel are added to that call, on every processor
Whole      the calls and what main does between them are what a driver of the tests counts by itself
           (cortex_m.py), which reads SysTick once before and once after the network
"""

import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import cortex_m
import generated_c
import numpy_files
import plan_programs
import program_case
import run
import schemas
import support

ADD, BLOCKS, PACKED, MODULES = run.ADD, run.BLOCKS, run.PACKED, run.MODULES
GRAPH = support.BUNDLED_CORPUS / "tvm-0.18/qnn_conv-graph/module.tar"
QNN = run.QNN
CORTEX_M = ("cortex-m0plus", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55")
TOOLS = {
    **dict.fromkeys(CORTEX_M, ("arm-none-eabi-gcc", "qemu-system-arm")),
    "rv32imc": ("riscv64-unknown-elf-gcc", "qemu-system-riscv32"),
}


def emulated():
    """The processors that can be emulated here; with CI=true, all."""
    found = [cpu for cpu, tools in TOOLS.items() if all(map(shutil.which, tools))]
    if len(found) < len(TOOLS) and os.environ.get("CI") == "true":
        raise AssertionError(f"compilers and emulators are missing: {sorted(set(TOOLS) - set(found))}")
    return found


CPUS = emulated()
needs_cortex_m = unittest.skipUnless("cortex-m4" in CPUS, "no compiler or no emulator of a Cortex-M is installed")


def profile(archive, cpu="cortex-m4", *options):
    return support.json_of("profile", "--json", "--cpu", cpu, *options, archive)


def by_turns(cpus, those):
    """Pairs: each processor with one of `those`, and one of each kind with all."""
    for turn, cpu in enumerate(cpus):
        has_all = cpu in ("cortex-m0plus", "rv32imc")
        yield from ((cpu, one) for place, one in enumerate(those) if has_all or turn % len(those) == place)


@functools.cache
def digests(archive):
    """Of the outputs of `mlf run` with the same inputs."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "outputs.npz"
        support.run_ok("run", "--random", "1", "-o", path, archive)
        arrays = numpy_files.read_npz(path.read_bytes())
    return [{"name": name, "sha256": hashlib.sha256(one.data).hexdigest()} for name, one in arrays.items()]


def counts(document):
    return [call["instructions"] for call in document["calls"]]


class Runs(program_case.Directory):
    """`mlf run --cpu`."""

    def test_on_each_processor_compute_what_this_computer_computes(self):
        for cpu, archive in by_turns(CPUS, (QNN, BLOCKS, PACKED, GRAPH)):
            with self.subTest(cpu=cpu, archive=archive):
                options = ("--json", "--random", "3", "--cpu", cpu, "--compare", "host")
                document = support.json_of("run", *options, archive)
                comparison = document["comparison"]
                self.assertFalse(comparison["differs"])
                self.assertGreater(comparison["calls"]["compared"], 0)
                self.assertEqual((comparison["calls"]["differing"], comparison["calls"]["not_compared"]), ([], []))

    @needs_cortex_m
    def test_name_the_first_call_that_differs_on_the_target(self):
        # It has a sign on x86, and none on Arm.
        edit = run.substituted(r"int8_t pool_max\[", "char pool_max[", "fused_nn_max_pool2d_cast")
        path = run.changed(QNN, self.directory / "wrong.tar", edit)
        self.assertEqual(edit.count, 1)
        result = support.run_to(1, "run", "--json", "--random", "1", "--cpu", "cortex-m4", "--compare", "host", path)
        comparison = json.loads(result.stdout)["comparison"]
        # mlf does not know what a kernel with such an array writes, so it does not compare that.
        self.assertEqual(comparison["calls"]["not_compared"], [2])
        self.assertEqual(comparison["first_difference"]["before"]["call"], 3)

    @needs_cortex_m
    def test_take_a_library_of_each_computer(self):
        edit = run.substituted(r"return 0;", "return helper();", "fused_nn_max_pool2d_cast")
        path = run.changed(QNN, self.directory / "helper.tar", edit)
        source = self.directory / "helper.c"
        source.write_text("int helper(void) { return 0; }\n")
        flags = {}
        for compiler, options in (("gcc", ()), ("arm-none-eabi-gcc", ("-mcpu=cortex-m4", "-mthumb"))):
            library = self.directory / compiler / "libhelper.a"
            library.parent.mkdir()
            subprocess.run([compiler, *options, "-c", source, "-o", library.parent / "helper.o"], check=True)
            subprocess.run([compiler.replace("gcc", "ar"), "rc", library, library.parent / "helper.o"], check=True)
            flags[compiler] = f"-L{library.parent} -lhelper"
        options = ("run", "--random", "1", "--cpu", "cortex-m4", f"--cflags={flags['arm-none-eabi-gcc']}", path)
        support.run_ok(*options, "--compare", "host", f"--host-cflags={flags['gcc']}")
        result = support.run_to(65, *options, "--compare", "host")
        self.assertIn(b"on this computer, whose flags are those of --host-cflags", result.stderr)
        support.run_to(64, *options, "--compare", QNN, "--host-cflags=-O1")

    @needs_cortex_m
    def test_fail_also_if_the_message_is_as_long_as_the_results(self):
        message = "the network returned an error"
        count = len(f"mlf: {message}\n")
        c = {
            "kernel": "int32_t tvmgen_default_copy(int8_t* p0, int8_t* T_copy) {\n"
                      f"  for (int32_t i = 0; i < {count}; ++i) {{\n    T_copy[i] = p0[i];\n  }}\n  return -1;\n}}\n",
            "main": "int32_t tvmgen_default___tvm_main__(int8_t* x_buffer_var, int8_t* output_buffer_var) {\n"
                    "  if (tvmgen_default_copy(x_buffer_var, output_buffer_var) != 0 ) return -1;\n  return 0;\n}\n",
            "wrapper": "int32_t tvmgen_default_run(struct tvmgen_default_inputs* inputs,"
                       "struct tvmgen_default_outputs* outputs) {"
                       "return tvmgen_default___tvm_main__(inputs->x,outputs->output);\n}\n",
        }  # fmt: skip
        header = ("#include <stdint.h>\n"
                  f"#define TVMGEN_DEFAULT_X_SIZE {count}\n#define TVMGEN_DEFAULT_OUTPUT_SIZE {count}\n"
                  "struct tvmgen_default_inputs {\n  void* x;\n};\nstruct tvmgen_default_outputs {\n  void* output;\n};\n"
                  "int32_t tvmgen_default_run(\n  struct tvmgen_default_inputs* inputs,\n"
                  "  struct tvmgen_default_outputs* outputs\n);\n")  # fmt: skip
        head = "// tvm target: c -keys=cpu \n#include <stdint.h>\n"
        path = self.tar({
            "metadata.json": support.METADATA,
            "codegen/host/include/tvmgen_default.h": header,
            "codegen/host/src/default_lib0.c": '#include "tvmgen_default.h"\n'
                "int32_t tvmgen_default___tvm_main__(int8_t* x, int8_t* output);\n" + c["wrapper"],
            "codegen/host/src/default_lib1.c": head + c["kernel"] + c["main"]}, "failing.tar")  # fmt: skip
        for cpu in CPUS:
            result = support.run_to(65, "run", "--random", "1", "--cpu", cpu, path)
            self.assertIn(message.encode(), result.stderr)

    @needs_cortex_m
    def test_write_what_each_call_wrote(self):
        paths = [self.directory / "host.npz", self.directory / "target.npz"]
        for path, options in zip(paths, [(), ("--cpu", "cortex-m4")]):
            support.run_ok("run", "--random", "1", "--layers", path, *options, QNN)
        arrays = [numpy_files.read_npz(path.read_bytes()) for path in paths]
        self.assertEqual(*arrays)
        self.assertEqual(len(arrays[0]), 4)

    @needs_cortex_m
    def test_with_other_seeds_have_other_inputs(self):
        text = support.run_ok("run", "--random", "1..2", "--cpu", "cortex-m4", "--compare", "host", ADD).stdout
        self.assertIn(b"with --random 1..2", text)
        support.run_to(64, "run", "--random", "1", "--cpu", "cortex-m5", ADD)


class Profiles(program_case.Directory):
    def test_have_the_outputs_of_run(self):
        checker = schemas.validator("profile")
        for cpu, archive in by_turns((*CPUS, "host"), (ADD, QNN, BLOCKS, PACKED, GRAPH)):
            with self.subTest(cpu=cpu, archive=archive):
                document = profile(archive, cpu)
                schemas.check(checker, document, f"{cpu} {archive}")
                self.assertEqual(document["outputs"], digests(archive))

    def test_are_the_same_in_every_run(self):
        for cpu in {*CPUS[:1], *CPUS[-1:]}:
            command = ("profile", "--json", "--cpu", cpu, BLOCKS)
            self.assertEqual(support.run_anew(*command).stdout, support.run_ok(*command).stdout, cpu)

    def slower(self, cpu, added):
        """QNN with so many more instructions in its third call."""
        is_arm = cpu != "rv32imc"
        text = f".rept {added}\\n nop\\n .endr"
        if added > 10_000:
            # A loop of two instructions, and one or two that load how often it runs.
            counter = "t0" if not is_arm else "r3"
            load = f"ldr r3, ={added // 2}" if is_arm else f"li t0, {added // 2}"
            loop = "subs r3, r3, #1\\n bne 1b" if is_arm else "addi t0, t0, -1\\n bnez t0, 1b"
            text = f"{load}\\n 1: {loop}"
        else:
            counter = "memory"
        if is_arm:
            text = f".syntax unified\\n {text}"
        asm = f'__asm__ volatile("{text}" ::: "{counter}");'
        edit = run.substituted(r"(fused_nn_max_pool2d_cast\([^;{]*\) \{)", r"\1 " + asm.replace("\\", "\\\\"))
        path = run.changed(QNN, self.directory / "slower.tar", edit)
        self.assertEqual(edit.count, 1)
        return path

    def test_are_exact(self):
        for cpu, added in by_turns(CPUS, (1, 3, 1000, 3_000_000)):
            before, after = profile(QNN, cpu), profile(self.slower(cpu, added), cpu)
            more = [b - a for a, b in zip(counts(before), counts(after), strict=True)]
            with self.subTest(cpu=cpu, added=added):
                self.assertIn(more[2] - added, (1, 2) if added > 10_000 else (0,))
                self.assertEqual(more[:2] + more[3:], [0, 0, 0])
                self.assertEqual(after["network"]["instructions"] - before["network"]["instructions"], more[2])

    def test_have_the_costs_of_the_report(self):
        module = support.report_of(BLOCKS)
        for mine, theirs in zip(profile(BLOCKS, "host")["calls"], module["calls"], strict=True):
            self.assertEqual([mine[key] for key in ("kernel", "layer", "mac", "loaded")],
                             [theirs[key] for key in ("kernel", "layer", "mac", "loaded")])  # fmt: skip

    def test_of_this_computer_are_times(self):
        document = profile(BLOCKS, "host", "--runs", "5")
        self.assertEqual((document["source"], document["unit"], document["runs"]), ("timed", "nanoseconds", 5))
        for numbers in (*document["calls"], document["total"], document["network"]):
            spread = numbers["nanoseconds"]
            self.assertLessEqual(spread["min"], spread["median"])
            self.assertLessEqual(spread["median"], spread["max"])
        self.assertGreaterEqual(document["network"]["nanoseconds"]["min"], document["total"]["nanoseconds"]["min"])
        text = support.run_ok("profile", "--cpu", "host", QNN).stdout.decode()
        self.assertRegex(text, r"CALL +KERNEL +NANOSECONDS +MIN +MAX +% +MAC +/MAC +LOADED +DIVISIONS\n")
        self.assertIn("median of 10 runs on this computer; cc -O2", text)

    @needs_cortex_m
    def test_count_the_whole_network(self):
        archives = {BLOCKS: None}
        if support.HAS_WHOLE_CORPUS:
            archives[support.CORPUS / "tvm-0.16/aww-aot-c-usmp/module.tar"] = 21_900_000
        for archive, expected in archives.items():
            document = profile(archive)
            total, network = (document[key]["instructions"] for key in ("total", "network"))
            print(f"{archive.parent.name}: {len(document['calls'])} calls {total}, the network {network}")
            self.assertEqual(total, sum(counts(document)))
            self.assertLessEqual(total, network)
            self.assertLess(network - total, network / 100)
            with support.temporary_directory() as directory:
                ((_, topology),) = run.networks(archive)
                driver = plan_programs.Network(support.unpacked(archive, directory), topology, directory / "work")
                counted = cortex_m.instructions(driver, "-O2")
            self.assertLess(abs(network - counted), counted / 100)
            if expected:
                self.assertLess(abs(network - expected), expected / 100)

    @needs_cortex_m
    def test_have_a_table(self):
        result = support.run_ok("profile", "--cpu", "cortex-m4", QNN)
        self.assertEqual(result.stderr, b"")
        lines = result.stdout.decode().splitlines()
        self.assertRegex(lines[0], r"^CALL +KERNEL +INSTRUCTIONS +% +MAC +/MAC +LOADED +DIVISIONS$")
        self.assertRegex(lines[2], r"^1 +nn_conv2d\w+ +\d+ +\d+\.\d +18432 +\d+\.\d +\d+ +\d+$")
        self.assertRegex(lines[5], r"^ +all calls +\d+ +\d+\.\d +18432 ")
        self.assertRegex(lines[6], r"^ +the network +\d+ +100\.0 +18432 ")
        self.assertRegex(lines[8], r"^cortex-m4 on the board mps2-an386 of qemu-system-arm; arm-none-eabi-gcc -O2 ")
        # Of Debian 12's compiler: another one makes other instructions.
        guide = (support.SOURCE / "mlf/guide/profiling.md").read_text()
        for line in lines[:7]:
            self.assertIn(f"\n{line}\n", guide)

    @needs_cortex_m
    def test_name_the_option_of_the_floating_point_unit(self):
        floats = support.SOURCE / "tests/data/corpus/tvm-0.18/two_out-aot-c-usmp/module.tar"
        without = support.run_ok("profile", "--cpu", "cortex-m4", floats).stderr
        self.assertIn(b"floats are computed in software", without)
        unit = support.run_ok("profile", "--cpu", "cortex-m4", "--cflags=-O2 -mfloat-abi=hard", floats).stderr
        self.assertEqual(unit, b"")
        # Nothing is multiplied and added up in softmax alone.
        softmax = support.SOURCE / "tests/data/corpus/tvm-0.9/control_ops-aot-c/module.tar"
        self.assertIn(b"in software", support.run_ok("profile", "--cpu", "cortex-m4", softmax).stderr)
        integers = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        self.assertEqual(support.run_ok("profile", "--cpu", "cortex-m4", integers).stderr, b"")

    @needs_cortex_m
    def test_name_other_flags_of_the_profile_that_is_compared(self):
        archive = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        before = self.directory / "before.json"
        before.write_bytes(support.run_ok("profile", "--cpu", "cortex-m4", "--cflags=-O1", "--json", archive).stdout)
        compared = lambda *options: support.run_ok("profile", "--cpu", "cortex-m4", *options, "--against", before, archive)
        self.assertEqual(compared("--cflags=-O1").stderr, b"")
        self.assertRegex(compared("--cflags=-O2").stderr, rb"the builds differ: cortex-m4.*-O2.* before .*-O1")

    @needs_cortex_m
    def test_have_a_table_of_kernels_that_are_called_twice(self):
        document = profile(BLOCKS)
        schemas.check(schemas.validator("profile"), document, str(BLOCKS))
        sums = {}
        for call in document["calls"]:
            sums.setdefault(call["kernel"], []).append(call["instructions"])
        self.assertEqual({one["kernel"]: (one["calls"], one["instructions"]) for one in document["kernels"]},
                         {kernel: (len(its), sum(its)) for kernel, its in sums.items()})  # fmt: skip
        self.assertLess(len(sums), len(document["calls"]))
        text = support.run_ok("profile", "--cpu", "cortex-m4", BLOCKS).stdout.decode()
        lines = text.split("\n\n")[1].splitlines()
        self.assertRegex(lines[0], r"^CALLS +KERNEL +INSTRUCTIONS +% +MAC +/MAC +LOADED +DIVISIONS$")
        found = [int(line.split()[2]) for line in lines[1:]]
        self.assertEqual(found, sorted(map(sum, sums.values()), reverse=True))

    @needs_cortex_m
    def test_have_times_of_a_clock(self):
        for options, low, high in (((), 1, 5), (("--cpi", "1.2..1.8"), 1.2, 1.8), (("--cpi", "2"), 2, 2)):
            document = profile(QNN, "cortex-m4", "--clock", "80M", *options)
            self.assertEqual(document["clock"]["hertz"], 80_000_000)
            for numbers in (*document["calls"], document["total"], document["network"]):
                time, instructions = numbers["nanoseconds"], numbers["instructions"]
                self.assertIsNone(time["median"])
                self.assertLess(abs(time["min"] - instructions * low * 12.5), 1.1)
                self.assertLess(abs(time["max"] - instructions * high * 12.5), 1.1)
        document = profile(QNN, "cortex-m7", "--clock", "200000k")
        self.assertIsNone(document["calls"][0]["nanoseconds"]["max"])
        text = support.run_ok("profile", "--cpu", "cortex-m4", "--clock", "80M", QNN).stdout.decode()
        self.assertRegex(text, r" [\d.]+\.\.[\d.]+ ms ")
        self.assertIn("time at 80 MHz if an instruction takes 1..5 cycles on average (Cortex-M4 manual (DDI 0439)", text)

    @needs_cortex_m
    def test_are_compared(self):
        saved = self.directory / "before.json"
        saved.write_bytes(support.run_ok("profile", "--json", "--cpu", "cortex-m4", QNN).stdout)
        same = support.run_ok("profile", "--cpu", "cortex-m4", "--against", saved, QNN).stdout.decode()
        self.assertEqual(re.findall(r"\+(?!0)\d", same), [])
        by_archive = support.run_ok("profile", "--cpu", "cortex-m4", "--against", QNN, QNN).stdout.decode()
        self.assertEqual(same, by_archive)
        small = support.run_ok("profile", "--cpu", "cortex-m4", "--cflags=-Os", "--against", saved, QNN).stdout.decode()
        self.assertRegex(small, r"the network +\d+ +\d+ +[+-]\d+ +[+-][\d.]+")
        result = support.run_to(64, "profile", "--cpu", "host", "--against", saved, QNN)
        self.assertIn(b"instructions cannot be compared with nanoseconds", result.stderr)

    @needs_cortex_m
    def test_use_the_values_of_inputs(self):
        array = numpy_files.Array("float32", (1, 10), bytes(40))
        (self.directory / "x.npy").write_bytes(numpy_files.npy(array))
        given = profile(ADD, "cortex-m4", "--input", f"x={self.directory}/x.npy")
        self.assertNotEqual(given["outputs"], profile(ADD)["outputs"])
        self.assertNotEqual(profile(ADD, "cortex-m4", "--random", "2")["outputs"], profile(ADD)["outputs"])


def main_of(archive):
    """The member with main."""
    (name,) = [name for name, data in support.members_of(archive).items() if b"mlf_call_begin(0); " in data]
    return name


class Instruments(program_case.Directory):
    def instrumented(self, archive, *options):
        path = self.directory / "instrumented.tar"
        support.run_ok("profile", "--instrument", "-o", path, *options, archive)
        return path

    def archives(self):
        yield from (ADD, QNN, BLOCKS, PACKED, run.DIAMOND)
        if support.HAS_WHOLE_CORPUS:
            for name in ("tvm-0.18/qnn_conv-aot-packed", "tvm-0.9-dev/aww-aot-c"):
                yield support.CORPUS / name / "module.tar"

    def test_are_removed_again(self):
        for archive in self.archives():
            with self.subTest(archive):
                path = self.instrumented(archive)
                before, after = support.members_of(archive), support.members_of(path)
                self.assertEqual(len(after), len(before) + 3)
                changed = [name for name, data in before.items() if after[name] != data]
                self.assertEqual(changed, [main_of(path)])
                back = self.directory / "back.tar"
                support.run_ok("profile", "--remove", "-o", back, path)
                self.assertEqual(back.read_bytes(), archive.read_bytes())

    def test_of_one_module_leave_the_others(self):
        first = self.instrumented(MODULES, "--module", "second")
        both = self.directory / "both.tar"
        support.run_ok("profile", "--instrument", "-o", both, "--module", "first", first)
        back = self.directory / "back.tar"
        support.run_ok("profile", "--remove", "-o", back, both)
        self.assertEqual(back.read_bytes(), MODULES.read_bytes())
        self.assertEqual(len(support.members_of(both)), len(support.members_of(MODULES)) + 6)

    def test_of_processed_archives_are_removed_again(self):
        processed = self.directory / "processed.tar"
        support.run_ok("process", "-o", processed, QNN)
        back = self.directory / "back.tar"
        path = self.instrumented(processed)
        support.run_ok("verify", path)
        support.run_ok("profile", "--remove", "-o", back, path)
        self.assertEqual(back.read_bytes(), processed.read_bytes())

    def test_change_neither_network_nor_outputs(self):
        for archive in self.archives():
            with self.subTest(archive):
                path = self.instrumented(archive)
                bare = self.directory / "bare.tar"
                bare_before = self.directory / "before.tar"
                support.run_ok("run", "--random", "1", "--compare", archive, path)
                # Also where the C is the only source of the network.
                for source, target in ((archive, bare_before), (path, bare)):
                    target.write_bytes(support.make_tar(support.without_tir(support.members_of(source))))
                graphs = [support.run_ok("graph", one).stdout for one in (archive, path, bare_before, bare)]
                self.assertEqual(graphs[0], graphs[1])
                self.assertEqual(graphs[2], graphs[3])
                reports = [support.json_of("report", "--json", one) for one in (bare_before, bare)]
                for report in reports:
                    del report["origin"]
                    for module in report["modules"]:
                        for one in (*module["calls"], *module["kernels"]):
                            del one["c"]  # lines: main is one line longer
                self.assertEqual(*reports)
                support.run_ok("run", "--random", "1", "--layers", self.directory / "layers.npz", bare)

    @needs_cortex_m
    def test_cost_what_two_empty_functions_cost(self):
        before, after = profile(QNN), profile(self.instrumented(QNN))
        self.assertEqual(counts(before), counts(after))
        more = after["network"]["instructions"] - before["network"]["instructions"]
        self.assertGreater(more, 0)
        self.assertLess(more, 20 * len(counts(before)))

    @needs_cortex_m
    def test_measure_on_a_board(self):
        """QEMU is the board, with SysTick for a clock; its output comes back as a profile."""
        for archive in (QNN, BLOCKS):
            with self.subTest(archive):
                path = self.instrumented(archive)
                csv = self.directory / "measured.csv"
                csv.write_bytes(self.board(path, runs=3))
                document = support.json_of("profile", "--json", "--measured", csv, archive)
                schemas.check(schemas.validator("profile"), document, str(archive))
                self.assertEqual([document[key] for key in ("source", "unit", "runs", "cpu", "network", "outputs")],
                                 ["measured", "cycles", 3, None, None, []])  # fmt: skip
                expected = profile(archive)
                for mine, theirs in zip(document["calls"], expected["calls"], strict=True):
                    self.assertEqual([mine[key] for key in ("call", "kernel", "layer", "mac", "loaded", "divisions")],
                                     [theirs[key] for key in ("call", "kernel", "layer", "mac", "loaded", "divisions")])  # fmt: skip
                    # A tick of SysTick is 40 instructions of QEMU with shift=0. The allocator of newlib takes
                    # some hundred instructions, that of mlf a few.
                    self.assertLessEqual(mine["cycles"]["min"], mine["cycles"]["median"])
                    self.assertLess(abs(mine["cycles"]["median"] * 40 - theirs["instructions"]), 600)
                text = support.run_ok("profile", "--measured", csv, "--clock", "25M", archive).stdout.decode()
                self.assertRegex(text, r"CALL +KERNEL +(LAYER +)?CYCLES +MIN +MAX +% +TIME +MAC")
                self.assertIn("median of 3 runs\ntime at 25 MHz\n", text)
                saved = self.directory / "saved.json"
                saved.write_text(json.dumps(document))
                same = support.run_ok("profile", "--measured", csv, "--against", saved, archive).stdout.decode()
                self.assertEqual(re.findall(r"\+(?!0)\d", same), [])

    def board(self, archive, runs):
        """What the example prints on a board with this archive."""
        directory = self.directory / "board"
        shutil.rmtree(directory, ignore_errors=True)
        support.unpacked(archive, directory)
        ((module, document),) = run.networks(archive)
        driver = generated_c.Driver()
        headers = sorted((directory / "codegen/host/include").glob("tvmgen_*.h"))
        generated_c.call_aot(driver, document, headers)
        text = driver.text(behind=()).replace("int main(void) {", "static int run_network(void) {")
        text += f"""
#include <stdint.h>
void mlf_calls_begin(void);
void mlf_calls_print(void);
int main(void) {{
  *(volatile uint32_t *)0xE000E014 = 0xFFFFFF;
  *(volatile uint32_t *)0xE000E018 = 0;
  *(volatile uint32_t *)0xE000E010 = 5;
  mlf_calls_begin();
  for (int i = 0; i < {runs}; ++i) {{
    run_network();
    mlf_calls_print();
  }}
  return 0;
}}
"""
        (directory / "driver.c").write_text(text)
        clock = "-DMLF_CLOCK=(0xFFFFFF-*(volatile uint32_t*)0xE000E018)"
        flags = [*plan_programs.BASE, "-w", "-O2", *cortex_m.CPU, "-Dhalf=__fp16", "-include", "malloc.h", "-UMLF_WITHOUT_LIBRARY"]
        flags += ["-Daligned_alloc=memalign", "--specs=rdimon.specs", clock, f"-I{directory}/codegen/host/include"]
        flags += [f"-I{support.SOURCE}/src/compile/include", "-T", str(generated_c.RUNTIME / "cortex_m.ld")]
        sources = [*(directory / "codegen/host/src").glob("*.c"), *(directory / "mlf_calls").glob("*.c"),
                   directory / "driver.c", generated_c.RUNTIME / "allocator.c"]  # fmt: skip
        program = directory / "board.elf"
        subprocess.run([cortex_m.COMPILER, *flags, *map(str, sources), "-lm", "-o", program], check=True)
        command = ["qemu-system-arm", *cortex_m.BOARD, "-semihosting-config", "enable=on,target=native", "-kernel"]
        result = subprocess.run([*command, program], capture_output=True, check=True, timeout=600)
        return result.stdout

    def test_are_refused(self):
        path = self.instrumented(QNN)
        out = self.directory / "out.tar"
        csv = self.directory / "measured.csv"
        csv.write_text("call,cycles\n0,1\n1,2\n2,3\n3,4\n")
        for arguments, code, message in (
            (["--instrument", "-o", out, path], 1, "main is instrumented already"),
            (["--remove", "-o", out, QNN], 1, "no main in it is instrumented"),
            (["--instrument", "-o", out, GRAPH], 1, "a graph executor has no main"),
            (["--instrument", QNN], 64, "nowhere to write"),
            (["--instrument", "-o", out, "--runs", "7", QNN], 64, "--instrument excludes --runs"),
            (["--remove", "-o", out, "--clock", "80M", path], 64, "excludes --"),
            (["-o", out, "--cpu", "host", QNN], 64, "-o is for --instrument and --remove"),
            (["--instrument", "-o", QNN, QNN], 64, ""),
            ([QNN], 64, "say what to do: --cpu CPU"),
            (["--measured", csv, "--against", QNN, QNN], 64, "measurements are compared with a file"),
        ):
            with self.subTest(arguments):
                self.assertIn(message, support.refused(code, "profile", *arguments))
                self.assertFalse(out.exists())
        edited, name = support.members_of(path), main_of(path)
        edited[name] = edited[name].replace(b"mlf_call_begin(1)", b"mlf_call_begin(2)")
        path.write_bytes(support.make_tar(edited))
        result = support.run_to(1, "profile", "--remove", "-o", out, path)
        self.assertIn(b"the calls in main are not as mlf writes them", result.stderr)

    def test_of_wrong_measurements_are_refused(self):
        csv = self.directory / "measured.csv"
        for text, message in (
            ("", "no call is measured"),
            ("call,cycles\n", "no call is measured"),
            ("0,1\n", "expected 'call,cycles'"),
            ("call,cycles\n0\n", "expected the number of a call"),
            ("call,cycles\n0,-1\n", "expected the number of a call"),
            ("call,cycles\n0,1.5\n", "expected the number of a call"),
            ("call,cycles\n4,1\n", "there is no call 4: main has 4"),
            ("call,cycles\n0,1\n1,1\n2,1\n3,1\n0,1\n", "1 measurements of call 1, and 2 of call 0"),
        ):
            with self.subTest(text):
                csv.write_text(text)
                said = support.refused(65, "profile", "--measured", csv, QNN)
                self.assertIn(message, said)
                self.assertIn("measured.csv", said)
        csv.write_text("call,cycles\r\n3,9\r\n1,2\r\n\r\n2,1\r\n0,5\r\ncall,cycles\r\n0,7\r\n1,4\r\n2,1\r\n3,1\r\n")
        document = support.json_of("profile", "--json", "--measured", csv, QNN)
        self.assertEqual(document["calls"][0]["cycles"], {"min": 5, "median": 5, "max": 7})
        self.assertEqual(document["total"]["cycles"], {"min": 13, "median": 13, "max": 17})


class Refusals(run.HostileC):
    """On this computer and on a board."""

    command = "profile"

    def refused(self, *arguments, code=65):
        text = super().refused(*arguments, code=code)
        self.assertEqual(text.count("\n"), 1, text)
        return text

    @needs_cortex_m
    def test_of_c_that_does_not_end_as_it_should(self):
        uart = "volatile unsigned* u = (volatile unsigned*)0x40004000; u[2] = 1;"
        for body, message in (
            ("for (;;) {}", "took longer than 1 s"),
            ("__asm__ volatile(\"cpsid i\\\\n1: wfi\\\\n b 1b\");", "took longer than 1 s"),
            (f"{uart} for (unsigned i = 0; i < 1u << 30; ++i) u[0] = 65;", "took longer than 1 s"),
            ("*(volatile int*)0x50000000 = 1;", "it accessed memory that does not exist"),
            ("__asm__ volatile(\"udf #0\");", "it is not code for this processor"),
            ("volatile char a[3 << 20]; for (int i = 3 << 20; i-- > 0;) a[i] = 1;", "the network "),
            ("*(volatile unsigned*)0xE000ED0C = 0x05FA0004;", "did not write all its results"),
            # Semihosting, with which a program would have files and the shell: there is none.
            ("__asm__ volatile(\"movs r0, #18\\\\n bkpt 0xab\" ::: \"r0\");", "it is not code for this processor"),
            ("return -1;", "the network returned an error"),
            ("volatile char* p = TVMBackendAllocWorkspace(1, 0, (uint64_t)1 << 30, 2, 8); *p = 1;",
             "the board mps2-an386 has not enough memory"),
        ):  # fmt: skip
            with self.subTest(body):
                seconds = "1" if "took" in message else "60"
                code = 1 if "memory" in message and "board" in message else 65
                text = self.refused("--cpu", "cortex-m4", "--seconds", seconds, self.kernel(body), code=code)
                self.assertIn(message, text)

    def test_of_hostile_c_on_this_computer(self):
        libc = "int fork(void); int setsid(void); unsigned sleep(unsigned); void abort(void); "
        for body, message in (
            ("for (;;) {}", "took longer than 1 s"),
            ("if (fork() == 0) { setsid(); sleep(600); } sleep(600);", "took longer than 1 s"),
            ("abort();", "signal 6"),
        ):
            with self.subTest(body):
                text = self.refused("--cpu", "host", "--seconds", "1" if "took" in message else "60", self.kernel(libc + body))
                self.assertIn(message, text)

    def test_of_c_that_writes_files(self):
        path = self.kernel('#include <stdio.h>\nFILE* f = fopen("left", "wb"); if (f) fclose(f);')
        support.run("profile", "--cpu", "host", path, env=self.environment)
        self.assertEqual(list(self.temporary.iterdir()), [])

    @needs_cortex_m
    def test_of_unaligned_access_of_a_cortex_m0(self):
        path = self.kernel("extern char mlf_stack_top[]; char* volatile p = mlf_stack_top - 7; (void)*(volatile int*)p;")
        profile(path, "cortex-m3")
        self.assertIn("it accessed memory", self.refused("--cpu", "cortex-m0plus", path))

    @needs_cortex_m
    def test_of_what_does_not_fit(self):
        for size, fits in ((12 << 20, True), (17 << 20, False)):
            path = self.kernel(f"static volatile char large[{size}]; large[0] = 1;")
            if fits:
                profile(path, "cortex-m33")
                continue
            text = self.refused("--cpu", "cortex-m33", path, code=1)
            self.assertIn("does not fit into the memory of the board mps2-an505, which has 4 MiB of code", text)
            profile(path, "cortex-m55")
        constants = self.kernel(f"static const volatile char large[{12 << 20}] = {{1}}; (void)large[1];")
        profile(constants, "cortex-m4")

    def test_of_programs_that_are_missing(self):
        empty = self.directory / "bin"
        empty.mkdir()
        for cpu, packages in (("cortex-m4", "gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm"),
                              ("rv32imc", "picolibc-riscv64-unknown-elf and qemu-system-misc")):  # fmt: skip
            self.environment["PATH"] = str(empty)
            text = self.refused("--cpu", cpu, ADD, code=74)
            self.assertIn("-gcc' is not installed", text)
            self.assertIn(packages, text)
            compiler = empty / TOOLS[cpu][0]
            compiler.write_text("#!/bin/sh\n")
            compiler.chmod(0o755)
            self.assertIn(f"'{TOOLS[cpu][1]}' is not installed", self.refused("--cpu", cpu, ADD, code=74))

    def test_of_wrong_command_lines(self):
        wrong = self.directory / "wrong.json"
        wrong.write_text('{"format": "mlf-report"}\n')
        for arguments, code, message in (
            (["--cpu", "host", "--clock", "80X"], 64, "'80X' is no frequency"),
            (["--cpu", "host", "--clock", "0"], 64, "'0' is no frequency"),
            (["--cpu", "host", "--clock", "80M"], 64, "leave out --clock"),
            (["--cpu", "host", "--clock", "80M", "--cpi", "2..1"], 64, "'2..1' are no numbers of cycles"),
            (["--cpu", "host", "--input", "z=none.npy"], 74, "none.npy"),
            (["--cpu", "host", "--cc", "no-such-compiler"], 64, "'no-such-compiler' is not in $PATH: install it"),
        ):
            with self.subTest(arguments):
                self.assertIn(message, self.refused(*arguments, ADD, code=code))
        result = support.run_to(65, "profile", "--cpu", "host", "--against", wrong, ADD)
        self.assertIn(b"not a profile; mlf profile --json writes such a file", result.stderr)
        self.assertIn("--module", self.refused("--cpu", "host", MODULES, code=64))
        if "rv32imc" in CPUS:
            text = self.refused("--cpu", "rv32imc", "--clock", "80M", ADD, code=64)
            self.assertIn("cores with rv32imc differ", text)
            profile(ADD, "rv32imc", "--clock", "80M", "--cpi", "1..3")

    @needs_cortex_m
    def test_of_a_run_that_is_interrupted(self):
        self.interrupt("profile", "--cpu", "cortex-m4", self.kernel("for (;;) {}"))


if __name__ == "__main__":
    unittest.main()

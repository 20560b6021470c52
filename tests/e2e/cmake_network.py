"""mlf_add_network of the installed package: programs that CMake builds compute what `mlf run` does.

On this computer, on a Cortex-M3 with newlib and on a 32-bit RISC-V with picolibc, both in QEMU. The recipes of
mlf/guide/firmware.md run as they are printed.
"""

import dataclasses
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import generated_c
import numpy_files
import program_case
import support

try:
    import yaml
except ImportError:
    yaml = None

BUILD = pathlib.Path(support.PROGRAM).parents[1]
if not (BUILD / "cmake_install.cmake").exists() or shutil.which("cmake") is None:
    support.skip("the program is not in a build that CMake can install")

ADD = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
QNN = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
TWO_MODULES = support.BUNDLED_CORPUS / "tvm-0.18/two-modules/module.tar"
GRAPH = support.BUNDLED_CORPUS / "tvm-0.18/qnn_conv-graph/module.tar"
OPERATOR = support.ARCHIVES / "tvm-0.9-op-add.tar"
FLOAT16 = support.SOURCE / "tests/data/c/tvm-0.18-control_ops-aot-c/module.tar"
CMSIS = support.BUNDLED_CORPUS / "tvm-0.18/cmsis-nn/module.tar"
HALF = 'error: #error "C and this compiler have no type half (half-in-c): -mfp16-format=ieee for Arm, or -Dhalf=TYPE"'
NOTHING = "int main(void) { return 0; }\n"

# Prints the outputs of networks for inputs of bytes 0, 1, 2, ….
MAIN = """\
#include <stdio.h>
#include <stdlib.h>
#include "tvm/runtime/c_backend_api.h"
{includes}
void* TVMBackendAllocWorkspace(int type, int id, uint64_t bytes, int code, int bits) {{
  (void)type, (void)id, (void)code, (void)bits;
  return malloc(bytes);
}}
int TVMBackendFreeWorkspace(int type, int id, void* memory) {{
  (void)type, (void)id;
  free(memory);
  return 0;
}}
static uint32_t memory[6][64];
static void fill(void* bytes) {{
  for (int i = 0; i < 256; ++i) ((unsigned char*)bytes)[i] = (unsigned char)i;
}}
static void print(const void* bytes, int count) {{
  for (int i = 0; i < count; ++i) printf("%02x", ((const unsigned char*)bytes)[i]);
  printf("\\n");
}}
int main(void) {{
{calls}
  return 0;
}}
"""
QNN_CALL = """\
  fill(memory[0]);
  struct {0}_default_inputs qnn_inputs = {{memory[0]}};
  struct {0}_default_outputs qnn_outputs = {{memory[1]}};
  if ({0}_default_run(&qnn_inputs, &qnn_outputs)) return 1;
  print(memory[1], {1}_DEFAULT_OUTPUT_SIZE);
"""
ADD_CALL = """\
  fill(memory[2]);
  fill(memory[3]);
  struct {0}_default_inputs add_inputs = {{memory[2], memory[3]}};
  struct {0}_default_outputs add_outputs = {{memory[4]}};
  if ({0}_default_run(&add_inputs, &add_outputs)) return 1;
  print(memory[4], {1}_DEFAULT_OUTPUT_SIZE);
"""


def main_text(*networks):
    """Of a program that runs networks, each with its call and its prefix."""
    calls = "".join(call.format(prefix, prefix.upper()) for call, prefix in networks)
    includes = "".join(f'#include "{prefix}_default.h"\n' for _, prefix in networks)
    return MAIN.format(includes=includes, calls=calls)


@functools.cache
def expected(archive):
    """What a program prints, by `mlf run`."""
    with support.temporary_directory() as directory:
        given = []
        inputs = {"x": ("int8", (1, 8, 8, 4))} if archive == QNN else {key: ("float32", (1, 10)) for key in "xy"}
        for key, (dtype, shape) in inputs.items():
            size = 256 if archive == QNN else 40
            array = numpy_files.Array(dtype, shape, bytes(range(size)))
            (directory / f"{key}.npy").write_bytes(numpy_files.npy(array))
            given += ["--input", f"{key}={directory / key}.npy"]
        support.run_ok("run", *given, "-o", directory / "outputs.npz", archive)
        (output,) = numpy_files.read_npz(directory / "outputs.npz").values()
    return output.data.hex()


@functools.cache
def package():
    """Where mlf is installed."""
    prefix = pathlib.Path(tempfile.mkdtemp())
    unittest.addModuleCleanup(shutil.rmtree, prefix)
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
    return prefix


@dataclasses.dataclass(frozen=True)
class Machine:
    """A board of QEMU, and how CMake builds for it."""

    toolchain: str
    emulator: tuple


def toolchain(processor, compiler, flags, link):
    return (f"set(CMAKE_SYSTEM_NAME Generic)\nset(CMAKE_SYSTEM_PROCESSOR {processor})\n"
            f"set(CMAKE_C_COMPILER {compiler})\nset(CMAKE_C_FLAGS_INIT \"{flags}\")\n"
            f"set(CMAKE_EXE_LINKER_FLAGS_INIT \"{link}\")\n"
            "set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)\n"
            "set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)\n")  # fmt: skip


QEMU = ("-nographic", "-monitor", "none", "-serial", "none", "-chardev", "stdio,id=out",
        "-semihosting-config", "enable=on,target=native,chardev=out")  # fmt: skip
CORTEX_M = Machine(
    toolchain("arm", "arm-none-eabi-gcc", "-mcpu=cortex-m3 -mthumb",
              f"--specs=rdimon.specs -T {generated_c.RUNTIME / 'cortex_m.ld'}"),
    ("qemu-system-arm", "-M", "mps2-an385", *QEMU),
)  # fmt: skip
RISC_V = Machine(
    toolchain("riscv32", "riscv64-unknown-elf-gcc", "-march=rv32imac -mabi=ilp32 --specs=picolibc.specs",
              "--oslib=semihost --crt0=semihost -Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=2M,"
              "--defsym=__ram=0x80200000,--defsym=__ram_size=2M"),
    ("qemu-system-riscv32", "-M", "virt", "-bios", "none", *QEMU),
)  # fmt: skip


def is_there(machine):
    compiler = re.search(r"CMAKE_C_COMPILER (\S+)\)", machine.toolchain)[1]
    found = all(map(shutil.which, (compiler, machine.emulator[0])))
    if not found and os.environ.get("CI") == "true":
        raise AssertionError(f"{compiler} or {machine.emulator[0]} is missing")
    return found


class Project(program_case.Directory):
    """A project in C of a program `app` that links networks."""

    def write(self, networks, main, machine=None, before=""):
        """`networks` are calls of mlf_add_network without the first parenthesis; their first words are their
        names. `before` is CMake in front of them."""
        names = " ".join(one.split()[0] for one in networks)
        calls = "\n".join(f"mlf_add_network({one})" for one in networks)
        (self.directory / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(app C)\nfind_package(mlf 0.1 REQUIRED)\n{before}\n{calls}\n"
            f"add_executable(app main.c)\ntarget_link_libraries(app PRIVATE {names} m)\n"
        )
        (self.directory / "main.c").write_text(main)
        if machine:
            (self.directory / "toolchain.cmake").write_text(machine.toolchain)

    def cmake(self, *arguments):
        """Without what the tests' environment tells mlf."""
        return subprocess.run(["cmake", *arguments], cwd=self.directory, capture_output=True, text=True, check=False)

    def configure(self, *arguments, generator="Ninja"):
        if (self.directory / "toolchain.cmake").exists():
            arguments = (*arguments, "--toolchain", self.directory / "toolchain.cmake")
        return self.cmake("-G", generator, "-B", "build", f"-DCMAKE_PREFIX_PATH={package()}",
                          "-DCMAKE_BUILD_TYPE=MinSizeRel", *arguments)  # fmt: skip

    def build(self):
        return self.cmake("--build", "build")

    def require(self, result):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def refusal(self, *arguments):
        """What CMake says in one error of mlf_add_network."""
        errors = re.sub(r"\s+", " ", self.configure(*arguments).stderr)
        self.assertEqual(errors.count("CMake Error"), 1, errors)
        return errors

    def built(self, **options):
        self.require(self.configure(**options))
        return self.require(self.build())

    def printed(self, *command):
        done = subprocess.run([*command, self.directory / "build/app"], capture_output=True, text=True,
                              check=False, timeout=60)  # fmt: skip
        return self.require(done).split()


class Networks(Project):
    def test_compute_what_run_does(self):
        self.write([f"qnn {QNN}"], main_text((QNN_CALL, "tvmgen")))
        for generator in ("Ninja", "Unix Makefiles"):
            with self.subTest(generator):
                self.built(generator=generator)
                self.assertEqual(self.printed(), [expected(QNN)])
                shutil.rmtree(self.directory / "build")

    def on(self, machine):
        if not is_there(machine):
            self.skipTest("no compiler or no emulator of this processor is installed")
        self.budget('code = "64K"\nstack = "4K"\n')
        options = "BUDGET budget.toml REPORT page.html CHECK_OPTIONS --library-stack 0"
        self.write([f"qnn {QNN} PREFIX kws {options}", f"add {ADD}"],
                   main_text((QNN_CALL, "kws"), (ADD_CALL, "tvmgen")), machine)  # fmt: skip
        self.built()
        self.assertEqual(self.printed(*machine.emulator, "-kernel"), [expected(QNN), expected(ADD)])
        # Sizes of code, which are those of the compiler for this processor.
        self.assertIn("code", (self.directory / "build/page.html").read_text())

    def test_compute_it_on_a_cortex_m(self):
        self.on(CORTEX_M)

    def test_compute_it_on_a_risc_v(self):
        self.on(RISC_V)

    def budget(self, text):
        (self.directory / "budget.toml").write_text(text)

    def test_are_optimized(self):
        self.write([f"qnn {QNN} OPTIMIZE"], main_text((QNN_CALL, "tvmgen")))
        self.built()
        self.assertEqual(self.printed(), [expected(QNN)])
        support.run_ok("optimize", "-o", self.directory / "smaller.tar", QNN)
        smaller = (self.directory / "smaller.tar").read_bytes()
        self.assertEqual((self.directory / "build/qnn.mlf/optimized.tar").read_bytes(), smaller)

    def test_of_archives_in_other_places_are_found(self):
        """A directory, one more directory, and C alone."""
        unpacked = support.unpacked(QNN, self.directory / "unpacked")
        inside = self.directory / "inside.tar.gz"
        subprocess.run(["tar", "-czf", inside, "-C", self.directory, "unpacked"], check=True)
        alone = self.directory / "alone"
        shutil.copytree(unpacked / "codegen/host", alone)
        for archive in (unpacked, inside, alone):
            with self.subTest(archive.name):
                self.write([f"qnn {archive.name} PREFIX kws"], main_text((QNN_CALL, "kws")))
                self.built()
                self.assertEqual(self.printed(), [expected(QNN)])
                shutil.rmtree(self.directory / "build")

    def test_have_the_headers_of_their_own_runtime(self):
        runtime = self.directory / "net/runtime/include"
        shutil.copytree(generated_c.HEADERS, runtime)
        support.unpacked(QNN, self.directory / "net")
        header = runtime / "tvm/runtime/c_backend_api.h"
        header.write_text(header.read_text() + "enum { kOfTheArchive = 1 };\n")
        text = main_text((QNN_CALL, "tvmgen")) + "int of_the_archive = kOfTheArchive;\n"
        self.write(["qnn net"], text)
        self.built()
        self.assertEqual(self.printed(), [expected(QNN)])

    def test_of_objects_are_linked(self):
        net = support.unpacked(QNN, self.directory / "net")
        (net / "codegen/host/lib").mkdir()
        for source in (net / "codegen/host/src").glob("*.c"):
            target = net / f"codegen/host/lib/{source.stem}.o"
            includes = [f"-I{generated_c.HEADERS}", f"-I{net / 'codegen/host/include'}"]
            subprocess.run(["gcc", "-w", *includes, "-c", source, "-o", target], check=True)
            source.unlink()
        self.write(["qnn net"], main_text((QNN_CALL, "tvmgen")))
        self.built()
        self.assertEqual(self.printed(), [expected(QNN)])
        self.write(["qnn net PREFIX kws"], main_text((QNN_CALL, "kws")))
        self.assertIn("PREFIX needs an archive", self.refusal())

    def test_of_several_modules_are_one_library(self):
        self.write([f"both {TWO_MODULES}"], NOTHING)
        self.built()

    def test_of_the_graph_executor_have_no_prefix(self):
        self.write([f"graph {GRAPH}"], NOTHING)
        self.built()
        for archive in (GRAPH, OPERATOR):
            self.write([f"net {archive} PREFIX kws"], NOTHING)
            self.assertIn("PREFIX needs an archive of the AOT executor", self.refusal())

    def test_have_the_type_of_float16_that_the_compiler_has(self):
        self.budget('code = "64K"\n')
        self.write([f"net {FLOAT16} BUDGET budget.toml REPORT page.html"], main_text())
        self.built()
        # A definition of the user comes first, even if it is made later.
        with (self.directory / "CMakeLists.txt").open("a") as file:
            file.write("target_compile_definitions(net PRIVATE half=of_the_user)\n")
        self.require(self.configure())
        self.assertIn("unknown type name ‘of_the_user’", self.build().stdout)
        net = support.unpacked(FLOAT16, self.directory / "net")
        source = net / "codegen/host/src/default_lib1.c"
        source.write_text("typedef _Float16 half;\n" + source.read_text())
        self.write(["net net"], main_text())
        self.built()
        if is_there(CORTEX_M):
            self.write([f"net {FLOAT16}"], NOTHING, CORTEX_M)
            shutil.rmtree(self.directory / "build")
            self.require(self.configure())
            self.assertEqual(set(re.findall("error: .*", self.build().stdout)), {HALF})
            self.require(self.configure("-DCMAKE_C_FLAGS=-mfp16-format=ieee -mcpu=cortex-m3 -mthumb"))
            self.require(self.cmake("--build", "build", "--target", "net"))

    def test_find_no_declarations_of_cmsis_nn_that_are_for_analysis(self):
        self.write([f"net {CMSIS}"], NOTHING)
        self.require(self.configure())
        self.assertRegex(self.build().stdout, r"arm_\w+\.h: No such file")
        self.assertEqual([], [*package().rglob("arm_*.h")])

    def test_are_checked_with_the_options_of_the_build(self):
        """Of groups, with blanks and quotes, of linked targets, and of one language."""
        self.budget('code = "64K"\n')
        before = r"""enable_language(CXX)
add_compile_options("-DX=\"a b\"" -DY='c' $<$<COMPILE_LANGUAGE:C>:-DONLY_C>)
add_compile_definitions("TEXT=\"x y\"")
add_library(zi INTERFACE)
target_compile_options(zi INTERFACE "SHELL:-imacros limits.h" -Os "SHELL:-include 'a header.h'")
target_include_directories(zi INTERFACE "in clude")"""
        (self.directory / "in clude").mkdir()
        (self.directory / "in clude/a header.h").write_text(
            "#if !defined ONLY_C || !defined INT_MAX || Y != 'c' || !defined __OPTIMIZE_SIZE__\n"
            "#error options\n#endif\n"
            'extern char is_x[sizeof X == sizeof "a b" ? 1 : -1];\n'
        )
        self.write([f"qnn {QNN} BUDGET budget.toml REPORT page.html"], main_text((QNN_CALL, "tvmgen")), before=before)
        with (self.directory / "CMakeLists.txt").open("a") as file:
            file.write("target_link_libraries(qnn PRIVATE zi)\n")
        for generator in ("Ninja", "Unix Makefiles", "Ninja Multi-Config"):
            with self.subTest(generator):
                self.built(generator=generator)
                shutil.rmtree(self.directory / "build")


class Names(Project):
    def place(self, name):
        self.directory /= name
        self.directory.mkdir()
        (self.directory / "budget.toml").write_text('code = "64K"\n')
        shutil.copy(QNN, self.directory / "module.tar")

    def test_of_directories_may_have_blanks_and_patterns(self):
        self.place("a b[1]*(c)")
        support.unpacked(QNN, self.directory / "net")
        for archive in ("module.tar", "net"):
            with self.subTest(archive):
                self.write([f"qnn {archive} BUDGET budget.toml REPORT page.html"], main_text((QNN_CALL, "tvmgen")))
                self.built()
                self.assertEqual(self.printed(), [expected(QNN)])
                shutil.rmtree(self.directory / "build")

    def test_that_are_no_names_in_lists_are_one_error(self):
        for name in ("a;b.tar", "a[b.tar", "a]b.tar"):
            shutil.copy(QNN, self.directory / name)
            self.write([f"qnn [==[{name}]==]"], main_text((QNN_CALL, "tvmgen")))
            errors = self.refusal()
            self.assertIn("mlf_add_network: CMake has no lists of names with ;", errors)
            self.assertIn(name, errors)
        self.write([f"qnn {QNN} BUDGET [==[a;b.toml]==]"], main_text((QNN_CALL, "tvmgen")))
        self.assertIn("a;b.toml", self.refusal())
        self.place("a[b")
        self.write(["qnn module.tar"], main_text((QNN_CALL, "tvmgen")))
        self.assertIn("a[b", self.refusal())

    def test_of_archives_that_are_not_there_are_told_by_mlf(self):
        self.write(["qnn nothing.tar"], NOTHING)
        self.assertRegex(self.refusal(), r"mlf_add_network: mlf: error: \S+/nothing.tar: ")
        (self.directory / "nothing.tar").write_text("no archive")
        self.assertRegex(self.refusal(), r"mlf_add_network: mlf: error: \S+/nothing.tar: ")


class Guide(program_case.Directory):
    TEXT = (support.SOURCE / "mlf/guide/firmware.md").read_text()

    def setUp(self):
        shutil.copy(QNN, self.directory / "module.tar")
        blocks = re.findall(r"^`([^`]+)`:\n\n```\w*\n(.*?)^```$", self.TEXT, re.MULTILINE | re.DOTALL)
        self.files = dict(blocks)
        for name, text in blocks:
            path = self.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run_as_user(self, command):
        """By a shell where mlf is installed."""
        places = {"PATH": f"{package() / 'bin'}:{os.environ['PATH']}", "CMAKE_PREFIX_PATH": str(package()),
                  "PKG_CONFIG_PATH": str(package() / "lib/pkgconfig")}  # fmt: skip
        done = subprocess.run(command, shell=True, cwd=self.directory, capture_output=True, text=True,
                              env={**os.environ, **places}, check=False, timeout=120)  # fmt: skip
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def recipe(self, heading):
        """What the last command of a section prints, as hexadecimal digits."""
        section = self.TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
        (commands,) = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        printed = [self.run_as_user(command) for command in commands.splitlines()]
        return bytes(int(line) % 256 for line in printed[-1].split()).hex()

    def test_is_right_about_cmake(self):
        self.assertEqual(self.recipe("With CMake"), expected(QNN))
        self.assertTrue((self.directory / "build/report.html").exists())

    def test_is_right_about_bare_metal(self):
        if not is_there(CORTEX_M):
            self.skipTest("no compiler or no emulator of this processor is installed")
        self.assertEqual(self.recipe("Bare metal"), expected(QNN))

    def test_is_right_about_make(self):
        self.assertEqual(self.recipe("With Make"), expected(QNN))
        self.assertTrue((self.directory / "report.html").exists())
        (self.directory / "budget.toml").write_text('code = "1K"\n')
        with self.assertRaisesRegex(AssertionError, "exceeds"):
            self.recipe("With Make")

    def test_is_right_about_ci(self):
        """Each job is YAML, and its commands write what it keeps."""
        if yaml is None:
            self.skipTest("PyYAML is not installed")
        github = yaml.safe_load(self.files[".github/workflows/network.yml"])["jobs"]["check"]
        gitlab = yaml.safe_load(self.files[".gitlab-ci.yml"])["network"]
        kept = next(step["with"]["path"] for step in github["steps"] if "with" in step).split()
        jobs = [([step["run"] for step in github["steps"] if "run" in step], kept)]
        artifacts = gitlab["artifacts"]
        jobs.append((gitlab["script"], [*artifacts["paths"], artifacts["reports"]["junit"]]))
        for commands, names in jobs:
            for command in commands:
                if command.startswith("mlf "):
                    self.run_as_user(command)
            for name in names:
                self.assertGreater((self.directory / name).stat().st_size, 0)
                (self.directory / name).unlink()


class Changes(Project):
    def test_of_the_archive_are_built(self):
        shutil.copy(QNN, self.directory / "module.tar")
        self.write(["qnn module.tar REPORT page.html"], main_text((QNN_CALL, "tvmgen")))
        self.built()
        self.assertIn("no work to do", self.require(self.build()))
        page = (self.directory / "build/page.html").read_text()
        time.sleep(0.01)  # the time of a file decides
        support.unpacked(QNN, self.directory)
        source = self.directory / "codegen/host/src/default_lib1.c"
        text = source.read_text()
        # The first kernel subtracts a constant.
        changed = text.replace("(int16_t)3)", "(int16_t)60)")
        self.assertNotEqual(changed, text)
        source.write_text(changed)
        os.utime(source, (0, 0))  # as the exporter may set it
        subprocess.run(["tar", "-cf", "module.tar", "codegen", "metadata.json", "src"], cwd=self.directory, check=True)
        self.require(self.build())
        self.assertNotEqual((self.directory / "build/page.html").read_text(), page)
        self.assertNotEqual(self.printed(), [expected(QNN)])
        self.assertIn("no work to do", self.require(self.build()))

    def test_of_a_budget_are_checked(self):
        budget = self.directory / "budget.toml"
        budget.write_text('buffers = "4K"\n')
        self.write([f"qnn {QNN} BUDGET budget.toml"], main_text((QNN_CALL, "tvmgen")))
        self.built()
        for text, verdict in (('buffers = "2K"\n', "exceeds"), ('flash = "64K"\n', "undecided")):
            budget.write_text(text)
            result = self.build()
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(verdict, result.stdout)
        self.write([f"qnn {QNN} CHECK_OPTIONS --buffers 2K"], main_text((QNN_CALL, "tvmgen")))
        self.assertIn("exceeds", self.build().stdout)
        self.write([f"qnn {QNN} BUDGET budget.toml"], main_text((QNN_CALL, "tvmgen")))
        # It is no less wrong the next time, and not before the program is linked.
        (self.directory / "build/app").unlink()
        self.assertNotEqual(self.build().returncode, 0)
        self.assertFalse((self.directory / "build/app").exists())
        budget.write_text('buffers = "3K"\n')
        self.require(self.build())


class TwoNetworks(Project):
    def test_of_one_name_are_refused_by_name(self):
        """Of main, of the graph executor's table, and of operators."""
        project = "build one of them as a project of its own"
        for first, second, words in ((QNN, ADD, "tvmgen_default___tvm_main__: give one of them a PREFIX"),
                                     (GRAPH, GRAPH, f"TVMSystemLibEntryPoint: {project}"),
                                     (OPERATOR, OPERATOR, f"__tvm_main__: {project}")):  # fmt: skip
            self.write([f"first {first}", f"second {second}"], NOTHING)
            self.assertIn(f"second and first both define {words}", self.refusal())


if __name__ == "__main__":
    unittest.main()

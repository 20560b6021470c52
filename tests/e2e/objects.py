"""What `mlf report` says of archives that have object files instead of C: code, sections and the calls
of main are those that nm, size and the TIR of the same build have."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import generated_c
import program_case
import support

# Each form of a main: unpacked and packed calls, with a memory planner and without.
NETWORKS = (
    "qnn_conv-aot-c",
    "split_concat-aot-c-usmp",
    "qnn_conv-aot-packed-usmp",
    "control_ops-aot-c",
    "dense-aot-packed-usmp",
)


def sizes(path):
    """Code of each function, by nm; static ones of one name are added up."""
    found = {}
    for line in subprocess.run(["nm", "-S", path], capture_output=True, check=True, text=True).stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            found[words[3]] = found.get(words[3], 0) + int(words[1], 16)
    return found


def frames(path, below):
    """Frames that the compiler wrote (-fstack-usage), and `below` bytes more."""
    found = {}
    for line in path.read_text().splitlines():
        place, size, kind = line.split("\t")
        found[place.rpartition(":")[2]] = None if kind == "dynamic" else int(size) + below
    return found


# The compiler, its flags, and what its processor lets a function use below the stack pointer.
COMPILERS = (
    ("gcc", [], 128),
    # Without the return address.
    ("clang-14", [], 136),
    ("arm-none-eabi-gcc", ["-g", "-mcpu=cortex-m4", "-mthumb", "-mfp16-format=ieee", "-Dhalf=__fp16"], 0),
)


def text_bytes(path):
    """Executable sections, by objdump."""
    lines = subprocess.run(["objdump", "-hw", path], capture_output=True, check=True, text=True).stdout
    return sum(int(line.split()[2], 16) for line in lines.splitlines() if "CODE" in line)


def chosen():
    names = {path: path.parent.name if path.stem == "module" else path.stem for path in support.archives()}
    found = [path for path, name in names.items() if name.endswith(NETWORKS)]
    assert len(found) >= 3, found
    return found


class Objects(program_case.Directory):
    def setUp(self):
        for program in ("gcc", "nm", "objdump"):
            if shutil.which(program) is None:
                support.skip(f"there is no {program}")

    def compiled(self, archive, compiler="gcc", flags=()):
        """The archive as a directory whose kernels and main are one object file, and its path."""
        directory = support.stock(archive, pathlib.Path(tempfile.mkdtemp(dir=self.directory)))
        objects = directory / "codegen" / "host" / "lib"
        objects.mkdir()
        (kernels,) = [
            path
            for path in (directory / "codegen" / "host" / "src").glob("*.c")
            if "// tvm target: c" in path.read_text()
        ]
        made = objects / "default_lib0.o"
        own = [flag for flag in generated_c.FLAGS if flag.startswith(("-I", "-w", "-std"))] if flags else generated_c.FLAGS
        command = [compiler, *own, *flags, "-O1", "-fno-inline", "-c", kernels, "-o", made]
        subprocess.run([*command, "-fstack-usage"], check=True)
        made.with_suffix(".su").rename(directory.with_suffix(".su"))
        kernels.unlink()
        return directory, made

    def test_code_and_calls_are_those_of_the_same_build(self):
        for archive in chosen():
            with self.subTest(archive=archive):
                calls = [call["kernel"] for call in support.report_of(archive)["calls"]]
                directory, made = self.compiled(archive)
                objects = support.report_of(directory)["objects"]
                self.assertEqual({one["symbol"]: one["bytes"] for one in objects["functions"]}, sizes(made))
                self.assertEqual(objects["text"], text_bytes(made))
                self.assertEqual(objects["main_calls"], calls)
                text = support.run_ok("report", directory).stdout.decode()
                self.assertIn("OBJECTS  text", text)

    def test_members_of_a_static_library_are_read(self):
        directory, made = self.compiled(chosen()[0])
        before = support.report_of(directory)["objects"]
        subprocess.run(["ar", "rcs", made.with_name("mod.a"), made], check=True)
        made.unlink()
        self.assertEqual(support.report_of(directory)["objects"], before)

    def test_members_that_nothing_needs_are_in_no_lower_bound(self):
        sources = {
            "main": "int kernel(int); int tvmgen_default_run(int a) { return kernel(a); }",
            "kernel": "static const int table[500] = {1}; int kernel(int a) { return table[a]; }",
            "other": "int counts[300]; const int other[900] = {1}; int sum(int i) { return other[i] + ++counts[i]; }",
        }
        objects = self.directory / "codegen/host/lib"
        objects.mkdir(parents=True)
        made = {name: objects / f"{name}.o" for name in sources}
        for name, text in sources.items():
            subprocess.run(["gcc", "-Os", "-x", "c", "-c", "-", "-o", made[name]], input=text.encode(), check=True)
        subprocess.run(["ar", "rcs", objects / "mod.a", *made.values()], check=True)
        for one in made.values():
            one.unlink()
        (row,) = json.loads(support.run("check", "--json", "--flash=1", self.directory).stdout)["results"]
        self.assertTrue(500 * 4 <= row["needed"]["min"] < 500 * 4 + 300, row)
        self.assertGreaterEqual(row["needed"]["max"], (500 + 900) * 4)

    def test_frames_are_those_of_the_compiler(self):
        compared = 0
        for compiler, flags, below in COMPILERS:
            if shutil.which(compiler) is None:
                continue
            for archive in chosen():
                if compiler == "clang-14" and "control_ops" in str(archive):
                    continue  # it has no float16 here
                with self.subTest(compiler=compiler, archive=archive):
                    directory, made = self.compiled(archive, compiler, flags)
                    objects = support.report_of(directory)["objects"]
                    found = {one["symbol"]: one["frame"] for one in objects["functions"]}
                    expected = frames(directory.with_suffix(".su"), below)
                    self.assertEqual({name: found[name] for name in expected}, expected)
                    compared += len(expected)
        self.assertGreater(compared, 20)

    def test_sizes_of_functions_of_a_c2000_are_words_of_16_bits(self):
        """An object of this computer with the number of that machine (EM_TI_C2000), and with a local label."""
        directory, made = self.compiled(chosen()[0])
        label = self.directory / "label.s"
        label.write_text(".text\n.type label, @function\nlabel:\nnop\n")
        subprocess.run(["gcc", "-c", label, "-o", made.with_name("label.o")], check=True)
        functions = lambda: support.report_of(directory)["objects"]["functions"]
        bytes_of = lambda: {one["symbol"]: one["bytes"] for one in functions()}
        before = bytes_of()
        self.assertNotIn("label", before)
        content = bytearray(made.read_bytes())
        content[18:20] = (141).to_bytes(2, "little")
        made.write_bytes(content)
        self.assertEqual(bytes_of(), {name: 2 * size for name, size in before.items()})

    def test_limits_on_flash_are_those_of_the_sections(self):
        for archive in chosen()[:2]:
            with self.subTest(archive=archive):
                directory, made = self.compiled(archive)
                needs_compiler = support.run("check", directory, "--code", "1M").stdout
                self.assertIn(b"code needs --cc COMPILER", needs_compiler)
                (compiled,) = [
                    module["compiled"]
                    for module in support.json_of("report", "--json", "--cc", "gcc", directory)["modules"]
                ]
                self.assertGreater(compiled["text"], text_bytes(made))
                shutil.rmtree(directory / "codegen" / "host" / "src")
                report = support.report_of(directory)
                self.assertEqual(report["compiled"]["text"], text_bytes(made))
                code = sum(report["compiled"][name] for name in ("text", "rodata", "data"))
                self.assertEqual(support.run("check", directory, "--code", code).returncode, 0)
                result = support.run("check", directory, "--code", code - 1, "--ram", "1M")
                self.assertIn(b"1 bytes too many", result.stdout)
                self.assertNotIn(b"--cc", result.stdout)

    def test_objects_of_the_c_that_is_compiled_count_once(self):
        directory, made = self.compiled(chosen()[0])
        with_c = self.directory / "with-c"
        subprocess.run(["mkdir", with_c], check=True)
        subprocess.run(["tar", "xf", chosen()[0], "-C", with_c], check=True)

        def compiled():
            module = support.report_of("--cc", "gcc", with_c)
            return module["compiled"]

        before = compiled()
        (with_c / "codegen/host/lib").mkdir()
        shutil.copy(made, with_c / "codegen/host/lib")
        self.assertEqual(compiled(), before)

    def test_that_are_damaged_are_no_smaller_code(self):
        directory, made = self.compiled(chosen()[0])
        whole = made.read_bytes()
        library = made.with_name("mod.a")
        subprocess.run(["ar", "rcs", library, made], check=True)
        whole_library = library.read_bytes()
        made.unlink()
        no_sections = whole[:40] + bytes(8) + whole[48:]  # e_shoff
        cases = [(library, whole_library[:-1]), (library, whole_library[: len(whole_library) // 2]),
                 (library, whole_library.replace(b"`\n", b"`\r\n")), (made, whole[:-12]), (made, whole[:200]),
                 (made, no_sections), (made, whole.replace(b"\n", b"\r\n"))]  # fmt: skip
        for path, content in cases:
            path.write_bytes(content)
            self.assertNotIn("objects", support.report_of(directory))
            self.assertEqual(support.run("check", "--code", "900M", directory).returncode, 1)
            found = support.run("verify", directory)
            self.assertIn(b"object-damaged", found.stdout + found.stderr)
            self.assertEqual(found.returncode, 1)
            path.unlink()

    def test_without_machine_code_are_no_smaller_code(self):
        directory, made = self.compiled(chosen()[0])
        slim = self.directory / "slim.o"
        command = ["gcc", "-flto", "-fno-fat-lto-objects", "-x", "c", "-c", "-", "-o", slim]
        subprocess.run(command, input=b"int f(int a) { return a; }", check=True)
        bitcode = self.directory / "bitcode.o"
        bitcode.write_bytes(b"BC\xc0\xde" + bytes(96))
        for added in (slim, bitcode):
            library = made.with_name("mod.a")
            subprocess.run(["ar", "rcs", library, made, added], check=True)
            self.assertNotIn("objects", support.report_of(directory))
            self.assertEqual(support.run("verify", directory).returncode, 0)
            library.unlink()
        before = support.report_of(directory)["objects"]
        licence = self.directory / "LICENCE"
        licence.write_text("no object\n")
        subprocess.run(["ar", "rcs", library, made, licence], check=True)
        library.write_bytes(library.read_bytes() + b"\n")
        made.unlink()
        self.assertEqual(support.report_of(directory)["objects"], before)

    def test_a_function_that_calls_itself_has_no_upper_bound_of_the_stack(self):
        once = "int f(int n) { volatile char z[100]; z[0] = n; return n < 9 ? %s(n + 1) + z[0] : 0; }\n"
        twice = "int g(int n); " + once % "g" + "int g(int n) { volatile char y[9]; y[0] = n; return %s(n) + y[0]; }\n"
        archive = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        for compiler in ("gcc", "clang-14", "arm-none-eabi-gcc"):
            if shutil.which(compiler) is None:
                continue
            helper = "static int help(int n) { volatile int x = n; return %s; }\n"
            same_names = "int other(int); " + helper % "other(x)" + "int first(int n) { return help(n); }"
            for text, is_bound in (("", True), (same_names, True), (once % "abs", True), (once % "f", False), (twice % "abs", True),
                                   (twice % "f", False)):  # fmt: skip
                directory = pathlib.Path(tempfile.mkdtemp(dir=self.directory))
                subprocess.run(["tar", "xf", archive, "-C", directory], check=True)
                (directory / "codegen/host/src/more.c").write_text(text)
                last = helper % "x + 1" + "int other(int n) { return help(n); }\n"
                (directory / "codegen/host/src/last.c").write_text(last)
                command = ["check", "--stack", "100K", "--library-stack", "0", "--cc", compiler, "--cflags=-O0", directory]
                self.assertEqual(support.run(*command).returncode == 0, is_bound, (compiler, text))

    def test_a_file_that_is_no_object_is_a_reason(self):
        directory, made = self.compiled(chosen()[0])
        made.write_bytes(b"no object")
        report = support.report_of(directory)
        self.assertNotIn("objects", report)
        self.assertTrue(any("not an ELF file" in why for why in report["uncertain"]), report["uncertain"])


if __name__ == "__main__":
    unittest.main()

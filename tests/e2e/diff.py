"""mlf diff: silent about builds that are the same, and about nothing else.

diff_edits.py has edits of every kind of member.
"""

import csv
import io
import itertools
import json
import pathlib
import random
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

import generated_c
import program_case
import schema_mutations
import schemas
import support

ARCHIVE = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
RUNS = 50


MEMBERS = support.members_of(ARCHIVE)
TEXT = MEMBERS["src/tir-1.txt"].decode()
KERNELS = sorted(set(re.findall(r"def (tvmgen_default_fused_\w+)\(", TEXT)))


def changed(text, everywhere=None):
    """The archive with another TIR; `everywhere` maps names to others in all members."""
    members = {**MEMBERS, "src/tir-1.txt": text.encode()}
    for old, new in (everywhere or {}).items():
        members = {
            name: re.sub(rf"\b{old}\b".encode(), new.encode(), data)
            for name, data in members.items()
        }
    return support.make_tar(members)


def diff(data, *arguments):
    return support.run("diff", ARCHIVE, "-", *arguments, input=data)


def without_c(data):
    """A tar whose TIR decides."""
    members = support.members_of(data)
    return support.make_tar({name: data for name, data in members.items() if not name.endswith(".c")})


def diff_of_tir(data, *arguments):
    with tempfile.TemporaryDirectory() as directory:
        before = pathlib.Path(directory) / "before.tar"
        before.write_bytes(without_c(support.make_tar(MEMBERS)))
        return support.run("diff", before, "-", *arguments, input=without_c(data))


# --- Builds that are the same ------------------------------------------------------------------


def renamed_kernel(pick):
    kernel = pick.choice(KERNELS)
    return changed(TEXT, {kernel: f"tvmgen_default_fused_renamed_{pick.randrange(100)}"})


def renamed_variable(pick):
    names = sorted(set(re.findall(r"for (\w+) in range|^ +(\w+) = T\.allocate\(", TEXT, re.MULTILINE)))
    name = "".join(pick.choice(names))
    return changed(re.sub(rf"\b{name}\b", f"{name}_{pick.randrange(100)}x", TEXT))


def another_time(pick):
    time = f'"export_datetime": "20{pick.randrange(10, 99)}-01-01 00:00:00Z"'.encode()
    metadata = re.sub(rb'"export_datetime": "[^"]*"', time, MEMBERS["metadata.json"])
    return support.make_tar({**MEMBERS, "metadata.json": metadata})


def kernels_in_another_order(pick):
    metadata = json.loads(MEMBERS["metadata.json"])
    pick.shuffle(metadata["modules"]["default"]["memory"]["functions"]["operator_functions"])
    return support.make_tar({**MEMBERS, "metadata.json": json.dumps(metadata, indent=2, sort_keys=True)})


def functions_in_another_order(pick):
    code, end = re.fullmatch(r"(.*?)(\s*(?:#[^\n]*\s*)*)", TEXT, re.DOTALL).groups()
    head, *functions = re.split(r"^(?=    @T\.prim_func)", code, flags=re.MULTILINE)
    functions = [function.rstrip("\n") for function in functions]
    pick.shuffle(functions)
    return changed(head + "\n\n".join(functions) + end)


def maps_in_another_order(module, pick):
    """save_json with the orders that TVM takes from addresses."""
    document = json.loads(module)
    nodes = document["nodes"]
    for node in nodes:
        keys, data = node.get("keys"), node.get("data", [])
        if node.get("type_key") != "Map" or not data:
            continue
        entries = list(zip(keys, data)) if keys else list(zip(data[::2], data[1::2]))
        for key, value in entries:
            if key == "Constants":
                pick.shuffle(nodes[int(value)]["data"])
        pick.shuffle(entries)
        node["data"] = [value for _, value in entries] if keys else list(itertools.chain(*entries))
        if keys:
            node["keys"] = [key for key, _ in entries]
    return json.dumps(document).encode()


def params_file(params):
    """A file of parameters of one dimension, int8, as TVM writes it."""
    count = struct.pack("<Q", len(params))
    names = [struct.pack("<Q", len(name)) + name.encode() for name in params]
    arrays = [
        struct.pack("<QQiiiBBHqq", 0xDD5E40F096B4A13F, 0, 1, 0, 1, 0, 8, 1, len(data), len(data)) + data
        for data in params.values()
    ]
    return struct.pack("<QQ", 0xF7E58D4F05049CB7, 0) + count + b"".join(names) + count + b"".join(arrays)


SAME = (another_time, kernels_in_another_order, functions_in_another_order)
RENAMED = (renamed_kernel, renamed_variable)

# --- Builds that are not -----------------------------------------------------------------------


def with_another(pattern, replace):
    """A change of one place, of those in kernels, that fits the pattern."""

    def mutate(pick):
        start = TEXT.index("def tvmgen_default_fused_")
        places = [match for match in re.finditer(pattern, TEXT) if match.start() > start]
        match = pick.choice(places)
        return changed(TEXT[: match.start()] + replace(match, pick) + TEXT[match.end() :])

    return mutate


def larger(match, pick):
    return match[0].replace(match[1], str(int(match[1]) + 1 + pick.randrange(3)))


another_extent = with_another(r"in range\((\d+)\)", larger)
another_constant = with_another(r"T\.int(?:32|16|8)\((\d+)\)", larger)
another_operator = with_another(r" (?:\+|\*) ", lambda match, _: " - ")
another_size = with_another(r"T\.allocate\(\[(\d+)\]", larger)
a_store_less = with_another(r"\n +\w+\[[^\n]*\] = [^\n]*\n(?= +\w+\[)", lambda match, _: "\n")


def a_call_less(pick):
    calls = re.findall(r"^ +T\.tvm_check_return\([^\n]*\n", TEXT, re.MULTILINE)
    return changed(TEXT.replace(pick.choice(calls), "", 1))


def another_input(pick):
    calls = re.findall(r"T\.call_extern\(\"int32\", \"\w+\", (\w+(?:\.data)?), \w+", TEXT)
    other = pick.choice([one for one in calls if one != calls[-1]])
    head, tail = TEXT[: TEXT.rindex(calls[-1])], TEXT[TEXT.rindex(calls[-1]) + len(calls[-1]) :]
    return changed(head + other + tail)


OTHER = (another_extent, another_constant, another_operator, another_size, a_call_less)

# --- Sizes of code -----------------------------------------------------------------------------

# With -Os functions are not aligned: bloaty counts the bytes up to the next one as the function's.
COMPILERS = (("gcc", "-Os"), ("arm-none-eabi-gcc", "-Os -mcpu=cortex-m4 -mthumb"))
REBUILT = (
    (ARCHIVE, support.ARCHIVES / "tvm-0.9-qnn_conv-aot-c.tar"),
    (
        support.CORPUS / "tvm-0.16" / "aww-aot-c" / "module.tar",
        support.CORPUS / "tvm-0.16" / "aww-aot-c-usmp" / "module.tar",
    ),
)


def sizes_by_bloaty(archive, compiler, flags):
    """Bytes of every symbol in the object files of the archive's C."""
    with support.temporary_directory() as root:
        support.unpacked(archive, root)
        includes = [f"-I{root / 'codegen/host/include'}", f"-I{generated_c.HEADERS}"]
        for source in sorted(root.glob("codegen/host/src/*.c")):
            object_file = root / f"{source.name}.o"
            command = [compiler, *flags.split(), "-w", *includes, "-c", source, "-o", object_file]
            subprocess.run(command, check=True)
        objects = sorted(root.glob("*.o"))
        table = subprocess.run(
            ["bloaty", "-d", "symbols", "-n", "0", "--csv", *objects],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        return {row["symbols"]: int(row["vmsize"]) for row in csv.DictReader(io.StringIO(table))}


class Diff(program_case.Directory):
    def test_of_an_archive_with_itself_says_at_most_that_it_contradicts_itself(self):
        for path in support.archives():
            result = support.run("diff", path, path)
            said = [line for line in result.stdout.splitlines() if b" contradicts itself, " not in line]
            self.assertEqual((result.returncode, said), (0, []), path)

    def test_lists_new_names_as_members_alone(self):
        for seed in range(RUNS):
            change = RENAMED[seed % len(RENAMED)]
            result = diff(change(random.Random(seed)), "--format", "json")
            document = json.loads(result.stdout)
            self.assertEqual((result.returncode, document["modules"], document["constants"]), (1, [], []), change)
            self.assertIn("src/tir-1.txt", [one["name"] for one in document["members"]])
            self.assertEqual(len(document["moved"]), 1 if change is renamed_kernel else 0, change)

    def test_counts_kernels_that_only_moved(self):
        moved = {name.replace("default_lib1.c", "default_lib2.c"): data for name, data in MEMBERS.items()}
        before = self.tar(MEMBERS, "before.tar")
        result = support.run("diff", before, "-", input=support.make_tar(moved)).stdout.decode()
        document = json.loads(support.run("diff", before, "-", "--json", input=support.make_tar(moved)).stdout)
        file = "codegen/host/src/default_lib1.c"
        self.assertIn("only moved: 4 kernels to another name or file", result)
        self.assertIn(f"member {file} -> {file.replace('lib1', 'lib2')}: renamed", result)
        self.assertEqual([one["same_as"] for one in document["members"]], [file.replace("lib1", "lib2"), file])
        text = diff(renamed_kernel(random.Random(1))).stdout.decode()
        self.assertRegex(text, r"member src/tir-1.txt: changed: \w+main__, 1 kernel that only moved\n")

    def test_is_silent_about_times_and_order(self):
        silent = set()  # of archives that are not the same bytes as any other or as the first
        for seed in range(4 * RUNS):
            pick = random.Random(seed)
            change = SAME[seed % len(SAME)]
            data = change(pick)
            if data in silent or data == changed(TEXT):
                continue
            result = diff(data)
            self.assertEqual(
                (result.returncode, result.stdout + result.stderr), (0, b""), f"{change}, {seed}"
            )
            silent.add(data)
            if len(silent) == RUNS:
                break
        print(f"{len(silent)} rebuilds, none of which mlf diff reports")
        self.assertEqual(len(silent), RUNS)

    def test_is_silent_about_orders_that_tvm_takes_from_addresses(self):
        data = support.SOURCE / "tests/data/corpus"
        captured = data / "tvm-0.9/diamond-aot-c-usmp"
        members = support.members_of(captured / "module.tar")
        module = (captured / "save-1.json").read_bytes()
        params = {"p0": b"\1\2\3", "p1": b"\4", "p2": b"\5\6"}
        pairs = [[{**MEMBERS, "parameters/default.params": params_file(dict(sorted(params.items(), reverse=reverse)))}
                  for reverse in (False, True)]]
        for seed in range(5):
            rebuilt = maps_in_another_order(module, random.Random(seed))
            pairs.append([{**members, "src/tir-1.tvm.json": one} for one in (module, rebuilt)])
        for old, new in pairs:
            before = self.tar(old, "before.tar")
            result = support.run("diff", before, "-", input=support.make_tar(new))
            self.assertEqual((result.returncode, result.stdout.decode()), (0, ""))

    def test_finds_every_other_change(self):
        found = set()
        validator = schemas.validator("diff")
        for seed in range(8 * RUNS):
            pick = random.Random(seed)
            change = OTHER[seed % len(OTHER)]
            data = change(pick)
            if data in found:
                continue
            result = diff_of_tir(data, "--format", "json")
            if result.returncode == 65:
                continue  # the change made it a text that is not TIR
            self.assertEqual(result.returncode, 1, f"{change.__name__}, {seed}")
            document = json.loads(result.stdout)
            schemas.check(validator, document, f"{change.__name__}, {seed}")
            (module,) = document["modules"]
            self.assertTrue(module["kernels"] or module["graph"], f"{change.__name__}, {seed}")
            found.add(data)
            if len(found) == RUNS:
                break
        print(f"{len(found)} mutations, all of which mlf diff reports")
        self.assertEqual(len(found), RUNS)

    def test_tells_data_and_numbers_from_schedules(self):
        def kernels_of(name, change):
            members = {key: value for key, value in MEMBERS.items() if not key.startswith("src/tir")}
            edited = change(members[name].decode()).encode()
            self.assertNotEqual(edited, members[name])
            before, after = self.tar(members, "before.tar"), self.tar({**members, name: edited}, "after.tar")
            document = json.loads(support.run("diff", "--json", before, after).stdout)
            (module,) = document["modules"] or [{"kernels": []}]
            return [one["change"] for one in module["kernels"]], document["constants"]

        c = "codegen/host/src/default_lib1.c"
        kernels, constants = kernels_of(c, lambda text: re.sub(r"(fused_constant\[288\] = \{\n    )\S+(?=,)", r"\1+0x0002", text))
        self.assertEqual((kernels, len(constants)), ([], 1))
        kernels, constants = kernels_of(c, lambda text: re.sub(r"\(-128\)", "(-127)", text))
        self.assertEqual((set(kernels), constants), ({"changed"}, []))

    def test_names_how_optimize_stores_constants(self):
        blocks = support.SOURCE / "tests/data/corpus/tvm-0.16/blocks-aot-c-usmp/module.tar"
        for archive, causes in ((ARCHIVE, {"types"}), (blocks, {"types", "shared"})):
            smaller = self.directory / "smaller.tar"
            support.run_ok("optimize", archive, "-o", smaller)
            for builds in ((archive, smaller), (smaller, archive)):
                text = support.run("diff", *builds, "--format", "json").stdout
                self.assertEqual(json.loads(text)["constants"], [])
                (module,) = json.loads(text)["modules"]
                kernels = module["kernels"]
                self.assertLessEqual({one["change"] for one in kernels}, {"moved", "constants"})
                constants = [one["constants"] for one in kernels if one["constants"]]
                self.assertEqual({cause for one in constants for cause in one if one[cause]}, causes)
            lines = support.run("diff", archive, smaller).stdout.decode()
            self.assertRegex(lines, r"(?m)^FLASH constants +\d")
            self.assertRegex(lines, r"constants in another form: \d of another type")

    def test_has_a_schema_that_no_other_document_follows(self):
        other = support.ARCHIVES / "tvm-0.9-qnn_conv-aot-c.tar"
        text = support.run("diff", ARCHIVE, other, "--format", "json").stdout
        count, accepted = schema_mutations.accepted_mutations(
            schemas.validator("diff"), json.loads(text)
        )
        self.assertGreater(count, 50)
        self.assertEqual(accepted, [])

    def test_does_not_care_whether_tir_was_captured(self):
        for path in support.archives():
            members = support.members_of(path)
            stock = support.without_tir(members)
            if len(stock) == len(members):
                continue
            result = support.run("diff", path, "-", "--format", "json", input=support.make_tar(stock))
            kernels = json.loads(result.stdout)
            for module in kernels["modules"]:
                self.assertEqual([module["kernels"], module["graph"], module["numbers"]], [[], [], []], path)

    def changes(self, before, after):
        document = json.loads(support.run("diff", "--json", before, after).stdout)
        return [one["change"] for module in document["modules"] for one in module["kernels"]]

    def test_is_silent_about_kernels_that_versions_print_differently(self):
        # Only v0.9 has a second clip.
        self.assertEqual(self.changes(support.ARCHIVES / "tvm-0.9-qnn_conv-aot-c.tar", ARCHIVE), ["rescheduled"])
        for name in ("op-add", "op-matmul", "op-multi", "op-vec", "dense-aot-c-usmp"):
            paths = [support.CORPUS / version / name / "module.tar" for version in ("tvm-0.9", "tvm-0.18")]
            if support.HAS_WHOLE_CORPUS:
                self.assertEqual(self.changes(*paths), [], name)
        flat = TEXT.replace('p0: T.Buffer((1, 8, 8, 4), "int8")', 'p0: T.Buffer((1, 8, 4, 8), "int8")')
        self.assertNotEqual(flat, TEXT)
        (module,) = json.loads(diff_of_tir(changed(flat), "--json").stdout)["modules"]
        self.assertEqual([one["change"] for one in module["kernels"]], ["changed"])

    @unittest.skipUnless(support.HAS_WHOLE_CORPUS, "only the whole corpus has both")
    def test_knows_tensors_that_the_memory_planner_flattens(self):
        heap, planned = (support.CORPUS / "tvm-0.9" / name / "module.tar" for name in ("diamond-aot-c", "diamond-aot-c-usmp"))
        self.assertEqual(self.changes(planned, heap), 6 * ["rescheduled"])
        members = support.members_of(planned)
        (member,) = [name for name, data in members.items() if b"fused_nn_contrib_dense_pack_add(float* placeholder" in data]
        head, tail = members[member].split(b"fused_nn_contrib_dense_pack_add(float* placeholder", 1)
        edited = re.sub(rb"(T_add\S+ = \(.*) \+ ", rb"\1 - ", tail, count=1)
        self.assertNotEqual(edited, tail)
        path = self.tar({**members, member: head + b"fused_nn_contrib_dense_pack_add(float* placeholder" + edited})
        self.assertEqual(sorted(self.changes(path, heap)), ["changed"] + 5 * ["rescheduled"])

    def test_has_the_bounds_of_a_difference_and_their_reason(self):
        members = dict(MEMBERS)
        member = "codegen/host/src/default_lib1.c"
        members[member] += b"\nstatic const int32_t __attribute__((section(\".rodata.tvm\"), )) unused[4] = {1, 2, 3, 4};\n"
        more = support.make_tar(members)
        fewer = support.run("diff", self.tar(members, "more.tar"), ARCHIVE).stdout.decode()
        why = "compilers may leave out constants that no kernel uses: 'unused'"
        self.assertRegex(fewer, r"(?m)^FLASH constants +608\.\.624 +608 +-16\.\.\+0$")
        self.assertIn(f"\nNot exact, before: {why}\n", fewer)
        self.assertIn("FLASH constants +0..+16**", diff(more, "--format", "markdown").stdout.decode())
        (module,) = json.loads(diff(more, "--json").stdout)["modules"]
        self.assertIn(f"after: {why}", module["uncertain"])

    @unittest.skipUnless(shutil.which("bloaty"), "bloaty is not installed: Debian 12 has no package")
    def test_says_by_how_much_code_grew_as_bloaty_does(self):
        compared = 0
        for before, after in REBUILT:
            for compiler, flags in COMPILERS:
                if not before.exists() or not shutil.which(compiler):
                    continue
                options = ("--cc", compiler, f"--cflags={flags}", "--format", "json")
                modules = json.loads(support.run("diff", before, after, *options).stdout)["modules"]
                old = sizes_by_bloaty(before, compiler, flags)
                new = sizes_by_bloaty(after, compiler, flags)
                for kernel in [one for module in modules for one in module["kernels"]]:
                    for number in [one for one in kernel["numbers"] if one["what"] == "code"]:
                        sizes = (old.get(kernel["before"]), new.get(kernel["after"]))
                        self.assertEqual((number["before"], number["after"]), sizes, kernel)
                        compared += 1
        print(f"code of {compared} pairs of kernels as bloaty has it")
        self.assertGreater(compared, 0)

    def test_reports_what_a_removed_call_changes(self):
        call = re.search(r"^ +T\.tvm_check_return\([^\n]*nn_max_pool2d_cast\", (\w+), (\w+)\)\)\n", TEXT, re.M)
        head, tail = TEXT[: call.start()], TEXT[call.end() :]
        text = diff_of_tir(changed(head + re.sub(rf"\b{call[2]}, ", f"{call[1]}, ", tail, count=1))).stdout.decode()
        self.assertIn("call 2 of nn_max_pool2d_cast was removed", text)

    def test_pairs_kernels_of_one_name_where_programs_differ(self):
        """The call of one kernel is gone, and the next one has other types and another form."""
        call = re.search(r"^ +T\.tvm_check_return\([^\n]*nn_max_pool2d_cast\", (\w+), (\w+)\)\)\n", TEXT, re.M)
        tail = re.sub(rf"\b{call[2]}, ", f"{call[1]}, ", TEXT[call.end() :], count=1)
        tail = re.sub(r"(nn_avg_pool2d_cast\(p0: T\.Buffer\(\()1, 4, 4, 8(.*?)1, 1, 1, 8", r"\g<1>1, 8, 8, 8\g<2>1, 2, 2, 8", tail)
        head = TEXT[: call.start()].replace("T.match_buffer(output, (1, 1, 1, 8)", "T.match_buffer(output, (1, 2, 2, 8)")
        (module,) = json.loads(diff_of_tir(changed(head + tail.replace("T.grid(16, 8)", "T.grid(64, 8)")), "--json").stdout)["modules"]
        changes = [(one["change"], *(one[side] and one[side].split("_fused_")[1] for side in ("before", "after")))
                   for one in module["kernels"]]
        self.assertEqual(changes, [("changed", "nn_avg_pool2d_cast", "nn_avg_pool2d_cast"), ("removed", "nn_max_pool2d_cast", None)])

    def test_reports_no_removed_call_if_a_call_reads_an_unwritten_tensor(self):
        text = diff_of_tir(a_call_less(random.Random(1))).stdout.decode()
        self.assertNotIn(" was removed", text)
        self.assertIn("unknown which calls were removed", text)

    def test_is_printed_in_markdown_that_names_cannot_break(self):
        text = diff_of_tir(another_extent(random.Random(3)), "--format", "markdown").stdout.decode()
        self.assertTrue(text.startswith("**"), text)
        self.assertIn("\n<details><summary>Kernels: 1</summary>\n", text)
        self.assertEqual(text.count("<details>"), text.count("\n\n</details>\n"))
        tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
        self.assertGreater(len(tables), 1, text)
        for table in tables:
            lines = [re.sub(r"\\.", "XX", line) for line in table.splitlines()]
            self.assertRegex(lines[1], r"^[|:-]+$")
            # Columns are aligned, also in the text.
            columns = {tuple(at for at, c in enumerate(line) if c == "|") for line in lines}
            self.assertEqual(len(columns), 1, table)

    def test_reports_no_removed_call_if_main_is_not_understood(self):
        members = support.without_tir(MEMBERS)
        (member,) = [name for name, data in members.items() if b"___tvm_main__(" in data and b") != 0 ) return -1;" in data]
        text = members[member].decode()
        calls = re.findall(r"if \(tvmgen_default_fused_\w+\(.*\) != 0 \) return -1;", text)
        hidden = {**members, member: text.replace(calls[1], "HIDDEN(3);").encode()}
        whole = self.tar(members, "whole.tar")
        result = support.run("diff", "--format", "json", whole, "-", input=support.make_tar(hidden))
        whole.write_bytes(support.make_tar(hidden))
        self.assertEqual(support.run("diff", whole, whole).stdout, b"")
        (module,) = json.loads(result.stdout)["modules"]
        self.assertEqual([one for one in module["kernels"] if one["before"]], [])
        self.assertFalse([line for line in module["graph"] if line.endswith(" was removed")])
        self.assertIn("unknown which calls were removed: main of the new archive is not understood",
                      module["graph"])

    def test_of_modules_that_only_one_side_has_names_them(self):
        two = support.CORPUS / "tvm-0.18" / "two-modules" / "module.tar"
        text = support.run("diff", two, ARCHIVE).stdout.decode()
        self.assertIn("module removed", text)
        self.assertIn("module added", text)


if __name__ == "__main__":
    unittest.main()

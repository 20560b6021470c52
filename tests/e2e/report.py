"""mlf report, show and table: numbers that hold against each other, the archive and gcc."""

import base64
import collections
import csv
import functools
import hashlib
import io
import itertools
import json
import os
import pathlib
import re
import shlex
import struct
import subprocess
import tempfile
import unittest

import generated_c
import program_case
import schemas
import support

PARAMETERS = support.SOURCE / "tests/data/cases/graph-params-values.tar.gz"
QNN = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"


def archives():
    return support.archives_with_c()


@functools.cache
def report(path, *options):
    return support.json_of("report", "--json", path, *options)


def modules():
    """(archive, module in its report) of all."""
    for path in archives():
        for module in report(path)["modules"]:
            yield path, module


def rows(kind, *paths):
    text = support.run_ok("table", "--rows", kind, *paths).stdout.decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


class SortedRows(unittest.TestCase):
    def test_have_the_largest_number_first_of_all_archives(self):
        paths = archives()[:4]
        sizes = [int(row["bytes"]) for row in rows("constant", "--sort", "bytes", *paths)]
        self.assertGreater(len(sizes), 2)
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_have_text_in_its_order_and_rows_without_it_last(self):
        found = [row["layer"] for row in rows("call", "--sort", "layer", *archives()[:4])]
        named = [one for one in found if one]
        self.assertEqual(found, sorted(named) + [""] * (len(found) - len(named)))


class ConstantsInC(unittest.TestCase):
    def test_are_on_the_lines_of_their_rows(self):
        count = 0
        for path in archives():
            for row in rows("constant", path):
                if not row["c_file"]:
                    continue
                text = support.members_of(path)[row["c_file"]].decode().splitlines()
                lines = text[int(row["c_first_line"]) - 1 : int(row["c_last_line"])]
                self.assertIn(row["constant"], lines[0])
                values = "".join(lines).partition("{")[2].partition("}")[0]
                self.assertEqual(len([one for one in values.split(",") if one.strip()]), int(row["elements"]))
                count += 1
        self.assertGreater(count, 10)


# How struct reads elements of these dtypes.
ELEMENTS = {"float32": "f", "float64": "d", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B"}  # fmt: skip


def arrays_of(document):
    """Of each constant with data: dtype, shape, elements, zeros, least and greatest."""
    for constant in document["constants"]:
        if constant.get("data") is None or constant["dtype"] not in ELEMENTS:
            continue
        data = base64.b64decode(constant["data"])
        values = [value for (value,) in struct.iter_unpack("<" + ELEMENTS[constant["dtype"]], data)]
        if values:
            shape = "x".join(map(str, constant["shape"]))
            zeros = values.count(0)
            yield constant["dtype"], shape, len(values), zeros, min(values), max(values)


@functools.cache
def documented(path):
    """Of all src/tir-*.json that mlf process writes: (dialect, function) of each function, and the arrays."""
    functions, arrays = [], set()
    members = support.members_of(support.run_ok("process", path, "--constants", "inline", "-o", "-").stdout)
    for name, text in members.items():
        if re.fullmatch(r"src/tir-[\w-]+\.json", name):
            document = json.loads(text)
            arrays.update(arrays_of(document))
            for function in document["functions"]:
                head = {key: function[key] for key in ("name", "global_symbol", "c") if key in function}
                functions.append((document["source"]["dialect"], head))
    return functions, arrays


def array_in_c(text, name, element):
    """The bytes that an array in C has."""
    # Texts of TVM 0.9 number the names once more.
    found = (re.search(rf"\b{one}(\[\d+\][^=;{{]*)?\s*= {{(.*?)}}", text, re.DOTALL)
             for one in (name, re.sub("_[0-9]+$", "", name)))  # fmt: skip
    text = next(one[2] for one in found if one)
    words = re.findall(r"[^\s,]+", text)
    values = [float.fromhex(one.rstrip("f")) if element in "fd" else int(one.rstrip("uULl"), 0) for one in words]
    return struct.pack(f"<{len(values)}{element}", *values)


def params_of(file):
    """The data of each parameter of the file, as TVM's save_param_dict writes it."""
    at = 16

    def take(form):
        nonlocal at
        at += struct.calcsize(form)
        return struct.unpack_from(form, file, at - struct.calcsize(form))

    names = [take(f"<{take('<Q')[0]}s")[0].decode() for _ in range(take("<Q")[0])]
    data = {}
    for name in names[: take("<Q")[0]]:
        *_, dimensions, _, _, _ = take("<QQiiiBBH")
        take(f"<{dimensions}q")
        data[name] = take(f"<{take('<q')[0]}s")[0]
    return data


def functions_with_lines(path, directory):
    """Where gcc's debug information says that functions of the archive's C begin."""
    include = f"-I{generated_c.HEADERS}"
    found = {}
    for source in sorted(support.unpacked(path, directory).glob("codegen/host/src/*.c")):
        target = source.with_suffix(".o")
        command = ["gcc", "-c", "-g", "-O0", "-w", "-std=gnu11", "-Dhalf=_Float16", include]
        headers = f"-I{pathlib.Path(directory) / 'codegen/host/include'}"
        done = subprocess.run([*command, headers, source, "-o", target], capture_output=True)
        if done.returncode:
            continue  # half of what an archive has may need another compiler
        names = subprocess.run(["nm", "-l", "--defined-only", target], capture_output=True, text=True)
        for line in names.stdout.splitlines():
            match = re.match(r"[0-9a-f]+ [Tt] (\S+)\t(.*):(\d+)$", line)
            if match:
                found[match[1]] = (source.name, int(match[3]))
    return found


class Reports(unittest.TestCase):
    def test_follow_their_schema(self):
        validator = schemas.validator("report")
        for path in archives():
            schemas.check(validator, report(path), str(path))

    def test_have_the_numbers_of_the_topology(self):
        for path, module in modules():
            if module["no_network"]:
                continue
            topology = support.json_of("graph", "--module", module["name"], path)
            where = f"{path}: {module['name']}"
            self.assertEqual(len(module["calls"]), len(topology["calls"]), where)
            for mine, theirs in zip(module["kernels"], topology["kernels"], strict=True):
                self.assertEqual(mine["target"], theirs["target"], where)
            pools = sum(pool["bytes"] for pool in topology["pools"] if pool["kind"] == "workspace")
            self.assertEqual(module["ram"]["pools"], pools, where)
            for kind in ("heap", "executor", "stack"):
                regions = [one for one in topology["memory"] if one["kind"] == kind]
                if all(one["exactness"] == "exact" for one in regions):
                    self.assertEqual(
                        module["ram"][kind], sum(one["used"] for one in regions), where
                    )

    def test_sum_up_the_calls(self):
        for path, module in modules():
            counts = [call["mac"] for call in module["calls"]]
            if counts and all(isinstance(count, int) for count in counts):
                self.assertEqual(support.least(module["mac"]), sum(counts), path)
                if support.most(module["mac"]) != sum(counts):
                    self.assertTrue(module["uncertain"], path)  # main may call more

    def test_say_the_peak_with_what_is_alive(self):
        for path, module in modules():
            peak = module["peak"]
            if peak["call"] is None or not isinstance(peak["bytes"], int):
                continue
            call = module["calls"][peak["call"]]
            self.assertEqual(call["live"], peak["bytes"], path)
            self.assertGreaterEqual(
                sum(tensor["bytes"] for tensor in peak["live"]), peak["bytes"], path
            )
            most = max(call["live"] for call in module["calls"] if isinstance(call["live"], int))
            self.assertEqual(peak["bytes"], most, path)

    def test_have_parts_of_the_peak_that_add_up(self):
        for path in archives():
            text = support.run("report", path).stdout.decode()
            for whole, parts in re.findall(r"(?m)^PEAK   call .*: (\d+) in use \(([^?.=)]*)\),", text):
                numbers = [int(sign + number) for sign, number in re.findall(r"(?:^|\+ |(-) )\w+ (\d+)", parts)]
                self.assertEqual(sum(numbers), int(whole), (path, parts))

    def test_know_the_lines_of_c_that_gcc_knows(self):
        compared = 0
        for path in archives():
            with tempfile.TemporaryDirectory() as directory:
                lines = functions_with_lines(path, directory)
            for module in report(path)["modules"]:
                for kernel in module["kernels"]:
                    if kernel["symbol"] not in lines:
                        continue
                    file, line = lines[kernel["symbol"]]
                    where = f"{path}: {kernel['symbol']}"
                    self.assertIsNotNone(kernel["c"], where)
                    self.assertEqual(pathlib.Path(kernel["c"]["file"]).name, file, where)
                    self.assertLessEqual(kernel["c"]["first_line"], line, where)
                    self.assertGreaterEqual(kernel["c"]["last_line"], line, where)
                    compared += 1
        self.assertGreater(compared, 10)

    def test_know_the_lines_of_c_that_the_documents_have(self):
        compared = 0
        for path in archives():
            places = {}
            for dialect, function in documented(path)[0]:
                self.assertEqual("c" in function, dialect == "c", f"{path}: {function['name']}")
                if dialect == "c":
                    places[function.get("global_symbol")] = function["c"]
            for module in report(path)["modules"]:
                for kernel in module["kernels"]:
                    place = places.get(kernel["symbol"])
                    lines = kernel["c"] and (
                        kernel["c"]["file"],
                        kernel["c"]["first_line"],
                        kernel["c"]["last_line"],
                    )
                    if place is None:
                        continue
                    have = (place["member"], place["line"], place["last_line"])
                    self.assertEqual(have, lines, f"{path}: {kernel['symbol']}")
                    compared += 1
        self.assertGreater(compared, 5)

    def test_know_the_lines_of_tir(self):
        for path in archives():
            members = support.members_of(path)
            for module in report(path)["modules"]:
                for kernel in module["kernels"]:
                    lines = kernel["tir"]
                    if lines is None:
                        continue
                    text = members[lines["file"]].decode()
                    head = text.splitlines()[lines["first_line"] - 1 : lines["last_line"]]
                    self.assertIn(kernel["symbol"], "\n".join(head), path)

    def test_know_the_operator_of_relay_that_a_kernel_came_from(self):
        mapped = named = 0
        for path in archives():
            members = support.members_of(path)
            for module in report(path)["modules"]:
                calls = [call for call in module["calls"] if call["relay"]]
                lines = [call["relay"]["first_line"] for call in calls]
                self.assertEqual(len(set(lines)), len(lines), path)
                for call in calls:
                    text = members[call["relay"]["file"]].decode()
                    line = text.splitlines()[call["relay"]["first_line"] - 1]
                    operator = re.match(r"\s*(?:%[\w.]+ = )?(?:\w+\.)*(\w+)\(", line)[1]
                    self.assertIn(operator, call["kernel"], f"{path}: {line}")
                    mapped += 1
                    if call["layer"]:
                        self.assertIn(call["layer"], line)
                        named += 1
        self.assertGreater(mapped, 5)
        # The whole corpus has networks from TFLite.
        self.assertGreater(named, 20 if support.HAS_WHOLE_CORPUS else 5)

    def test_have_no_number_where_nothing_is_known(self):
        # An operator archive has no network; the code of cmsis-nn no TIR.
        operators = report(support.ARCHIVES / "tvm-0.9-op-add.tar")["modules"][0]
        self.assertIsNotNone(operators["no_network"])
        self.assertIsNone(operators["ram"]["io"])
        self.assertEqual(operators["ram"]["heap"], 0)
        self.assertEqual(operators["kernels"][0]["mac"], 0)
        self.assertTrue(operators["uncertain"])
        for path, module in modules():
            numbers = [module["mac"], *(call["mac"] for call in module["calls"])]
            if any(not isinstance(number, int) for number in numbers):
                self.assertTrue(module["uncertain"], path)

    def test_find_what_costs_more_than_it_has_to(self):
        module = report(QNN)["modules"][0]
        found = {finding["code"]: finding for finding in module["findings"]}
        self.assertEqual(sorted(found), ["padding-scratch", "widened-weights"])
        # 3 x 3 x 4 x 8 weights of int8 that became int16; a border of one around 8 x 8 x 4.
        self.assertEqual(found["widened-weights"]["bytes"], 288)
        self.assertEqual(found["padding-scratch"]["bytes"], 10 * 10 * 4 * 2)

    def test_have_findings_that_the_words_list(self):
        rules = (support.SOURCE / "include/mlf/findings.def").read_text()
        words = (support.SOURCE / "schemas/report.md").read_text()
        table = words[words.index("| finding | rule |") :]
        for code, meaning in re.findall(r'MLF_FINDING\(\w+, "([\w-]+)",\s*((?:"[^"]*"\s*)+)\)', rules):
            rule = "".join(re.findall('"([^"]*)"', meaning))
            self.assertIn(f"| `{code}` | {rule} |\n", table)
        for name in ("report", "check"):
            schema = json.loads((support.SOURCE / f"schemas/{name}.schema.json").read_text())
            self.assertEqual(
                schema["$defs"]["finding"]["properties"]["code"]["enum"],
                re.findall(r'MLF_FINDING\(\w+, "([\w-]+)"', rules),
            )

    def test_are_the_same_twice(self):
        for arguments in (["report", QNN], ["report", "--json", QNN], ["table", QNN]):
            self.assertEqual(support.run_ok(*arguments).stdout, support.run_anew(*arguments).stdout)


class CompiledCode(program_case.Directory):
    """With gcc as the user's compiler."""

    FLAGS = ("--cc", "gcc", "--cflags=-O1 -Dhalf=_Float16")

    def compiled(self, path):
        return support.json_of("report", "--json", *self.FLAGS, path)["modules"]

    def test_has_the_sections_that_size_counts(self):
        for path in (QNN, *support.c_archives()):
            with tempfile.TemporaryDirectory() as directory:
                objects = []
                for source in sorted(support.unpacked(path, directory).glob("codegen/host/src/*.c")):
                    objects.append(source.with_suffix(".o"))
                    headers = (f"-I{pathlib.Path(directory) / 'codegen/host/include'}", f"-I{generated_c.HEADERS}")
                    subprocess.run(["gcc", "-c", "-O1", "-Dhalf=_Float16", "-w", *headers, source, "-o", objects[-1]],
                                   check=True)  # fmt: skip
                # Berkeley: text with what is only read, data, bss. Linkers go by the name of .rodata.
                lines = subprocess.run(["size", *objects], capture_output=True, text=True).stdout
                sizes = [list(map(int, line.split()[:3])) for line in lines.splitlines()[1:]]
                lines = subprocess.run(["objdump", "-h", *objects], capture_output=True, text=True).stdout
            named = re.findall(r"^ *\d+ \.rodata\S* +([0-9a-f]+)[^\n]*\n +([A-Z, ]+)$", lines, re.M)
            written = sum(int(size, 16) for size, flags in named if "READONLY" not in flags)
            text, data, bss = map(sum, zip(*sizes))
            text, data = text + written, data - written
            modules = self.compiled(path)
            sums = {
                name: sum(module["compiled"][name] for module in modules)
                for name in ("text", "rodata", "data", "bss")
            }
            found = (sums["text"] + sums["rodata"], sums["data"], sums["bss"])
            self.assertEqual(found, (text, data, bss), path)

    def test_knows_every_kernel(self):
        for module in self.compiled(QNN):
            for kernel in module["kernels"]:
                self.assertGreater(kernel["code"], 0)
                self.assertGreater(kernel["frame"], 0)
            self.assertGreaterEqual(
                module["ram"]["frames"]["min"], max(one["frame"] for one in module["kernels"])
            )

    def test_counts_for_budgets_and_differences(self):
        (module,) = self.compiled(QNN)
        flash = sum(module["compiled"][name] for name in ("text", "rodata", "data"))
        check = ["check", QNN, *self.FLAGS, "--code"]
        self.assertEqual(support.run(*check, str(flash)).returncode, 0)
        self.assertEqual(support.run(*check, str(flash - 1)).returncode, 1)
        # gcc -fstack-usage says frames: main's and the largest one of a kernel. The C calls TVM's
        # runtime, of whose frames and code nothing is known.
        frames = module["ram"]["frames"]["min"]
        self.assertIsNone(module["ram"]["frames"]["max"])
        for name, least in (("stack", frames), ("flash", flash)):
            for most, verdict in (("1M", "undecided"), (str(least - 1), "exceeds")):
                check = ["check", QNN, *self.FLAGS, f"--{name}", most, "--format", "json"]
                checked = support.run(*check)
                (result,) = json.loads(checked.stdout)["results"]
                self.assertEqual((checked.returncode, result["verdict"]), (1, verdict))
                self.assertEqual(result["needed"], {"min": least, "max": None})
                if verdict == "undecided":
                    check += [f"--library-{name}", "1K"]
                    (known,) = support.json_of(*check)["results"]
                    self.assertEqual((known["verdict"], known["needed"]["min"]), ("fits", least))
                    self.assertGreaterEqual(known["needed"]["max"], least + 1024)
                    self.assertTrue(any("TVMBackendAllocWorkspace" in one for one in result["remarks"]))
        checked = support.run("check", QNN, "--stack", "1M", "--format", "json")
        (result,) = json.loads(checked.stdout)["results"]
        self.assertEqual(result["needed"], {"min": module["ram"]["stack"], "max": None})
        self.assertEqual(result["verdict"], "undecided")
        other = support.ARCHIVES / "tvm-0.9-qnn_conv-aot-c.tar"
        document = json.loads(
            support.run("diff", "--format", "json", *self.FLAGS, QNN, other).stdout
        )
        numbers = {one["what"]: one for one in document["modules"][0]["numbers"]}
        (after,) = self.compiled(other)
        for section in ("text", "rodata", "data", "bss"):
            was, now = module["compiled"][section], after["compiled"][section]
            change = numbers.get(f"compiled.{section}", {"before": was, "after": was})
            self.assertEqual((change["before"], change["after"]), (was, now))

    def test_has_float16_by_the_name_of_the_compiler(self):
        archive = support.SOURCE / "tests/data/c/tvm-0.18-control_ops-aot-c/module.tar"
        flags = ("--cc", "gcc", "--cflags=-O1 -DX='a b'")
        module = support.report_of(*flags, archive)
        self.assertEqual([module["compiled"]], [one["compiled"] for one in self.compiled(archive)])
        support.run_ok("check", *flags, "--code", "64K", archive)
        support.run_ok("diff", *flags, archive, archive)
        result = support.run_ok("report", "--cc", "gcc -U__FLT16_MAX__", archive)
        self.assertRegex(result.stdout, rb"half-in-c.*-Dhalf=TYPE")

    def test_a_former_option_prints_csv(self):
        self.assertEqual(support.run_ok("report", "--csv", QNN).stdout,
                         support.run_ok("report", "--format", "csv", QNN).stdout)
        self.assertEqual(support.run("report", "--csv", "--json", QNN).returncode, 64)

    def test_is_not_there_without_a_compiler_that_works(self):
        environment = {**os.environ, "TMPDIR": self.directory}
        for command, code in (("no-such-compiler", 64), ("false", 65)):
            message = support.refused(code, "report", "--cc", command, QNN, env=environment)
            self.assertIn(command if code == 64 else "was not compiled", message)
        self.assertEqual(list(self.directory.iterdir()), [])


class Terminals(unittest.TestCase):
    def test_see_the_columns_that_they_ask_for(self):
        text = support.run_ok("report", "--columns", "call,mac,c", QNN).stdout.decode()
        head = next(line for line in text.splitlines() if line.startswith("#"))
        self.assertEqual(head.split(), ["#", "MAC", "C"])

    def test_see_the_largest_first_and_no_more_than_asked_for(self):
        text = support.run_ok("report", "--sort", "mac", "--top", "1", QNN).stdout.decode()
        calls = [line for line in text.splitlines() if re.match(r"\d+ ", line)]
        self.assertEqual(len(calls), 1)
        macs = [call["mac"] for call in report(QNN)["modules"][0]["calls"]]
        self.assertIn(str(max(macs)), calls[0].split())

    def test_know_which_options_had_no_effect(self):
        for option in (["--columns", "kernel"], ["--sort", "mac"], ["--top", "2"]):
            for form in (["--json"], ["--format", "csv"], ["--html", "-"], ["--node-data", "mac"]):
                result = support.run_to(64, "report", *option, *form, QNN)
                self.assertIn(b"are for --format text and markdown", result.stderr)
        for options, column, need in ((["--columns", "kernel,instr"], "instr", "--profile"), (["--sort", "code"], "code", "--cc")):
            result = support.run_ok("report", *options, QNN)
            self.assertIn(f"in the column '{column}': it needs {need}", result.stderr.decode())
        self.assertEqual(support.run_ok("report", "--columns", "kernel,mac", "--sort", "live", QNN).stderr, b"")

    def test_are_sorted_with_calls_without_a_number_at_the_end(self):
        text = support.run_ok("report", "--columns", "zeros", "--sort", "zeros", QNN).stdout.decode()
        cells = re.findall(r"^ *(-|\d+)(?:  <- peak)?$", text, re.MULTILINE)
        self.assertEqual(cells, sorted(cells, key=lambda cell: -1 if cell == "-" else int(cell), reverse=True))
        self.assertIn("-", cells)

    def seen(self, *arguments, **environment):
        """What the program writes on a terminal of 200 columns."""
        return support.on_terminal(200, *arguments, **environment)

    def test_see_the_peak_in_bold_and_what_exceeds_in_red(self):
        (peak,) = [line for line in self.seen("report", QNN).splitlines() if "<- peak" in line]
        self.assertTrue(peak.startswith("\x1b[1m") and peak.endswith("\x1b[0m"), peak)
        lines = self.seen("check", QNN, "--ram", "1", "--mac", "1G").splitlines()
        red = [line for line in lines if "\x1b[31m" in line]
        self.assertIn("exceeds", red[0])
        # The reasons go on in the lines below.
        for line in red[1:]:
            self.assertTrue(line.startswith("\x1b[31m  "), line)
        other = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
        self.assertIn("\x1b[31m", self.seen("diff", other, QNN))

    def test_see_no_colours_where_they_are_not_wanted(self):
        for arguments in (("report", QNN), ("check", QNN, "--ram", "1"),
                          ("diff", support.ARCHIVES / "tvm-0.18-add-aot-c.tar", QNN)):  # fmt: skip
            for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
                self.assertNotIn("\x1b", self.seen(*arguments, **environment))
            # Nor where there is no terminal.
            self.assertNotIn(b"\x1b", support.run(*arguments).stdout)

    # Every format that has names of an archive.
    FORMATS = (
        ["inspect"], ["inspect", "--json"], ["report"], ["report", "--json"], ["report", "--format", "csv"],
        ["report", "--format", "markdown"], ["report", "--html", "-"], ["table"], ["table", "--rows", "call"],
        ["table", "--rows", "call", "--format", "jsonl"], ["graph"],
        *(["graph", "--format", name] for name in ("dot", "svg", "perfetto", "model-explorer")),
        ["check", "--ram", "1"], ["check", "--ram", "1", "--format", "sarif"],
        ["check", "--ram", "1", "--format", "junit"], ["show", "0"], ["verify", "-v"],
    )  # fmt: skip

    def test_obey_no_name(self):
        # A text with the first is an error that shows it.
        for character in ("\x1b[31m", "\u009b", "\u202e"):
            evil = support.NETWORK.replace("tvmgen_default_add", f"tvmgen_default_{character}add")
            data = support.make_tar({"metadata.json": support.METADATA, "src/tir-1.txt": evil})
            for command, *options in self.FORMATS:
                before = options if command != "show" else []
                after = options if command == "show" else []
                done = support.run(command, *before, "-", *after, input=data)
                for stream in (done.stdout, done.stderr):
                    self.assertNotIn(character[0].encode(), stream, (command, options))


class Kernels(program_case.Directory):
    def test_are_shown_by_symbol_short_name_and_call(self):
        kernel = report(QNN)["modules"][0]["calls"][0]["kernel"]
        by_symbol = support.run_ok("show", QNN, kernel).stdout
        self.assertEqual(by_symbol, support.run_ok("show", QNN, "0").stdout)
        self.assertIn(kernel.encode(), by_symbol)

    def test_are_loops_with_what_they_cost(self):
        # Every loop of the report has its line, with its extent and its multiply-accumulates.
        for path, module in modules():
            for kernel in module["kernels"][:2]:
                text = support.run_ok("show", path, kernel["symbol"], "--module", module["name"]).stdout.decode()
                code = [line.strip() for line in text.splitlines()]
                heads = [line for line in code if re.match(r"(for|while) ", line)]
                loops = kernel["loops"] or []
                self.assertEqual(len(heads), len(loops), f"{path}: {kernel['symbol']}")
                for head, loop in zip(heads, loops):
                    if head.startswith("for "):
                        # TVMScript takes letters that Python accepts, and other names once each.
                        name = re.sub(r"\W", "_", loop["variable"])
                        self.assertRegex(head, rf"^for {name}(_\d+)? in ")
                    if isinstance(loop["extent"], int):
                        self.assertRegex(head, rf"\({loop['extent']}\):|, ")
                    if loop["mac"] and isinstance(loop["mac"], int):
                        self.assertRegex(head, rf"# \d+ iterations, {loop['mac']} MAC$")

    def test_show_their_constants_as_tables_do(self):
        names = ("constant", "dtype", "shape", "bytes", "zeros", "least", "greatest")
        shown = 0
        for row in rows("constant", *support.bundled_archives()):
            cells = [row[name] or "?" for name in names]
            if not row["kernel"] or row["shape"] == "":
                continue
            text = support.run_ok("show", row["archive"], row["kernel"], "--module", row["module"])
            self.assertIn(cells, [line.split() for line in text.stdout.decode().splitlines()])
            shown += 1
        self.assertGreater(shown, 3)

    def test_show_values_of_constants_as_text_and_numpy_files(self):
        for path in (QNN, support.BUNDLED_CORPUS / "tvm-0.9/diamond-graph/module.tar", PARAMETERS):
            for row in rows("constant", path):
                kernel = row["kernel"] + "." if row["kernel"] else ""
                chosen = ("show", path, "--constant", kernel + row["constant"])
                npy = support.run_ok(*chosen, "--format", "npy").stdout
                size = 10 + struct.unpack_from("<H", npy, 8)[0]
                self.assertEqual(hashlib.sha256(npy[size:]).hexdigest(), row["sha256"])
                shape = row["shape"].split("x") if row["shape"] else [row["elements"]] * (row["elements"] != "1")
                self.assertIn(f"({', '.join(shape)}", npy[:size].decode("latin-1"))
                text = support.run_ok(*chosen).stdout.decode()
                lines = re.findall(r"^\[[\d,]+\](.*)", text, re.MULTILINE)
                values = [float(one) for line in lines for one in line.split()]
                self.assertEqual(len(values), int(row["elements"]))
                self.assertEqual([min(values), max(values)], [float(row["least"]), float(row["greatest"])])
                self.assertIn(row["file"], text)

    def test_show_a_kernel_and_its_weights_by_the_layer(self):
        path = support.BUNDLED_CORPUS / "tvm-0.16/blocks-aot-c-usmp/module.tar"
        by_number, by_layer = (support.run_ok("show", path, name).stdout for name in ("3", "block1/conv_b"))
        self.assertEqual(by_layer, by_number)
        calls = {call["layer"]: call["kernel"] for call in rows("call", path)}
        weights = max((row for row in rows("constant", path) if row["kernel"] == calls["block1/conv_b"]),
                      key=lambda row: int(row["bytes"]))  # fmt: skip
        for name in ("block1/conv_b", "3", calls["block1/conv_b"]):
            npy = support.run_ok("show", path, "--constant", name, "--format", "npy").stdout
            size = 10 + struct.unpack_from("<H", npy, 8)[0]
            self.assertEqual(hashlib.sha256(npy[size:]).hexdigest(), weights["sha256"])

    def test_show_a_kernel_by_each_layer_that_it_alone_came_from(self):
        path = support.SOURCE / "tests/data/cases/kernel-not-understood.tar.gz"
        kernels = collections.defaultdict(set)
        first = {}
        for call in rows("call", path):
            for layer in filter(None, call["layer"].split(";")):
                kernels[layer].add(call["kernel"])
            first.setdefault(call["layer"].split(";")[0], call["kernel"])
        others = {layer: its for layer, its in kernels.items() if layer not in first}
        self.assertTrue({1} < {len(its) for its in others.values()})
        # A kernel may have several layers. Of these, try the first, and the last with this kernel alone.
        meant = {kernel: layer for layer, kernel in reversed(first.items()) if layer}
        alone = {kernel: layer for layer, its in others.items() if len(its) == 1 for kernel in its}
        for kernel, layer in [*meant.items(), *alone.items()]:
            self.assertEqual(support.run_ok("show", path, layer).stdout, support.run_ok("show", path, kernel).stdout)
        for layer in [layer for layer, its in others.items() if len(its) > 1][:3]:
            message = support.refused(64, "show", path, layer)
            self.assertIn(f"'{layer}' is a layer of several kernels, name one: ", message)

    def test_list_modules_to_choose_from(self):
        result = support.run_to(64, "show", support.BUNDLED_CORPUS / "tvm-0.18/two-modules/module.tar", "0")
        self.assertIn(b"'0' is in several modules, name one with --module: first, second", result.stderr)

    def test_are_operators_without_a_network(self):
        archive = support.ARCHIVES / "tvm-0.9-op-add.tar"
        text = support.run_ok("report", archive, "--cc", "gcc").stdout.decode()
        self.assertEqual(text.count("an operator archive has bare functions and no main"), 1)
        self.assertNotIn("Why numbers are not exact", text)
        self.assertRegex(text, r"(?m)^flash +\d")
        (module,) = report(archive)["modules"]
        self.assertEqual(module["mac"], sum(one["mac"] for one in module["kernels"]))
        text = support.run_ok("inspect", "--integration", support.BUNDLED_CORPUS / "tvm-0.9/op-multi/module.tar").stdout.decode()
        self.assertRegex(text, r"(?m)^TENSOR +OF +DIRECTION .*\n\w+ +multi +input ")
        self.assertRegex(text, r"(?m)^- +stack +application .* stack frames need --cc COMPILER$")

    def test_have_targets_and_version_of_any_archive(self):
        for name, cells in (("cmsis-nn", r"c, cmsis-nn .* 0\.18\.0"), ("qnn_conv-graph", "c .* not stated")):
            text = support.run_ok("inspect", support.BUNDLED_CORPUS / f"tvm-0.18/{name}/module.tar").stdout.decode()
            self.assertRegex(text, rf"(?m)^default +full-model +\w+ +{cells}$")

    def test_is_printed_in_markdown_with_totals_first(self):
        text = support.run_ok("report", "--format", "markdown", QNN).stdout.decode()
        self.assertRegex(text, r"\A\| TOTAL +\| +BYTES \|")
        self.assertIn("\nPEAK   call 1, nn_conv2d", text)
        self.assertRegex(text, r"\n\| 1 +\| nn\\_conv2d\S+ +\| 8x8x8 \| 18,432 \|")
        self.assertIn("\n<details><summary>Findings: 3</summary>\n", text)
        for flags in (["--json"], ["--html", "-"]):
            self.assertEqual(support.run("report", "--format", "markdown", *flags, QNN).returncode, 64)

    def test_name_the_constants_that_they_do_not_show(self):
        near = rows("constant", PARAMETERS)[0]["constant"]
        for arguments, code, message in (
            (("--constant", near + "0"), 64, f"did you mean '{near}'"),
            (("--constant", near, "--format", "c"), 64, "--format is summary or npy"),
            (("0", "--format", "npy"), 64, "needs --constant"),
        ):
            self.assertIn(message, support.refused(code, "show", PARAMETERS, *arguments))

    def test_show_the_operators_of_relay_that_the_report_knows(self):
        (module,) = report(QNN)["modules"]
        relay = support.members_of(QNN)["src/default.relay"].decode()
        self.assertEqual(support.run_ok("show", QNN, "--relay").stdout.decode(), relay.removesuffix("\n"))
        known = 0
        for number, call in enumerate(module["calls"]):
            text = support.run_ok("show", QNN, number).stdout.decode()
            lines = [line for line in text.splitlines() if line.startswith("Relay ")]
            expected = []
            if call["relay"]:
                line = call["relay"]["first_line"]
                place = f"{call['relay']['file']}:{line}"
                expected = [f"Relay   {place}  {relay.splitlines()[line - 1].strip()}"]
            self.assertEqual(lines, expected)
            known += len(lines)
        self.assertGreater(known, 2)

    def test_show_relay_only_where_the_archive_has_it(self):
        archive = support.ARCHIVES / "tvm-0.9-op-add.tar"
        for arguments, code, why in (
            (("--relay",), 1, b"no text of Relay"),
            ((), 64, b"KERNEL is required, or --relay"),
            (("0", "--relay"), 64, b"KERNEL"),
            (("--relay", "--format", "json"), 64, b"--format excludes --relay"),
            (("0",), 64, b"there is no call 0: an operator archive has bare functions and no main"),
            (("0",), 64, b"; name a kernel: "),
        ):
            self.assertIn(why, support.run_to(code, "show", archive, *arguments).stderr)

    def test_show_a_terminal_only_text_in_relay_and_c(self):
        """And any bytes elsewhere: escape sequences, marks of direction, and bytes that are not UTF-8."""
        hostile = b"\x1b[31m\xff\xe2\x80\xae\x9b\t\r"
        members = support.members_of(QNN)
        for name, before in (("src/default.relay", b"def @main("), ("codegen/host/src/default_lib1.c", b"for (")):
            members[name] = members[name].replace(before, before + hostile)
        archive = self.tar(members)
        for arguments in (["--relay"], ["--format", "c", "0"]):
            command = ["show", archive, *arguments]
            self.assertIn(hostile, support.run_ok(*command).stdout)
            shown = support.on_terminal(200, *command)
            self.assertIn("\\x1b[31m\\xff\\u{202e}\\x9b\t\\x0d", shown)
            self.assertEqual(set(c for c in shown if not c.isprintable()), {"\n", "\t"})

    def test_show_their_lines_of_c(self):
        kernel = report(QNN)["modules"][0]["kernels"][0]
        text = support.run_ok("show", QNN, kernel["symbol"], "--format", "c").stdout.decode()
        self.assertEqual(text.count("\n"), kernel["c"]["last_line"] - kernel["c"]["first_line"] + 1)
        self.assertIn(kernel["symbol"], text.splitlines()[0])

    def test_show_their_tir_in_forms_that_mlf_reads(self):
        for path, form in zip(archives(), itertools.cycle(("tvmscript", "json"))):
            with self.subTest(path, form=form):
                module = report(path)["modules"][0]
                kernel = module["kernels"][0]["symbol"]
                text = support.run_ok("show", path, kernel, "--format", form, "--module", module["name"]).stdout
                document = support.json_of("tir", "-", input=text)
                self.assertEqual([one["name"] for one in document["functions"]], [kernel])

    def test_that_tvmscript_cannot_express_are_shown_as_c(self):
        path = support.SOURCE / "tests" / "data" / "cases" / "condition-in-a-kernel.tar.gz"
        members = support.members_of(path)
        unknown = {name: content.replace(b"#if 0", b"#if WITH_X") for name, content in members.items()}
        text = support.run_ok("show", "-", "0", input=support.make_tar(unknown)).stdout.decode()
        self.assertIn("\nTVM_DLL int32_t tvmgen_default_fused_nn_conv2d_nn_relu(", text)

    def test_that_are_not_there_are_an_error(self):
        self.assertIn(b"no_such_kernel", support.run_to(64, "show", QNN, "no_such_kernel").stderr)


class Tables(unittest.TestCase):
    def test_have_the_numbers_of_the_report(self):
        modules = [module for path in archives() for module in report(path)["modules"]]
        found = rows("archive", *archives(), "-j", "2")
        self.assertEqual([row["module"] for row in found], [one["name"] for one in modules])
        for row, module in zip(found, modules):
            self.assertEqual(int(row["calls"]), len(module["calls"]))
            if isinstance(module["mac"], int):
                self.assertEqual((row["mac_min"], row["mac_max"]), (str(module["mac"]),) * 2)
        calls = [call for module in modules for call in module["calls"]]
        self.assertEqual([row["kernel"] for row in rows("call", *archives(), "-j", "2")],
                         [call["kernel"] for call in calls])

    def test_have_the_code_and_the_frames_of_a_compiler(self):
        options = ["--cc", "gcc", "--cflags=-Os"]
        text = support.run_ok("table", *options, *archives()[:3]).stdout.decode()
        found = list(csv.DictReader(io.StringIO(text, newline="")))
        modules = [module for path in archives()[:3] for module in report(path, *options)["modules"]]
        for row, module in zip(found, modules, strict=True):
            for column, number in (("code", module["flash"]["code"]), ("frames", module["ram"]["frames"])):
                least, most = (number, number) if isinstance(number, int) else number.values()
                self.assertEqual((row[f"{column}_min"], row[f"{column}_max"]), (str(least), str(most or "")))
        self.assertTrue(any(int(row["code_max"] or 0) for row in found))

    def test_say_when_and_for_what_an_archive_was_built(self):
        for path in support.bundled_archives() + support.c_archives():
            told = support.json_of("inspect", "--json", path)["modules"]
            # metadata.json lacks external compilers.
            external = ",cmsis-nn" if "cmsis-nn" in str(path) else ""
            expected = [(one["name"] or "", one["export_datetime"] or "",
                         ",".join(target["kind"] for target in one["targets"]) + external) for one in told]
            found = [(row["module"], row["exported"], row["targets"]) for row in rows("archive", path)]
            self.assertEqual(found, expected)

    def test_have_the_words_of_the_report_for_people(self):
        words = {"archive": ("GRAPH EXECUTOR", "STACK ARRAYS", "METADATA COPIES", "IN USE", "ALLOCATED", "PACKED ARGUMENTS"),
                 "call": ("CONSTANTS", "NS")}  # fmt: skip
        for kind, expected in words.items():
            head = support.run_ok("table", "--format", "text", "--rows", kind, QNN).stdout.decode().split("\n")[0]
            self.assertLessEqual(set(expected), set(re.split("  +", head)))

    def test_have_the_scale_of_layers(self):
        found = [(row["scale"], row["zero_point"]) for row in rows("call", QNN)]
        self.assertEqual(found, [("", ""), *[("0.05", "-5")] * 3])

    def test_have_a_row_for_an_archive_that_is_none(self):
        result = support.run_to(65, "table", QNN, "/dev/null", QNN, "-j", "2")
        found = list(csv.DictReader(io.StringIO(result.stdout.decode(), newline="")))
        self.assertEqual([bool(row["error"]) for row in found], [False, True, False])
        self.assertEqual(found[0], found[2])

    def test_are_the_same_in_both_formats(self):
        for kind in ("archive", "call", "tensor", "constant", "finding", "device"):
            paths = support.bundled_archives() + support.c_archives()
            lines = support.run_ok("table", "--rows", kind, "--format", "jsonl", *paths).stdout
            objects = [json.loads(line) for line in lines.splitlines()]
            as_text = [
                {name: "" if value is None else str(value) for name, value in one.items()}
                for one in objects
            ]
            self.assertEqual(as_text, rows(kind, *paths))

    def test_of_constants_and_tensors_have_those_of_the_topology(self):
        topology = support.json_of("graph", QNN)
        constants = sum(len(kernel["constants"]) for kernel in topology["kernels"])
        self.assertEqual(len(rows("constant", QNN)), constants + len(topology["constants"]))
        values = [("", one["name"]) for one in topology["values"] if one["kind"] != "constant"]
        workspaces = [(kernel["symbol"], one["name"]) for kernel in topology["kernels"] for one in kernel["workspaces"]]
        self.assertEqual([(row["kernel"], row["tensor"]) for row in rows("tensor", QNN)], values + workspaces)
        self.assertEqual([row["bytes"] for row in rows("tensor", QNN) if row["kind"] == "workspace"],
                         [str(one["bytes"]) for kernel in topology["kernels"] for one in kernel["workspaces"]])

    def test_without_rows_say_so(self):
        archive = support.ARCHIVES / "tvm-0.9-op-add.tar"
        result = support.run_ok("table", "--rows", "finding", archive)
        self.assertEqual(result.stdout.count(b"\r\n"), 1)
        self.assertEqual(result.stderr, b"mlf: info: no rows: the archive has no finding of mlf report\n")
        self.assertEqual(support.run_ok("table", "-q", "--rows", "finding", archive).stderr, b"")
        self.assertEqual(support.run_ok("table", archive).stderr, b"")
        plan = support.run_ok("plan", "--offsets", "--scratch", QNN).stdout.decode()
        self.assertIn("--offsets: no buffer", plan)
        self.assertIn("--scratch: no call", plan)

    def test_of_tensors_say_which_are_inputs_and_outputs(self):
        passthrough = support.SOURCE / "tests/data/c/tvm-0.18-passthrough-aot-packed/module.tar"
        roles = set()
        for path in (QNN, passthrough, support.BUNDLED_CORPUS / "tvm-0.18/two_out-graph/module.tar"):
            topology = support.json_of("graph", path)
            names = [one["name"] for one in topology["values"]]
            ports = {side: {names[one["value"]] for one in topology[side + "s"]} for side in ("input", "output")}
            for row in rows("tensor", path):
                if row["kind"] == "workspace":
                    continue
                expected = [side for side, tensors in ports.items() if row["tensor"] in tensors]
                self.assertEqual(row["role"], "+".join(expected) or "inner", f"{path}: {row['tensor']}")
                roles.add(row["role"])
        self.assertGreaterEqual(roles, {"input", "output", "inner"})

    def test_of_tensors_say_who_writes_and_reads_them_and_what_is_live_at_the_peak(self):
        passthrough = support.SOURCE / "tests/data/c/tvm-0.18-passthrough-aot-packed/module.tar"
        for path in (QNN, passthrough, support.BUNDLED_CORPUS / "tvm-0.18/two_out-graph/module.tar"):
            topology = support.json_of("graph", path)
            kernels = [topology["kernels"][call["kernel"]]["symbol"] for call in topology["calls"]]
            (module,) = report(path)["modules"]
            found = rows("tensor", path)
            for row, value in zip(found, (one for one in topology["values"] if one["kind"] != "constant")):
                writer = (value["producer"] or {}).get("call")
                readers = list(dict.fromkeys(one["call"] for one in value["consumers"] if "call" in one))
                expected = (*(("", "", "") if writer is None else
                              (str(writer), kernels[writer], module["calls"][writer].get("layer") or "")),
                            ",".join(map(str, readers)), ",".join(kernels[one] for one in readers))  # fmt: skip
                columns = ("writer", "writer_kernel", "layer", "readers", "reader_kernels")
                self.assertEqual(tuple(row[one] for one in columns), expected, f"{path}: {row['tensor']}")
            live = [(one["name"], one["role"]) for one in module["peak"]["live"]]
            self.assertCountEqual([(row["tensor"], row["at_peak"]) for row in found if row["at_peak"]], live)

    def test_of_constants_have_what_the_arrays_have(self):
        compared = 0
        for path in archives():
            _, known = documented(path)
            for row in rows("constant", path):
                if row["zeros"] == "" or row["file"].endswith((".c", ".params")) and row["pool"]:
                    continue
                # C has arrays without their shapes; the row has none then.
                with_shape = {
                    (dtype, shape if row["shape"] else "", str(elements), str(zeros), least, greatest)
                    for dtype, shape, elements, zeros, least, greatest in known
                }
                floats = [struct.unpack("<f", struct.pack("<f", float(row[one])))[0] if row["dtype"] == "float32"
                          else float(row[one]) for one in ("least", "greatest")]  # fmt: skip
                facts = (row["dtype"], row["shape"], row["elements"], row["zeros"], *floats)
                self.assertIn(facts, with_shape, f"{path}: {row['constant']}")
                compared += 1
        self.assertGreater(compared, 20)

    def test_of_constants_have_what_c_and_parameters_have(self):
        compared = collections.Counter()
        for path in [*archives(), PARAMETERS]:
            files = support.members_of(path)
            for row in rows("constant", path):
                kind = pathlib.PurePath(row["file"]).suffix
                if kind == ".params":
                    data = params_of(files[row["file"]])[row["constant"]]
                elif kind == ".c":
                    data = array_in_c(files[row["file"]].decode(), row["constant"], ELEMENTS[row["dtype"]])
                else:
                    continue
                self.assertEqual(row["sha256"], hashlib.sha256(data).hexdigest(), f"{path}: {row['constant']}")
                values = [value for (value,) in struct.iter_unpack("<" + ELEMENTS[row["dtype"]], data)]
                self.assertEqual((int(row["zeros"]), len(values)), (values.count(0), int(row["elements"])))
                self.assertAlmostEqual(float(row["greatest"]), max(values), places=5)
                compared[kind] += 1
        self.assertGreater(compared[".c"], 10, compared)
        self.assertEqual(compared[".params"], 8)

    def test_of_calls_show_the_largest_constant(self):
        options = ("--columns", "call,weights,zeros,range")
        text = support.run_ok("report", QNN, *options).stdout.decode()
        largest = max(rows("constant", QNN), key=lambda row: int(row["bytes"]))
        size = largest["shape"] or largest["elements"]
        line = f"1 {largest['dtype']} {size} {largest['zeros']} {largest['least']}..{largest['greatest']}"
        self.assertIn(line.split(), [line.split()[:5] for line in text.splitlines()])
        self.assertIn(["0", "-", "-", "-"], [line.split() for line in text.splitlines()])

    def test_the_column_of_constants_keeps_its_old_name(self):
        for options in (("--columns", "kernel,{}"), ("--sort", "{}"), ("--node-data", "{}")):
            texts = {support.run_ok("report", options[0], options[1].format(name), QNN).stdout
                     for name in ("constants", "params")}
            self.assertEqual(len(texts), 1, options)


class Origin(unittest.TestCase):
    def test_is_the_same_in_every_document(self):
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in support.members_of(QNN).items()}
        origins = []
        for command in (("report", "--json"), ("inspect", "--json"), ("inspect", "--integration", "--json"),
                        ("verify", "--json"), ("plan", "--json"), ("optimize", "--dry-run", "--json"),
                        ("check", "--mac", "1G", "--json"), ("run", "--random", "1", "--json"),
                        ("profile", "--cpu", "host", "--json")):
            document = support.json_of(*command, QNN)
            origin = document["origin"]
            self.assertEqual(origin.pop("command"), shlex.join(["mlf", *command, str(QNN)]))
            origins.append(origin)
        (one,) = origins[0]["archives"]
        self.assertEqual((one["name"], one["version"], one["files"]), (QNN.name, 7, []))
        self.assertEqual(one["sha256"], hashlib.sha256(QNN.read_bytes()).hexdigest())
        self.assertEqual({member["name"]: member["sha256"] for member in one["members"]}, digests)
        for origin in origins:
            self.assertEqual(origin, origins[0])
        document = json.loads(support.run("diff", "--json", QNN, "-", input=QNN.read_bytes()).stdout)
        first, second = document["origin"]["archives"]
        self.assertEqual((first["sha256"], second["sha256"]), (one["sha256"], None))
        self.assertEqual(first["members"], second["members"])


if __name__ == "__main__":
    unittest.main()

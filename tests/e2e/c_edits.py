"""Seeded edits of generated C, its wrapper and its header (c_editing.py), judged by gcc and by running.

An edit counts where the result compiles. Then
  check     no limit just below the truth fits: variables and constants are those of gcc's objects, the
            heap is that of a counting allocator in a run; and no lower bound is above the truth
  verify    no function whose machine code is another one agrees with its captured TIR
  diff      an archive with other machine code or data differs
  optimize  refuses, or the original and the result give the same outputs under AddressSanitizer, which
            guards the bytes around each pool: six times with equal inputs, then twice with others
An unedited archive is never refused. Prints the share of refusals of each family. With captured TIR
and without it, by turns.

    c_edits.py                              a sample, the same each time
    MLF_C_EDITS=10000 c_edits.py [FIRST]    so many edits, from this number on
    MLF_C_EDITS_KEEP=DIRECTORY              where archives of failures are kept
"""

import collections
import concurrent.futures
import contextlib
import dataclasses
import functools
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import unittest

import c_editing
import cost_truth
import generated_c
import hiding
import memory_truth
import plan_programs
import support

SAMPLE = int(os.environ.get("MLF_C_EDITS", "150"))
FIRST = int(sys.argv.pop()) if sys.argv[-1].isdigit() else 0
KEEP = os.environ.get("MLF_C_EDITS_KEEP")
# gcc takes seconds for what is larger.
MOST_C = 45000
ENORMOUS = 2**62
DEFAULT = ()
# Without pools there is no plan.
VARIANTS = (("--only", "flash"),)
VARIANTS_OF_POOLS = (("--only", "ram"), *VARIANTS, ("--reorder",), ("--in-place",))
# GCC checks no variable of a section unless it is told the section. One object tells the sizes of
# variables, how often lines run and what they do wrong: most of the time is that of compilers.
# An edit may hide the first write of a local array: its bytes are the same in each build then.
INSTRUMENTED = ["-fsanitize=address", "-fsanitize-sections=.bss.noinit.tvm,.rodata.tvm", "--coverage",
                "-ftrivial-auto-var-init=pattern"]
LINKED = [*INSTRUMENTED, "-fuse-ld=gold"] if shutil.which("ld.gold") else INSTRUMENTED
EQUAL_RUNS, RUNS = 6, 8
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:malloc_context_size=1"}


# --- What gcc says --------------------------------------------------------------------------------


class DoesNotCompile(Exception):
    pass


def gcc(*arguments):
    result = subprocess.run(["gcc", *map(str, arguments)], capture_output=True, text=True, check=False)
    if result.returncode:
        raise DoesNotCompile(generated_c.first_error(result.stderr))
    return result.stdout


def functions_of(assembly):
    """The machine code of each function, without numbers of labels and of static variables."""
    literals = dict(re.findall(r"^(\.LC\d+):\n((?:\t\.(?!section|align)[^\n]*\n)+)", assembly, re.M))
    found = {}
    for name, body in re.findall(r"^(\w+):\n(.*?)^\t\.size\t\1, \.-\1\n", assembly, re.M | re.S):
        labels = {}
        body = re.sub(r"\.LC\d+", lambda match: literals.get(match[0], match[0]), body)
        body = re.sub(r"\.L\w*\d+", lambda match: labels.setdefault(match[0], f".L{len(labels)}"), body)
        found[name] = re.sub(r"\b([A-Za-z_]\w*)\.\d+\b", r"\1", body)
    return found


class Compiler:
    """Compiles each source once, as gcc sees it with the files around it."""

    def __init__(self, directory):
        self.directory = directory
        self.known, self.lock = {}, threading.Lock()
        self.allocator = directory / "allocator.o"
        gcc(*generated_c.FLAGS, *INSTRUMENTED, "-c", generated_c.RUNTIME / "allocator.c", "-o", self.allocator)

    def once(self, key, make):
        with self.lock:
            future = self.known.get(key)
            is_mine = future is None
            if is_mine:
                future = self.known[key] = concurrent.futures.Future()
        if is_mine:
            try:
                future.set_result(make())
            except DoesNotCompile as why:
                future.set_exception(why)
        return future.result()

    def compiled(self, tree, source, text, *flags):
        """The output of gcc for a source with the files of a tree around it, in a file."""
        key = hashlib.sha256(repr((source, text, tree.included, flags)).encode()).hexdigest()
        output = self.directory / f"{key[:24]}.o"

        def make():
            include = [f"-I{tree.root / 'codegen/host/include'}", f"-I{tree.root / 'codegen/host/src'}"]
            gcc(*generated_c.FLAGS, *include, *flags, tree.root / source, "-o", output)
            return output

        return self.once(key, make)


@dataclasses.dataclass(frozen=True)
class Ran:
    outputs: bytes
    heap: int  # the most at one time
    counts: pathlib.Path  # of lines


class Tree:
    """The sources of an archive in a directory, compiled in the ways that tell what they are."""

    def __init__(self, compiler, members):
        self.compiler = compiler
        self.texts = {name: one for name, one in members.items() if name.startswith("codegen/host/")}
        self.sources = sorted(name for name in self.texts if name.endswith(".c"))
        self.included = sorted((name, one) for name, one in self.texts.items() if not name.endswith(".c"))
        digest = hashlib.sha256(repr(sorted(self.texts.items())).encode()).hexdigest()
        self.root = compiler.directory / f"{digest[:24]}-{threading.get_ident()}"
        for name, content in self.texts.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_bytes(content)

    @functools.cached_property
    def assembly(self):
        """By source. Of position-independent code no function depends on what is in another one."""
        texts = [self.compiled(one, "-O1", "-fPIC", "-S").read_text() for one in self.sources]
        return [re.sub(r"^\t\.(file|ident)\t.*\n", "", text, flags=re.M) for text in texts]

    def compiled(self, source, *flags):
        return self.compiler.compiled(self, source, self.texts[source], *flags)

    @functools.cached_property
    def functions(self):
        return {name: code for text in self.assembly for name, code in functions_of(text).items()}

    @functools.cached_property
    def objects(self):
        return [self.compiled(one, "-c", *INSTRUMENTED) for one in self.sources]

    @functools.cached_property
    def sizes(self):
        """Bytes of variables and of constants."""
        command = ["objdump", "-t", *map(str, self.objects)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        sizes = collections.Counter()
        for section, size, name in re.findall(r"^[0-9a-f]+ .{5} O (\S+)\s+([0-9a-f]+) (\S+)$", text, re.M):
            if not section.startswith((".data.rel.ro", "*UND*")) and not name.startswith(("__gcov", "__odr_asan")):
                sizes["constants" if section.startswith(".rodata") else "variables"] += int(size, 16)
        return sizes

    def ran(self, document):
        """A run under AddressSanitizer; nothing where that finds a fault."""
        key = (tuple(sorted(self.texts.items())), "ran")
        return self.compiler.once(key, lambda: self.run(document))

    def run(self, document):
        text = driver_text(self, document)
        (self.root / "driver.c").write_text(text)
        driver = self.compiler.compiled(self, "driver.c", text, "-c", *INSTRUMENTED)
        program, counts = self.root / "driver", self.root / "counts"
        gcc(*LINKED, driver, self.compiler.allocator, *self.objects, "-lm", "-o", program)
        environment = {**ENVIRONMENT, "GCOV_PREFIX": str(counts), "GCOV_PREFIX_STRIP": "99"}
        try:
            result = subprocess.run([program], capture_output=True, check=False, timeout=20, env=environment)
        except subprocess.TimeoutExpired:
            return None
        if result.returncode:
            return None
        outputs, _, allocations = result.stdout.rpartition(b"\n=")
        return Ran(outputs, int(allocations.split()[0]), counts)

    def macs(self, ran):
        """How often lines that multiply and accumulate ran, in one inference."""
        total = 0
        for source, target in zip(self.sources, self.objects, strict=True):
            shutil.copy(target.with_suffix(".gcno"), ran.counts)
            lines = self.texts[source].decode().split("\n")
            command = ["gcov", "--json-format", "--stdout", target.with_suffix(".gcda").name]
            text = subprocess.run(command, capture_output=True, check=True, cwd=ran.counts).stdout
            for file in json.loads(text)["files"]:
                if file["file"].endswith(source):
                    total += sum(
                        line["count"] for line in file["lines"] if cost_truth.is_mac(lines[line["line_number"] - 1])
                    )
        return total // RUNS


def driver_text(tree, document):
    hooks = (plan_programs.NO_HOOKS + "void report_allocations(void);\n"
             f"int32_t {c_editing.EXTERNAL}() {{ return 0; }}\n")  # fmt: skip
    begin = f"state = 2463534242u + (run < {EQUAL_RUNS} ? 0 : run);"
    end = 'printf("\\n=");\nreport_allocations();'
    return plan_programs.driver_text(document, [tree.root / c_editing.HEADER], RUNS, hooks, begin=begin, end=end)


# --- What mlf says --------------------------------------------------------------------------------


def json_of(*arguments):
    """A document, or nothing where mlf refuses the archive."""
    result = support.run(*arguments)
    assert result.returncode in (0, 1, 65), (arguments, result.returncode, result.stderr[:500])
    return json.loads(result.stdout) if result.stdout else None


class Said:
    """What mlf says of an archive."""

    def __init__(self, path):
        self.path = path

    @functools.cached_property
    def report(self):
        document = json_of("report", "--json", self.path)
        return document and document["modules"][0]

    @functools.cached_property
    def agreement(self):
        """How many functions of C agree with captured TIR, and whether there is an error."""
        [archive] = json_of("verify", "--json", self.path)["archives"]
        agreeing = [one["passed"] for one in archive["checks"] if one["code"] == "generated-c"]
        has_error = any(one["severity"] == "error" for one in archive["findings"])
        return sum(agreeing), has_error

    def fitting(self, **limits):
        """The resources that fit these limits."""
        arguments = [word for name, limit in limits.items() for word in (f"--{name}", limit)]
        document = json_of("check", "--format", "json", *arguments, self.path)
        return [] if document is None else [one for one in document["results"] if one["verdict"] == "fits"]


# --- One edit -------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Whole:
    """An unedited archive."""

    label: str
    members: dict
    said: Said
    tree: Tree
    document: dict

    @functools.cached_property
    def functions(self):
        return [one.name for one in hiding.Archive(self.members).functions]

    @property
    def variants(self):
        return VARIANTS_OF_POOLS if plan_programs.workspace_pools(self.document) else VARIANTS


@dataclasses.dataclass
class Result:
    number: int
    edit: c_editing.Edit
    label: str
    faults: list
    is_refused: bool = False
    runs: str = "not run"

    def text(self):
        head = f"{self.number} {self.edit.family} ({self.edit.name}) of {self.label}"
        return "\n    ".join([head, *self.faults]) + "\n"


class Judge:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.compiler = Compiler(self.directory)
        self.wholes = {}

    def whole(self, path, has_tir):
        key = path, has_tir
        if key not in self.wholes:
            members = support.members_of(path)
            if not has_tir:
                members = support.without_tir(members)
            label = memory_truth.name_of(path) + (" with TIR" if has_tir else "")
            target = self.directory / f"whole-{len(self.wholes)}.tar"
            target.write_bytes(support.make_tar(members))
            [(_, document, _)] = memory_truth.networks(target)
            self.wholes[key] = Whole(label, members, Said(target), Tree(self.compiler, members), document)
        return self.wholes[key]

    def can_optimize(self, whole):
        out = self.directory / "optimized.tar"
        support.run_ok("optimize", whole.said.path, "-o", out)
        return members_of_c(support.members_of(out)) != members_of_c(whole.members)

    def judge(self, number, whole, edit):
        """Nothing where it does not compile."""
        tree = Tree(self.compiler, edit.members)
        try:
            is_other = tree.assembly != whole.tree.assembly
            tree.sizes
        except DoesNotCompile:
            return None
        path = self.directory / f"edited-{number}.tar"
        path.write_bytes(support.make_tar(edit.members))
        said = Said(path)
        result = Result(number, edit, whole.label, [])
        try:
            ran = tree.ran(whole.document)
        except DoesNotCompile:  # it does not link
            ran = None
        result.faults += self.of_check(whole, said, tree, ran, edit)
        result.faults += self.of_verify(whole, said, tree)
        if is_other and support.run("diff", whole.said.path, path).returncode != 1:
            result.faults.append("diff: nothing differs")
        self.optimize(result, whole, path, edit.members, ran, random.Random(number))
        if result.faults and KEEP:
            pathlib.Path(KEEP).mkdir(parents=True, exist_ok=True)
            kept = pathlib.Path(KEEP) / f"{number}-{edit.family.replace(' ', '-')}"
            kept.with_suffix(".tar").write_bytes(support.make_tar(edit.members))
            kept.with_suffix(".txt").write_text(result.text())
        return result

    def of_check(self, whole, said, tree, ran, edit):
        heap = ran.heap if ran else 0
        truth = dict(tree.sizes)
        io = whole.said.report["ram"]["io"]
        below = {"buffers": truth.get("variables", 0) + io + heap, "constants": truth.get("constants", 0), "heap": heap}
        if all(tree.functions.get(one) == whole.tree.functions[one] for one in whole.functions):
            below["mac"] = whole.said.report["mac"]
        elif c_editing.EXTERNAL.encode() in b"".join(tree.texts.values()):
            below["mac"] = ENORMOUS
        elif ran and whole.said.report["mac"]:
            below["mac"] = tree.macs(ran)
        limits = {name: size - 1 for name, size in below.items() if size}
        for one in said.fitting(**limits):
            yield f"check: {one['resource']} {json.dumps(one['needed'])} fits {one['limit']}"
        if said.report is None:
            return
        pairs = [("pools", said.report["ram"]["pools"], truth.get("variables", 0)),
                 ("constants", said.report["flash"]["constants"], truth.get("constants", 0))]  # fmt: skip
        if ran:
            pairs.append(("heap", said.report["ram"]["heap"], heap))
        for name, told, true in pairs:
            if support.least(told) > true:
                yield f"report: {name} are {json.dumps(told)}, in truth {true}"

    def of_verify(self, whole, said, tree):
        before, _ = whole.said.agreement
        if not before:
            return
        changed = [one for one in whole.functions if tree.functions.get(one) != whole.tree.functions[one]]
        agreeing, has_error = said.agreement
        if agreeing > before - len(changed) and not has_error:
            yield f"verify: {agreeing} functions agree, {before} before, {len(changed)} are others: {changed}"

    def optimize(self, result, whole, path, members, ran, choose):
        seen = [members_of_c(members)]
        for options in (DEFAULT, choose.choice(whole.variants)):
            out = self.directory / f"optimized-{result.number}.tar"
            out.unlink(missing_ok=True)
            done = support.run("optimize", path, "-o", out, *options)
            if done.returncode not in (0, 1, 65):
                result.faults.append(f"optimize {options}: exit {done.returncode}: {done.stderr[:300]}")
            if done.returncode:
                result.is_refused = True
                continue
            after = support.members_of(out)
            if members_of_c(after) in seen:
                continue
            seen.append(members_of_c(after))
            if ran is None:
                result.runs = "undefined"
                continue
            result.runs = "run"
            why = self.difference(ran.outputs, after, whole.document)
            if why is not None:
                result.faults.append(f"optimize {' '.join(options)}: {why}")

    def difference(self, outputs, members, document):
        """What the result does that the original does not do; nothing where it does the same."""
        try:
            ran = Tree(self.compiler, members).ran(document)
        except DoesNotCompile as why:
            return f"does not compile: {why}"
        if ran is None:
            return "a fault of memory"
        return None if ran.outputs == outputs else "other outputs"


def members_of_c(members):
    return {name: one for name, one in members.items() if name.startswith("codegen/")}


# --- All of them ----------------------------------------------------------------------------------


def is_editable(path):
    """Whether it is a small network of one module whose kernels have typed parameters."""
    members = support.members_of(path)
    if c_editing.HEADER not in members or b"struct " not in members[c_editing.HEADER]:
        return False
    archive = c_editing.Archive(members)
    size = sum(len(text) for name, text in archive.texts.items() if name.endswith(".c"))
    has_types = all("void" not in (ctype for ctype, _ in one.tensors) for one in archive.kernels)
    return size <= MOST_C and archive.kernels and archive.mains and archive.wrapper and has_types


@functools.cache
def archives():
    found = [path for path in support.every_archive() if is_editable(path)]
    assert len(found) > 4, found
    return found


def edits(judge, paths, first):
    """(number, whole archive, edit), family after family."""
    families = list(c_editing.FAMILIES)
    # Most can be optimized: there is more to edit, and more to run.
    improved = [path for path in paths if judge.can_optimize(judge.whole(path, has_tir=False))]
    for number in itertools.count(first):
        choose = random.Random(number)
        path = choose.choice(improved if choose.random() < 0.8 else paths)
        has_tir = choose.random() < 0.6
        whole = judge.whole(path, has_tir)
        edit = c_editing.edited(whole.members, families[number % len(families)], choose)
        if edit is not None and edit.members != whole.members:
            yield number, whole, edit


def judge_all(judge, paths, count, first=0):
    """Results of so many edits that compile."""
    results, source = [], edits(judge, paths, first)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        while len(results) < count:
            some = list(itertools.islice(source, 8))
            results += filter(None, pool.map(lambda one: judge.judge(*one), some))
    return results


def report(results):
    print(f"{'FAMILY':34}{'EDITS':>7}{'REFUSED':>9}{'RUN':>6}{'UNDEFINED':>11}{'FAULTS':>8}")
    for name in c_editing.FAMILIES:
        rows = [one for one in results if one.edit.family == name]
        refused, run, undefined, faults = (
            sum(map(is_such, rows))
            for is_such in (lambda x: x.is_refused, lambda x: x.runs == "run", lambda x: x.runs == "undefined", lambda x: bool(x.faults))
        )
        print(f"{name:34}{len(rows):>7}{refused:>9}{run:>6}{undefined:>11}{faults:>8}")
    refused = sum(one.is_refused for one in results)
    print(f"{len(results)} edits, of {100 * refused / len(results):.1f} % mlf optimize refuses something", flush=True)


class WithJudge(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.judge = Judge(support.directory_of(cls))


class TheTestItself(WithJudge):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path = support.BUNDLED_CORPUS / "tvm-0.18" / "split_concat-aot-c-usmp" / "module.tar"
        cls.whole = cls.judge.whole(path, has_tir=True)
        cls.outputs = cls.whole.tree.ran(cls.whole.document).outputs

    def faults(self, family):
        """Of mlf, if it said of edited archives what it says of the unedited one."""
        for seed in range(8):
            edit = c_editing.edited(self.whole.members, family, random.Random(seed))
            tree = Tree(self.judge.compiler, edit.members)
            with contextlib.suppress(DoesNotCompile):
                ran = tree.ran(self.whole.document)
                yield from self.judge.of_check(self.whole, self.whole.said, tree, ran, edit)
                yield from self.judge.of_verify(self.whole, self.whole.said, tree)

    def test_notices_numbers_and_agreement_of_the_unedited_archive(self):
        for family, kind in {
            "size of a pool": "check: buffers", "extra table": "check: constants", "extra workspace": "check: heap",
            "external body": "check: mac", "early return": "verify", "macro above": "verify",
        }.items():  # fmt: skip
            with self.subTest(family):
                self.assertTrue(any(fault.startswith(kind) for fault in self.faults(family)))

    def test_nothing_is_wrong_with_the_unedited_archive(self):
        tree = self.whole.tree
        ran = tree.ran(self.whole.document)
        none = c_editing.Edit("", "", self.whole.members)
        self.assertEqual(list(self.judge.of_check(self.whole, self.whole.said, tree, ran, none)), [])
        self.assertEqual(list(self.judge.of_verify(self.whole, self.whole.said, tree)), [])
        self.assertIsNone(self.judge.difference(self.outputs, self.whole.members, self.whole.document))

    def with_text(self, pattern, new):
        archive = c_editing.Archive(self.whole.members)
        return archive.substituted(pattern, new)

    def test_notices_other_results(self):
        size = c_editing.Archive(self.whole.members).pool[1]
        for why, members in {
            "a fault of memory": self.with_text(rf"global_workspace\[{size}\]", f"global_workspace[{size // 2}]"),
            "other outputs": self.with_text(r"(_let = \(&\(global_workspace_1_var\[)(\d+)", r"\g<1>16"),
            "does not compile": self.with_text(r"\breturn 0;", "return hidden;"),
        }.items():
            with self.subTest(why):
                self.assertIn(why, self.judge.difference(self.outputs, members, self.whole.document))


class CEdits(WithJudge):

    def test_no_unedited_archive_is_refused(self):
        paths = archives()
        for turn, path in enumerate(paths):
            for has_tir in (False, True):
                whole = self.judge.whole(path, has_tir)
                # Variants by turns: each is there with captured TIR and without it.
                for options in (DEFAULT, whole.variants[(turn + has_tir) % len(whole.variants)]):
                    support.run_ok("optimize", whole.said.path, "--dry-run", *options)
        print(f"{2 * len(paths)} unedited archives, none of them refused", flush=True)

    def test_what_is_compiled_decides(self):
        results = judge_all(self.judge, archives(), SAMPLE, FIRST)
        report(results)
        faults = [one.text() for one in results if one.faults]
        if faults:
            self.fail(f"{len(faults)} of {len(results)}\n" + "".join(faults))


if __name__ == "__main__":
    unittest.main()

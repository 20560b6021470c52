"""Containment: hide a part of an archive from mlf, and every number that it still gives contains that
of the whole archive, or is unknown; and no gate passes that would not pass for the whole archive.

hiding.py has the ten kinds of edits. The archives are the bundled ones and, where it is there, those
of the corpus: a sample, the same each time, and all with MLF_CONTAINMENT=all. MLF_CONTAINMENT=<name>
takes the archives with that in their paths. Prints, for each kind, how many edits hold.
"""

import collections
import concurrent.futures
import copy
import functools
import hashlib
import itertools
import json
import math
import os
import pathlib
import random
import threading
import unittest

import hiding
import program_case
import support

WANTED = os.environ.get("MLF_CONTAINMENT", "")
SAMPLE = int(os.environ.get("MLF_CONTAINMENT_EDITS", "100"))
GATES = ("buffers", "constants", "ram", "flash", "stack", "heap", "mac")
ENORMOUS = 2**62
# Kinds that are known not to hold yet: printed, and no failure.
NOT_YET = ()

# Positions, dates and versions are no measures; where a plan puts what is its own affair.
NO_MEASURES = frozenset(
    "version c tir relay first_tick call depth alignment best_offset best_offsets in_place_offset "
    "in_place storage kernel first_line last_line c_first_line c_last_line tir_first_line tir_last_line "
    "relay_line first_definition last_use writer peak_call order gain".split()
)
NAMES = ("symbol", "kernel", "constant", "where", "name", "variable", "code", "finding", "what", "before", "dtype")

# Findings that are about the code of one kernel, whatever calls it.
CODE_OF_KERNELS = frozenset(["index-divisions", "half-in-c"])

# --- Numbers --------------------------------------------------------------------------------------


def interval_of(value):
    """(least, most) of what a document has for a number; nothing for what is no number."""
    if value is None:
        return 0, math.inf
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value, value
    if isinstance(value, dict) and set(value) == {"min", "max"}:
        return value["min"], math.inf if value["max"] is None else value["max"]
    return None


def name_of(item):
    return "/".join(str(item[key]) for key in NAMES if isinstance(item.get(key), str))


def collect(value, path, found):
    interval = interval_of(value)
    if interval is not None:
        found[path].append(interval)
    elif isinstance(value, dict):
        for key, one in value.items():
            # What is in memory at a peak is that of its call: another peak has other tensors.
            at = f"@{value.get('kernel')}" if key == "live" and isinstance(one, list) else ""
            if key not in NO_MEASURES:
                collect(one, f"{path}.{key}{at}", found)
    elif isinstance(value, list):
        for one in value:
            # Pairs of steps, offsets and positions are no measures either.
            if isinstance(one, dict):
                collect(one, f"{path}[{name_of(one)}]", found)


def numbers_of(document):
    """By path, the intervals of every number. Elements of lists are known by their names, so that a
    path has several numbers where several elements have one name."""
    found = collections.defaultdict(list)
    collect(document, "", found)
    return found


def table_rows(text):
    """Rows of `mlf table --format jsonl`, with the two columns of a number as one."""
    for line in text.splitlines():
        row = json.loads(line)
        for key in [key for key in row if key.endswith("_min")]:
            stem = key.removesuffix("_min")
            low = row.pop(key)
            row[stem] = {"min": 0 if low is None else low, "max": row.pop(stem + "_max")}
        del row["archive"]
        yield row


def contains(given, truth):
    return given[0] <= truth[0] and given[1] >= truth[1]


def exact_ones(numbers):
    return {
        path: intervals for path, intervals in numbers.items() if all(low == high for low, high in intervals)
    }


def faults_of(given, truth):
    """Paths whose numbers do not contain those of the whole archive. Of several elements of one name
    some may be hidden: each has to contain one of the whole's."""
    for path, intervals in given.items():
        if path not in truth:
            continue
        known = truth[path]
        if len(known) == len(intervals):
            pairs = list(zip(intervals, known, strict=True))
            holds = all(contains(a, b) for a, b in pairs)
        else:
            holds = all(any(contains(a, b) for b in known) for a in intervals)
        if not holds:
            yield f"{path}: {words(intervals)}, of the whole archive {words(known)}"


def words(intervals):
    return " ".join(
        f"{low}" if low == high else "unknown" if (low, high) == (0, math.inf) else f"[{low}, {high}]"
        for low, high in intervals[:4]
    )


# --- What mlf says --------------------------------------------------------------------------------


# The last documents: the tests of this test ask for the same ones again.
@functools.lru_cache(maxsize=32)
def document_of(*arguments):
    """What a command writes as JSON, or nothing where it refuses. Ending otherwise is a fault."""
    result = support.run(*arguments)
    if result.returncode in (65, 1) and not result.stdout:
        return None
    if result.returncode not in (0, 1):
        raise AssertionError(f"mlf {' '.join(map(str, arguments))}: exit {result.returncode}\n"
                             f"{result.stderr.decode(errors='replace')[:500]}")
    return json.loads(result.stdout)


@functools.lru_cache(maxsize=4)
def table_of(path):
    rows = {}
    for kind in ("archive", "call", "constant"):
        result = support.run("table", "--format", "jsonl", "--rows", kind, path)
        rows[kind] = list(table_rows(result.stdout.decode()))
    return rows


def findings_in(report):
    """(module, code, where) of every finding."""
    return {
        (module["name"], finding.get("code", finding.get("finding")), finding["where"])
        for module in (report or {"modules": []})["modules"]
        for finding in module["findings"]
    }


class Said:
    """Everything that mlf says of one archive."""

    def __init__(self, path):
        self.path = path
        self.report = document_of("report", "--json", path)
        self.documents = {
            "report": self.report,
            "plan": document_of("plan", "--json", path),
            "table": table_of(path),
        }
        for module in (self.report or {"modules": []})["modules"]:
            if module["peak"] and module["peak"]["call"] is not None:
                module["peak"]["kernel"] = module["calls"][module["peak"]["call"]]["kernel"]
        self.numbers = {name: numbers_of(one) for name, one in self.documents.items()}

        self.findings = findings_in(self.report)

    @functools.cached_property
    def enormous(self):
        """Results of the check with limits that everything fits in whose size is known."""
        return results_of_check(self.path, dict.fromkeys(GATES, ENORMOUS))


def results_of_check(path, by_resource, codes=()):
    arguments = ["--format", "json"]
    for resource, limit in by_resource.items():
        arguments += [f"--{resource}", str(limit)]
    for code in codes:
        arguments += ["--no-finding", code]
    return document_of("check", *arguments, path) or {"results": [], "findings": []}


def passed(check):
    """(module, what) of the gates that an archive passes."""
    numbers = {(one["module"], one["resource"]) for one in check["results"] if one["verdict"] == "fits"}
    findings = {
        (one["module"], one["code"])
        for one in check["findings"]
        if not one["found"] and one.get("presence", "absent") == "absent"
    }
    return numbers | findings


# --- One edit -------------------------------------------------------------------------------------


class Judge:
    """Compares edited archives with those that they may stand for, each of which is asked once."""

    def __init__(self, directory, change=lambda numbers: None, judged=lambda check: check):
        self.directory = pathlib.Path(directory)
        # Faults in what mlf says of an edited archive: for the test of this test.
        self.change = change
        self.judged = judged
        self.known = {}

    def said(self, members):
        digest = hashlib.sha256()
        for name, content in members.items():
            digest.update(name.encode() + b"\0" + content + b"\0")
        key = digest.hexdigest()
        if key not in self.known:
            # Two threads may ask for one archive: neither reads what the other writes.
            path = self.directory / f"{key[:20]}-{threading.get_ident()}.tar"
            path.write_bytes(support.make_tar(members))
            self.known[key] = Said(path)
        return self.known[key]

    def faults(self, one):
        edited = self.said(one.edited)
        self.change(edited.numbers)
        found = []
        for i, whole in enumerate(map(self.said, one.wholes)):
            for name, numbers in edited.numbers.items():
                # The first is sound. Of the others mlf may not know everything.
                truth = whole.numbers[name] if i == 0 else exact_ones(whole.numbers[name])
                found += [f"{name}{fault}" for fault in faults_of(numbers, truth)]
            found += self.faults_of_diff(edited, whole)
        # Where a macro is an end of the function, what is behind it has not gone.
        found += self.faults_of_findings(edited, self.said(one.wholes[0]))
        found += self.faults_of_gates(edited, [self.said(whole) for whole in one.wholes])
        return list(dict.fromkeys(found))

    def faults_of_diff(self, edited, whole):
        """A whole archive and itself with something hidden: nothing is known to have changed."""
        document = document_of("diff", "--format", "json", whole.path, edited.path)
        for module in (document or {"modules": []})["modules"]:
            rows = list(module["numbers"])
            for kernel in module["kernels"]:
                rows += [{**row, "what": f"{kernel['before']}.{row['what']}"} for row in kernel["numbers"]
                         if kernel["before"] is not None and kernel["after"] is not None]
            for row in rows:
                before, after = interval_of(row["before"]), interval_of(row["after"])
                if before[0] == before[1] and not contains(after, before):
                    yield f"diff {row['what']}: {words([before])} becomes {words([after])}"

    def faults_of_findings(self, edited, whole):
        if edited.report is None or whole.report is None:
            return
        known = {finding[1:] for finding in whole.findings}
        kernels = {kernel["symbol"] for module in whole.report["modules"] for kernel in module["kernels"]}
        # Of equal constants the finding names all but the first, which the edit may have hidden.
        has_equal_constants = any(code == "constants-twice" for code, _ in known)
        for _, code, where in edited.findings:
            # A kernel that the whole network does not call is not reported of it.
            is_of_kernel = any(where in (one, f"{one}.{where.partition('.')[2]}") for one in kernels)
            is_of_another_kernel = code in CODE_OF_KERNELS and not is_of_kernel
            is_known = (code, where) in known or (code == "constants-twice" and has_equal_constants)
            if not is_known and not is_of_another_kernel:
                yield f"finding {code} of '{where}' is none of the whole archive"

    def faults_of_gates(self, edited, wholes):
        """One below what any of the whole archives needs does not fit; what fits nothing that is
        known of one of them does not fit; a finding of one of them is not known to be absent."""
        limits, unknown, codes = collections.defaultdict(dict), set(), collections.defaultdict(set)
        for whole in wholes:
            for one in whole.enormous["results"]:
                least = interval_of(one["needed"])[0]
                of_module = limits[one["module"]]
                if least > 0:
                    of_module[one["resource"]] = max(of_module.get(one["resource"], 0), least - 1)
                if one["verdict"] != "fits":
                    unknown.add((one["module"], one["resource"]))
            for module, code, _ in whole.findings:
                codes[module].add(code)
        # Limits hold for every module of an archive, so each has a check of its own.
        for name in sorted(limits.keys() | codes.keys()):
            below = limits[name]
            if not below and not codes[name]:
                continue
            check = self.judged(results_of_check(edited.path, below, sorted(codes[name])))
            for module, what in passed(check):
                if module == name:
                    yield f"check of '{module}' passes {what} {below.get(what, '')}"
        for module, what in passed(edited.enormous) & unknown:
            yield f"check of '{module}' passes {what}, which is not known of the whole archive"


# --- All of them ----------------------------------------------------------------------------------


def archives():
    found = support.every_archive() + support.c_archives() if WANTED else support.archives_with_c()
    if WANTED not in ("", "all"):
        found = [path for path in found if WANTED in str(path)]
    return found


def label_of(path):
    return path.stem if path.name != "module.tar" else "/".join(path.parts[-3:-1])


def edits_of(path, seed):
    return list(hiding.hidings(support.members_of(path), f"{label_of(path)} {seed}"))


def every_edit():
    for path in archives():
        for one in edits_of(path, 0):
            yield label_of(path), one


def sampled_edits():
    """One edit of each kind of every archive in turn, and so on."""
    source = random.Random(0)
    paths = archives()
    for seed in range(1000):
        source.shuffle(paths)
        for path in paths:
            by_kind = collections.defaultdict(list)
            for one in edits_of(path, seed):
                by_kind[one.kind].append(one)
            for some in by_kind.values():
                yield label_of(path), source.choice(some)


def judge_all(edits, judge):
    """By kind, (archive, edit, faults) of each edit."""
    results = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        while some := list(itertools.islice(edits, 8)):
            for (label, one), faults in zip(some, pool.map(lambda x: judge.faults(x[1]), some), strict=True):
                results[one.kind].append((label, one.name, faults))
    return results


def print_table(results):
    print(f"{'kind':<24} {'edits':>6} {'hold':>6}")
    for kind in hiding.KINDS:
        rows = results[kind]
        print(f"{kind:<24} {len(rows):>6} {sum(not faults for *_, faults in rows):>6}")


def exact_again(measure):
    """A fault: the least of this measure is taken for the number."""

    def change(numbers):
        for document in numbers.values():
            for path in [path for path in document if path.endswith("." + measure)]:
                document[path] = [(low, low) for low, _ in document[path]]

    return change


def floors_fit(check):
    """A fault: a limit fits where what is needed at least is below it."""
    check = copy.deepcopy(check)
    for one in check["results"]:
        if interval_of(one["needed"])[0] <= one["limit"]:
            one["verdict"] = "fits"
    return check


def hidden_loop():
    """The bundled network with a loop of its convolution in a macro."""
    path = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
    archive = hiding.Archive(support.without_tir(support.members_of(path)))
    kernel = next(one for one in archive.functions if "conv2d" in one.name)
    text = archive.texts[kernel.member]
    loops = [place for place in hiding.statements(text, kernel.begin, kernel.end) if "for (" in text[slice(*place)]]
    edited = archive.replaced(kernel.member, *loops[-1], "  HIDDEN(3);\n")
    return hiding.Hiding("statement in a kernel", "a loop", edited, [archive.members])


class TheTestItself(unittest.TestCase):
    MEASURES = ("mac", "loaded", "stored", "scratch", "parameters", "stack", "heap", "constants", "bytes", "live")

    @classmethod
    def setUpClass(cls):
        cls.directory = support.directory_of(cls)

    def test_holds_as_it_is(self):
        self.assertEqual(Judge(self.directory).faults(hidden_loop()), [])

    def test_notices_each_measure_that_is_exact_again(self):
        for measure in self.MEASURES:
            with self.subTest(measure):
                faults = Judge(self.directory, exact_again(measure)).faults(hidden_loop())
                self.assertTrue(any(f".{measure}:" in fault for fault in faults), faults)

    def test_notices_a_gate_that_passes_on_a_floor(self):
        faults = Judge(self.directory, judged=floors_fit).faults(hidden_loop())
        for gate in GATES:
            with self.subTest(gate):
                self.assertTrue(any(f"passes {gate}" in fault for fault in faults), faults)


class Containment(program_case.Directory):
    maxDiff = None

    def test_what_is_hidden_makes_no_number_more_certain(self):
        edits = every_edit() if WANTED else itertools.islice(sampled_edits(), SAMPLE)
        results = judge_all(edits, Judge(self.directory))
        print_table(results)
        broken = [
            f"{kind}: {label}: {name}\n    " + "\n    ".join(faults[:6])
            for kind, rows in results.items()
            for label, name, faults in rows
            if faults
        ]
        known = [one for one in broken if one.startswith(NOT_YET)]
        broken = [one for one in broken if one not in known]
        print(f"{len(known)} edits of kinds that do not hold yet")
        if broken:
            self.fail("\n" + "\n".join(broken))
        for kind in hiding.KINDS:
            self.assertTrue(results[kind], f"no edit of the kind '{kind}'")


if __name__ == "__main__":
    unittest.main()

"""`mlf optimize ARCHIVE -o OUT`, judged by running both.

For every archive whose constants become smaller, the C of ARCHIVE and of OUT is compiled with gcc and
run on the same 200 inputs, the first two of which are all -128 and all 127:
  as it is       outputs are the same bytes, and gcc -Wall says nothing that it did not say before
  poisoned pool  the same, while every dead byte of the pools is overwritten around every kernel
  sanitized      the same, under AddressSanitizer and UBSan, on 20 of them, with MLF_EVERY_ARCHIVE=1 on all
  Cortex-M       the same, of two networks in qemu-system-arm where that and arm-none-eabi-gcc are;
                 code (-Os) and instructions (-O2) of the networks in TIMED grow by 1 % at most, in sum;
                 judged where the corpus is, as only it has a network of ordinary size
OUT holds together (`mlf verify`), has the same members, and optimized again it is the same file. The
bytes of constants that mlf prints, before and after, are those of gcc's sections.
Would the harness notice? An element that does not fit its new type, a constant that is stored as
another one that differs in one element, and an offset that is off by one element are, each of them.
"""

import json
import re
import sys

import cortex_m
import generated_c
import memory_truth
import plan_programs
import plan_run
import support

# A wrong edit is compiled anew, and is wrong in a small network as in a large one.
MOST_OF_WRONG_EDITS = 4096
CORTEX_M = ("tvm-0.9-qnn_conv-aot-c-usmp default", "tvm-0.18-qnn_conv-aot-c default")
TIMED = (*CORTEX_M, "tvm-0.16/aww-aot-c default")
MOST_GROWTH = 1.01


def optimize(archive, output, *options):
    text = support.run_ok("optimize", archive, "-o", output, "--json", *options).stdout
    return json.loads(text)["modules"]


def saved(module):
    """Bytes of constants."""
    return sum(module[f"saved_by_{cause}"] for cause in ("narrowing", "collapsing", "sharing", "dropping"))


def networks(archive):
    return {
        name: document
        for name, document, _ in memory_truth.networks(archive)
        if document is not None and document["provenance"]["kind"] == "main-function"
    }


def errors(archive):
    findings = json.loads(support.run("verify", "--json", archive).stdout)["archives"][0]["findings"]
    return [one for one in findings if one["severity"] == "error"]


def is_all_tir(document):
    """Functions of CMSIS-NN compute nothing here."""
    return not any("cmsis" in kernel["symbol"] for kernel in document["kernels"])


def constants_of_sections(archive, module, document, directory):
    """Bytes of constants by gcc: arrays in .rodata.tvm, and structs of pools."""
    root = support.stock(archive, directory)
    program = generated_c.Program(root, module, directory)
    pools = {pool["name"] for pool in document["pools"] if pool["kind"] == "constant"}
    return sum(size for section, size, name in program.symbols() if section == ".rodata.tvm" or name in pools)


# --- Edits that are wrong --------------------------------------------------------------------------

ROW = r"\{\n((?:    [^\n]*\n)+)"


def rows_of(text, name):
    """The match of the values of an array or of a member of a pool."""
    return re.search(rf"(?:\b{name}\[\d+\] = |\.{name} = ){ROW}", text)


def with_values(text, name, change):
    """The C with `change(values)` in the place of the values of a constant."""
    rows = rows_of(text, name)
    values = [int(one, 16) for one in re.findall(r"[-+]0x[0-9a-f]+", rows[1])]
    changed = change(values)
    width = len(re.search(r"0x([0-9a-f]+)", rows[1])[1])
    lines = "    " + ", ".join(f"{'-' if v < 0 else '+'}0x{abs(v):0{width}x}" for v in changed) + "\n"
    return text[: rows.start(1)] + lines + text[rows.end(1) :]


def wrapped(values):
    """The largest one as a type that is too small has it."""
    at = max(range(len(values)), key=lambda i: abs(values[i]))
    most = 1 << (abs(values[at]).bit_length() - 1)
    return [*values[:at], values[at] - (2 * most if values[at] > 0 else -2 * most), *values[at + 1 :]]


def other_element(values):
    """Another first element, as an unequal constant would have."""
    return [-values[0] if abs(values[0]) > 8 else values[0] + 64, *values[1:]]


def first_offset(text):
    return re.search(r"(void\* \w+_let = \(&\(global_const_workspace_\d+_var\[)(\d+)(\]\)\);)", text)


def wrong_edits(sources, constant):
    """(what is wrong, the file, its wrong text)."""
    for source in sources:
        text = source.read_text()
        if rows_of(text, constant["name"]):
            yield "a type too small", source, with_values(text, constant["name"], wrapped)
            yield "an unequal constant", source, with_values(text, constant["name"], other_element)
        let = first_offset(text)
        if let:
            wrong = f"{let[1]}{int(let[2]) + 1}{let[3]}"
            yield "an offset off by one", source, text[: let.start()] + wrong + text[let.end() :]


class Judge(plan_run.Judge):
    def __init__(self):
        super().__init__()
        self.narrowed = self.before = self.after = 0
        self.costs = []  # before and after

    def optimized(self, archive):
        name = memory_truth.name_of(archive)
        with support.temporary_directory() as directory:
            smaller = directory / "smaller.tar"
            modules = optimize(archive, smaller)
            if not any(saved(one) for one in modules):
                return
            self.file(name, archive, smaller, directory)
            before, after = networks(archive), networks(smaller)
            for module in modules:
                label = f"{name} {module['name']}"
                if module["name"] not in before:
                    self.not_run.append(f"{label}: its kernels are called by the graph executor")
                    continue
                self.narrowed += saved(module) > 0
                self.module(label, archive, smaller, module, before, after, directory / module["name"])

    def module(self, label, archive, smaller, module, before, after, directory):
        old, new = module["constants_bytes"], module["new_constants_bytes"]
        self.before += old
        self.after += new
        print(f"{label:62}{old:>10}{new:>10}{100 * (old - new) / max(old, 1):>8.1f} %", flush=True)
        document, changed = before[module["name"]], after[module["name"]]
        for path, one, told in ((archive, document, old), (smaller, changed, new)):
            found = constants_of_sections(path, module["name"], one, directory / f"sizes-{told}")
            self.expect(found == told, f"{label}: constants: mlf {told}, gcc {found}")
        self.computes_the_same(label, archive, document, smaller, changed, directory)
        self.wrong_edits(label, module, smaller, changed, directory)
        if label in TIMED and cortex_m.is_there():
            # Where computes_the_same has unpacked them.
            work = directory / module["name"]
            self.costs.append([
                cortex_m.cost(plan_programs.Network(work / name, one, work / f"{name}-m4"))
                for name, one in (("before", document), ("after", changed))
            ])

    def growth(self):
        """Of code and of instructions, all networks together. The bound is one of the sum: networks of a few
        hundred elements may be above it, and the bundled ones are such."""
        self.expect(
            len(self.costs) == len(TIMED) or not support.HAS_WHOLE_CORPUS,
            f"{len(self.costs)} of {len(TIMED)} networks were timed",
        )
        for name in ("code", "instructions"):
            before, after = (sum(getattr(one, name) for one in some) for some in zip(*self.costs))
            print(f"{name} on a Cortex-M4: {before}, {after} afterwards")
            if not support.HAS_WHOLE_CORPUS:
                print(f"the growth of {name} is not judged without the corpus")
                continue
            self.expect(after <= MOST_GROWTH * before, f"{name}: {before}, {after} afterwards")

    def wrong_edits(self, label, module, smaller, document, directory):
        if module["constants_bytes"] > MOST_OF_WRONG_EDITS or not is_all_tir(document):
            return
        constant = max(module["constants"], key=lambda one: one["new_bytes"])
        root = support.stock(smaller, directory / "wrong")
        network = plan_programs.Network(root, document, directory / "wrong-work")
        right = network.outputs("plain", plan_run.RUNS)
        for what, source, text in wrong_edits(network.sources, constant):
            self.wrong += 1
            kept = source.read_text()
            source.write_text(text)
            noticed = network.outputs("plain", plan_run.RUNS) != right
            source.write_text(kept)
            self.expect(noticed, f"{label}: no output shows {what}")

    def file(self, name, archive, planned, directory, *options):
        self.expect(
            plan_run.members(archive) == plan_run.members(planned), f"{name}: other members"
        )
        self.expect(errors(planned) == errors(archive), f"{name}: mlf verify finds other errors")
        again = directory / "again.tar"
        support.run_ok("optimize", planned, *options, "-o", again)
        self.expect(again.read_bytes() == planned.read_bytes(), f"{name}: optimized again, it differs")


def main():
    judge = Judge()
    print(f"{'NETWORK':62}{'CONSTANTS':>10}{'OPTIMIZED':>10}{'LESS':>10}")
    for archive in memory_truth.archives():
        judge.optimized(archive)
    if cortex_m.is_there():
        judge.growth()
    assert judge.narrowed > 0
    assert judge.wrong > 0
    return judge.end(f"{judge.narrowed} networks: {judge.before} bytes of constants, {judge.after} afterwards; "
                     f"{judge.wrong} wrong edits")


if __name__ == "__main__":
    sys.exit(main())

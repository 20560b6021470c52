"""What mlf says that kernels cost against counters in a run of the archive's own C.

The C of every archive is compiled by gcc with counters of lines (gcov), and the network is run once.
Of every kernel, over all of its calls:
  mac      times that a line `X = (X + a * b);` ran, where a and b are elements
  stored   times that a line stores an element, by the bytes of the element
  loaded   the same of loads, of kernels whose lines have no branch inside
Both TIR that was captured and the generated C itself give mlf's numbers. What these lines are is
found out by this test alone, by looking at the text. Prints a table; whatever cannot be compared is
below it with the reason.
"""

import collections
import re
import sys

import memory_truth
import support

SIZES = {"float": 4, "double": 8, "half": 2, "bool": 1} | {
    f"{sign}int{bits}_t": bits // 8 for sign in ("", "u") for bits in (8, 16, 32, 64)
}
ELEMENT = re.compile(r"(?:\(\((\w+)\*\)(\w+)\)|\b([A-Za-z_]\w*))\[")


def closing(text, start):
    """Position behind the bracket that closes the one at `start`."""
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] in "([") - (text[position] in ")]")
        if depth == 0:
            return position + 1
    raise AssertionError(f"a bracket is not closed: {text}")


def without_brackets(text):
    while text.startswith("(") and closing(text, 0) == len(text):
        text = text[1:-1]
    return text


def split_at(text, operator):
    """The two sides of an operator that is in no bracket; nothing where there is none."""
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and text.startswith(operator, position):
            return text[:position], text[position + len(operator) :]
    return None


def store_in(line):
    """(element that is stored to, value) of a line; nothing where it stores nothing."""
    line = line.strip()
    element = ELEMENT.match(line)
    if not element or not line.endswith(";"):
        return None
    end = closing(line, element.end() - 1)
    if not line[end:].startswith(" = "):
        return None
    return line[:end], line[end + 3 : -1]


def is_mac(line):
    store = store_in(line)
    if store is None:
        return False
    target, value = store
    value = without_brackets(value)
    if not value.startswith(target + " + "):
        return False
    factors = split_at(without_brackets(value[len(target) + 3 :]), " * ")
    return factors is not None and all("[" in one for one in factors) and len(set(factors)) == 2


class Types:
    """Bytes of the elements that pointers and arrays of a function have."""

    def __init__(self, lines):
        self.of_name = {}
        for line in lines:
            for kind, name in re.findall(r"\b(\w+)(?:\* | )(\w+)(?=[,)\[]| = )", line):
                if kind in SIZES:
                    self.of_name[name] = SIZES[kind]

    def bytes_of(self, element):
        kind, _, name = element.groups()
        return SIZES[kind] if kind else self.of_name[name]


def elements(text):
    """Loads in the text of an expression: what has its address taken is none."""
    for element in ELEMENT.finditer(text):
        if not text[: element.start()].endswith("(&("):
            yield element


def is_declaration(line):
    return re.match(r"\s*(static |const )*\w+\*? \w+\[\w*\]", line) is not None


def counted(text, lines):
    """Costs of one function from its text, its lines and how often they ran."""
    types = Types(text)
    cost = collections.Counter()
    # A branch inside of a line does not say how often either side of it ran, and packed functions
    # load their arguments from structs.
    words = ("?", "&&", "||", "DLTensor")
    cost["can_count_loads"] = not any(word in line for line in text for word in words)
    for line, times in lines:
        if is_declaration(line):
            continue
        store = store_in(line)
        if store:
            element = ELEMENT.match(line.strip())
            cost["stored"] += times * types.bytes_of(element)
            cost["mac"] += times * is_mac(line)
            line = store[0][element.end() :] + store[1]
        if cost["can_count_loads"] and (store or re.match(r"\s*\w+ \w+ = ", line)):
            cost["loaded"] += times * sum(types.bytes_of(one) for one in elements(line))
    return cost


def text_of(source, symbol):
    """The lines of a function's definition."""
    start = re.search(rf"^.*\b{symbol}\([^;]*\) *{{$", source, re.MULTILINE).start()
    return source[start : source.index("\n}", start)].splitlines()


def truth_of(document, program):
    """Costs by kernel, of one run of the network."""
    program.run(document)
    kernels = {kernel["symbol"] for kernel in document["kernels"]}
    lines = collections.defaultdict(list)
    for function, line, times in program.executed_lines():
        lines[function].append((line, times))
    source = "\n".join(path.read_text(errors="replace") for path in program.sources)
    return {
        function: counted(text_of(source, function), found)
        for function, found in lines.items()
        if function in kernels
    }


def reports(path):
    return {
        module["name"]: module
        for module in support.json_of("report", "--json", path)["modules"]
    }


class Table(memory_truth.Truths):
    def __init__(self):
        super().__init__(flags=("--coverage",))
        self.kernels = collections.Counter()

    def check_network(self, name, archive, document, program):
        module = document["module"]
        report = reports(archive)[module]
        truth = truth_of(document, program)
        total = self.compare(name, "as it is", report, truth)
        self.compare(name, "without src/tir-*", reports(program.root)[module], truth)
        print(f"{name:44}{len(report['kernels']):>8}{total:>12}")

    def compare(self, name, source, report, truth):
        calls = collections.Counter(call["kernel"] for call in report["calls"])
        total = 0
        for kernel in report["kernels"]:
            symbol = kernel["symbol"]
            if symbol not in truth:
                self.not_compared.append(f"{name}: {symbol} is not in the C that was run")
                continue
            for what in ("mac", "stored", "loaded"):
                if not self.is_comparable(name, kernel, what, truth[symbol]):
                    continue
                told = kernel[what] * calls[symbol]
                ran = truth[symbol][what]
                self.kernels[what] += 1
                if told != ran:
                    self.faults.append(f"{name} ({source}): {symbol}: {what}: mlf {told}, ran {ran}")
            total += truth[symbol]["mac"]
        return total

    def is_comparable(self, name, kernel, what, truth):
        if what == "loaded" and not truth["can_count_loads"]:
            return False
        callees = [callee["symbol"] for callee in kernel["extern_calls"]]
        if any(symbol.startswith("arm_") for symbol in callees):
            self.not_compared.append(f"{name}: {kernel['symbol']} is done by {callees[0]}")
            return False
        if isinstance(kernel[what], int):
            return True
        told = kernel[what]
        if told is not None and not told["min"] <= truth[what] <= told["max"]:
            self.faults.append(f"{name}: {kernel['symbol']}: {what}: {truth[what]} is not in {told}")
        self.not_compared.append(f"{name}: {what} of {kernel['symbol']}: {kernel['uncertain']}")
        return False


def main():
    table = Table()
    print(f"{'ARCHIVE':44}{'KERNELS':>8}{'MAC':>12}")
    for archive in memory_truth.archives():
        table.check(archive)
    assert table.kernels["mac"] > 0
    counts = (f"{what} of {count} kernels" for what, count in sorted(table.kernels.items()))
    return table.end(f"{', '.join(counts)} compared with a run")


if __name__ == "__main__":
    sys.exit(main())

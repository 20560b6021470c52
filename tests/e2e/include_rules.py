"""A layer of src/ includes only the layers below it (src/README.md)."""

import re
import unittest
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Each layer, and those directly below it. A layer may also include what these include. The dialects
# of tir share tir/text and do not include each other. tir/save_json is also the form of attributes
# inside texts.
BELOW = {
    "support": [],
    "json": ["support"],
    "target": ["json"],
    "archive": ["target"],
    "model_library": ["archive"],
    "tir": ["target"],
    "tir/save_json": ["tir"],
    "tir/text": ["tir/save_json"],
    "tir/json": ["tir"],
    "tir/compare": ["tir"],
    "tir/legacy": ["tir/text"],
    "tir/tvmscript": ["tir/text"],
    "tir/c": ["tir/text"],
    "tir/read.cpp": ["tir/json", "tir/legacy", "tir/tvmscript", "tir/c"],
    "graph": ["tir/json"],
    "drawing": ["graph"],
    "analysis": ["graph"],
    "plan": ["analysis"],
    "compile": ["model_library"],
    "deployment": ["model_library", "plan", "tir/c", "tir/compare"],
    "report": ["optimize"],
    "page": ["report"],
    "process": ["deployment", "compile"],
    "edit": ["process"],
    "optimize": ["edit", "compile"],
    "run": ["edit", "report"],
    "profile": ["run"],
    "program": ["profile", "run", "optimize", "page", "drawing"],
}

# Headers of include/mlf that are not in a directory of their layer.
PUBLIC = {
    "diagnostics.h": "support",
    "export.h": "support",
    "formats.h": "support",
    "plan.h": "deployment",
    "optimize.h": "optimize",
    "claim_reasons.def": "deployment",
    "inspection.h": "deployment",
    "budget.h": "report",
    "diff.h": "report",
    "findings.def": "report",
    "integration.h": "report",
    "measures.def": "report",
    "resources.def": "report",
    "verify.h": "process",
    "verify_checks.def": "process",
}


# Headers with nothing that threads could share.
PLAIN = ("export.h",)


def layer_of(path):
    """The layer of a file, by its path below src/, include/mlf/ or mlf/."""
    if path in PUBLIC:
        return PUBLIC[path]
    name = path if path in BELOW else path.removesuffix(".h")
    while name not in BELOW:
        if "/" not in name:
            raise AssertionError(f"{path} is in no layer: name it in {Path(__file__).name}")
        name = name.rpartition("/")[0]
    return name


def files():
    """Every source of the library and the programs, with its layer."""
    for directory in ("src", "include/mlf"):
        for path in sorted((ROOT / directory).rglob("*")):
            if path.suffix in (".h", ".cpp", ".def"):
                yield path, layer_of(path.relative_to(ROOT / directory).as_posix())
    for path in sorted((ROOT / "mlf").rglob("*")):
        if path.suffix in (".h", ".cpp"):
            yield path, "program"


def included(path):
    """Layers of what a file includes, with the line; system headers and neighbours left out."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'#include "(mlf/)?([^"]+)"', line)
        if match is None:
            continue
        public, name = match.groups()
        if public or (ROOT / "src" / name).exists():
            yield number, name, layer_of(name)


@cache
def usable(layer):
    layers = {layer}
    for below in BELOW[layer]:
        layers |= usable(below)
    return layers


class Layers(unittest.TestCase):
    def test_no_layer_includes_a_layer_above_it(self):
        wrong = [
            f"{path.relative_to(ROOT)}:{number}: {layer} uses {name}, which is in {used}"
            for path, layer in files()
            for number, name, used in included(path)
            if used not in usable(layer)
        ]
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_every_layer_is_there(self):
        layers = {layer for _, layer in files()}
        self.assertLessEqual(layers, BELOW.keys())
        self.assertGreater(len(layers), 10)

    def test_what_kernels_call_is_listed_in_one_table(self):
        """A second list of callees would know others, or something else of the same."""
        table = (ROOT / "src/graph/kernels/callees.def").read_text()
        callees = set(re.findall(r'^MLF_\w+\("(\w+)"', table, re.MULTILINE))
        self.assertGreater(len(callees), 100)
        lists = []
        for path in sorted((ROOT / "src").rglob("*")):
            # The operators there are those of Relay.
            if path.suffix not in (".h", ".cpp") or path.name == "relay_text.cpp":
                continue
            for braces in re.findall(r"\{([^{};]*)\}", path.read_text()):
                named = callees.intersection(re.findall(r'"(\w+)"', braces))
                if len(named) > 1:
                    lists.append((path.relative_to(ROOT).as_posix(), sorted(named)))
        self.assertEqual(lists, [])

    def test_every_public_header_says_what_threads_may_do(self):
        silent = [
            path.name
            for path in sorted((ROOT / "include/mlf").rglob("*.h"))
            if "hread" not in path.read_text() and path.name not in PLAIN
        ]
        self.assertEqual(silent, [])

    def test_the_entry_page_names_every_public_header(self):
        page = (ROOT / "include/mlf/README.md").read_text()
        headers = [
            path.relative_to(ROOT / "include/mlf").as_posix()
            for path in sorted((ROOT / "include/mlf").rglob("*.h"))
        ]
        self.assertEqual([name for name in headers if f"`{name}`" not in page and name not in
                          ("export.h",)], [])


if __name__ == "__main__":
    unittest.main()

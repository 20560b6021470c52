"""No include runs upwards: a room of src/ uses the rooms below it and nothing else."""

import re
import unittest
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Each room, and those directly below it; what these use may be used as well. tir has rooms of its
# own: what dialects share is below them, and they do not know each other (`tir/save_json` is also
# the spelling of attributes inside texts).
BELOW = {
    "support": [],
    "json": ["support"],
    "target": ["json"],
    "archive": ["target"],
    "model_library": ["archive"],
    "tir": ["target"],
    "tir/save_json": ["tir"],
    "tir/text": ["tir"],
    "tir/json": ["tir"],
    "tir/compare": ["tir/text"],
    "tir/legacy": ["tir/text", "tir/save_json"],
    "tir/repr": ["tir/text", "tir/save_json"],
    "tir/tvmscript": ["tir/text", "tir/save_json"],
    "tir/c": ["tir/text"],
    "tir/read.cpp": ["tir/json", "tir/legacy", "tir/repr", "tir/tvmscript", "tir/c"],
    "graph": ["tir/json"],
    "drawing": ["graph"],
    "analysis": ["graph"],
    "plan": ["analysis"],
    "compile": ["model_library"],
    "deployment": ["model_library", "plan", "tir/c"],
    "report": ["deployment", "compile"],
    "page": ["report"],
    "process": ["deployment", "tir/compare"],
    "replan": ["process", "tir/save_json"],
    "program": ["replan", "page", "drawing"],
}

# Headers of include/mlf that are not in a folder of their room.
PUBLIC = {
    "diagnostics.h": "support",
    "export.h": "support",
    "version.h": "support",
    "json_layout.h": "json",
    "file.h": "archive",
    "params.h": "model_library",
    "archive_plan.h": "deployment",
    "contradictions.h": "deployment",
    "memory_claims.h": "deployment",
    "claim_reasons.def": "deployment",
    "folding.h": "deployment",
    "networks.h": "deployment",
    "report_rows.h": "report",
    "budget.h": "report",
    "diff.h": "report",
    "findings.def": "report",
    "measures.def": "report",
    "measures.h": "report",
    "resources.def": "report",
    "verify.h": "process",
    "verify_checks.def": "process",
}


# Headers with nothing that threads could share.
PLAIN = ("export.h", "json_layout.h", "tvm_version.h")


def room_of(path):
    """The room of a file, by its path below src/, include/mlf/ or mlf/."""
    if path in PUBLIC:
        return PUBLIC[path]
    name = path if path in BELOW else path.removesuffix(".h")
    while name not in BELOW:
        if "/" not in name:
            raise AssertionError(f"{path} is in no room: name it in {Path(__file__).name}")
        name = name.rpartition("/")[0]
    return name


def files():
    """Every source of the library and the programs, with its room."""
    for folder in ("src", "include/mlf"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cpp", ".def"):
                yield path, room_of(path.relative_to(ROOT / folder).as_posix())
    for path in sorted((ROOT / "mlf").rglob("*")):
        if path.suffix in (".h", ".cpp"):
            yield path, "program"


def included(path):
    """Rooms of what a file includes, with the line; system headers and neighbours left out."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'#include "(mlf/)?([^"]+)"', line)
        if match is None:
            continue
        public, name = match.groups()
        if public or (ROOT / "src" / name).exists():
            yield number, name, room_of(name)


@cache
def usable(room):
    rooms = {room}
    for below in BELOW[room]:
        rooms |= usable(below)
    return rooms


class Rooms(unittest.TestCase):
    def test_no_include_runs_upwards(self):
        wrong = [
            f"{path.relative_to(ROOT)}:{number}: {room} uses {name}, which is in {used}"
            for path, room in files()
            for number, name, used in included(path)
            if used not in usable(room)
        ]
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_every_room_is_there(self):
        rooms = {room for _, room in files()}
        self.assertLessEqual(rooms, BELOW.keys())
        self.assertGreater(len(rooms), 10)

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
                          ("export.h", "version.h")], [])


if __name__ == "__main__":
    unittest.main()

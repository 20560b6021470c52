"""Malformed input: one clear error each, the documented exit code, and the archive untouched.

The cases are in tests/golden/errors/*.txt. A case is a heading `=== name` and sections:

    --- run ARGUMENTS…    the command line (default: process module.tar)
    --- member NAME       content of a member of module.tar; metadata.json is there by itself
    --- file NAME         content of a file beside it
    --- bytes member|file NAME   the same with Python's escapes (\\x00)
    --- tar MAKER         module.tar comes from tars.py
    --- exit CODE         expected
    --- stderr            expected

`errors.py --update` writes what comes into the last two.
"""

import shlex
import sys

import support
import tars

DIRECTORY = support.SOURCE / "tests" / "golden" / "errors"
LEAST_CASES = 60


class Case:
    def __init__(self, name):
        self.name = name
        self.sections = []  # [head, body]

    def body_of(self, head):
        return next((body for title, body in self.sections if title == head), None)

    def exit_code(self):
        for head, _ in self.sections:
            if head.startswith("exit "):
                return int(head.split()[1])
        return None

    def with_result(self, code, stderr):
        kept = [s for s in self.sections if not s[0].startswith("exit ") and s[0] != "stderr"]
        self.sections = kept + [[f"exit {code}", ""], ["stderr", stderr]]

    def text(self):
        parts = [f"=== {self.name}\n"]
        for head, body in self.sections:
            parts.append(f"--- {head}\n{body}")
        return "".join(parts)


def parse(path):
    preamble, cases = [], []
    for line in path.read_text().splitlines(keepends=True):
        if line.startswith("=== "):
            cases.append(Case(line[4:].strip()))
        elif not cases:
            preamble.append(line)
        elif line.startswith("--- "):
            cases[-1].sections.append([line[4:].strip(), ""])
        else:
            cases[-1].sections[-1][1] += line
    return "".join(preamble), cases


def set_up(case, directory):
    """Makes the files of a case and returns its command line."""
    arguments = ["process", "module.tar"]
    members = {"metadata.json": support.METADATA}
    archive = None
    for head, body in case.sections:
        kind, *words = shlex.split(head)
        content = body.encode()
        if kind == "bytes":
            kind, *words = words
            content = body.rstrip("\n").encode("latin-1").decode("unicode_escape").encode("latin-1")
        if kind == "run":
            arguments = words
        elif kind == "member":
            members[words[0]] = content
        elif kind == "file":
            (directory / words[0]).write_bytes(content)
        elif kind == "tar":
            archive = getattr(tars, words[0])()
    (directory / "module.tar").write_bytes(archive or support.make_tar(members))
    return arguments


def run_case(case):
    """(exit code, standard error, what was changed on disk)"""
    with support.temporary_directory() as directory:
        arguments = set_up(case, directory)
        before = {path.name: path.read_bytes() for path in directory.iterdir()}
        result = support.run(*arguments, cwd=directory, stdin=-3)
        after = {path.name: path.read_bytes() for path in directory.iterdir()}
        changed = sorted(k for k in before.keys() | after.keys() if before.get(k) != after.get(k))
        return result.returncode, result.stderr.decode(errors="backslashreplace"), changed


def check(case, path):
    code, stderr, changed = run_case(case)
    faults = []
    if changed:
        faults.append(f"changed {changed}")
    if code != case.exit_code():
        faults.append(f"exit {code}, expected {case.exit_code()}")
    if stderr != case.body_of("stderr"):
        faults.append(f"expected\n{case.body_of('stderr')}got\n{stderr}")
    if stderr.count("mlf: error: ") != 1:
        faults.append("not exactly one error")
    for fault in faults:
        print(f"{path.name}: {case.name}: {fault}")
    return not faults


def update(path):
    preamble, cases = parse(path)
    for case in cases:
        code, stderr, _ = run_case(case)
        case.with_result(code, stderr)
    path.write_text(preamble + "".join(case.text() for case in cases))


def main():
    paths = sorted(DIRECTORY.glob("*.txt"))
    if "--update" in sys.argv:
        for path in paths:
            update(path)
        return 0
    results = [check(case, path) for path in paths for case in parse(path)[1]]
    print(f"{sum(results)} of {len(results)} cases passed")
    return 0 if all(results) and len(results) >= LEAST_CASES else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Sizes of tir-N.json beside those of what it was read from, as they are and under gzip.

Usage: sizes.py MLF [SAVE_JSON…]

MLF is the program. Each SAVE_JSON is a file of tvm.ir.save_json; the text that TVM printed of the
same module is taken from `module.tar` beside it. Without any, those of the repository are measured,
and those of the corpus where it is there.

Prints a table in KB (1000 bytes): the data of constants; text, which has at most the beginning of
each; save_json; tir-N.json with constants in base64; and with constants in files of their own
(.npy), which are counted in.
"""

import base64
import gzip
import json
import pathlib
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DIRECTORIES = (ROOT / "tests" / "data" / "c", ROOT / ".." / "shared" / "corpus")
COLUMNS = ("constants", "text", "save_json", "tir-N.json", "with .npy")
NPY_HEADER = 128  # bytes, for every shape that fits into it


def text_beside(path):
    """What TVM printed of the module, or None."""
    archive = path.parent / "module.tar"
    member = f"./src/tir-{path.stem[len('save-') :]}.txt"
    if not archive.is_file():
        return None
    with tarfile.open(archive) as tar:
        return tar.extractfile(member).read() if member in tar.getnames() else None


def tir_json(program, path, constants):
    command = [program, "tir", "--constants", constants, str(path)]
    return subprocess.run(command, check=True, capture_output=True).stdout


def sizes(program, path):
    """For each column (bytes, bytes under gzip); None where there is no text."""
    inline = tir_json(program, path, "inline")
    without = tir_json(program, path, "none")
    data = [base64.b64decode(entry["data"]) for entry in json.loads(inline)["constants"]]
    files = [bytes(NPY_HEADER) + constant for constant in data]
    text = text_beside(path)
    return (
        size_of(*data),
        None if text is None else size_of(text),
        size_of(path.read_bytes()),
        size_of(inline),
        size_of(without, *files),
    )


def size_of(*files):
    """Bytes, and bytes if each is compressed by itself."""
    return sum(map(len, files)), sum(len(gzip.compress(file, 6, mtime=0)) for file in files)


def print_row(name, cells):
    shown = [f"{'-':>19}" if cell is None else f"{cell[0]:>11}{cell[1]:>8}" for cell in cells]
    print(f"{name:36}", *shown)


def in_kilobytes(pair):
    return pair and tuple(f"{size / 1000:.1f}" for size in pair)


def print_totals(rows):
    """Sums of those that have all columns, and what they are of save_json."""
    complete = [row for row in rows if None not in row]
    if not complete:
        return
    sums = [tuple(map(sum, zip(*column))) for column in zip(*complete)]
    print_row(f"sum of {len(complete)}", map(in_kilobytes, sums))
    whole = sums[COLUMNS.index("save_json")]
    print_row(
        "of save_json", [tuple(f"{100 * a / b:.0f} %" for a, b in zip(s, whole)) for s in sums]
    )


def main(program, paths):
    if not paths:
        paths = sorted(path for directory in DIRECTORIES for path in directory.glob("**/save-*.json"))
    print_row("KB, and under gzip", [(name, "gz") for name in COLUMNS])
    rows = []
    for path in paths:
        rows.append(sizes(program, path))
        print_row("/".join(path.parts[-3:-1]), map(in_kilobytes, rows[-1]))
    print_totals(rows)


if __name__ == "__main__":
    main(sys.argv[1], [pathlib.Path(argument) for argument in sys.argv[2:]])

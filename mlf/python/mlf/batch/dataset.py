"""The dataset: Parquet files by kind of row, and an index of the valid ones.

    OUT/rows=call/part-<generation>.parquet
    OUT/_mlf/<generation>.json         the archives of that part: URL to mark, or to null

A generation is valid once its JSON exists, which is written last. An interrupted run leaves files without
JSON; the next run removes them. A generation of another version of mlf, whose rows may differ, is not valid.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import uuid
from typing import Any

import fsspec
import pyarrow
import pyarrow.parquet

from .. import __version__, _core
from ..table import Rows, columns
from .reader import KINDS, Answer

INDEX = "_mlf"


@dataclasses.dataclass(frozen=True)
class Item:
    """An archive: its name, its fingerprint (size, time, an ETag), the digest of the last content read under
    that name, and whether reading it failed."""

    url: str
    fingerprint: str
    known: str | None = None
    failed: bool = False


@dataclasses.dataclass(frozen=True)
class Mark:
    """The state of an archive in the dataset; the digest is that of its bytes, if it has any."""

    fingerprint: str
    digest: str | None
    failed: bool


@functools.cache
def schema(kind: Rows) -> pyarrow.Schema:
    """Return the schema: texts and unsigned numbers, as in `mlf table`."""
    types = {True: pyarrow.string(), False: pyarrow.uint64()}
    own = [(column.name, types[column.is_text]) for column in columns(kind)]
    return pyarrow.schema([("archive", pyarrow.string()), ("error", pyarrow.string()), *own])


def name_of(url: str) -> str:
    """Return a name as `mlf table` prints it: characters that are not printable are escaped."""
    return _core.printable(os.fsencode(url))


@functools.cache
def made_by() -> dict[str, Any]:
    """Return everything but the archive that rows depend on."""
    names = {kind: [column.name for column in columns(kind)] for kind in KINDS}
    return {"mlf": __version__, "columns": names, "marks": list(Mark.__dataclass_fields__)}


def rows_of(kind: Rows, item: Item, answer: Answer) -> list[list[Any]]:
    """Return the rows of an archive. An archive with an error is one row of the table of archives."""
    name = name_of(item.url)
    if "error" in answer:
        nothing = [None] * (len(schema(kind)) - 2)
        return [[name, answer["error"], *nothing]] if kind == "archive" else []
    return [[name, None, *row] for row in answer["rows"][kind]]


def has_failed(item: Item, answer: Answer) -> bool:
    """Return whether the last run failed for the same bytes: then this run fails too."""
    return item.failed if "same" in answer else "error" in answer


def mark_of(item: Item, answer: Answer) -> Mark | None:
    """Return the mark, or None if the next run may succeed with the same archive, with other limits or if
    storage answers."""
    is_final = answer.get("cause", "archive") == "archive"
    mark = Mark(item.fingerprint, answer.get("digest"), has_failed(item, answer))
    return mark if is_final else None


#: The archives of one part, by URL.
Marks = dict[str, Mark | None]


class Dataset:
    def __init__(self, url: str) -> None:
        self._fs, self._root = fsspec.core.url_to_fs(url)
        # fsspec may have cached listings of another run of this process.
        self._fs.invalidate_cache()
        self._generations: dict[str, Marks] = {}
        self._fs.makedirs(f"{self._root}/{INDEX}", exist_ok=True)
        for path in self._fs.glob(f"{self._root}/{INDEX}/*.new"):
            self._fs.rm_file(path)
        replaced: set[str] = set()
        for path in self._fs.glob(f"{self._root}/{INDEX}/*.json"):
            content = json.loads(self._fs.cat_file(path))
            replaced.update(content["replaces"])
            if content.get("made_by") == made_by():
                marks = {url: mark and Mark(**mark) for url, mark in content["archives"].items()}
            else:
                marks = dict.fromkeys(content["archives"])
                replaced.add(_stem(path))
            self._generations[_stem(path)] = marks
        # From another version of mlf, or the run was interrupted before it removed them.
        for old in replaced & self._generations.keys():
            self._remove(old)
            del self._generations[old]
        for path in self._fs.glob(f"{self._root}/rows=*/part-*"):
            if _stem(path).removeprefix("part-") not in self._generations:
                self._fs.rm_file(path)

    def mark(self, url: str) -> Mark | None:
        return next((g[url] for g in self._generations.values() if url in g), None)

    def put(self, answers: list[tuple[Item, Answer]]) -> None:
        """Write rows of new and changed archives in place of old ones, and marks of unchanged ones. An
        interruption may leave archives out, but none twice."""
        same = {item.url: mark_of(item, answer) for item, answer in answers if "same" in answer}
        others = [one for one in answers if one[0].url not in same]
        self._forget({item.url for item, _ in others})
        if others:
            self._add(others)
        self._renew(same)

    def _add(self, answers: list[tuple[Item, Answer]]) -> None:
        """Add a generation with these archives. The dataset must have none of them."""
        tables = {}
        for kind in KINDS:
            rows = [row for item, answer in answers for row in rows_of(kind, item, answer)]
            types = schema(kind)
            cells = zip(*rows) if rows else [()] * len(types)
            arrays = [pyarrow.array(column, field.type) for column, field in zip(cells, types)]
            tables[kind] = pyarrow.Table.from_arrays(arrays, schema=types)
        self._write(tables, {item.url: mark_of(item, answer) for item, answer in answers}, [])

    def _renew(self, marks: Marks) -> None:
        for generation, archives in self._generations.items():
            changed = {url: mark for url, mark in marks.items() if url in archives}
            if changed:
                archives.update(changed)
                self._write_index(generation, archives, [])

    def _forget(self, urls: set[str]) -> None:
        """Remove the rows of archives that changed."""
        gone = {name_of(url) for url in urls}
        for old, archives in list(self._generations.items()):
            if not urls & archives.keys():
                continue
            tables = {}
            for kind in KINDS:
                table = self._read(old, kind)
                kept = [name not in gone for name in table["archive"].to_pylist()]
                tables[kind] = table.filter(pyarrow.array(kept, pyarrow.bool_()))
            left = {url: mark for url, mark in archives.items() if url not in urls}
            self._write(tables, left, [old])
            self._remove(old)
            del self._generations[old]

    def _part(self, generation: str, kind: Rows) -> str:
        return f"{self._root}/rows={kind}/part-{generation}.parquet"

    def _read(self, generation: str, kind: Rows) -> pyarrow.Table:
        with self._fs.open(self._part(generation, kind), "rb") as file:
            return pyarrow.parquet.read_table(file)

    def _write(
        self, tables: dict[Rows, pyarrow.Table], archives: Marks, replaces: list[str]
    ) -> None:
        generation = uuid.uuid4().hex
        for kind, table in tables.items():
            path = self._part(generation, kind)
            self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
            with self._fs.open(path, "wb") as file:
                pyarrow.parquet.write_table(table, file)
        self._write_index(generation, archives, replaces)
        self._generations[generation] = archives

    def _write_index(self, generation: str, archives: Marks, replaces: list[str]) -> None:
        marks = {url: mark and dataclasses.asdict(mark) for url, mark in archives.items()}
        index = {"archives": marks, "replaces": replaces, "made_by": made_by()}
        path = f"{self._root}/{INDEX}/{generation}.json"
        self._fs.pipe_file(path + ".new", json.dumps(index).encode())
        self._fs.mv(path + ".new", path)

    def _remove(self, generation: str) -> None:
        """Remove a generation, its index first: without it, the rows are not valid."""
        for path in (
            f"{self._root}/{INDEX}/{generation}.json",
            *(self._part(generation, kind) for kind in KINDS),
        ):
            if self._fs.exists(path):
                self._fs.rm_file(path)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]

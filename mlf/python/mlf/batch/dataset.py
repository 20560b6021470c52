"""The dataset: Parquet files by kind of row, and an index of the valid ones.

    OUT/rows=call/part-<generation>.parquet
    OUT/_mlf/<generation>.json         the archives of that part: URL to mark, or to null

A generation counts once its JSON is there, which is written last. Files without one are what an
interrupted run left; the next run removes them. What another mlf wrote, whose rows may be others, does
not count either.
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
    """An archive: how it is called, what changes when it changes (size, time, an ETag), and the digest
    of what was read under that name before and whether that failed."""

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
    """Return what rows depend on beside the archive."""
    names = {kind: [column.name for column in columns(kind)] for kind in KINDS}
    return {"mlf": __version__, "columns": names, "marks": list(Mark.__dataclass_fields__)}


def rows_of(kind: Rows, item: Item, answer: Answer) -> list[list[Any]]:
    """One row in the table of archives where there is an error, else those of the archive."""
    name = name_of(item.url)
    if "error" in answer:
        nothing = [None] * (len(schema(kind)) - 2)
        return [[name, answer["error"], *nothing]] if kind == "archive" else []
    return [[name, None, *row] for row in answer["rows"][kind]]


def has_failed(item: Item, answer: Answer) -> bool:
    """An archive of the same bytes fails as before."""
    return item.failed if "same" in answer else "error" in answer


def mark_of(item: Item, answer: Answer) -> Mark | None:
    """Nothing where the next run, with other limits or on a better day, may have another answer for
    the same archive."""
    is_final = answer.get("cause", "archive") == "archive"
    mark = Mark(item.fingerprint, answer.get("digest"), has_failed(item, answer))
    return mark if is_final else None


#: The archives of one part, by URL.
Marks = dict[str, Mark | None]


class Dataset:
    def __init__(self, url: str) -> None:
        self._fs, self._root = fsspec.core.url_to_fs(url)
        # What fsspec remembers may be from another run of this process.
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
        # Of another mlf, or they were to be removed when the run was interrupted.
        for old in replaced & self._generations.keys():
            self._remove(old)
            del self._generations[old]
        for path in self._fs.glob(f"{self._root}/rows=*/part-*"):
            if _stem(path).removeprefix("part-") not in self._generations:
                self._fs.rm_file(path)

    def mark(self, url: str) -> Mark | None:
        return next((g[url] for g in self._generations.values() if url in g), None)

    def put(self, answers: list[tuple[Item, Answer]]) -> None:
        """Rows of archives that are new or have changed, in place of those that are there, and marks of
        those that are the same. Interrupted, it leaves archives out and none twice."""
        same = {item.url: mark_of(item, answer) for item, answer in answers if "same" in answer}
        others = [one for one in answers if one[0].url not in same]
        self._forget({item.url for item, _ in others})
        if others:
            self._add(others)
        self._renew(same)

    def _add(self, answers: list[tuple[Item, Answer]]) -> None:
        """A new generation with these, none of which is there yet."""
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
        """The index first: without it, the rest does not count."""
        for path in (
            f"{self._root}/{INDEX}/{generation}.json",
            *(self._part(generation, kind) for kind in KINDS),
        ):
            if self._fs.exists(path):
                self._fs.rm_file(path)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]

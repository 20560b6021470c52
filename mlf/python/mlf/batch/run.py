"""A run: which archives there are, who reads them, and what becomes of the answers."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import distributed
import fsspec
from fsspec.implementations.local import LocalFileSystem

from .dataset import Dataset, Item
from .reader import Answer, Reader

#: Tasks that Dask knows at one time: the list of archives may be long.
MOST_SUBMITTED = 2000


@dataclasses.dataclass(frozen=True)
class Options:
    urls: list[str]
    out: str
    scheduler: str = "processes"
    workers: int = 1
    timeout: float = 60
    memory: int = 2048
    retries: int = 2
    flush: int = 256


@dataclasses.dataclass
class Done:
    read: int = 0
    failed: int = 0
    skipped: int = 0


def items(urls: list[str]) -> Iterator[Item]:
    """The archives that URLs name, each once, in the order of their names."""
    seen = set()
    for url in urls:
        chain = "::" + url.split("::", 1)[1] if "::" in url else ""
        fs, path = fsspec.core.url_to_fs(url)
        fs.invalidate_cache()
        for found in sorted(fs.glob(path)) if any(c in path for c in "*?[") else [path]:
            # Local archives are called as `mlf table` calls them.
            is_local = isinstance(fs, LocalFileSystem)
            name = found if is_local else fs.unstrip_protocol(found) + chain
            if name not in seen:
                seen.add(name)
                yield Item(name, fs.ukey(found) if fs.exists(found) else "")


@functools.cache
def reader_of_worker(timeout: float, memory: int) -> Reader:
    """A worker has one thread, and reads one archive at a time."""
    return Reader(timeout, memory)


def read(url: str, timeout: float, memory: int) -> Answer:
    """The task. Errors: OSError where storage fails; Dask tries again."""
    reader = reader_of_worker(timeout, memory)
    fs, path = fsspec.core.url_to_fs(url)
    if isinstance(fs, LocalFileSystem):
        return reader.read(path)
    with tempfile.NamedTemporaryFile(suffix=".tar") as file:
        fs.get_file(path, file.name)
        return reader.read(file.name)


def local_cluster(workers: int) -> Any:
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
    )


class Progress:
    """How far it is, on a terminal."""

    WIDTH = 30  #: of the bar, in letters

    def __init__(self, total: int) -> None:
        self._total = total
        self._is_shown = sys.stderr.isatty()
        self._begin = time.monotonic()

    def show(self, done: Done) -> None:
        if not self._is_shown:
            return
        filled = self.WIDTH * done.read // self._total
        left = (time.monotonic() - self._begin) / done.read * (self._total - done.read)
        line = f"[{'#' * filled:<{self.WIDTH}}] {done.read}/{self._total} archives"
        failed = f", {done.failed} failed" if done.failed else ""
        # What an earlier line has more goes with spaces.
        text = f"\r{line}{failed}, {left:.0f} s left".ljust(80)
        print(text, end="\n" if done.read == self._total else "", file=sys.stderr, flush=True)


def gathered(client: distributed.Client, done: list[distributed.Future]) -> list[Answer]:
    """The results of tasks: in one request, unless one of them failed."""
    try:
        return list(client.gather(done))
    except Exception:
        return [result_of(future) for future in done]


def result_of(future: distributed.Future) -> Answer:
    try:
        return dict(future.result())
    except Exception as error:  # storage, or workers that died again and again
        return {"error": f"{type(error).__name__}: {error}"}


def answers(client: distributed.Client, todo: list[Item], options: Options) -> Iterator[Any]:
    """Pairs of an item and its answer, as they come."""
    waiting: dict[distributed.Future, Item] = {}
    pending = iter(todo)

    def submit(count: int) -> list[distributed.Future]:
        made = []
        for item in itertools.islice(pending, count):
            future = client.submit(
                read, item.url, options.timeout, options.memory,
                retries=options.retries, pure=False,
            )  # fmt: skip
            waiting[future] = item
            made.append(future)
        return made

    queue = distributed.as_completed(submit(MOST_SUBMITTED))
    for done in queue.batches():
        found = gathered(client, done)
        queue.update(submit(len(done)))
        for future, answer in zip(done, found):
            yield waiting.pop(future), answer


def run(options: Options) -> Done:
    """Reads what is not in the dataset yet. An interrupted run goes on where it was."""
    if "://" not in options.out:
        os.makedirs(options.out, exist_ok=True)
    dataset = Dataset(options.out)
    found = list(items(options.urls))
    todo = [item for item in found if not dataset.has(item)]
    dataset.forget({item.url for item in todo})
    done = Done(skipped=len(found) - len(todo))
    if not todo:
        return done
    progress = Progress(len(todo))
    batch: list[tuple[Item, Answer]] = []
    with contextlib.ExitStack() as stack:
        where = options.scheduler
        if where == "processes":
            where = stack.enter_context(local_cluster(options.workers))
        client = stack.enter_context(distributed.Client(where))
        try:
            for item, answer in answers(client, todo, options):
                batch.append((item, answer))
                done.read += 1
                done.failed += "error" in answer
                if len(batch) >= options.flush:
                    dataset.add(batch)
                    batch = []
                progress.show(done)
        finally:
            # Also where somebody interrupts it: what is read is read.
            if batch:
                dataset.add(batch)
    return done

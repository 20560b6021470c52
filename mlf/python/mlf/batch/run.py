"""A run: find the archives, distribute them to workers, and write their rows."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple, Union

import distributed
import fsspec
from fsspec.implementations.local import LocalFileSystem

from .dataset import Dataset, Item, has_failed
from .reader import Answer, failure
from .tasks import read_alone, read_together, storage_of

#: Archives whose tasks Dask knows at one time: the list may be long.
MOST_SUBMITTED = 2000
#: Archives in one task: to pass one to a worker takes as long as to read a small archive.
MOST_TOGETHER = 64
#: At least, before archives go together, so that the last one does not take long.
TASKS_OF_A_THREAD = 8


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
    """Numbers of archives of a run: read, skipped because an earlier run read them, and failed in either
    run."""

    read: int = 0
    failed: int = 0
    skipped: int = 0


def fingerprint(fs: Any, path: str) -> str:
    """Return the state of an archive. Empty if the storage has none, as for a missing file or a loop of
    symbolic links; the reader then reports that."""
    with contextlib.suppress(OSError):
        return str(fs.ukey(path))
    return ""


def items(urls: list[str]) -> Iterator[Item]:
    """Return the archives that URLs name, each once, in the order of their names."""
    seen = set()
    for url in urls:
        fs, path = storage_of(url)
        is_chain = "::" in url and not isinstance(fs, LocalFileSystem)
        chain = "::" + url.split("::", 1)[1] if is_chain else ""
        fs.invalidate_cache()
        for found in sorted(fs.glob(path)) if any(c in path for c in "*?[") else [path]:
            # Local archives have the names that `mlf table` prints.
            is_local = isinstance(fs, LocalFileSystem)
            name = found if is_local else fs.unstrip_protocol(found) + chain
            if name not in seen:
                seen.add(name)
                yield Item(name, fingerprint(fs, found))


def local_cluster(workers: int) -> Any:
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
    )


class Progress:
    """Print the progress on a terminal."""

    WIDTH = 30  #: of the bar, in letters

    def __init__(self, total: int) -> None:
        self._total = total
        self._seen = 0
        self._is_shown = sys.stderr.isatty()
        self._begin = time.monotonic()

    def show(self, done: Done) -> None:
        if not self._is_shown:
            return
        self._seen += 1
        filled = self.WIDTH * self._seen // self._total
        left = (time.monotonic() - self._begin) / self._seen * (self._total - self._seen)
        line = f"[{'#' * filled:<{self.WIDTH}}] {self._seen}/{self._total} archives"
        failed = f", {done.failed} failed" if done.failed else ""
        # Spaces overwrite the rest of a longer line.
        text = f"\r{line}{failed}, {left:.0f} s left".ljust(80)
        print(text, end="\n" if self._seen == self._total else "", file=sys.stderr, flush=True)


class Task(NamedTuple):
    items: list[Item]
    is_alone: bool


#: Answers of a task, what went wrong with it, or nothing where its worker died.
Result = Union[list[Answer], str, None]


def decoded(answers: list[bytes]) -> list[Answer]:
    return [json.loads(answer) for answer in answers]


def gathered(client: distributed.Client, done: list[distributed.Future]) -> list[Result]:
    """Read several archives in one task. If the task fails, read each archive alone."""
    try:
        return list(map(decoded, client.gather(done)))
    except Exception:
        return [result_of(future) for future in done]


class LostScheduler(ConnectionError):
    """The scheduler is gone, and the tasks that it had with it. Another run reads their archives."""


def result_of(future: distributed.Future) -> Result:
    try:
        return decoded(future.result())
    except distributed.KilledWorker:
        return None
    except Exception as error:
        if future.cancelled():  # not by a run
            raise LostScheduler("the connection to the Dask scheduler is lost: run again") from error
        return f"{type(error).__name__}: {error}"


def archives_of_a_task(client: distributed.Client, count: int) -> int:
    threads = int(sum(client.nthreads().values()))
    return max(1, min(MOST_TOGETHER, count // (TASKS_OF_A_THREAD * max(1, threads))))


def answers(
    client: distributed.Client, todo: list[Item], options: Options
) -> Iterator[tuple[Item, Answer]]:
    """Yield answers as they arrive. Workers get archives in groups; if storage fails for one archive, it is
    tried again alone."""
    waiting: dict[distributed.Future, Task] = {}
    suspects: list[Item] = []
    pending = iter(todo)
    size = archives_of_a_task(client, len(todo))
    limits = (options.timeout, options.memory)

    def submit(count: int) -> list[distributed.Future]:
        made: list[distributed.Future] = []
        while len(made) < count and (items := list(itertools.islice(pending, size))):
            requests = [(item.url, item.known) for item in items]
            made.append(client.submit(read_together, requests, *limits, pure=False))
            waiting[made[-1]] = Task(items, is_alone=False)
        return made

    def submit_alone(item: Item, retries: int) -> distributed.Future:
        request = (item.url, item.known)
        future = client.submit(read_alone, request, *limits, retries=retries, pure=False)
        waiting[future] = Task([item], is_alone=True)
        return future

    queue = distributed.as_completed(submit(max(1, MOST_SUBMITTED // size)))
    for done in queue.batches():
        found = gathered(client, done)
        tasks = [waiting.pop(future) for future in done]
        queue.update(submit(sum(not task.is_alone for task in tasks)))
        for task, result in zip(tasks, found):
            if result is None:
                suspects += task.items
                continue
            if isinstance(result, str):
                result = [failure(result, "system")] * len(task.items)
            for item, answer in zip(task.items, result):
                if answer.get("cause") == "system" and not task.is_alone and options.retries:
                    queue.add(submit_alone(item, options.retries - 1))
                else:
                    yield item, answer
    # Dask blames every task of a dead worker. Reading one archive at a time shows which one it was.
    for item in suspects:
        result = result_of(submit_alone(item, options.retries))
        if result is None:
            result = "every worker that read it died"
        yield item, failure(result, "system") if isinstance(result, str) else result[0]


def not_done(found: list[Item], dataset: Dataset) -> list[Item]:
    """Return the archives that are new or may have changed; their digests decide later."""
    todo = []
    for item in found:
        mark = dataset.mark(item.url)
        if mark is None:
            todo.append(item)
        elif mark.fingerprint != item.fingerprint:
            todo.append(dataclasses.replace(item, known=mark.digest, failed=mark.failed))
    return todo


def failed_before(found: list[Item], todo: list[Item], dataset: Dataset) -> int:
    """Return how many of the archives that are not read again failed before."""
    again = {item.url for item in todo}
    marks = [dataset.mark(item.url) for item in found if item.url not in again]
    return sum(mark is not None and mark.failed for mark in marks)


def run(options: Options) -> Done:
    """Read the archives that are not in the dataset yet. An interrupted run continues."""
    if "://" not in options.out:
        os.makedirs(options.out, exist_ok=True)
    dataset = Dataset(options.out)
    found = list(items(options.urls))
    todo = not_done(found, dataset)
    done = Done(failed=failed_before(found, todo, dataset), skipped=len(found) - len(todo))
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
                is_same = "same" in answer
                done.read += not is_same
                done.skipped += is_same
                done.failed += has_failed(item, answer)
                if len(batch) >= options.flush:
                    dataset.put(batch)
                    batch = []
                progress.show(done)
        finally:
            # Also after an interruption: keep what was read.
            if batch:
                dataset.put(batch)
    return done

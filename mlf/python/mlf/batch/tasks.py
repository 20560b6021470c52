"""What workers do: they fetch archives from wherever these are, and have them read."""

from __future__ import annotations

import functools
import json
import tempfile
import threading

import fsspec
from fsspec.implementations.local import LocalFileSystem

from .reader import Reader, failure


@functools.cache
def reader_of(thread: int, timeout: float, memory: int) -> Reader:
    """A reader reads one archive at a time, and a worker may have several threads."""
    return Reader(timeout, memory)


def read(url: str, timeout: float, memory: int) -> bytes:
    """An answer as JSON. Errors: those of the storage."""
    reader = reader_of(threading.get_ident(), timeout, memory)
    fs, path = fsspec.core.url_to_fs(url)
    if isinstance(fs, LocalFileSystem):
        return reader.read(path)
    with tempfile.NamedTemporaryFile(suffix=".tar") as file:
        fs.get_file(path, file.name)
        return reader.read(file.name)


def read_alone(url: str, timeout: float, memory: int) -> list[bytes]:
    """The task of an archive that did not go well together with others. Dask tries it again."""
    return [read(url, timeout, memory)]


def read_together(urls: list[str], timeout: float, memory: int) -> list[bytes]:
    """The task of several archives. None of them fails for another one."""

    def attempt(url: str) -> bytes:
        try:
            return read(url, timeout, memory)
        except Exception as error:
            return json.dumps(failure(f"{type(error).__name__}: {error}", "system")).encode()

    return [attempt(url) for url in urls]

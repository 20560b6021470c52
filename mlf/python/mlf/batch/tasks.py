"""The tasks of workers: fetch archives from storage, and read them."""

from __future__ import annotations

import functools
import json
import tempfile
import threading
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from .reader import Reader, failure


@functools.cache
def reader_of(thread: int, timeout: float, memory: int) -> Reader:
    """Return a free reader: a reader reads one archive at a time, and a worker may have several threads."""
    return Reader(timeout, memory)


def storage_of(url: str) -> tuple[Any, str]:
    """Return the file system and the path of a URL. The path of a local file may contain `::`, which joins
    URLs otherwise."""
    is_url = "://" in url or url.split("::", 1)[0] in fsspec.available_protocols()
    if is_url:
        fs, path = fsspec.core.url_to_fs(url)
        return fs, path
    return LocalFileSystem(), LocalFileSystem._strip_protocol(url)


#: The URL of an archive, and the digest of what was read there before.
Request = tuple[str, str | None]


def read(request: Request, timeout: float, memory: int) -> bytes:
    """Return an answer as JSON. Errors: those of the storage."""
    url, known = request
    reader = reader_of(threading.get_ident(), timeout, memory)
    fs, path = storage_of(url)
    if isinstance(fs, LocalFileSystem):
        return reader.read(path, known)
    with tempfile.NamedTemporaryFile(suffix=".tar") as file:
        fs.get_file(path, file.name)
        return reader.read(file.name, known)


def read_alone(request: Request, timeout: float, memory: int) -> list[bytes]:
    """Read one archive, for which a task of several failed. Dask retries this task."""
    return [read(request, timeout, memory)]


def read_together(requests: list[Request], timeout: float, memory: int) -> list[bytes]:
    """Read several archives. A failure of one does not affect the others."""

    def attempt(request: Request) -> bytes:
        try:
            return read(request, timeout, memory)
        except Exception as error:
            return json.dumps(failure(f"{type(error).__name__}: {error}", "system")).encode()

    return [attempt(request) for request in requests]

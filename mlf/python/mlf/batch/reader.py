"""A process that reads archives for its parent, which can end it.

Requests and answers are lines of JSON. A request has the path of an archive and the digest of the last
content under its name; an answer has its rows, or an error.
"""

from __future__ import annotations

import hashlib
import json
import resource
import select
import signal
import subprocess
import sys
from typing import Any, Literal, get_args

from ..table import Rows

#: The exit code of mlf where the system refuses to read.
REFUSED = 74

KINDS: tuple[Rows, ...] = get_args(Rows)

#: The `digest` of the archive, and rows by kind; or that it is the `same` as before; or the message of
#: an error, and what the cause is: the `archive`, which is as it is; the `limits` of this run; or the
#: `system`, where it may go better the next time.
Answer = dict[str, Any]


def failure(error: str, cause: Literal["archive", "limits", "system"]) -> Answer:
    return {"error": error, "cause": cause}


def digest_of(path: str) -> str | None:
    """Return the SHA-256 of a file; None for a directory."""
    digest = hashlib.sha256()
    # Small enough for the cache, and reused: new pages would cost half of the time.
    block = memoryview(bytearray(1 << 16))
    try:
        with open(path, "rb", buffering=0) as file:
            while size := file.readinto(block):
                digest.update(block[:size])
    except OSError:
        return None  # opening it says what is wrong
    return digest.hexdigest()


def answer(path: str, known: str | None) -> Answer:
    """Return the answer to one request. `known` is the digest of an archive whose rows exist already."""
    digest = digest_of(path)
    if digest is not None and digest == known:
        return {"digest": digest, "same": True}
    return {"digest": digest, **read(path)}


def read(path: str) -> Answer:
    import mlf

    try:
        archive = mlf.open(path)
        return {"rows": {kind: archive.table(kind).rows for kind in KINDS}}
    except mlf.Error as error:
        return failure(error.message, "system" if error.exit_code == REFUSED else "archive")
    except MemoryError:
        return failure("it takes more memory than it may", "limits")


def serve(timeout: float, memory: int) -> None:
    """Answer requests on standard input. `memory` is in MiB."""
    resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))
    # A core dump of a process that exceeded its memory is useless.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        # The parent may have died; nothing else would end this process then.
        signal.setitimer(signal.ITIMER_REAL, timeout + 10)
        print(json.dumps(answer(*json.loads(line))), flush=True)
        signal.setitimer(signal.ITIMER_REAL, 0)


class Reader:
    """Read archives one after the other in a separate process, which ends if one hangs."""

    def __init__(self, timeout: float, memory: int) -> None:
        self._timeout = timeout
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, path: str, known: str | None) -> bytes:
        """Return an answer as JSON text. The process that needs it parses it."""
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps([path, known]).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            return self._failure("the process that reads it ended")
        # The process writes an answer in one piece.
        if not select.select([process.stdout], [], [], self._timeout)[0]:
            return self._failure(f"it takes more than {self._timeout:g} seconds")
        line = process.stdout.readline()
        if not line.endswith(b"\n"):
            return self._failure("the process that reads it ended")
        return line

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "mlf.batch.reader"]
        command += [str(self._timeout), str(self._memory)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        return self._process

    def _failure(self, reason: str) -> bytes:
        """End the process; the next archive gets a new one."""
        assert self._process is not None
        self._process.kill()
        code = self._process.wait()
        self._process = None
        is_told = code < 0 and code != -signal.SIGKILL
        told = f"{reason} (signal {-code})" if is_told else reason
        return json.dumps(failure(told, "limits")).encode()


if __name__ == "__main__":
    serve(float(sys.argv[1]), int(sys.argv[2]))

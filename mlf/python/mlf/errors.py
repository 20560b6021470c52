"""Errors as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


def some_of(names: Sequence[str], most: int = 10) -> str:
    """Return the first names, and how many more there are: an archive may have thousands."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class Diagnostic(NamedTuple):
    """One fault and its place. Every part of the place may be empty or 0."""

    message: str
    exit_code: int  #: of the program mlf: 1, 64, 65, 70 or 74
    file: str  #: the archive or file
    member: str  #: the member of the archive
    json_pointer: str  #: RFC 6901, of a malformed JSON value
    line: int  #: from 1
    column: int  #: from 1, in bytes
    text: str  #: all of it as the program prints it, source line and caret included


class Error(Exception):
    """An invalid archive or TIR, an error of the system, or a check that fails.

    `message`, `file`, `member`, `json_pointer`, `line`, `column` and `exit_code` are those of the
    first diagnostic.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("\n".join(diagnostic.text for diagnostic in diagnostics))
        self.diagnostics = diagnostics
        first = diagnostics[0]
        self.message = first.message
        self.exit_code = first.exit_code
        self.file = first.file
        self.member = first.member
        self.json_pointer = first.json_pointer
        self.line = first.line
        self.column = first.column

    def __reduce__(self) -> tuple[type[Error], tuple[tuple[Diagnostic, ...]]]:
        # Exceptions are pickled between processes.
        return type(self), (self.diagnostics,)

"""Numbers of reports as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Optional, Union

from . import _core

if TYPE_CHECKING:
    import pandas
    import pyarrow

Cell = Optional[Union[int, str]]
Rows = Literal["archive", "call", "tensor", "constant", "finding", "device"]


class Column(NamedTuple):
    name: str
    meaning: str  #: with the unit; empty where the name says all
    is_text: bool  #: else an unsigned number


def row_kind(rows: Rows) -> _core.RowKind:
    """Return the kind of rows with this name. Errors: KeyError, which lists all names."""
    if rows not in _core.RowKind.__members__:
        names = ", ".join(_core.RowKind.__members__)
        raise KeyError(f"unknown table {rows!r}; known are {names}")
    return _core.RowKind[rows]


def columns(rows: Rows) -> list[Column]:
    """Return the columns of a table, without `archive` and `error`."""
    return [Column(*column) for column in _core.columns(row_kind(rows))]


class Table:
    """Rows as `mlf table` prints them, without the columns `archive` and `error`.

    A number that may be a bound has two columns, `…_min` and `…_max`; an unknown maximum is None.
    """

    def __init__(self, columns: list[Column], rows: list[tuple[Cell, ...]]) -> None:
        self.columns = columns
        self.rows = rows

    @property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        return [column.name for column in self.columns]

    def __len__(self) -> int:
        return len(self.rows)

    def to_dicts(self) -> list[dict[str, Cell]]:
        return [dict(zip(self.names, row)) for row in self.rows]

    def _column(self, index: int) -> list[Cell]:
        return [row[index] for row in self.rows]

    def to_pandas(self) -> pandas.DataFrame:
        """Return a DataFrame: numbers are UInt64, where None is pandas' NA; texts are strings."""
        import pandas

        types = {True: "string", False: "UInt64"}
        return pandas.DataFrame(
            {
                column.name: pandas.array(self._column(i), dtype=types[column.is_text])
                for i, column in enumerate(self.columns)
            }
        )

    def to_arrow(self) -> pyarrow.Table:
        """Return a table of pyarrow: numbers are uint64, texts are strings."""
        import pyarrow

        types = {True: pyarrow.string(), False: pyarrow.uint64()}
        return pyarrow.table(
            {
                column.name: pyarrow.array(self._column(i), type=types[column.is_text])
                for i, column in enumerate(self.columns)
            }
        )

    def _repr_html_(self) -> str:
        import html  # notebooks alone need it

        def line(tag: str, cells: list[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

        head = line("th", self.names)
        body = "".join(
            line("td", ["" if cell is None else str(cell) for cell in row]) for row in self.rows
        )
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"

    def __repr__(self) -> str:
        return f"<Table of {len(self.rows)} rows: {', '.join(self.names)}>"

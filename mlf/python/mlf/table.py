"""Rows of what reports know."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Optional, Union

if TYPE_CHECKING:
    import pandas
    import pyarrow

Cell = Optional[Union[int, str]]


class Table:
    """Rows as `mlf table` prints them, without the columns `archive` and `error`.

    Numbers that are not exact are two columns, `…_min` and `…_max`; an unknown maximum is None.
    """

    def __init__(self, columns: list[tuple[str, str]], rows: list[tuple[Cell, ...]]) -> None:
        self.columns = [name for name, _ in columns]
        self.meanings = dict(columns)  #: of columns, with the unit; empty where the name says all
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def to_dicts(self) -> list[dict[str, Cell]]:
        return [dict(zip(self.columns, row)) for row in self.rows]

    def _column(self, index: int) -> list[Cell]:
        return [row[index] for row in self.rows]

    def _is_text(self, index: int) -> bool:
        return any(isinstance(cell, str) for cell in self._column(index))

    def to_pandas(self) -> pandas.DataFrame:
        """Numbers are UInt64, where None is pandas' NA; texts are strings."""
        import pandas

        types = {True: "string", False: "UInt64"}
        return pandas.DataFrame(
            {
                name: pandas.array(self._column(i), dtype=types[self._is_text(i)])
                for i, name in enumerate(self.columns)
            }
        )

    def to_arrow(self) -> pyarrow.Table:
        """Numbers are uint64, texts strings."""
        import pyarrow

        types = {True: pyarrow.string(), False: pyarrow.uint64()}
        return pyarrow.table(
            {
                name: pyarrow.array(self._column(i), type=types[self._is_text(i)])
                for i, name in enumerate(self.columns)
            }
        )

    def _repr_html_(self) -> str:
        def line(tag: str, cells: list[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

        head = line("th", self.columns)
        body = "".join(
            line("td", ["" if cell is None else str(cell) for cell in row]) for row in self.rows
        )
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"

    def __repr__(self) -> str:
        return f"<Table of {len(self.rows)} rows: {', '.join(self.columns)}>"

"""What each call takes when the network runs."""

from __future__ import annotations

from typing import Any

from .table import Cell, Column, Table

_TEXTS = ("kernel", "layer")
_COUNTS = {
    "mac": "multiply-accumulates",
    "loaded": "bytes loaded",
    "divisions": "divisions and remainders",
}


def _bounds(number: dict[str, Any] | int | None) -> tuple[Cell, Cell]:
    if isinstance(number, dict):
        return number["min"], number["max"]
    return (0, None) if number is None else (number, number)


class Profile(dict[str, Any]):
    """The document of `mlf profile --json` (schemas/profile.md). A notebook shows its table."""

    def table(self) -> Table:
        """Return a row for each call.

        A number of several runs has the columns `…_min`, `…_median` and `…_max`.
        """
        measured = [unit for unit in ("cycles", "nanoseconds") if self["total"][unit] is not None]
        spreads = [
            (unit, end)
            for unit in measured
            for end in ("min", "median", "max")
            if end != "median" or self["total"][unit][end] is not None
        ]
        counts = [self["unit"]] if self["unit"] == "instructions" else []
        columns = [Column("call", "position among the calls", False)]
        columns += [Column(name, "", True) for name in _TEXTS]
        columns += [Column(name, "", False) for name in counts]
        columns += [Column(f"{unit}_{end}", "", False) for unit, end in spreads]
        for name, meaning in _COUNTS.items():
            columns += [Column(f"{name}_{end}", meaning, False) for end in ("min", "max")]
        rows: list[tuple[Cell, ...]] = []
        for call in self["calls"]:
            cells: list[Cell] = [call["call"], *(call[name] for name in (*_TEXTS, *counts))]
            cells += [call[unit][end] for unit, end in spreads]
            for name in _COUNTS:
                cells += _bounds(call[name])
            rows.append(tuple(cells))
        return Table(columns, rows)

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

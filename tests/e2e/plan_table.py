"""The pools of many networks in one table: now, the bound, what mlf plans, and TVM's planners.

Checked of every row: the bound is not above the plan, and the plan not above any planner of TVM; of all rows: nine
of ten are within 2 % of the bound, or no other offsets are smaller (the bound also counts results that go over their
inputs).
"""

import dataclasses

CLOSE = 0.02
MOST_NOT_CLOSE = 0.1


@dataclasses.dataclass(frozen=True)
class Row:
    """Bytes of one pool."""

    network: str
    now: int
    bound: int
    ours: int
    planners: dict  # bytes by name of TVM's algorithm
    is_proven: bool = False  # no other offsets are smaller

    def is_close(self):
        return self.is_proven or self.ours <= self.bound * (1 + CLOSE)

    def faults(self):
        best = min([self.now, *self.planners.values()])
        if self.bound > self.ours:
            yield f"{self.network}: bound {self.bound} above {self.ours}"
        if self.ours > best:
            yield f"{self.network}: {self.ours}, and TVM needs {best}"


def faults(rows):
    found = [fault for row in rows for fault in row.faults()]
    far = [row.network for row in rows if not row.is_close()]
    if len(far) > MOST_NOT_CLOSE * len(rows):
        found.append(f"far from their bounds: {', '.join(far)}")
    return found


def text(rows):
    names = list(dict.fromkeys(name for row in rows for name in row.planners))
    widths = [max(10, len(name) + 2) for name in names]
    lines = [
        f"{'NETWORK':44}{'NOW':>9}{'BOUND':>9}{'OURS':>9}{'GAIN':>9}{'%':>6}"
        + "".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))
    ]
    for row in rows:
        gain = row.now - row.ours
        share = 100 * gain / row.now if row.now else 0
        sizes = [str(row.planners.get(name, "?")) for name in names]
        lines.append(
            f"{row.network:44}{row.now:>9}{row.bound:>9}{row.ours:>9}{gain:>9}{share:>6.1f}"
            + "".join(f"{size:>{width}}" for size, width in zip(sizes, widths, strict=True))
        )
    optimal = sum(row.is_proven or row.ours == row.bound for row in rows)
    close = sum(row.is_close() for row in rows)
    smaller = sum(row.ours < row.now for row in rows)
    lines.append(
        f"{len(rows)} pools: {smaller} smaller than now, {optimal} as small as can be, "
        f"{close} that or within {100 * CLOSE:.0f} % of the bound"
    )
    return "\n".join(lines)

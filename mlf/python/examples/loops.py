"""Prints the loops of every kernel and how often they run: loops.py ARCHIVE."""

import sys

import mlf
from mlf.tir import For, IntImm, PrimFunc, Var, walk


def trips(function: PrimFunc) -> dict[str, int | None]:
    """Return the iterations of loops by variable; None if the number is computed at run time."""
    found: dict[str, int | None] = {}
    for node in walk(function):
        match node:
            case For(loop_var=Var(name=name), extent=IntImm(value=count)):
                found[name] = count
            case For(loop_var=Var(name=name)):
                found[name] = None
    return found


def main(path: str) -> None:
    for document in mlf.open(path).tir.values():
        for name, function in document.functions.items():
            for loop, count in trips(function).items():
                print(f"{name} {loop} {'?' if count is None else count}")


if __name__ == "__main__":
    main(*sys.argv[1:])

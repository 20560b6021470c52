"""Computes what a tir-N.json says: proof that the document holds all there is to a network.

The input of this package is the document (with the .npy files it names) and tensors; its rules are
those of schemas/tir.md, and of C where TIR leaves its target to decide. Every PrimFunc becomes a
Python function over NumPy values first.

    document.py     the tables of the document
    views.py        buffers
    memory.py       pointers, tensors, constants, pools
    values.py       what operators compute
    expressions.py  expressions as Python text
    calls.py        operators that are called
    statements.py   statements as Python text
    lanes.py        which loops may run all their iterations at once
    scope.py        the names of a function
    program.py      functions that call each other, and main
"""

from interpreter.document import Document, Unsupported
from interpreter.memory import Missing
from interpreter.program import Program

__all__ = ["Document", "Missing", "Program", "Unsupported"]

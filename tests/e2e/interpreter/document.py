"""The tables of a tir-N.json, by id."""

import base64
import json
import pathlib

import numpy as np


class Unsupported(Exception):
    """The document is fine, but this interpreter has no rule for something in it."""


# A bool is a byte, as everywhere in TVM. Handles are not numbers: see memory.py.
_NUMPY_NAMES = {"bool": "bool_"}
_PLAIN = {"bool", "float16", "float32", "float64"} | {
    sign + bits for sign in ("int", "uint") for bits in ("8", "16", "32", "64")
}


def numpy_name(dtype):
    """How NumPy calls a dtype of TIR."""
    if dtype not in _PLAIN:
        raise Unsupported(f"values of dtype {dtype}")
    return _NUMPY_NAMES.get(dtype, dtype)


def item_size(dtype):
    return np.dtype(numpy_name(dtype)).itemsize


def number_of(expr):
    """The value of an IntImm, which is a string where 32 bits may not do; None for all others."""
    return int(expr["value"]) if expr["node"] == "IntImm" else None


class Document:
    """A tir-N.json that was read; `directory` is where the .npy files of its constants are."""

    def __init__(self, content, directory):
        assert (content["format"], content["version"]) == ("mlf-tir", 1)
        self._losses = content["losses"]
        self.objects = {entry["id"]: entry for entry in content["objects"]}
        self.functions = [f for f in content["functions"] if "function" not in f]
        self._constants = {entry["id"]: entry for entry in content["constants"]}
        self._directory = directory
        scopes = [content, *(f for f in content["objects"] if f["node"] == "PrimFunc")]
        scopes += self.functions
        self.vars = {entry["id"]: entry for scope in scopes for entry in scope["vars"]}
        self.buffers = {entry["id"]: entry for scope in scopes for entry in scope["buffers"]}

    def list_of(self, value):
        """An Array, which is in `objects` if it is used more than once, or nothing."""
        if isinstance(value, dict):
            return self.objects[value["object"]]["elements"]
        return value or []

    def loses(self, code):
        return any(loss["code"] == code for loss in self._losses)

    def constant_bytes(self, number):
        """The elements of a constant, little-endian; None where the source had lost them."""
        entry = self._constants[number]
        if "file" in entry:
            array = np.load(self._directory / entry["file"])
            return array.astype(array.dtype.newbyteorder("<")).tobytes()
        if entry["data"] is None:
            return None
        return base64.b64decode(entry["data"], validate=True)


def read(path):
    path = pathlib.Path(path)
    return Document(json.loads(path.read_text("utf-8")), path.parent)

"""Arrays of NumPy, as the library takes and gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Tensor = tuple[str, str, list[int], bytes]


def tensors(arrays: Mapping[str, Any]) -> list[Tensor]:
    """Return name, element type, shape and bytes in C order, little-endian."""
    import numpy

    made = []
    for name, values in arrays.items():
        array = numpy.asarray(values)
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        made.append((name, str(array.dtype.name), list(array.shape), array.tobytes()))
    return made


def arrays(tensors: Iterable[Tensor]) -> dict[str, Any]:
    """Return arrays by name, in their order."""
    import numpy

    return {
        name: numpy.frombuffer(bytearray(data), numpy.dtype(kind).newbyteorder("<")).reshape(shape)
        for name, kind, shape, data in tensors
    }

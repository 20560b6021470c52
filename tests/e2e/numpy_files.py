"""Files .npy and .npz without NumPy, which Debian's Python lacks."""

import ast
import dataclasses
import io
import math
import struct
import zipfile

DESCRS = {"bool": "|b1", "int8": "|i1", "uint8": "|u1", "float16": "<f2"}
DESCRS |= {f"{kind}{bits}": f"<{kind[0]}{bits // 8}" for kind in ("int", "uint", "float") for bits in (16, 32, 64)}


@dataclasses.dataclass(frozen=True)
class Array:
    dtype: str
    shape: tuple
    data: bytes


def npy(array):
    """As version 2.0; mlf writes 1.0."""
    head = repr({"descr": DESCRS[array.dtype], "fortran_order": False, "shape": tuple(array.shape)})
    return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(head)) + head.encode() + array.data


def read_npy(data):
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    head = ast.literal_eval(data[10 : 10 + length].decode())
    assert not head["fortran_order"] and (10 + length) % 64 == 0
    dtype = next(name for name, descr in DESCRS.items() if descr == head["descr"])
    size = math.prod(head["shape"]) * int(head["descr"][2:])
    assert len(data) == 10 + length + size
    return Array(dtype, head["shape"], data[10 + length :])


def read_npz(path_or_bytes):
    """Arrays by name, in the order of the file."""
    file = io.BytesIO(path_or_bytes) if isinstance(path_or_bytes, bytes) else path_or_bytes
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        return {name.removesuffix(".npy"): read_npy(archive.read(name)) for name in archive.namelist()}


def write_npz(path, arrays, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, array in arrays.items():
            # As numpy.savez does it, for files of any size.
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                member.write(npy(array))

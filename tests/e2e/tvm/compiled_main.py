"""The main of an archive, compiled from its own C and called through the entry that TVM writes."""

import ctypes
import tarfile

import numpy as np
import tvm

import c_library


class CompiledMain:
    """`tvmgen_<name>_run` of the module `name`, which owns the memory of pools."""

    def __init__(self, archive, directory, name="default"):
        directory.mkdir()
        self._library = c_library.compile_archive(archive, directory)
        self._path = directory / "library.so"
        self._entry = f"tvmgen_{name}_run"
        with tarfile.open(archive) as tar:
            header = f"./codegen/host/include/tvmgen_{name}.h"
            self._has_c_interface = header in tar.getnames()

    def run(self, inputs, outputs):
        """Arrays in the order of main's parameters; `outputs` are written."""
        if self._has_c_interface:
            entry = getattr(ctypes.CDLL(str(self._path)), self._entry)
            result = entry(_pointers(inputs), _pointers(outputs))
            assert result == 0, result
            return
        tensors = [tvm.nd.array(array) for array in [*inputs, *outputs]]
        self._library[self._entry](*tensors)
        for array, tensor in zip(outputs, tensors[len(inputs) :]):
            np.copyto(array, tensor.numpy())


def _pointers(arrays):
    """A struct of pointers, as the header of the C interface declares it."""
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))

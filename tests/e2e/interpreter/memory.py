"""Memory as generated C sees it: pointers into storages of bytes, and tensors that hold one.

What is allocated is filled with a pattern, so that reading it before writing shows.
"""

import typing

import numpy as np

from interpreter.document import number_of

_NOT_WRITTEN = 0xA5


class Missing(Exception):
    """The source of the document had lost the bytes of a constant."""


class Pointer(typing.NamedTuple):
    """The address of a byte of a storage."""

    storage: np.ndarray
    offset: int

    def view(self, dtype, count):
        """`count` elements from here; all there are if it is None."""
        view = self.view_up_to(dtype, count)
        assert count in (None, len(view)), "a buffer ends behind its memory"
        return view

    def view_up_to(self, dtype, count):
        """`count` elements, or as many as there are."""
        size = np.dtype(dtype).itemsize
        there = (len(self.storage) - self.offset) // size
        count = there if count is None else min(count, there)
        return self.storage[self.offset : self.offset + count * size].view(dtype)

    def after(self, distance):
        return Pointer(self.storage, self.offset + int(distance))


class Tensor(typing.NamedTuple):
    """A DLTensor: what packed calls pass instead of a pointer."""

    data: Pointer
    shape: tuple


def allocate(dtype, count):
    size = np.dtype(dtype).itemsize * int(count)
    return Pointer(np.full(size, _NOT_WRITTEN, np.uint8), 0)


def pointer_to(array):
    """The elements of a contiguous array, in place."""
    return Pointer(array.reshape(-1).view(np.uint8), 0)


def pointer_to_constant(document, number):
    content = None if number is None else document.constant_bytes(number)
    if content is None:
        raise Missing(f"constant {number}")
    return Pointer(np.frombuffer(content, np.uint8), 0)


def stack_shape(*extents):
    return tuple(int(extent) for extent in extents)


def stack_array(data, shape, _strides, _ndim, element, elem_offset):
    """tvm_stack_make_array; `element` is a zero of the tensor's dtype."""
    if data is not None:
        data = data.after(int(elem_offset) * element.itemsize)
    return Tensor(data, shape or ())


def data_of(argument):
    """What a parameter with a buffer points to, whichever way it was called."""
    return argument.data if isinstance(argument, Tensor) else argument


def disjoint(written, others):
    """Whether nothing in `written` shares a byte with anything else; both are lists of views."""
    for place, views in enumerate(written):
        for group in written[place + 1 :] + others:
            if any(np.may_share_memory(a, b) for a in views for b in group):
                return False
    return True


class Pools:
    """Memory that main does not allocate but is given: `pool_args` of its attributes."""

    def __init__(self, document, main):
        self._document = document
        references = document.list_of((main["attrs"] or {}).get("pool_args"))
        self._infos = [document.objects[reference["object"]] for reference in references]
        places = [info.get("pool_var_idx") for info in self._infos]
        first = len(main["params"]) - len(places)
        self.places = {
            first + k if place is None else number_of(place): k for k, place in enumerate(places)
        }

    def pointer(self, place):
        """The pool that is the parameter at `place`, made anew, with its constants in it."""
        info = self._infos[self.places[place]]
        if info["node"] == "MissingObject":
            raise Missing("what a pool is like")
        pool = allocate("uint8", number_of(info["allocated_size"]))
        description = self._document.objects[info["pool_info"]["object"]]
        for reference in self._document.list_of(description.get("constant_info_array")):
            self._place(pool, self._document.objects[reference["object"]])
        return pool

    def _place(self, pool, constant):
        content = None
        if isinstance(constant["data"], int):
            content = self._document.constant_bytes(constant["data"])
        if content is None:
            raise Missing(constant["name_hint"])
        begin = number_of(constant["byte_offset"])
        pool.storage[begin : begin + len(content)] = np.frombuffer(content, np.uint8)

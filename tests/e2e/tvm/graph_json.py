"""Graph-executor JSON as calls that can be compared."""

import collections
import hashlib
import json
import math
import re

_CONSTANT = "constant"
# TVM's graph executor reshapes in place where AOT calls a kernel.
_MOVE = re.compile(r"__nop|__copy|fused(_nn_batch_flatten|_reshape|_expand_dims|_squeeze)+")


def _kernel(node):
    """The kernel's name without the module's prefix and the number of its twin."""
    name = re.sub(r"^tvmgen_default_", "", node["attrs"]["func_name"])
    return re.sub(r"_\d+$", "", name)


def _item_bytes(dtype):
    bits = 1 if dtype == "bool" else int(re.sub(r"^\D+", "", dtype))
    return -(-bits // 8)


class Graph:
    """The calls, inputs and outputs of a graph; each is told by all that was computed before it.

    A tensor's name is that of the input, or of the call and the position among its results. The
    name of a call is made of its kernel and a digest of the sizes of its results and of the names
    of the tensors it reads: calls of one kernel are equal only if everything before them is.
    Reshapes in place and copies are looked through. Constants do not count: whether a kernel
    contains them or is given them depends on the executor.
    """

    def __init__(self, text, input_count):
        """Of the `null` nodes, the first are the inputs; constants follow."""
        self._json = json.loads(text)
        self._tensors = {}
        self.inputs = []
        self.calls = collections.Counter()
        for index, node in enumerate(self._json["nodes"]):
            if node["op"] != "null":
                self._add_call(index, node)
            elif len(self.inputs) < input_count:
                self._add_input(index)
            else:
                self._tensors[index, 0] = _CONSTANT
        self.outputs = [self._tensor(end) for end in self._json["heads"]]
        self.parts = self.calls, self.inputs, self.outputs

    def _add_input(self, index):
        self._tensors[index, 0] = f"input {len(self.inputs)}"
        self.inputs += self._sizes(index, 1)

    def _add_call(self, index, node):
        reads = [self._tensor(end) for end in node["inputs"]]
        kernel = _kernel(node)
        if _MOVE.fullmatch(kernel):
            (self._tensors[index, 0],) = reads
            return
        sizes = self._sizes(index, int(node["attrs"]["num_outputs"]))
        computed = [name for name in reads if name != _CONSTANT]
        digest = hashlib.sha256(repr((sizes, computed)).encode()).hexdigest()
        name = f"{kernel} {digest[:16]}"
        self.calls[name] += 1
        for position in range(len(sizes)):
            self._tensors[index, position] = f"{name}[{position}]"

    def _tensor(self, end):
        return self._tensors[end[0], end[1]]

    def _sizes(self, index, count):
        """Bytes of the first results of a node.

        The memory planner of TVM 0.9 drops shapes, and keeps booleans as int8.
        """
        first = self._json["node_row_ptr"][index]
        attrs = self._json["attrs"]
        dtypes, shapes = attrs["dltype"][1], attrs["shape"][1]
        entries = range(first, first + count)
        return [_item_bytes(dtypes[k]) * math.prod(shapes[k]) for k in entries]

"""A reader of <m>.topology.json, made from schemas/topology.md and graph.md alone.

It follows main step by step, as the document tells it, and comes to the same values, lives and bytes
in use as the document; then it makes the projection to <m>.graph.json itself.
"""

from collections import Counter


def storage_of(document, value):
    return document["storages"][value["storage"]]


def steps(document):
    """(kind, id, step) of every step of main in execution order."""
    found = [
        (step["position"], kind, number, step)
        for kind, key in (("call", "calls"), ("copy", "copies"), ("hook", "hooks"))
        for number, step in enumerate(document[key])
    ]
    found.sort(key=lambda one: one[0])
    assert [one[0] for one in found] == list(range(len(found))), "positions count all steps"
    return [one[1:] for one in found]


def accesses(kind, number, step):
    """(value, endpoint, touches) of what a step reads, then of what it writes."""
    if kind == "copy":
        end = {"copy": number}
        return [(step["reads"], end, True)], [(step["writes"], end, True)]
    reads, writes = [], []
    for position, argument in enumerate(step.get("arguments", [])):
        end = {"call": number, "argument": position}
        touches = argument["decided_by"] != "untouched"
        reads.append((argument["reads"], end, touches))
        writes.append((argument["writes"], end, touches))
    return reads, writes


def follow(document):
    """Checks every edge against the order of the steps."""
    held = {}  # by storage: the value that it holds
    consumers = {value: [] for value in range(len(document["values"]))}
    last_use = dict.fromkeys(consumers)
    for number, value in enumerate(document["values"]):
        if value["kind"] != "computed":
            assert value["producer"] is None and value["first_definition"] is None
            held[value["storage"]] = number
    for position, (kind, number, step) in enumerate(steps(document)):
        reads, writes = accesses(kind, number, step)
        for value, end, touches in reads:
            if value is None:
                continue
            assert held[document["values"][value]["storage"]] == value, f"stale read at {position}"
            consumers[value].append(end)
            if touches:
                last_use[value] = position
        for value, end, _ in writes:
            if value is None:
                continue
            entry = document["values"][value]
            assert entry["producer"] == end and entry["first_definition"] == position
            held[entry["storage"]] = value
    for number, value in enumerate(document["values"]):
        assert value["consumers"] == consumers[number], value["name"]
        assert value["last_use"] == last_use[number], value["name"]
    for port in document["outputs"]:
        if port["value"] is not None:
            assert held[document["values"][port["value"]]["storage"]] == port["value"]


def lives(document):
    """(first, last) position of every value."""
    end = len(steps(document)) - 1
    returned = {port["value"] for port in document["outputs"]}
    for number, value in enumerate(document["values"]):
        first = value["first_definition"]
        last = value["last_use"]
        if value["kind"] == "constant" or number in returned:
            last = end
        elif last is None:
            last = -1 if first is None else first
        yield number, value, 0 if first is None else first, last


def ranges_in_use(document, region):
    """What is in use at each position, as ranges of bytes; and the end of what is there always."""
    use = [[] for _ in steps(document)]
    kind, pool, base, bases = region["kind"], region["pool"], 0, {}
    for number, storage in enumerate(document["storages"]):
        if storage["memory"] != kind or storage["pool"] != pool:
            continue
        if kind == "pool":
            bases[number] = storage["offset"]
        else:
            bases[number] = base
            base += storage["bytes"]
    for _, value, first, last in lives(document):
        if value["storage"] in bases:
            begin = bases[value["storage"]]
            for position in range(first, last + 1):
                use[position].append((begin, begin + value["bytes"]))

    def place(buffer, at):
        if buffer["memory"] == kind and buffer["pool"] == pool:
            begin = base + buffer["offset"]
            at.append((begin, begin + buffer["bytes"]))

    for call in document["calls"]:
        for buffer in document["kernels"][call["kernel"]]["workspaces"]:
            place(buffer, use[call["position"]])
    for kernel in document["kernels"]:
        for buffer in kernel["constants"]:
            for at in use:
                place(buffer, at)
    return use, base


def check_memory(document):
    calls = {call["position"]: number for number, call in enumerate(document["calls"])}
    for region in document["memory"]:
        use, allocated = ranges_in_use(document, region)
        counts = [len(set().union(*(range(*one) for one in at))) for at in use]
        told, live = [], {entry["position"]: entry["bytes"] for entry in region["live"]}
        for position in range(len(use)):
            told.append(live.get(position, told[-1] if told else None))
        assert told == counts, (region["kind"], told, counts)
        used = max([allocated, *(end for at in use for _, end in at)])
        peak = counts.index(max(counts))
        assert region["used"] == used
        assert region["peak"] == {
            "position": peak, "call": calls.get(peak), "bytes": counts[peak],
        }


class Projection:
    """<m>.graph.json from a topology."""

    def __init__(self, document):
        self.document = document
        self.nodes, self.entries, self.outputs = [], {}, []
        self.names, self.suffixes = set(), Counter()
        self.storage_ids, self.next_storage = {}, 0
        self.nops = {}

    def unique(self, name):
        candidate = name
        while candidate in self.names:
            self.suffixes[name] += 1
            candidate = f"{name}_{self.suffixes[name]}"
        self.names.add(candidate)
        return candidate

    def storage_id(self, value):
        key = value["storage"]
        pooled = self.document["storages"][key]["pool"] is not None
        if pooled or key not in self.storage_ids:
            self.next_storage += 1
            if pooled:
                return self.next_storage - 1
            self.storage_ids[key] = self.next_storage - 1
        return self.storage_ids[key]

    def type_of(self, value):
        if value["dtype"] is None or value["shape"] is None:
            return "uint8", [storage_of(self.document, value)["bytes"] or 0]
        return value["dtype"], value["shape"]

    def add(self, name, outputs, op=None):
        node = {"op": "null" if op is None else "tvm_op", "name": self.unique(name)}
        if op is not None:
            function, inputs, extra = op
            node["attrs"] = {
                "num_outputs": str(len(outputs)), "num_inputs": str(len(inputs)),
                "flatten_data": "0", "func_name": function, **extra,
            }
        node["inputs"] = [] if op is None else op[1]
        self.nodes.append(node)
        self.outputs.append(outputs)
        return len(self.nodes) - 1

    def read(self, value, dtype, shape):
        node, output = self.entries[value]
        written = self.outputs[node][output]
        if dtype is None or shape is None or shape == written[1]:
            return [node, output, 0]
        key = (node, output, tuple(shape))
        if key not in self.nops:
            op = ("__nop", [[node, output, 0]], {})
            self.nops[key] = self.add("reshape_nop", [(dtype, shape, written[2])], op)
        return [self.nops[key], 0, 0]

    def leaves(self):
        ports = {port["value"]: port["name"] for port in self.document["inputs"]}
        for kind in ("input", "constant"):
            for number, value in enumerate(self.document["values"]):
                if value["kind"] == kind:
                    outputs = [(*self.type_of(value), self.storage_id(value))]
                    name = ports.get(number, value["name"])
                    self.entries[number] = (self.add(name, outputs), 0)

    def call(self, call):
        kernel = self.document["kernels"][call["kernel"]]
        inputs, outputs, written = [], [], []
        for argument in call["arguments"]:
            if argument["direction"] in ("input", "in-out"):
                inputs.append(self.read(argument["reads"], argument["dtype"], argument["shape"]))
            if argument["direction"] in ("output", "in-out"):
                value = self.document["values"][argument["writes"]]
                outputs.append((*self.type_of(value), self.storage_id(value)))
                written.append(argument["writes"])
        extra = {} if kernel["hash"] is None else {"hash": kernel["hash"]}
        node = self.add(call["name"], outputs, (kernel["symbol"], inputs, extra))
        for output, value in enumerate(written):
            self.entries[value] = (node, output)

    def run(self):
        self.leaves()
        for kind, _, step in steps(self.document):
            if kind == "call":
                self.call(step)
            elif kind == "copy":
                self.entries[step["writes"]] = self.entries[step["reads"]]
        heads = [self.read(port["value"], port["dtype"], port["shape"])
                 for port in self.document["outputs"]]
        flat = [output for outputs in self.outputs for output in outputs]
        rows = [0]
        for outputs in self.outputs:
            rows.append(rows[-1] + len(outputs))
        return {
            "nodes": self.nodes,
            "arg_nodes": [i for i, node in enumerate(self.nodes) if node["op"] == "null"],
            "heads": heads,
            "attrs": {
                "dltype": ["list_str", [dtype for dtype, _, _ in flat]],
                "device_index": ["list_int", [1] * len(flat)],
                "storage_id": ["list_int", [storage for _, _, storage in flat]],
                "shape": ["list_shape", [shape for _, shape, _ in flat]],
            },
            "node_row_ptr": rows,
        }


def read(document):
    """Checks all that the document says twice; gives the number of edges."""
    assert (document["format"], document["version"]) == ("mlf-topology", 1)
    follow(document)
    if all(region["exactness"] == "exact" for region in document["memory"]):
        check_memory(document)
    return sum(len(value["consumers"]) for value in document["values"])

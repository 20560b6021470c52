"""save_json, tir-N.json and save_json again are the same graph: every node with every field.

The modules are those of a convolutional network between the passes of its builds, for graph executor and
AOT, from Relay before lowering to host functions, and Relay's type definitions.

Usage: PYTHON_OF_A_TVM_VENV whole_graphs.py
"""

import hashlib
import os
import unittest

import support

import need_tvm  # noqa: F401: skips where there is no TVM
import tvm

os.environ["TOPHUB_LOCATION"] = "NONE"  # no network

from tvm import relay
from tvm.relay.backend import Executor, Runtime

import graphs
import layers
import round_trips

EXECUTORS = {
    "graph": Executor("graph"),
    "aot": Executor("aot", {"interface-api": "packed", "unpacked-api": False}),
}
TARGETS = ("c", "llvm", "opencl", "c+opencl")
# With MLF_EVERY_ARCHIVE=1 all of the modules, a few hundred for a build.
STEP = 1 if support.EVERY_ARCHIVE else 47


def network(device):
    """Its convolution is on another device, if one is given."""
    weights = layers.Weights()
    data = relay.var("data", shape=(1, 3, 8, 8))
    value = relay.nn.conv2d(
        data, weights.floats((4, 3, 3, 3)), channels=4, kernel_size=(3, 3), padding=(1, 1)
    )
    if device:
        value = relay.annotation.on_device(value, device, constrain_result=True)
        value = relay.op.device_copy(value, device, tvm.cpu())
    value = relay.nn.max_pool2d(relay.nn.relu(value), (2, 2), strides=(2, 2))
    value = relay.nn.dense(relay.nn.batch_flatten(value), weights.floats((5, 64)))
    return tvm.IRModule.from_expr(relay.Function([data], relay.nn.softmax(value)))


class Captures:
    """Texts of the modules behind the passes, each once."""

    def __init__(self):
        self.texts = {}

    def note(self, label, module):
        text = round_trips.save(module)
        self.texts.setdefault(hashlib.sha256(text).digest(), (label, text))


def captures_of(executor, target):
    """Pairs of a pass and the text of the module behind it."""
    captures = Captures()

    @tvm.instrument.pass_instrument
    class Instrument:
        def run_after_pass(self, module, info):
            captures.note(info.name, module)

    kinds = target.split("+")
    is_c = "c" in kinds
    targets = [tvm.target.Target(kind, host="c" if is_c else "llvm") for kind in kinds]
    runtime = Runtime("crt", {"system-lib": True}) if kinds == ["c"] else Runtime("cpp")
    is_possible = executor == "graph" or len(kinds) == 1
    with tvm.transform.PassContext(3, instruments=[Instrument()], config={"tir.disable_vectorize": is_c}):
        try:
            module = network(tvm.cl() if len(kinds) > 1 else None)
            relay.build(module, targets, executor=EXECUTORS[executor], runtime=runtime)
        except tvm.TVMError as error:
            # AOT has no copies between devices: the passes before are there.
            if is_possible or "Expected the call to be to a lowered primfunc" not in str(error):
                raise
    return list(captures.texts.values())


class WholeGraphs(unittest.TestCase):
    def check(self, label, text, hidden=None):
        """With the names of types that begin with `hidden` changed for mlf, which knows none of them then."""
        known, unknown = (f'"type_key": "{part}'.encode() for part in (hidden or "", "vendor." + (hidden or "")))
        given = text.replace(known, unknown) if hidden else text
        self.assertEqual(given != text, hidden is not None)
        back = round_trips.mlf(round_trips.mlf(given), "--format", "save_json")
        if hidden:
            back = back.replace(unknown, known)
        with self.subTest(label):
            original, loaded = round_trips.load(text), round_trips.load(back)
            self.assertIsNone(graphs.difference(original, loaded))

    def test_builds(self):
        modules = 0
        for executor in EXECUTORS:
            for target in TARGETS:
                captured = captures_of(executor, target)
                print(executor, target, len(captured))
                for label, text in captured[::STEP] + captured[-1:]:
                    self.check(f"{executor} {target} {label}", text)
                    modules += 1
        print("modules:", modules)
        self.assertGreaterEqual(modules, 24)

    def test_unknown_types(self):
        captured = captures_of("graph", "c")
        for hidden in ("relay.attrs.", "relay.", "tir.A", "Int"):
            text = next(text for _, text in reversed(captured) if b'"' + hidden.encode() in text)
            self.check(f"unknown {hidden}", text, hidden)

    def test_type_definitions(self):
        module = tvm.IRModule()
        module.import_from_std("prelude.rly")
        self.check("prelude", round_trips.save(module))

    def test_a_difference_would_be_noticed(self):
        left, right = relay.var("x", "int8"), relay.var("x", "int8")
        both = relay.Tuple([left, left])
        self.assertIsNone(graphs.difference(both, relay.Tuple([right, right])))
        for other in (
            relay.Tuple([left, right]),
            relay.Tuple([left]),
            relay.Tuple([relay.var("y", "int8")] * 2),
            relay.Tuple([relay.var("x", "int16")] * 2),
        ):
            self.assertIsNotNone(graphs.difference(both, other))
            self.assertIsNotNone(graphs.difference(other, both))


if __name__ == "__main__":
    unittest.main()

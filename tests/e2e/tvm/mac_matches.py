"""Multiply-accumulates of whole networks against TVM's own count on Relay.

Of every network that a test builds, and of one layer of each kind, `mlf report` has to say what
`relay.analysis.get_total_mac_number` says of its Relay after `relay.qnn.transform.CanonicalizeOps`:
in one configuration after the other, with TIR that was captured and with the generated C alone.

Usage: PYTHON_OF_A_TVM_VENV mac_matches.py
"""

import unittest

import program_case
import support

import need_tvm  # noqa: F401: skips where there is no TVM
import tvm
from tvm import relay

import builds
import exporter
import kept_builds
import layers
import networks

# MLPerf Tiny has published networks of this size.
KNOWN = {"aww.tflite": 2_656_768, "toycar.tflite": 264_192}


def _data(*shape):
    return relay.var("data", shape=shape)


def _image(layout, weights, **options):
    """A convolution of an image of 9x9, by the layout of its data."""
    options = {"kernel_size": (3, 3), "data_layout": layout} | options
    shape = (1, 8, 9, 9) if layout == "NCHW" else (1, 9, 9, 8)
    return relay.nn.conv2d(_data(*shape), layers.Weights().floats(weights), **options)


def _attention():
    """Products of matrices that are computed, and normalizations that sum up squares."""
    weights = layers.Weights()
    data = _data(16, 32)
    query, key = (
        relay.reshape(relay.nn.dense(data, weights.floats((32, 32))), (1, 16, 32)) for _ in range(2)
    )
    scores = relay.nn.softmax(relay.nn.batch_matmul(query, key))
    mixed = relay.nn.batch_matmul(scores, relay.transpose(key, (0, 2, 1)))
    return relay.nn.layer_norm(mixed, weights.floats((32,)), weights.floats((32,)))


def _normalized():
    """Sums of squares, of products with constants and with gates: none of them is in the count."""
    weights = layers.Weights()
    value = _image("NCHW", (8, 8, 3, 3), channels=8)
    value = relay.nn.instance_norm(value, weights.floats((8,)), weights.floats((8,)))
    value = relay.nn.lrn(value)
    value = value * relay.sigmoid(relay.mean(value, axis=(2, 3), keepdims=True))
    value = relay.nn.l2_normalize(value, 1e-5, [1])
    return relay.nn.avg_pool2d(relay.nn.adaptive_avg_pool2d(value, (4, 4)), (2, 2))


def _dense(batch, inputs, outputs):
    weights = layers.Weights()
    value = relay.nn.dense(_data(batch, inputs), weights.floats((outputs, inputs)))
    return relay.nn.relu(relay.nn.bias_add(value, weights.floats((outputs,))))


LAYERS = {
    "plain": lambda: _image("NCHW", (16, 8, 3, 3), channels=16),
    "plain-nhwc": lambda: _image("NHWC", (3, 3, 8, 7), channels=7, kernel_layout="HWIO"),
    "padded": lambda: _image("NCHW", (16, 8, 3, 3), channels=16, padding=(1, 1)),
    "strided": lambda: _image("NCHW", (16, 8, 3, 3), channels=16, strides=(2, 2), padding=(1, 1)),
    "dilated": lambda: _image("NCHW", (7, 8, 3, 3), channels=7, dilation=(2, 2), padding=(2, 2)),
    "pointwise": lambda: _image("NCHW", (5, 8, 1, 1), channels=5, kernel_size=(1, 1)),
    "grouped": lambda: _image("NCHW", (16, 4, 3, 3), channels=16, groups=2, padding=(1, 1)),
    "depthwise": lambda: _image("NCHW", (8, 1, 3, 3), channels=8, groups=8, padding=(1, 1)),
    "depthwise-nhwc": lambda: _image(
        "NHWC", (3, 3, 8, 1), channels=8, groups=8, kernel_layout="HWOI", strides=(2, 2)
    ),
    "depthwise-twice": lambda: _image("NCHW", (8, 2, 3, 3), channels=16, groups=8),
    "transposed": lambda: relay.nn.conv2d_transpose(
        _data(1, 4, 5, 5),
        layers.Weights().floats((4, 3, 3, 3)),
        channels=3,
        kernel_size=(3, 3),
        strides=(2, 2),
        padding=(1, 1),
        output_padding=(1, 1),
    ),
    "dense": lambda: _dense(1, 64, 12),
    "dense-batch": lambda: _dense(7, 33, 13),
    "dense-one-input": lambda: _dense(4, 1, 5),
    "batch-matmul": lambda: relay.nn.batch_matmul(_data(3, 5, 7), relay.var("other", shape=(3, 6, 7))),
    "attention": _attention,
    "normalized": _normalized,
}


# Before TVM compiles a network it computes equal layers of equal inputs only once.
PREPARATION = tvm.transform.Sequential(
    [
        relay.transform.InferType(),
        relay.qnn.transform.CanonicalizeOps(),
        relay.transform.EliminateCommonSubexpr(),
        relay.transform.InferType(),
    ]
)
# What differs most: who calls how, and who plans the memory.
NETWORK_CONFIGURATIONS = (builds.CONFIGURATIONS[0], builds.CONFIGURATIONS[-1])


def count_of(module):
    """TVM's own count. Quantised operators have to be lowered to those that it knows."""
    with tvm.transform.PassContext(opt_level=3):
        return int(relay.analysis.get_total_mac_number(PREPARATION(module)["main"]))


def told(archive):
    report = support.json_of("report", "--json", archive)
    return [module["mac"] for module in report["modules"]]


def build(make, what):
    """What TVM builds; nothing where it cannot: v0.9 fails for networks without a kernel."""
    try:
        return make()
    except tvm.TVMError as error:
        print(f"not built: {what}: {str(error).strip().splitlines()[-1]}")
        return None


def archives(name, module, configurations, directory):
    """(what it is, archive) of every build of a network."""
    for way in configurations:
        built = build(lambda way=way: kept_builds.aot(module, way), f"{name}, {way.name}")
        if built is None:
            continue
        archive = directory / f"{way.name}.tar"
        built.export(archive)
        yield f"{way.name}, C alone", archive
        exporter.add_members(archive, built.captured)
        yield f"{way.name}, captured TIR", archive
    built = build(lambda: kept_builds.graph(module), f"{name}, graph executor")
    if built is not None:
        archive = directory / "graph.tar"
        built.export(archive)
        yield "graph executor", archive


class MultiplyAccumulates(program_case.Directory):
    def compare(self, name, module, configurations):
        count, builds_of_it = count_of(module), 0
        for what, archive in archives(name, module, configurations, self.directory):
            builds_of_it += 1
            with self.subTest(network=name, build=what):
                self.assertEqual(told(archive), [count])
        print(f"{name:24}{count:>12} in {builds_of_it} builds", flush=True)
        self.assertGreater(builds_of_it, 0, name)
        return count

    def test_layers_have_the_macs_of_tvm(self):
        for turn, (name, maker) in enumerate(LAYERS.items()):
            module = networks.from_relay(maker).module
            count = self.compare(name, module, builds.by_turns(turn, 1))
            self.assertGreater(count, 0, name)

    def test_networks_have_the_macs_of_tvm(self):
        for turn, network in enumerate(networks.all_networks()):
            configurations = builds.by_turns(turn, 1, NETWORK_CONFIGURATIONS)
            count = self.compare(network.name, network.module, configurations)
            self.assertEqual(KNOWN.get(network.name, count), count)


if __name__ == "__main__":
    unittest.main(verbosity=1)

"""Two networks to be drawn: MobileNetV2 in int8, with weights of its own, and a chain of 2,000 calls.

Usage: PYTHON_OF_A_TVM_VENV bench/layout_networks.py DIRECTORY
tests/run --all makes such a Python (build/venv-tvm-0.16). Writes mobilenet-v2.tar and chain.tar.
"""

import os
import pathlib
import sys

_SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_SOURCE / name) for name in ("mlf/tvmc", "tests/e2e/hook", "tests/e2e/tvm", "tests/e2e")]
os.environ.setdefault("MLF_PROGRAM", "mlf")  # of modules that tests share; nothing here calls it

import complete_tvm  # noqa: E402  it is found by the lines above

complete_tvm.complete()

import tvm  # noqa: E402
from tvm import relay  # noqa: E402

import builds  # noqa: E402
import exporter  # noqa: E402
import layers  # noqa: E402
import support  # noqa: E402

_CALLS = 2000

_POINT = layers.Window((1, 1))
_LAST = 1280
# Expansion, channels, times and stride of the first, as in "MobileNetV2: Inverted Residuals and
# Linear Bottlenecks" (Sandler et al., 2018), table 2.
_BLOCKS = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
           (6, 320, 1, 1))  # fmt: skip


def _window_of_three(stride):
    padding = (1, 1, 1, 1) if stride == 1 else (0, 0, 1, 1)
    return layers.Window((3, 3), strides=(stride, stride), padding=padding)


def _bottleneck(weights, data, depth, channels, expansion, stride):
    inner = data
    if expansion > 1:
        inner = layers.convolution(weights, data, _POINT, depth, depth * expansion)
    inner = layers.depthwise_convolution(weights, inner, _window_of_three(stride), depth * expansion)
    result = layers.convolution(weights, inner, _POINT, depth * expansion, channels)
    return layers.add(data, result) if stride == 1 and depth == channels else result


def mobilenet_v2(size=96):
    """For images of `size` x `size`, of which a multiple of 32 is meant."""
    weights = layers.Weights()
    image = relay.var("input", shape=(1, size, size, 3), dtype="int8")
    data = layers.Quantised(image, scale=0.05, zero_point=3)
    depth = 32
    data = layers.convolution(weights, data, _window_of_three(2), 3, depth)
    for expansion, channels, times, stride in _BLOCKS:
        for nth in range(times):
            data = _bottleneck(weights, data, depth, channels, expansion, stride if nth == 0 else 1)
            depth = channels
    data = layers.convolution(weights, data, _POINT, depth, _LAST)
    data = layers.average(data, layers.Window((size // 32, size // 32)))
    data = data._replace(value=relay.reshape(data.value, (1, _LAST)))
    return layers.softmax(layers.dense(weights, data, _LAST, 1000))


def write_mobilenet(path):
    body = mobilenet_v2()
    module = tvm.IRModule.from_expr(relay.Function(relay.analysis.free_vars(body), body))
    factory = builds.aot(module, next(one for one in builds.CONFIGURATIONS if one.name == "c-usmp"))
    exporter.export(factory, path)
    exporter.add_members(path, exporter.captured_tir(factory))


def write_chain(path):
    """Each call reads what the one before has written."""
    kernels = "\n".join(support.KERNEL.replace("default_add", f"default_add_{i}") for i in range(_CALLS))
    text = support.network([(f"add_{i}", [i - 1]) for i in range(_CALLS)], kernels)
    path.write_bytes(support.make_tar({"metadata.json": support.METADATA, "src/tir-1.txt": text}))


def main(directory):
    write_mobilenet(directory / "mobilenet-v2.tar")
    write_chain(directory / "chain.tar")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1])) if len(sys.argv) == 2 else sys.exit(__doc__)

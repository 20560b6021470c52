"""Layers with seeded weights; the quantised ones in int8, laid out and scaled as TFLite does it."""

import math
import typing

import numpy as np
from tvm import relay

# Weights spread over all of int8; this is the standard deviation of that.
_DEVIATION = 74.0
# ReLU takes half of the signal's power, which the next layer gives back.
_GAIN = math.sqrt(2.0)
# A zero point at the lower end of int8 cuts off what is negative.
_RELU = -128


class Weights:
    """Constants, the same ones in every run."""

    def __init__(self, seed=0):
        self._random = np.random.RandomState(seed)

    def floats(self, shape):
        return relay.const(self._random.uniform(-1, 1, shape).astype("float32"))

    def int8(self, shape):
        return relay.const(self._random.randint(-127, 128, shape).astype("int8"))

    def biases(self, channels):
        return relay.const(self._random.randint(-2000, 2000, channels).astype("int32"))

    def scales(self, channels, fan_in):
        """Scales per output channel with which a layer keeps the power of its signal."""
        factors = self._random.uniform(0.5, 1.5, channels)
        return (factors * _GAIN / (_DEVIATION * math.sqrt(fan_in))).astype("float32")


class Quantised(typing.NamedTuple):
    """An int8 tensor, NHWC if it is an image; it stands for scale * (value - zero_point)."""

    value: relay.Expr
    scale: float
    zero_point: int


class Window(typing.NamedTuple):
    """How a convolution moves over height and width; padding is top, left, bottom, right."""

    size: typing.Tuple[int, int]
    strides: typing.Tuple[int, int] = (1, 1)
    padding: typing.Tuple[int, int, int, int] = (0, 0, 0, 0)


def _int32(value):
    return relay.const(value, "int32")


def _float32(value):
    return relay.const(value, "float32")


def _narrowed(sums, data, scales, zero_point):
    """Sums in int32 as int8, at the scale of the layer's input."""
    value = relay.qnn.op.requantize(
        sums,
        relay.const((data.scale * scales).astype("float32")),
        _int32(0),
        _float32(data.scale),
        _int32(zero_point),
        out_dtype="int8",
    )
    return Quantised(value, data.scale, zero_point)


def _convolution(weights, data, window, channels, fan_in, **kernel):
    """A quantised convolution with bias; `kernel` says shape, layout and groups of the weights."""
    scales = weights.scales(channels, fan_in)
    sums = relay.qnn.op.conv2d(
        data.value,
        weights.int8(kernel.pop("shape")),
        _int32(data.zero_point),
        _int32(0),
        _float32(data.scale),
        relay.const(scales),
        kernel_size=window.size,
        channels=channels,
        strides=window.strides,
        padding=window.padding,
        data_layout="NHWC",
        **kernel,
    )
    sums = relay.nn.bias_add(sums, weights.biases(channels), axis=3)
    return _narrowed(sums, data, scales, _RELU)


def convolution(weights, data, window, depth, channels):
    """From `depth` to `channels` channels, with ReLU."""
    height, width = window.size
    return _convolution(
        weights,
        data,
        window,
        channels,
        fan_in=height * width * depth,
        shape=(height, width, depth, channels),
        kernel_layout="HWIO",
    )


def depthwise_convolution(weights, data, window, channels):
    """Each channel by itself, with ReLU."""
    height, width = window.size
    return _convolution(
        weights,
        data,
        window,
        channels,
        fan_in=height * width,
        shape=(height, width, channels, 1),
        kernel_layout="HWOI",
        groups=channels,
    )


def dense(weights, data, depth, units):
    """A fully connected layer with bias, without ReLU."""
    scales = weights.scales(units, depth)
    sums = relay.qnn.op.dense(
        data.value,
        weights.int8((units, depth)),
        _int32(data.zero_point),
        _int32(0),
        _float32(data.scale),
        relay.const(scales),
        units=units,
    )
    sums = relay.nn.bias_add(sums, weights.biases(units))
    return _narrowed(sums, data, scales, zero_point=0)


def add(left, right):
    """The sum of two tensors, with ReLU; what the larger scale cannot hold is cut off."""
    scale = max(left.scale, right.scale)
    value = relay.qnn.op.add(
        left.value,
        right.value,
        _float32(left.scale),
        _int32(left.zero_point),
        _float32(right.scale),
        _int32(right.zero_point),
        _float32(scale),
        _int32(_RELU),
    )
    return Quantised(value, scale, _RELU)


def average(data, window):
    """The mean over a window; its scale is that of `data`."""
    sums = relay.nn.avg_pool2d(
        relay.cast(data.value, "int32"), window.size, strides=window.size, layout="NHWC"
    )
    return data._replace(value=relay.cast(sums, "int8"))


def softmax(data):
    """Probabilities in int8, in steps of 1/256."""
    real = relay.qnn.op.dequantize(data.value, _float32(data.scale), _int32(data.zero_point))
    steps = _float32(1.0 / 256.0)
    return relay.qnn.op.quantize(relay.nn.softmax(real), steps, _int32(-128), out_dtype="int8")

"""Relay operators by family; the kernels of one family make one network.

They are what networks are made of beyond those of networks.py: each shows another form of index,
loop, intrinsic or number to a reader of the generated C.
"""

import numpy as np
from tvm import relay

import layers
from networks import from_relay


def _number(value, dtype="float32"):
    return relay.const(np.array(value, dtype))


class _Inputs:
    """New inputs, each with a name of its own."""

    def __init__(self):
        self._count = 0

    def __call__(self, *shape, dtype="float32"):
        self._count += 1
        return relay.var(f"x{self._count}", shape=shape, dtype=dtype)


def windows():
    """Loops over neighbours, with borders."""
    new, image = _Inputs(), (1, 4, 9, 9)
    yield relay.nn.pad(new(*image), ((0, 0), (0, 0), (1, 2), (2, 1)))
    yield relay.nn.max_pool2d(new(*image), (3, 3), strides=(2, 2), padding=(1, 1))
    yield relay.nn.avg_pool2d(new(*image), (3, 3), strides=(2, 2), padding=(1, 1))
    yield relay.nn.avg_pool2d(new(*image, dtype="int32"), (3, 3), strides=(2, 2), padding=(1, 1))
    yield relay.nn.lrn(new(1, 4, 5, 5), size=3)
    yield relay.image.resize2d(new(1, 3, 5, 5), (9, 9), None, "NCHW", "linear")
    yield relay.image.resize2d(
        new(1, 3, 5, 5), (9, 9), None, "NCHW", "nearest_neighbor", "asymmetric"
    )


def convolutions():
    """Every kind that has a schedule of its own."""
    new, weights = _Inputs(), layers.Weights()
    small, keep = {"kernel_size": (3, 3), "padding": (1, 1)}, (1, 4, 9, 9)
    yield relay.nn.conv2d(new(*keep), weights.floats((8, 4, 3, 3)), channels=8, **small)
    yield relay.nn.conv2d(new(*keep), weights.floats((4, 1, 3, 3)), channels=4, groups=4, **small)
    yield relay.nn.conv2d_transpose(
        new(1, 4, 5, 5), weights.floats((4, 3, 3, 3)), channels=3, strides=(2, 2), **small
    )
    yield relay.nn.conv1d(new(1, 4, 9), weights.floats((8, 4, 3)), kernel_size=3, channels=8)
    yield relay.nn.batch_matmul(new(2, 5, 7), new(2, 6, 7))


def layouts():
    """Indices that are computed, forwards and backwards."""
    new = _Inputs()
    yield relay.strided_slice(new(9, 13), [1, 2], [8, 12], [2, 3])
    yield relay.strided_slice(new(9, 13), [7, 11], [0, 1], [-2, -3])
    yield relay.nn.depth_to_space(new(1, 8, 5, 5), 2)
    yield relay.transpose(new(3, 4, 5), [2, 0, 1])
    yield relay.tile(new(3, 4), (2, 3))
    yield relay.repeat(new(3, 4), 3, axis=1)
    yield relay.reverse(new(3, 4), 1)
    yield relay.stack([new(5, 7), new(5, 7)], 1)
    yield relay.one_hot(new(5, dtype="int32"), _number(1.0), _number(0.0), 10, -1, "float32")
    yield relay.gather(new(5, 7), 0, new(3, 7, dtype="int64"))
    yield relay.take(new(5, 7), new(3, dtype="int64"), axis=1, mode="wrap")


def floats():
    """Intrinsics, some of which the host passes expand, and numbers that seven digits round."""
    new = _Inputs()
    yield relay.sigmoid(new(5, 7))
    yield relay.rsqrt(new(5, 7))
    yield relay.power(new(5, 7), new(5, 7))
    yield relay.sin(relay.cos(relay.tan(relay.atan(new(5, 7)))))
    yield relay.log(relay.sqrt(relay.log2(new(5, 7))))
    yield relay.round(relay.ceil(new(5, 7)))
    yield relay.cast(relay.isnan(new(5, 7)), "float32")
    yield relay.mod(new(5, 7), new(5, 7))
    yield relay.floor_divide(new(5, 7), new(5, 7))
    yield relay.nn.leaky_relu(new(5, 7), 0.1)
    yield relay.add(_number(-3.4e38), new(5, 7))
    yield relay.cast(relay.add(new(5, 7, dtype="float16"), _number(1.5, "float16")), "float32")
    yield relay.nn.layer_norm(new(5, 7), _number([1.0] * 7), _number([0.5] * 7))


def integers():
    """Divisions of either rounding, shifts and masks, in several widths."""
    new = _Inputs()
    three, four = _number(3, "int32"), _number(4, "int32")
    yield relay.left_shift(relay.right_shift(new(5, 7, dtype="int32"), three), new(7, dtype="int32"))
    yield relay.bitwise_xor(
        relay.bitwise_and(new(5, 7, dtype="int32"), _number(7, "int32")),
        relay.bitwise_not(new(5, 7, dtype="int32")),
    )
    yield relay.floor_divide(new(5, 7, dtype="int32"), three)
    yield relay.floor_mod(new(5, 7, dtype="int32"), new(5, 7, dtype="int32"))
    yield relay.divide(new(5, 7, dtype="int32"), four)
    yield relay.mod(new(5, 7, dtype="int32"), four)
    yield relay.floor_divide(new(5, 7, dtype="int8"), _number(3, "int8"))
    yield relay.cast(relay.add(new(5, 7, dtype="uint8"), _number(200, "uint8")), "int64")
    yield relay.clip(new(5, 7, dtype="int8"), -100, 100)


def divisions():
    """Quotients and remainders, rounded down, of numbers whose sign is known or not."""
    new = _Inputs()
    for dtype, numbers in (("int32", (7, -5, 4)), ("int8", (7, -5)), ("uint8", (7, 4))):
        for number in numbers:
            yield relay.floor_divide(new(6, dtype=dtype), _number(number, dtype))
            yield relay.floor_mod(new(6, dtype=dtype), _number(number, dtype))
    yield relay.floor_mod(relay.nn.relu(new(6, dtype="int32")), _number(6, "int32"))


def fixed_point():
    """Multiplications by fractions, which the host passes expand in several ways."""
    new = _Inputs()
    for multiplier, shift in ((1395864371, -3), (1395864371, 2), (1 << 30, 3), (1 << 30, -3)):
        yield relay.fixed_point_multiply(new(5, 7, dtype="int32"), multiplier, shift)
    scales = [_number(value) for value in (0.1, 0.2, 0.15)]
    zeros = [_number(value, "int32") for value in (3, -5, 1)]
    quantised = [part for pair in zip(scales, zeros) for part in pair]
    for operator in (relay.qnn.op.add, relay.qnn.op.mul):
        yield operator(new(5, 7, dtype="int8"), new(5, 7, dtype="int8"), *quantised)
    yield relay.qnn.op.requantize(new(5, 7, dtype="int32"), *quantised[:4], out_dtype="int8")


def reductions():
    """Loops that carry a value."""
    new = _Inputs()
    yield relay.nn.softmax(new(5, 7))
    yield relay.nn.log_softmax(new(5, 7))
    yield relay.mean(new(5, 7, 3), axis=[1])
    yield relay.prod(new(5, 7, 3), axis=[2])
    yield relay.argmin(new(5, 7), axis=1)
    yield relay.cumsum(new(5, 7), axis=1)


def logic():
    """Booleans; none of them an input, as TVM 0.16 cannot export their type."""
    new = _Inputs()

    def flags():
        return relay.cast(new(5, 7, dtype="int8"), "bool")

    both = relay.logical_and(flags(), relay.logical_not(flags()))
    yield relay.where(both, new(5, 7), new(5, 7))
    yield relay.cast(relay.all(flags(), axis=1), "int8")
    yield relay.cast(relay.greater(new(5, 7), new(5, 7)), "int8")


_FAMILIES = (
    windows,
    convolutions,
    layouts,
    floats,
    divisions,
    integers,
    fixed_point,
    reductions,
    logic,
)


def families():
    """One network of each family."""
    networks = []
    for family in _FAMILIES:

        def together(family=family):
            return relay.Tuple(list(family()))

        together.__name__ = family.__name__
        networks.append(from_relay(together))
    return networks

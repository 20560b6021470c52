"""Networks in Relay, each with what is hard about finding its graph again. Weights are seeded."""

import numpy as np
import tflite
import tvm
from tvm import relay

import layers
import support
from keyword_spotting import keyword_spotting

MODELS = support.CORPUS.parent / "models"
_KEEP_SIZE = layers.Window(size=(3, 3), padding=(1, 1, 1, 1))


def _input(name, shape, dtype="float32"):
    return relay.var(name, shape=shape, dtype=dtype)


def _convolution(weights, data, channels):
    """A 3x3 convolution that keeps height and width."""
    return relay.nn.conv2d(
        data,
        weights.floats((channels, channels, 3, 3)),
        channels=channels,
        kernel_size=(3, 3),
        padding=(1, 1),
    )


def plain_convolution():
    """One kernel after the other; layout transforms are kernels of their own."""
    weights = layers.Weights()
    data = _input("data", (1, 4, 8, 8))
    features = relay.nn.relu(_convolution(weights, data, 4))
    pooled = relay.nn.max_pool2d(features, (2, 2), strides=(2, 2))
    flat = relay.nn.batch_flatten(pooled)
    return relay.nn.softmax(relay.nn.dense(flat, weights.floats((5, 64))))


def residual():
    """Two values that live across a convolution and are added behind it."""
    weights = layers.Weights()
    data = _input("data", (1, 8, 8, 8))
    first = relay.nn.relu(_convolution(weights, data, 8))
    second = relay.nn.relu(relay.add(_convolution(weights, first, 8), first))
    third = relay.add(_convolution(weights, second, 8), second)
    flat = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(third))
    return relay.nn.softmax(relay.nn.dense(flat, weights.floats((5, 8))))


def residual_chain():
    """Four equal blocks: kernels are shared, only the edges tell the calls apart."""
    weights = layers.Weights()
    value = _input("data", (1, 3, 6, 6))
    for _ in range(4):
        inner = relay.nn.relu(_convolution(weights, value, 3))
        value = relay.nn.relu(relay.add(_convolution(weights, inner, 3), value))
    return relay.reshape(value, (1, -1))


def dense_connections():
    """Values that live long, read by several later layers each."""
    values = [_input("data", (1, 8))]
    for _ in range(12):
        skipped = values[len(values) // 2]
        values.append(relay.nn.softmax(relay.add(values[-1], skipped)))
    return relay.concatenate(values[-5:], axis=1)


def several_inputs_and_outputs():
    """An input is an output, an inner value is one, and a name is not one in C."""
    data, bias = _input("data", (1, 12)), _input("bias:0", (1, 4))
    parts = relay.split(data, 3, axis=1)
    first = relay.nn.softmax(parts[0])
    last = relay.add(relay.nn.softmax(parts[2]), bias)
    joined = relay.concatenate([last, parts[1], first], axis=1)
    return relay.Tuple([joined, first, data, relay.nn.softmax(first)])


def split_and_concat():
    """Kernels with several outputs; one of them is never read."""
    data = _input("data", (1, 16))
    parts = relay.split(data, 4, axis=1)
    joined = relay.concatenate([parts[3], relay.nn.softmax(parts[0]), parts[1]], axis=1)
    again = relay.split(joined, 2, axis=1)
    return relay.concatenate([again[1], again[0]], axis=1)


def recurrent():
    """Three steps of an LSTM cell; its state goes in and comes out."""
    weights = layers.Weights()
    step, hidden, cell = (_input(name, (1, 4)) for name in ("step", "hidden", "cell"))
    from_input, from_state = weights.floats((16, 4)), weights.floats((16, 4))
    for _ in range(3):
        gates = relay.add(relay.nn.dense(step, from_input), relay.nn.dense(hidden, from_state))
        take, keep, show, fresh = relay.split(gates, 4, axis=1)
        update = relay.multiply(relay.sigmoid(take), relay.tanh(fresh))
        cell = relay.add(relay.multiply(relay.sigmoid(keep), cell), update)
        hidden = relay.multiply(relay.sigmoid(show), relay.tanh(cell))
    return relay.Tuple([hidden, cell])


def reshapes():
    """Reshapes between kernels, of an input, and of outputs."""
    data = _input("data", (2, 3, 4))
    first = relay.nn.softmax(data)
    second = relay.nn.softmax(relay.reshape(first, (6, 4)))
    third = relay.nn.softmax(relay.reshape(relay.reshape(second, (24,)), (4, 6)))
    last = relay.nn.log_softmax(relay.reshape(data, (3, 8)))
    return relay.Tuple(
        [relay.reshape(third, (2, 2, 6)), relay.reshape(first, (24,)), relay.reshape(last, (8, 3))]
    )


def one_kernel_many_times():
    """Twelve calls of one function."""
    value = _input("data", (1, 4))
    for _ in range(12):
        value = relay.nn.softmax(value)
    return value


def twins():
    """Equal kernels on different inputs: swapping two of them changes the result, and no name."""
    left, right = _input("left", (1, 8)), _input("right", (1, 8))
    first, second = relay.nn.softmax(left), relay.nn.softmax(right)
    difference = relay.nn.log_softmax(relay.subtract(second, first))
    return relay.subtract(difference, relay.nn.softmax(second))


def pass_through():
    """An unused input, an input as output, and a constant as output."""
    data, unused = _input("data", (2, 6)), _input("unused", (3,))
    constant = relay.const(np.arange(4, dtype="float32"))
    outputs = relay.Tuple([data, constant, relay.nn.softmax(data)])
    return relay.Function([data, unused], outputs)


def integers():
    """No float anywhere: int64, and a boolean between kernels.

    The boolean is not an output as it is: TVM 0.16 cannot export its type.
    """
    left, right = _input("left", (1, 6), "int64"), _input("right", (1, 6), "int64")
    smaller = relay.less(left, right)
    chosen = relay.where(smaller, relay.cumsum(left, axis=1), right)
    return relay.Tuple([relay.cast(smaller, "int8"), chosen])


def computed_bounds():
    """Windows of unequal size, whose loops compute how far they go; scalars in and out."""
    data, scale = _input("data", (1, 2, 8, 8)), _input("scale", ())
    pooled = relay.nn.adaptive_avg_pool2d(data, (3, 3))
    return relay.multiply(relay.prod(pooled), scale)


def wide_extents():
    """Extents of 64 bits, as frontends make them from formats that have such."""
    shape = [tvm.tir.IntImm("int64", extent) for extent in (2, 6)]
    return relay.nn.softmax(_input("data", shape))


def int8_convolution():
    """Quantised convolutions side by side, and the index of the largest channel."""
    weights = layers.Weights()
    data = layers.Quantised(_input("data", (1, 8, 8, 3), "int8"), scale=0.5, zero_point=4)
    narrow = layers.convolution(weights, data, layers.Window((1, 1)), depth=3, channels=8)
    wide = layers.convolution(weights, data, _KEEP_SIZE, depth=3, channels=8)
    joined = relay.concatenate([narrow.value, wide.value], axis=3)
    pooled = relay.nn.max_pool2d(joined, (2, 2), strides=(2, 2), layout="NHWC")
    return relay.Tuple([pooled, relay.argmax(pooled, axis=3)])


def int8_residual():
    """Two quantised residual blocks; additions bring both sides to one scale."""
    weights = layers.Weights()
    data = layers.Quantised(_input("data", (1, 8, 8, 4), "int8"), scale=0.1, zero_point=-3)
    data = layers.convolution(weights, data, _KEEP_SIZE, depth=4, channels=8)
    for _ in range(2):
        inner = layers.convolution(weights, data, _KEEP_SIZE, depth=8, channels=8)
        inner = layers.convolution(weights, inner, _KEEP_SIZE, depth=8, channels=8)
        data = layers.add(data, inner)
    return layers.average(data, layers.Window((8, 8))).value


def returned_twice():
    """Not among the others: AOT's main writes only one of the two equal outputs."""
    value = relay.nn.softmax(_input("data", (1, 4)))
    return relay.Tuple([value, value, relay.nn.log_softmax(value)])


_MAKERS = (
    plain_convolution,
    residual,
    residual_chain,
    dense_connections,
    several_inputs_and_outputs,
    split_and_concat,
    recurrent,
    reshapes,
    one_kernel_many_times,
    twins,
    pass_through,
    integers,
    computed_bounds,
    wide_extents,
    int8_convolution,
    int8_residual,
    keyword_spotting,
)


class Network:
    """A Relay module with the types of its inputs and outputs."""

    def __init__(self, name, module):
        self.name = name
        self.module = relay.transform.InferType()(module)
        main = self.module["main"]
        self.inputs = {param.name_hint: param.checked_type for param in main.params}
        result = main.ret_type
        self.outputs = list(result.fields) if isinstance(result, tvm.ir.TupleType) else [result]

    def random_inputs(self, seed):
        """An array for every input, by name."""
        random = np.random.RandomState(seed)
        return {name: _random(random, kind) for name, kind in self.inputs.items()}


def _random(random, kind):
    shape = [int(extent) for extent in kind.shape]
    if kind.dtype.startswith("float"):
        return random.uniform(-1, 1, shape).astype(kind.dtype)
    return random.randint(-128, 128, shape).astype(kind.dtype)


def from_relay(maker):
    """The network of a function above."""
    body = maker()
    if not isinstance(body, relay.Function):
        body = relay.Function(relay.analysis.free_vars(body), body)
    return Network(maker.__name__, tvm.IRModule.from_expr(body))


def _from_tflite(path):
    model = tflite.Model.GetRootAsModel(path.read_bytes(), 0)
    module, parameters = relay.frontend.from_tflite(model)
    main = relay.build_module.bind_params_by_name(module["main"], parameters)
    return Network(path.name, tvm.IRModule.from_expr(main))


def all_networks():
    """Those made here, and the real ones beside the checkout if there are any."""
    yield from map(from_relay, _MAKERS)
    yield from map(_from_tflite, sorted(MODELS.glob("*.tflite")))

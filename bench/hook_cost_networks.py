"""Three networks of MLPerf Tiny in Relay, quantised, with weights of their own."""

import tvm
from tvm import relay

import layers
from keyword_spotting import keyword_spotting

_POINT = layers.Window((1, 1))


def _residual_block(weights, data, depth, channels):
    """Two convolutions of 3x3, around which the data goes; where channels grow, the size halves."""
    if depth == channels:
        first, around = layers.Window((3, 3), padding=(1, 1, 1, 1)), data
    else:
        first = layers.Window((3, 3), strides=(2, 2), padding=(0, 0, 1, 1))
        point = _POINT._replace(strides=(2, 2))
        around = layers.convolution(weights, data, point, depth, channels)
    second = layers.Window((3, 3), padding=(1, 1, 1, 1))
    inner = layers.convolution(weights, data, first, depth, channels)
    return layers.add(around, layers.convolution(weights, inner, second, channels, channels))


def resnet():
    """ResNet-8 for images of 32x32."""
    weights = layers.Weights()
    image = relay.var("input", shape=(1, 32, 32, 3), dtype="int8")
    data = layers.Quantised(image, scale=0.05, zero_point=3)
    data = layers.convolution(weights, data, layers.Window((3, 3), padding=(1, 1, 1, 1)), 3, 16)
    for depth, channels in (16, 16), (16, 32), (32, 64):
        data = _residual_block(weights, data, depth, channels)
    data = layers.average(data, layers.Window((8, 8)))
    data = data._replace(value=relay.reshape(data.value, (1, 64)))
    return layers.softmax(layers.dense(weights, data, 64, 10))


def autoencoder():
    """Ten dense layers from 640 numbers through 8 to 640."""
    weights = layers.Weights()
    sound = relay.var("input", shape=(1, 640), dtype="int8")
    data = layers.Quantised(sound, scale=0.05, zero_point=3)
    units = [640, 128, 128, 128, 128, 8, 128, 128, 128, 128, 640]
    for depth, width in zip(units, units[1:]):
        data = layers.dense(weights, data, depth, width)
    return data.value


MAKERS = {
    "resnet-8": resnet,
    "autoencoder": autoencoder,
    "keyword spotting": keyword_spotting,
}


def module_of(name):
    body = MAKERS[name]()
    return tvm.IRModule.from_expr(relay.Function(relay.analysis.free_vars(body), body))

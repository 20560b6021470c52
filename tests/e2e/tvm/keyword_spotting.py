"""Keyword spotting as MLPerf Tiny does it: a depthwise-separable CNN in int8, with own weights.

The layers are those of the DS-CNN of "Hello Edge: Keyword Spotting on Microcontrollers" (Zhang et
al., 2017) in the size of the benchmark: 49 frames of 10 coefficients in, 12 words out.
"""

from tvm import relay

import layers

_CHANNELS = 64
_BLOCKS = 4
_WORDS = 12
_FIRST = layers.Window(size=(10, 4), strides=(2, 2), padding=(4, 1, 5, 1))
_DEPTHWISE = layers.Window(size=(3, 3), padding=(1, 1, 1, 1))
_POINTWISE = layers.Window(size=(1, 1))
_WHOLE_IMAGE = layers.Window(size=(25, 5))


def keyword_spotting():
    weights = layers.Weights()
    sound = relay.var("input", shape=(1, 49, 10, 1), dtype="int8")
    data = layers.Quantised(sound, scale=0.05, zero_point=83)
    data = layers.convolution(weights, data, _FIRST, depth=1, channels=_CHANNELS)
    for _ in range(_BLOCKS):
        data = layers.depthwise_convolution(weights, data, _DEPTHWISE, _CHANNELS)
        data = layers.convolution(weights, data, _POINTWISE, _CHANNELS, _CHANNELS)
    data = layers.average(data, _WHOLE_IMAGE)
    data = data._replace(value=relay.reshape(data.value, (1, _CHANNELS)))
    return layers.softmax(layers.dense(weights, data, _CHANNELS, _WORDS))

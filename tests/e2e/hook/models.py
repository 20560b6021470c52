"""Models in files that tvmc reads: small ones, and the real ones that are there."""

import os
import pathlib
import typing

import hook_support as hook
import support

import networks

_REAL = pathlib.Path(os.environ.get("MLF_MODELS", support.SOURCE / ".." / "shared" / "models"))

# Convolutional, residual, recurrent, quantised, several inputs and outputs.
KINDS = (
    networks.plain_convolution,
    networks.residual,
    networks.recurrent,
    networks.int8_convolution,
    networks.several_inputs_and_outputs,
)
_MADE_HERE = ("small", "relay")
_RELAY = """\
#[version = "0.0.5"]
def @main(%data: Tensor[(1, 8), float32]) {
  let %a = nn.softmax(%data);
  nn.log_softmax(%a)
}
"""


def _onnx_model():
    from onnx import TensorProto, helper  # only one of the environments has it

    nodes = [
        helper.make_node("Softmax", ["data"], ["a"]),
        helper.make_node("LogSoftmax", ["a"], ["b"]),
    ]
    data, result = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8]) for name in ("data", "b")
    )
    graph = helper.make_graph(nodes, "small", [data], [result])
    opset = [helper.make_opsetid("", 13)]
    return helper.make_model(graph, opset_imports=opset, ir_version=7).SerializeToString()


class Model(typing.NamedTuple):
    """A model in a file."""

    name: str
    arguments: typing.Tuple[str, ...]  # of tvmc, to name it
    input_count: int


def skip_unless_there(name):
    """Ends the process if this machine has no such models."""
    if name not in _MADE_HERE and not _real(name).is_file():
        support.skip(f"there is no {_real(name)}")


def of(name, directory):
    """The models that a test calls "small" or "relay", or the real one of that name."""
    if name == "small":
        path, *options = small(directory)
        return [Model(path.name, (path, *options), 1)]
    if name == "relay":
        return [_in_relay(networks.from_relay(maker), directory) for maker in KINDS]
    return [Model(name, (_real(name), "--model-format=tflite"), 1)]


def _real(name):
    return _REAL / f"{name}.tflite"


def _in_relay(network, directory):
    # tvmc does not read back all names that TVM prints.
    text = network.module.astext().replace("%bias:0", "%bias")
    path = directory / f"{network.name}.relay"
    path.write_text(text)
    shapes = (
        f"{name.partition(':')[0]}:{list(map(int, kind.shape))}"
        for name, kind in network.inputs.items()
    )
    options = ("--model-format=relay", "--input-shapes", " ".join(shapes))
    return Model(network.name, (path, *options), len(network.inputs))


def small(directory):
    """Arguments of tvmc that name a model, in a format that each TVM reads."""
    # An input without a shape becomes a constant.
    shapes = ("--input-shapes", "data:[1,8]")
    if hook.IS_OLD:
        path = directory / "small.onnx"
        path.write_bytes(_onnx_model())
        return path, "--model-format=onnx", *shapes
    path = directory / "small.relay"
    path.write_text(_RELAY)
    return path, "--model-format=relay", *shapes


def real():
    """Paths of the real networks beside the checkout, in TFLite."""
    found = sorted(_REAL.glob("*.tflite"))
    if not found:
        print(f"no real networks at {_REAL}: small ones only")
    return found

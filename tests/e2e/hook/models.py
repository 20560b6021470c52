"""Models in files that tvmc reads: a small one, and the real ones that are there."""

import os
import pathlib

import hook_support as hook
import support

_REAL = pathlib.Path(os.environ.get("MLF_MODELS", support.SOURCE / ".." / "shared" / "models"))

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


def small(folder):
    """Arguments of tvmc that name a model, in a format that each TVM reads."""
    # An input without a shape becomes a constant.
    shapes = ("--input-shapes", "data:[1,8]")
    if hook.IS_OLD:
        path = folder / "small.onnx"
        path.write_bytes(_onnx_model())
        return path, "--model-format=onnx", *shapes
    path = folder / "small.relay"
    path.write_text(_RELAY)
    return path, "--model-format=relay", *shapes


def real():
    """Paths of the real networks beside the checkout, in TFLite."""
    found = sorted(_REAL.glob("*.tflite"))
    if not found:
        print(f"no real networks at {_REAL}: small ones only")
    return found

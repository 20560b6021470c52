"""A Relay module as TVM builds it for microcontrollers: target c, C runtime."""

import typing

import tvm
from tvm import relay
from tvm.relay.backend import Executor, Runtime


class Configuration(typing.NamedTuple):
    """How main calls its kernels, and who plans the memory."""

    name: str
    interface: str
    usmp: bool

    @property
    def executor(self):
        is_packed = self.interface == "packed"
        return Executor("aot", {"interface-api": self.interface, "unpacked-api": not is_packed})


PACKED = Configuration("packed", "packed", usmp=False)
CONFIGURATIONS = (
    PACKED,
    Configuration("packed-usmp", "packed", usmp=True),
    Configuration("c", "c", usmp=False),
    Configuration("c-usmp", "c", usmp=True),
)


def _build(module, executor, usmp):
    config = {
        "tir.disable_vectorize": True,  # the generated C has no vector types
        "tir.usmp.enable": usmp,  # its default depends on the version
    }
    target = tvm.target.Target("c", host="c")
    with tvm.transform.PassContext(opt_level=3, config=config):
        return relay.build(module, target, executor=executor, runtime=Runtime("crt"))


def aot(module, configuration):
    return _build(module, configuration.executor, configuration.usmp)


def graph(module):
    return _build(module, Executor("graph"), usmp=False)

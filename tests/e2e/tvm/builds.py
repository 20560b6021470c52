"""A Relay module as TVM builds it for microcontrollers: target c, C runtime."""

import typing

import tvm
from tvm import relay
from tvm.relay.backend import Executor, Runtime

import support


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
PACKED_PLANNED = Configuration("packed-usmp", "packed", usmp=True)
C_PLANNED = Configuration("c-usmp", "c", usmp=True)
CONFIGURATIONS = (PACKED, PACKED_PLANNED, Configuration("c", "c", usmp=False), C_PLANNED)


def is_of_this_version(turn):
    """Whether this version of TVM has the network at this turn; the other version has the others. Both
    have all with MLF_EVERY_ARCHIVE=1."""
    return support.EVERY_ARCHIVE or turn % 2 == tvm.__version__.startswith("0.9.")


def by_turns(turn, count, configurations=CONFIGURATIONS):
    """So many of the configurations, and the others with the other version of TVM. All of them with
    MLF_EVERY_ARCHIVE=1."""
    if support.EVERY_ARCHIVE:
        return configurations
    first = turn + tvm.__version__.startswith("0.9.")
    apart = len(configurations) // count
    return [configurations[(first + i * apart) % len(configurations)] for i in range(count)]


def _build(module, executor, usmp, more_config, **options):
    config = {
        "tir.disable_vectorize": True,  # the generated C has no vector types
        "tir.usmp.enable": usmp,  # its default depends on the version
        **more_config,
    }
    target = tvm.target.Target("c", host="c")
    with tvm.transform.PassContext(opt_level=3, config=config):
        return relay.build(module, target, executor=executor, runtime=Runtime("crt"), **options)


def aot(module, configuration, config=None, **options):
    """With more of the pass context, and more options of relay.build."""
    return _build(module, configuration.executor, configuration.usmp, config or {}, **options)


def graph(module):
    return _build(module, Executor("graph"), False, {})


def graph_with_constants(module):
    """For the graph executor, with constants in the C instead of a file of parameters."""
    target = tvm.target.Target("c", host="c")
    with tvm.transform.PassContext(opt_level=3, config={"tir.disable_vectorize": True}):
        return relay.build(
            module, target, executor=Executor("graph", {"link-params": True}), runtime=Runtime("crt", {"system-lib": True})
        )

"""Relay for a tvmc that does not read it: that of TVM v0.9 gets what later ones have."""

import pathlib

from tvm.driver.tvmc import frontends


class RelayFrontend(frontends.Frontend):
    @staticmethod
    def name():
        return "relay"

    @staticmethod
    def suffixes():
        return ["relay"]

    def load(self, path, shape_dict=None, **kwargs):
        from tvm import parser  # where this class is not needed, TVM has it elsewhere

        return parser.fromtext(pathlib.Path(path).read_text()), {}


def provide():
    if all(frontend.name() != RelayFrontend.name() for frontend in frontends.ALL_FRONTENDS):
        frontends.ALL_FRONTENDS.append(RelayFrontend)

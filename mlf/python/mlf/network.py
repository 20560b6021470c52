"""The network of a module."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import Error

if TYPE_CHECKING:
    import networkx

#: Of the picture: what Graphviz lays out is at most this many calls.
MOST_CALLS_DRAWN = 400


class Network:
    """The content of `src/<module>.topology.json` (schemas/topology.md).

    Ids are positions in these lists. `topology` is the whole document.
    """

    def __init__(self, topology: str, dot: str) -> None:
        self.topology: dict[str, Any] = json.loads(topology)
        self.dot = dot  #: in Graphviz' language

    @property
    def module(self) -> str:
        return str(self.topology["module"])

    @property
    def inputs(self) -> list[dict[str, Any]]:
        return list(self.topology["inputs"])

    @property
    def outputs(self) -> list[dict[str, Any]]:
        return list(self.topology["outputs"])

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """Return the kernels in the order of their first calls."""
        return list(self.topology["kernels"])

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Return the calls in execution order."""
        return list(self.topology["calls"])

    @property
    def values(self) -> list[dict[str, Any]]:
        return list(self.topology["values"])

    def graph(self) -> networkx.MultiDiGraph[Any]:
        """Return a graph with calls, copies and values as nodes `("call", 0)`, `("copy", 0)`, `("value", 0)`.

        An edge connects a value to its readers, and its writer to the value; its attribute `argument` is the
        position among the arguments of a call. Attributes of nodes are those of the topology.
        """
        import networkx

        graph: networkx.MultiDiGraph[Any] = networkx.MultiDiGraph(name=self.module)
        for kind in ("call", "copy", "value"):
            rows = self.topology["copies" if kind == "copy" else kind + "s"]
            graph.add_nodes_from(((kind, number), row) for number, row in enumerate(rows))
        for number, value in enumerate(self.values):
            node = ("value", number)
            if value["producer"] is not None:
                step, argument = _step(value["producer"])
                graph.add_edge(step, node, argument=argument)
            for consumer in value["consumers"]:
                step, argument = _step(consumer)
                graph.add_edge(node, step, argument=argument)
        return graph

    def svg(self) -> str:
        """Return the picture of `mlf graph --format svg`, without costs in its boxes.

        Errors: NotImplementedError without Graphviz.
        """
        draw = getattr(_core, "svg", None)
        if draw is None:
            raise NotImplementedError("this build of mlf has no Graphviz")
        return str(draw(self.dot))

    def _repr_svg_(self) -> str | None:
        """Return the picture; None without Graphviz or its plugins: notebooks show the text then."""
        if len(self.calls) > MOST_CALLS_DRAWN:
            return None
        try:
            return self.svg()
        except (NotImplementedError, Error):
            return None

    def __repr__(self) -> str:
        return f"<Network {self.module!r}: {len(self.calls)} calls>"


def _step(end: dict[str, int]) -> tuple[tuple[str, int], int | None]:
    """Return the node of the call or copy at an end of an edge, and the argument of the call."""
    if "copy" in end:
        return ("copy", end["copy"]), None
    return ("call", end["call"]), end["argument"]

#!/usr/bin/env python3
"""What lays out a network: Graphviz, which draws before the page is written, beside ELK.

Usage: bench/layout.py MLF ELKJS ARCHIVE…
ELKJS is node_modules/elkjs/lib/elk.bundled.js where `npm install elkjs@0.12.0` was run;
bench/layout_networks.py makes two archives. Processor time of the layout alone: the starts of `dot` and
of Node do not count. Both get the same boxes and labels, in sizes of Graphviz. ELK's first run compiles
the script, as in a page; one that wraps is asked for a square.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from processes import cost, machine

_LAYOUT = pathlib.Path(__file__).with_suffix(".mjs")
_POINTS = 72  # of an inch
_LAYERED = {"elk.algorithm": "layered", "elk.direction": "DOWN"}
_WRAPPED = {**_LAYERED, "elk.layered.wrapping.strategy": "MULTI_EDGE", "elk.aspectRatio": "1"}
_RUNS = {"ELK layered, first run": _LAYERED, "ELK layered": _LAYERED, "ELK layered, wrapped": _WRAPPED}
# Letters and lines of labels at edges, in points: Graphviz does not say how large they are.
_LETTER, _LINE = 4.5, 11


def output_of(*command, text=None):
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


def elk_graph(drawn):
    """For ELK, what `dot -Tjson` has laid out."""
    nodes = {one["_gvid"]: one for one in drawn["objects"] if "label" in one and "nodes" not in one}
    children = [{"id": node["name"], "width": float(node["width"]) * _POINTS,
                 "height": float(node["height"]) * _POINTS} for node in nodes.values()]  # fmt: skip
    edges = []
    for edge in drawn["edges"]:
        lines = edge["label"].split("\\n")
        label = {"text": edge["label"], "width": max(map(len, lines)) * _LETTER, "height": len(lines) * _LINE}
        edges.append({"id": f"edge{len(edges)}", "sources": [nodes[edge["tail"]]["name"]],
                      "targets": [nodes[edge["head"]]["name"]], "labels": [label]})  # fmt: skip
    return {"children": children, "edges": edges}


def row(what, seconds, width, height):
    print(f"  {what:24}{seconds:6.2f} s   {width:6.0f} x {height:.0f} points")


def measure(mlf, elkjs, archive, directory):
    network, empty = directory / "network.dot", directory / "empty.dot"
    network.write_text(output_of(mlf, "graph", archive, "--format", "dot"))
    empty.write_text("digraph {}")
    begun, whole = (cost(["dot", "-Tjson", one], runs=3).processor for one in (empty, network))
    drawn = json.loads(output_of("dot", "-Tjson", network))
    graph = elk_graph(drawn)
    print(f"{pathlib.Path(archive).name}: {len(graph['children'])} boxes, {len(graph['edges'])} edges")
    row("Graphviz", whole - begun, *map(float, drawn["bb"].split(",")[2:]))
    graph["runs"] = list(_RUNS.values())
    said = output_of("node", _LAYOUT, pathlib.Path(elkjs).resolve(), text=json.dumps(graph))
    for what, run in zip(_RUNS, json.loads(said)):
        row(what, run["seconds"], run["width"], run["height"])


def main(mlf, elkjs, *archives):
    print(machine())
    with tempfile.TemporaryDirectory() as directory:
        for archive in archives:
            measure(mlf, elkjs, archive, pathlib.Path(directory))


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) > 3 else sys.exit(__doc__)

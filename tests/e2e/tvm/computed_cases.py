"""What json_computes.py runs: a main in C, and the documents that should compute the same."""

import json
import re
import typing

import numpy as np
from tvm import __version__ as tvm_version

import builds
import kept_builds
import networks
import support

_DATA = support.SOURCE / "tests" / "data"
# Corpus archives of these versions are given to the wheel whose headers are nearest.
_VERSIONS = ("0.9", "0.9-dev") if tvm_version.startswith("0.9.") else ("0.16", "0.18")


class Tensors(typing.NamedTuple):
    """Shapes and dtypes, in the order of main's parameters."""

    inputs: list
    outputs: list

    def random_inputs(self, seed):
        random = np.random.RandomState(seed)
        return [_random(random, *kind) for kind in self.inputs]

    def empty_outputs(self):
        return [np.zeros(*kind) for kind in self.outputs]


def _random(random, shape, dtype):
    if dtype.startswith("float"):
        return np.asarray(random.uniform(-1, 1, shape)).astype(dtype)
    first, last = (0, 2) if dtype == "bool" else (-128, 128)
    return np.asarray(random.randint(first, last, shape)).astype(dtype)


class Case(typing.NamedTuple):
    name: str
    archive: str
    module: str
    tensors: Tensors
    documents: dict  # by the source they were read from


def _documents(stock, captures, directory, member):
    """What mlf makes of the archive with each capture of its TIR, and without."""
    documents = {}
    members = support.without_tir(support.members_of(stock))
    for source, added in {**captures, "c": {}}.items():
        archive = directory / f"{source}.tar"
        archive.write_bytes(support.make_tar(members | added))
        support.run_ok("process", archive)
        documents[source] = json.loads(support.members_of(archive)[f"src/{member}.json"])
    return documents


def _built(network, configuration, directory):
    build = kept_builds.aot(network.module, configuration)
    archive = directory / "stock.tar"
    build.export(archive)
    captures = {
        source: {f"./src/{name}": build.captured[f"src/{name}"].encode()}
        for source, name in {"save_json": "tir-1.tvm.json", "text": "tir-1.txt"}.items()
    }
    tensors = Tensors(
        [_kind(kind) for kind in network.inputs.values()], [_kind(k) for k in network.outputs]
    )
    documents = _documents(archive, captures, directory, "tir-1")
    name = f"{network.name} {configuration.name}"
    return Case(name, archive, "default", tensors, documents)


def _kind(tensor_type):
    return [int(extent) for extent in tensor_type.shape], tensor_type.dtype


def _configurations(number, network):
    """All of them for keyword spotting, else the next one: each gets its share."""
    if network.name == "keyword_spotting":
        return builds.CONFIGURATIONS
    if network.name == "pass_through":  # the memory planner of TVM 0.9 loses its constant
        return (builds.PACKED,)
    return (builds.CONFIGURATIONS[(number + 1) % len(builds.CONFIGURATIONS)],)


def built(directory):
    """Networks that the TVM of this interpreter builds."""
    for number, network in enumerate(networks.all_networks()):
        for configuration in _configurations(number, network):
            place = directory / f"{network.name}-{configuration.name}"
            place.mkdir()
            yield _built(network, configuration, place)


def network(maker, directory):
    """One network, as the C interface without memory planning has it."""
    return _built(networks.from_relay(maker), builds.CONFIGURATIONS[2], directory)


def bundled(directory):
    """Archives of the repository, and those of the corpus where it is there."""
    directories = {f"tvm-{version}" for version in _VERSIONS}
    corpus = [path for path in support.archives() if path.parts[-3] in directories]
    found = support.bundled_archives() + support.c_archives() + corpus
    for number, original in enumerate(found):
        if not _LEFT_OUT.search("/".join(original.parts[-2:])):
            yield from _of_archive(original, directory / str(number))


# No network; CMSIS-NN, whose C is not here; and one whose output does not depend on its input.
_LEFT_OUT = re.compile(r"-graph/|\bop-|cmsis-nn|resnet8")


def _of_archive(original, directory):
    directory.mkdir()
    name = "/".join(original.parts[-3:-1]) if original.stem == "module" else original.stem
    captures = _captures_of(original)
    for module, topology in _topologies(original, directory):
        member = topology["provenance"]["source"]
        tensors = Tensors(
            [(value["shape"], value["dtype"]) for value in topology["inputs"]],
            [(value["shape"], value["dtype"]) for value in topology["outputs"]],
        )
        documents = _documents(original, captures, directory, member)
        yield Case(f"{name} {module}", original, module, tensors, documents)


def _topologies(archive, directory):
    """(name of the module, its topology) for each network of an archive."""
    processed = directory / "processed.tar"
    support.run_ok("process", archive, "-o", processed)
    for name, content in support.members_of(processed).items():
        if name.endswith(".topology.json"):
            topology = json.loads(content)
            yield topology["module"], topology


def _captures_of(original):
    members = support.members_of(original)
    texts = {name: members[name] for name in members if name.startswith("src/tir-") and name.endswith(".txt")}
    saved = {
        f"src/tir-{path.stem[len('save-') :]}.tvm.json": path.read_bytes()
        for path in original.parent.glob("save-*.json")
    }
    return {source: added for source, added in (("save_json", saved), ("text", texts)) if added}

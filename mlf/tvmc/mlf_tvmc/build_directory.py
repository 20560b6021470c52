"""A directory with the TIR of builds that have no archive; see schemas/build.md."""

import itertools
import json
import pathlib

from . import delivery, program, temporary, tvm_api
from .build import Build, Facts

NAME = "build.json"


class _Module:
    """A build in a directory, and its TIR."""

    def __init__(self, build, captured, name):
        self.captured = captured
        self.name = name
        self._facts = build.facts

    @property
    def _graph_file(self):
        return f"{self.name}.graph" if self._facts.graph else None

    def write_into(self, directory, twins):
        """Write its TIR, and return the paths."""
        paths = [file.write_into(directory) for one in self.captured for file in one.files(twins)]
        if self._graph_file:
            (directory / self._graph_file).write_text(self._facts.graph)
        return paths

    def document(self):
        targets = sorted({one.key for one in self.captured if one.key})
        return {
            "name": self.name,
            "style": "operator" if self._facts.is_operator else "full-model",
            "executor": self._facts.executor,
            "runtime": self._facts.runtime,
            "targets": [key.text for key in targets],
            "tir": [
                {"stem": one.stem, "stage": one.stage.name, "target": targets.index(one.key) if one.key else None}
                for one in self.captured
            ],
            "graph": self._graph_file,
            "parameters": list(self._facts.parameters),
        }


def _name_of(build, captured, taken):
    """Return the module's name, or the first of name-2, name-3, … that no other build has."""
    functions = {name for one in captured for name in tvm_api.symbols_of(one.module)}
    # tvm.build does not name its product; a single function gives its own name.
    stem = build.facts.name or (functions.pop() if len(functions) == 1 else "default")
    names = itertools.chain([stem], (f"{stem}-{i}" for i in itertools.count(2)))
    return next(name for name in names if name not in taken)


def _modules(builds, stages):
    stems, modules = set(), {}
    for build in builds:
        captured = delivery.named(delivery.modules_by_stage(build, stages), stems)
        if captured:
            name = _name_of(build, captured, modules)
            modules[name] = _Module(build, captured, name)
    return list(modules.values())


def _remove_earlier(path):
    """Remove the captures that build.json of an earlier export lists."""
    try:
        document = json.loads((path / NAME).read_text())
        stems = [one["stem"] for module in document["modules"] for one in module["tir"]]
    except (OSError, ValueError, KeyError, TypeError):
        return
    for stem in stems:
        if pathlib.PurePath(stem).name == stem:
            for suffix in (".txt", ".tvm.json"):
                (path / (stem + suffix)).unlink(missing_ok=True)


def _write_list(modules, path):
    document = {
        "format": "mlf-build",
        "version": 1,
        "tvm_version": tvm_api.version(),
        "modules": [module.document() for module in modules],
    }
    (path / NAME).write_text(json.dumps(document, indent=1) + "\n")


def document_of(captured, twin):
    """Return mlf's JSON of a Captured with this lossless form as a dictionary, with target and stage."""
    module = _Module(Build(facts=Facts(is_operator=True)), [captured], "default")
    with temporary.directory() as name:
        path = pathlib.Path(name)
        (path / f"{captured.stem}.tvm.json").write_text(twin)
        _write_list([module], path)
        return json.loads(program.run("tir", f"{path}:{captured.stem}.tvm.json"))


def write(builds, stages, path, twins):
    """Write builds into the directory `path`, with `twins` in lossless form too. Return the paths of their
    TIR."""
    path.mkdir(parents=True, exist_ok=True)
    _remove_earlier(path)
    modules = _modules(builds, stages)
    if not modules:
        return []
    paths = [file for module in modules for file in module.write_into(path, twins)]
    _write_list(modules, path)
    # These names belong to the directory: replace files of an earlier export.
    program.run("--quiet", "process", "--force", program.path_argument(path))
    return paths + [path / f"{one.stem}.json" for module in modules for one in module.captured]

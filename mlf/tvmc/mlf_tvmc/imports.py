"""Run code after the import of a module."""

import importlib.abc
import sys


class _Loader(importlib.abc.Loader):
    def __init__(self, loader, callback):
        self._loader = loader
        self._callback = callback

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        self._callback(module)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name, callback):
        self._name = name
        self._callback = callback

    def find_spec(self, fullname, path, target=None):
        if fullname != self._name:
            return None
        later = sys.meta_path[sys.meta_path.index(self) + 1 :]
        found = (finder.find_spec(fullname, path, target) for finder in later)
        spec = next(filter(None, found), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._callback)
        return spec


def when_imported(name, callback):
    """Call callback(module) now if the module is imported, else after each import."""
    if name in sys.modules:
        callback(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, callback))

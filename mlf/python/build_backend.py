"""scikit-build-core with another sdist: the wheel is compiled from the whole repository, which an sdist of
this directory alone would lack.

The root directory of the sdist has these parts of the repository at their usual paths, and the files of the
package (pyproject.toml states the source directory for CMake).
"""

import os
import pathlib
import shutil
import tempfile

from scikit_build_core import build as scikit
from scikit_build_core.build import *  # noqa: F403  # all hooks that this file does not define

HERE = pathlib.Path(__file__).resolve().parent
OWN_FILES = ("build_backend.py", "pyproject.toml", "README.md")
# Only the files to compile: tests and their data are much larger.
PARTS = ("CMakeLists.txt", "include", "mlf", "schemas", "src")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "build", "dist-info", "node_modules", "pictures", "tests")


def build_sdist(sdist_directory, config_settings=None):
    is_unpacked_sdist = (HERE / "PKG-INFO").exists()
    repository = HERE if is_unpacked_sdist else HERE.parent.parent
    sdist_directory = pathlib.Path(sdist_directory).resolve()
    with tempfile.TemporaryDirectory() as name:
        staged = pathlib.Path(name)
        for part in (repository / one for one in PARTS):
            if part.is_dir():
                shutil.copytree(part, staged / part.name, ignore=LEFT_OUT)
            else:
                shutil.copy(part, staged)
        for one in OWN_FILES:
            shutil.copy(HERE / one, staged)
        # Backends work in the directory of pyproject.toml.
        os.chdir(staged)
        try:
            return scikit.build_sdist(str(sdist_directory), config_settings)
        finally:
            os.chdir(HERE)

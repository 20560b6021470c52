"""Storage for the tests of mlf.batch, where fetching an archive may fail or end the process.

poisoned:///DIRECTORY/NAME is a file of this machine; a file NAME.fails or NAME.kills beside it says what
becomes of a worker that fetches it. Workers of Dask load this before anything else, and so does the test.
"""

import os
import pathlib
import shutil
import signal

import fsspec
from fsspec.implementations.local import LocalFileSystem


class PoisonedStorage(fsspec.AbstractFileSystem):
    protocol = "poisoned"
    cachable = False

    def ls(self, path, detail=True, **more):
        return LocalFileSystem().ls(path, detail, **more)

    def info(self, path, **more):
        return LocalFileSystem().info(path, **more)

    def get_file(self, path, target, **_more):
        if pathlib.Path(f"{path}.kills").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        if pathlib.Path(f"{path}.fails").exists():
            raise OSError("no answer")
        shutil.copyfile(path, target)


fsspec.register_implementation("poisoned", PoisonedStorage, clobber=True)

"""The generated C of an archive as a library that TVM loads."""

import pathlib
import subprocess
import tarfile

import tvm

_WHEEL = pathlib.Path(tvm.__file__).parent
_HEADERS = [_WHEEL / name for name in ("include", "dlpack/include", "dmlc-core/include")]
# The C of TVM 0.9 uses bool without including its header; float16 is what OpenCL calls it.
_DIALECT = ["-include", "stdbool.h", "-Dhalf=_Float16"]
# No fused multiply-add: whether gcc may fuse depends on what it knows about a kernel's constants,
# and AOT's kernels contain theirs.
_FLAGS = ["-O1", "-ffp-contract=off", *_DIALECT, "-shared", "-fPIC", "-w"]


def compile_archive(archive, directory):
    """Compiles `codegen/host` of `archive` in `directory`."""
    with tarfile.open(archive) as tar:
        wanted = [m for m in tar.getmembers() if m.name.startswith("./codegen/host/")]
        tar.extractall(directory, members=wanted)
    host = directory / "codegen" / "host"
    includes = [f"-I{path}" for path in (host / "include", *_HEADERS) if path.is_dir()]
    library = directory / "library.so"
    sources = sorted(map(str, host.glob("src/*.c")))
    subprocess.run(["gcc", *_FLAGS, *includes, "-o", str(library), *sources, "-lm"], check=True)
    return tvm.runtime.load_module(str(library))

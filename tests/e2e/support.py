"""What the end-to-end tests share: the program, archives, and their bytes."""

import collections
import contextlib
import dataclasses
import fcntl
import functools
import io
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import termios

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Tests start it in other directories, too.
PROGRAM = str(pathlib.Path(os.environ.get("MLF_PROGRAM", SOURCE / "build/quick/mlf/mlf")).absolute())
ARCHIVES = SOURCE / "tests" / "data" / "archives"
BUNDLED_CORPUS = SOURCE / "tests" / "data" / "corpus"
SKIP = 77


def commands():
    """The commands of the program, as its help lists them."""
    block = re.search(r"^Commands:\n(.*?)\n\n", run_ok("--help").stdout.decode(), re.MULTILINE | re.DOTALL)
    return re.findall(r"^  (\w+) ", block[1], re.MULTILINE)


def corpus_directory():
    """$MLF_CORPUS, else the corpus beside the checkout, else the few archives of it that are bundled."""
    beside = SOURCE / ".." / "shared" / "corpus"
    given = os.environ.get("MLF_CORPUS")
    return pathlib.Path(given) if given else beside if beside.is_dir() else BUNDLED_CORPUS


def number_of_commit():
    """A number that changes with each commit, and only then: it selects a sample. 0 outside of a repository."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=SOURCE, capture_output=True, text=True)
    return int(head.stdout.strip()[:8], 16) if head.returncode == 0 else 0


CORPUS = corpus_directory()
EVERY_ARCHIVE = os.environ.get("MLF_EVERY_ARCHIVE") == "1"
UNCHANGED = (str(BUNDLED_CORPUS.parent), str(CORPUS))
HAS_WHOLE_CORPUS = CORPUS.resolve() != BUNDLED_CORPUS.resolve()
BLOCK = 512

# Metadata of TVM v0.9 and later, as small as it gets.
METADATA = json.dumps(
    {
        "modules": {
            "default": {
                "executors": ["aot"],
                "export_datetime": "2024-01-01 00:00:00Z",
                "memory": {"functions": {"main": [], "operator_functions": []}},
                "model_name": "default",
                "style": "full-model",
                "target": ["c -keys=cpu "],
            }
        },
        "version": 7,
    },
    indent=2,
    sort_keys=True,
)

LEGACY_TEXT = """\
@main = primfn() -> ()
  attr = {"global_symbol": "main"}
{
  @tir.ret(0, dtype=int32)
}
"""

# A network of one kernel, as TVM v0.12 and later print it.
NETWORK = """\
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def __tvm_main__(x: T.handle, output: T.handle):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True)})
        x_buffer = T.match_buffer(x, (4,), align=16)
        output_buffer = T.match_buffer(output, (4,), align=16)
        T.tvm_check_return(0, -1, T.call_extern("int32", "tvmgen_default_add", x_buffer.data, output_buffer.data))

    @T.prim_func
    def tvmgen_default_add(p0: T.Buffer((4,), "float32"), T_add: T.Buffer((4,), "float32")):
        for i in range(4):
            T_add[i] = p0[i] + T.float32(1)
"""
KERNEL = NETWORK[NETWORK.index("    @T.prim_func\n    def tvmgen"):]


def network(calls, kernels=KERNEL):
    """NETWORK with other calls, each a kernel's name behind "tvmgen_default_" and the numbers of the
    calls whose results it reads, -1 for the input. Each result has memory of its own; the last is
    the output."""
    made = [*(f"sid_{i}" for i in range(len(calls) - 1)), "output_buffer.data"]
    lines = [f'        {name} = T.allocate([16], "int8", "global.workspace")\n' for name in made[:-1]]
    for result, (kernel, reads) in zip(made, calls, strict=True):
        arguments = ["x_buffer.data" if k < 0 else made[k] for k in reads]
        lines.append("        T.tvm_check_return(0, -1, T.call_extern(\"int32\", "
                     f'"tvmgen_default_{kernel}", {", ".join([*arguments, result])}))\n')
    head = NETWORK[: NETWORK.index("        T.tvm_check_return")]
    return head + "".join(lines) + "\n" + kernels


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def least(number):
    """Of a number in a document: an integer where it is exact, {"min", "max"}, or null."""
    if isinstance(number, dict):
        return number["min"]
    return 0 if number is None else number


def most(number):
    """None where there is no maximum."""
    return number["max"] if isinstance(number, dict) else number


def bundled_archives():
    return sorted(ARCHIVES.glob("*.tar"))


def every_archive():
    """The bundled archives, and all of the corpus."""
    found = bundled_archives() + sorted(CORPUS.glob("*/*/module.tar"))
    assert found, f"there are no archives in {CORPUS}"
    return found


def c_archives():
    """Archives with generated C of each kind, for those who read or compile it."""
    return sorted((SOURCE / "tests" / "data" / "c").glob("*/module.tar"))


def is_any(path):
    return True


def is_planned(path):
    """Whether the archive's memory is in pools."""
    return "usmp" in path.parent.name


def archives(keep=is_any):
    """The bundled archives that `keep` takes, and one of each network of the corpus: each build about as often
    as the others. Each build and each version is there.

    All of them with MLF_EVERY_ARCHIVE=1. The unit tests read the whole corpus.
    """
    if EVERY_ARCHIVE or not HAS_WHOLE_CORPUS:
        return list(filter(keep, every_archive()))
    networks = collections.defaultdict(list)
    for path in filter(keep, sorted(CORPUS.glob("*/*/module.tar"))):
        network, build = re.fullmatch(r"(.+?)((?:-aot-|-graph).*)?", path.parent.name).groups()
        networks[network].append((path, [build, path.parent.parent.name]))
    chosen, times = [], collections.Counter()
    for of_network in sorted(networks.values(), key=len):
        path, kinds = min(of_network, key=lambda one: sum(times[kind] for kind in one[1]))
        times.update(kinds)
        chosen.append(path)
    for path, kinds in sum(networks.values(), []):
        if not all(times[kind] for kind in kinds):
            times.update(kinds)
            chosen.append(path)
    return list(filter(keep, bundled_archives())) + sorted(chosen)


def archives_with_c(keep=is_any):
    return archives(keep) + list(filter(keep, c_archives()))


@contextlib.contextmanager
def temporary_directory():
    """The path of a directory."""
    with tempfile.TemporaryDirectory() as name:
        yield pathlib.Path(name)


def directory_of(test_class):
    """The path of a directory that all tests of a class share."""
    context = tempfile.TemporaryDirectory()
    test_class.addClassCleanup(context.cleanup)
    return pathlib.Path(context.name)


def run_anew(*arguments, **options):
    """Runs mlf; the result has bytes in `stdout` and `stderr`."""
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, check=False, **options)


_run_once = functools.lru_cache(maxsize=1000)(run_anew)


def run(*arguments, **options):
    """The same; a command that names only files of tests/data and of the corpus, which no test changes, runs once."""
    words = tuple(map(str, arguments))
    paths = [word for word in words if "/" in word]
    if options or not paths or not all(word.startswith(UNCHANGED) for word in paths):
        return run_anew(*words, **options)
    return _run_once(*words)


def run_to(code, *arguments, **options):
    """Runs mlf to this exit code."""
    result = run(*arguments, **options)
    assert result.returncode == code, (
        f"mlf {arguments}: exit {result.returncode}\n{result.stderr.decode(errors='replace')}"
    )
    return result


def run_ok(*arguments, **options):
    return run_to(0, *arguments, **options)


def json_of(*arguments, code=0, **options):
    """What mlf prints, as JSON."""
    return json.loads(run_to(code, *arguments, **options).stdout)


def report_of(*arguments, **options):
    """What `mlf report` says of the only module."""
    (module,) = json_of("report", "--json", *arguments, **options)["modules"]
    return module


def refused(code, *arguments, **options):
    """What mlf writes to standard error where it ends with this exit code and prints nothing."""
    result = run_to(code, *arguments, **options)
    assert result.stdout == b"", result.stdout
    return result.stderr.decode()


def run_outside(*command, **environment):
    """The standard output of another program, where nothing of the tests' environment helps."""
    inherited = {k: v for k, v in os.environ.items() if k not in ("MLF_PROGRAM", "PYTHONPATH")}
    done = subprocess.run(
        list(map(str, command)),
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def on_terminal(width, *arguments, **environment):
    """What the program prints on a terminal of this width, in color unless the environment forbids it."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    inherited = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=follower, stderr=errors, cwd=SOURCE,
                                   env={**inherited, "TERM": "xterm", **environment})  # fmt: skip
        os.close(follower)
        text = read_terminal(leader)
        process.wait()
        # Linux can report the end of a terminal just before its last text.
        text += read_terminal(leader)
        os.close(leader)
        errors.seek(0)
        assert process.returncode in (0, 1), f"exit code {process.returncode}: {errors.read().decode()}"
    return text.decode().replace("\r\n", "\n")


def read_terminal(leader):
    """All that is written to a terminal until the other end is closed."""
    text = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while part := os.read(leader, 65536):
            text += part
    return text


def make_tar(members, mode="w"):
    """A tar of `members` (name to content), as the exporter of TVM writes it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=tarfile.PAX_FORMAT) as tar:
        for name, content in members.items():
            info = tarfile.TarInfo("./" + name)
            data = content if isinstance(content, bytes) else content.encode()
            info.size, info.mode, info.mtime = len(data), 0o644, 1700000000.25
            info.uname = info.gname = "root"
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


@dataclasses.dataclass(frozen=True)
class Span:
    """A member of a tar with all of its bytes: headers, content and padding."""

    name: str
    raw: bytes


def members_of(archive):
    """The files of an archive, a path or bytes: their contents by name."""
    source = {"fileobj": io.BytesIO(archive)} if isinstance(archive, bytes) else {"name": archive}
    with tarfile.open(**source) as tar:
        return {one.name.removeprefix("./"): tar.extractfile(one).read() for one in tar if one.isfile()}


def without_tir(members):
    """The archive as stock TVM writes it."""
    return {name: content for name, content in members.items() if not name.startswith("src/tir-")}


def unpacked(archive, directory):
    """The directory with all members. Python 3.11.4 has made its filter an argument; Debian 12 has an older one."""
    how = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(archive) as tar:
        tar.extractall(directory, **how)
    return pathlib.Path(directory)


def stock(archive, directory):
    """The directory with all members but captured TIR: what the C says, and names are those of the C."""
    for member in (unpacked(archive, directory) / "src").glob("tir-*"):
        member.unlink()
    return directory


def spans(data):
    """The members of a tar, found by walking its headers, and what follows them."""
    result, offset = [], 0
    while data[offset : offset + BLOCK] != bytes(BLOCK):
        begin, name, typeflag = offset, "", b"x"
        while typeflag in (b"x", b"L", b"K"):  # headers in front of the real one
            header = data[offset : offset + BLOCK]
            typeflag = header[156:157]
            size = int(header[124:136].rstrip(b"\0 "), 8)
            name = header[:100].rstrip(b"\0").decode()
            offset += BLOCK + (size + BLOCK - 1) // BLOCK * BLOCK
        result.append(Span(name, data[begin:offset]))
    return result, data[offset:]

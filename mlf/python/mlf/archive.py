"""One archive and everything that mlf knows about it."""

from __future__ import annotations

import functools
import json
import os
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple, Union

from . import _core
from .arrays import arrays, tensors
from .errors import some_of
from .network import Network
from .profile import Profile
from .table import Rows, Table, columns, row_kind
from .tir import Document

Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, IO[bytes]]


class ProcessResult(NamedTuple):
    """What `Archive.process` wrote."""

    written: list[str]  #: members, in their order; none where the archive was up to date
    removed: list[str]  #: members of an earlier run that are not written any more
    tir_sources: int

    @property
    def changed(self) -> bool:
        return bool(self.written or self.removed)


class Tirs(Mapping[str, Document]):
    """The TIR of an archive by stem ("tir-1"). Reads each at its first use."""

    def __init__(self, archive: _core.Archive) -> None:
        self._archive = archive
        self._stems = [stem for stem, _, _ in archive.sources]

    def __getitem__(self, stem: str) -> Document:
        if stem not in self._stems:
            names = some_of(self._stems) or "none"
            raise KeyError(f"no TIR {stem!r} in this archive; it has {names}")
        return Document(self._archive.document(stem))

    def __iter__(self) -> Iterator[str]:
        return iter(self._stems)

    def __len__(self) -> int:
        return len(self._stems)

    def __repr__(self) -> str:
        return f"<TIR: {some_of(self._stems)}>"


class Archive:
    """An archive that `mlf.open` opened. Several threads may use it at once."""

    def __init__(
        self,
        archive: _core.Archive,
        path: str | None,
        beside: Sequence[str | os.PathLike[str]] = (),
    ) -> None:
        self._archive = archive
        self._path = path
        self._beside = list(beside)

    @property
    def path(self) -> str | None:
        """Return the path of the archive; None if it was opened from bytes."""
        return self._path

    @property
    def version(self) -> int:
        """Return the version of the format of metadata.json."""
        return self._archive.version

    @functools.cached_property
    def modules(self) -> list[_core.Module]:
        """Return the modules in the order of metadata.json."""
        return list(self._archive.modules)

    @functools.cached_property
    def tir(self) -> Tirs:
        return Tirs(self._archive)

    @functools.cached_property
    def _networks(self) -> tuple[dict[str, Network], dict[str, str]]:
        found, missing = self._archive.networks()
        names = [module.name for module in self.modules]
        return (
            {names[module]: Network(topology, dot) for module, topology, dot in found},
            {names[module]: reason for module, reason in missing},
        )

    @property
    def networks(self) -> dict[str, Network]:
        """Return the networks by the name of their module."""
        return self._networks[0]

    @property
    def missing_networks(self) -> dict[str, str]:
        """Return why the other modules have no network, by the name of the module."""
        return self._networks[1]

    @functools.cached_property
    def _report(self) -> _core.Report:
        return self._archive.report(None, [])

    def _report_with(self, cc: str | None, cflags: Sequence[str]) -> _core.Report:
        return self._archive.report(cc, list(cflags)) if cc is not None else self._report

    def inspect(self) -> dict[str, Any]:
        """Return the document of `mlf inspect --json` (schemas/inspect.md)."""
        return dict(json.loads(self._archive.inspect()))

    def integration(self, *, cc: str | None = None, cflags: Sequence[str] = ()) -> dict[str, Any]:
        """Return the document of `mlf inspect --integration --json` (schemas/integration.md)."""
        return dict(json.loads(self._archive.integration(cc, list(cflags))))

    def report(self, *, cc: str | None = None, cflags: Sequence[str] = ()) -> dict[str, Any]:
        """Return the document of `mlf report --json` (schemas/report.md).

        With `cc`, compile the C for the sizes of code and stack frames.
        """
        return dict(json.loads(self._report_with(cc, cflags).json()))

    def check(
        self,
        limits: Mapping[str, int] = types.MappingProxyType({}),
        *,
        no_findings: Sequence[str] = (),
        cc: str | None = None,
        cflags: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Return the document of `mlf check --format json` (schemas/check.md).

        `limits` are numbers by the names of its options: {"ram": 96 * 1024}. `no_findings` are codes of
        findings that the report must not have.
        """
        report = self._report_with(cc, cflags)
        return dict(json.loads(report.check(list(limits.items()), list(no_findings))))

    def plan(self, *, seconds: float | None = None) -> dict[str, Any]:
        """Return the document of `mlf plan --json` (schemas/plan.md)."""
        return dict(json.loads(self._archive.plan(seconds)))

    def optimize(
        self,
        output: str | os.PathLike[str] = "",
        *,
        only: Sequence[str] = (),
        reorder: bool = False,
        in_place: bool = False,
        drop_unused: bool = False,
        seconds: float | None = None,
        cc: str | None = None,
        cflags: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Write an archive with less flash and less RAM; return the document of `mlf optimize --json`.

        Without `output`, write nothing. `only`: "narrow", "collapse", "share", "flash", "ram"; empty for all
        of them. The flags are those of the program. With `cc`, compile the C, and change no
        constant whose new form needs more code than it saves.
        """
        text = self._archive.optimize(
            output, list(only), reorder, in_place, drop_unused, seconds, cc, list(cflags)
        )
        return dict(json.loads(text))

    def run(
        self,
        inputs: Mapping[str, Any] = types.MappingProxyType({}),
        *,
        module: str | None = None,
        seed: int | None = None,
        cpu: str = "host",
        cc: str = "",
        cflags: Sequence[str] = (),
        seconds: float = 60,
    ) -> dict[str, Any]:
        """Run the network; return its outputs by name, as arrays of NumPy.

        `cpu` is a value of `mlf run --cpu`: "cortex-m4" runs it in QEMU. "host" executes the archive's C on
        this computer with your rights: run only what you trust. `cc` compiles it; empty is the processor's
        compiler.
        Inputs that are not given get random values of `seed`, as with `mlf run --random`.
        Errors: mlf.Error where the network cannot be run, or takes more than `seconds`.
        """
        return arrays(self._run(False, inputs, module, seed, cpu, cc, cflags, seconds).outputs)

    def run_calls(
        self,
        inputs: Mapping[str, Any] = types.MappingProxyType({}),
        *,
        module: str | None = None,
        seed: int | None = None,
        cpu: str = "host",
        cc: str = "",
        cflags: Sequence[str] = (),
        seconds: float = 60,
    ) -> dict[str, Any]:
        """Run the network as `run` does; return what each call of main wrote.

        The names are those of `mlf run --layers`: "call 3 tvmgen_default_fused_add/out0".
        """
        return arrays(self._run(True, inputs, module, seed, cpu, cc, cflags, seconds).calls)

    def _run(
        self,
        calls: bool,
        inputs: Mapping[str, Any],
        module: str | None,
        seed: int | None,
        cpu: str,
        cc: str,
        cflags: Sequence[str],
        seconds: float,
    ) -> _core.RunResult:
        recorded = _core.RecordedCalls.results if calls else _core.RecordedCalls.nothing
        index = self._index(module)
        return _core.run(
            self._archive, index, tensors(inputs), seed, recorded, cpu, cc, list(cflags), seconds
        )

    def profile(
        self,
        cpu: str,
        inputs: Mapping[str, Any] = types.MappingProxyType({}),
        *,
        module: str | None = None,
        seed: int = 1,
        cc: str = "",
        cflags: Sequence[str] = (),
        runs: int = 10,
        seconds: float = 120,
        clock: int | None = None,
        cpi: tuple[float, float] | None = None,
    ) -> Profile:
        """Return the document of `mlf profile --json` (schemas/profile.md).

        `cpu` is a value of its option --cpu: "cortex-m4" counts instructions in QEMU, "host" executes the
        archive's C with your rights. `clock`, in hertz, adds times, with `cpi` cycles for an instruction.
        Errors: mlf.Error where programs are not installed, and where the network cannot be run.
        """
        text = _core.profile(
            self._archive,
            self._index(module),
            cpu,
            tensors(inputs) if inputs else [],  # without inputs, NumPy is not needed
            seed,
            cc,
            list(cflags),
            runs,
            seconds,
            clock,
            cpi,
        )
        return Profile(json.loads(text))

    def instrument(
        self, output: str | os.PathLike[str], *, module: str | None = None
    ) -> list[str]:
        """Write an archive whose main calls functions around each call, to measure it on a board.

        Return what a file lost that was replaced, as its owner: one sentence each.
        """
        return _core.instrument(self._archive, self._index(module), output)

    def remove_instruments(self, output: str | os.PathLike[str]) -> list[str]:
        """Write the archive that `instrument` was given, byte for byte if that was not compressed."""
        return _core.remove_instruments(self._archive, output)

    def _index(self, module: str | None) -> int:
        """Return the index of a module; None means the only one."""
        names = [one.name for one in self.modules]
        if module is None and len(names) > 1:
            raise ValueError(f"several modules, name one: {some_of(names)}")
        return 0 if module is None else names.index(module)

    def verify(self) -> dict[str, Any]:
        """Return the document of `mlf verify --json` (schemas/verify.md).

        Read the file at `path` again. Errors: ValueError for an archive that was opened from bytes.
        """
        return dict(json.loads(_core.verify(self._file(), self._beside)))

    def table(self, rows: Rows = "archive") -> Table:
        """Return the rows of `mlf table --rows ROWS`; mlf-table(1) describes the columns."""
        return Table(columns(rows), self._report.table(row_kind(rows)))

    def process(
        self, output: str | os.PathLike[str] = "", *, dry_run: bool = False
    ) -> ProcessResult:
        """Write TIR and networks into the archive as JSON, in place or as another file.

        Read the file at `path` again; this object keeps showing the old content. Errors: ValueError for an
        archive that was opened from bytes.
        """
        return ProcessResult(*_core.process(self._file(), output, dry_run))

    def _file(self) -> str:
        if self._path is None:
            raise ValueError("an archive of bytes has no file")
        return self._path

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def __repr__(self) -> str:
        names = some_of([repr(module.name) for module in self.modules])
        return f"<Archive {self._path or 'of bytes'}: {names}>"


def open(source: Source, *, tir: Sequence[str | os.PathLike[str]] = ()) -> Archive:
    """Open a tar (plain, gzip, xz or zstd), an unpacked directory, or the bytes or file of a tar.

    `tir` are files with TIR beside the archive; they need an archive that is opened by its path. Errors:
    mlf.Error for an invalid archive. Does not read TIR yet.
    """
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return Archive(_core.Archive.open(path, list(tir)), path, tir)
    if tir:
        raise ValueError("files beside an archive need its path")
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Archive(_core.Archive.open_bytes(bytes(source), "bytes"), None)
    name = getattr(source, "name", "file")
    return Archive(_core.Archive.open_bytes(source.read(), str(name)), None)


def diff(
    before: Archive, after: Archive, *, cc: str | None = None, cflags: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the document of `mlf diff --format json` (schemas/diff.md).

    With `cc`, compile the C of both for the sizes of code and stack frames.
    """
    old, new = before._report_with(cc, cflags), after._report_with(cc, cflags)
    return dict(json.loads(_core.diff(before._archive, old, after._archive, new)))

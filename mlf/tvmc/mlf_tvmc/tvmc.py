"""Run tvmc with the export of TIR in its `compile`."""

import functools
import warnings

from . import option, switch, tvm_api
from .capture import capture, capture_for_archives
from .errors import CaptureWarning, ExportError
from .exporter import export_tir, get_json
from .imports import when_imported


class _Compilation:
    """Wrap tvmc's compile_model, and keep the errors that occur after TVM returned."""

    def __init__(self, stages, directory, save_json):
        self._stages = stages
        self._directory = directory
        self._save_json = save_json
        self.error = None

    def note(self, error):
        self.error = self.error or error

    def around(self, compile_model):
        @functools.wraps(compile_model)
        def wrapper(*args, **kwargs):
            if kwargs.get("output_format") != "mlf" and self._directory is None:
                return compile_model(*args, **kwargs)
            if self._directory is None:
                with capture_for_archives(self._stages):
                    return compile_model(*args, **kwargs)
            with capture(self._stages) as captured:
                try:
                    return compile_model(*args, **kwargs)
                finally:
                    self._write_directory(captured)

        return wrapper

    def _write_directory(self, captured):
        try:
            export_tir(captured, self._directory, self._save_json)
        except ExportError as error:
            self.note(error)


def run(arguments, stages, directory, save_json):
    """Run tvmc, and return its exit code. Errors: ExportError of the export."""
    compilation = _Compilation(stages, directory, save_json)

    def replace(module):
        name = tvm_api.TVMC_COMPILE_FUNCTION
        setattr(module, name, compilation.around(getattr(module, name)))

    option.accept(get_json)
    switch.replace_exporter(stages, save_json, on_error=compilation.note)
    when_imported(tvm_api.TVMC_COMPILER_MODULE, replace)
    code = 1  # unless it comes back
    try:
        code = run_plain(arguments)
    finally:
        # If tvmc fails too, return its exit code.
        if compilation.error is not None and code:
            warnings.warn(str(compilation.error), CaptureWarning)
    if compilation.error is not None and not code:
        raise compilation.error
    return code


def run_plain(arguments):
    """Run tvmc without changes."""
    return tvm_api.tvmc_main()(arguments)

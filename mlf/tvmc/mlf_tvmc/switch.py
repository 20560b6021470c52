"""Switch the export on for code that does not call it: a script, or tvmc."""

import functools
import os
import sys

from . import tvm_api
from .errors import USAGE, ExportError
from .exporter import add_tir
from .imports import when_imported

VARIABLE = "MLF_TIR_EXPORT"
STAGES_VARIABLE = "MLF_TIR_STAGES"

_VALUES = {"": None, "0": False, "false": False, "off": False, "no": False}
_VALUES.update({"1": True, "true": True, "on": True, "yes": True})


def from_environment():
    """Return True, False, or None if it is not set."""
    text = os.environ.get(VARIABLE, "")
    if text.lower() not in _VALUES:
        raise ExportError(f"{VARIABLE} is '{text}', not 1 or 0", USAGE)
    return _VALUES[text.lower()]


def stages_from_environment():
    return os.environ.get(STAGES_VARIABLE) or "lowered"


def fail(error):
    raise error


def every(_):
    return True


def replace_exporter(stages, save_json, on_error=fail, is_wanted=every):
    """Make TVM's export_model_library_format add TIR, also under its other names.

    `on_error` takes the ExportError of an archive that TVM has written, `is_wanted` what is exported. Return
    a list to which the path of each archive is added.
    """
    archives = []

    def replace(module):
        # Replace the wrapper of startup.py by the caller's.
        current = getattr(module, tvm_api.EXPORT_FUNCTION)
        original = getattr(current, "__wrapped__", current)

        @functools.wraps(original)
        def export(mods, file_name):
            written = original(mods, file_name)
            archives.append(written)
            try:
                if is_wanted(mods):
                    add_tir(mods, written, stages, save_json)
            except ExportError as error:
                on_error(error)
            return written

        setattr(module, tvm_api.EXPORT_FUNCTION, export)
        for name in tvm_api.EXPORTER_ALIASES:
            alias = sys.modules.get(name)
            if getattr(alias, tvm_api.EXPORT_FUNCTION, None) is current:
                setattr(alias, tvm_api.EXPORT_FUNCTION, export)

    when_imported(tvm_api.EXPORTER_MODULE, replace)
    return archives

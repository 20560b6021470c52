"""Switch the export on for the whole process: when Python starts, or by `install`.

Installing the package installs mlf_tvmc.pth, which Python runs at its start. It imports this module if
MLF_TIR_EXPORT is set. TVM is not imported here: the hooks wait until the program imports it.
"""

import functools
import sys
import warnings

from . import option, switch, tvm_api
from .capture import OptionCapture, capture_for_archives
from .errors import CaptureWarning, ExportError
from .exporter import get_json, is_captured
from .imports import when_imported


def _warn(error):
    """Warn: TVM wrote its archive, and the program continues with that."""
    warnings.warn(str(error), CaptureWarning)


@functools.lru_cache(maxsize=None)
def begin():
    """Switch the export on if the environment requests it. Print errors instead of raising them.

    In a virtual environment, Python may run mlf_tvmc.pth twice: the second call does nothing.
    """
    try:
        if switch.from_environment():
            _begin(switch.stages_from_environment())
    except ExportError as error:
        print(f"mlf_tvmc: error: {error}", file=sys.stderr)


@functools.lru_cache(maxsize=None)
def install():
    """Make TVM accept the option `tir.tir_export_to_json` of PassContext, until the process ends.

    `with tvm.transform.PassContext(config={"tir.tir_export_to_json": True})` keeps the TIR of builds inside:
    archives that TVM exports of them get it, and `get_json()` of what `relay.build` or `tvm.build` returned, or
    of the `lib` of that, returns it. The result of `get_json` of other builds is as without the option.

    With MLF_TIR_EXPORT=1 in the environment, Python has done so at its start, for all builds.
    """
    option.accept(get_json)
    _enter_with_relay(OptionCapture())
    switch.replace_exporter("lowered", save_json=True, on_error=_warn, is_wanted=is_captured)


def _enter_with_relay(capture):
    def enter(_):
        try:
            capture.__enter__()  # until the process ends
        except ExportError as error:
            _warn(error)

    when_imported(tvm_api.RELAY_MODULE, enter)


def _begin(stages):
    option.accept(get_json)
    _enter_with_relay(capture_for_archives(stages))
    switch.replace_exporter(stages, save_json=True, on_error=_warn)

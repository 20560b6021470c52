"""Switch the export on when Python starts, for programs that run TVM themselves.

Installing the package installs mlf_tvmc.pth, which Python runs at its start. It imports this module if
MLF_TIR_EXPORT is set. TVM is not imported here: the hooks wait until the program imports it.
"""

import sys
import warnings

from . import switch, tvm_api
from .capture import capture_for_archives
from .errors import CaptureWarning, ExportError
from .imports import when_imported


def _warn(error):
    """Warn: TVM wrote its archive, and the program continues with that."""
    warnings.warn(str(error), CaptureWarning)


def begin():
    """Switch the export on if the environment requests it. Print errors instead of raising them."""
    try:
        if switch.from_environment():
            _begin(switch.stages_from_environment())
    except ExportError as error:
        print(f"mlf_tvmc: error: {error}", file=sys.stderr)


def _begin(stages):
    capture = capture_for_archives(stages)

    def enter(_):
        try:
            capture.__enter__()  # until the process ends
        except ExportError as error:
            _warn(error)

    when_imported(tvm_api.RELAY_MODULE, enter)
    switch.replace_exporter(stages, save_json=True, on_error=_warn)

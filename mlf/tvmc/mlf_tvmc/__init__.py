"""Write the TIR of a TVM build into its Model Library Format archive, or beside it.

See README.md of the package. TVM is imported when something needs it, not with this package.
"""

from .capture import capture
from .errors import CaptureWarning, ExportError
from .exporter import export_model_library_format, export_tir, get_json
from .startup import install

__all__ = [
    "CaptureWarning",
    "ExportError",
    "capture",
    "export_model_library_format",
    "export_tir",
    "get_json",
    "install",
]

"""TIR, networks and costs of Apache TVM's Model Library Format archives.

Example:
    ```python
    archive = mlf.open("module.tar")
    archive.modules[0].targets
    archive.tir["tir-1"].functions["tvmgen_default_fused_add"].body
    archive.networks["default"].calls
    archive.table("call").to_pandas()
    ```
"""

from . import tir
from ._core import version as __version__
from .archive import Archive, ProcessResult, diff, open
from .errors import Diagnostic, Error
from .network import Network
from .profile import Profile
from .table import Column, Table, columns
from .tvm import from_tvm

__all__ = [
    "Archive",
    "Column",
    "Diagnostic",
    "Error",
    "Network",
    "ProcessResult",
    "Profile",
    "Table",
    "__version__",
    "columns",
    "diff",
    "from_tvm",
    "open",
    "tir",
]

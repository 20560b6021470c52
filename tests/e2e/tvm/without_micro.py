"""What the TVM wheels of PyPI miss: they were built without microTVM (USE_MICRO=OFF).

Their exporter is Python and complete; it only misses what that build would have brought along. An
ordinary TVM needs nothing of this.
"""


def let_micro_be_imported(tvm):
    """`tvm.micro` refuses to be imported without this function, which only its sessions call."""
    name = "micro._rpc_connect"
    if tvm.get_global_func(name, allow_missing=True) is None:
        tvm.register_func(name, lambda *_: None)


class Runtime:
    """Stands in for the C runtime and the project templates, which the exporter copies."""

    def __init__(self, directory):
        self._directory = str(directory)
        (directory / "include").mkdir()
        (directory / "templates").mkdir()
        for name in ("crt_config.h.template", "platform.c.template"):
            (directory / "templates" / name).touch()

    def provide_to_build(self, build):
        """To `tvm.micro.build`."""
        build.STANDALONE_CRT_DIR = self._directory

    def provide_to_exporter(self, exporter):
        """To `tvm.micro.model_library_format`."""
        exporter.get_microtvm_template_projects = lambda platform: self._directory

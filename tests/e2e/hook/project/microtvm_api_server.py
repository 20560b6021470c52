"""A platform of microTVM's Project API: it unpacks the archive and compiles it for this machine."""

import pathlib
import shutil
import tarfile

import c_library
from tvm.micro.project_api import server

HERE = pathlib.Path(__file__).parent
MODEL = HERE / "model.tar"


class Handler(server.ProjectAPIHandler):
    def server_info_query(self, tvm_version):
        is_template = not MODEL.is_file()
        return server.ServerInfo(
            platform_name="this machine",
            is_template=is_template,
            model_library_format_path="" if is_template else str(MODEL),
            project_options=[],
        )

    def generate_project(self, model_library_format_path, standalone_crt_dir, project_dir, options):
        project = pathlib.Path(project_dir)
        project.mkdir()
        shutil.copy2(__file__, project)
        shutil.copy2(model_library_format_path, project / "model.tar")
        # As the platforms of TVM do it: plain tar only.
        with tarfile.TarFile(project / "model.tar") as tar:
            tar.extractall(project / "model")

    def build(self, options):
        build = HERE / "build"
        build.mkdir()
        c_library.compile_archive(MODEL, build)

    def flash(self, options):
        raise NotImplementedError

    def open_transport(self, options):
        raise NotImplementedError

    def close_transport(self):
        raise NotImplementedError

    def read_transport(self, n, timeout_sec):
        raise NotImplementedError

    def write_transport(self, data, timeout_sec):
        raise NotImplementedError


if __name__ == "__main__":
    server.main(Handler())

"""An archive with TIR still goes where archives go: through microTVM's Project API into a project.

Usage: PYTHON_OF_A_TVM_VENV projects.py
"""

import pathlib
import unittest

import hook_support as hook

import mlf_tvmc
import tvm.micro.project

import archives
import networks
import program_case
import support

_TEMPLATE = pathlib.Path(__file__).parent / "project"


class Projects(program_case.Directory):
    def test_a_project_is_made_of_the_archive_and_builds(self):
        archive = self.directory / "module.tar"
        (kind,) = [kind for kind in archives.ON_C if kind.name == "interface-c"]
        factory = kind.build(networks.from_relay(networks.one_kernel_many_times).module)
        mlf_tvmc.export_model_library_format(factory, archive)

        unpacked = self.build_project("project", archive)
        self.assertTrue((unpacked / "src" / "tir-1.json").is_file())
        self.assertLess({"tir-1.json", "mlf.json"}, hook.own_names(archive))

        measuring = self.directory / "measuring.tar"
        support.run_ok("profile", "--instrument", "-o", measuring, archive)
        unpacked = self.build_project("measuring", measuring)
        self.assertTrue((unpacked / "codegen/host/src/default_mlf_calls.c").is_file())

    def build_project(self, name, archive):
        """Makes a project of the archive, and builds it. Returns where the archive is unpacked."""
        path = self.directory / name
        make = tvm.micro.project.generate_project_from_mlf
        project = make(_TEMPLATE, str(path), str(archive), {})
        self.assertFalse(project.info()["is_template"])
        project.build()
        self.assertTrue((path / "build" / "library.so").is_file())
        return path / "model"


if __name__ == "__main__":
    unittest.main()

"""Archives for Cortex-M, whose schedules call functions of C: sound ones have no error.

Usage: PYTHON_OF_A_TVM_VENV cortex_tvmc.py
"""

import json
import unittest

import hook_support as hook

import program_case
import support

import models
import spied_tvmc

_CORES = ("cortex-m4", "cortex-m7")
_C = (
    "--executor=aot",
    "--executor-aot-interface-api=c",
    "--executor-aot-unpacked-api=1",
    "--runtime=crt",
)
_ALWAYS = ("--pass-config", "tir.disable_vectorize=1", "--output-format=mlf")


def stock(archive):
    """The archive without what mlf and the hook have put into it."""
    files = support.members_of(archive)
    own = hook.own_names(archive)
    return support.make_tar(
        {name: data for name, data in files.items() if name.rpartition("/")[2] not in own}
    )


class Cortex(program_case.Directory):
    def setUp(self):
        self.archive = self.directory / "module.tar"

    def errors(self, archive):
        (said,) = json.loads(support.run("verify", "--json", archive).stdout)["archives"]
        return [one for one in said["findings"] if one["severity"] == "error"]

    def compile(self, model, core, is_planned):
        target = f"--target=c -keys=arm_cpu,cpu -mcpu={core} -host=c"
        planned = ("--pass-config", f"tir.usmp.enable={int(is_planned)}")
        stages = ("--tir-stages", ",".join(hook.ALL_STAGES))
        arguments = (*model.arguments, target, *_C, *planned, *_ALWAYS)
        spied_tvmc.compile_in_child(self.directory, *arguments, "-o", str(self.archive), *stages)

    def test_sound_archives_have_no_error(self):
        checked = 0
        for model in models.of("small", self.directory):
            for core in _CORES:
                for is_planned in (False, True):
                    with self.subTest(f"{model.name} {core} {is_planned}"):
                        self.compile(model, core, is_planned)
                        self.assertEqual(self.errors(self.archive), [])
                        plain = self.directory / "stock.tar"
                        plain.write_bytes(stock(self.archive))
                        self.assertEqual(self.errors(plain), [])
                        checked += 1
        self.assertGreater(checked, 0)


if __name__ == "__main__":
    unittest.main()

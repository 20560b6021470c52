"""The option of PassContext and get_json of products, with the hook on and without it.

Usage: PYTHON_OF_A_TVM_VENV options.py
"""

import json
import os
import re
import textwrap
import unittest

import hook_support as hook

import program_case
import support

# The pth of the package runs twice, as in a virtual environment whose lib64 is a link.
_PTH = f"import site; [site.addsitedir({str(support.SOURCE / 'mlf' / 'tvmc')!r}) for _ in range(2)]\n"
_COMMON = """\
import json, sys
import devices, mlf_tvmc, tvm
from tvm import relay

def build(target="opencl", executor="graph", **config):
    module, target = devices.softmax_network(), tvm.target.Target(target, host="c")
    with tvm.transform.PassContext(opt_level=3, config={"tir.disable_vectorize": True, **config}):
        return relay.build(module, target, executor=relay.backend.Executor(executor))

def operator(**config):
    with tvm.transform.PassContext(config=config):
        return tvm.build(*devices.increment(), target=tvm.target.Target("c", host="c"), name="increment")

ON = {"tir.tir_export_to_json": True}
OFF = {"tir.tir_export_to_json": False}

def message(call):
    try:
        return call()
    except Exception as error:
        return str(error)
"""


class Options(program_case.Directory):
    def run_code(self, code, first="", through=(), **environment):
        """What the program prints last, as JSON."""
        script = self.directory / "build.py"
        script.write_text(first + _COMMON + textwrap.dedent(code))
        result = hook.run_python(*through, script, env={**os.environ, **environment}, cwd=self.directory)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout.splitlines()[-1])

    PRODUCTS = """\
        factory = build(**ON)
        documents = [factory.lib.get_json(), factory.get_json(), mlf_tvmc.get_json(factory)]
        assert documents[0] == documents[1] == documents[2], documents
        kinds = [documents[0]["target"]["kind"], operator(**ON).get_json()["target"]["kind"]]
        print(json.dumps([kinds, sorted(one["name"] for one in documents[0]["functions"]),
                          message(lambda: build(**OFF).get_json()["format"])]))
        """
    KERNELS = ["tvmgen_default_fused_nn_softmax", "tvmgen_default_fused_tanh_exp"]

    def test_in_the_environment_the_option_is_accepted_and_all_builds_are_kept(self):
        for through in ((), ("-m", "mlf_tvmc")):
            found = self.run_code(self.PRODUCTS, _PTH, through, MLF_TIR_EXPORT="1")
            self.assertEqual(found, [["opencl", "c"], self.KERNELS, "mlf-tir"])

    def test_installed_by_the_program_only_builds_inside_are_kept(self):
        *found, other = self.run_code(self.PRODUCTS, "import mlf_tvmc\nmlf_tvmc.install()\n")
        self.assertEqual(found, [["opencl", "c"], self.KERNELS])
        self.assertIn("TVM does not keep the TIR of this build", other)

    def test_archives_of_builds_inside_get_tir(self):
        self.run_code(
            """\
            mlf_tvmc.install()
            for name, config in (("inside", ON), ("outside", {})):
                factory = build("c", "aot", **config)
                tvm.micro.export_model_library_format(factory, f"{name}.tar")
            print(0)
            """,
            "import tvm.micro\n",
        )
        self.assertIn("tir-1.tvm.json", hook.own_names(self.directory / "inside.tar"))
        self.assertEqual(hook.own_names(self.directory / "outside.tar"), set())

    def test_without_the_hook_tvm_is_as_it_was(self):
        code = """\
            said = message(lambda: build(**ON))
            print(json.dumps([said, hasattr(tvm.runtime.Module, "get_json"), hasattr(build(), "get_json")]))
            """
        for environment in ({}, {"MLF_TIR_EXPORT": "0"}):
            said, *methods = self.run_code(code, _PTH, **environment)
            self.assertIn("Invalid config option 'tir.tir_export_to_json'", said)
            self.assertEqual(methods, [False, False])

    def test_the_readme_shows_it(self):
        text = (support.SOURCE / "mlf" / "tvmc" / "README.md").read_text()
        (example,) = re.findall(r"^```python\n([^`]*\.install\(\)\n.*?)^```$", text, re.MULTILINE | re.DOTALL)
        names = 'module, target = devices.softmax_network(), tvm.target.Target("opencl", host="c")\n'
        found = self.run_code(names + example + 'print(json.dumps(document["target"]["kind"]))\n')
        self.assertEqual(found, "opencl")

    def test_the_pth_may_run_twice(self):
        code = """\
            build()
            print(len([one for one in sys.modules["mlf_tvmc.capture"]._captures if one.builds]))
            """
        self.assertEqual(self.run_code(code, _PTH, MLF_TIR_EXPORT="1"), 1)

    def test_get_json_is_of_one_target_and_stage(self):
        found = self.run_code(
            """\
            with mlf_tvmc.capture("lowered,codegen"):
                factory = build(executor="aot")
            def heads(*arguments, **options):
                document = mlf_tvmc.get_json(factory, *arguments, **options)
                kind = document["target"] and document["target"]["kind"]
                return [kind, document["source"]["stage"], len(document["functions"])]
            target = tvm.target.Target("opencl", host="c")
            found = [heads(), heads(target="opencl"), heads(target=target), heads(target=4),
                     heads(target={"kind": "opencl"}), heads("codegen"), heads("codegen", "c"), message(lambda: heads(target="metal")),
                     message(lambda: heads("topology")), mlf_tvmc.get_json(
                         next(iter(factory.lowered_ir_mods.items()))[1])["target"] is not None]
            print(json.dumps(found))
            """
        )
        whole, *same, several, codegen, metal, topology, module = found
        self.assertEqual(whole, [None, "lowered", 3])
        self.assertEqual(same, [["opencl", "lowered", 2]] * 4)
        self.assertEqual(several[:2], [None, "codegen"])
        self.assertEqual(codegen, ["c", "codegen", 3])
        self.assertEqual(metal, "there is no TIR for this target at stage 'lowered': known are c, opencl")
        self.assertIn("of this build (topology): build inside", topology)
        self.assertTrue(module)


if __name__ == "__main__":
    unittest.main()

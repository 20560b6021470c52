"""`mlf run --compare` with the tensors of LiteRT, saved by the program of guide/running.md as it is printed.

The guide's numbers are those of keyword spotting and of the autoencoder, which are beside the checkout.

Usage: PYTHON_OF_A_TVM_VENV framework.py
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import support

try:
    import ai_edge_litert  # noqa: F401
    import tvm  # noqa: F401
except ImportError:
    support.skip("this Python lacks TVM or LiteRT; tests/run --all installs both")

import builds
import exporter
import networks

GUIDE = (support.SOURCE / "mlf/guide/running.md").read_text()
(PROGRAM,) = re.findall(r"```python\n(import numpy\nfrom ai_edge_litert.*?)```", GUIDE, re.DOTALL)
MODELS = {network.name: network for network in networks.all_networks() if network.name.endswith(".tflite")}


@unittest.skipUnless(MODELS, "there are no models beside the checkout")
class Frameworks(unittest.TestCase):
    def compared(self, name, *options, code=0):
        """The document of a comparison with LiteRT on the same inputs."""
        context = tempfile.TemporaryDirectory()
        self.addCleanup(context.cleanup)
        directory = pathlib.Path(context.name)
        shutil.copyfile(networks.MODELS / name, directory / "kws.tflite")
        environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
        subprocess.run([sys.executable, "-c", PROGRAM], cwd=directory, env=environment, check=True)
        archive = directory / "module.tar"
        exporter.export(builds.aot(MODELS[name].module, builds.C_PLANNED), archive)
        inputs = ("--input", directory / "inputs.npz", "--compare", directory / "litert.npz")
        result = support.run("run", "--json", *inputs, *options, archive)
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout)["comparison"]

    def test_of_keyword_spotting_differ_first_at_the_average_pooling(self):
        comparison = self.compared("aww.tflite", code=1)
        by_layer = [one for one in comparison["arrays"] if one["by"] == "layer"]
        self.assertEqual(len(by_layer), 11)  # The output has a name.
        self.assertEqual([one["difference"]["largest"] for one in by_layer[:10]], [0] * 9 + [1])
        self.assertIn("avg_pool2d", comparison["first_difference"]["before"]["kernel"])
        self.assertIn("AvgPool", comparison["first_difference"]["before"]["layer"])
        self.assertEqual([one["largest"] for one in comparison["outputs"]], [44])

    def test_of_the_autoencoder_are_equal(self):
        comparison = self.compared("toycar.tflite")
        self.assertEqual([one["differing"] for one in comparison["outputs"]], [0])
        by_layer = [one for one in comparison["arrays"] if one["by"] == "layer"]
        self.assertEqual([one["difference"]["differing"] for one in by_layer], [0] * 9)


if __name__ == "__main__":
    unittest.main()

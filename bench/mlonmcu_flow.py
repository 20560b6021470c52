"""MLonMCU's TVM flow with the export on and off: its own results are the same, the archive is complete.

MLonMCU runs `python -m tvm.driver.tvmc` itself. Nothing of it is changed: the wheel of mlf-tvmc is
installed beside it, and MLF_TIR_EXPORT=1 is in the environment. Installs MLonMCU 0.9 and the wheel
from PyPI and from this checkout, into an environment that is removed at the end.

Usage: PYTHON_OF_A_TVM_VENV bench/mlonmcu_flow.py MLF MODEL.tflite…
"""

import json
import os
import pathlib
import subprocess
import sys
import sysconfig
import tarfile
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
EXPECTED = ["tir-1.txt", "tir-1.tvm.json", "tir-1.json", "mlf.json"]
EXPECTED += ["default.topology.json", "default.graph.json"]

FLOW = """\
import json, sys
import mlonmcu.target
from mlonmcu.flow.tvm.backend.tvmaot import TVMAOTBackend

model, archive, tvm_path = sys.argv[1:]
config = {"tvm.build_dir": "", "tvm.configs_dir": "", "tvm.pythonpath": tvm_path}
backend = TVMAOTBackend(config=config)
backend.load_model(model)
artifacts, metrics = backend.generate()
for artifact in artifacts["default"]:
    if artifact.name.endswith(".tar"):
        open(archive, "wb").write(artifact.raw)
names = sorted(artifact.name for artifact in artifacts["default"])
print("\\n" + json.dumps([names, {key: str(value) for key, value in metrics["default"].data.items()}]))
"""


def run(*command, **environment):
    options = {"capture_output": True, "text": True, "check": False}
    done = subprocess.run(list(map(str, command)), env={**os.environ, **environment}, **options)
    if done.returncode != 0:
        sys.exit(f"{command}\n{done.stdout}{done.stderr}")
    return done.stdout


def environment_with_mlonmcu(directory, mlf):
    """The Python of a new environment."""
    run(sys.executable, "-m", "venv", directory / "venv")
    python = directory / "venv" / "bin" / "python"
    pip = (python, "-m", "pip", "install", "--quiet")
    run(*pip, "mlonmcu==0.9.0", "tflite", "scikit-build-core", "cmake", "ninja")
    program = f"MLF_TVMC_PROGRAM={pathlib.Path(mlf).resolve()}"
    package = SOURCE / "mlf" / "tvmc"
    run(*pip, "--no-deps", "--no-build-isolation", package, SKBUILD_CMAKE_DEFINE=program)
    return python


def tvm_path():
    """TVM of this Python, completed as in the tests: its wheels lack parts of microTVM."""
    tests = SOURCE / "tests" / "e2e"
    directories = [tests / "hook" / "site", tests / "hook", tests, tests / "tvm"]
    return os.pathsep.join(map(str, [*directories, sysconfig.get_path("purelib")]))


def main(mlf, *models):
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        python = environment_with_mlonmcu(directory, mlf)
        for model in models:
            results = {}
            for switch in ("0", "1"):
                archive = directory / f"{switch}.tar"
                said = run(python, "-c", FLOW, model, archive, tvm_path(), MLF_TIR_EXPORT=switch)
                results[switch] = json.loads(said.splitlines()[-1])
            assert results["0"] == results["1"], results
            with tarfile.open(directory / "1.tar") as tar:
                names = set(tar.getnames())
            missing = [one for one in EXPECTED if f"./src/{one}" not in names]
            assert not missing, missing
            run(mlf, "verify", directory / "1.tar")
            print(f"{pathlib.Path(model).name}: {results['1'][1]}, archive complete")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

"""An operator archive as TVM v0.12.0 writes it: its TIR is the repr text, with an address behind.

The TVMScript printer of v0.12.0 has no words for the module attribute `runtime`, which tvm.build
sets, so the text of the older printer is what reaches the archive.
"""

import io
import json
import pathlib
import tarfile
import tempfile
import unittest

import schemas
import support

TEXT = """\
IRModule({GlobalVar(add): PrimFunc([A, B, C]) attrs={"from_legacy_te_schedule": (bool)1, \
"global_symbol": "add", "tir.noalias": (bool)1, "target": c -keys=cpu } {
  for (i, 0, 16) {
    C[i] = (A[i] + (int8)3)
  }
}
})IRModule(0x55d0a1b2c3d0)"""

METADATA = json.dumps(
    {
        "executors": [],
        "export_datetime": "2023-05-05 10:00:00Z",
        "memory": {
            "add": [
                {"dtype": "int8", "input_binding": None, "shape": [16], "size_bytes": 16},
                {"dtype": "int8", "input_binding": None, "shape": [16], "size_bytes": 16},
                {"dtype": "int8", "input_binding": None, "shape": [16], "size_bytes": 16},
            ]
        },
        "model_name": "add",
        "style": "operator",
        "target": ["c -keys=cpu "],
        "version": 7,
    },
    indent=2,
)


class OperatorArchive(unittest.TestCase):
    def setUp(self):
        context = tempfile.TemporaryDirectory()
        self.addCleanup(context.cleanup)
        self.path = pathlib.Path(context.name) / "module.tar"
        self.path.write_bytes(self.tar(TEXT))

    def tar(self, text):
        return support.make_tar({"metadata.json": METADATA, "src/tir-1.txt": text})

    def test_is_processed_and_says_what_the_text_lost(self):
        processed = support.run_ok("process", "-", input=self.tar(TEXT)).stdout
        with tarfile.open(fileobj=io.BytesIO(processed)) as tar:
            document = json.load(tar.extractfile("./src/tir-1.json"))
        schemas.check(schemas.validator("tir"), document, "tir-1.json")
        self.assertEqual(document["source"]["dialect"], "repr_text")
        self.assertEqual(document["source"]["tvm_version"]["first"], "0.12")
        function = document["functions"][0]
        self.assertEqual((function["name"], function["role"]), ("add", "operator"))
        self.assertEqual({b["dtype"] for b in function["buffers"]}, {"int8"})
        codes = {loss["code"] for loss in document["losses"]}
        self.assertLessEqual({"buffer-map", "inferred-dtype", "module-attrs"}, codes)

    def test_is_inspected_and_verified(self):
        report = json.loads(support.run_ok("inspect", "--json", self.path).stdout)
        schemas.check(schemas.validator("inspect"), report, "inspect --json")
        self.assertIn("repr_text", json.dumps(report["tir"]))
        support.run_ok("verify", self.path)

    def test_reads_back_what_it_was_written_as(self):
        text = support.run_ok("tir", "--format", "save_json", self.path).stdout
        again = json.loads(support.run_ok("tir", "-", input=text).stdout)
        once = json.loads(support.run_ok("tir", self.path).stdout)
        self.assertEqual(again["functions"], once["functions"])

    def test_an_unknown_construct_is_an_error_at_its_place(self):
        self.path.write_bytes(self.tar(TEXT.replace("for (i", "forever (i")))
        result = support.run("process", self.path)
        self.assertEqual(result.returncode, 65)
        self.assertIn(b"src/tir-1.txt:2:3: ", result.stderr)
        self.assertIn(b"^", result.stderr)


if __name__ == "__main__":
    unittest.main()

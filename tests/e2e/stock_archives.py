"""Archives as TVM exports them by itself: their generated C is the source of TIR and network.

Runs over the bundled archives and over the corpus where it is there, each with its captured TIR
taken out. As they are, with that text, the C has to say the same; and where there is a lossless
capture of the same build, with that put in its place as well.
"""

import json
import sys

import schemas
import support

VALIDATORS = {name: schemas.validator(name) for name in ("tir", "topology", "manifest")}


def twins(original):
    """Lossless captures beside an archive of the corpus, under the names of their members."""
    found = {}
    for path in original.parent.glob("save-*.json"):
        found[f"src/tir-{path.stem.removeprefix('save-')}.tvm.json"] = path.read_bytes()
    return found


def json_members(path):
    return {name: json.loads(content) for name, content in support.members_of(path).items()
            if name.startswith("src/") and name.endswith(".json")}


def errors(path):
    """What is wrong with an archive, but for a fault of TVM itself: see check_stock."""
    result = support.run("verify", "--json", path)
    assert result.returncode in (0, 1), result.stderr
    (verdict,) = json.loads(result.stdout)["archives"]
    found = [f for f in verdict["findings"] if f["severity"] == "error"]
    return [f for f in found if f["code"] != "arity"]


def check_stock(path, has_network):
    """TIR, topology and graph come from the C."""
    support.run_ok("process", path)
    before = path.read_bytes()
    support.run_ok("process", path)
    assert path.read_bytes() == before, "the second run changed the archive"
    documents = json_members(path)
    manifest = documents.pop("src/mlf.json")
    schemas.check(VALIDATORS["manifest"], manifest, "manifest")
    functions = 0
    for entry in manifest["tir"]:
        document = documents[entry["member"]]
        schemas.check(VALIDATORS["tir"], document, entry["member"])
        assert (document["source"]["dialect"], document["source"]["stage"]) == ("c", "codegen")
        assert "unknown-construct" not in {loss["code"] for loss in document["losses"]}
        functions += len(document["functions"])
    for entry in manifest["networks"]:
        topology = documents[entry["topology"]]
        schemas.check(VALIDATORS["topology"], topology, entry["topology"])
        failed = [c["code"] for c in topology["checks"] if c["severity"] == "error"]
        # TVM itself drops an argument of this kernel of CMSIS-NN.
        assert failed in ([], ["arity"]), topology["checks"]
        assert (entry["graph"] is None) == bool(failed)
    assert functions and bool(manifest["networks"]) == has_network


def check_archive(original, directory):
    stock = directory / "stock.tar"
    members = support.without_tir(support.members_of(original))
    stock.write_bytes(support.make_tar(members))
    is_operator = "op-" in f"{original.parent.name}/{original.name}"
    check_stock(stock, has_network=not is_operator)
    wrong = errors(original)
    captures = twins(original)
    if captures:
        both = directory / "both.tar"
        both.write_bytes(support.make_tar(members | captures))
        wrong += errors(both)
    assert not wrong, wrong[:3]


if __name__ == "__main__":
    sys.exit(schemas.check_archives(check_archive))

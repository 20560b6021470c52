"""Every real archive processes, keeps every byte it had, and stays as it is the second time.

Runs over the bundled archives, and over the corpus where it is there.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import schemas
import support

FORMATS = ("tir", "topology", "manifest", "inspect", "integration", "verify", "process")
VALIDATORS = {name: schemas.validator(name) for name in FORMATS}


def state_of(path):
    status = path.stat()
    return path.read_bytes(), status.st_mtime_ns, status.st_ino


def tir_stems(old):
    """Stems of the TIR members, the text and its twin being one."""
    stems = set()
    for span in old:
        name = span.name.removeprefix("./")
        for suffix in (".txt", ".tvm.json"):
            if name.startswith("src/tir-") and name.endswith(suffix):
                stems.add(name.removesuffix(suffix))
    return sorted(stems)


def network_modules(old):
    """Modules of AOT archives with TIR, and of the graph executor: those with a network."""
    names = [span.name.removeprefix("./") for span in old if not span.name.endswith("/")]
    graphs = [n for n in names if n.startswith("executor-config/graph/")]
    if graphs:
        return sorted(pathlib.PurePath(name).stem for name in graphs)
    relays = [n for n in names if n.startswith("src/") and n.endswith(".relay")]
    return sorted(pathlib.PurePath(name).stem for name in relays) if tir_stems(old) else []


def check_spans(before, after):
    """All old members are there as they were, in their order; returns the names of the new ones."""
    old, old_end = support.spans(before)
    new, new_end = support.spans(after)
    assert new[: len(old)] == old, "an old member changed"
    assert set(new_end) == {0} and len(after) % len_of_record(before) == 0
    assert set(old_end) == {0}
    return [span.name for span in new[len(old) :]]


def len_of_record(data):
    return 10240 if len(data) % 10240 == 0 else support.BLOCK


def check_network(documents, module):
    """A topology, and a graph unless a check of the topology says why not; returns their names."""
    topology = documents[f"./src/{module}.topology.json"]
    schemas.check(VALIDATORS["topology"], topology, f"{module}.topology.json")
    assert topology["module"] == module and topology["calls"]
    failed = [check for check in topology["checks"] if check["severity"] == "error"]
    graph = documents.get(f"./src/{module}.graph.json")
    assert (graph is None) == bool(failed), f"{module}: {failed}"
    if graph is None:
        return
    assert list(graph) == ["nodes", "arg_nodes", "heads", "attrs", "node_row_ptr"]
    assert len(graph["heads"]) == len(topology["outputs"])
    kernels = [n["attrs"]["func_name"] for n in graph["nodes"] if n["op"] == "tvm_op"]
    assert len([name for name in kernels if name != "__nop"]) == len(topology["calls"])


def check_outputs(path, added, stems, modules):
    """New members are those expected, valid, and listed in the manifest."""
    with tarfile.open(path) as tar:
        documents = {name: json.load(tar.extractfile(name)) for name in added}
    manifest = documents.pop("./src/mlf.json")
    schemas.check(VALIDATORS["manifest"], manifest, "src/mlf.json")
    assert [entry["name"] for entry in manifest["written"]] == [n[2:] for n in documents]
    assert {entry["member"] for entry in manifest["tir"]} == {s + ".json" for s in stems}
    assert sorted(entry["module"] for entry in manifest["networks"]) == modules
    for stem in stems:
        document = documents[f"./{stem}.json"]
        schemas.check(VALIDATORS["tir"], document, stem)
        assert document["functions"], f"{stem} has no function"
    for module in modules:
        check_network(documents, module)


def check_other_tools(path, directory):
    """GNU tar, bsdtar and Python list and extract the same."""
    with tarfile.open(path) as tar:
        files = {m.name: tar.extractfile(m).read() for m in tar.getmembers() if m.isfile()}
    for tool in ("tar", "bsdtar"):
        target = directory / tool
        target.mkdir()
        listed = subprocess.run([tool, "-tf", path], capture_output=True, check=True)
        assert not listed.stderr, listed.stderr
        assert set(files) <= set(listed.stdout.decode().split("\n"))
        subprocess.run([tool, "-xf", path, "-C", target], check=True)
        for name, content in files.items():
            assert (target / name).read_bytes() == content, f"{tool}: {name}"


def check_inspect(path):
    inspection = support.json_of("inspect", "--json", path)
    schemas.check(VALIDATORS["inspect"], inspection, "inspect")
    integration = support.json_of("inspect", "--integration", "--json", path)
    schemas.check(VALIDATORS["integration"], integration, "integration")
    assert support.run_ok("inspect", "--integration", "--loops", path).stdout
    assert support.run_ok("inspect", path).stdout
    return inspection


def check_verify(path, said):
    """An archive passes exactly where processing had nothing to say about its graph."""
    result = support.run("verify", "--json", path)
    verdict = json.loads(result.stdout)
    schemas.check(VALIDATORS["verify"], verdict, "verify")
    assert verdict["archives"][0]["passed"] == (result.returncode == 0) == (not said), said


def check_archive(original, directory):
    path = directory / "module.tar"
    shutil.copy(original, path)
    os.chmod(path, 0o640)
    before = path.read_bytes()
    planned = support.json_of("process", "--dry-run", "--json", path)
    schemas.check(VALIDATORS["process"], planned, "process")
    result = support.run_ok("process", path)
    assert not result.stdout

    captured = tir_stems(support.spans(before)[0])
    inspection = check_inspect(path)
    # Archives of the graph executor are stock: their kernels come from the C.
    stems = captured or [f"src/{tir['stem']}" for tir in inspection["tir"]]
    assert [f"src/{tir['stem']}" for tir in inspection["tir"]] == stems
    modules = network_modules(support.spans(before)[0])
    assert path.stat().st_mode & 0o777 == 0o640
    new = check_spans(before, path.read_bytes())
    written = [member["name"] for member in planned["archives"][0]["written"]]
    assert written == [name.removeprefix("./") for name in new], written
    check_outputs(path, new, stems, modules)
    check_verify(path, result.stderr)
    check_other_tools(path, directory)

    first = state_of(path)
    support.run_ok("process", path)
    assert state_of(path) == first, "the second run changed the archive"
    support.run_ok("process", "--constants", "none", path)
    support.run_ok("process", path)
    assert path.read_bytes() == first[0], "the result depends on what was there before"


if __name__ == "__main__":
    sys.exit(schemas.check_archives(check_archive))

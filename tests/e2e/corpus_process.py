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
import tempfile

import schemas
import support

VALIDATORS = {name: schemas.validator(name) for name in ("tir", "manifest", "inspect")}


def archives():
    found = sorted(support.ARCHIVES.glob("*.tar"))
    if support.CORPUS.is_dir():
        found += sorted(support.CORPUS.glob("*/*/module.tar"))
    else:
        print(f"no corpus at {support.CORPUS}: bundled archives only")
    return found


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


def check_outputs(path, expected):
    """New members are valid, and listed in the manifest with their digests."""
    with tarfile.open(path) as tar:
        documents = {name: json.load(tar.extractfile(name)) for name in expected}
    manifest = documents.pop("./src/mlf.json")
    schemas.check(VALIDATORS["manifest"], manifest, "src/mlf.json")
    assert [entry["name"] for entry in manifest["written"]] == [n[2:] for n in documents]
    for name, document in documents.items():
        schemas.check(VALIDATORS["tir"], document, name)
        assert document["functions"], f"{name} has no function"


def check_other_tools(path, folder):
    """GNU tar, bsdtar and Python list and extract the same."""
    with tarfile.open(path) as tar:
        files = {m.name: tar.extractfile(m).read() for m in tar.getmembers() if m.isfile()}
    for tool in ("tar", "bsdtar"):
        target = folder / tool
        target.mkdir()
        listed = subprocess.run([tool, "-tf", path], capture_output=True, check=True)
        assert not listed.stderr, listed.stderr
        assert set(files) <= set(listed.stdout.decode().split("\n"))
        subprocess.run([tool, "-xf", path, "-C", target], check=True)
        for name, content in files.items():
            assert (target / name).read_bytes() == content, f"{tool}: {name}"


def check_inspect(path):
    inspection = json.loads(support.run_ok("inspect", "--json", path).stdout)
    schemas.check(VALIDATORS["inspect"], inspection, "inspect")
    assert support.run_ok("inspect", path).stdout
    return inspection


def check_archive(original, folder):
    path = folder / "module.tar"
    shutil.copy(original, path)
    os.chmod(path, 0o640)
    before = path.read_bytes()
    result = support.run_ok("process", path)
    assert not result.stdout

    stems = tir_stems(support.spans(before)[0])
    inspection = check_inspect(path)
    assert sorted("src/" + entry["stem"] for entry in inspection["tir"]) == stems
    if not stems:
        assert path.read_bytes() == before and b"no TIR" in result.stderr
        return
    assert not result.stderr, result.stderr
    expected = [f"./{stem}.json" for stem in stems] + ["./src/mlf.json"]
    assert check_spans(before, path.read_bytes()) == expected
    assert path.stat().st_mode & 0o777 == 0o640
    check_outputs(path, expected)
    check_other_tools(path, folder)

    first = state_of(path)
    support.run_ok("process", path)
    assert state_of(path) == first, "the second run changed the archive"
    support.run_ok("process", "--constants", "none", path)
    support.run_ok("process", path)
    assert path.read_bytes() == first[0], "the result depends on what was there before"


def main():
    failures = 0
    found = archives()
    for original in found:
        with tempfile.TemporaryDirectory() as name:
            try:
                check_archive(original, pathlib.Path(name))
            except (AssertionError, subprocess.CalledProcessError) as failure:
                print(f"{original}: {failure}")
                failures += 1
    print(f"{len(found) - failures} of {len(found)} archives passed")
    return 0 if found and not failures else 1


if __name__ == "__main__":
    sys.exit(main())

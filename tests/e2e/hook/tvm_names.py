"""The table of the names that the hook uses of TVM (mlf_tvmc/tvm_names.json) is complete and true.

Complete: nothing but tvm_api.py touches TVM, and every name in it is in the table. True: in the
TVM of this Python, if it has one, and in TVM's sources of each release, if MLF_TVM_SOURCE names a
git repository with TVM's tags.

Usage: python tvm_names.py
"""

import ast
import functools
import importlib
import json
import os
import re
import subprocess
import unittest

import support

PACKAGE = support.SOURCE / "mlf" / "tvmc" / "mlf_tvmc"
TABLE = json.loads((PACKAGE / "tvm_names.json").read_text())
RELEASES = TABLE["releases"]
SOURCE = os.environ.get("MLF_TVM_SOURCE")

try:
    import tvm
    from tvm import relay  # a directory called tvm is not enough
except ImportError:
    tvm = None


def versions_of(entry):
    first, last = entry.get("versions", (RELEASES[0], RELEASES[-1]))
    return RELEASES[RELEASES.index(first) : RELEASES.index(last) + 1]


def entries(*groups):
    return [entry for group in groups for entry in TABLE[group]]


class Complete(unittest.TestCase):
    def test_only_one_module_touches_tvm(self):
        for path in PACKAGE.glob("*.py"):
            tree = ast.parse(path.read_text())
            self.assertFalse([name for name in imports(tree) if name.split(".")[0] == "tvm"], path)
            if path.name != "tvm_api.py":
                texts = {node.value for node in ast.walk(tree) if is_text(node)}
                self.assertFalse(
                    {text for text in texts if re.fullmatch(r"(tvm|tir)\.[\w.]+", text)}
                )

    def test_the_table_has_every_name(self):
        """Attributes of TVM's objects, names of modules, passes and keys in tvm_api.py."""
        known = {
            part
            for entry in entries("python", "reflected", "passes", "texts")
            for part in re.findall(r"\w+", entry["name"])
        }
        tree = ast.parse((PACKAGE / "tvm_api.py").read_text())
        used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        used |= {
            part
            for node in ast.walk(tree)
            if is_text(node) and re.fullmatch(r"[\w.]+", node.value)
            for part in node.value.split(".")
        }
        plain_python = {"import_module", "items", "keys", "partition", "__wrapped__"}
        # A function of versions.py; the kind of a target; the hook's own option.
        others = {"require", "c", "tir_export_to_json"}
        self.assertEqual(used - known - plain_python - others, set())

    def test_the_table_covers_the_versions_that_the_package_accepts(self):
        versions = (PACKAGE / "versions.py").read_text()
        for name, release in ("OLDEST", RELEASES[0]), ("NEWEST", RELEASES[-1]):
            self.assertIn(f"{name} = ({release.replace('.', ', ')})", versions)

    def test_where_one_name_ends_another_begins(self):
        """A device type is got in two ways; each release has one."""
        ways = [entry for entry in entries("python", "reflected") if "device_type" in entry["name"]]
        covered = [release for way in ways for release in versions_of(way)]
        self.assertEqual(sorted(covered), sorted(RELEASES))


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


@unittest.skipIf(tvm is None, "this Python has no TVM")
class Installed(unittest.TestCase):
    def release(self):
        return ".".join(tvm.__version__.split(".")[:2])

    def test_names_of_python_are_in_the_table(self):
        for entry in entries("python"):
            name = entry["name"]
            if "(" in name or self.release() not in versions_of(entry):
                continue
            with self.subTest(name):
                self.assertTrue(
                    has(name) or name.startswith(("tvm.micro", "tvm.driver.tvmc.model"))
                )

    def test_passes_of_a_build_are_in_the_table(self):
        seen = set()

        @tvm.instrument.pass_instrument
        class Names:
            def run_before_pass(self, module, info):
                seen.add(info.name)

        data = relay.var("data", shape=(4,))
        module = tvm.IRModule.from_expr(relay.exp(data))
        executor = relay.backend.Executor("aot")
        with tvm.transform.PassContext(
            instruments=[Names()], config={"tir.disable_vectorize": True}
        ):
            target = tvm.target.Target("c", host="c")
            relay.build(module, target, executor=executor, runtime=relay.backend.Runtime("crt"))
        expected = {entry["name"] for entry in entries("passes") if not entry.get("optional")}
        self.assertEqual(expected - seen, set())


def has(dotted):
    """Whether a dotted name can be imported or got."""
    module, attributes = dotted, []
    while True:
        try:
            found = importlib.import_module(module)
            break
        except ImportError:
            module, _, last = module.rpartition(".")
            attributes.insert(0, last)
    for attribute in attributes:
        if not hasattr(found, attribute):
            return False
        found = getattr(found, attribute)
    return True


@functools.lru_cache(maxsize=None)
def tag_of(release):
    """The newest patch release, "v0.11.1" of "0.11"."""
    tags = git("tag", "--list", f"v{release}.[0-9]").split()
    return "refs/tags/" + sorted(tags)[-1]


@functools.lru_cache(maxsize=None)
def source_of(release, path):
    return git("show", f"{tag_of(release)}:{path}")


def git(*arguments):
    command = ["git", "-C", SOURCE, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@unittest.skipUnless(SOURCE, "MLF_TVM_SOURCE does not name a repository with TVM's tags")
class Sources(unittest.TestCase):
    def test_each_release_has_just_the_names_of_its_row(self):
        for entry in entries("python", "reflected", "passes", "texts"):
            for release in RELEASES:
                with self.subTest(f"{entry['name']} in v{release}"):
                    found = re.search(
                        entry["line"], source_of(release, entry["file"]), re.MULTILINE
                    )
                    self.assertEqual(bool(found), release in versions_of(entry))

    def test_each_release_works_in_the_order_that_the_hook_relies_on(self):
        for entry in entries("order"):
            for release in RELEASES:
                with self.subTest(f"{entry['name']} in v{release}"):
                    text, at = source_of(release, entry["file"]), 0
                    for step in entry["sequence"]:
                        found = re.compile(step).search(text, at)
                        self.assertTrue(found, step)
                        at = found.end()


if __name__ == "__main__":
    unittest.main()

"""A TIR without its metadata section is written for TVM, or one error says why not.

`str(module)` leaves the section out. For the TIR of every archive, in every dialect that the archive
has: `--missing=omit` writes save_json and TVMScript, and says on standard error what it left out;
what is written for the TVM of this Python, that loads. Prints a line for each archive from which
something was left out.

Usage: PYTHON_OF_A_TVM_VENV without_metadata.py
"""

import re
import tarfile
import unittest

import support

import need_tvm  # noqa: F401: skips where there is no TVM
import tvm
import tvm.script

LOADERS = {"save_json": tvm.ir.load_json, "tvmscript": tvm.script.from_source}
MINOR = int(tvm.__version__.split(".")[1])


def tir_members(archive):
    with tarfile.open(archive) as tar:
        return [name for name in tar.getnames() if re.search(r"src/tir-[^/]*\.txt$", name)]


def is_for_this_tvm(document):
    version = document["source"]["tvm_version"]
    first, last = (int(version[end].split(".")[1]) for end in ("first", "last"))
    return first <= MINOR <= last


def names_other_target(text):
    """The wheels are built without CMSIS-NN: they do not know its Target."""
    return "cmsis-nn" in text and "cmsis-nn" not in tvm.target.Target.list_kinds()


class WithoutMetadata(unittest.TestCase):
    def write(self, source, *options):
        """What mlf writes, and the notes about what it left out; nothing if it must refuse."""
        result = support.run("tir", "--missing=omit", *options, source)
        lines = result.stderr.decode().splitlines()
        errors = [line for line in lines if line.startswith("mlf: error: ")]
        if result.returncode == 0:
            self.assertFalse(errors, source)
            self.assertTrue(all(": left out: " in line for line in lines), lines)
            return result.stdout.decode("utf-8", "surrogateescape"), len(lines)
        # The tree itself needs what is missing.
        self.assertEqual(result.returncode, 65, source)
        self.assertEqual(len(errors), 1, source)
        self.assertRegex(errors[0], r"not known|cannot be written|no words|no literals")
        return None, 0

    def test_is_written_and_loaded(self):
        loaded = 0
        for archive in support.archives():
            for member in tir_members(archive):
                source = f"{archive}:{member}"
                document = support.json_of("tir", source)
                is_ours = is_for_this_tvm(document)
                version = ["--tvm-version", tvm.__version__] if is_ours else []
                for form, load in LOADERS.items():
                    text, notes = self.write(source, "--format", form, *version)
                    if notes:
                        print(f"{form:10}{notes:4} left out of {source}")
                    if text is not None and is_ours and not names_other_target(text):
                        with self.subTest(source=source, form=form):
                            load(text)
                        loaded += 1
        print(f"TVM {tvm.__version__} loaded {loaded} texts")
        self.assertGreater(loaded, 0)


if __name__ == "__main__":
    unittest.main(verbosity=0)

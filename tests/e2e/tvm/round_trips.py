"""TVM itself confirms that mlf loses nothing of TIR.

What TVM saved, mlf reads and writes again: as save_json, as save_json by way of its own JSON, and
as TVMScript. TVM loads the result and must find it structurally equal to the original, variable by
variable, the attributes of functions and modules included. The modules are those of the repository,
of the corpus if there is one, and programs made here with TVM: every operator, every kind of
statement, schedules lowered and unlowered, networks.

TVMScript has to come back wherever TVM's own script does; where neither does is printed.

Usage: PYTHON_OF_A_TVM_VENV round_trips.py
"""

import collections
import json
import unittest

import support

import need_tvm  # noqa: F401: skips where there is no TVM
import tvm
import tvm.script

import attribute_programs
import call_programs
import equality
import expression_programs
import module_programs
import operator_programs
import schedule_programs
import statement_programs

FAMILIES = (
    operator_programs,
    schedule_programs,
    expression_programs,
    call_programs,
    statement_programs,
)
FEWEST_PROGRAMS = 300
# Before v0.12 TVMScript has no attributes of modules.
HAS_MODULE_ATTRS = hasattr(tvm.script, "ir_builder")


def decode(text):
    return text.decode("utf-8", "surrogateescape")


def load(text):
    return tvm.ir.load_json(decode(text))


def save(module):
    return tvm.ir.save_json(module).encode("utf-8", "surrogateescape")


def mlf(text, *options):
    return support.run_ok("tir", *options, "-", input=text).stdout


def as_save_json(text):
    return load(mlf(text, "--format", "save_json"))


def as_tir_json(text):
    return load(mlf(mlf(text), "--format", "save_json"))


def own_module(family):
    """The programs of a family as one module."""
    programs = dict(family.programs())
    return tvm.IRModule({tvm.ir.GlobalVar(name): made for name, made in programs.items()})


def own_modules():
    yield from module_programs.modules()
    yield from attribute_programs.modules()


def save_json_files():
    """Pairs of a label and a text, of the repository and of the corpus."""
    data = support.SOURCE / "tests" / "data"
    for path in sorted(data.rglob("*.tvm.json")):
        yield path.name, path.read_bytes()
    for archive in sorted(support.ARCHIVES.glob("*.tar")):
        for name, content in support.members_of(archive).items():
            if name.endswith(".tvm.json"):
                yield f"{archive.name}:{name}", content
    for path in sorted(support.CORPUS.glob("**/save*.json")):
        yield str(path.relative_to(support.CORPUS)), path.read_bytes()


def loaded_files():
    """Those that this TVM loads, as modules."""
    for label, text in save_json_files():
        try:
            module = load(text)
        except Exception:  # pylint: disable=broad-except  # whatever TVM throws at other versions
            continue
        if isinstance(module, tvm.IRModule):
            yield label, text


class SaveJson(unittest.TestCase):
    """save_json, directly and by way of tir-N.json."""

    def check(self, label, text, counts):
        original = load(text)
        # TVM may hold a function for different from itself, loaded twice.
        beyond_tvm = equality.differences(original, load(text))
        counts["modules"] += 1
        counts["functions"] += len(original.functions)
        counts["that TVM cannot compare"] += len(beyond_tvm)
        for way in (as_save_json, as_tir_json):
            with self.subTest(label, way=way.__name__):
                found = equality.differences(original, way(text))
                self.assertEqual([name for name in found if name not in beyond_tvm], [])

    def test_programs(self):
        counts = collections.Counter()
        for family in FAMILIES:
            self.check(family.__name__, save(own_module(family)), counts)
        print("programs:", dict(counts))
        self.assertGreaterEqual(counts["functions"], FEWEST_PROGRAMS)

    def test_modules(self):
        counts = collections.Counter()
        for label, module in own_modules():
            self.check(label, save(module), counts)
        print("modules:", dict(counts))

    def test_files(self):
        counts = collections.Counter()
        for label, text in loaded_files():
            self.check(label, text, counts)
        print("files:", dict(counts))
        self.assertGreater(counts["modules"], 0)

    def test_a_difference_would_be_noticed(self):
        text = save(own_module(expression_programs))
        graph = json.loads(text)
        seven = next(
            node["attrs"]
            for node in graph["nodes"]
            if node["type_key"] == "IntImm" and node["attrs"]["value"] == "7"
        )
        seven["value"] = "8"
        changed = json.dumps(graph).encode()
        self.assertNotEqual(equality.differences(load(text), as_save_json(changed)), [])


class ScriptText:
    """A script of mlf, and the parts of it that are functions."""

    FUNCTION = "    @T.prim_func"

    def __init__(self, text):
        head, *functions = ("\n" + text).split("\n" + self.FUNCTION)
        self.whole = text
        self._head = head[1:].split("\n    I.module_attrs(")[0]
        self._functions = {part.split("def ")[1].split("(")[0]: part for part in functions}

    def function(self, name):
        """A script of one function alone."""
        return self._head + "\n" + self.FUNCTION + self._functions[name]


def script_of(text):
    """What mlf writes for a module; None where it says that TVMScript has no words for it."""
    result = support.run("tir", "--format", "tvmscript", "-", input=text)
    if result.returncode == 65:
        return None
    assert result.returncode == 0, result.stderr
    return ScriptText(decode(result.stdout))


def parse(script):
    """A module from a script; None where TVM cannot read it."""
    try:
        return tvm.script.from_source(script)
    except Exception:  # pylint: disable=broad-except  # the parser throws whatever it meets
        return None


def is_unreadable(module):
    """Whether this very TVM does not read a script that mlf wrote for it without a warning."""
    version = ("--tvm-version", tvm.__version__)
    result = support.run("tir", "--format", "tvmscript", *version, "-", input=save(module))
    assert result.returncode in (0, 65), result.stderr
    is_warned = b"cannot read" in result.stderr
    return result.returncode == 0 and not is_warned and parse(decode(result.stdout)) is None


def is_in(function, module, name):
    if module is None or name not in equality.functions_of(module):
        return False
    return equality.same_function(function, module[name])


def through_tvm(module):
    """A module from TVM's own script of it; None where TVM cannot print or read it."""
    try:
        return parse(module.script(show_meta=True))
    except Exception:  # pylint: disable=broad-except
        return None


def tvm_keeps(function, name):
    """Whether TVM's own script of a function is read back as the same function."""
    module = tvm.IRModule({tvm.ir.GlobalVar(name): function})
    return is_in(function, through_tvm(module), name)


def keeps_attrs(original, module):
    """Whether a module that was read has the attributes of the original."""
    return module is not None and "attrs" not in equality.differences(original, module)


class TvmScript(unittest.TestCase):
    """TVMScript of every module, parsed by TVM."""

    def check(self, label, text, counts):
        original = load(text)
        script = script_of(text)
        module = script and parse(script.whole)
        # No attributes and an empty set of them are one to the parser.
        if module is not None and HAS_MODULE_ATTRS and getattr(original, "attrs", None):
            self.check_attrs(label, original, module)
        counts["whole modules that TVM reads"] += module is not None
        for name, function in equality.functions_of(original).items():
            found = module if module is not None else self.alone(script, name, function)
            self.note(label, name, function, is_in(function, found, name), counts)

    def check_attrs(self, label, original, module):
        if keeps_attrs(original, module):
            return
        if keeps_attrs(original, through_tvm(original)):
            self.fail(f"{label}: TVM's own script keeps the module's attributes")
        self.beyond_both.append(label)

    def alone(self, script, name, function):
        """A module with nothing but one function, from its own script."""
        if script is not None:
            return parse(script.function(name))
        own = script_of(save(tvm.IRModule({tvm.ir.GlobalVar(name): function})))
        return own and parse(own.whole)

    def note(self, label, name, function, kept, counts):
        counts["functions"] += 1
        counts["kept by mlf"] += kept
        if kept:
            return
        if tvm_keeps(function, name):
            with self.subTest(label, function=name):
                self.fail("TVM's own script comes back, that of mlf does not")
        self.beyond_both.append(name)
        if is_unreadable(tvm.IRModule({tvm.ir.GlobalVar(name): function})):
            self.unreadable.append(name)

    def setUp(self):
        self.beyond_both = []
        self.unreadable = []

    def tearDown(self):
        print("neither TVM's nor mlf's script comes back:", " ".join(self.beyond_both) or "none")
        print("TVM does not parse what --tvm-version writes:", " ".join(self.unreadable) or "none")

    def test_programs(self):
        counts = collections.Counter()
        for family in FAMILIES:
            self.check(family.__name__, save(own_module(family)), counts)
        print("scripts of programs:", dict(counts))
        # A text that was asked for is one that TVM reads, or an error.
        listed = ("unusual_types", "vectors", "signatures", "allocations", "loops", "buffers")
        self.assertEqual([name for name in self.unreadable if name.startswith(listed)], [])

    @unittest.skipUnless(HAS_MODULE_ATTRS, "before v0.12 TVMScript has no such variables")
    def test_variables_and_results_of_every_type(self):
        """TVM's own scripts of these say `T.bfloat16` and the like, which nothing can read."""
        for name, function in statement_programs.unusual_types():
            with self.subTest(name):
                script = script_of(save(tvm.IRModule({tvm.ir.GlobalVar(name): function})))
                self.assertTrue(is_in(function, parse(script.whole), name), script.whole)

    def test_modules(self):
        counts = collections.Counter()
        for label, module in own_modules():
            self.check(label, save(module), counts)
        print("scripts of modules:", dict(counts))

    def test_files(self):
        counts = collections.Counter()
        for label, text in loaded_files():
            self.check(label, text, counts)
        print("scripts of files:", dict(counts))


if __name__ == "__main__":
    unittest.main()

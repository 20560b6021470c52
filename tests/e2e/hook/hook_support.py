"""What the tests of the hook share. Importing this skips the test where there is no TVM."""

import subprocess
import sys
import tarfile

import support

import need_tvm  # noqa: F401: skips where there is no TVM
import tvm
from tvm import relay, __version__ as TVM_VERSION

import graphs


IS_OLD = TVM_VERSION.startswith("0.9.")
ALL_STAGES = ("topology", "lowered", "codegen")


def member(archive, name):
    return support.members_of(archive)[name].decode()


def names(archive):
    with tarfile.open(archive) as tar:
        return set(tar.getnames())


def own_names(archive):
    """The members that plain TVM would not have written, without `./src/`."""
    own = {name for name in names(archive) if name.startswith(("./src/tir-", "./src/mlf."))}
    own |= {name for name in names(archive) if name.endswith((".topology.json", ".graph.json"))}
    return {name[len("./src/") :] for name in own}


def _stem(stage):
    return "tir-1" if stage == "lowered" else f"tir-1.{stage}"


def expected_names(stages):
    """own_names of a complete archive with one network for one target, c.

    Only the lowered stage is compared with the C. Without it, tir-1.json has the TIR of the C.
    """
    names = {_stem(stage) + end for stage in stages for end in (".txt", ".tvm.json", ".json")}
    return names | {"tir-1.json", "mlf.json", "default.topology.json", "default.graph.json"}


def graph_of_stage(archive, stage):
    """The network as mlf finds it where the archive has the TIR of that stage, and nothing of mlf."""
    others = {"src/" + name for name in own_names(archive)}
    others -= {f"src/{_stem(stage)}{end}" for end in (".txt", ".tvm.json")}
    members = support.members_of(archive)
    reduced = support.make_tar({name: members[name] for name in members if name not in others})
    return support.run_ok("graph", "--format=json", "-", input=reduced).stdout


class LoweredModules:
    """What relay.build asks its BuildModule for, seen without the hook."""

    def __init__(self):
        self.last = None

    def __enter__(self):
        self._original = relay.build_module.BuildModule.get_irmodule

        def spy(build_module):
            self.last = self._original(build_module)
            return self.last

        relay.build_module.BuildModule.get_irmodule = spy
        return self

    def __exit__(self, *_):
        relay.build_module.BuildModule.get_irmodule = self._original


def document(text):
    """mlf's JSON of a TVM JSON, without what tells where it came from."""
    parsed = support.json_of("tir", "-", input=text.encode())
    return without_source(parsed)


def difference(text, written):
    """The first difference between what TVM serialised and mlf's JSON of it: of all nodes and fields."""
    back = support.run_ok("tir", "--format", "save_json", "-", input=written.encode()).stdout
    return graphs.difference(*(tvm.ir.load_json(one) for one in (text, back.decode())))


def without_source(parsed):
    return {key: value for key, value in parsed.items() if key not in ("source", "target")}


def run_program(*arguments, **options):
    """Runs `python -m mlf_tvmc`; the result has text in `stdout` and `stderr`."""
    return run_python("-m", "mlf_tvmc", *arguments, **options)


def run_python(*arguments, through=(), **options):
    """`through` is a command that runs the command behind it."""
    command = list(map(str, (*through, sys.executable, *arguments)))
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)

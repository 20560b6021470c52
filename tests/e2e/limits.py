"""Results, not refusals, from the release build with a stack of 256 KiB and 1 GiB of memory."""

import json
import os
import resource
import sys

import support
from save_json_module import FIRST, PARAMETER, module_of, node

STACK = 256 << 10
MEMORY = 1 << 30
DEEP = 100_000
TOO_DEEP = 3_000_000
MANY = 100_000
MANY_MODULES = 8_000
LARGE = 300 << 20


def confined():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(*arguments, **options):
    return support.run(*arguments, preexec_fn=confined, **options)


def legacy(depth):
    """A chain of additions, innermost first, in the text of TVM v0.8 to v0.11."""
    yield '@f = primfn(x: int32) -> ()\n  attr = {"global_symbol": "f"}\n{\n  @tir.ret('
    yield "(" * depth + "x" + " + x)" * depth
    yield ", dtype=int32)\n}\n"


def tvmscript(depth):
    yield "# from tvm.script import tir as T\n\n@T.prim_func\ndef f(x: T.int32):\n"
    yield "    T.evaluate(" + "T.exp(" * depth + 'T.Cast("float32", x)' + ")" * depth + ")\n"


def save_json(depth):
    """The same chain as nodes, one Add a level."""
    add = json.dumps(node("tir.Add", a="INNER", b=str(PARAMETER), dtype="int32"))
    head, tail = add.split("INNER")
    return module_of(f"{head}{PARAMETER if level == depth - 1 else FIRST + level + 1}{tail}" for level in range(depth))


def many_functions(count):
    for i in range(count):
        yield (
            f"@f{i} = primfn(x: int32) -> ()\n"
            f'  attr = {{"global_symbol": "f{i}"}}\n{{\n  @tir.ret(x, dtype=int32)\n}}\n\n'
        )


# What begins in these is looked for further on: a line of nothing but them is not looked through
# again for each.
UNCLOSED = ("meta[", "name(", "Target(", "custom[", "Pointer(", "{", "T.Ptr[")
FRAMES = {
    "legacy": '@f = primfn(x: int32) -> ()\n  attr = {{"k": 1}}\n{{\n  @tir.ret({})\n}}\n',
    "legacy attribute": '@f = primfn(x: int32) -> ()\n  attr = {{"k": {}}}\n{{\n  @tir.ret(0)\n}}\n',
    "old TVMScript": "# from tvm.script import tir as T\n@T.prim_func\n"
    "def f(x: T.handle) -> None:\n    T.evaluate({})\n",
}


def in_seconds():
    """Not a measurement: the square of these sizes would take an hour."""
    resource.setrlimit(resource.RLIMIT_CPU, (100, 100))


def check_unclosed(directory, frame):
    for word in UNCLOSED:
        path = directory / "unclosed.txt"
        write(path, [FRAMES[frame].format(word * (2_000_000 // len(word)))])
        result = support.run("tir", path, preexec_fn=in_seconds)
        assert result.returncode == 65, f"{word}: exit {result.returncode}"
        assert result.stderr.count(b"mlf: error: ") == 1 and len(result.stderr) < 10_000


def write(path, pieces):
    with open(path, "w", encoding="ascii") as out:
        for piece in pieces:
            out.write(piece)


def check_deep(directory, dialect):
    path = directory / "deep.txt"
    write(path, dialect(DEEP))
    result = run("tir", path)
    (directory / "deep.json").write_bytes(result.stdout)
    assert result.returncode == 0, f"{dialect.__name__}: {result.stderr[-500:]}"
    json.loads(result.stdout)  # with Python's default limit of recursion
    again = run("tir", directory / "deep.json")
    assert again.returncode == 0 and again.stdout == result.stdout, "reading it back"


def check_too_deep(directory, dialect):
    path = directory / "too-deep.txt"
    write(path, dialect(TOO_DEEP))
    result = run("tir", path)
    assert result.returncode == 65, f"{dialect.__name__}: exit {result.returncode}"
    assert result.stderr.count(b"mlf: error: ") == 1 and not result.stdout


def check_many_functions(directory):
    path = directory / "many.txt"
    write(path, many_functions(MANY))
    result = run("tir", path)
    assert result.returncode == 0, result.stderr[-500:]
    assert len(json.loads(result.stdout)["functions"]) == MANY


def many_modules(count):
    """Modules with C, and half of them with a TIR of their own too."""
    document = json.loads(support.METADATA)
    module = document["modules"].pop("default")
    code = (
        "// tvm target: c -keys=cpu \n#define TVM_EXPORTS\n"
        "TVM_DLL int32_t tvmgen_{0}_add(float* p0, float* p1) {{\n"
        "  for (int32_t i = 0; i < 4; ++i) {{\n    p1[i] = (p0[i] + 1.000000e+00f);\n  }}\n"
        "  return 0;\n}}\n"
        "TVM_DLL int32_t tvmgen_{0}___tvm_main__(float* x, float* y) {{\n"
        "  if (tvmgen_{0}_add(x, y) != 0 ) return -1;\n  return 0;\n}}\n"
    )
    names = [f"m{i}" for i in range(count)]
    document["modules"] = {name: {**module, "model_name": name} for name in names}
    members = {"metadata.json": json.dumps(document)}
    for i, name in enumerate(names):
        members[f"codegen/host/src/{name}_lib0.c"] = code.format(name)
        if i % 2:
            members[f"src/tir-{i + 1}.txt"] = support.NETWORK.replace("default", name)
    return support.make_tar(members, mode="w:gz")


def check_many_modules(directory):
    path = directory / "modules.tar.gz"
    path.write_bytes(many_modules(MANY_MODULES))
    for command in (["verify"], ["report"], ["table"], ["inspect"], ["diff", path],
                    ["process", "-o", directory / "out.tar.gz"]):  # fmt: skip
        result = support.run(*command, path, preexec_fn=in_seconds)
        assert result.returncode == 0, f"{command[0]}: exit {result.returncode}"
    result = support.run("--limit", f"modules={MANY_MODULES - 1}", "verify", path)
    assert result.returncode == 65, f"exit {result.returncode}"
    assert f"more than {MANY_MODULES - 1} modules (--limit modules=N)".encode() in result.stderr


def check_stream_without_end(_directory):
    for limit, most in ((), 1 << 30), (("--limit", "source-bytes=1000"), 1000):
        result = support.run(*limit, "tir", "/dev/zero", preexec_fn=in_seconds)
        assert result.returncode == 65, f"exit {result.returncode}"
        assert f"has more than {most} bytes".encode() in result.stderr, result.stderr


def check_large_archive(directory):
    path = directory / "large.tar"
    members = {
        "metadata.json": support.METADATA,
        "parameters/default.params": os.urandom(1 << 20) * (LARGE >> 20),
        "src/tir-1.txt": support.LEGACY_TEXT,
    }
    path.write_bytes(support.make_tar(members))
    result = run("process", path)
    assert result.returncode == 0, result.stderr
    assert run("inspect", path).returncode == 0


def main():
    with support.temporary_directory() as directory:
        failures = []
        checks = [(check_many_functions,), (check_many_modules,), (check_large_archive,)]
        checks += [(check_stream_without_end,)]
        checks += [(check_unclosed, frame) for frame in FRAMES]
        for dialect in (legacy, tvmscript, save_json):
            checks += [(check_deep, dialect), (check_too_deep, dialect)]
        for check, *arguments in checks:
            what = " ".join([check.__name__, *(getattr(a, "__name__", a) for a in arguments)])
            try:
                check(directory, *arguments)
                print(f"passed: {what}")
            except AssertionError as failure:
                failures.append(what)
                print(f"FAILED: {what}: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""Archives of many modules, which are copies of one: each with its own TIR, or all in one TIR."""

import json


def copies_of(members, n):
    """Modules that are copies of the only one of these members."""
    copies = {}
    for i in range(n):
        for name, content in members.items():
            new = name.replace("default", f"m{i}").replace("tir-1.", f"tir-{i + 1}.")
            copies[new] = content.replace("default", f"m{i}").replace("DEFAULT", f"M{i}")
    document = json.loads(members["metadata.json"])
    module = json.dumps(document["modules"].pop("default"))
    for i in range(n):
        document["modules"][f"m{i}"] = json.loads(module.replace("default", f"m{i}"))
    return copies | {"metadata.json": json.dumps(document)}


def in_one_tir(copies):
    """The same archive, with the functions of all modules in one TVMScript."""
    texts = {name: copies.pop(name) for name in list(copies) if name.startswith("src/tir-")}
    functions = []
    for i, text in enumerate(texts.values()):
        head, _, rest = text.partition("    @T.prim_func\n")
        functions.append("    @T.prim_func\n" + rest.partition("# Metadata")[0].rstrip("\n"))
        functions[-1] = functions[-1].replace("__tvm_main__(", f"__tvm_main___m{i}(")
    return copies | {"src/tir-1.txt": head + "\n\n".join(functions) + "\n"}

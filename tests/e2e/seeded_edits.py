"""Edits of the files of an archive, as an editor would make them: faults, and changes that break nothing.

Each returns the edited members, or None where an archive has no place for it. `verify_seeded.py` tries
them on every archive.
"""

import collections
import json
import re

import support

# The head of a kernel or of its prototype.
KERNEL = r"\n((?:TVM_DLL )?int32_t tvmgen_\w*fused\w*\([^)]*\))"


def members_of(path):
    """Files of an archive by name, without what was captured: that C is all there is then."""
    # Bytes stay what they are.
    files = support.without_tir(support.members_of(path))
    return {name: content.decode("latin-1") for name, content in files.items()}


def as_tar(members):
    return support.make_tar({name: text.encode("latin-1") for name, text in members.items()})


def with_captures(path, members):
    """`members` and the captured TIR of the archive at `path`."""
    files = support.members_of(path)
    captured = files.keys() - support.without_tir(files).keys()
    return members | {name: files[name].decode("latin-1") for name in captured}


def sources(members):
    return [name for name in sorted(members) if name.startswith("codegen/") and name.endswith(".c")]


def replaced(members, pattern, by):
    """The members with the first match in generated C replaced; None without a match."""
    for name in sources(members):
        edited, count = re.subn(pattern, by, members[name], count=1)
        if count and edited != members[name]:
            return members | {name: edited}
    return None


# --- Faults: each returns the edited members, or None where there is no place for it --------------


def held_tensors(main):
    """By kernel: offsets of tensors in a pool that are there before one of its calls and are needed by
    that call and by a later one."""
    places = dict(re.findall(r"void\* (\w+) = \(&\(\w*workspace_\d+_var\[(\d+)\]\)\);", main))
    calls = [
        (kernel, [name.strip() for name in arguments.split(",")])
        for kernel, arguments in re.findall(r"if \((\w+)\(([^;]*?)\) != 0 \) return -1;", main)
    ]
    found = collections.defaultdict(list)
    for i, (kernel, names) in enumerate(calls):
        before = {name for _, others in calls[:i] for name in others}
        behind = {name for _, others in calls[i + 1 :] for name in others}
        found[kernel] += [places[n] for n in names if n in places and n in before and n in behind]
    return found


def workspace_over_a_tensor(members):
    """A workspace of a kernel is put over a tensor that is needed by a later call."""
    for name in sources(members):
        text = members[name]
        tensors = held_tensors(text[text.rfind("TVM_DLL int32_t tvmgen_") :])
        for kernel in re.finditer(r"TVM_DLL int32_t (\w+)\([^;{]*\) \{(.*?)\n\}", text, re.S):
            body = kernel.group(2)
            written = r"(?=.*\(\(\w+\*\)\1\)\[[^\n]* = )"
            let = re.search(r"void\* (\w+) = \(&\((\w+_var)\[\d+\]\)\);" + written, body, re.S)
            if let is None or not tensors.get(kernel.group(1)):
                continue
            place = f"void* {let.group(1)} = (&({let.group(2)}[{tensors[kernel.group(1)][0]}]));"
            moved = body.replace(let.group(0), place)
            if moved != body:
                return members | {name: text.replace(body, moved)}
    return None


def beyond_the_pool(members):
    return replaced(members, r"(void\* (?!\w*constant)\w+ = \(&\(global_workspace_\d+_var\[)\d+", r"\g<1>16777216")


def small_pool(members):
    return replaced(members, r"(static uint8_t global_workspace\[)\d+", r"\g<1>8")


def small_block(members):
    """A workspace of main or of a kernel that is smaller than what is written into it."""
    return replaced(members, r"(TVMBackendAllocWorkspace\(1, \w+, \(uint64_t\))\d+", r"\g<1>4")


def small_constant_pool(members):
    """The last constant of a pool is gone, and the kernel that reads it is not."""
    for name in sources(members):
        text = members[name]
        struct = re.search(r"static (?:const )?struct (\w+) \{\n(.*?)\n\} \1 = \{\n(.*?)\n\};", text, re.S)
        if struct is None or struct.group(2).count("\n") == 0:
            continue
        last = struct.group(2).split("\n")[-1]
        member = re.search(r"(\w+)\[", last).group(1)
        values = re.search(r"\n  \." + member + r" = \{.*?\n  \},", text, re.S)
        return members | {name: text.replace("\n" + last, "").replace(values.group(0), "")}
    return None


def small_metadata(members):
    pattern = r'("workspace_size_bytes": )(\d+)'
    text = members["metadata.json"]
    main = text.find('"main": [')
    found = re.search(pattern, text[main:]) if main >= 0 else None
    if found is None or int(found.group(2)) < 2:
        return None
    return members | {"metadata.json": text[:main] + re.sub(pattern, r"\g<1>1", text[main:], count=1)}


def replaced_in_header(members, pattern, by):
    for name in sorted(members):
        if name.startswith("codegen/") and name.endswith(".h"):
            edited = re.sub(pattern, by, members[name])
            if edited != members[name]:
                return members | {name: edited}
    return None


def word_as_a_member(members):
    return replaced_in_header(members, r"(struct \w+_inputs \{\n  void\* )\w+;", r"\g<1>int;")


def conflicting_types(members):
    return replaced_in_header(members, r"int32_t (tvmgen_\w+_run\()", r"void \g<1>")


def unknown_type(members):
    return replaced(members, r"(TVM_DLL int32_t tvmgen_\w+\()\w+\*( \w+[^;{]*\) \{)", r"\g<1>int9_t*\g<2>")


def in_main(members, edit):
    """The members with main's body edited; None if that changes nothing."""
    for name in sources(members):
        text = members[name]
        main = re.search(r"TVM_DLL int32_t tvmgen_\w+(?:__tvm_main__|_run_model)\([^;{]*\) \{\n.*?\n\}", text, re.S)
        if main is not None:
            edited = edit(main.group(0))
            return members | {name: text.replace(main.group(0), edited)} if edited != main.group(0) else None
    return None


def swapped_arguments(members):
    """Input and output of the last call: it writes what it should read."""
    call = r"(.*\(void\))?(.*if \()?(tvmgen_\w+)\((\w+), (\w+)((?:, \w+)*)\)(?=[;) ])"

    def edit(main):
        last = list(re.finditer(call, main))
        if not last or last[-1].group(4) == last[-1].group(5) or last[-1].group(6):
            return main
        start, end = last[-1].span(4)[0], last[-1].span(5)[1]
        return main[:start] + f"{last[-1].group(5)}, {last[-1].group(4)}" + main[end:]

    return in_main(members, edit)


def blocks(text):
    """Requests and frees of workspaces: (variable, what requests it, what frees it)."""
    request = r"  void\* (\w+) = TVMBackendAllocWorkspace\([^\n]*\n  if \(\1 == NULL\) \{\n    return -1;\n  \}\n"
    for found in re.finditer(request, text):
        free = re.search(
            r"  if \(TVMBackendFreeWorkspace\(1, \w+, " + found.group(1) + r"\) != 0\) \{\n    return -1;\n  \}\n", text)
        if free is not None:
            yield found.group(1), found.group(0), free.group(0)


def freed_at_once(text):
    for _, request, free in blocks(text):
        return text.replace(free, "").replace(request, request + free)
    return text


def freed_too_early(members):
    return in_main(members, freed_at_once)


def freed_before_its_loops(members):
    for name in sources(members):
        for kernel in re.finditer(r"TVM_DLL int32_t tvmgen_\w*fused_\w+\([^;{]*\) \{\n.*?\n\}", members[name], re.S):
            edited = freed_at_once(kernel.group(0))
            if edited != kernel.group(0):
                return members | {name: members[name].replace(kernel.group(0), edited)}
    return None


def freed_out_of_order(members):
    """TVM's stack allocator takes back only the last block."""

    def edit(main):
        frees = [free for _, _, free in blocks(main)]
        if len(frees) < 2:
            return main
        first, last = sorted(frees, key=main.index)[:2]
        return main.replace(first + last, last + first)

    return in_main(members, edit)


def argument_too_many(members):
    """A handle of a device that the kernel does not take."""

    def edit(main):
        call = re.search(r"tvmgen_\w+fused_\w+\(\w[\w, ]*(?=\))", main[main.index("{") :])
        if call is None:
            return main
        passed = main.replace(call.group(0), call.group(0) + ", device_context_board", 1)
        return re.sub(r"(tvmgen_\w+\([^)]*)\) \{", r"\1, void* device_context_board) {", passed, count=1)

    return in_main(members, edit)


def short_constant(members):
    """An array of constants keeps its first row of several."""
    rows = r"(static const \w+ __attribute__\(\([^\n]*\)\) \w+\[)\d+(\] = \{\n)((?: *[^\n{}]*\n){2,})\};"

    def first_row(found):
        first = found.group(3).split("\n")[0].rstrip(", ")
        return f"{found.group(1)}{first.count(',') + 1}{found.group(2)}{first}\n}};"

    return replaced(members, rows, first_row)


def in_graph(members, edit):
    """The members with the graph of the graph executor edited; None if there is none, or no fit place."""
    for name, text in members.items():
        if name.startswith("executor-config/graph/"):
            graph = json.loads(text)
            return members | {name: json.dumps(graph)} if edit(graph) else None
    return None


def result_over_a_tensor_in_use(members):
    def edit(graph):
        nodes, rows = graph["nodes"], graph["node_row_ptr"]
        storages = graph["attrs"]["storage_id"][1]
        for reader, node in enumerate(nodes):
            for source, output, _ in node["inputs"]:
                between = [i for i in range(source + 1, reader) if nodes[i]["op"] != "null"]
                entry = rows[source] + output
                if nodes[source]["op"] != "null" and between and storages[rows[between[0]]] != storages[entry]:
                    storages[rows[between[0]]] = storages[entry]
                    return True
        return False

    return in_graph(members, edit)


def small_result_in_the_graph(members):
    def edit(graph):
        shapes = graph["attrs"]["shape"][1]
        for i, node in enumerate(graph["nodes"]):
            shape = shapes[graph["node_row_ptr"][i]]
            if node["op"] != "null" and shape and shape[-1] > 1:
                shape[-1] -= 1
                return True
        return False

    return in_graph(members, edit)


def in_metadata(members, edit):
    """The members with metadata.json edited as main's memory, or as the buffers of an operator."""
    document = json.loads(members["metadata.json"])
    for module in document.get("modules", {"": document}).values():
        memory = module["memory"]
        for one in memory["functions"]["main"] if "functions" in memory else [memory]:
            if edit(one):
                return members | {"metadata.json": json.dumps(document)}
    return None


def of_tensors(kind, edit):
    """An edit of main's inputs or outputs in metadata.json and of the name of the first one."""
    def edited(one):
        if not one.get(kind) or not isinstance(one[kind], dict):
            return False
        edit(one[kind], min(one[kind]))
        return True
    return lambda members: in_metadata(members, edited)


OTHER_TYPE = {"float32": "int32", "int8": "uint8", "uint8": "int8", "int32": "float32"}
METADATA_FAULTS = {
    "an input of another type": of_tensors("inputs", lambda all, one: all[one].update(dtype=OTHER_TYPE[all[one]["dtype"]])),
    "an input of half the size": of_tensors("inputs", lambda all, one: all[one].update(size=all[one]["size"] // 2)),
    "an input of twice the size": of_tensors("inputs", lambda all, one: all[one].update(size=all[one]["size"] * 2)),
    "an input that does not exist": of_tensors("inputs", lambda all, one: all.update(none=all.pop(one))),
    "an input too many": of_tensors("inputs", lambda all, one: all.update(none=all[one])),
    "an output too few": of_tensors("outputs", lambda all, one: all.pop(one)),
}


def of_buffers(edit):
    def edited(memory):
        name = min(memory)
        if not isinstance(memory[name], list) or not memory[name] or "shape" not in memory[name][0]:
            return False
        edit(memory, name)
        return True
    return lambda members: in_metadata(members, edited)


OPERATOR_FAULTS = {
    "a buffer of another type": of_buffers(lambda all, one: all[one][0].update(dtype=OTHER_TYPE[all[one][0]["dtype"]])),
    "a buffer of another size": of_buffers(lambda all, one: all[one][0].update(size_bytes=2 * all[one][0]["size_bytes"])),
    "a buffer too few": of_buffers(lambda all, one: all[one].pop()),
    "a buffer too many": of_buffers(lambda all, one: all[one].append(all[one][0])),
    "an operator that does not exist": of_buffers(lambda all, one: all.update(none=all.pop(one))),
}


def of_nodes(edit):
    """An edit of the first node that `edit` takes."""
    return lambda members: in_graph(members, lambda graph: any(
        node["attrs"]["func_name"].startswith("tvmgen_") and edit(node) for node in graph["nodes"] if node["op"] != "null"))


def without_input(node):
    if len(node["inputs"]) < 2:
        return False
    node["attrs"]["num_inputs"] = str(len(node["inputs"]) - 1)
    return bool(node["inputs"].pop())


def input_of_another_type(graph):
    types = graph["attrs"]["dltype"][1]
    types[0] = OTHER_TYPE[types[0]]
    return True


GRAPH_FAULTS = {
    "a function that does not exist": of_nodes(lambda node: node["attrs"].update(func_name="tvmgen_default_none") or True),
    "a node without an input": of_nodes(without_input),
    "another number of inputs": of_nodes(lambda node: node["attrs"].update(num_inputs="9") or True),
    "an input of the graph of another type": lambda members: in_graph(members, input_of_another_type),
}


def in_call_of_main(edit):
    """The arguments that the entry point passes main, edited; None if that changes nothing."""
    call = r"(\n *int32_t tvmgen_\w+_run\([^;{]*\) ?\{\s*return tvmgen_\w+__tvm_main__\()(inputs->[^;]*)(\);)"
    def edited(members):
        return replaced(members, call, lambda found: found[1] + ",".join(edit(found[2].split(","))) + found[3])
    return edited


def exchanged(is_one, is_other):
    """The first argument of one kind and the last one of another, exchanged."""
    def edit(arguments):
        one = [i for i, argument in enumerate(arguments) if is_one in argument][:1]
        other = [i for i, argument in enumerate(arguments) if is_other in argument][-1:]
        for i, k in zip(one, other):
            arguments[i], arguments[k] = arguments[k], arguments[i]
        return arguments
    return in_call_of_main(edit)


def constants_in_another_order(members):
    """The smallest and the largest constant of a pool, and all values as before."""
    for name in sources(members):
        pool = re.search(r"static (?:const )?struct (\w+) \{\n(.*?)\n\} \1 = \{\n(.*?)\n\};", members[name], re.S)
        if pool is None:
            continue
        rows = pool[2].replace("packed, ", "").split("\n")
        size_of = {row: int(re.search(r"// (\d+) bytes", row)[1]) for row in rows}
        one, other = rows.index(min(rows, key=size_of.get)), rows.index(max(rows, key=size_of.get))
        if size_of[rows[one]] == size_of[rows[other]]:
            continue
        rows[one], rows[other] = rows[other], rows[one]
        values = [re.search(r"  \." + re.search(r"(\w+)\[", row)[1] + r" = \{\n.*?\n  \}", pool[3], re.S)[0] for row in rows]
        edited = pool[0].replace(pool[2], "\n".join(rows)).replace(pool[3], ",\n".join(values) + ",")
        return members | {name: members[name].replace(pool[0], edited)}
    return None


def one_argument_less(members):
    """In the call of main and in the prototype beside it: no compiler sees that."""
    edited = in_call_of_main(lambda arguments: arguments[:-1])(members)
    return edited and replaced(
        edited, r"(\nTVM_DLL int32_t tvmgen_\w+__tvm_main__\(void\* \w+)((?:,void\* \w+)*),\w+\* \w+\);", r"\1\2);")


def relay_of_another_network(members):
    """Before TVM 0.11 nothing else states the shapes of inputs."""
    knows_inputs = '"inputs"' in members["metadata.json"] or "graph" in members["metadata.json"]
    relay = [name for name in members if name.endswith(".relay") and knows_inputs]
    other = "def @main(%other: Tensor[(1, 77), int8]) -> Tensor[(1, 77), int8] {\n  nn.relu(%other)\n}\n"
    return members | dict.fromkeys(relay, other) if relay else None


REGISTRY = r"(_tvm_func_array\[\] = \{\n)(.*\n)(.*\n)"
NAMES = r"(TVMFuncRegistry[^\"]*\"\\)(\d\d\d)(\\000)(\w+)(\\000)(\w+)"
CODE_FAULTS = {
    "constants in another order": constants_in_another_order,
    "a constant at another place": lambda members: replaced(
        members, r"(\(&\(global_const_workspace_\d+_var\[)(\d+)", lambda found: f"{found[1]}{int(found[2]) + 4}"),
    "a return before main": lambda members: in_wrapper("\n  return 0;")(members),
    "exchanged inputs": exchanged("inputs->", "inputs->"),
    "exchanged outputs": exchanged("outputs->", "outputs->"),
    "an output for an input": exchanged("inputs->", "outputs->"),
    "exchanged pools": exchanged("const_workspace", "global_workspace"),
    "a member that does not exist": in_call_of_main(lambda arguments: ["inputs->none", *arguments[1:]]),
    "the address of a pointer": in_call_of_main(lambda arguments: ["&" + arguments[0], *arguments[1:]]),
    "one argument less": one_argument_less,
    "a number in place of a pointer": lambda members: replaced_in_header(
        members, r"(struct \w+_inputs \{\n  )void\*", r"\1int"),
    "a pool that nothing declares": lambda members: replaced(
        members, r"\n__attribute__\(\(section\(\".bss.noinit.tvm\".*\nstatic uint8_t global_workspace\[.*", ""),
    "a pool of constants for a workspace": lambda members: replaced(
        members, r"(tensors\[\d+\] = )global_workspace(_tvm_value;)", r"\1global_const_workspace\2"),
    "one tensor twice": lambda members: replaced(
        members, r"(tensors\[1\] = \(\(TVMValue\*\)args\)\[)1", r"\g<1>0"),
    "a short array of values": lambda members: replaced(
        members, r"(TVMValue tensors\[)(\d+)", lambda found: f"{found[1]}{int(found[2]) - 1}"),
    "Relay of another network": relay_of_another_network,
    "a struct without the member": lambda members: replaced_in_header(
        members, r"(struct \w+_inputs \{\n  void\* )\w+;", r"\g<1>none;"),
}

FAULTS = (
    result_over_a_tensor_in_use,
    small_result_in_the_graph,
    swapped_arguments,
    freed_too_early,
    freed_before_its_loops,
    freed_out_of_order,
    argument_too_many,
    short_constant,
    workspace_over_a_tensor,
    beyond_the_pool,
    small_pool,
    small_block,
    small_constant_pool,
    small_metadata,
    word_as_a_member,
    conflicting_types,
    unknown_type,
    *(METADATA_FAULTS | OPERATOR_FAULTS | GRAPH_FAULTS | CODE_FAULTS).values(),
)
for name, fault in (METADATA_FAULTS | OPERATOR_FAULTS | GRAPH_FAULTS | CODE_FAULTS).items():
    fault.__name__ = name


# --- Changes that people make and that break nothing ----------------------------------------------


def in_sources(change):
    def edit(members):
        edited = {name: change(members[name]) for name in sources(members)}
        return members | edited if any(edited[name] != members[name] for name in edited) else None

    return edit


def in_kernels(pattern, by):
    return in_sources(lambda text: re.sub(pattern, by, text))


def in_definitions(macro, value, by):
    """Definitions of kernels, in a file that defines `macro`."""
    return in_kernels(r"\A|" + KERNEL + r"(?= \{)", lambda found: (
        found.expand(by) if isinstance(by, str) else by(found)) if found.group(1) else f"#define {macro}{value}\n")  # fmt: skip


def in_other_file(path, text):
    """The first kernel, defined in a file that mlf does not read."""
    def changed(members):
        found = re.search(KERNEL + r" \{\n.*?\n\}\n", "\n".join(members.values()), re.S)
        if found is None:
            return members
        without = {name: content.replace(found.group(0), "\n") for name, content in members.items()}
        name = re.search(r"tvmgen_\w+", found.group(0))[0]
        return without | {path: text.format(name=name, size=len(name) + 2)}
    return changed


def in_wrapper(line):
    """`line` at the beginning of the entry point."""

    def edit(members):
        return replaced(members, r"\nint32_t tvmgen_\w+_run\([^;{]*\) ?\{", lambda found: found.group(0) + line)

    return edit


def header_of_prototypes(members):
    """Prototypes of kernels in a header of their own."""
    for name in sources(members):
        prototypes = re.findall(KERNEL + ";", members[name])
        if not prototypes:
            continue
        text = '#include "kernels.h"\n' + re.sub(KERNEL + ";", "", members[name])
        declared = "".join(f"{one};\n" for one in prototypes).replace("TVM_DLL ", "")
        header = "#pragma once\n#include <stdint.h>\n" + declared
        return members | {name: text, "codegen/host/include/kernels.h": header}
    return None


def two_files(members):
    """The last kernel in a file of its own."""
    for name in sources(members):
        text = members[name]
        kernels = list(re.finditer(KERNEL + r" \{\n(?:.*\n)*?\}\n", text))
        if len(kernels) < 2:
            continue
        last = kernels[-1]
        other = text[: text.index("#include")] + "\n".join(re.findall(r"#include .*", text)) + last.group(0)
        return members | {name: text[: last.start()] + "\nint other;" + text[last.end() :], name[:-2] + "_b.c": other}
    return None


def other_names(members):
    names = {name: name.replace(".c", "_network.c") for name in sources(members)}
    return {names.get(name, name): text for name, text in members.items()} if names else None


CHECKED = r"if \((tvmgen_\w+\([^;]*?\)) != 0 ?\) return -1;"
FIRST_PARAMETER = re.compile(r"(\w+)[,)]")


def edit_of_main(pattern, by, count=0):
    return lambda members: in_main(members, lambda main: re.sub(pattern, by, main, count=count))


def at_begin_of_main(lines):
    return edit_of_main(r"\{\n", lambda found: found[0] + lines, 1)


def places_in_calls(main, is_unique=False):
    """Without the names of places in pools: of those with a place of their own, or of all."""
    places = dict(re.findall(r"  void\* (\w+_let) = (\(&\(.*\)\));\n", main))
    if is_unique and len(set(places.values())) < len(places):
        return main
    main = re.sub(r"  void\* \w+_let = \(&\(.*\)\);\n", "", main)
    return re.sub(r"\b\w+_let\b", lambda name: places.get(name[0], name[0]), main)


log_line = at_begin_of_main('  printf("run\\n");\n')
AR_HEADER = f"!<arch>\n{'kernel.o/':<48}{{size:<10}}`\n"

OTHER_LOOPS = (r"; (\w+) < (\d+); \+\+\1\)", r"; \1 != \2; \1 += 1)")

SOUND = {
    "loops with !=": in_kernels(*OTHER_LOOPS),
    "loops that leave out an iteration": in_kernels(
        r"; (\w+) < (\d+); \+\+\1\) \{",
        lambda found: f"; {found[1]} < {int(found[2]) + 1}; ++{found[1]}) {{ if ({found[1]} == {found[2]}) continue;"),
    "other names of pools, and loops with !=": in_sources(lambda text: re.sub(
        *OTHER_LOOPS, re.sub(r"\bglobal_(?:const_)?workspace_(\d+)_var\b", r"arena\1", text))),
    "places of pools in calls": lambda members: in_main(members, lambda main: places_in_calls(main, is_unique=True)),
    "a macro before definitions": in_sources(lambda text: '#define IRAM_ATTR __attribute__((section(".iram1")))\n' + re.sub(
        KERNEL + r" \{", r"\nIRAM_ATTR \1 {", text)),
    "an attribute behind prototypes": in_kernels(KERNEL + ";", r"\n\1 __attribute__((noinline));"),
    "prototypes in a header": header_of_prototypes,
    "a kernel in another file": two_files,
    "other names of files": other_names,
    "other names of type codes": in_kernels(r"\bint32_t (\w+)_code\b", r"int32_t \1_kind"),
    "no type codes": in_kernels(r"\n *int32_t \w+_code = \w+\[\d+\];", ""),
    "restrict": in_kernels(r"\* (p0|x_buffer_var)\b", r"* restrict \1"),
    "static kernels": in_kernels(KERNEL, lambda found: "\nstatic " + found.group(1).replace("TVM_DLL ", "")),
    "a parameter that is named as unused": in_kernels(
        KERNEL + r" \{\n", lambda found: found.group(0) + "  (void)" + FIRST_PARAMETER.search(found[1])[1] + ";\n"),
    "results in a variable": edit_of_main(CHECKED, r"{ int rc = \1; if (rc != 0) return rc; }"),
    "another number for a failure": edit_of_main(CHECKED, r"if (\1 != 0) { return -2; }"),
    "lines under a condition": at_begin_of_main('#ifdef DEBUG\n  printf("main\\n");\n#endif\n'),
    "an entry point for tests": lambda members: replaced(
        members, r"(?s)\n(int32_t tvmgen_\w+_run\([^;{]*\)) ?\{.*?\n\}",
        lambda found: f"\n#ifdef STUB\n{found[1]} {{ return 0; }}\n#else{found[0]}\n#endif"),
    "a check of pointers": in_wrapper("if (inputs == NULL || outputs == NULL) return -1; "),
    "a count of runs": in_wrapper("static int runs; ++runs; "),
    "assertions in kernels": in_kernels(r"\n(  return 0;\n\})", r"\n  assert(1);\n\1"),
    "assertions on tensors": in_kernels(
        KERNEL + r" \{\n", lambda found: f'{found[0]}  assert({FIRST_PARAMETER.search(found[1])[1]} != NULL && "no tensor");\n'),
    "int loops": in_kernels(r"for \(int32_t ", "for (int "),
    "i++": in_kernels(r"; \+\+(\w+)\) \{", r"; \1++) {"),
    "i += 1": in_kernels(r"; \+\+(\w+)\) \{", r"; \1 += 1) {"),
    "no braces": in_kernels(r"\{\n( *[^;\n{}]*;)\n *\}\n", r"\n\1\n"),
    "another type for bytes": in_kernels(r"\buint8_t\* global", "unsigned char* global"),
    "an application": lambda members: members | {
        "codegen/host/src/main.c": '#include "tvmgen_default.h"\nint main(void) { return 0; }\n'},
    "calls of a watchdog": lambda members: in_main(members, lambda main: main.replace("\n  if (tvmgen_", "\n  feed_watchdog();\n  if (tvmgen_")),
    "a log line in main": log_line,
    "a macro before kernels": in_sources(lambda text: re.sub(
        r"\nTVM_DLL (int32_t tvmgen_\w*fused)", r"\nIRAM_ATTR TVM_DLL \1", '#include "esp_attr.h"\n' + text)),
    "a section for kernels": in_kernels(r"\nTVM_DLL (int32_t tvmgen_\w*fused)",
                                        r'\n__attribute__((section(".ramfunc"))) TVM_DLL \1'),
    "no line of the target": in_kernels(r"// tvm target[^\n]*\n", ""),
    "lines that end with CR": in_sources(lambda text: text.replace("\n", "\r\n")),
    "a licence and comments": in_sources(lambda text: "/* Licence: none\n * of it\n */\n" + re.sub(
        r"\n( *)for \(", r"\n\1// the next loop; it has { and ' in it\n\1for (", text)),
    "pragmas before loops": in_kernels(r"\n( *)for \(", r"\n\1#pragma GCC unroll 2\n\1for ("),
    "no macros of C++": in_kernels(r'#ifdef __cplusplus\nextern "C"(?: \{)?\n#endif\n|#ifdef __cplusplus\n\}\n#endif', ""),
    "a helper": in_sources(lambda text: text + "\nstatic inline int32_t twice(int32_t a) { return a + a; }\n"),
    "other names of variables": in_kernels(r"\bcse_var_(\d+)\b", r"offset_\1"),
    "braces on lines of their own": in_kernels(r"\) \{\n", ")\n{\n"),
    "tabs": in_kernels(r"(?m)^(?:  )+", "\t"),
    "no const": in_kernels(r"static const ", "static "),
    "no TVM_DLL": in_kernels(r"\bTVM_DLL ", ""),
    "another alignment": in_kernels(r"aligned\(16\)\)\)\nstatic uint8_t", "aligned(64)))\nstatic uint8_t"),
    "an assertion": in_sources(lambda text: text.replace(
        "#include <math.h>\n", '#include <math.h>\n#include <assert.h>\n_Static_assert(sizeof(int) == 4, "int");\n')),
    "a cycle counter": lambda members: in_main(members, lambda main: main.replace(
        "{\n", "{\n  uint32_t start = DWT->CYCCNT;\n", 1).replace("\n  return 0;", "\n  cycles = DWT->CYCCNT - start;\n  return 0;")),
    "pools of main with other names": edit_of_main(r"\bglobal_workspace_\d+_var\b", "arena"),
    "constants of main with another name": edit_of_main(r"\bglobal_const_workspace_\d+_var\b", "weights"),
    "results that are not read": edit_of_main(CHECKED, r"\1;"),
    "results that are not used": edit_of_main(CHECKED, r"(void)\1;"),
    "an assertion in main": at_begin_of_main("  assert(sizeof(int) == 4);\n"),
    "sums as offsets": edit_of_main(r"_var\[(\d+)\]", lambda found: f"_var[{found[1]} + 0]"),
    "pointers and numbers as offsets": edit_of_main(r"\(&\((\w+)\[(\d+)\]\)\)", r"\1 + \2"),
    "numbers with a suffix": edit_of_main(r"_var\[(\d+)\]", r"_var[\1u]"),
    "const inputs": edit_of_main(r"\(((?:u?int\d+_t|float|void)\*)", r"(const \1", 1),
    "a macro for checks": lambda members: in_main(members, lambda main: "#define CHECK(x) if ((x) != 0) return -1\n" * (
        "TVM_DLL" in main) + re.sub(CHECKED, r"CHECK(\1);", main)),
    "int as the type of results": edit_of_main(r"TVM_DLL int32_t", "TVM_DLL int", 1),
    "frees without a check": in_kernels(r"if \((TVMBackendFreeWorkspace\([^)]*\)) != 0\) \{\n *return -1;\n *\}", r"\1;"),
    "comments behind names": in_kernels(KERNEL + r"(?= \{)", lambda found: found.group(0).replace("(", " /* in RAM */ (", 1)),
    "attributes before names": in_kernels(KERNEL, lambda found: found.group(0).replace(
        "int32_t tvmgen", "int32_t __attribute__((noinline)) tvmgen", 1)),
    "attributes before results": in_kernels(KERNEL, lambda found: found.group(0).replace(
        "int32_t tvmgen", "__attribute__((__section__(\".fast\"), hot)) int32_t tvmgen", 1)),
    "macros with arguments before kernels": in_definitions(
        "SECTION", '(x) __attribute__((section(x)))', r'\nSECTION(".fast") \1'),
    "macros around names": in_definitions("RAMFUNC", "(name) name", lambda found: re.sub(
        r"(tvmgen_\w+)", r"RAMFUNC(\1)", found.group(0), count=1)),
    "names in parentheses": in_kernels(KERNEL + r"(?= \{)", lambda found: re.sub(
        r"(tvmgen_\w+)", r"(\1)", found.group(0), count=1)),
    "another name of int32_t for kernels": in_kernels(KERNEL + r"(?= \{)", lambda found: found.group(0).replace(
        "int32_t tvmgen", "signed int tvmgen", 1)),
    "a kernel in assembler": in_other_file("codegen/host/src/kernel.S", "{name}:\n  bx lr\n"),
    "a kernel in a library": in_other_file("codegen/host/lib/libkernel.a", AR_HEADER + "\0{name}\0"),
    "a kernel by a macro": in_other_file("codegen/host/src/kernel.c", "DEFINE_KERNEL({name})\n"),
    "metadata without inputs": lambda members: in_metadata(members, lambda one: one.pop("inputs", None) and one.pop("outputs")),
    "booleans in metadata": of_buffers(lambda all, one: [
        buffer.update(dtype="bool") for buffer in all[one] if buffer["dtype"] == "int8"]),
    "buffers of a scalar": of_buffers(lambda all, one: [
        buffer.update(shape=[]) for buffer in all[one] if buffer["shape"] == [1]]),
    "buffers in another order": of_buffers(lambda all, one: all[one].reverse()),
    "a graph without numbers of inputs": of_nodes(lambda node: node["attrs"].pop("num_inputs", None)),
    "arg_nodes in another order": lambda members: in_graph(members, lambda graph: graph["arg_nodes"].reverse() or True),
    "another name of the first input in C": lambda members: (lambda header: header and in_call_of_main(
        lambda arguments: ["inputs->renamed", *arguments[1:]])(header))(replaced_in_header(
            members, r"(struct \w+_inputs \{\n  void\* )\w+;", r"\g<1>renamed;")),
    "members of a struct in another order": lambda members: replaced_in_header(
        members, r"(struct \w+_(?:in|out)puts \{\n)(  void\* \w+;\n)(  void\* \w+;\n)", r"\1\3\2"),
    "other names in the prototype of main": lambda members: replaced(
        members, r"(__tvm_main__\(void\* )(\w+)(,\s*void\* )(\w+)", r"\1\4\3\2"),
    "constants in RAM": in_call_of_main(lambda arguments: [
        one.replace("&global_const_workspace", "weights_in_ram") for one in arguments]),
    "a pool behind another one": in_call_of_main(lambda arguments: [
        one.replace("&global_const_workspace", "&global_workspace + 4096") for one in arguments]),
    "a registry in another order": lambda members: replaced(members, REGISTRY + r"((?:.*\n)*?)(.*" + NAMES + ")", lambda found: (
        found[1] + found[3] + found[2] + found[4] + found[5][: -len("".join(found.group(9, 10, 11)))] + found[11] + found[10] + found[9])),
    "a function of one's own in a registry": lambda members: replaced(
        members, r"(_tvm_func_array\[\] = \{\n *\(TVMBackendPackedCFunc\))\w+", r"\1my_function"),
    "code that is switched off": in_sources(lambda text: text + "\n#if 0\nint32_t old(int32_t* a) { return a[-1]; }\n#endif\n"),
}  # fmt: skip

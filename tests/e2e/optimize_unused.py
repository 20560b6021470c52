"""`mlf optimize --drop-unused`: functions, constants and pools that nothing uses.

An archive with one more kernel, which main does not call, becomes the archive without it: in C, in
captured TIR as text and lossless twin, and in metadata.json. Where something might use the kernel it
stays, with the reason.
"""

import json
import re
import unittest

import battery_archives
import program_case
import support

NAMES = ("tvm-0.18-qnn_conv-aot-c", "tvm-0.9-qnn_conv-aot-c")
CODE, WRAPPER = "codegen/host/src/default_lib1.c", "codegen/host/src/default_lib0.c"
HEADER, TIR, TWIN = "codegen/host/include/tvmgen_default.h", "src/tir-1.txt", "src/tir-1.tvm.json"
USED, UNUSED = "tvmgen_default_fused_nn_avg_pool2d_cast", "tvmgen_default_unused"
GUARD = '#ifdef __cplusplus\nextern "C"\n#endif\n'


def members_of(archive):
    files = support.members_of(archive)
    return {name: content if name.endswith(".params") else content.decode() for name, content in files.items()}


def definition(code, name):
    """With the lines around it, to the blank line behind it."""
    return re.search(rf"{re.escape(GUARD)}TVM_DLL int32_t {name}\([^)]*\) \{{\n.*?\n\}}\n\n?", code, re.S)[0]


def function_of_tir(text, name):
    """Of TVMScript or legacy text."""
    if "@T.prim_func" in text:
        return re.search(rf"    @T.prim_func\n    def {name}\(.*?\n(?=\n|\Z)", text, re.S)[0] + "\n"
    return re.search(rf"^@{name} = primfn\(.*?\n\}}\n\n?", text, re.S | re.M)[0]


def copied(function, used, name):
    """Names of variables in legacy text differ between functions."""
    copy = function.replace(used, name)
    if "@T.prim_func" in function:
        return copy
    variables = r"\b(placeholder|T_cast|tensor|ax\w*?|rv\w*?)(?:_(\d+))?\b"
    return re.sub(variables, lambda found: f"{found[1]}_9{found[2] or 0}", copy)


def with_unused(members, name=UNUSED, used=USED):
    """With a copy of a kernel under another name."""
    kernel = definition(members[CODE], used)
    function = function_of_tir(members[TIR], used)
    metadata = json.loads(members["metadata.json"])
    listed = metadata["modules"]["default"]["memory"]["functions"]["operator_functions"]
    (entry,) = [one for one in listed if one["function_name"] == used]
    listed.append({**entry, "function_name": name})
    return {
        **members,
        "metadata.json": json.dumps(metadata, indent=2),
        CODE: members[CODE].replace(kernel, kernel + kernel.replace(used, name)),
        TIR: members[TIR].replace(function, function + copied(function, used, name)),
    }


class Case(program_case.Directory):
    def optimized_archive(self, members, *options):
        """The modules of the report, and the new archive."""
        archive, output = self.directory / "module.tar", self.directory / "smaller.tar"
        archive.write_bytes(support.make_tar(members))
        result = support.run_ok("optimize", archive, "-o", output, "--json", "--drop-unused", *options)
        support.run_ok("verify", output)
        return json.loads(result.stdout)["modules"], output

    def optimized(self, members, *options):
        """The report on the only module, and the new members."""
        (module,), output = self.optimized_archive(members, *options)
        again = self.directory / "again.tar"
        support.run_ok("optimize", output, "-o", again, "--drop-unused", *options)
        self.assertEqual(again.read_bytes(), output.read_bytes())
        return module, members_of(output)

    def plain(self, name):
        """The members of an archive, metadata.json as Python prints it."""
        members = members_of(support.ARCHIVES / f"{name}.tar")
        members["metadata.json"] = json.dumps(json.loads(members["metadata.json"]), indent=2)
        return members


class Functions(Case):
    def test_that_main_does_not_call_are_dropped_everywhere(self):
        for name in NAMES:
            with self.subTest(archive=name):
                plain = self.plain(name)
                before, expected = self.optimized(plain)
                module, members = self.optimized(with_unused(plain))
                self.assertEqual(before["unused_functions"], [])
                self.assertEqual(module["unused_functions"], [{"name": UNUSED, "dropped": True, "kept": None}])
                self.assertEqual(members, expected)

    def test_go_with_their_prototypes(self):
        head = definition(with_unused(self.plain(NAMES[0]))[CODE], UNUSED).split(" {")[0]
        formatted = head.removeprefix(GUARD).replace("TVM_DLL ", "extern ").replace(", ", ",\n    ")
        for prototype in (f"{head};\n", f"{formatted}; extern int other_unused;\n"):
            with self.subTest(prototype=prototype):
                members = with_unused(self.plain(NAMES[0]))
                main = members[CODE].index(GUARD)
                members[CODE] = members[CODE][:main] + prototype + members[CODE][main:]
                _, changed = self.optimized(members)
                self.assertNotIn(UNUSED, "".join(one for one in changed.values() if isinstance(one, str)))
                self.assertEqual("extern int other_unused;" in changed[CODE], "other" in prototype)

    def test_that_only_each_other_calls_go_together(self):
        members = with_unused(with_unused(self.plain(NAMES[0])), "tvmgen_default_second")
        kernel = definition(members[CODE], UNUSED)
        caller = kernel.replace("{\n", "{\n  if (tvmgen_default_second(p0, T_cast) != 0 ) return -1;\n", 1)
        del members[TIR]  # which would differ
        members[CODE] = members[CODE].replace(kernel, caller)
        module, changed = self.optimized(members)
        self.assertEqual([one["dropped"] for one in module["unused_functions"]], [True, True])
        self.assertNotIn("tvmgen_default_second", changed[CODE])

    def test_take_their_constants_along(self):
        members = self.plain(NAMES[0])
        used = re.search(r"int32_t (tvmgen_default_fused_nn_conv2d\w+)\(", members[CODE])[1]
        members = with_unused(members, used=used)
        kernel = definition(members[CODE], UNUSED)
        arrays = re.findall(r"(static const \w+ __attribute__[^;=]*? (\w+)\[\d+\] = \{[^}]*\};\n)", members[CODE])
        own = {name: text for text, name in arrays if f"){name})" in kernel}
        self.assertGreater(len(own), 0)
        changed, copies = kernel, ""
        for name, text in own.items():
            changed = re.sub(rf"\b{name}\b", f"unused_{name}", changed)
            copies += re.sub(rf"\b{name}\b", f"unused_{name}", text)
        members[CODE] = members[CODE].replace(kernel, copies + changed)
        del members[TIR]
        module, left = self.optimized(members)
        dropped = [one["name"] for one in module["constants"] if one["dropped"]]
        self.assertEqual(sorted(dropped), sorted(f"unused_{name}" for name in own))
        self.assertEqual(module["saved_by_dropping"], sum(
            one["bytes"] for one in module["constants"] if one["dropped"]))  # fmt: skip
        self.assertNotIn("unused_", left[CODE])

    def test_go_from_the_lossless_twin_of_a_text(self):
        plain = self.plain(NAMES[0])
        results = []
        for members in (plain, with_unused(plain)):
            members = {name: content for name, content in members.items() if name != TIR}
            code = self.directory / "code.c"
            code.write_text(members[CODE])
            members[TWIN] = support.run_ok("tir", code, "--format", "save_json").stdout.decode()
            results.append(self.optimized(members)[1])
        expected, changed = results
        self.assertNotIn(UNUSED, changed[TWIN])
        self.assertEqual(changed[CODE], expected[CODE])

    def kept(self, **changes):
        """Why the function stays in an archive with these members changed."""
        members = with_unused(self.plain(NAMES[0]))
        for name, change in changes.items():
            path = {"code": CODE, "wrapper": WRAPPER, "header": HEADER, "other": "src/user.c"}[name]
            members[path] = change(members.get(path, ""))
            if members[path] is None:
                del members[path]
        module, left = self.optimized(members)
        self.assertIn(UNUSED, left[CODE])
        return [one["kept"] for one in module["unused_functions"] if not one["dropped"]]

    def test_stay_where_something_may_call_them(self):
        prototype = f"int32_t {UNUSED}(int32_t* p0, int8_t* T_cast);\n"
        for member in ("header", "other"):
            (why,) = self.kept(**{member: lambda text: text + prototype})
            self.assertRegex(why, r"^other code may use it: line \d+ of ")
        (why,) = self.kept(header=lambda _: None)
        self.assertIn("no header states the interface", why)

    def test_whose_address_is_taken_are_used(self):
        for change in (
            {"code": lambda text: text + f"void* kept = (void*){UNUSED};\n"},
            {"wrapper": lambda text: text + f'static const char* const kNames[] = {{"{UNUSED}"}};\n'},
        ):
            self.assertEqual(self.kept(**change), [])

    def test_stay_without_the_option(self):
        archive, output = self.directory / "module.tar", self.directory / "smaller.tar"
        archive.write_bytes(support.make_tar(with_unused(self.plain(NAMES[0]))))
        support.run_ok("optimize", archive, "-o", output)
        self.assertIn(UNUSED, members_of(output)[CODE])


class Constants(Case):
    UNREAD = 'static const int32_t __attribute__((section(".rodata.tvm"), aligned(16))) unread[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n'

    def members(self, array=UNREAD):
        """An array between two that a kernel reads, as TVM declares those that its passes left."""
        members = self.plain(NAMES[0])
        del members[TIR]
        last = members[CODE].rindex("static const")
        members[CODE] = members[CODE][:last] + array + members[CODE][last:]
        return members

    def test_that_their_kernel_does_not_read_are_dropped(self):
        expected = self.optimized({**self.members(array="")})[1]
        module, changed = self.optimized(self.members())
        (dropped,) = [one["name"] for one in module["constants"] if one["dropped"]]
        self.assertEqual(dropped, "unread")
        self.assertEqual(changed[CODE], expected[CODE])

    def test_stay_where_something_may_read_them(self):
        members = self.members()
        last = members[CODE].rindex("  return 0;\n}")
        for change in (
            lambda code: code.replace("static const int32_t __attribute__((section(\".rodata.tvm\"), aligned(16))) unread", "const int32_t unread"),
            lambda code: code[:last] + "  __asm__(\"\" : : \"r\"(unread));\n" + code[last:],
            lambda code: code + "const int32_t* kept = unread;\n",
        ):  # fmt: skip
            changed = {**members, CODE: change(members[CODE])}
            self.assertNotEqual(changed, members)
            self.assertIn("unread", self.optimized(changed)[1][CODE])


class Pools(Case):
    def test_that_nothing_uses_get_one_byte(self):
        members = battery_archives.archive_of([]).members
        module, changed = self.optimized(members, "--only", "ram")
        (pool,) = module["pools"]
        self.assertGreater(pool["bytes"], 1)
        self.assertEqual(pool["new_bytes"], 1)
        self.assertIn(f"{battery_archives.POOL}[1];", "".join(changed.values()))


if __name__ == "__main__":
    unittest.main()

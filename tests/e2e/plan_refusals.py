"""What `mlf optimize ARCHIVE --only ram -o OUT` refuses: one clear error, its exit code, and no file.

Archives are those that TVM builds without a plan of memory, or have something in them that mlf cannot
explain: patched here, in the generated C of an archive without captured TIR. Each case also
sees that the directory is as it was: nothing half written, nothing changed.
"""

import gzip
import os
import re
import unittest

import program_case
import support

USMP = support.SOURCE / "tests/data/c/tvm-0.9-qnn_conv-aot-c-usmp/module.tar"
CMSIS = support.SOURCE / "tests/data/c/tvm-0.9-cmsis-nn/module.tar"
WRAPPER = "codegen/host/src/default_lib0.c"
KERNELS = "codegen/host/src/default_lib1.c"
FAILED, USAGE, INVALID, IO = 1, 64, 65, 74


def patched(*changes, dropped=None, added=None):
    """The archive with (member, pattern, replacement) applied and members `added`, without captured TIR and without
    the member `dropped`."""
    members = support.without_tir(support.members_of(USMP))
    members.pop(dropped, None)
    for name, pattern, replacement in changes:
        text, count = re.subn(pattern, replacement, members[name].decode(), count=1)
        assert count == 1, pattern
        members[name] = text.encode()
    return support.make_tar(members | (added or {}))


def in_wrapper(code, place="#include <tvmgen_default.h>\n"):
    """Code before a place in the wrapper."""
    return patched((WRAPPER, re.escape(place), lambda match: code + match[0]))


# A macro or asm of the wrapper may be about the array.
NO_SIZE = "pool 'global_workspace' has no size in the archive"


class Refusals(program_case.Directory):
    def files(self):
        return {path.name: path.read_bytes() for path in self.directory.iterdir() if path.is_file()}

    def refuse(self, archive, exit_code, message, *options, output="out.tar"):
        """`archive` is a path, or the bytes of one."""
        if isinstance(archive, bytes):
            (self.directory / "module.tar").write_bytes(archive)
            archive = self.directory / "module.tar"
        before = self.files()
        result = support.run("optimize", "--only", "ram", archive, "-o", self.directory / output, *options)
        stderr = result.stderr.decode()
        self.assertEqual(result.returncode, exit_code, stderr)
        self.assertRegex(stderr, message)
        self.assertEqual(len([s for s in stderr.splitlines() if s.startswith("mlf: ")]), 1, stderr)
        self.assertEqual(result.stdout, b"")
        self.assertEqual(self.files(), before)

    def test_what_they_are_made_of_is_written_without_a_change(self):
        self.assertNotEqual(self.written(patched()), patched())

    def written(self, archive):
        (self.directory / "module.tar").write_bytes(archive)
        return support.run_ok("optimize", "--only", "ram", self.directory / "module.tar", "-o", "-").stdout

    CALL = r"  if \(tvmgen_default_fused"
    PATCHES = {
        # Who else uses the memory
        "a callee without C": (
            KERNELS, CALL, "  if (other_fused",
            "main calls 'other_fused_cast_subtract', which the archive does not define"),
        "a kernel that calls an unknown function with its memory": (
            KERNELS, r"(  void\* tensor_let = [^\n]*\n)", r"\1  keep_for_later(tensor_let);\n",
            "'keep_for_later', which '[^']*' calls, may keep the poin"),
        "a main that is not understood": (
            KERNELS, CALL, "  if (TVMDeviceEthosUOpen(resource_handle) != 0 ) return -1;\n  if (tvmgen_default_fused",
            "main has 'if \\(TVMDeviceEthosUOpen"),
        "a pool that is not static": (
            WRAPPER, r"static uint8_t global_workspace", "uint8_t global_workspace",
            "other code may use pool 'global_workspace'"),
        **{f"a wrapper that passes {argument} elsewhere": (
            WRAPPER, r"inputs->x,", argument + ",", "other code may use pool 'global_workspace'")
           for argument in ("(uint8_t*)&global_workspace", "global_workspace")},
        # Offsets that cannot be explained
        "an offset that is computed": (
            KERNELS, r"tensor_let = \(&\(global_workspace_\d+_var\[", r"\g<0>sizeof(int) * ",
            "cannot be planned: the pointers of .* cannot be followed"),
        "an offset of main that is computed": (
            KERNELS, r"sid_2_let = \(&\(global_workspace_\d+_var\[", r"\g<0>2 * ",
            "cannot be planned|not certain|is not a number"),
        "another use of a pool": (
            KERNELS, CALL, "  ((uint8_t*)global_workspace_1_var)[0] = (uint8_t)1;\n  if (tvmgen_default_fused",
            "main has a store, whose effect is unknown"),
        "a buffer behind the end of its pool": (
            KERNELS, r"(_let = \(&\(global_workspace_\d+_var\[)\d+", r"\g<1>1000000", "cannot be planned: "),
        "two buffers that share bytes without a proof": (
            KERNELS, r"(sid_2_let = \(&\(global_workspace_\d+_var\[)\d+", r"\g<1>16", "cannot be planned: "),
    }  # fmt: skip

    def test_what_is_patched(self):
        for name, (*change, message) in self.PATCHES.items():
            with self.subTest(name):
                self.refuse(patched(change), FAILED, message)

    def test_functions_of_an_external_compiler(self):
        self.refuse(CMSIS, FAILED, "no network of this archive has a memory pool|has no TIR|context")

    def test_a_wrapper_that_uses_a_pool_or_its_size(self):
        pool, size = r"pool 'global_workspace': line \d+ of ", r"the size of the workspace: line \d+ of "
        for code, what in {
            "_Static_assert(sizeof(global_workspace) >= 1440, \"\");\n": pool,
            "uint8_t* const state = &global_workspace[1400];\n": pool,
            "extern uint8_t all[1440] __attribute__((alias(\"global_workspace\")));\n": pool,
            "#if TVMGEN_DEFAULT_WORKSPACE_SIZE < 1400\n#error\n#endif\n": size,
        }.items():
            with self.subTest(code):
                self.refuse(in_wrapper(code), FAILED, f"other code may use {what}{WRAPPER}|{NO_SIZE}")
        for code in ("memset(global_workspace, 0, 1440); ", "memcpy(saved, &global_workspace, 1440); "):
            with self.subTest(code):
                self.refuse(in_wrapper(code, "return tvmgen_default___tvm_main__"), FAILED, pool + WRAPPER)

    def test_names_that_are_joined(self):
        why = f"{WRAPPER} may join parts of names|{NO_SIZE}"
        for code in (
            "#define CAT(a, b) a##b\nuint8_t* all = CAT(global_, workspace);\n",
            "%:define CAT(a, b) a%:%:b\nuint8_t* all = CAT(global_, workspace);\n",
            "uint8_t* all = global_work\\\nspace;\n",
            "uint8_t* all = global_work\\ \nspace;\n",
            "asm(\".set all, global_\" \"workspace\");\n",
            "#define STRING(x) #x\nasm(\".set all, global_\" STRING(workspace));\n",
            "#define FIRST \"global_\"\nasm(\".set all, \" FIRST \"workspace\");\n",
        ):
            with self.subTest(code):
                self.refuse(in_wrapper(code), FAILED, why)

    def test_other_files_that_name_a_pool(self):
        for name in ("src/u.c", "u.S", "include/u.inc", "app.ino", "u.tcc", "u.txt", "Makefile", "u.ld"):
            with self.subTest(name):
                archive = patched(added={"codegen/host/" + name: "\nuse(global_workspace);\n"})
                self.refuse(archive, FAILED, f"pool 'global_workspace': line 2 of codegen/host/{name}")

    def test_comments_are_no_code(self):
        comment = "/* global_workspace: TVMGEN_DEFAULT_WORKSPACE_SIZE bytes */\n// memset(global_workspace, 0, 1440);\n"
        self.written(patched((WRAPPER, r"\A", comment), (KERNELS, r"\A", comment), added={"app.c": comment}))
        for code in ("/* *\\\n/ use(global_workspace); /* */\n", '"/*"; use(global_workspace); "*/";\n'):
            with self.subTest(code):
                self.refuse(patched(added={"app.c": code}), FAILED, "pool 'global_workspace': line")

    def test_symbols_of_a_section(self):
        script = "SECTIONS {{ .text : {{ *(.text) }} .tvm : {{ {} *(.bss.noinit.tvm) }} > RAM {} }}\n"
        for start, end in (("first = .;", ""), ("", "last = .;"), ("", "size = SIZEOF(.tvm);")):
            with self.subTest(start + end):
                archive = patched(added={"app/link.ld": script.format(start, end)})
                self.refuse(archive, FAILED, "a section of the C: line 1 of app/link.ld")
        named = (WRAPPER, r"\.bss\.noinit\.tvm", "tvm_pool")
        archive = patched(named, added={"app.c": "extern char __start_tvm_pool[];\n"})
        self.refuse(archive, FAILED, "a section of the C: line 1 of app.c")
        # A script that only places the section does not depend on its size.
        self.written(patched(added={"app/link.ld": script.format("", "")}))

    # --- Archives without a plan of memory, or without what could be changed ----------------------

    def test_objects_alone(self):
        members = {"metadata.json": support.members_of(USMP)["metadata.json"],
                   "codegen/host/lib/default_lib0.o": b"\x7fELF"}
        self.refuse(support.make_tar(members), FAILED, "'default' has no plan: the archive has no TIR, no generated")

    def test_a_network_that_allocates_while_it_runs(self):
        archive = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        self.refuse(archive, FAILED, "no network of this archive has a memory pool")

    def test_an_archive_of_the_graph_executor(self):
        archive = support.CORPUS / "tvm-0.18/qnn_conv-graph/module.tar"
        self.refuse(archive, FAILED, "no network of this archive has a memory pool")

    def test_an_operator(self):
        archive = support.ARCHIVES / "tvm-0.9-op-add.tar"
        self.refuse(archive, FAILED, "module 'add' has no plan: an operator archive has bare functions")

    def test_an_archive_without_its_library(self):
        archive = patched(dropped=WRAPPER)
        self.refuse(archive, FAILED, "the size of pool 'global_workspace' is not a number")

    # --- Files -----------------------------------------------------------------------------------

    def test_gzip_that_ends_early(self):
        self.refuse(gzip.compress(USMP.read_bytes(), mtime=0)[:-200], INVALID, "module.tar")

    def test_gzip_with_a_wrong_sum(self):
        packed = bytearray(gzip.compress(USMP.read_bytes(), mtime=0))
        packed[-8] ^= 0xFF
        self.refuse(bytes(packed), INVALID, "module.tar")

    def test_the_archive_itself(self):
        self.refuse(USMP.read_bytes(), USAGE, "which is read", output="module.tar")

    def test_a_symbolic_link_to_it(self):
        (self.directory / "out.tar").symlink_to("module.tar")
        self.refuse(USMP.read_bytes(), USAGE, "which is read")

    def test_a_hard_link_to_it(self):
        (self.directory / "module.tar").write_bytes(USMP.read_bytes())
        os.link(self.directory / "module.tar", self.directory / "out.tar")
        self.refuse(self.directory / "module.tar", USAGE, "which is read")

    def test_another_way_to_it(self):
        (self.directory / "below").mkdir()
        self.refuse(USMP.read_bytes(), USAGE, "which is read", output="below/../module.tar")

    def test_a_directory_that_is_not_there(self):
        self.refuse(USMP, IO, "nowhere' does not exist", output="nowhere/out.tar")

    def test_options_that_do_not_go_together(self):
        for options in (["--dry-run"], ["--only", "everything"]):
            support.run_to(USAGE, "optimize", USMP, "-o", self.directory / "out.tar", *options)
        self.assertEqual(self.files(), {})


if __name__ == "__main__":
    unittest.main()

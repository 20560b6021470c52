"""`mlf verify` finds what is wrong of an archive, and nothing where nothing is.

Faults are put into archives as an editor would: into their C and metadata.json, as text. Each
has to be found in every archive that has a place for it, and no sound archive may have an error.
"""

import collections
import json
import re
import subprocess
import tarfile
import unittest

import program_case
import support
from seeded_edits import (
    FAULTS,
    FIRST_PARAMETER,
    KERNEL,
    SOUND,
    as_tar,
    conflicting_types,
    in_kernels,
    in_main,
    log_line,
    members_of,
    places_in_calls,
    replaced,
    small_constant_pool,
    small_metadata,
    small_pool,
    swapped_arguments,
    unknown_type,
    with_captures,
    word_as_a_member,
    workspace_over_a_tensor,
)

# A network with planned memory as TVM v0.12 and later generate it: a tensor of main that lives across
# two calls, a workspace of a kernel, and a constant in a pool.
WRAPPER = """\
#include "tvm/runtime/c_runtime_api.h"
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((section(".rodata.tvm"), ))
static const struct global_const_workspace {
  int32_t fused_constant_let[16] __attribute__((aligned(16))); // 64 bytes, aligned offset: 0
  int32_t fused_constant_1_let[4] __attribute__((packed, aligned(16))); // 16 bytes, aligned offset: 64
} global_const_workspace = {
  .fused_constant_let = {
    +0x00000001, +0x00000002, +0x00000003, +0x00000004, +0x00000005, +0x00000006, +0x00000007, +0x00000008, 
    +0x00000001, +0x00000002, +0x00000003, +0x00000004, +0x00000005, +0x00000006, +0x00000007, +0x00000008
  },
  .fused_constant_1_let = {
    +0x00000001, +0x00000002, +0x00000003, +0x00000004
  },
};// of total size 80 bytes
__attribute__((section(".bss.noinit.tvm"), aligned(16)))
static uint8_t global_workspace[192];
#include <tvmgen_default.h>
TVM_DLL int32_t tvmgen_default___tvm_main__(void* x,void* output0,uint8_t* global_const_workspace_0_var,uint8_t* global_workspace_1_var);
int32_t tvmgen_default_run(struct tvmgen_default_inputs* inputs,struct tvmgen_default_outputs* outputs) {return tvmgen_default___tvm_main__(inputs->x,outputs->y,((uint8_t*)&global_const_workspace),((uint8_t*)&global_workspace));
}
#ifdef __cplusplus
}
#endif
;"""
HEADER = """\
#ifndef TVMGEN_DEFAULT_H_
#define TVMGEN_DEFAULT_H_
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TVMGEN_DEFAULT_X_SIZE 64
#define TVMGEN_DEFAULT_Y_SIZE 64
struct tvmgen_default_inputs {
  void* x;
};

struct tvmgen_default_outputs {
  void* y;
};

int32_t tvmgen_default_run(
  struct tvmgen_default_inputs* inputs,
  struct tvmgen_default_outputs* outputs
);
#define TVMGEN_DEFAULT_WORKSPACE_SIZE 192

#ifdef __cplusplus
}
#endif

#endif // TVMGEN_DEFAULT_H_
"""
KERNELS = """\
// tvm target: c -keys=cpu 
#define TVM_EXPORTS
#include "tvm/runtime/c_runtime_api.h"
#include "tvm/runtime/c_backend_api.h"
#include <math.h>
#include <stdbool.h>
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_double(int32_t* p0, int32_t* T_add, uint8_t* global_const_workspace_2_var, uint8_t* global_workspace_3_var) {
  void* fused_constant_let = (&(global_const_workspace_2_var[0]));
  for (int32_t i = 0; i < 16; ++i) {
    T_add[i] = (p0[i] + ((int32_t*)fused_constant_let)[i]);
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_sum(int32_t* p0, int32_t* T_sum, uint8_t* global_const_workspace_4_var, uint8_t* global_workspace_5_var) {
  void* fused_constant_1_let = (&(global_const_workspace_4_var[64]));
  void* scratch_let = (&(global_workspace_5_var[128]));
  for (int32_t i = 0; i < 16; ++i) {
    ((int32_t*)scratch_let)[i] = (p0[i] * 2);
  }
  for (int32_t i_1 = 0; i_1 < 16; ++i_1) {
    T_sum[i_1] = (((int32_t*)scratch_let)[i_1] + ((int32_t*)fused_constant_1_let)[(i_1 & 3)]);
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_add(int32_t* p0, int32_t* p1, int32_t* T_add, uint8_t* global_const_workspace_6_var, uint8_t* global_workspace_7_var) {
  for (int32_t i = 0; i < 16; ++i) {
    T_add[i] = (p0[i] + p1[i]);
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default___tvm_main__(int32_t* x_buffer_var, int32_t* y_buffer_var, uint8_t* global_const_workspace_0_var, uint8_t* global_workspace_1_var) {
  void* sid_1_let = (&(global_workspace_1_var[0]));
  void* sid_2_let = (&(global_workspace_1_var[64]));
  if (tvmgen_default_fused_double(x_buffer_var, sid_1_let, global_const_workspace_0_var, global_workspace_1_var) != 0 ) return -1;
  if (tvmgen_default_fused_sum(sid_1_let, sid_2_let, global_const_workspace_0_var, global_workspace_1_var) != 0 ) return -1;
  if (tvmgen_default_fused_add(sid_1_let, sid_2_let, y_buffer_var, global_const_workspace_0_var, global_workspace_1_var) != 0 ) return -1;
  return 0;
}
"""
# The same without planned memory: a workspace on the heap and one on the stack.
PLAIN_WRAPPER = WRAPPER[: WRAPPER.index("__attribute__((section(\".rodata")] + """\
#include <tvmgen_default.h>
TVM_DLL int32_t tvmgen_default___tvm_main__(void* x,void* output0);
int32_t tvmgen_default_run(struct tvmgen_default_inputs* inputs,struct tvmgen_default_outputs* outputs) {return tvmgen_default___tvm_main__(inputs->x,outputs->y);
}
#ifdef __cplusplus
}
#endif
;"""
PLAIN_KERNELS = KERNELS[: KERNELS.index("TVM_DLL")] + """\
TVM_DLL int32_t tvmgen_default_fused_pad(int32_t* p0, int32_t* T_pad) {
  int32_t pad_temp[16];
  for (int32_t i = 0; i < 16; ++i) {
    pad_temp[i] = (p0[i] * 2);
  }
  for (int32_t i_1 = 0; i_1 < 16; ++i_1) {
    T_pad[i_1] = pad_temp[i_1];
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default___tvm_main__(int32_t* x_buffer_var, int32_t* y_buffer_var) {
  void* sid_1 = TVMBackendAllocWorkspace(1, 0, (uint64_t)64, 0, 8);
  if (sid_1 == NULL) {
    return -1;
  }
  if (tvmgen_default_fused_pad(x_buffer_var, sid_1) != 0 ) return -1;
  if (tvmgen_default_fused_pad(sid_1, y_buffer_var) != 0 ) return -1;
  if (TVMBackendFreeWorkspace(1, 0, sid_1) != 0) {
    return -1;
  }
  return 0;
}
"""
C = "codegen/host/src/default_lib1.c"
WRAPPER_C = "codegen/host/src/default_lib0.c"
HEADER_H = "codegen/host/include/tvmgen_default.h"


def metadata(workspace):
    document = json.loads(support.METADATA)
    document["modules"]["default"]["memory"]["functions"]["main"] = [
        {
            "constants_size_bytes": 0,
            "device": 1,
            "inputs": {"x": {"dtype": "int32", "size": 64}},
            "io_size_bytes": 128,
            "outputs": {"y": {"dtype": "int32", "size": 64}},
            "workspace_size_bytes": workspace,
        }
    ]
    return json.dumps(document, indent=2, sort_keys=True)


PLANNED = {"metadata.json": metadata(192), WRAPPER_C: WRAPPER, C: KERNELS, HEADER_H: HEADER}
PLAIN = {
    "metadata.json": metadata(128),
    WRAPPER_C: PLAIN_WRAPPER,
    C: PLAIN_KERNELS,
    HEADER_H: HEADER.replace("WORKSPACE_SIZE 192", "WORKSPACE_SIZE 128"),
}


def with_kernels(members, *replacements):
    """A network whose file of kernels has each text replaced."""
    text = members[C]
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return members | {C: text}


class VerifiedCase(program_case.Directory):
    def verify_all(self, archives, *options):
        """What one run says of each of some archives."""
        paths = [self.directory / f"module-{i}.tar" for i in range(len(archives))]
        for path, data in zip(paths, archives, strict=True):
            path.write_bytes(data)
        result = support.run("verify", "--json", *paths, *options)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        said = json.loads(result.stdout)["archives"]
        self.assertEqual(len(said), len(paths))
        self.assertEqual(result.returncode, 0 if all(one["passed"] for one in said) else 1)
        return said

    def verify(self, data, *options):
        (archive,) = self.verify_all([data], *options)
        return archive

    def errors_of_all(self, archives):
        return [
            [finding for finding in one["findings"] if finding["severity"] == "error"]
            for one in self.verify_all(archives)
        ]

    def errors(self, members):
        (errors,) = self.errors_of_all([as_tar(members)])
        return errors

    def codes(self, members):
        """Of errors."""
        return [finding["code"] for finding in self.errors(members)]

    def module_of(self, members):
        return support.report_of("-", input=as_tar(members))


class SmallNetworks(VerifiedCase):
    SOUND = {
        "planned memory": PLANNED,
        "no pools": PLAIN,
        "the first byte of a pool without a subscript": with_kernels(
            PLANNED, ("(&(global_workspace_1_var[0]))", "global_workspace_1_var")),
        "another name of an unused pool of a kernel": with_kernels(PLANNED, ("global_workspace_7_var", "ws")),
        "a condition that keeps a kernel inside": with_kernels(PLAIN, (
            "    T_pad[i_1] = pad_temp[i_1];\n",
            "    T_pad[i_1] = pad_temp[i_1];\n    if (i_1 < 0) {\n      T_pad[(i_1 + 16)] = 0;\n    }\n")),
        "a condition behind more iterations than can be run": with_kernels(PLAIN, (
            "    T_pad[i_1] = pad_temp[i_1];\n",
            "    for (int32_t k = 0; k < 1000000000; ++k) {\n      if (k < 1) {\n"
            "        T_pad[(i_1 + k)] = pad_temp[i_1];\n      }\n    }\n")),
        **{f"an array in a block with the name of a smaller one {first}": with_kernels(PLAIN, (
            "  int32_t pad_temp[16];\n",
            f"  int32_t pad_temp[16]; {first}{{ int32_t pad_temp[99]; pad_temp[98] = p0[0]; }}\n"))
           for first in ("", "pad_temp[15] = 1; ")},
    }  # fmt: skip

    def test_what_is_sound_has_no_error(self):
        for name, members in self.SOUND.items():
            with self.subTest(name):
                self.assertEqual(self.errors(members), [])

    WRONG = {
        "a workspace over a tensor that is needed later": ("storage-overlap", workspace_over_a_tensor(PLANNED)),
        "a workspace over the input that is read beside it": (
            "storage-overlap", with_kernels(PLANNED, ("global_workspace_5_var[128]", "global_workspace_5_var[0]"))),
        "a tensor beyond its pool": (
            "storage-too-small", with_kernels(PLANNED, ("global_workspace_1_var[64]", "global_workspace_1_var[144]"))),
        "a workspace one byte beyond its pool": ("storage-too-small", replaced(PLANNED, r"\[192\]", "[191]")),
        "a pool without its last constant": ("storage-too-small", small_constant_pool(PLANNED)),
        "64 bytes in a block of 32": ("storage-too-small", with_kernels(PLAIN, ("(uint64_t)64", "(uint64_t)32"))),
        "64 bytes in an array of 32": ("storage-too-small", with_kernels(PLAIN, ("pad_temp[16];", "pad_temp[8];"))),
        "a kernel that reads more than its input has": (
            "storage-too-small", with_kernels(PLAIN, ("< 16", "< 17"), ("[16]", "[17]"), (")64", ")68"))
            | {"metadata.json": metadata(136)}),
        "a module whose name is none in C": ("c-invalid", {
            name: text.replace("tvmgen_default_run", "tvmgen_de-fault_run") if name.endswith((".c", ".h")) else text
            for name, text in PLAIN.items()}),
        **{f"metadata that has less than runs {place}": ("metadata-too-small", small_metadata(members))
           for place, members in enumerate((PLANNED, PLAIN))},
        **{f"{fault.__name__} {place}": ("c-invalid", fault(members))
           for fault in (word_as_a_member, conflicting_types, unknown_type)
           for place, members in enumerate((PLANNED, PLAIN))},
    }  # fmt: skip

    def test_what_is_wrong_has_an_error(self):
        for name, (code, members) in self.WRONG.items():
            with self.subTest(name):
                self.assertIn(code, self.codes(members))

    SECOND = "  if (tvmgen_default_fused_pad(sid_1, y_buffer_var) != 0 ) return -1;\n"
    # Some may be C that only a whole compiler understands, with other headers or as an extension.
    VALID = {
        "a workspace that a failure frees": with_kernels(PLAIN, (
            SECOND, SECOND.replace(" return -1;", " {\n    TVMBackendFreeWorkspace(1, 0, sid_1);\n    return -1;\n  }"))),
        "a struct": with_kernels(PLAIN, (
            "  int32_t pad_temp[16];\n",
            "  int32_t pad_temp[16];\n  struct { int32_t a; } pair;\n  pair.a = 0;\n")),
        "a register": with_kernels(PLAIN, (
            "  int32_t pad_temp[16];\n", "  int32_t pad_temp[16];\n  DWT->CYCCNT = 0;\n")),
        "names from another header": with_kernels(unknown_type(PLAIN), (
            "#include <math.h>", '#include <math.h>\n#include "board.h"')),
        **{f"parameters without types {names}": PLAIN | {
            WRAPPER_C: PLAIN[WRAPPER_C] + f"\nint32_t other_main({names});\n"} for names in ("arg0,arg1", "model_t")},
    }  # fmt: skip

    def test_what_compilers_may_take_is_no_invalid_c(self):
        for name, members in self.VALID.items():
            with self.subTest(name):
                self.assertNotIn("c-invalid", self.codes(members))

    def test_workspaces_that_are_freed_too_early(self):
        free = "  if (TVMBackendFreeWorkspace(1, 0, sid_1) != 0) {\n    return -1;\n  }\n"
        second = "  if (tvmgen_default_fused_pad(sid_1, y_buffer_var)"
        without = PLAIN_KERNELS.replace(free, "")
        other = "  void* sid_2 = TVMBackendAllocWorkspace(1, 0, (uint64_t)64, 0, 8);\n"
        for kernels in (without.replace(second, free + second),
                        without.replace(second, other + second).replace(
                            "  return 0;\n}\n", free + free.replace("sid_1", "sid_2") + "  return 0;\n}\n")):
            with self.subTest(kernels):
                self.assertIn("c-invalid", self.codes(PLAIN | {C: kernels}))

    def test_a_workspace_that_main_frees_before_it_allocates_the_next_one(self):
        first = "  void* sid_1 = TVMBackendAllocWorkspace"
        begin = PLAIN_KERNELS.index(first)
        request = PLAIN_KERNELS[begin:PLAIN_KERNELS.index("  }\n", begin) + 4]
        free = "  if (TVMBackendFreeWorkspace(1, 0, sid_0) != 0) {\n    return -1;\n  }\n"
        early = request.replace("sid_1", "sid_0") + free
        members = with_kernels(PLAIN, (first, early + first))
        self.assertEqual(self.errors(members), [])
        self.assertEqual(self.module_of(members)["ram"]["heap"], self.module_of(PLAIN)["ram"]["heap"])

    def test_ways_to_free_workspaces_that_are_no_fault(self):
        free = "  if (TVMBackendFreeWorkspace(1, 0, sid_1) != 0) {\n    return -1;\n  }\n"
        first = "  if (tvmgen_default_fused_pad(x_buffer_var, sid_1)"
        plain = "  TVMBackendFreeWorkspace(1, 0, sid_{});\n".format
        request = "  void* sid_2 = TVMBackendAllocWorkspace(1, 0, (uint64_t)64, 0, 8);\n"
        both = PLAIN_KERNELS.replace(free, plain(2) + plain(1))
        self.assertNotEqual(both, PLAIN_KERNELS)
        check = "  if (sid_2 == NULL) {\n    TVMBackendFreeWorkspace(1, 0, sid_1);\n    return -1;\n  }\n"
        at_label = PLAIN_KERNELS.replace("  return 0;\n}\n", "  return 0;\nfail:\n" + plain(1) + "  return -1;\n}\n")
        one_of_two = "  if (sid_1 != x_buffer_var) TVMBackendFreeWorkspace(1, 0, sid_1);\n  else TVMBackendFreeWorkspace(1, 0, sid_1);\n"
        for kernels in (both.replace(first, request + check + first),
                        both.replace(first, request + first).replace(plain(1), plain(1) + "  sid_2 = NULL;\n  sid_1 = NULL;\n"),
                        at_label, PLAIN_KERNELS.replace(free, "out:\n" + plain(1)),
                        PLAIN_KERNELS.replace(free, one_of_two)):
            with self.subTest(kernels):
                self.assertNotEqual(kernels, PLAIN_KERNELS)
                findings = self.verify(as_tar(PLAIN | {C: kernels}))["findings"]
                self.assertNotIn("c-invalid", [one["code"] for one in findings])
                self.assertNotIn("never released", json.dumps(findings))

    def test_files_that_are_not_whole(self):
        cut = KERNELS[: KERNELS.rindex("  return 0;")]
        pool = WRAPPER[: WRAPPER.index("  .fused_constant_1_let")]
        conflict = KERNELS.replace("  return 0;\n", "<<<<<<< HEAD\n  return 0;\n=======\n  return 1;\n>>>>>>> other\n", 1)
        for name, text, line in ((C, cut, None), (WRAPPER_C, pool, "default_lib0.c:5:"), (C, conflict, None)):
            found = [one["detail"] for one in self.errors(PLANNED | {name: text}) if one["code"] == "c-invalid"]
            self.assertEqual(len(found), 1, found)
            self.assertIn(line or "default_lib1.c:", found[0])
        # What a compiler does not see, or sees otherwise.
        macro = "#define END }\n" + cut + "END\n"
        comment = KERNELS.replace("  return 0;\n", "/*\n<<<<<<< HEAD\n*/\n  return 0;\n", 1)
        continued = KERNELS.replace("  return 0;\n", "#define X \\ \n<<<<<<< HEAD \\\n>>>>>>> other\n  return 0;\n", 1)
        braces = WRAPPER.replace("int32_t fused", "/* { */ int32_t fused", 1).replace("    +0x", "    /* { */ +0x", 1)
        for name, text in ((C, macro), (C, comment), (C, continued), (C, f"#if BOARD\n{cut}\n#endif\n"), (WRAPPER_C, braces)):
            self.assertNotIn("c-invalid", self.codes(PLANNED | {name: text}))

    def test_a_function_that_two_files_define(self):
        other = C.replace("1.c", "1_old.c")
        def found(text, kernels=KERNELS):
            return sum("too" in one["detail"] for one in self.errors(PLANNED | {C: kernels, other: text}))

        self.assertEqual(found(KERNELS), 4)
        self.assertEqual(found("", KERNELS + KERNELS[KERNELS.index("TVM_DLL"):]), 4)
        self.assertEqual(found(KERNELS.replace("TVM_DLL", "static")), 0)
        self.assertEqual(found(f"#ifdef OLD\n{KERNELS}\n#endif\n"), 0)
        self.assertEqual(found(KERNELS.replace("TVM_DLL", "__attribute__((weak))")), 0)
        prototypes = "".join(f"static {one};\n" for one in re.findall(r"TVM_DLL (int32_t tvmgen_[^{;]*) \{", KERNELS))
        self.assertEqual(found(KERNELS.replace("TVM_DLL", prototypes + "TVM_DLL", 1)), 0)

    def test_arrays_as_parameters_are_pointers(self):
        def codes(definition):
            head = "tvmgen_default___tvm_main__(int32_t* x_buffer_var, int32_t* y_buffer_var)"
            kernels = PLAIN_KERNELS.replace("TVM_DLL int32_t tvmgen_default_fused", f"TVM_DLL int32_t {head};\nTVM_DLL int32_t tvmgen_default_fused", 1)
            members = PLAIN | {C: kernels.replace(f"{head} {{", f"tvmgen_default___tvm_main__({definition}) {{")}
            return self.codes(members)

        self.assertNotIn("c-invalid", codes("int32_t x_buffer_var[16], int32_t y_buffer_var[]"))
        self.assertIn("c-invalid", codes("int32_t x_buffer_var[16], float y_buffer_var[16]"))
        self.assertIn("c-invalid", codes("int32_t x_buffer_var[16], int32_t y_buffer_var[16], int32_t n"))

    def test_code_of_another_generator_alone_is_read(self):
        (self.directory / "default_lib1.c").write_text(PLAIN[C].replace("tvm target: c", "tvm target: vanilla_accelerator"))
        module = support.report_of(self.directory)
        self.assertEqual(len(module["calls"]), 2)

    def test_a_wrapper_whose_main_is_not_there(self):
        without = {name: text for name, text in PLAIN.items() if name != C}
        self.assertIn("missing-main", self.codes(without))
        main = re.search(r"TVM_DLL int32_t tvmgen_default___tvm_main__\([^)]*\)", PLAIN[C])
        prototype = PLAIN[C].replace("TVM_DLL", main[0] + ";\nTVM_DLL", 1)
        cut = prototype[: prototype.rindex("#ifdef __cplusplus")]
        self.assertIn("missing-main", self.codes(without | {C: cut}))
        beside = {"codegen/host/lib/default_lib1.o": "no object"}
        elsewhere = {"codegen/host/src/default_lib7.c": PLAIN[C]}
        conditional = {C: f"#ifdef BOARD\n{PLAIN[C]}\n#endif\n"}
        included = {"codegen/host/src/default_lib1.inc": PLAIN[C], C: '#include "default_lib1.inc"\n'}
        with_main = WRAPPER_C, PLAIN[WRAPPER_C] + "\n#if BOARD > 1\n" + PLAIN[C] + "\n#endif\n"
        for more in (beside, elsewhere, conditional, included, dict([with_main])):
            self.assertNotIn("missing-main", self.codes(without | more))

    def test_a_header_with_other_bytes_than_calls_access_is_a_warning(self):
        own = json.loads(metadata(128))
        del own["modules"]["default"]["memory"]["functions"]["main"][0]["inputs"]
        members = PLAIN | {"metadata.json": json.dumps(own)}
        larger = members | {HEADER_H: PLAIN[HEADER_H].replace("X_SIZE 64", "X_SIZE 6400")}
        smaller = PLAIN | {HEADER_H: PLAIN[HEADER_H].replace("X_SIZE 64", "X_SIZE 60")}
        beside = PLAIN | {HEADER_H: PLAIN[HEADER_H].replace("X_SIZE 64", "X_SIZE 6400")}
        # What the kernels access is unknown: metadata.json decides.
        foreign = {C: re.sub(r"(int32_t tvmgen_default_fused_\w+\(\w+\* (\w+).*\{\n)", r"\1  other_code(\2);\n", PLAIN[C])}
        self.assertNotEqual(foreign[C], PLAIN[C])
        warned = (larger, smaller, beside, beside | foreign)
        for archive, expected in ((members, []), (PLAIN, []), (PLAIN | foreign, []), *((one, ["warning"]) for one in warned)):
            (document,) = self.verify_all([as_tar(archive)])
            found = [one["severity"] for one in document["findings"] if one["code"] == "header-size"]
            self.assertEqual(found, expected)

    def test_a_main_that_may_end_early_has_a_lower_bound_of_fewer_macs(self):
        product = PLAIN_KERNELS.replace("T_pad[i_1] = pad_temp[i_1];", "T_pad[0] = (T_pad[0] + (pad_temp[i_1] * p0[i_1]));")

        def least(line):
            second = "  if (tvmgen_default_fused_pad(sid_1, y"
            return support.least(self.module_of(PLAIN | {C: product.replace(second, line + second)})["mac"])

        self.assertEqual(least(""), 32)
        self.assertEqual(least("  feed(&clock);\n"), 32)
        self.assertEqual(least("  if (clock > 3) return -2;\n"), 32)
        for line in ("if (clock > 3) return 0;", "if (clock > 3) goto done;", "if (((int32_t*)sid_1)[0] > 3) { return rc; }",
                     "if (clock > 3) return -rc;", "LEAVE_IF(clock > 3);"):
            self.assertEqual(least(f"  {line}\n"), 16, line)

    def test_a_statement_that_is_not_understood_may_do_what_main_seems_to_lack(self):
        checked = re.sub(r"if \((tvmgen_\w+\(x_buffer[^;]*?\)) != 0 \) return -1;", r"CHECK(\1);", PLAIN_KERNELS)
        self.assertIn("CHECK(", checked)
        for text in (checked, checked.replace("CHECK(", "status |= (")):
            codes = [one["code"] for one in self.verify(as_tar(PLAIN | {C: text}))["findings"]]
            self.assertEqual(set(codes), {"unknown-statement"})

    def test_metadata_that_cannot_be_compared_is_not_called_checked(self):
        two = json.loads(PLAIN["metadata.json"])
        module = two["modules"]["default"] if "modules" in two else two
        target = module["target"]
        module["target"] = [*target, target[0]] if isinstance(target, list) else target | {"2": target["1"]}
        archive = self.verify(as_tar(PLAIN | {"metadata.json": json.dumps(two)}))
        (check,) = [one for one in archive["checks"] if one["code"] == "metadata"]
        self.assertEqual((check["passed"], check["failed"]), (0, 0))
        self.assertIsNotNone(check["not_checked"])

    def test_a_line_that_prints_or_asserts_values_changes_no_number(self):
        def report(printed, add=lambda lines: in_main(PLAIN, lambda main: main.replace("{\n", "{\n" + lines, 1))):
            members = add(printed) if printed else PLAIN
            self.assertEqual(members == PLAIN, not printed)
            module = self.module_of(members)
            return [module[key] for key in ("ram", "flash", "mac")]

        plain = report("")
        x = "x_buffer_var"
        self.assertEqual(report(f'  printf("%d %5.2f%%\\n", {x}[0], (double){x}[1]);\n  putchar(10);\n'), plain)
        for line in (f'printf("%n", {x});', f"printf({x});", f'printf("%d", {x}[0]++);', f'printf("%d", change({x}));'):
            self.assertNotEqual(report(f"  {line}\n"), plain, line)

        def add_to_kernels(lines):
            def add(head):
                return head[0] + lines.replace("FIRST", FIRST_PARAMETER.search(head[1])[1])

            return in_kernels(KERNEL + r" \{\n", add)(PLAIN)

        for line in ('printf("run %5.2f%%\\n", 1.5);', 'assert(FIRST != NULL && "text");', "puts(\"run\");"):
            self.assertEqual(report(f"  {line}\n", add_to_kernels), plain, line)
        # What loads elements has a cost, and a store may hide.
        for line in ('printf("%n", FIRST);', 'printf("%" "n", FIRST);', 'printf("%1$n", FIRST);', 'printf("\\x25n", FIRST);',
                     'printf("%d", (fill)(FIRST));', 'printf("%d", table[0](FIRST));', 'printf("%d", 1), (abort)();',
                     "assert(FIRST[0]++ < 3);", "assert(change(FIRST));", 'printf("%d", FIRST[0]);', "assert(FIRST[0] < 3);"):
            self.assertNotEqual(report(f"  {line}\n", add_to_kernels), plain, line)

    def test_what_an_entry_point_does_beside_main_has_no_upper_bound(self):
        def numbers(code):
            wrapper = PLAIN[WRAPPER_C].replace("{return tvmgen", "{" + code + " return tvmgen")
            module = self.module_of(PLAIN | {WRAPPER_C: wrapper})
            found = {name: module["ram"][name] for name in ("heap", "stack")}
            return found | {"mac": module["mac"], "constants": module["flash"]["constants"]}

        plain = numbers("")
        for code, unknown in (
            ("TVMBackendAllocWorkspace(1, 0, 9000, 0, 8);", {"heap", "stack", "mac"}),
            ("filter(inputs->x);", {"heap", "stack", "mac"}),
            ("volatile int8_t scratch[9000]; scratch[0] = 1;", {"stack"}),
            ("for (int i = 0; i < 9; ++i) total += i * i;", {"mac"}),
            (f'name = "{"x" * 2000}";', {"constants"}),
            ("void* more = __builtin_alloca(4096);", {"heap", "stack", "mac"}),
            ("float a, b[1024];", {"stack"}),
            ("read((float[1024]){0});", {"heap", "stack", "mac"}),
            ("TVMValue values[1000];", {"stack"}),
            ('printf("%d", 3);', set()),
            ('assert(inputs->x != NULL && "input"); _Static_assert(sizeof(int) == 4, "int");', set()),
            ('__asm__ volatile("nop" ::: "memory");', set()),
            ("int total = n * q[1];", set()),
            ("static const float table[] = {1, 2};", {"constants"}),
            ("do { if (!inputs) break; total = total * 2; } while (0);", set()),
        ):
            found = numbers(code)
            self.assertEqual({name for name in found if found[name] != plain[name]}, unknown, code)
            for name in unknown:
                expected = {"min": plain[name], "max": None} if plain[name] else None
                self.assertEqual(found[name], expected, code)

    def test_an_allocation_under_a_condition_of_main_counts(self):
        lines = "{\n  if (1) { void* t = TVMBackendAllocWorkspace(1, 0, (uint64_t)6400, 0, 8); TVMBackendFreeWorkspace(1, 0, t); }\n"
        members = in_main(PLAIN, lambda main: main.replace("{\n", lines, 1))
        self.assertIsNone(self.module_of(members)["ram"]["heap"])

    def test_a_pool_that_the_entry_point_moves_has_no_known_size(self):
        for passed in ("&global_workspace + 16", "&global_workspace[16]", "flag ? &global_workspace : spare"):
            wrapper = PLANNED[WRAPPER_C].replace("((uint8_t*)&global_workspace)", f"((uint8_t*){passed})")
            self.assertIsNone(self.module_of(PLANNED | {WRAPPER_C: wrapper})["ram"]["pools"]["max"], passed)

    def test_a_variable_beside_the_pools_takes_up_to_its_bytes(self):
        for text, most in (("static uint8_t trace[96];", 96), ("static int32_t trace[24];", 96), ("static struct note trace[3];", None)):
            pools = self.module_of(PLAIN | {C: f"{PLAIN[C]}\n{text}\n"})["ram"]["pools"]
            self.assertEqual(pools, {"min": 0, "max": most} if most else None)
        array = "static uint8_t trace[96];"
        for other in (array, "static struct note trace[5];", "static struct { int32_t at[99]; } trace;"):
            for texts in ((array, other), (other, array)):
                members = {WRAPPER_C: f"{PLAIN[WRAPPER_C]}\n{texts[0]}\n", C: f"{PLAIN[C]}\n{texts[1]}\n"}
                self.assertIsNone(self.module_of(PLAIN | members)["ram"]["pools"], texts)

    def test_an_archive_two_directories_down_is_sound(self):
        for name, text in PLAIN.items():
            path = self.directory / "project/kws" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.assertEqual(support.run("verify", self.directory / "project").returncode, 0)

    def test_the_highest_index_where_data_decides_is_no_size_of_a_constant(self):
        line = "    T_sum[i_1] = (((int32_t*)scratch_let)[i_1] + ((int32_t*)fused_constant_1_let)[(i_1 & 3)]);\n"
        guarded = """\
    if (i_1 < 16) {
      int32_t condval;
      if ((0 < p0[i_1])) {
        condval = ((int32_t*)scratch_let)[i_1];
      } else {
        condval = ((int32_t*)fused_constant_1_let)[(i_1 / 4)];
      }
      T_sum[i_1] = condval;
    }
"""
        members = with_kernels(PLANNED, (line, guarded), ("i_1 = 0; i_1 < 16", "i_1 = 0; i_1 < 20"))
        self.assertEqual(self.errors(members), [])
        self.assertEqual([call["parameters"] for call in self.module_of(members)["calls"]], [64, 16, 0])

    def test_a_result_may_lie_over_an_earlier_one_that_nothing_reads(self):
        pools = "uint8_t* global_const_workspace_{}_var, uint8_t* global_workspace_{}_var"
        head = KERNELS[: KERNELS.index("TVM_DLL")]
        between = '\n#ifdef __cplusplus\nextern "C"\n#endif\n'
        split = f"""\
TVM_DLL int32_t tvmgen_default_fused_split(int32_t* p0, int32_t* T_split, int32_t* T_split_1, {pools.format(2, 3)}) {{
  for (int32_t i = 0; i < 8; ++i) {{
    T_split[i] = p0[i];
  }}
  for (int32_t i_1 = 0; i_1 < 8; ++i_1) {{
    T_split_1[i_1] = p0[(i_1 + 8)];
  }}
  return 0;
}}
"""
        copy = f"""\
TVM_DLL int32_t tvmgen_default_fused_copy(int32_t* p0, int32_t* T_copy, {pools.format(4, 5)}) {{
  for (int32_t i = 0; i < 8; ++i) {{
    T_copy[i] = p0[i];
    T_copy[(i + 8)] = p0[i];
  }}
  return 0;
}}
"""

        def errors_with(read):
            given = "global_const_workspace_0_var, global_workspace_1_var"
            main = f"""\
TVM_DLL int32_t tvmgen_default___tvm_main__(int32_t* x_buffer_var, int32_t* y_buffer_var, {pools.format(0, 1)}) {{
  void* sid_1_let = (&(global_workspace_1_var[0]));
  void* sid_2_let = (&(global_workspace_1_var[0]));
  if (tvmgen_default_fused_split(x_buffer_var, sid_1_let, sid_2_let, {given}) != 0 ) return -1;
  if (tvmgen_default_fused_copy({read}, y_buffer_var, {given}) != 0 ) return -1;
  return 0;
}}
"""
            return self.codes({**PLANNED, C: head + between.join([split, copy, main])})

        self.assertEqual(errors_with("sid_2_let"), [])
        self.assertEqual(errors_with("sid_1_let"), ["storage-overlap"])

    def test_generated_c_in_renamed_files_is_read(self):
        (self.directory / "network.cc").write_text(PLAIN[C])
        (self.directory / "main.c").write_text("int32_t tvmgen_default_run(void* x);\nint main(void) { return 0; }\n")
        self.assertGreater(len(support.report_of(self.directory)["calls"]), 0)
        (self.directory / "network.cc").unlink()
        alone = support.run_to(65, "report", self.directory)
        self.assertIn(b"not a Model Library Format archive", alone.stderr)

    def test_workspaces_of_kernels_that_objects_hide_are_no_evidence(self):
        members = members_of(support.BUNDLED_CORPUS / "tvm-0.9/diamond-graph/module.tar")
        source = self.directory / "kernels.c"
        source.write_text("int tvmgen_default_fused_add(float* a) { return a[0] > 0; }\n")
        object_file = source.with_suffix(".o")
        subprocess.run(["gcc", "-c", source, "-o", object_file], check=True)
        small = small_metadata(members)
        hidden = {name: text for name, text in small.items() if not name.endswith((".c", ".h"))}
        hidden["codegen/host/lib/default_lib0.o"] = object_file.read_bytes().decode("latin-1")
        self.assertIn("metadata-too-small", self.codes(small))
        self.assertNotIn("metadata-too-small", self.codes(hidden))


class Contradictions(VerifiedCase):
    """Whatever shows numbers of an archive that contradicts itself says so."""

    def setUp(self):
        self.sound = self.directory / "sound.tar"
        self.sound.write_bytes(as_tar(PLANNED))
        self.path = self.directory / "module.tar"
        self.path.write_bytes(as_tar(small_pool(PLANNED)))

    def test_the_report_lists_them(self):
        text = support.run_ok("report", self.path).stdout.decode()
        self.assertIn("The archive contradicts itself", text)
        self.assertIn("[storage-too-small]", text)
        module = support.report_of(self.path)
        self.assertIn("storage-too-small", [one["code"] for one in module["contradictions"]])
        self.assertNotIn("contradicts", support.run_ok("report", self.sound).stdout.decode())

    def test_no_limit_fits(self):
        limit = ("--buffers", 1 << 30)
        self.assertEqual(support.run("check", *limit, self.sound).returncode, 0)
        result = support.run_to(1, "check", *limit, self.path)
        self.assertIn("contradicts itself", result.stdout.decode())
        document = json.loads(support.run("check", *limit, "--format", "json", self.path).stdout)
        self.assertEqual(document["results"][0]["verdict"], "undecided")
        self.assertTrue(document["contradictions"])

    def test_rows_have_them(self):
        text = support.run_ok("table", "--format", "jsonl", self.sound, self.path).stdout
        sound, row = [json.loads(line) for line in text.splitlines()]
        self.assertFalse(sound["contradictions"])
        self.assertIn("global_workspace", row["contradictions"])

    def test_a_difference_names_the_build(self):
        result = support.run("diff", self.sound, self.path)
        self.assertIn("The archive after contradicts itself", result.stdout.decode())
        document = json.loads(support.run("diff", "--format", "json", self.sound, self.path).stdout)
        self.assertEqual({one["build"] for one in document["contradictions"]}, {"after"})


# A constant of a pool whose data the text lacks, as archives of LLVM with planned memory have it.
CONSTANT_WITHOUT_DATA = """\
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def __tvm_main__(x: T.handle, output: T.handle, global_const_workspace_0_var: T.handle("uint8", "global")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "pool_args": [I.AllocatedPoolInfo(pool_info=I.ConstantPoolInfo([I.ConstantInfo("k", byte_offset=0, data=metadata["runtime.NDArray"][0])]), allocated_size=16)], "runner_function": T.bool(True)})
        x_buffer = T.match_buffer(x, (4,), align=16)
        output_buffer = T.match_buffer(output, (4,), align=16)
        c_buffer = T.match_buffer(global_const_workspace_0_var, (16,), "uint8", strides=(1,), align=16)
        T.tvm_check_return(0, -1, T.call_extern("int32", "tvmgen_default_f", x_buffer.data, output_buffer.data, c_buffer.data))

    @T.prim_func
    def tvmgen_default_f(p0: T.Buffer((4,), "float32"), out: T.Buffer((4,), "float32"), global_const_workspace_1_var: T.handle("uint8", "global")):
        T.func_attr({"global_symbol": "tvmgen_default_f", "pool_args": [I.AllocatedPoolInfo(pool_info=I.ConstantPoolInfo([I.ConstantInfo("k", byte_offset=0, data=metadata["runtime.NDArray"][0])]), allocated_size=16)]})
        c_buffer = T.match_buffer(global_const_workspace_1_var, (16,), "uint8", strides=(1,), align=16)
        k: T.handle("float32") = T.address_of(c_buffer[0])
        for i in range(4):
            k_1 = T.Buffer((4,), data=k, align=16)
            out[i] = p0[i] * k_1[i]
"""


class LostConstants(VerifiedCase):
    def test_no_command_needs_data_that_is_missing(self):
        path = self.archive(text=CONSTANT_WITHOUT_DATA)
        page = self.directory / "page.html"
        for command in (
            ("report", path),
            ("report", "--json", path),
            ("report", "--html", page, path),
            ("check", "--ram", "1M", path),
            ("check", "--no-finding", "constants-twice", path),
            ("table", path),
            ("table", "--rows", "constant", path),
            ("diff", path, path),
            ("show", path, "tvmgen_default_f"),
            ("verify", path),
            ("tir", path),
        ):
            with self.subTest(command[0]):
                result = support.run(*command)
                self.assertIn(result.returncode, (0, 1), result.stderr)


class OtherCaptures(VerifiedCase):
    """TIR that is not of the build that the C is of."""

    # The kernels of PLAIN before their memory was planned, and those of another build.
    BEFORE_PLANNING = """\
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def tvmgen_default_fused_double(p0: T.Buffer((16,), "int32"), T_add: T.Buffer((16,), "int32")):
        T.func_attr({"global_symbol": "tvmgen_default_fused_double"})
        for i in range(16):
            T_add[i] = p0[i] + 1
"""

    def with_tir(self, text):
        path = self.directory / "kernels.txt"
        path.write_text(text)
        return path

    def archive_and_bytes(self):
        path = self.directory / "module.tar"
        path.write_bytes(as_tar(PLANNED))
        return path, path.read_bytes()

    def test_another_stage_is_not_compared_and_is_no_error(self):
        archive = self.verify(as_tar(PLANNED), "--tir", self.with_tir(self.BEFORE_PLANNING))
        self.assertTrue(archive["passed"], archive["findings"])
        self.assertIn("not-compared", [finding["code"] for finding in archive["findings"]])
        (check,) = [one for one in archive["checks"] if one["code"] == "generated-c"]
        self.assertIn("before the memory planner", check["not_checked"])

    def test_weights_as_parameters_are_another_build(self):
        text = self.BEFORE_PLANNING.replace("p0: T", 'p1: T.Buffer((16,), "int32"), p0: T')
        archive = self.verify(as_tar(PLANNED), "--tir", self.with_tir(text))
        self.assertTrue(archive["passed"], archive["findings"])
        self.assertIn("another build", json.dumps(archive))

    def test_process_refuses_another_build_and_writes_nothing(self):
        path, before = self.archive_and_bytes()
        text = self.BEFORE_PLANNING.replace("p0: T", 'p1: T.Buffer((16,), "int32"), p0: T')
        for option, name in (("--tir", "kernels.txt"), ("--add-tir", "tir-1.txt")):
            kernels = self.with_tir(text).rename(self.directory / name)
            result = support.run_to(65, "process", path, option, kernels)
            self.assertIn(b"'tvmgen_default_fused_double' takes 3 tensors", result.stderr)
            self.assertEqual(path.read_bytes(), before)

    def test_tir_is_once_in_the_tar_of_a_directory(self):
        root = self.directory / "unpacked"
        for name, text in PLANNED.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        tir = self.with_tir(self.BEFORE_PLANNING).rename(self.directory / "tir-1.before.txt")
        output = self.directory / "out.tar"
        support.run_ok("process", "--add-tir", tir, "-o", output, root)
        with tarfile.open(output) as tar:
            names = tar.getnames()
        self.assertEqual(len(names), len(set(names)))
        support.run_ok("verify", output)

    def test_a_file_that_is_not_given_again_is_no_change_of_the_archive(self):
        path, _ = self.archive_and_bytes()
        kernels = self.with_tir(self.BEFORE_PLANNING)
        support.run_ok("process", path, "--tir", kernels)
        findings = json.loads(support.run("verify", "--json", path).stdout)["archives"][0]["findings"]
        self.assertNotIn("stale-outputs", [finding["code"] for finding in findings])
        self.assertIn("missing-file", [finding["code"] for finding in findings])


class Names(VerifiedCase):
    def test_no_call_has_the_name_of_another_kernel(self):
        renamed = KERNELS.replace("fused_sum", "fused_double_1").replace("fused_add(", "fused_double_2(")
        twice = renamed.replace(
            "  if (tvmgen_default_fused_double_1(sid_1_let",
            "  if (tvmgen_default_fused_double(x_buffer_var, sid_1_let, global_const_workspace_0_var, "
            "global_workspace_1_var) != 0 ) return -1;\n  if (tvmgen_default_fused_double_1(sid_1_let",
        )
        path = self.directory / "module.tar"
        path.write_bytes(as_tar(PLANNED | {C: twice}))
        graph = support.json_of("graph", "--format", "topology", path)
        symbols = {kernel["symbol"] for kernel in graph["kernels"]}
        for call in graph["calls"]:
            symbol = graph["kernels"][call["kernel"]]["symbol"]
            self.assertNotIn(call["name"], symbols - {symbol})
        self.assertEqual(len(graph["calls"]), 4)


class EveryArchive(VerifiedCase):
    def check_edits(self, changes, check):
        """Checks the errors of each edit where an archive has a place for it: every second one of an archive with its
        captured TIR, the others of the next archive."""
        places = collections.Counter()
        for turn, path in enumerate(support.archives()):
            members = members_of(path)
            edited = {name: change(members) for name, change in changes.items()}
            edited = {name: one for name, one in edited.items() if one is not None}
            places.update(edited.keys())
            archives = [as_tar(with_captures(path, one) if (turn + place) % 2 else one)
                        for place, one in enumerate(edited.values())]
            for name, errors in zip(edited, self.errors_of_all(archives) if archives else [], strict=True):
                with self.subTest(name, archive=str(path)):
                    check(errors)
        for name in changes:
            if support.HAS_WHOLE_CORPUS:
                self.assertGreater(places[name], 0, name)
            print(f"{name}: in {places[name]} archives")

    def test_a_sound_archive_has_no_error(self):
        for path in support.archives():
            for errors in self.errors_of_all([path.read_bytes(), as_tar(members_of(path))]):
                with self.subTest(path.parent.name + "/" + path.name):
                    self.assert_sound(errors)

    def assert_sound(self, errors):
        """TVM's main passes some kernels an argument less than they take."""
        self.assertEqual([one for one in errors if one["code"] != "arity"], [])

    def test_what_people_change_is_no_error(self):
        self.check_edits(SOUND, self.assert_sound)

    def test_each_seeded_fault_is_found(self):
        self.check_edits({fault.__name__: fault for fault in FAULTS}, self.assertTrue)

    def test_tensors_of_different_sizes_may_share_a_place_without_a_name(self):
        edited = [in_main(members_of(path), places_in_calls) for path in support.archives()]
        archives = [as_tar(members) for members in edited if members is not None]
        for errors in self.errors_of_all(archives):
            self.assert_sound(errors)

    def test_changes_of_people_compute_the_same_when_optimized(self):
        path = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        before, after = self.directory / "before.tar", self.directory / "after.tar"
        smaller = 0
        for name in ("static kernels", "results in a variable", "another number for a failure", "restrict", "i++",
                     "a kernel in another file", "no line of the target"):
            before.write_bytes(as_tar(with_captures(path, SOUND[name](members_of(path)))))
            support.run_ok("optimize", before, "-o", after)
            support.run_ok("run", "--random", "1", "--compare", before, after)
            (module,) = support.json_of("optimize", "--json", "--dry-run", before)["modules"]
            smaller += (module["new_constants_bytes"] or 0) < (module["constants_bytes"] or 0)
        self.assertGreater(smaller, 3)

    def test_a_log_line_hides_no_other_difference(self):
        compared = 0
        for path in support.archives():
            members = members_of(path)
            logged = log_line(members)
            faulty = swapped_arguments(logged) if logged else None
            captured = with_captures(path, members)
            if faulty is None or captured == members:
                continue
            self.assertIn("c-mismatch", self.codes(with_captures(path, faulty)), path)
            compared += 1
        self.assertGreater(compared, 0)

    def test_a_function_that_gets_a_pointer_is_no_log_line(self):
        path = support.BUNDLED_CORPUS / "tvm-0.18/two_out-aot-c-usmp/module.tar"
        for argument in ("x_buffer_var", "&(((float*)x_buffer_var)[4])"):
            changed = in_main(members_of(path), lambda main: main.replace("{\n", "{\n  my_filter(" + argument + ");\n", 1))
            members = with_captures(path, changed)
            # The application may define it, and it may change what kernels read.
            self.assertEqual(self.errors(members), [])
            module = self.module_of(members)
            self.assertIsNone(module["mac"]["max"], argument)
            self.assertIn("which the archive does not define", " ".join(module["uncertain"]))


if __name__ == "__main__":
    unittest.main()

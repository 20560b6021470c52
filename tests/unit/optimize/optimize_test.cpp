// Archives with less flash and less RAM: what changes, what stays and why.
#include "mlf/optimize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "mlf/process.h"
#include "mlf/verify.h"
#include "support/corpus_directory.h"
#include "unit/archive/archive_fixture.h"
#include "unit/optimize/bundled.h"

namespace mlf::test {
namespace {

class Optimized : public ArchiveTest {
 protected:
  OptimizeReport write(const std::string& from, const Optimizations& what = {},
                       const std::string& to = "out.tar") const {
    auto report = write_optimized(open_deployment(from), {.output = path(to), .what = what});
    EXPECT_TRUE(report) << to_string(report.error());
    return report ? std::move(report).value() : OptimizeReport();
  }

  /// The archive without captured TIR, and one member changed.
  std::string stock(std::string_view name, const std::function<void(std::string&)>& change,
                    std::string_view member = kKernels) const {
    const archive::Archive archive = open_good(data(name));
    std::string text(archive.read(*archive.find(member)).value());
    change(text);
    archive::Changes changes{.remove = {}, .add = {}, .edit = {{std::string(member), text}}};
    for (const archive::Member& one : archive.members()) {
      if (one.name.starts_with("src/tir-")) changes.remove.push_back(one.name);
    }
    archive::write_to_path(archive, changes, path("changed.tar"));
    return path("changed.tar");
  }

  static void replace(std::string& text, std::string_view from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }

  /// Why the int16 weights keep their type after the change.
  std::string why_kept(std::string_view name, const std::function<void(std::string&)>& change,
                       std::string_view member = kKernels) {
    const OptimizeReport report = write(stock(name, change, member), {.ram = false});
    for (const OptimizedConstant& one : report.modules.at(0).constants) {
      if (one.before != tir::DType::Int(16)) continue;
      return one.before == one.after ? one.kept : "it is " + to_string(one.after);
    }
    return "there are no such weights: " + report.modules[0].constants_kept;
  }
};

TEST_F(Optimized, NarrowsEveryArchiveOfTheCorpusToOneThatHoldsTogether) {
  std::vector<std::string> archives{data(kWithArrays), data(kUsmp)};
  for (const auto& version : std::filesystem::directory_iterator(test::corpus_directory())) {
    if (!version.is_directory()) continue;
    for (const auto& build : std::filesystem::directory_iterator(version)) {
      const std::string name = build.path().filename().string();
      const bool is_quantized = name.starts_with("aww") || name.starts_with("qnn_conv");
      // Most of the weights of this ResNet-8 have one value.
      if (is_quantized || name.starts_with("resnet8"))
        archives.push_back((build.path() / "module.tar").string());
    }
  }
  for (const std::string& archive : archives) {
    SCOPED_TRACE(archive);
    const OptimizedModule module = write(archive).modules.at(0);
    EXPECT_LT(module.constants_after.value() * 100, module.constants_before.value() * 52);
    const Verification verification = verify_archive(path("out.tar")).value();
    for (const VerifyFinding& finding : verification.findings) {
      EXPECT_NE(finding.severity, graph::Severity::error) << finding.detail;
    }
    EXPECT_TRUE(write(path("out.tar"), {}, "again.tar").changed.empty());
    EXPECT_TRUE(read_file(path("out.tar")) == read_file(path("again.tar")));
  }
}

TEST_F(Optimized, SaysWhyAModuleHasNoPoolThatCouldBeSmaller) {
  EXPECT_EQ(write(data(kWithArrays)).modules.at(0).pools_kept, "its buffers are in no memory pool");
  EXPECT_EQ(write(data("archives/tvm-0.9-op-add.tar")).modules.at(0).pools_kept,
            "an operator archive has bare functions and no main");
}

TEST_F(Optimized, NarrowsWeightsOfTheBundledArchive) {
  EXPECT_EQ(why_kept(kWithArrays, [](std::string&) {}), "it is int8");
}

/// The C with one value in all elements of the weights.
void with_one_value(std::string& text) {
  const std::size_t open = text.find("fused_constant_42[288] = {\n");
  ASSERT_NE(open, std::string::npos);
  const std::size_t begin = text.find('\n', open) + 1;
  std::string values = "    ";
  for (int i = 1; i < 288; ++i) values += "+0x0005, ";
  text.replace(begin, text.find('}', begin) - begin, values + "+0x0005\n");
}

TEST_F(Optimized, LeavesOneElementOfConstantsOfOneValue) {
  const OptimizeReport report = write(stock(kWithArrays, with_one_value), {.ram = false});
  const auto& constants = report.modules.at(0).constants;
  const auto weights = std::ranges::find(constants, "fused_constant_42", &OptimizedConstant::name);
  ASSERT_NE(weights, constants.end());
  EXPECT_TRUE(weights->is_collapsed);
  EXPECT_EQ(weights->bytes_after, 2U);
  EXPECT_EQ(report.modules[0].saved.collapsing, 574U);
  const archive::Archive archive = open_good(path("out.tar"));
  const std::string text(archive.read(*archive.find(kKernels)).value());
  EXPECT_NE(text.find("fused_constant_42[1] = {\n    +0x0005\n};"), std::string::npos);
  EXPECT_NE(text.find("((int16_t*)fused_constant_42)[0]"), std::string::npos);
  EXPECT_TRUE(write(path("out.tar"), {}, "again.tar").changed.empty());
}

TEST_F(Optimized, KeepsTypesWhereOthersWouldTakeAsMuchMemory) {
  const auto with_alignment = [](std::string& text) {
    replace(text, "aligned(16))) fused_nn_conv2d_constant_43[8]",
            "aligned(64))) fused_nn_conv2d_constant_43[8]");
  };
  const OptimizeReport report = write(stock(kWithArrays, with_alignment), {.ram = false});
  const auto& constants = report.modules.at(0).constants;
  const auto bias =
      std::ranges::find(constants, "fused_nn_conv2d_constant_43", &OptimizedConstant::name);
  ASSERT_NE(bias, constants.end());
  EXPECT_EQ(bias->after, tir::DType::Int(32));
  EXPECT_EQ(bias->kept, "");
}

TEST_F(Optimized, LeavesAllElementsWhereAnIndexDoesMoreThanCount) {
  for (const std::string index : {"((int32_t*)fused_nn_conv2d_constant_43)[0]", "next_index()"}) {
    const auto changed = [&](std::string& text) {
      with_one_value(text);
      replace(text, "fused_constant_42)[", "fused_constant_42)[" + index + " + ");
    };
    const OptimizeReport report = write(stock(kWithArrays, changed), {.ram = false});
    for (const OptimizedConstant& one : report.modules.at(0).constants) {
      EXPECT_FALSE(one.is_collapsed) << one.name << ", " << index;
    }
  }
}

TEST_F(Optimized, DropsMembersOfPoolsThatNothingReadsWhereAsked) {
  const auto with_member = [](std::string& text) {
    replace(text, "} global_const_workspace = {\n",
            "  int64_t unread_let[4] __attribute__((packed, aligned(16))); // 32 bytes, aligned "
            "offset: 608\n"
            "} global_const_workspace = {\n");
    replace(text, "\n};// of total size 608 bytes",
            "\n  .unread_let = {\n    1, 2, 3, 4\n  },\n}// of total size 640 bytes");
  };
  const std::string archive = stock(kUsmp, with_member, kPools);
  const OptimizeReport kept = write(archive, {.ram = false});
  EXPECT_EQ(kept.modules.at(0).constants.back().kept, "no function uses it");
  const OptimizeReport dropped = write(archive, {.ram = false, .drop_unused = true});
  EXPECT_TRUE(dropped.modules.at(0).constants.back().is_dropped);
  EXPECT_EQ(dropped.modules[0].saved.dropping, 32U);
  const archive::Archive smaller = open_good(path("out.tar"));
  EXPECT_EQ(smaller.read(*smaller.find(kPools)).value().find("unread_let"), std::string_view::npos);
}

/// The C with another declaration of the weights, up to their values.
std::function<void(std::string&)> with_declaration(const std::string& declaration) {
  return [declaration](std::string& text) {
    const std::size_t name = text.find("fused_constant_42[288]");
    ASSERT_NE(name, std::string::npos);
    const std::size_t begin = text.rfind('\n', name) + 1;
    text.replace(begin, text.find('{', name) - begin, declaration + " = ");
  };
}

TEST_F(Optimized, NarrowsArraysThatAPortDeclaresInAnotherWay) {
  EXPECT_EQ(why_kept(kWithArrays, with_declaration("static const int16_t fused_constant_42[288]")),
            "it is int8");
  EXPECT_EQ(why_kept(kWithArrays,
                     with_declaration("static const int16_t __attribute__((section(\".flash\"))) "
                                      "fused_constant_42[288]")),
            "it is int8");
  EXPECT_EQ(why_kept(kWithArrays, with_declaration("const int16_t fused_constant_42[288]")),
            "is visible to code outside of its file");
}

TEST_F(Optimized, NarrowsAPoolInAnotherSection) {
  const auto moved = [](std::string& text) { replace(text, ".rodata.tvm", ".flash"); };
  EXPECT_EQ(why_kept(kUsmp, moved, kPools), "it is int8");
}

TEST_F(Optimized, SaysNoTotalWhereTheCMayHaveOtherConstants) {
  const auto unread = with_declaration("static const int16_t fused_constant_42[WEIGHTS]");
  const OptimizedModule module = write(stock(kWithArrays, unread), {.ram = false}).modules.at(0);
  EXPECT_FALSE(module.constants_before);
  EXPECT_FALSE(module.constants_after);
  EXPECT_EQ(module.constants_kept,
            "'tvmgen_default_fused_nn_conv2d_add_fixed_point_multiply_add_clip_cast_clip' has a "
            "statement that mlf cannot read");
}

/// The C with a statement before the first loop of the convolution, which has the weights.
std::function<void(std::string&)> with_statement(const std::string& statement) {
  return [statement](std::string& text) {
    const std::size_t load = text.find("fused_constant_42)[");
    const std::size_t loop = text.rfind("\n  for (", load);
    text.insert(loop + 1, "  " + statement + "\n");
  };
}

TEST_F(Optimized, KeepsTheTypeOfAConstantWhoseAddressEscapes) {
  EXPECT_EQ(why_kept(kWithArrays, with_statement("(void)use(fused_constant_42);")),
            "is passed to 'use'");
  EXPECT_EQ(
      why_kept(kWithArrays, with_statement("(void)use((&(((int16_t*)fused_constant_42)[3])));")),
      "is an argument of address_of");
}

TEST_F(Optimized, KeepsTheTypeOfAConstantThatIsLoadedThroughAnother) {
  EXPECT_EQ(
      why_kept(kWithArrays, with_statement("int32_t word = ((int32_t*)fused_constant_42)[0];")),
      "is accessed as int32");
  EXPECT_EQ(why_kept(kWithArrays, with_statement("int32_t word = *(int32_t*)fused_constant_42;")),
            "'tvmgen_default_fused_nn_conv2d_add_fixed_point_multiply_add_clip_cast_clip' has a "
            "statement that mlf cannot read");
}

TEST_F(Optimized, KeepsTheTypeOfAConstantThatCodeOutsideOfKernelsNames) {
  EXPECT_EQ(why_kept(kWithArrays,
                     [](std::string& text) {
                       text += "static int peek(void) { return fused_constant_42[3]; }\n";
                     }),
            "the C names it in a place that mlf cannot read");
}

constexpr std::string_view kUnread = "the C names it in a place that mlf cannot read";

std::string used_in(int line) {
  return "other code may use it: line " + std::to_string(line) +
         " of codegen/host/src/default_lib0.c";
}

/// Text before what `line` begins.
std::function<void(std::string&)> with_text_before(std::string_view line,
                                                   std::string_view inserted) {
  return [=](std::string& text) {
    const std::size_t at = text.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    text.insert(at, inserted);
  };
}

TEST_F(Optimized, KeepsAPoolWhoseAddressIsUsedOutsideOfTheEntry) {
  constexpr std::string_view kEntry = "#include <tvmgen_default.h>";
  for (const std::string_view code :
       {"const void* const constants = &global_const_workspace;\n",
        "static const void* first(void) { return (const char*)(&global_const_workspace) + 576; }\n",
        "static void copy(void* ram) { memcpy(ram, &global_const_workspace, 608); }\n",
        "#define CONSTANTS (&global_const_workspace)\n"}) {
    EXPECT_EQ(why_kept(kUsmp, with_text_before(kEntry, code), kPools), used_in(54)) << code;
  }
  EXPECT_EQ(why_kept(kUsmp,
                     with_text_before("return tvmgen_default___tvm_main__",
                                      "memcpy(ram, &global_const_workspace, 608); "),
                     kPools),
            used_in(56));
  EXPECT_EQ(why_kept(kUsmp, [](std::string&) {}), "it is int8");
}

TEST_F(Optimized, KeepsAPoolThatAFunctionTakesByAnotherName) {
  const auto peek = [](std::string& text) {
    const std::size_t let = text.find("  void* fused_");
    const std::size_t name = text.find("global_const_workspace_", let);
    const std::string pool = text.substr(name, text.find('[', name) - name);
    text.insert(let, "  int32_t peeked[1];\n  if (tvmgen_default_peek(" + pool +
                         ", peeked) != 0 ) return -1;\n");
    text.insert(text.rfind("#ifdef __cplusplus", let),
                "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
                "TVM_DLL int32_t tvmgen_default_peek(uint8_t* p0, int32_t* out) {\n"
                "  void* w = (&(p0[576]));\n  out[0] = ((int32_t*)w)[1];\n  return 0;\n}\n\n");
  };
  EXPECT_EQ(why_kept(kUsmp, peek),
            "'tvmgen_default_peek' is given it in a parameter of another name");
}

TEST_F(Optimized, KeepsConstantsThatOtherFilesName) {
  for (const auto& [archive, code] :
       {std::pair(kWithArrays, "#define WEIGHT(i) fused_constant_42[i]\n"),
        std::pair(kUsmp, "extern struct global_const_workspace global_const_workspace;\n")}) {
    const archive::Archive old = open_good(stock(archive, [](std::string&) {}));
    const std::string added = path("added.tar");
    const std::string text = code;
    archive::Changes changes;
    changes.add.push_back({.name = "codegen/host/include/weights.def",
                           .like = &old.members().front(),
                           .write = [&](support::ByteSink& sink) { sink.write(text); }});
    archive::write_to_path(old, changes, added);
    const OptimizeReport report = write(added, {.ram = false});
    EXPECT_TRUE(std::ranges::any_of(report.modules.at(0).constants, [](const auto& one) {
      return one.before == tir::DType::Int(16) &&
             (one.kept == kUnread ||
              one.kept == "other code may use it: line 1 of codegen/host/include/weights.def");
    })) << code;
  }
}

TEST_F(Optimized, KeepsConstantsWhereMacrosOrLineEndsJoinWords) {
  const std::string why = "codegen/host/src/default_lib1.c may join parts of names";
  EXPECT_EQ(why_kept(kWithArrays,
                     [](std::string& text) {
                       text +=
                           "#define JOIN(a, b) a##b\n"
                           "static int size(void) { return sizeof(JOIN(fused_, constant_42)); }\n";
                     }),
            why);
  EXPECT_EQ(why_kept(kWithArrays,
                     [](std::string& text) {
                       text += "static int size(void) { return sizeof(fused_\\\nconstant_42); }\n";
                     }),
            "there are no such weights: 'tvmgen_default___tvm_main__' has a statement that mlf "
            "cannot read");
}

TEST_F(Optimized, KeepsConstantsWhereATypeIsAMacro) {
  EXPECT_EQ(why_kept(kWithArrays, with_text_before("#include <math.h>", "#define int8_t char\n")),
            "its C has 'int8_t' as a macro");
}

TEST_F(Optimized, KeepsPoolsWhosePackingAPragmaChanges) {
  const std::string why =
      why_kept(kUsmp, with_text_before("#include <tvmgen_default.h>", "#pragma pack(1)\n"), kPools);
  EXPECT_TRUE(why.ends_with("what is compiled depends on '#pragma pack'")) << why;
}

TEST_F(Optimized, KeepsAPoolThatTheEntryMayReplace) {
  const auto other = [](std::string& text) {
    replace(text, ",&global_const_workspace,", ",(ram ? ram : (uint8_t*)&global_const_workspace),");
  };
  EXPECT_EQ(why_kept(kUsmp, other, kPools), used_in(56));
  const auto cast = [](std::string& text) {
    replace(text, ",&global_const_workspace,", ",\n (uint8_t*)(&global_const_workspace),");
  };
  EXPECT_EQ(why_kept(kUsmp, cast, kPools), "it is int8");
}

TEST_F(Optimized, KeepsAPoolWhoseTensorIsUsedInThePackedEntry) {
  constexpr std::string_view kPackedUsmp = "corpus/tvm-0.18/qnn_conv-aot-packed-usmp/module.tar";
  const auto copy = [](std::string& text) {
    replace(text, "TVMValue global_const_workspace_tvm_value",
            "memcpy(ram, global_const_workspace_dltensor.data, 608);\n"
            "TVMValue global_const_workspace_tvm_value");
  };
  EXPECT_EQ(why_kept(kPackedUsmp, copy, kPools), used_in(65));
  EXPECT_EQ(why_kept(
                kPackedUsmp, [](std::string&) {}, kPools),
            "it is int8");
}

TEST_F(Optimized, LeavesNoPackedMembersOfBytes) {
  const auto packed_behind = [](std::string& text) {
    replace(text, "packed, aligned(16)", "aligned(16), packed");
    replace(text, "288] __attribute__((aligned(16)", "288] __attribute__((aligned(16), packed");
  };
  write(stock(kUsmp, packed_behind, kPools), {.ram = false});
  const archive::Archive archive = open_good(path("out.tar"));
  EXPECT_EQ(archive.read(*archive.find(kPools)).value().find("packed"), std::string_view::npos);
}

TEST_F(Optimized, CountsConstantsOnceBesideAPoolOfTheApplication) {
  const OptimizeReport whole = write(data(kUsmp), {.ram = false});
  const auto pointer = [](std::string& text) {
    const std::size_t at = text.find("static uint8_t global_workspace[");
    text.replace(at, text.find(';', at) - at, "static uint8_t* global_workspace = NULL");
    replace(text, "&global_workspace)", "global_workspace)");
  };
  const OptimizeReport report =
      write(stock(kUsmp, pointer, "codegen/host/src/default_lib0.c"), {.ram = false});
  EXPECT_EQ(report.modules.at(0).constants_before, whole.modules.at(0).constants_before);
  EXPECT_EQ(report.modules.at(0).constants_after, whole.modules.at(0).constants_after);
}

TEST_F(Optimized, ChangesTheConstantsOfCOfAnotherGeneratorAlone) {
  const auto marked = [](std::string& text) { text.insert(0, "// tvm target: accelerator\n"); };
  const OptimizeReport report = write(stock(kWithArrays, marked), {.ram = false});
  const OptimizeReport plain = write(stock(kWithArrays, [](std::string&) {}), {.ram = false});
  EXPECT_GT(report.modules.at(0).saved.narrowing, 0U);
  EXPECT_EQ(report.modules.at(0).constants_after, plain.modules.at(0).constants_after);
}

TEST_F(Optimized, MakesTheOutputsOfProcessAgain) {
  const std::string processed = path("processed.tar");
  ASSERT_TRUE(process_archive(data(kUsmp), {.output = processed}));
  write(processed);
  EXPECT_FALSE(process_archive(path("out.tar")).value().changed());
}

TEST_F(Optimized, DoesOnlyWhatIsAskedFor) {
  const OptimizeReport flash = write(data(kUsmp), {.ram = false});
  EXPECT_FALSE(flash.ram_plan);
  EXPECT_GT(flash.modules.at(0).saved.narrowing, 0U);
  const OptimizeReport ram =
      write(data(kUsmp), {.narrow = false, .collapse = false, .share = false});
  EXPECT_EQ(ram.ram_plan, RamPlan::offsets);
  EXPECT_TRUE(ram.modules.at(0).constants.empty());
}

TEST_F(Optimized, WithoutAnOutputWritesNothing) {
  const auto report = write_optimized(open_deployment(data(kUsmp)), {});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->changed.empty());
}

}  // namespace
}  // namespace mlf::test

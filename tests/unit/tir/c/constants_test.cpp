// read_c_constants: the constants of read_c, without reading the bodies of functions.
#include <algorithm>
#include <span>
#include <vector>

#include "archives.h"
#include "reading.h"
#include "support/corpus_directory.h"
#include "tir/array_uses.h"
#include "unit/tir/compare/corpus.h"

namespace mlf::tir::c {
namespace {

namespace fs = std::filesystem;

/// Everything that a search for a constant compares or returns.
struct Constant {
  ConstantSite site;
  std::string function;
  std::string name;
  std::optional<std::int64_t> pool_offset;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;
  friend bool operator==(const Constant&, const Constant&) = default;
};

std::vector<Constant> constants_of(const Document& document) {
  std::vector<Constant> constants;
  for (const ArrayUse& use : array_uses(document.module.root())) {
    const auto shape = use.array.integers(f::NDArray::shape);
    const auto data = use.array.bytes(f::NDArray::data);
    constants.push_back({use.site,
                         use.function,
                         use.name,
                         use.pool_offset,
                         use.array.dtype(std::uint8_t{f::NDArray::dtype}),
                         {shape.begin(), shape.end()},
                         {data->begin(), data->end()}});
  }
  return constants;
}

std::vector<std::string> names_of(const Document& document) {
  std::vector<std::string> names;
  for (const NamedFunction& one : functions_of(document.module)) names.emplace_back(one.name);
  return names;
}

Document outline(std::string_view text) {
  return read_c_constants({.files = {{"lib.c", {}, text, "codegen"}}});
}

/// `function: array` of each constant, in order.
std::string owners_in(std::string_view text) {
  std::string owners;
  for (const Constant& one : constants_of(outline(text))) {
    owners += (owners.empty() ? "" : ", ") + one.function + ": " + one.name;
  }
  return owners;
}

std::string array(std::string_view name) {
  return "static const int8_t __attribute__((section(\".rodata.tvm\"), aligned(16))) " +
         std::string(name) + "[2] = {\n    +0x01, +0x02\n};\n";
}

std::string kernel(std::string_view name, std::string_view body) {
  return "TVM_DLL int32_t " + std::string(name) + "(int8_t* p) {\n" + std::string(body) +
         "\n  return 0;\n}\n";
}

/// The number of constants of all archives below a directory.
std::size_t compare_files(const fs::path& root) {
  std::size_t count = 0;
  for (const fs::path& tar : archives(root)) {
    const std::vector<SourceFile> files = c_files(tar);
    for (const std::string& module : modules(files)) {
      for (const std::string& kind : target_kinds(files)) {
        const CSources sources = sources_for(files, module, kind);
        const Document whole = read_c(sources);
        const Document constants = read_c_constants(sources);
        EXPECT_TRUE(constants_of(constants) == constants_of(whole)) << tar << module << kind;
        EXPECT_EQ(names_of(constants), names_of(whole)) << tar << module << kind;
        EXPECT_EQ(constants.source.member, whole.source.member);
        count += constants_of(whole).size();
      }
    }
  }
  return count;
}

TEST(CConstants, OfTheTestsAreThoseOfTheWholeModule) {
  EXPECT_GE(compare_files(MLF_TEST_DATA "/c"), 5u);
}

TEST(CConstants, OfTheCorpusAreThoseOfTheWholeModule) {
  EXPECT_GT(compare_files(test::corpus_directory()), test::of_corpus(300, 30));
}

TEST(CConstants, BelongToEachFunctionWhoseBodyNamesThem) {
  const std::string text = array("a") + array("b") + kernel("f", "  p[0] = a[0];") +
                           kernel("g", "  p[0] = b[0] + a[1] + b[1];");
  EXPECT_EQ(owners_in(kernel_file(text)), "f: a, g: a, g: b");
}

TEST(CConstants, AreNotNamedByCommentsStringsAndPartsOfNames) {
  const std::string text = array("a") + array("b") +
                           kernel("f", "  // b\n  h(\"b\");\n  p[0] = a[0] + ab + b1;\n  /* b */") +
                           kernel("g", "  p[0] = b[0];");
  EXPECT_EQ(owners_in(kernel_file(text)), "f: a, g: b");
}

TEST(CConstants, OfStatementsOutsideOfTheGrammarAreFound) {
  const std::string text = array("a") + kernel("f", "  asm volatile (\"\" :: \"r\"(a));");
  EXPECT_EQ(owners_in(kernel_file(text)), "f: a");
}

TEST(CConstants, NamedNowhereBelongToTheOnlyFunction) {
  const std::string text = array("a") + array("b") + kernel("f", "  p[0] = b[0];");
  EXPECT_EQ(owners_in(kernel_file(text)), "f: a, f: b");
}

TEST(CConstants, NamedNowhereBelongToNoneIfAFunctionIsMissing) {
  const std::string text =
      array("a") + array("b") + kernel("tvmgen_f", "  p[0] = b[0];\n  tvmgen_g(p);");
  EXPECT_EQ(owners_in(kernel_file(text)), "tvmgen_f: b");
}

TEST(CConstants, OfAFunctionWithoutItsEndOrWithAnotherHeadAreUnknown) {
  EXPECT_EQ(owners_in(kernel_file(array("a") + "TVM_DLL int32_t f(int8_t* p) {\n  p[0] = a[0];\n")),
            "");
  EXPECT_EQ(
      owners_in(kernel_file(array("a") + "TVM_DLL int32_t f(file* p) {\n  p[0] = a[0];\n}\n")), "");
}

TEST(CConstants, OfOneNameBelongToTheirFiles) {
  const auto file = [](std::string_view function, std::string_view value) {
    std::string one = array("a");
    one.replace(one.find("0x01"), 4, value);
    return kernel_file(one + kernel(function, "  p[0] = a[0];"));
  };
  const std::string first = file("f", "0x11");
  const std::string second = file("g", "0x12");
  const CSources sources{
      .files = {{"lib1.c", {}, first, "codegen"}, {"lib2.c", {}, second, "codegen"}}};
  const Document whole = read_c(sources);
  const std::vector<Constant> found = constants_of(whole);
  ASSERT_EQ(found.size(), 2u);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(found[i].function, i == 0 ? "f" : "g");
    EXPECT_EQ(found[i].data.front(), std::byte(0x11 + i));
  }
  EXPECT_TRUE(constants_of(read_c_constants(sources)) == found);
}

TEST(CConstants, OfOneNameInOneFileOrInTwoOtherFilesAreUnknown) {
  const std::string use = kernel_file(kernel("f", "  p[0] = a[0];"));
  EXPECT_EQ(owners_in(kernel_file(array("a") + array("a") + kernel("f", "  p[0] = a[0];"))), "");
  const std::string other = array("a");
  const CSources sources{.files = {{"lib0.c", {}, use, "codegen"},
                                   {"lib1.c", {}, other, "codegen"},
                                   {"lib2.c", {}, other, "codegen"}}};
  EXPECT_TRUE(constants_of(read_c(sources)).empty());
}

/// `name bytes` of the constants that no code uses, with `+` if they count in a function.
std::string unused_in(std::string_view text) {
  std::string unused;
  const Document read = read_c({.files = {{"lib.c", {}, text, "codegen"}}});
  for (const OtherMemory& one : read.other_memory) {
    const bool is_in_function = one.kind == OtherKind::constant_in_kernel;
    EXPECT_TRUE(one.kind == OtherKind::constant || is_in_function) << one.name;
    unused += one.name + (one.bytes ? " " + std::to_string(*one.bytes) : " ?") +
              (is_in_function ? "+ " : " ");
  }
  return unused;
}

TEST(CConstants, ThatNoCodeUsesAreKnown) {
  const std::string uses_b = kernel("f", "  p[0] = ((int8_t*)b)[0];");
  EXPECT_EQ(unused_in(kernel_file(array("b") + uses_b)), "");
  EXPECT_EQ(unused_in(kernel_file(array("a") + array("b") + uses_b)), "a 2+ ");
  EXPECT_EQ(unused_in(kernel_file(array("a") + kernel("f", "") + kernel("g", ""))), "a 2 ");
  EXPECT_EQ(unused_in(kernel_file("const int a[3] = {1};\n" + array("b") + uses_b)), "a ? ");
  EXPECT_EQ(unused_in(kernel_file("static const struct { int t[3]; } a = {{1}};\n" + array("b") +
                                  uses_b)),
            "a ? ");
  EXPECT_EQ(unused_in(kernel_file("static const char* const a[2] = {0};\n" + array("b") + uses_b)),
            "a ? ");
  EXPECT_EQ(
      unused_in(kernel_file(array("b") + uses_b +
                            "int g(int i) {\n  static const int8_t t[3];\n  return t[i];\n}\n")),
      "g ? ");
}

TEST(CConstants, OfAPoolTakeThePaddingOfItsStruct) {
  const auto bytes_of = [](const std::string& attribute, const std::string& end) {
    const std::string pool = "static const struct P {\n  int8_t a[3]" + attribute +
                             ";\n  int8_t b[2] __attribute__((aligned(16)));\n} P" + end +
                             " = {\n  .a = {\n    1, 2, 3\n  },\n  .b = {\n    1, 2\n  },\n};\n";
    return unused_in(kernel_file(pool + kernel("f", "")));
  };
  EXPECT_EQ(bytes_of(" __attribute__((aligned(16)))", ""), "P 32 ");
  EXPECT_EQ(bytes_of(" __attribute__((aligned(64)))", ""), "P 64 ");
  EXPECT_EQ(bytes_of("", ""), "P 32 ");
  EXPECT_EQ(bytes_of(" __attribute__((packed, aligned(16)))", ""), "P 32 ");
  EXPECT_EQ(bytes_of("", " __attribute__((aligned(64)))"), "");
}

TEST(CConstants, AreRefusedWhereTheWholeModuleIs) {
  EXPECT_THROW(outline(kernel_file(array("a"))), support::Error);
  EXPECT_THROW(read_c_constants({}), support::Error);
}

}  // namespace
}  // namespace mlf::tir::c

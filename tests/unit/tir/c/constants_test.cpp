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

TEST(CConstants, AreRefusedWhereTheWholeModuleIs) {
  EXPECT_THROW(outline(kernel_file(array("a") + array("a") + kernel("f", ""))), support::Error);
  EXPECT_THROW(outline(kernel_file(array("a"))), support::Error);
  EXPECT_THROW(read_c_constants({}), support::Error);
}

}  // namespace
}  // namespace mlf::tir::c

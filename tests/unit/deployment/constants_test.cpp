// Constants that a text of TIR cuts or leaves out, found in the rest of the archive.
#include "deployment/constants.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "mlf/deployment.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "support/corpus_directory.h"
#include "tir/c/c.h"

namespace mlf {
namespace {

namespace fs = std::filesystem;
namespace f = tir::f;
using tir::Kind;
using tir::Node;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool has_loss(const tir::Document& document) {
  return std::ranges::find(document.losses, tir::LossCode::constant_data, &tir::Loss::code) !=
         document.losses.end();
}

// --- One constant ------------------------------------------------------------------------------

/// A function with a constant of int16: 1, 2, 3, zeros and `last`.
std::string c_of(std::string_view function, std::string_view name, std::size_t count, int last) {
  std::string text = "// tvm target: c -keys=cpu\n#include <stdint.h>\n";
  text += fmt::format(
      "static const int16_t __attribute__((section(\".rodata.tvm\"), aligned(16))) {}[{}] = {{\n",
      name, count);
  for (std::size_t i = 0; i < count; ++i) {
    text += i < 3 ? fmt::format("+0x{:04x}, ", i + 1)
                  : fmt::format("+0x{:04x}, ", i + 1 == count ? last : 0);
  }
  constexpr std::string_view kFunction =
      "\n}};\nTVM_DLL int32_t {0}(int16_t* p0, int16_t* out) {{\n"
      "  for (int32_t i = 0; i < {2}; ++i) {{\n"
      "    out[i] = (p0[i] + ((int16_t*){1})[i]);\n  }}\n  return 0;\n}}\n";
  return text + fmt::format(kFunction, function, name, count);
}

class OneConstant : public testing::Test {
 protected:
  void add_c(std::string text, std::string support = ";") {
    tir::CSources c;
    for (std::string* const one : {&support, &text}) {
      texts_.push_back(std::move(*one));
      c.files.push_back({.file = "m.tar",
                         .member = fmt::format("codegen/host/src/m_lib{}.c", c.files.size()),
                         .text = texts_.back()});
    }
    library_.add_module(std::make_shared<tir::Document>(tir::read_c_constants(c)), c.files);
  }

  std::optional<tir::FoundConstant> find(std::string_view name, std::size_t count,
                                         std::vector<std::int16_t> shown,
                                         std::string_view function = "f") {
    const std::int64_t extent = static_cast<std::int64_t>(count);
    return library_.find({.function = function,
                          .name = name,
                          .dtype = tir::DType::Int(16),
                          .shape = std::span(&extent, 1),
                          .elements = std::as_bytes(std::span(shown))});
  }

 private:
  std::deque<std::string> texts_;
  deployment::ConstantLibrary library_;
};

TEST_F(OneConstant, IsTakenFromTheGeneratedC) {
  add_c(c_of("f", "w", 4, 9));
  const auto found = find("w", 4, {1, 2, 3});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->source, "codegen/host/src/m_lib1.c");
  EXPECT_EQ(found->data.size(), 8u);
}

TEST_F(OneConstant, OfAPoolIsInTheFileOfThePool) {
  add_c(
      "// tvm target: c -keys=cpu\n#include <stdint.h>\n"
      "TVM_DLL int32_t f(int16_t* out, uint8_t* global_const_workspace_2_var) {\n"
      "  void* w_let = (&(global_const_workspace_2_var[0]));\n"
      "  out[0] = ((int16_t*)w_let)[0];\n  return 0;\n}\n",
      "#include \"tvm/runtime/c_runtime_api.h\"\nstatic const struct global_const_workspace {\n"
      "  int16_t w_let[2] __attribute__((aligned(16)));\n} global_const_workspace = {\n"
      "  .w_let = {\n    +0x0001, +0x0002\n  },\n};\n");
  const auto found = find("w_let", 2, {1, 2});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->source, "codegen/host/src/m_lib0.c");
}

TEST_F(OneConstant, MayHaveANumberThatMakesItsNameUnique) {
  add_c(c_of("f", "w", 4, 9));
  EXPECT_TRUE(find("w_2", 4, {}));
  EXPECT_FALSE(find("w_x", 4, {}));
  EXPECT_FALSE(find("v", 4, {}));
}

TEST_F(OneConstant, HasAsManyElementsAndThoseThatTheTextShows) {
  add_c(c_of("f", "w", 4, 9));
  EXPECT_FALSE(find("w", 5, {}));
  EXPECT_FALSE(find("w", 4, {1, 2, 4}));
}

TEST_F(OneConstant, IsLostWhereTwoWithOtherDataFit) {
  add_c(c_of("g", "w", 4, 9));
  add_c(c_of("h", "w", 4, 8));
  EXPECT_FALSE(find("w", 4, {1, 2, 3}));
}

TEST_F(OneConstant, IsThatOfItsFunction) {
  add_c(c_of("f", "w", 4, 9));
  add_c(c_of("h", "w", 4, 8));
  const auto found = find("w", 4, {1, 2, 3});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->data[6], std::byte{9});
}

TEST(LostConstants, OfFloatsAgreeWithTheDigitsThatAreShown) {
  constexpr std::array kWhole = {1.0F / 3, 2.5F};
  const auto agrees = [&](std::array<float, 2> shown) {
    return deployment::begins_with(std::as_bytes(std::span(kWhole)),
                                   {.function = "f",
                                    .name = "w",
                                    .dtype = tir::DType::Float(32),
                                    .shape = {},
                                    .elements = std::as_bytes(std::span(shown)),
                                    .digits = 6});
  };
  EXPECT_TRUE(agrees({0.333333F, 2.5F}));
  EXPECT_FALSE(agrees({0.333334F, 2.5F}));
}

// --- Whole archives ----------------------------------------------------------------------------

TEST(ArchiveConstants, AreWholeWhereTheTextHasNone) {
  const auto deployment = Deployment::open(MLF_TEST_DATA "/archives/tvm-0.9-qnn_conv-aot-c.tar");
  ASSERT_TRUE(deployment);
  const auto document = deployment->read_tir(deployment->tir_sources().at(0));
  ASSERT_TRUE(document);
  EXPECT_FALSE(document->recovered.empty());
  EXPECT_FALSE(has_loss(*document));
  EXPECT_TRUE(document->recovered.at(0).source.starts_with("codegen/host/src/"));
  std::string json;
  ASSERT_TRUE(tir::write_tir_json(*document, {}, [&](std::string_view text) { json += text; }));
  const auto back = tir::read({.file = "tir-1.json", .member = "", .text = json});
  ASSERT_TRUE(back);
  EXPECT_EQ(back->recovered.size(), document->recovered.size());
  EXPECT_EQ(back->recovered.at(0).source, document->recovered.at(0).source);
}

TEST_F(OneConstant, HasTheSameBytesWheneverItIsAskedFor) {
  add_c(c_of("f", "w", 4, 9));
  const auto first = find("w", 4, {1, 2, 3});
  const auto second = find("w", 4, {1, 2, 3});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->data.data(), second->data.data());
}

/// The constants of each function, in the order of its statements.
std::map<std::string, std::vector<Node>> constants_of(const tir::Document& document) {
  std::map<std::string, std::vector<Node>> constants;
  const tir::NodeMap functions = document.module.root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (!functions.value(i).is(Kind::PrimFunc)) continue;
    auto& list = constants[std::string(functions.key(i).text(f::GlobalVar::name_hint))];
    std::vector<Node> open{functions.value(i)[f::PrimFunc::body]};
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      if (node.is(Kind::AllocateConst)) list.push_back(node);
      std::vector<Node> below;
      tir::for_each_child(node, [&](Node child, const auto&) {
        if (child.category() == tir::Category::stmt) below.push_back(child);
      });
      open.insert(open.end(), below.rbegin(), below.rend());
    }
  }
  return constants;
}

struct Tally {
  std::size_t whole = 0;
  std::size_t recovered = 0;
  std::size_t lost = 0;
};

void add(Tally& sum, const Tally& more) {
  sum.whole += more.whole;
  sum.recovered += more.recovered;
  sum.lost += more.lost;
}

Tally show(const std::string& name, const Tally& tally) {
  if (std::getenv("MLF_SHOW_TABLES") != nullptr) {
    fmt::print("{:<80} {:>4} in the text {:>4} recovered {:>4} lost\n", name, tally.whole,
               tally.recovered, tally.lost);
  }
  return tally;
}

/// Compares every constant with what the compiler had.
Tally check(const std::string& name, const tir::Document& text, const tir::Document& truth) {
  Tally tally;
  const auto expected = constants_of(truth);
  for (const auto& [function, list] : constants_of(text)) {
    const auto& wanted = expected.at(function);
    EXPECT_EQ(list.size(), wanted.size()) << name << ": " << function;
    for (std::size_t i = 0; i < std::min(list.size(), wanted.size()); ++i) {
      const Node data = list[i][f::AllocateConst::data];
      if (!data) {
        ++tally.lost;
        continue;
      }
      const Node other = wanted[i][f::AllocateConst::data];
      EXPECT_TRUE(std::ranges::equal(*data.bytes(f::NDArray::data), *other.bytes(f::NDArray::data)))
          << name << ": " << function << ", constant " << i;
      const auto is_this = [&](const tir::Recovered& one) { return one.constant == data.id(); };
      ++(std::ranges::any_of(text.recovered, is_this) ? tally.recovered : tally.whole);
    }
  }
  EXPECT_EQ(tally.lost > 0, has_loss(text)) << name;
  return tally;
}

/// The constants of pools by name, each at its place.
std::map<std::string, Node> pool_constants(const tir::Document& document) {
  std::map<std::string, Node> constants;
  for (std::uint32_t id = 1; id < document.module.size(); ++id) {
    const Node node = document.module.node(static_cast<tir::NodeId>(id));
    if (!node.is(Kind::ConstantInfo)) continue;
    const Node offset = node[f::ConstantInfo::byte_offset];
    constants.emplace(fmt::format("{}@{}", node.text(f::ConstantInfo::name_hint),
                                  offset.integer(f::IntImm::value)),
                      node[f::ConstantInfo::data]);
  }
  return constants;
}

/// Compares every constant of a pool with what the compiler had.
Tally check_pools(const std::string& name, const tir::Document& text, const tir::Document& truth) {
  Tally tally;
  const auto expected = pool_constants(truth);
  for (const auto& [place, array] : pool_constants(text)) {
    if (!array.is(Kind::NDArray)) {
      ++tally.lost;
      continue;
    }
    const Node other = expected.at(place);
    EXPECT_EQ(array.dtype(f::NDArray::dtype), other.dtype(f::NDArray::dtype)) << name << place;
    EXPECT_TRUE(std::ranges::equal(*array.bytes(f::NDArray::data), *other.bytes(f::NDArray::data)))
        << name << ": " << place;
    const bool is_recovered = std::ranges::find(text.recovered, array.id(),
                                                &tir::Recovered::constant) != text.recovered.end();
    ++(is_recovered ? tally.recovered : tally.whole);
  }
  return tally;
}

struct Capture {
  fs::path archive;
  fs::path truth;  // save_json of the same module
  std::string stem;
};

std::vector<Capture> captures() {
  std::vector<Capture> found;
  for (const auto& entry : fs::recursive_directory_iterator(test::corpus_directory())) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("save-") || !fs::exists(entry.path().parent_path() / "module.tar"))
      continue;
    const std::string stem = "tir-" + name.substr(5, name.size() - 10);
    found.push_back({entry.path().parent_path() / "module.tar", entry.path(), stem});
  }
  std::ranges::sort(found, {}, &Capture::truth);
  return found;
}

/// The archive's text and, beside it, the module as old TVMScript where TVM printed it.
std::vector<TirFile> scripts_beside(const Capture& capture) {
  const fs::path script =
      capture.truth.parent_path() / ("script-" + capture.stem.substr(4) + ".py");
  if (!fs::exists(script)) return {};
  return {{script, contents(script)}};
}

TEST(ArchiveConstants, OfTheCorpusAreThoseOfTheCompilerOrLost) {
  const auto all = captures();
  Tally sum;
  Tally pools;
  for (const Capture& capture : all) {
    const std::string json = contents(capture.truth);
    const auto truth = tir::read({.file = capture.truth, .member = "", .text = json});
    ASSERT_TRUE(truth) << capture.truth;
    const auto deployment =
        Deployment::open(capture.archive, {.tir_files = scripts_beside(capture)});
    ASSERT_TRUE(deployment) << capture.archive;
    for (const TirSource& source : deployment->tir_sources()) {
      if (source.c || (source.member != nullptr && source.stem != capture.stem)) continue;
      const auto document = deployment->read_tir(source);
      ASSERT_TRUE(document) << to_string(document.error());
      const std::string name = capture.archive.parent_path().string() + " " + source.name;
      add(sum, show(name, check(name, *document, *truth)));
      add(pools, show(name + " (pools)", check_pools(name, *document, *truth)));
    }
  }
  show("constants that functions allocate", sum);
  show("constants of pools", pools);
  EXPECT_GT(sum.recovered, 0u);
  EXPECT_GT(pools.recovered, 0u);
}

}  // namespace
}  // namespace mlf

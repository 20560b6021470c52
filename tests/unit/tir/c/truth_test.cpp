// Real archives: generated C says the same as the TIR that was captured while it was generated, but
// for what its losses name.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "archives.h"
#include "mlf/tir/visit.h"
#include "normalization_rules.h"
#include "reading.h"
#include "support/corpus_directory.h"
#include "support/error.h"
#include "tir/compare/compare.h"
#include "tir/node_queries.h"
#include "tir/reader.h"
#include "unit/tir/compare/corpus.h"

namespace mlf::tir::c {
namespace {

// --- What is equal -----------------------------------------------------------------------------

void expect_equal(const std::string& name, const Comparison& result) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t i = 0; i < result.differences.size() && i < kShown; ++i) {
    text += "\n  " + to_string(result.differences[i]);
  }
  EXPECT_TRUE(result.equal()) << name << ": " << result.differences.size() << " differences"
                              << text;
}

/// Losses that not every C has are named where the normal form of captured TIR has them.
void expect_named(const std::string& name, const Module& captured,
                  const std::vector<Loss>& losses) {
  std::set<LossCode> wanted;
  for_each_pre_order(captured.root(), [&](Node node) {
    if (node.is(Kind::FloatImm)) {
      const double value = node.real(f::FloatImm::value);
      if (std::stod(fmt::format("{:.6e}", value)) != value) wanted.insert(LossCode::float_digits);
    }
    if (!node.is(Kind::Evaluate)) return;
    const Node call = node[f::Evaluate::value];
    const bool is_external = is_call_of(call, "tir.call_extern");
    if (is_external && call.dtype() != DType::Int(32)) wanted.insert(LossCode::call_dtype);
  });
  for (const LossCode code : wanted) {
    const bool is_named = std::ranges::find(losses, code, &Loss::code) != losses.end();
    EXPECT_TRUE(is_named) << name << ": not among its losses: " << info(code).code;
  }
}

/// All other losses that it may have are those of every C.
TEST(CArchives, MayLoseTwoThingsThatNotEveryCLoses) {
  std::set<LossCode> of_dialect;
  LossLog log;
  log.add_all(Dialect::c);
  for (const Loss& loss : log.finish()) of_dialect.insert(loss.code);
  std::set<LossCode> others;
  for (const NormalizationRule& row : kNormalizationRules) {
    if (!of_dialect.contains(row.loss)) others.insert(row.loss);
  }
  EXPECT_EQ(others, (std::set{LossCode::float_digits, LossCode::call_dtype}));
}

// --- Constants ---------------------------------------------------------------------------------

struct Data {
  std::string place;
  DType dtype;
  std::size_t size = 0;
  std::span<const std::byte> bytes;
};

/// Constants that a function allocates or that lie in its pools, in the order of the normal form.
std::vector<Data> constants_of(const Module& module) {
  std::vector<Data> found;
  std::string function;
  const auto add = [&](const std::string& place, Node data) {
    const auto bytes = data ? data.bytes(f::NDArray::data) : std::nullopt;
    if (!bytes) {
      ADD_FAILURE() << place << " has no data";
      return;
    }
    found.push_back({place, data.dtype(f::NDArray::dtype), bytes->size(), *bytes});
  };
  const NodeMap functions = module.root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const std::string name(functions.key(i).text(f::GlobalVar::name_hint));
    for_each_pre_order(functions.value(i), [&](Node node) {
      if (node.is(Kind::AllocateConst)) add(name, node[f::AllocateConst::data]);
      if (node.is(Kind::ConstantInfo)) add(name, node[f::ConstantInfo::data]);
    });
  }
  return found;
}

struct Constants {
  std::size_t count = 0;
  std::size_t bytes = 0;
};

void compare_constants(const std::string& name, const Module& captured, const Module& read,
                       Constants& total) {
  const std::vector<Data> left = constants_of(captured);
  const std::vector<Data> right = constants_of(read);
  ASSERT_EQ(left.size(), right.size()) << name;
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].place, right[i].place) << name;
    EXPECT_EQ(left[i].dtype, right[i].dtype) << name << " " << left[i].place;
    EXPECT_TRUE(std::ranges::equal(left[i].bytes, right[i].bytes))
        << name << ": constant " << i << " of " << left[i].place;
    ++total.count;
    total.bytes += left[i].size;
  }
}

// --- Shapes ------------------------------------------------------------------------------------

struct Shapes {
  std::size_t equal = 0;
  std::size_t all = 0;
};

std::string shape_text(Node buffer) {
  std::string text;
  for (const Node dim : buffer.list(f::Buffer::shape)) text += spell(dim) + ",";
  return text;
}

Node buffer_of(Node function, Node param) {
  const NodeMap buffers = function.map(f::PrimFunc::buffer_map);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers.key(i) == param) return buffers.value(i);
  }
  return {};
}

/// How many parameters of a captured function have their very shape in C.
void count_shapes(Node captured, Node read, Shapes& shapes) {
  const NodeList left = captured.list(f::PrimFunc::params);
  const NodeList right = read.list(f::PrimFunc::params);
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const Node stated = buffer_of(captured, left[i]);
    const Node known = buffer_of(read, right[i]);
    if (!stated || !known) continue;
    ++shapes.all;
    if (shape_text(stated) == shape_text(known)) ++shapes.equal;
  }
}

void count_shapes(const Module& captured, const Module& read, Shapes& shapes) {
  const NodeMap left = captured.root().map(f::IRModule::functions);
  const NodeMap right = read.root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t k = 0; k < right.size(); ++k) {
      if (left.key(i).text(f::GlobalVar::name_hint) != right.key(k).text(f::GlobalVar::name_hint)) {
        continue;
      }
      count_shapes(left.value(i), right.value(k), shapes);
    }
  }
}

// --- All archives ------------------------------------------------------------------------------

struct Truth {
  std::size_t modules = 0;
  std::size_t functions = 0;
  std::size_t nodes = 0;
  std::size_t differences = 0;
  Constants constants;
  Shapes packed;
  Shapes unpacked;

  void add(const std::string& name, const Comparison& result);
  void print() const;
};

void Truth::add(const std::string& name, const Comparison& result) {
  ++modules;
  functions += result.functions;
  nodes += result.nodes;
  differences += result.differences.size();
  if (!shows_tables()) return;
  std::printf("%-52s %3zu functions %6zu nodes %3zu differences\n", name.c_str(), result.functions,
              result.nodes, result.differences.size());
}

void Truth::print() const {
  std::printf("%zu modules, %zu functions, %zu nodes, %zu differences\n", modules, functions, nodes,
              differences);
  std::printf("%zu constants of %zu bytes\n", constants.count, constants.bytes);
  std::printf("shapes of parameters as captured: %zu of %zu packed, %zu of %zu unpacked\n",
              packed.equal, packed.all, unpacked.equal, unpacked.all);
}

void compare_pair(const Pair& pair, Truth& truth) {
  const auto captured = corpus::read_or_fail(pair.name, pair.json);
  const auto read = support::to_result([&] { return read_c(pair.sources()); });
  ASSERT_TRUE(captured && read) << pair.name;
  const VersionRange& version = read->source.tvm_version;
  const Module left = c_normal_form(captured->module, version);
  const Module right = c_normal_form(read->module, version);
  const Comparison result = compare(left, right);
  expect_equal(pair.name, result);
  truth.add(pair.name, result);
  expect_named(pair.name, captured->module, read->losses);
  compare_constants(pair.name, left, right, truth.constants);
  const bool is_packed = pair.name.find("packed") != std::string::npos;
  count_shapes(captured->module, read->module, is_packed ? truth.packed : truth.unpacked);
}

Truth compare_all(const std::filesystem::path& root) {
  Truth truth;
  for (const Pair& pair : pairs(root)) compare_pair(pair, truth);
  truth.print();
  // Calls of the packed convention say every shape.
  EXPECT_EQ(truth.packed.equal, truth.packed.all);
  return truth;
}

TEST(CArchives, OfTheTestsSayTheSameAsTheCapturedTir) {
  const Truth truth = compare_all(MLF_TEST_DATA "/c");
  EXPECT_GE(truth.functions, 15u);
  EXPECT_GE(truth.constants.count, 5u);
}

TEST(CArchives, OfTheCorpusSayTheSameAsTheCapturedTir) {
  const Truth truth = compare_all(test::corpus_directory());
  EXPECT_GT(truth.functions, test::of_corpus(600, 50));
  EXPECT_GT(truth.constants.count, test::of_corpus(300, 100));
}

}  // namespace
}  // namespace mlf::tir::c

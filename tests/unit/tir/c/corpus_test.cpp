// Real archives: every function of every C file is read, and says the same as the TIR that was
// captured while it was generated.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "mlf/archive.h"
#include "mlf/tir/compare.h"
#include "mlf/tir/write.h"
#include "reading.h"
#include "unit/tir/compare/corpus.h"

namespace mlf::tir::c {
namespace {

namespace fs = std::filesystem;

struct SourceFile {
  std::string name;
  std::string text;
};

bool shows_tables() {
  return std::getenv("MLF_SHOW_TABLES") != nullptr;
}

std::vector<fs::path> archives(const fs::path& root) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().filename() == "module.tar") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<SourceFile> c_files(const fs::path& tar) {
  const auto archive = archive::Archive::open(tar.string());
  if (!archive) throw std::runtime_error(to_string(archive.error().front()));
  std::vector<SourceFile> files;
  for (const archive::Member& member : archive->members()) {
    if (!member.name.ends_with(".c")) continue;
    files.push_back({member.name, std::string(*archive->read(member))});
  }
  return files;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Module `m` of `m_lib0.c`; an operator archive has only `lib0.c`.
std::string module_of(const SourceFile& file) {
  const std::string_view name = base_name(file.name);
  const std::size_t end = name.rfind("_lib");
  return end == name.npos ? std::string() : std::string(name.substr(0, end));
}

/// Files with functions for this target, and those that have none.
CSources sources_for(const std::vector<SourceFile>& files, std::string_view module,
                     std::string_view target_kind) {
  CSources sources;
  for (const SourceFile& file : files) {
    if (module_of(file) != module) continue;
    const CFile described = describe_c(file.text);
    const std::string kind = described.target.substr(0, described.target.find(' '));
    if (!described.functions.empty() && kind != target_kind) continue;
    sources.files.push_back({{}, file.name, file.text, "codegen"});
  }
  return sources;
}

std::set<std::string> target_kinds(const std::vector<SourceFile>& files) {
  std::set<std::string> kinds;
  for (const SourceFile& file : files) {
    const CFile described = describe_c(file.text);
    if (described.functions.empty()) continue;
    kinds.insert(described.target.substr(0, described.target.find(' ')));
  }
  return kinds;
}

std::set<std::string> modules(const std::vector<SourceFile>& files) {
  std::set<std::string> names;
  for (const SourceFile& file : files) names.insert(module_of(file));
  return names;
}

struct Totals {
  std::size_t modules = 0;
  std::size_t functions = 0;
  std::size_t opaque = 0;
};

std::string json_of(const Document& document) {
  std::string json;
  const auto files = write_tir_json(document, {}, [&](std::string_view part) { json += part; });
  return files ? json : to_string(files.error().front());
}

/// What was read is a whole module: tir-N.json takes it and gives it back.
void expect_writable(const std::string& name, const Document& document) {
  const std::string json = json_of(document);
  const auto again = read({"tir.json", {}, json});
  ASSERT_TRUE(again) << name << ": " << to_string(again.error().front());
  EXPECT_TRUE(json_of(*again) == json) << name;
}

void count(const std::string& name, const Document& document, Totals& totals) {
  expect_writable(name, document);
  ++totals.modules;
  totals.functions += document.module.root().map(f::IRModule::functions).size();
  for (const Loss& loss : document.losses) {
    if (loss.code != LossCode::unknown_construct) continue;
    ++totals.opaque;
    if (shows_tables()) {
      std::printf("%s %s: %s\n", name.c_str(), loss.where.c_str(), loss.detail.c_str());
    }
  }
}

Totals read_all(const fs::path& root) {
  Totals totals;
  for (const fs::path& tar : archives(root)) {
    const std::vector<SourceFile> files = c_files(tar);
    for (const std::string& module : modules(files)) {
      for (const std::string& kind : target_kinds(files)) {
        const auto document = read_c(sources_for(files, module, kind));
        const std::string name = tar.parent_path().string() + " " + module + " " + kind;
        if (!document) throw std::runtime_error(to_string(document.error().front()));
        count(name, *document, totals);
      }
    }
  }
  std::printf("%zu modules, %zu functions, %zu opaque\n", totals.modules, totals.functions,
              totals.opaque);
  return totals;
}

TEST(CArchives, OfTheTestsAreReadWhole) {
  const Totals totals = read_all(MLF_TEST_DATA "/c");
  EXPECT_GE(totals.functions, 15u);
  EXPECT_EQ(totals.opaque, 0u);
}

TEST(CArchives, OfTheCorpusAreReadWhole) {
  if (!corpus::is_present()) GTEST_SKIP() << "no corpus beside the checkout";
  const Totals totals = read_all(MLF_CORPUS);
  EXPECT_GT(totals.functions, 700u);
  EXPECT_EQ(totals.opaque, 0u);
}

// --- Truth -------------------------------------------------------------------------------------

/// The captured module and the C of one target of one archive.
struct Pair {
  std::string name;
  std::string json;
  std::vector<SourceFile> files;
  std::string module;
  std::string target_kind;
};

/// The `m` of the first `tvmgen_m_` in a captured module, for archives of several.
std::string captured_module(const Pair& pair) {
  for (const std::string& module : modules(pair.files)) {
    if (pair.json.find("tvmgen_" + module + "_") != std::string::npos) return module;
  }
  return module_of(pair.files.front());
}

std::string target_kind(const fs::path& folder, const std::string& part) {
  std::string target = corpus::contents(folder / ("target-" + part + ".txt"));
  if (target.empty()) target = corpus::contents(folder / "target.txt");
  return target.substr(0, target.find_first_of(" \n"));
}

std::vector<Pair> pairs(const fs::path& root) {
  std::vector<Pair> found;
  for (const fs::path& json : corpus::save_json_files(root)) {
    const fs::path folder = json.parent_path();
    const std::string name = json.stem().string();
    if (!fs::exists(folder / "module.tar") || !name.starts_with("save-")) continue;
    Pair pair{.name = fs::relative(json, root).string(),
              .json = corpus::contents(json),
              .files = c_files(folder / "module.tar"),
              .module = {},
              .target_kind = target_kind(folder, name.substr(5))};
    pair.module = captured_module(pair);
    found.push_back(std::move(pair));
  }
  return found;
}

void expect_equal(const std::string& name, const Comparison& result) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t i = 0; i < result.differences.size() && i < kShown; ++i) {
    text += "\n  " + to_string(result.differences[i]);
  }
  EXPECT_TRUE(result.equal()) << name << ": " << result.differences.size() << " differences"
                              << text;
}

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

struct Truth {
  std::size_t modules = 0;
  std::size_t functions = 0;
  std::size_t nodes = 0;
  std::size_t differences = 0;
  Shapes packed;
  Shapes unpacked;
};

void compare_pair(const Pair& pair, Truth& truth) {
  const auto captured = corpus::read_or_fail(pair.name, pair.json);
  const auto read = read_c(sources_for(pair.files, pair.module, pair.target_kind));
  ASSERT_TRUE(captured && read) << pair.name;
  const VersionRange& version = read->source.tvm_version;
  const Comparison result =
      compare(c_normal_form(captured->module, version), c_normal_form(read->module, version));
  expect_equal(pair.name, result);
  ++truth.modules;
  truth.functions += result.functions;
  truth.nodes += result.nodes;
  truth.differences += result.differences.size();
  const bool is_packed = pair.name.find("packed") != std::string::npos;
  count_shapes(captured->module, read->module, is_packed ? truth.packed : truth.unpacked);
  if (!shows_tables()) return;
  std::printf("%-44s 0.%-2u-0.%-2u %3zu functions %6zu nodes %3zu differences\n", pair.name.c_str(),
              version.first, version.last, result.functions, result.nodes,
              result.differences.size());
}

Truth compare_all(const fs::path& root) {
  Truth truth;
  for (const Pair& pair : pairs(root)) compare_pair(pair, truth);
  std::printf("%zu modules, %zu functions, %zu nodes, %zu differences\n", truth.modules,
              truth.functions, truth.nodes, truth.differences);
  std::printf("shapes of parameters as captured: %zu of %zu packed, %zu of %zu unpacked\n",
              truth.packed.equal, truth.packed.all, truth.unpacked.equal, truth.unpacked.all);
  // Calls of the packed convention say every shape.
  EXPECT_EQ(truth.packed.equal, truth.packed.all);
  return truth;
}

TEST(CArchives, OfTheTestsSayTheSameAsTheCapturedTir) {
  EXPECT_GE(compare_all(MLF_TEST_DATA "/c").functions, 15u);
}

TEST(CArchives, OfTheCorpusSayTheSameAsTheCapturedTir) {
  if (!corpus::is_present()) GTEST_SKIP() << "no corpus beside the checkout";
  EXPECT_GT(compare_all(MLF_CORPUS).functions, 600u);
}

}  // namespace
}  // namespace mlf::tir::c

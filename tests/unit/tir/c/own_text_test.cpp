// The proof of reader and writer without TVM: what the reader makes of an archive's C is printed
// again, and every function has the archive's own tokens.
#include <cstdio>
#include <filesystem>
#include <set>

#include "archives.h"
#include "reading.h"
#include "support/corpus_directory.h"
#include "support/error.h"
#include "tir/compare/compare.h"
#include "tokens_of.h"
#include "unit/tir/compare/corpus.h"

namespace mlf::tir::c {
namespace {

namespace fs = std::filesystem;

struct Share {
  std::size_t equal = 0;
  std::size_t all = 0;
};

/// The functions with TIR of the files that `document` was read from.
Functions printed_functions(const CSources& sources) {
  Functions all;
  for (const Input& input : sources.files) {
    const CFile described = describe_c(input.text);
    Functions functions = functions_of(input.text);
    for (const std::string& name : described.functions) all[name] = std::move(functions[name]);
  }
  return all;
}

void show_difference(const std::string& name, const Tokens& archive, const Tokens& written) {
  const auto [left, right] = std::ranges::mismatch(archive, written);
  const auto excerpt = [](const Tokens& tokens, Tokens::const_iterator at) {
    std::string text;
    for (int i = 0; i < 12 && at != tokens.end(); ++i, ++at) text += " " + *at;
    return text;
  };
  ADD_FAILURE() << name << ": token " << left - archive.begin()
                << "\n  archive:" << excerpt(archive, left)
                << "\n  written:" << excerpt(written, right);
}

Node buffer_of(const NodeMap& map, Node param) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map.key(i) == param) return map.value(i);
  }
  return {};
}

CTensor type_of(Node buffer) {
  CTensor type{buffer.dtype(f::Buffer::dtype), {}};
  for (const Node dim : buffer.list(f::Buffer::shape)) {
    type.shape.push_back(dim.integer(f::IntImm::value));
  }
  return type;
}

/// The types of parameters, which an archive states in other files as well.
std::vector<CSignature> signatures_of(const Document& document) {
  std::vector<CSignature> signatures;
  const NodeMap functions = document.module.root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const Node function = functions.value(i);
    const Node attrs = function[f::PrimFunc::attrs];
    CSignature signature{
        .function =
            std::string(attrs.map(f::DictAttrs::dict).find("global_symbol").text(f::String::value)),
        .params = {}};
    const NodeMap buffers = function.map(f::PrimFunc::buffer_map);
    const NodeMap shaped = function.map(f::PrimFunc::preflattened_buffer_map);
    for (const Node param : function.list(f::PrimFunc::params)) {
      CTensor& tensor = signature.params.emplace_back();
      for (const NodeMap& map : {buffers, shaped}) {
        const Node buffer = buffer_of(map, param);
        // What is flat follows from its use.
        if (buffer && buffer.list(f::Buffer::shape).size() != 1) tensor = type_of(buffer);
      }
    }
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

/// What was printed is read as the same module: constants, pools and buffers too.
void expect_same_module(const std::string& name, const Document& document,
                        const std::string& text) {
  CSources sources;
  sources.files.push_back({{}, "lib.c", text, "codegen"});
  sources.signatures = signatures_of(document);
  const auto again = support::to_result([&] { return read_c(sources); });
  ASSERT_TRUE(again) << name << ": " << to_string(again.error());
  const Comparison result = compare(document.module, again->module);
  EXPECT_TRUE(result.equal()) << name << ": " << to_string(result.differences.front());
}

/// The structs of constants in a file, with their data, as they are printed.
std::set<std::string> constant_pools(std::string_view text) {
  constexpr std::string_view kBegin = "__attribute__((section(\".rodata.tvm\"), ))\n";
  constexpr std::string_view kEnd = "};// of total size ";
  std::set<std::string> pools;
  for (std::size_t at = text.find(kBegin); at != text.npos; at = text.find(kBegin, at + 1)) {
    pools.emplace(text.substr(at, text.find('\n', text.find(kEnd, at)) - at));
  }
  return pools;
}

void expect_same_pools(const std::string& name, const CSources& sources, const std::string& text) {
  std::set<std::string> archive;
  for (const Input& file : sources.files) archive.merge(constant_pools(file.text));
  EXPECT_TRUE(constant_pools(text) == archive) << name << ": the pools of constants differ";
}

void compare_functions(const std::string& name, const CSources& sources, Share& share) {
  const Functions archive = printed_functions(sources);
  share.all += archive.size();
  const auto document = support::to_result([&] { return read_c(sources); });
  ASSERT_TRUE(document) << name << ": " << to_string(document.error());
  const std::string text = written(*document);
  expect_same_module(name, *document, text);
  expect_same_pools(name, sources, text);
  const Functions again = functions_of(text);
  for (const auto& [function, tokens] : archive) {
    const auto found = again.find(function);
    const Tokens nothing;
    const Tokens& own = found == again.end() ? nothing : found->second;
    if (own == tokens) {
      ++share.equal;
    } else {
      show_difference(name + " " + function, tokens, own);
    }
  }
}

Share share_of(const fs::path& tar) {
  Share share;
  const std::vector<SourceFile> files = c_files(tar);
  for (const std::string& module : modules(files)) {
    for (const std::string& kind : target_kinds(files)) {
      const CSources sources = sources_for(files, module, kind);
      compare_functions(tar.string() + " " + module + " " + kind, sources, share);
    }
  }
  if (shows_tables() || share.equal != share.all) {
    std::printf("%s: %zu of %zu functions\n", tar.c_str(), share.equal, share.all);
  }
  return share;
}

Share share_of(const std::vector<fs::path>& tars) {
  Share total;
  for (const fs::path& tar : tars) {
    const Share share = share_of(tar);
    total.equal += share.equal;
    total.all += share.all;
  }
  std::printf("%zu of %zu functions are printed token for token\n", total.equal, total.all);
  return total;
}

TEST(COwnText, OfTheTestsIsPrintedTokenForToken) {
  std::vector<fs::path> tars = archives(MLF_TEST_DATA "/c");
  for (const auto& entry : fs::directory_iterator(MLF_TEST_DATA "/archives")) {
    if (entry.path().extension() == ".tar") tars.push_back(entry.path());
  }
  const Share share = share_of(tars);
  EXPECT_GE(share.all, 20u);
  EXPECT_EQ(share.equal, share.all);
}

TEST(COwnText, OfTheCorpusIsPrintedTokenForToken) {
  const Share share = share_of(archives(test::corpus_directory()));
  EXPECT_GT(share.all, test::of_corpus(700, 70));
  EXPECT_EQ(share.equal, share.all);
}

}  // namespace
}  // namespace mlf::tir::c

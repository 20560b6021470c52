// Pairs of one module in two forms, from the corpus and from tests/data.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "mlf/tir/document.h"

namespace mlf::tir::corpus {

/// A module as save_json has it, and the same as text.
struct TextPair {
  std::string name;  ///< "tvm-0.9/add-aot-c: src/tir-1.txt"
  std::string text;
  std::string json;
};

std::string contents(const std::filesystem::path& path);

/// All save_json files, sorted.
std::vector<std::filesystem::path> save_json_files(const std::filesystem::path& root);

/// Every text of a dialect that mlf reads beside its save_json: members `src/tir-*.txt` of
/// module.tar, script-*.py, and kinds/*.
std::vector<TextPair> text_pairs(const std::filesystem::path& root);

/// Reads a module; a failure ends the test with its message.
std::optional<Document> read_or_fail(const std::string& name, const std::string& text);

}  // namespace mlf::tir::corpus

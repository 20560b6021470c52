// Texts that TVM printed, each beside save_json of the same module.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "reading.h"
#include "unit/tir/compare/text_tolerance.h"

namespace mlf::tir::text {

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> pair_names(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

/// Whether a text says what the compiler had, and every tolerated difference is among its losses.
inline void expect_what_was_saved(const std::filesystem::path& directory, const std::string& name,
                                  Dialect dialect) {
  const std::string text = contents(directory / (name + ".txt"));
  const std::string json = contents(directory / (name + ".json"));
  const Document printed = read_text(text);
  const Document saved = read_text(json);
  ASSERT_EQ(printed.source.dialect, dialect);
  const TextComparison result = compare(saved.module, printed.module, TextTolerance::of(dialect));
  for (const Difference& difference : result.differences) ADD_FAILURE() << to_string(difference);
  std::set<LossCode> unlisted;
  for (const Tolerated& tolerated : result.tolerated) {
    if (!lost(printed, tolerated.loss)) unlisted.insert(tolerated.loss);
  }
  for (const LossCode loss : unlisted) ADD_FAILURE() << info(loss).code << " is not listed";
}

}  // namespace mlf::tir::text

// Reads and writes modules in tests, through the public API.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "mlf/tir/write.h"
#include "unit/tir/compare/text_tolerance.h"

namespace mlf::tir::write_test {

inline Document read_text(std::string_view text) {
  auto document = read({.file = "test", .member = "", .text = text});
  if (!document) throw std::runtime_error(to_string(document.error()));
  return *std::move(document);
}

/// What a writer gives, or the message of its error.
template <class Write>
std::string collect(Write&& write) {
  std::string text;
  const auto result = write([&](std::string_view bytes) { text += bytes; });
  return result ? text : to_string(result.error());
}

inline std::string save_json_of(const Document& document) {
  return collect([&](const Sink& sink) { return write_save_json(document, sink); });
}
inline std::string tir_json_of(const Document& document) {
  return collect(
      [&](const Sink& sink) { return write_tir_json(document, {}, sink).map([](const auto&) {}); });
}
inline std::string script_of(const Document& document) {
  return collect([&](const Sink& sink) { return write_tvmscript(document, {}, sink); });
}

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void expect_same(const Module& left, const Module& right,
                        const TextTolerance& tolerance = TextTolerance::none()) {
  const Comparison result = compare(left, right, tolerance);
  for (const Difference& difference : result.differences) ADD_FAILURE() << to_string(difference);
  EXPECT_GT(result.nodes, 0u);
}

}  // namespace mlf::tir::write_test

#include "tir/save_json/json_output.h"

#include <fmt/core.h>

#include <charconv>

namespace mlf::tir::save_json {
namespace {

// Sinks write to files or hashes: blocks keep their calls few.
constexpr std::size_t kBlock = 1u << 16;
constexpr std::size_t kMostOnOneLine = 10;

// What dmlc-core's JSONWriter escapes, and nothing else: other control characters go out as they
// are, as TVM writes and reads them.
std::string_view escaped(char c) {
  switch (c) {
    case '\r':
      return "\\r";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\\':
      return "\\\\";
    default:
      return "\\\"";
  }
}

}  // namespace

void JsonOutput::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() < kBlock) return;
  sink_(buffer_);
  buffer_.clear();
}

void JsonOutput::write_quoted(std::string_view text) {
  write("\"");
  while (!text.empty()) {
    const std::size_t special = text.find_first_of("\r\n\t\\\"");
    write(text.substr(0, special));
    if (special == std::string_view::npos) break;
    write(escaped(text[special]));
    text.remove_prefix(special + 1);
  }
  write("\"");
}

void JsonOutput::write_number(std::uint64_t number) {
  char digits[20];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  static_cast<void>(error);  // it fits
  write({digits, static_cast<std::size_t>(end - digits)});
}

// dmlc-core puts arrays of up to ten plain numbers on one line.
void JsonOutput::write_numbers(std::span<const std::uint32_t> numbers, std::size_t indent) {
  const bool on_one_line = numbers.size() <= kMostOnOneLine;
  const auto break_line = [&](std::size_t spaces) {
    if (!on_one_line) write(fmt::format("\n{:{}}", "", spaces));
  };
  write("[");
  break_line(indent + 2);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) write(on_one_line ? ", " : ",");
    if (i > 0) break_line(indent + 2);
    write_number(numbers[i]);
  }
  break_line(indent);
  write("]");
}

void JsonOutput::finish() {
  if (!buffer_.empty()) sink_(buffer_);
  buffer_.clear();
}

}  // namespace mlf::tir::save_json

#include "report/code_lines.h"

#include <algorithm>
#include <charconv>

#include "deployment/member_text.h"
#include "mlf/tir/c.h"

namespace mlf::report {
namespace {

constexpr std::string_view kConstantInfo = "struct TVMConstantInfo ";
constexpr std::string_view kOffsetComment = "UL /* byte_offset*/, ";

/// The length that stands behind the offset of each entry, where it is a number.
std::uint64_t length_after(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
  std::uint64_t length = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), length);
  return length;
}

std::uint64_t copies_in(std::string_view text) {
  std::uint64_t bytes = 0;
  std::size_t at = text.find(kConstantInfo);
  while (at != text.npos) {
    at = text.find(kOffsetComment, at);
    if (at == text.npos) break;
    at += kOffsetComment.size();
    // C ends the string with a zero of its own.
    bytes += length_after(text, at) + 1;
  }
  return bytes;
}

}  // namespace

LineTable::LineTable(std::string_view text) : starts_{0} {
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
    starts_.push_back(static_cast<std::uint32_t>(at + 1));
  }
}

std::uint32_t LineTable::line_of(std::uint32_t offset) const {
  const auto next = std::ranges::upper_bound(starts_, offset);
  return static_cast<std::uint32_t>(next - starts_.begin());
}

std::map<std::string, CodeLines, std::less<>> c_functions(const archive::Archive& archive,
                                                          const Module& module) {
  std::map<std::string, CodeLines, std::less<>> functions;
  for (const FileRef& file : module.files.sources) {
    const std::string_view text = deployment::member_text(archive, file);
    const LineTable lines(text);
    for (const tir::CDefinition& definition : tir::describe_c(text).definitions) {
      const tir::SourceRange range = definition.range;
      functions.try_emplace(definition.symbol,
                            CodeLines{file.name, lines.line_of(range.begin),
                                      lines.line_of(range.end > 0 ? range.end - 1 : 0)});
    }
  }
  return functions;
}

std::uint64_t copied_constants(const archive::Archive& archive, const Module& module) {
  std::uint64_t bytes = 0;
  for (const FileRef& file : module.files.sources) {
    bytes += copies_in(deployment::member_text(archive, file));
  }
  return bytes;
}

}  // namespace mlf::report

#include "optimize/metadata_copies.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "tir/save_json/layout.h"

namespace mlf::optimize {
namespace {

using tir::SourceRange;

constexpr std::string_view kBehindName = "\" /* name_hint*/, \n";
constexpr std::string_view kBehindOffset = "UL /* byte_offset*/, \n";
constexpr std::string_view kBehindLength = ", \n\"";
constexpr std::string_view kEscape = "\\x";
constexpr std::size_t kEscapeLength = 4;

/// The number at `begin`, if `behind` follows its digits.
std::optional<std::uint64_t> number_before(std::string_view text, std::size_t begin,
                                           std::string_view behind, SourceRange& range) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  range = edit::at(begin, static_cast<std::size_t>(end - text.data()));
  const bool is_number = error == std::errc() && text.substr(range.end).starts_with(behind);
  return is_number ? std::optional(value) : std::nullopt;
}

/// The entry whose name ends at `quote`.
std::optional<MetadataCopy> copy_at(std::string_view text, std::size_t quote) {
  const std::size_t open = quote == 0 ? text.npos : text.rfind('"', quote - 1);
  if (open == text.npos) return std::nullopt;
  MetadataCopy copy;
  copy.name = text.substr(open + 1, quote - open - 1);
  const auto offset =
      number_before(text, quote + kBehindName.size(), kBehindOffset, copy.offset_text);
  if (!offset) return std::nullopt;
  copy.offset = *offset;
  const auto length = number_before(text, copy.offset_text.end + kBehindOffset.size(),
                                    kBehindLength, copy.length_text);
  const std::size_t begin = copy.length_text.end + kBehindLength.size();
  if (!length || *length > (text.size() - begin) / kEscapeLength) return std::nullopt;
  copy.data_text = edit::at(begin, begin + *length * kEscapeLength);
  return text.substr(copy.data_text.end).starts_with('"') ? std::optional(copy) : std::nullopt;
}

std::optional<std::vector<std::byte>> unescaped(std::string_view text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += kEscapeLength) {
    std::uint8_t value = 0;
    const char* const digits = text.data() + i + kEscape.size();
    const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
    const bool is_escape =
        text.substr(i).starts_with(kEscape) && error == std::errc() && end == digits + 2;
    if (!is_escape) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

std::string escaped(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(bytes.size() * kEscapeLength);
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<std::size_t>(byte);
    text += kEscape;
    text += kDigits[value / kDigits.size()];
    text += kDigits[value % kDigits.size()];
  }
  return text;
}

/// The NDArray of the entry, if it has the type and data of the constant.
std::optional<tir::save_json::Tensor> exact_copy(const MetadataCopy& copy, std::string_view text,
                                                 const CConstant& constant) {
  auto bytes = unescaped(edit::text_in(text, copy.data_text));
  if (!bytes) return std::nullopt;
  auto tensor = tir::save_json::tensor_of(*std::move(bytes));
  const bool is_it =
      tensor && tensor->dtype == constant.dtype && std::ranges::equal(tensor->data, constant.data);
  return is_it ? std::optional(*std::move(tensor)) : std::nullopt;
}

}  // namespace

std::vector<MetadataCopy> metadata_copies(std::string_view text) {
  std::vector<MetadataCopy> copies;
  std::size_t quote = text.find(kBehindName);
  while (quote != text.npos) {
    if (auto copy = copy_at(text, quote)) copies.push_back(std::move(*copy));
    quote = text.find(kBehindName, quote + kBehindName.size());
  }
  return copies;
}

bool is_copy_of(const MetadataCopy& copy, const CConstant& constant) {
  return !constant.pool.empty() && constant.name == copy.name && constant.offset == copy.offset;
}

bool is_exact(const MetadataCopy& copy, std::string_view text, const CConstant& constant) {
  return exact_copy(copy, text, constant).has_value();
}

std::optional<std::vector<edit::Edit>> edits_of(const MetadataCopy& copy, std::string_view text,
                                                const CConstant& constant) {
  auto tensor = exact_copy(copy, text, constant);
  if (!tensor) return std::nullopt;
  if (constant.after.is_single()) std::ranges::fill(tensor->shape, 1);
  const std::vector<std::byte> data = constant.new_data();
  std::vector<std::byte> bytes =
      tir::save_json::tensor_header(constant.after.dtype, tensor->shape, data.size());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return std::vector<edit::Edit>{{copy.offset_text, std::to_string(constant.after.offset)},
                                 {copy.length_text, std::to_string(bytes.size())},
                                 {copy.data_text, escaped(bytes)}};
}

}  // namespace mlf::optimize

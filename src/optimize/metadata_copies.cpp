#include "optimize/metadata_copies.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <span>

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

// A serialised NDArray (include/tvm/runtime/ndarray.h, SaveDLTensor), little-endian: magic and
// reserved word of 64 bits, device type and id of 32, rank of 32, type code and bits of 8, lanes of
// 16, extents of 64, bytes of data of 64, data.
constexpr std::size_t kRankAt = 24;
constexpr std::size_t kTypeAt = 28;
constexpr std::size_t kShapeAt = 32;

template <class Number>
Number number_at(std::span<const std::byte> bytes, std::size_t at) {
  Number value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

/// The code of DLDataTypeCode, the bits and one lane.
std::array<std::byte, 4> type_bytes(tir::DType dtype) {
  return {static_cast<std::byte>(dtype.code), static_cast<std::byte>(dtype.bits), std::byte{1},
          std::byte{0}};
}

/// Where the data of an array with the type and data of `constant` begins.
std::optional<std::size_t> data_of(std::span<const std::byte> bytes, const CConstant& constant) {
  if (bytes.size() < kShapeAt + sizeof(std::uint64_t)) return std::nullopt;
  const auto rank = number_at<std::uint32_t>(bytes, kRankAt);
  const std::size_t left = bytes.size() - kShapeAt - sizeof(std::uint64_t);
  if (rank > left / sizeof(std::uint64_t)) return std::nullopt;
  const std::size_t begin = kShapeAt + (rank + 1) * sizeof(std::uint64_t);
  const bool is_it =
      std::ranges::equal(bytes.subspan(kTypeAt, 4), type_bytes(constant.dtype)) &&
      number_at<std::uint64_t>(bytes, begin - sizeof(std::uint64_t)) == constant.data.size() &&
      std::ranges::equal(bytes.subspan(begin), constant.data);
  return is_it ? std::optional(begin) : std::nullopt;
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
  const auto bytes = unescaped(edit::text_in(text, copy.data_text));
  return bytes && data_of(*bytes, constant);
}

std::optional<std::vector<edit::Edit>> edits_of(const MetadataCopy& copy, std::string_view text,
                                                const CConstant& constant) {
  auto old = unescaped(edit::text_in(text, copy.data_text));
  const auto begin = old ? data_of(*old, constant) : std::nullopt;
  if (!begin) return std::nullopt;
  const std::vector<std::byte> data = constant.new_data();
  const std::uint64_t size = data.size();
  const std::size_t shape_end = *begin - sizeof size;
  if (constant.after.is_single()) {
    const std::uint64_t one = 1;
    for (std::size_t at = kShapeAt; at < shape_end; at += sizeof one) {
      std::memcpy(old->data() + at, &one, sizeof one);
    }
  }
  std::vector<std::byte> bytes(old->begin(), old->begin() + kTypeAt);
  append(bytes, type_bytes(constant.after.dtype));
  append(bytes, std::span(*old).subspan(kShapeAt, shape_end - kShapeAt));
  append(bytes, std::as_bytes(std::span(&size, 1)));
  append(bytes, data);
  return std::vector<edit::Edit>{{copy.offset_text, std::to_string(constant.after.offset)},
                                 {copy.length_text, std::to_string(bytes.size())},
                                 {copy.data_text, escaped(bytes)}};
}

}  // namespace mlf::optimize

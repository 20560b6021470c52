#include "unit/archive/tar_builder.h"

#include <fmt/core.h>

#include <algorithm>

namespace mlf::test {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kRecord = 10240;
constexpr std::size_t kChecksum = 148;

std::string header_with_checksum(std::string bytes, unsigned extra) {
  std::fill_n(bytes.begin() + kChecksum, 8, ' ');
  unsigned sum = extra;
  for (const char c : bytes) sum += static_cast<unsigned char>(c);
  const std::string text = fmt::format("{:06o}", sum) + std::string("\0 ", 2);
  std::copy(text.begin(), text.end(), bytes.begin() + kChecksum);
  return bytes;
}

}  // namespace

HeaderBlock::HeaderBlock(std::string_view name, char type, std::uint64_t size)
    : bytes_(kBlock, '\0') {
  set(kName, 100, name.substr(0, 100));
  set(kMode, 8, "0000640");
  set(kUid, 8, "0001750");
  set(116, 8, "0001751");
  set(kSize, 12, fmt::format("{:011o}", size));
  set(kMtime, 12, fmt::format("{:011o}", 1'600'000'000));
  set(kType, 1, {&type, 1});
  set(kMagic, 8, {"ustar\00000", 8});
  set(265, 32, "maker");
  set(297, 32, "makers");
}

HeaderBlock& HeaderBlock::set(std::size_t offset, std::size_t length, std::string_view bytes) {
  std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), length, '\0');
  std::copy_n(bytes.begin(), std::min(length, bytes.size()),
              bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
  return *this;
}

std::string HeaderBlock::sealed() const {
  return header_with_checksum(bytes_, 0);
}
std::string HeaderBlock::with_bad_checksum() const {
  return header_with_checksum(bytes_, 1);
}

TarBuilder& TarBuilder::file(std::string_view name, std::string_view content) {
  return entry(name, '0', content);
}

TarBuilder& TarBuilder::link(std::string_view name, std::string_view target, char type) {
  return entry(name, type, "", [&](HeaderBlock& header) { header.set(kLink, 100, target); });
}

TarBuilder& TarBuilder::entry(std::string_view name, char type, std::string_view content,
                              const Bend& bend) {
  HeaderBlock header(name, type, content.size());
  if (bend) bend(header);
  bytes_ += header.sealed();
  bytes_ += padded(content);
  return *this;
}

TarBuilder& TarBuilder::pax(std::initializer_list<std::string_view> records, char type) {
  std::string body;
  for (const std::string_view record : records) body += pax_line(record);
  return entry("././@PaxHeader", type, body);
}

TarBuilder& TarBuilder::gnu_name(std::string_view name, char type) {
  return entry("././@LongLink", type, std::string(name) + '\0');
}

TarBuilder& TarBuilder::raw(std::string_view bytes) {
  bytes_ += bytes;
  return *this;
}

std::string TarBuilder::finish() const {
  const std::size_t size = (bytes_.size() + 2 * kBlock + kRecord - 1) / kRecord * kRecord;
  return bytes_ + std::string(size - bytes_.size(), '\0');
}

std::string TarBuilder::finish_with(std::size_t blocks) const {
  return bytes_ + std::string(blocks * kBlock, '\0');
}

std::string pax_line(std::string_view record) {
  std::size_t length = record.size() + 3;
  while (std::to_string(length).size() + record.size() + 2 != length) ++length;
  return fmt::format("{} {}\n", length, record);
}

std::string padded(std::string_view content) {
  std::string result(content);
  result.resize((content.size() + kBlock - 1) / kBlock * kBlock);
  return result;
}

std::string base256(std::int64_t value, std::size_t length) {
  std::string bytes(length, value < 0 ? '\xff' : '\0');
  for (std::size_t i = 0; i < std::min<std::size_t>(length, 8); ++i) {
    bytes[length - 1 - i] = static_cast<char>(value >> (8 * i));
  }
  bytes[0] = static_cast<char>(static_cast<unsigned char>(bytes[0]) | 0x80U);
  return bytes;
}

}  // namespace mlf::test

// Tars made byte by byte, good ones and broken ones, independent of the code under test.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mlf::test {

/// One 512-byte header that a test may bend before its checksum is computed.
class HeaderBlock {
 public:
  HeaderBlock(std::string_view name, char type, std::uint64_t size);

  /// Overwrites a field: its offset in the header (POSIX ustar), its length, its new bytes.
  HeaderBlock& set(std::size_t offset, std::size_t length, std::string_view bytes);
  std::string sealed() const;
  std::string with_bad_checksum() const;

 private:
  std::string bytes_;
};

/// Offsets of the fields tests bend.
enum Field : std::size_t {
  kName = 0,
  kMode = 100,
  kUid = 108,
  kSize = 124,
  kMtime = 136,
  kType = 156,
  kLink = 157,
  kMagic = 257,
  kPrefix = 345,
};

using Bend = std::function<void(HeaderBlock&)>;

class TarBuilder {
 public:
  TarBuilder& file(std::string_view name, std::string_view content = "");
  TarBuilder& directory(std::string_view name) { return entry(name, '5', ""); }
  TarBuilder& link(std::string_view name, std::string_view target, char type = '2');
  TarBuilder& entry(std::string_view name, char type, std::string_view content,
                    const Bend& bend = {});
  /// An extended header of the given records, each "key=value".
  TarBuilder& pax(std::initializer_list<std::string_view> records, char type = 'x');
  TarBuilder& gnu_name(std::string_view name, char type = 'L');
  TarBuilder& raw(std::string_view bytes);

  /// With two zero blocks, padded to a record of 10240 bytes.
  std::string finish() const;
  /// With `blocks` zero blocks.
  std::string finish_with(std::size_t blocks) const;
  const std::string& unfinished() const { return bytes_; }

 private:
  std::string bytes_;
};

/// "<length> <key=value>\n"
std::string pax_line(std::string_view record);

/// `content` filled up to whole blocks.
std::string padded(std::string_view content);

/// A GNU base-256 number of `length` bytes.
std::string base256(std::int64_t value, std::size_t length);

}  // namespace mlf::test

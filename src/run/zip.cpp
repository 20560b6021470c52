#include "run/zip.h"

#include <fmt/core.h>
#include <zlib.h>

#include <cstdint>
#include <set>

#include "support/error.h"

namespace mlf::run {
namespace {

// APPNOTE.TXT of PKWARE, 4.3: a local header before each file, then a directory with the same
// fields, then the end record.
constexpr std::uint32_t kLocalHead = 0x04034b50;
constexpr std::uint32_t kEntry = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::size_t kLocalHeadBytes = 30;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kMostComment = 0xffff;
constexpr std::uint64_t kMostZipBytes = 0xfffffffe;
constexpr unsigned kStored = 0;
constexpr unsigned kDeflated = 8;
constexpr unsigned kEncrypted = 1;
constexpr unsigned kUtf8 = 1U << 11;
constexpr unsigned kVersion = 20;
constexpr std::uint32_t kDate = 0x21;  // the first day of 1980

[[noreturn]] void fail_zip(const std::string& why) {
  throw support::Error(ErrorKind::invalid_input, "this .npz file cannot be read: " + why);
}

std::string_view part(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at) fail_zip("it is cut off");
  return bytes.substr(at, size);
}

std::uint32_t number(std::string_view bytes, std::uint64_t at, std::size_t size) {
  std::uint32_t value = 0;
  const std::string_view digits = part(bytes, at, size);
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[i]);
  return value;
}

std::uint32_t sum_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string inflated(std::string_view bytes, std::uint64_t size) {
  std::string result(size, '\0');
  z_stream stream{};
  // Without zlib's header.
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  // zlib takes a pointer to mutable bytes, but only reads them.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(size);
  const int end = inflate(&stream, Z_FINISH);
  const bool is_whole = end == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!is_whole) fail_zip("compressed bytes are wrong");
  return result;
}

std::size_t find_end(std::string_view bytes) {
  if (bytes.size() < kEndBytes) fail_zip("it is another file");
  for (std::size_t back = 0; back <= kMostComment && back + kEndBytes <= bytes.size(); ++back) {
    const std::size_t at = bytes.size() - kEndBytes - back;
    if (number(bytes, at, 4) == kEnd && number(bytes, at + 20, 2) == back) return at;
  }
  fail_zip("it has no directory");
}

void append(std::string& bytes, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes += static_cast<char>(value & 0xff);
    value >>= 8;
  }
}

/// The fields that a local header and an entry of the directory share.
void append_fields(std::string& bytes, const ZipFile& file) {
  append(bytes, kVersion, 2);
  append(bytes, kUtf8, 2);
  append(bytes, kStored, 2);
  append(bytes, 0, 2);
  append(bytes, kDate, 2);
  append(bytes, sum_of(file.bytes), 4);
  append(bytes, file.bytes.size(), 4);
  append(bytes, file.bytes.size(), 4);
  append(bytes, file.name.size(), 2);
  append(bytes, 0, 2);
}

}  // namespace

bool begins_as_zip(std::string_view bytes) {
  // The second is a file without content.
  return bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6");
}

std::vector<ZipFile> read_zip(std::string_view bytes) {
  const std::size_t end = find_end(bytes);
  const std::size_t count = number(bytes, end + 10, 2);
  std::uint64_t at = number(bytes, end + 16, 4);
  std::vector<ZipFile> files;
  std::set<std::string, std::less<>> names;
  std::uint64_t left = kMostZipBytes;
  for (std::size_t i = 0; i < count; ++i) {
    if (number(bytes, at, 4) != kEntry) fail_zip("its directory is wrong");
    const unsigned flags = number(bytes, at + 8, 2);
    const unsigned method = number(bytes, at + 10, 2);
    const std::uint32_t sum = number(bytes, at + 16, 4);
    const std::uint64_t stored = number(bytes, at + 20, 4);
    const std::uint64_t size = number(bytes, at + 24, 4);
    const std::size_t name_size = number(bytes, at + 28, 2);
    const std::size_t other = number(bytes, at + 30, 2) + number(bytes, at + 32, 2);
    const std::uint64_t local = number(bytes, at + 42, 4);
    std::string name(part(bytes, at + kEntryBytes, name_size));
    at += kEntryBytes + name_size + other;
    if ((flags & kEncrypted) != 0) fail_zip(fmt::format("'{}' is encrypted", name));
    if (size > left) fail_zip("its files have more than 4 GiB");
    left -= size;
    if (number(bytes, local, 4) != kLocalHead)
      fail_zip(fmt::format("'{}' is not where it should be", name));
    const std::uint64_t data =
        local + kLocalHeadBytes + number(bytes, local + 26, 2) + number(bytes, local + 28, 2);
    const std::string_view content = part(bytes, data, stored);
    if (method != kDeflated && (method != kStored || stored != size)) {
      fail_zip(fmt::format("'{}' is compressed by method {}", name, method));
    }
    // Deflate expands one byte to at most 1032.
    if (size / 1032 > stored) fail_zip(fmt::format("the size of '{}' is wrong", name));
    if (!names.insert(name).second) fail_zip(fmt::format("'{}' is there twice", name));
    std::string text = method == kStored ? std::string(content) : inflated(content, size);
    if (sum_of(text) != sum) fail_zip(fmt::format("the bytes of '{}' have another sum", name));
    files.push_back({std::move(name), std::move(text)});
  }
  return files;
}

std::string zip_bytes(const std::vector<ZipFile>& files) {
  std::string bytes;
  std::string directory;
  for (const ZipFile& file : files) {
    const std::uint64_t local = bytes.size();
    if (local + file.bytes.size() > kMostZipBytes || file.name.size() > kMostComment ||
        files.size() > kMostComment) {
      throw support::Error(ErrorKind::invalid_input,
                           "an .npz file has at most 4 GiB and 65,535 arrays");
    }
    append(bytes, kLocalHead, 4);
    append_fields(bytes, file);
    bytes += file.name;
    bytes += file.bytes;
    append(directory, kEntry, 4);
    append(directory, kVersion, 2);
    append_fields(directory, file);
    append(directory, 0, 10);  // comment, disk, attributes
    append(directory, local, 4);
    directory += file.name;
  }
  const std::uint64_t begin = bytes.size();
  bytes += directory;
  append(bytes, kEnd, 4);
  append(bytes, 0, 4);
  append(bytes, files.size(), 2);
  append(bytes, files.size(), 2);
  append(bytes, directory.size(), 4);
  append(bytes, begin, 4);
  append(bytes, 0, 2);
  return bytes;
}

}  // namespace mlf::run

#include "run/npy.h"

#include <fmt/core.h>

#include <zlib.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "mlf/deployment.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/numbers.h"
#include "tir/elements.h"
#include "tir/json/constants.h"

namespace mlf {
namespace run {
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

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

std::uint32_t number(std::string_view bytes, std::uint64_t at, std::size_t size) {
  return little_endian(part(bytes, at, size));
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
    const std::uint64_t added = kLocalHeadBytes + file.name.size() + file.bytes.size();
    if (local + added > kMostZipBytes || file.name.size() > kMostComment ||
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

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionBytes = 2;

constexpr std::array kTypes{tir::DType::Bool(),    tir::DType::Int(8),    tir::DType::Int(16),
                            tir::DType::Int(32),   tir::DType::Int(64),   tir::DType::UInt(8),
                            tir::DType::UInt(16),  tir::DType::UInt(32),  tir::DType::UInt(64),
                            tir::DType::Float(16), tir::DType::Float(32), tir::DType::Float(64)};

/// The element type of a tensor in a file; nothing if files have none of its size.
std::optional<tir::DType> type_of(tir::DType dtype) {
  const bool has_bytes = dtype.bits >= 8 && dtype.is_scalar();
  for (const tir::DType type : {dtype, has_bytes ? tir::DType::UInt(dtype.bits) : dtype}) {
    if (support::is_among(kTypes, type)) return type;
  }
  return std::nullopt;
}

[[noreturn]] void fail_npy(const std::string& why) {
  throw support::Error(ErrorKind::invalid_input, "this .npy file cannot be read: " + why);
}

/// The head is a Python dictionary: `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`.
class HeadReader {
 public:
  explicit HeadReader(std::string_view text) : text_(text) {}

  Tensor read() {
    Tensor tensor;
    expect("{");
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    while (!accept("}")) {
      const std::string_view key = string();
      expect(":");
      if (key == "descr" && !std::exchange(has_type, true)) {
        tensor.dtype = type(string());
      } else if (key == "fortran_order" && !std::exchange(has_order, true)) {
        if (accept("True"))
          fail_npy("it is in Fortran order; numpy.ascontiguousarray makes C order");
        expect("False");
      } else if (key == "shape" && !std::exchange(has_shape, true)) {
        tensor.shape = shape();
      } else {
        fail_npy(fmt::format("its head has '{}'", key));
      }
      if (accept(",")) continue;
      expect("}");
      break;
    }
    if (!has_type || !has_order || !has_shape) fail_npy("its head is not complete");
    skip_blanks();
    if (!text_.empty()) fail_npy("its head goes on behind the dictionary");
    return tensor;
  }

 private:
  void skip_blanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \n"), text_.size()));
  }
  bool accept(std::string_view word) {
    skip_blanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!accept(word)) fail_npy(fmt::format("its head has no '{}' where one has to be", word));
  }
  std::string_view string() {
    skip_blanks();
    const char quote = text_.empty() ? '\0' : text_.front();
    const std::size_t end = text_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == text_.npos)
      fail_npy("its elements are no numbers");
    const std::string_view inside = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return inside;
  }
  static tir::DType type(std::string_view descr) {
    const auto* const type = std::ranges::find(kTypes, descr, tir::tir_json::npy_descr);
    if (type != kTypes.end()) return *type;
    fail_npy(fmt::format("its elements are '{}', and not little-endian numbers", descr));
  }
  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> extents;
    expect("(");
    while (!accept(")")) {
      skip_blanks();
      const auto extent = support::take_number<std::int64_t>(text_);
      if (!extent || *extent < 0) fail_npy("its shape is not a list of numbers");
      extents.push_back(*extent);
      if (accept(",")) continue;
      expect(")");
      break;
    }
    return extents;
  }

  std::string_view text_;
};

}  // namespace

Tensor read_npy(std::string_view bytes, std::string name) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + kVersionBytes)
    fail_npy("it is another file");
  const auto major = static_cast<unsigned char>(bytes[kMagic.size()]);
  bytes.remove_prefix(kMagic.size() + kVersionBytes);
  // Version 3.0 differs from 2.0 only in names of fields, which numbers do not have.
  if (major < 1 || major > 3) fail_npy(fmt::format("its version is {}", major));
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::uint64_t length = little_endian(bytes.substr(0, length_bytes));
  if (bytes.size() < length_bytes || bytes.size() - length_bytes < length)
    fail_npy("it is cut off");
  Tensor tensor = HeadReader(bytes.substr(length_bytes, length)).read();
  bytes.remove_prefix(length_bytes + length);
  const auto size = tir::product_of(tensor.shape, tensor.dtype.element_bytes());
  if (!size) fail_npy("it is too large");
  if (*size != bytes.size()) {
    fail_npy(fmt::format("it has {} bytes of data, and its shape has {}", bytes.size(), *size));
  }
  tensor.name = std::move(name);
  tensor.bytes = bytes;
  return tensor;
}

std::string npy_bytes(const Tensor& tensor) {
  const auto type = type_of(tensor.dtype);
  if (!type) {
    throw support::Error(ErrorKind::invalid_input,
                         fmt::format("'{}' has elements of type {}, which no .npy file has",
                                     tensor.name, tir::to_string(tensor.dtype)));
  }
  return tir::tir_json::npy_header(*type, tensor.shape) + tensor.bytes;
}

}  // namespace run

std::string numpy_type(tir::DType dtype) {
  const auto type = run::type_of(dtype);
  return type ? tir::to_string(*type) : std::string();
}

namespace {

constexpr std::string_view kNpyEnd = ".npy";

std::vector<Tensor> tensors_of(std::string_view bytes) {
  std::vector<Tensor> tensors;
  if (bytes.starts_with(run::kMagic)) {
    tensors.push_back(run::read_npy(bytes, {}));
    return tensors;
  }
  if (!run::begins_as_zip(bytes)) {
    throw support::Error(ErrorKind::invalid_input,
                         "this is no .npy and no .npz file: numpy.save and numpy.savez write them");
  }
  for (run::ZipFile& file : run::read_zip(bytes)) {
    if (!file.name.ends_with(kNpyEnd)) {
      throw support::Error(ErrorKind::invalid_input,
                           fmt::format("'{}' in this .npz file is no .npy file", file.name));
    }
    file.name.resize(file.name.size() - kNpyEnd.size());
    tensors.push_back(run::read_npy(file.bytes, std::move(file.name)));
  }
  return tensors;
}

}  // namespace

Result<std::vector<Tensor>> load_tensors(const std::string& path) {
  return support::to_result_in(path, [&] {
    return tensors_of(support::get_or_throw(load_tir_file(path, run::kMostZipBytes)).text);
  });
}

Result<std::string> npz_bytes(std::span<const Tensor> tensors) {
  return support::to_result([&] {
    std::vector<run::ZipFile> files;
    for (const Tensor& tensor : tensors) {
      files.push_back({tensor.name + std::string(kNpyEnd), run::npy_bytes(tensor)});
    }
    return run::zip_bytes(files);
  });
}

}  // namespace mlf

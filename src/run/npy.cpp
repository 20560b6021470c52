#include "run/npy.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <charconv>
#include <utility>

#include "run/zip.h"
#include "support/error.h"
#include "support/file.h"

namespace mlf {
namespace run {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionBytes = 2;

struct ElementType {
  tir::DType dtype;
  std::string_view descr;  ///< as the head of a file has it
  std::string_view name;
};

constexpr ElementType kTypes[] = {
    {tir::DType::Bool(), "|b1", "bool"},       {tir::DType::Int(8), "|i1", "int8"},
    {tir::DType::Int(16), "<i2", "int16"},     {tir::DType::Int(32), "<i4", "int32"},
    {tir::DType::Int(64), "<i8", "int64"},     {tir::DType::UInt(8), "|u1", "uint8"},
    {tir::DType::UInt(16), "<u2", "uint16"},   {tir::DType::UInt(32), "<u4", "uint32"},
    {tir::DType::UInt(64), "<u8", "uint64"},   {tir::DType::Float(16), "<f2", "float16"},
    {tir::DType::Float(32), "<f4", "float32"}, {tir::DType::Float(64), "<f8", "float64"},
};

const ElementType* find_type(tir::DType dtype) {
  for (const ElementType& type : kTypes) {
    if (type.dtype == dtype) return &type;
  }
  return nullptr;
}

/// The element type of a tensor in a file.
const ElementType* type_of(tir::DType dtype) {
  const ElementType* const type = find_type(dtype);
  if (type != nullptr || dtype.bits < 8 || !dtype.is_scalar()) return type;
  return find_type(tir::DType::UInt(dtype.bits));
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
    for (const ElementType& type : kTypes) {
      if (type.descr == descr) return type.dtype;
    }
    fail_npy(fmt::format("its elements are '{}', and not little-endian numbers", descr));
  }
  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> extents;
    expect("(");
    while (!accept(")")) {
      skip_blanks();
      std::int64_t extent = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0) fail_npy("its shape is not a list of numbers");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      extents.push_back(extent);
      if (accept(",")) continue;
      expect(")");
      break;
    }
    return extents;
  }

  std::string_view text_;
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

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
  std::uint64_t size = tensor.dtype.element_bytes();
  for (const std::int64_t extent : tensor.shape) {
    if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(extent), &size))
      fail_npy("it is too large");
  }
  if (size != bytes.size()) {
    fail_npy(fmt::format("it has {} bytes of data, and its shape has {}", bytes.size(), size));
  }
  tensor.name = std::move(name);
  tensor.bytes = bytes;
  return tensor;
}

std::string npy_bytes(const Tensor& tensor) {
  const ElementType* const type = type_of(tensor.dtype);
  if (type == nullptr) {
    throw support::Error(ErrorKind::invalid_input,
                         fmt::format("'{}' has elements of type {}, which no .npy file has",
                                     tensor.name, tir::to_string(tensor.dtype)));
  }
  // A tuple of one has a comma.
  std::string head =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type->descr,
                  fmt::join(tensor.shape, ", "), tensor.shape.size() == 1 ? "," : "");
  // The data begins at a multiple of 64.
  constexpr std::size_t kAlignment = 64;
  const std::size_t fixed = kMagic.size() + kVersionBytes + 2 + 1;
  head.append((kAlignment - (fixed + head.size()) % kAlignment) % kAlignment, ' ');
  head += '\n';
  std::string bytes(kMagic);
  bytes += {'\1', '\0'};
  bytes += static_cast<char>(head.size() & 0xff);
  bytes += static_cast<char>(head.size() >> 8);
  return bytes + head + tensor.bytes;
}

}  // namespace run

std::string numpy_type(tir::DType dtype) {
  const run::ElementType* const type = run::type_of(dtype);
  return type == nullptr ? std::string() : std::string(type->name);
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
    if (file.name.ends_with(kNpyEnd)) file.name.resize(file.name.size() - kNpyEnd.size());
    tensors.push_back(run::read_npy(file.bytes, std::move(file.name)));
  }
  return tensors;
}

}  // namespace

Result<std::vector<Tensor>> load_tensors(const std::string& path) {
  return support::to_result_in(path, [&] {
    const auto file = support::FileContent::copy(support::File::open(path, O_RDONLY));
    return tensors_of(file.bytes());
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

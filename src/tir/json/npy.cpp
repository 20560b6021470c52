#include "tir/json/npy.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <bit>

#include "mlf/tir/module.h"
#include "mlf/tir/write.h"
#include "support/error.h"

namespace mlf::tir {
namespace tir_json {

std::uint64_t byte_size(DType dtype, std::span<const std::int64_t> shape) {
  std::uint64_t bytes = dtype.element_bytes();
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes)) {
      return UINT64_MAX;
    }
  }
  return bytes;
}

std::string npy_descr(DType dtype) {
  const std::size_t bytes = dtype.element_bytes();
  const char order = bytes == 1 ? '|' : '<';
  const bool whole = std::has_single_bit(bytes) && bytes <= 8;
  if (dtype.is_bool()) return "|b1";
  if (!whole) return fmt::format("|V{}", bytes);
  if (dtype.is_int()) return fmt::format("{}i{}", order, bytes);
  if (dtype.is_uint()) return fmt::format("{}u{}", order, bytes);
  if (dtype.code == TypeCode::Float && bytes > 1) return fmt::format("<f{}", bytes);
  return fmt::format("|V{}", bytes);
}

std::string npy_header(DType dtype, std::span<const std::int64_t> shape) {
  // A tuple of one needs its comma; `(3, 4,)` is fine, too.
  const std::string extents = fmt::format("{}{}", fmt::join(shape, ", "), shape.empty() ? "" : ",");
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   npy_descr(dtype), extents);
  constexpr std::size_t kPrefix = 10;
  constexpr std::size_t kAlignment = 64;
  header.append(kAlignment - 1 - (kPrefix + header.size()) % kAlignment, ' ');
  header += '\n';
  std::string prefix("\x93NUMPY\x01\x00", 8);
  prefix += static_cast<char>(header.size() & 0xFF);
  prefix += static_cast<char>(header.size() >> 8);
  return prefix + header;
}

}  // namespace tir_json

Result<void> write_npy(Node constant, const Sink& sink) {
  return support::to_result([&] {
    const auto data = constant.bytes(f::NDArray::data);
    if (!data) throw support::Error(ErrorKind::usage, "a constant without data has no NumPy file");
    sink(tir_json::npy_header(constant.dtype(std::uint8_t{f::NDArray::dtype}),
                              constant.integers(f::NDArray::shape)));
    sink({reinterpret_cast<const char*>(data->data()), data->size()});
  });
}

}  // namespace mlf::tir

#include "tir/save_json/tensor_blob.h"

#include <array>
#include <span>
#include <utility>

#include "support/base64.h"

namespace mlf::tir::save_json {
namespace {

// kTVMNDArrayMagic of include/tvm/runtime/ndarray.h.
constexpr std::uint64_t kMagic = 0xDD5E40F096B4A13F;
constexpr std::size_t kFixedHeader = 32;  // magic, reserved, device, ndim, dtype
// SaveDLTensor always says CPU, wherever the data was.
constexpr std::int32_t kCpu = 1;
// Types that a user registers have codes from here on (DataType::kCustomBegin).
constexpr std::uint8_t kFirstCustomCode = 129;

// Byte by byte: the result does not depend on the machine, and data need not be aligned.
template <class Integer>
Integer load(std::span<const std::byte> data, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    value |= static_cast<std::uint64_t>(data[at + i]) << (8 * i);
  }
  return static_cast<Integer>(value);
}

template <class Integer>
void append(std::vector<std::byte>& data, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    data.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff));
  }
}

// Others would have a size in bytes that nobody could check.
bool is_known(std::uint8_t code) {
  return code <= static_cast<std::uint8_t>(TypeCode::BFloat) ||
         code == static_cast<std::uint8_t>(TypeCode::E4M3Float) ||
         code == static_cast<std::uint8_t>(TypeCode::E5M2Float) || code >= kFirstCustomCode;
}

// Bytes that the data of a tensor takes; TVM leaves lanes out of account.
std::int64_t expected_bytes(const Tensor& tensor) {
  std::int64_t bytes = static_cast<std::int64_t>(tensor.dtype.element_bytes());
  for (const std::int64_t extent : tensor.shape) {
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) return -1;
  }
  return bytes;
}

}  // namespace

// Everything a header says is checked against the data before memory is taken for it: documents
// come from archives that anyone may have made.
tl::expected<Tensor, std::string> decode_tensor(std::string_view base64) {
  const auto wrong = [](std::string message) { return tl::make_unexpected(std::move(message)); };
  auto blob = support::base64_decode(base64);
  if (!blob) {
    return wrong("malformed base64 at character " +
                 std::to_string(support::base64_error_offset(base64) + 1));
  }
  if (blob->size() < kFixedHeader) return wrong("the data of an NDArray ends within its header");
  if (load<std::uint64_t>(*blob, 0) != kMagic) return wrong("not the magic number of an NDArray");
  const auto ndim = load<std::int32_t>(*blob, 24);
  // Eight bytes for each extent, and eight for the size of the data: hence "less than".
  const std::size_t most = (blob->size() - kFixedHeader) / 8;
  if (ndim < 0 || static_cast<std::size_t>(ndim) >= most) {
    return wrong("an NDArray of " + std::to_string(ndim) + " dimensions does not fit its data");
  }
  const auto code = load<std::uint8_t>(*blob, 28);
  if (!is_known(code))
    return wrong("unknown dtype code " + std::to_string(code) + " of an NDArray");

  Tensor tensor{.dtype = {static_cast<TypeCode>(code), load<std::uint8_t>(*blob, 29),
                          load<std::int16_t>(*blob, 30)}};
  std::size_t at = kFixedHeader;
  for (std::int32_t i = 0; i < ndim; ++i, at += 8) {
    tensor.shape.push_back(load<std::int64_t>(*blob, at));
  }
  const auto bytes = load<std::int64_t>(*blob, at);
  at += 8;
  if (bytes != expected_bytes(tensor)) {
    return wrong("an NDArray declares " + std::to_string(bytes) + " bytes, its shape takes " +
                 std::to_string(expected_bytes(tensor)));
  }
  if (blob->size() - at != static_cast<std::size_t>(bytes)) {
    return wrong("an NDArray of " + std::to_string(bytes) + " bytes has " +
                 std::to_string(blob->size() - at));
  }
  // Large constants are moved inside their buffer, not copied.
  blob->erase(blob->begin(), blob->begin() + static_cast<std::ptrdiff_t>(at));
  tensor.data = std::move(*blob);
  return tensor;
}

// The header is short, the data is streamed: no copy of a constant is made.
void encode_tensor(Node array, support::ByteSink& sink) {
  const DType dtype = array.dtype(f::NDArray::dtype);
  const auto shape = array.integers(f::NDArray::shape);
  const auto data = array.bytes(f::NDArray::data).value_or(std::span<const std::byte>());
  std::vector<std::byte> header;
  append(header, kMagic);
  append(header, std::uint64_t{0});
  append(header, kCpu);
  append(header, std::int32_t{0});
  append(header, static_cast<std::int32_t>(shape.size()));
  append(header, static_cast<std::uint8_t>(dtype.code));
  append(header, dtype.bits);
  append(header, dtype.lanes);
  for (const std::int64_t extent : shape) append(header, extent);
  append(header, static_cast<std::int64_t>(data.size()));

  support::Base64Encoder encoder(sink);
  encoder.write(header);
  encoder.write(data);
  encoder.finish();
}

}  // namespace mlf::tir::save_json

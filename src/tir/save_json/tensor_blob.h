// NDArrays as TVM serializes them, in base64: magic, device, dtype, shape, data; little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "mlf/tir/module.h"
#include "support/byte_sink.h"

namespace mlf::tir::save_json {

struct Tensor {
  DType dtype;
  std::vector<std::int64_t> shape{};
  std::vector<std::byte> data{};
};

/// Decodes and checks one blob; what is wrong with it otherwise.
tl::expected<Tensor, std::string> decode_tensor(std::string_view base64);

/// Writes the blob of an NDArray node that has its data.
void encode_tensor(Node array, support::ByteSink& sink);

}  // namespace mlf::tir::save_json

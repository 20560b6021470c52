#include "tir/json/constants_writer.h"

#include <fmt/core.h>

#include <unordered_map>

#include "support/error.h"
#include "support/sha256.h"
#include "tir/json/npy.h"

namespace mlf::tir::tir_json {
namespace {

using Bytes = std::span<const std::byte>;

bool goes_into_file(Node constant, Bytes data, const JsonOptions& options) {
  constexpr std::size_t kMaxRank = 32;  // NumPy's own limit up to 1.26
  return options.constants == ConstantPlace::npy && data.size() >= options.npy_threshold &&
         constant.integers(f::NDArray::shape).size() <= kMaxRank;
}

void write_type(json::Writer& emitter, Node constant) {
  emitter.key("dtype");
  emitter.string(to_string(constant.dtype(std::uint8_t{f::NDArray::dtype})));
  emitter.key("shape");
  emitter.begin_array();
  for (const std::int64_t extent : constant.integers(f::NDArray::shape)) emitter.integer(extent);
  emitter.end_array();
}

void write_digest(json::Writer& emitter, Node constant) {
  const std::uint64_t bytes = byte_size(constant.dtype(std::uint8_t{f::NDArray::dtype}),
                                        constant.integers(f::NDArray::shape));
  const auto data = constant.bytes(f::NDArray::data);
  if (bytes > INT64_MAX || (data && data->size() != bytes)) {
    throw support::Error(ErrorKind::invalid_input, "a constant's data does not fit its shape");
  }
  emitter.key("bytes");
  emitter.integer(static_cast<std::int64_t>(bytes));
  emitter.key("sha256");
  if (!data) return emitter.null();
  emitter.string(support::sha256_hex({reinterpret_cast<const char*>(data->data()), data->size()}));
}

}  // namespace

std::vector<ConstantFile> write_constants(json::Writer& emitter, const Outline& outline,
                                          const std::vector<Recovered>& recovered,
                                          const JsonOptions& options) {
  std::unordered_map<std::uint32_t, std::string_view> found;
  for (const Recovered& one : recovered) found.emplace(index(one.constant), one.source);
  std::vector<ConstantFile> files;
  emitter.key("constants");
  emitter.begin_array();
  for (std::size_t id = 0; id < outline.constants().size(); ++id) {
    const Node constant(outline.module(), outline.constants()[id]);
    const auto data = constant.bytes(f::NDArray::data);
    emitter.begin_object();
    emitter.key("id");
    emitter.integer(static_cast<std::int64_t>(id));
    write_type(emitter, constant);
    write_digest(emitter, constant);
    if (data && goes_into_file(constant, *data, options)) {
      files.push_back({fmt::format("{}/{}.npy", options.npy_folder, id), constant.id()});
      emitter.key("file");
      emitter.string(files.back().path);
    } else {
      emitter.key("data");
      data&& options.constants != ConstantPlace::none ? emitter.base64(*data) : emitter.null();
    }
    if (const auto source = found.find(index(constant.id())); source != found.end()) {
      emitter.key("recovered");
      emitter.string(source->second);
    }
    emitter.end_object();
  }
  emitter.end_array();
  return files;
}

}  // namespace mlf::tir::tir_json

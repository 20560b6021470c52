#include "tir/json/constants_reader.h"

#include <fmt/core.h>

#include "support/base64.h"
#include "support/sha256.h"
#include "tir/json/members.h"
#include "tir/json/npy.h"
#include "tir/json/scalars.h"

namespace mlf::tir::tir_json {
namespace {

using Data = std::optional<std::vector<std::byte>>;

struct Type {
  DType dtype;
  std::vector<std::int64_t> shape;
};

Type read_type(json::Value entry) {
  Type type{read_dtype(entry.at("dtype")), {}};
  const json::Value shape = entry.at("shape");
  shape.expect(json::Type::array);
  for (const json::Value extent : shape.elements()) type.shape.push_back(extent.as_integer());
  const json::Value bytes = entry.at("bytes");
  if (static_cast<std::uint64_t>(bytes.as_integer()) == byte_size(type.dtype, type.shape)) {
    return type;
  }
  bytes.fail("dtype and shape need another number of bytes");
}

Data read_base64(json::Value value) {
  if (value.is_null()) return std::nullopt;
  Data data = support::base64_decode(value.as_string());
  if (!data) value.fail("this is no base64");
  return data;
}

Data read_file(json::Value path, const Type& type, const FileSource& files) {
  const std::string_view name = path.as_string();
  const auto content = files ? files(name) : std::nullopt;
  if (!content) return std::nullopt;
  const std::string header = npy_header(type.dtype, type.shape);
  if (!content->starts_with(header)) {
    path.fail("this NumPy file is not the constant's: its header differs");
  }
  const auto* const first = reinterpret_cast<const std::byte*>(content->data());
  return std::vector(first + header.size(), first + content->size());
}

void check(json::Value entry, const Type& type, const Data& data) {
  const json::Value digest = entry.at("sha256");
  if (!digest.is_null()) digest.as_string();
  if (!data) return;
  if (data->size() != byte_size(type.dtype, type.shape)) {
    entry.fail(
        fmt::format("this constant's data has {} bytes, not those of its shape", data->size()));
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data->data()), data->size());
  if (digest.is_null() || digest.text() != support::sha256_hex(bytes)) {
    digest.fail("this is not the digest of the data");
  }
}

NodeId read_constant(Builder& builder, json::Value entry, std::size_t id, const FileSource& files) {
  const bool in_file = entry.is_object() && entry.find("file").has_value();
  check_keys(entry, {"id", "dtype", "shape", "bytes", "sha256", in_file ? "file" : "data"},
             {"recovered"});
  if (expect_index(entry.at("id")) != id) {
    entry.at("id").fail(fmt::format("expected {}, ids count from 0", id));
  }
  const Type type = read_type(entry);
  Data data = in_file ? read_file(entry.at("file"), type, files) : read_base64(entry.at("data"));
  check(entry, type, data);
  return builder.make(Kind::NDArray, {type.dtype, builder.integers(type.shape),
                                      data ? builder.bytes(std::move(*data)) : BytesId::none});
}

}  // namespace

ConstantTable read_constants(Builder& builder, json::Value table, const FileSource& files) {
  table.expect(json::Type::array);
  ConstantTable constants;
  for (const json::Value entry : table.elements()) {
    const NodeId array = read_constant(builder, entry, constants.arrays.size(), files);
    constants.arrays.push_back(array);
    if (const auto source = entry.find("recovered")) {
      constants.recovered.push_back({array, std::string(source->as_string())});
    }
  }
  return constants;
}

}  // namespace mlf::tir::tir_json

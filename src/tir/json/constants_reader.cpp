#include "tir/json/constants_reader.h"

#include <fmt/core.h>

#include "support/base64.h"
#include "support/sha256.h"
#include "tir/json/members.h"
#include "tir/json/npy.h"
#include "tir/json/place.h"
#include "tir/json/scalars.h"

namespace mlf::tir::json {
namespace {

using support::JsonValue;
using Data = std::optional<std::vector<std::byte>>;

struct Type {
  DType dtype;
  std::vector<std::int64_t> shape;
};

Type read_type(JsonValue entry) {
  Type type{read_dtype(member(entry, "dtype")), {}};
  const JsonValue shape = member(entry, "shape");
  expect_array(shape);
  for (const JsonValue extent : shape.elements()) type.shape.push_back(expect_integer(extent));
  const JsonValue bytes = member(entry, "bytes");
  if (static_cast<std::uint64_t>(expect_integer(bytes)) == byte_size(type.dtype, type.shape)) {
    return type;
  }
  fail(bytes, "dtype and shape need another number of bytes");
}

Data read_base64(JsonValue value) {
  if (value.is_null()) return std::nullopt;
  Data data = support::base64_decode(expect_text(value));
  if (!data) fail(value, "this is no base64");
  return data;
}

Data read_file(JsonValue path, const Type& type, const FileSource& files) {
  const std::string_view name = expect_text(path);
  const auto content = files ? files(name) : std::nullopt;
  if (!content) return std::nullopt;
  const std::string header = npy_header(type.dtype, type.shape);
  if (!content->starts_with(header)) {
    fail(path, "this NumPy file is not the constant's: its header differs");
  }
  const auto* const first = reinterpret_cast<const std::byte*>(content->data());
  return std::vector(first + header.size(), first + content->size());
}

void check(JsonValue entry, const Type& type, const Data& data) {
  const JsonValue digest = member(entry, "sha256");
  if (!digest.is_null()) expect_text(digest);
  if (!data) return;
  if (data->size() != byte_size(type.dtype, type.shape)) {
    fail(entry,
         fmt::format("this constant's data has {} bytes, not those of its shape", data->size()));
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data->data()), data->size());
  if (digest.is_null() || digest.text() != support::sha256_hex(bytes)) {
    fail(digest, "this is not the digest of the data");
  }
}

NodeId read_constant(Builder& builder, JsonValue entry, std::size_t id, const FileSource& files) {
  const bool in_file = entry.is_object() && entry.find("file").has_value();
  check_keys(entry, {"id", "dtype", "shape", "bytes", "sha256", in_file ? "file" : "data"},
             {"recovered"});
  if (expect_index(member(entry, "id")) != id) {
    fail(member(entry, "id"), fmt::format("expected {}, ids count from 0", id));
  }
  const Type type = read_type(entry);
  Data data =
      in_file ? read_file(member(entry, "file"), type, files) : read_base64(member(entry, "data"));
  check(entry, type, data);
  return builder.make(Kind::NDArray, {type.dtype, builder.integers(type.shape),
                                      data ? builder.bytes(std::move(*data)) : BytesId::none});
}

}  // namespace

ConstantTable read_constants(Builder& builder, JsonValue table, const FileSource& files) {
  expect_array(table);
  ConstantTable constants;
  for (const JsonValue entry : table.elements()) {
    const NodeId array = read_constant(builder, entry, constants.arrays.size(), files);
    constants.arrays.push_back(array);
    if (const auto source = entry.find("recovered")) {
      constants.recovered.push_back({array, std::string(expect_text(*source))});
    }
  }
  return constants;
}

}  // namespace mlf::tir::json

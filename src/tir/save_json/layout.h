// Rules of save_json that the table of node kinds does not contain, and the form of tensors, for
// both reader and writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "mlf/tir/document.h"
#include "mlf/tir/module.h"
#include "support/byte_sink.h"
#include "tir/node_queries.h"
#include "tir/tvm_features.h"

namespace mlf::tir::save_json {

/// No row of the table has more fields.
constexpr std::size_t kMaxFields = 24;

/// Names of additional attributes of a kind.
constexpr std::string_view kSpan = "span";
constexpr std::string_view kCheckedType = "_checked_type_";

struct NamedField {
  std::string_view name;
  std::uint8_t field;
};
/// The fields of a kind by name in byte order, as TVM writes them.
std::span<const NamedField> fields_by_name(Kind kind);

/// Whether a field is written as the index of a node by some version.
inline bool is_reference(const FieldInfo& field) {
  // The former are indices into `b64ndarrays`, which has its own numbers.
  if (field.expects == Expects::tensor || field.expects == Expects::text) return false;
  return holds_nodes(field.type) || field.type == FieldType::string;
}
/// Whether TVM's class of this kind has a `span`.
bool has_span(Kind kind);
/// Whether a field follows from the rest of its node where it is undefined: the writer derives it.
inline bool is_derived(Kind kind, std::uint8_t field) {
  return (kind == Kind::PrimFunc && field == f::PrimFunc::checked_type) ||
         (kind == Kind::IRModule && field == f::IRModule::global_var_map);
}

/// Whether every TVM of this version range writes the field.
bool is_required(const FieldInfo& field, const VersionRange& version);
/// Whether some TVM of this version range may read the field.
bool is_written(const FieldInfo& field, const VersionRange& version);
/// Lanes are an int until v0.15 and a PrimExpr from v0.16 on.
inline bool is_lanes(Kind kind, std::uint8_t field) {
  return (kind == Kind::Ramp && field == f::Ramp::lanes) ||
         (kind == Kind::Broadcast && field == f::Broadcast::lanes);
}
/// The feature of versions that write the field as the index of a node; nullopt if all of them
/// write it in one form.
inline std::optional<TvmFeature> feature_of_nodes(Kind kind, std::uint8_t field) {
  if (is_lanes(kind, field)) return TvmFeature::lanes_as_nodes;
  const bool is_text = info(kind).fields[field].expects == Expects::text_until_8;
  return is_text ? std::optional(TvmFeature::layouts_as_nodes) : std::nullopt;
}
/// The expected content of a field, for messages: "an expression".
std::string_view describe(Expects expects);

/// Void is the empty string in TVM.
inline std::string dtype_text(DType dtype) {
  return dtype.is_void() ? std::string() : to_string(dtype);
}

// --- NDArrays as TVM serializes them, in base64: magic, device, dtype, shape, data; little-endian

// Works byte by byte: the result does not depend on the machine, and data need not be aligned.
template <class Integer>
Integer load_little_endian(std::span<const std::byte> data, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    value |= static_cast<std::uint64_t>(data[at + i]) << (8 * i);
  }
  return static_cast<Integer>(value);
}

template <class Integer>
void append_little_endian(std::vector<std::byte>& data, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    data.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff));
  }
}

/// The name in IRModule::source_nodes of an entry of `b64ndarrays`.
inline std::string name_of_tensor(std::size_t index) {
  return "b64ndarrays[" + std::to_string(index) + "]";
}

struct Tensor {
  DType dtype;
  std::vector<std::int64_t> shape{};
  std::vector<std::byte> data{};
};

/// Checks the bytes of one blob, or returns the error.
tl::expected<Tensor, std::string> tensor_of(std::vector<std::byte> blob);
/// Decodes and checks one blob, or returns the error.
tl::expected<Tensor, std::string> decode_tensor(std::string_view base64);

/// The bytes of a blob before its data.
std::vector<std::byte> tensor_header(DType dtype, std::span<const std::int64_t> shape,
                                     std::size_t data_bytes);

/// Writes the blob of an NDArray node that has its data.
void encode_tensor(Node array, support::ByteSink& sink);

}  // namespace mlf::tir::save_json

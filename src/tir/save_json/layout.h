// Rules of save_json that the table of node kinds does not contain, and the form of tensors, for
// both reader and writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "mlf/tir/document.h"
#include "mlf/tir/module.h"
#include "support/byte_sink.h"
#include "tir/node_queries.h"

namespace mlf::tir::save_json {

/// No row of the table has more fields.
constexpr std::size_t kMaxFields = 16;

/// Names of additional attributes of a kind.
constexpr std::string_view kSpan = "span";
constexpr std::string_view kCheckedType = "_checked_type_";
constexpr std::string_view kGlobalVarMap = "global_var_map_";

struct NamedField {
  std::string_view name;
  std::uint8_t field;
};
/// The fields of a kind by name in byte order, as TVM writes them.
std::span<const NamedField> fields_by_name(Kind kind);

/// Whether a field is written as the index of a node.
inline bool is_reference(const FieldInfo& field) {
  // These are indices into `b64ndarrays`, which has its own numbers.
  if (field.expects == Expects::tensor) return false;
  return holds_nodes(field.type) || field.type == FieldType::string;
}
/// Whether any kind of the table has a field of this name that is a node's index, and whether any
/// has one that is not.
struct NameUse {
  bool reference = false;
  bool plain = false;
};
NameUse use_of_name(std::string_view name);
/// Whether a field of this name, in any kind of the table, may be the index of a node of `target`.
bool may_refer_to(std::string_view name, Kind target);

/// Whether the text of an attribute looks like one that TVM writes in its place: a number, a truth
/// value or a dtype. A field of an opaque node that is a String is such a text if it looks like
/// one, else a reference to a String. Anything else is an Opaque: text of no type key, or a String
/// of the key "runtime.String".
bool looks_plain(std::string_view text);
constexpr std::string_view kStringKey = "runtime.String";

/// Whether TVM's class of this kind has a `span`.
bool has_span(Kind kind);
/// Whether an attribute follows from the rest of its node: the reader checks it, the writer derives
/// it.
bool is_derived(Kind kind, std::string_view name);

/// Whether every TVM of this version range writes the field.
bool is_required(const FieldInfo& field, const VersionRange& version);
/// Whether some TVM of this version range may read the field.
bool is_written(const FieldInfo& field, const VersionRange& version);
/// The only field whose type changed: int until v0.15, PrimExpr from v0.16 on.
inline bool is_lanes(Kind kind, std::uint8_t field) {
  return (kind == Kind::Ramp && field == f::Ramp::lanes) ||
         (kind == Kind::Broadcast && field == f::Broadcast::lanes);
}
/// The expected content of a field, for messages: "an expression".
std::string_view describe(Expects expects);

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

struct Tensor {
  DType dtype;
  std::vector<std::int64_t> shape{};
  std::vector<std::byte> data{};
};

/// Decodes and checks one blob, or returns the error.
tl::expected<Tensor, std::string> decode_tensor(std::string_view base64);

/// Writes the blob of an NDArray node that has its data.
void encode_tensor(Node array, support::ByteSink& sink);

}  // namespace mlf::tir::save_json

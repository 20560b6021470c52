#include "tir/json/constants.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <bit>
#include <unordered_map>

#include "support/base64.h"
#include "support/error.h"
#include "support/sha256.h"
#include "tir/elements.h"
#include "tir/json/format.h"
#include "tir/json/members.h"

namespace mlf::tir::tir_json {

std::uint64_t byte_size(DType dtype, std::span<const std::int64_t> shape) {
  return product_of(shape, dtype.element_bytes()).value_or(UINT64_MAX);
}

std::string npy_descr(DType dtype) {
  const std::size_t bytes = dtype.element_bytes();
  const char order = bytes == 1 ? '|' : '<';
  // NumPy has integers of 1, 2, 4 and 8 bytes; other widths become opaque records.
  const bool whole = std::has_single_bit(bytes) && bytes <= 8;
  if (dtype.is_bool()) return "|b1";
  if (!whole) return fmt::format("|V{}", bytes);
  if (dtype.is_int()) return fmt::format("{}i{}", order, bytes);
  if (dtype.is_uint()) return fmt::format("{}u{}", order, bytes);
  // bfloat16 and the 8-bit floats have names only in ml_dtypes; NumPy without it cannot load them.
  if (dtype.code == TypeCode::Float && bytes > 1) return fmt::format("<f{}", bytes);
  return fmt::format("|V{}", bytes);
}

std::string npy_header(DType dtype, std::span<const std::int64_t> shape) {
  // A tuple of one needs its comma; `(3, 4,)` is fine, too.
  const std::string extents = fmt::format("{}{}", fmt::join(shape, ", "), shape.empty() ? "" : ",");
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   npy_descr(dtype), extents);
  // Magic, version, and the length of what follows as 16 bits.
  constexpr std::size_t kPrefix = 10;
  // NumPy pads the header with blanks and ends it with a line feed, to align the data for memory
  // mapping.
  constexpr std::size_t kAlignment = 64;
  header.append(kAlignment - 1 - (kPrefix + header.size()) % kAlignment, ' ');
  header += '\n';
  std::string prefix("\x93NUMPY\x01\x00", 8);
  prefix += static_cast<char>(header.size() & 0xFF);
  prefix += static_cast<char>(header.size() >> 8);
  return prefix + header;
}

namespace {

using Bytes = std::span<const std::byte>;

// Small constants stay in the document as base64: in a file, the header would be larger than the
// data.
bool goes_into_file(Node constant, Bytes data, const JsonOptions& options) {
  constexpr std::size_t kMaxRank = 32;  // NumPy's own limit up to 1.26
  return options.constants == ConstantPlace::npy && data.size() >= options.npy_threshold &&
         constant.integers(f::NDArray::shape).size() <= kMaxRank;
}

void write_type(json::Writer& emitter, Node constant) {
  emitter.member("dtype", to_string(constant.dtype(std::uint8_t{f::NDArray::dtype})));
  emitter.member("shape", constant.integers(f::NDArray::shape));
}

/// `known` is the digest of omitted data; empty if it is unknown.
void write_digest(json::Writer& emitter, Node constant, std::string_view known) {
  const std::uint64_t bytes = byte_size(constant.dtype(std::uint8_t{f::NDArray::dtype}),
                                        constant.integers(f::NDArray::shape));
  const auto data = constant.bytes(f::NDArray::data);
  // Only a module built by hand can fail here: readers reject data of the wrong size.
  if (bytes > INT64_MAX || (data && data->size() != bytes)) {
    throw support::Error(ErrorKind::invalid_input, "a constant's data does not fit its shape");
  }
  emitter.member("bytes", bytes);
  emitter.key("sha256");
  if (!data) return known.empty() ? emitter.null() : emitter.string(known);
  emitter.string(support::sha256_hex({reinterpret_cast<const char*>(data->data()), data->size()}));
}

using Data = std::optional<std::vector<std::byte>>;

struct Type {
  DType dtype;
  std::vector<std::int64_t> shape;
};

// The size follows from dtype and shape; otherwise the document was edited or truncated.
Type read_type(json::Value entry) {
  const Type type{
      read_dtype(entry.at("dtype")),
      json::list_of(entry.at("shape"), [](json::Value one) { return one.as_integer(); })};
  const json::Value bytes = entry.at("bytes");
  if (static_cast<std::uint64_t>(bytes.as_integer()) == byte_size(type.dtype, type.shape)) {
    return type;
  }
  bytes.fail("dtype and shape need another number of bytes");
}

Data read_base64(json::Value value) {
  if (value.is_null()) return std::nullopt;
  Data data = support::base64_decode(value.as_string());
  if (!data) value.fail("this is not base64");
  return data;
}

// Checks size and digest even if the data is in the document: the document may have been edited.
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

NodeId read_constant(Builder& builder, json::Value entry, std::size_t id) {
  // `data` and `file` exclude each other; null means that there is no data.
  const bool in_file = entry.is_object() && entry.find("file").has_value();
  check_keys(entry, {"id", "dtype", "shape", "bytes", "sha256", in_file ? "file" : "data"});
  if (expect_index(entry.at("id")) != id) {
    entry.at("id").fail(fmt::format("expected {}, ids count from 0", id));
  }
  const Type type = read_type(entry);
  if (in_file) entry.at("file").as_string();
  Data data = in_file ? std::nullopt : read_base64(entry.at("data"));
  check(entry, type, data);
  return builder.make(Kind::NDArray, {type.dtype, builder.integers(type.shape),
                                      data ? builder.bytes(std::move(*data)) : BytesId::none});
}

}  // namespace

// Only names the files. The writer of the archive requests their contents one at a time
// (write_npy), so at most one constant is copied.
std::vector<ConstantFile> write_constants(json::Writer& emitter, const Outline& outline,
                                          const Document& document, const JsonOptions& options) {
  // Most constants are in the text; an entry for data from elsewhere in the archive states the
  // member.
  std::unordered_map<std::uint32_t, std::string_view> found;
  for (const Recovered& one : document.recovered) found.emplace(index(one.constant), one.source);
  std::unordered_map<std::uint32_t, std::string_view> digests;
  for (const LeftOut& one : document.left_out) digests.emplace(index(one.constant), one.sha256);
  std::vector<ConstantFile> files;
  emitter.key("constants");
  emitter.begin_array();
  for (std::size_t id = 0; id < outline.constants().size(); ++id) {
    const Node constant(outline.module(), outline.constants()[id]);
    const auto data = constant.bytes(f::NDArray::data);
    emitter.begin_object();
    emitter.member("id", id);
    write_type(emitter, constant);
    const auto known = digests.find(index(constant.id()));
    write_digest(emitter, constant, known == digests.end() ? std::string_view() : known->second);
    if (data && goes_into_file(constant, *data, options)) {
      files.push_back({fmt::format("{}/{}.npy", options.npy_directory, id), constant.id()});
      emitter.member("file", files.back().path);
    } else {
      emitter.key("data");
      data&& options.constants != ConstantPlace::none ? emitter.base64(*data) : emitter.null();
    }
    if (const auto source = found.find(index(constant.id())); source != found.end()) {
      emitter.member("recovered", source->second);
    }
    emitter.end_object();
  }
  emitter.end_array();
  return files;
}

ConstantTable read_constants(Builder& builder, json::Value table) {
  table.expect(json::Type::array);
  ConstantTable constants;
  for (const json::Value entry : table.elements()) {
    const NodeId array = read_constant(builder, entry, constants.arrays.size());
    constants.arrays.push_back(array);
    const Node made = builder.node(array);
    const json::Value digest = entry.at("sha256");
    if (!made.bytes(f::NDArray::data) && !digest.is_null()) {
      constants.left_out.push_back({array, std::string(digest.text())});
    }
    if (const auto source = entry.find("recovered")) {
      constants.recovered.push_back({array, std::string(source->as_string())});
    }
  }
  return constants;
}

}  // namespace mlf::tir::tir_json

namespace mlf::tir {

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

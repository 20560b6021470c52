#include "tir/save_json/layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "support/base64.h"
#include "tir/elements.h"
#include "tir/save_json/json_graph.h"

namespace mlf::tir::save_json {
namespace {

// Attributes are sorted by name (a std::map in TVM), nodes.def has TVM's order of definition. With
// the names sorted once, one pass over both lists is enough.
std::vector<std::vector<NamedField>> index_fields() {
  std::vector<std::vector<NamedField>> index(all_kinds().size());
  for (const KindInfo& kind : all_kinds()) {
    assert(kind.fields.size() <= kMaxFields);
    std::vector<NamedField>& names = index[static_cast<std::size_t>(kind.kind)];
    for (std::uint8_t i = 0; i < kind.fields.size(); ++i) {
      names.push_back({kind.fields[i].name, i});
    }
    std::ranges::sort(names, {}, &NamedField::name);
  }
  return index;
}

bool is_pattern(Kind kind) {
  return kind == Kind::PatternWildcard || kind == Kind::PatternVar ||
         kind == Kind::PatternConstructor || kind == Kind::PatternTuple;
}

// kTVMNDArrayMagic of include/tvm/runtime/ndarray.h.
constexpr std::uint64_t kMagic = 0xDD5E40F096B4A13F;
constexpr std::size_t kFixedHeader = 32;  // magic, reserved, device, ndim, dtype
// SaveDLTensor always writes CPU, for data on any device.
constexpr std::int32_t kCpu = 1;
// Types that a user registers have codes from here on (DataType::kCustomBegin).
constexpr std::uint8_t kFirstCustomCode = 129;

// The size of others in bytes cannot be checked.
bool is_known(std::uint8_t code) {
  return code <= static_cast<std::uint8_t>(TypeCode::BFloat) ||
         code == static_cast<std::uint8_t>(TypeCode::E4M3Float) ||
         code == static_cast<std::uint8_t>(TypeCode::E5M2Float) || code >= kFirstCustomCode;
}

// The bytes of a tensor's data; TVM ignores lanes here.
std::int64_t expected_bytes(const Tensor& tensor) {
  const auto bytes = product_of(tensor.shape, tensor.dtype.element_bytes());
  return bytes && *bytes <= INT64_MAX ? static_cast<std::int64_t>(*bytes) : -1;
}

}  // namespace

std::span<const NamedField> fields_by_name(Kind kind) {
  static const auto index = index_fields();
  return index[static_cast<std::size_t>(kind)];
}

bool has_span(Kind kind) {
  switch (info(kind).category) {
    case Category::expr:
    case Category::buffer:
    case Category::function:
      return true;
    case Category::stmt:
      return kind != Kind::Block && kind != Kind::BlockRealize;
    case Category::part:
      return kind == Kind::Range || kind == Kind::IterVar || kind == Kind::CommReducer;
    case Category::type:
      return kind != Kind::PrimType && kind != Kind::PointerType && kind != Kind::GlobalTypeVar;
    case Category::object:
      // Of the other objects these are Relay's expressions and patterns.
      return field_named(kind, kCheckedType).has_value() || is_pattern(kind);
    default:
      return false;
  }
}

bool is_required(const FieldInfo& field, const VersionRange& version) {
  // A development build 0.x.dev may be as old as the previous release.
  const int first = version.first - (is_development(version) ? 1 : 0);
  // All versions that may have written the document have the field.
  return field.since <= first && version.last <= field.until;
}

bool is_written(const FieldInfo& field, const VersionRange& version) {
  // TVM ignores attributes that it does not read, so vendors' builds may get a few more.
  const int reach = is_development(version) ? 1 : 0;
  return field.since <= version.last + reach && version.last - reach <= field.until;
}

std::string_view describe(Expects expects) {
  constexpr std::pair<Expects, std::string_view> kWords[] = {
      {Expects::expr, "an expression"},
      {Expects::var, "a Var"},
      {Expects::buffer, "a Buffer"},
      {Expects::stmt, "a statement"},
      {Expects::range, "a Range"},
      {Expects::iter_var, "an IterVar"},
      {Expects::buffer_region, "a BufferRegion"},
      {Expects::match_buffer_region, "a MatchBufferRegion"},
      {Expects::comm_reducer, "a CommReducer"},
      {Expects::type, "a type"},
      {Expects::function, "a function"},
      {Expects::attributes, "a DictAttrs"},
      {Expects::callee, "an Op or GlobalVar"},
      {Expects::constant, "an NDArray"},
      {Expects::tensor, "an NDArray"},
  };
  for (const auto& [what, words] : kWords) {
    if (what == expects) return words;
  }
  return "an object";
}

// --- Tensors -----------------------------------------------------------------------------------

// Checks every number of a header against the data before it allocates memory: documents come from
// untrusted archives.
tl::expected<Tensor, std::string> tensor_of(std::vector<std::byte> blob) {
  const auto wrong = [](std::string message) { return tl::make_unexpected(std::move(message)); };
  if (blob.size() < kFixedHeader) return wrong("the data of an NDArray ends within its header");
  if (load_little_endian<std::uint64_t>(blob, 0) != kMagic)
    return wrong("not the magic number of an NDArray");
  const auto ndim = load_little_endian<std::int32_t>(blob, 24);
  // Eight bytes for each extent, and eight for the size of the data: hence "less than".
  const std::size_t most = (blob.size() - kFixedHeader) / 8;
  if (ndim < 0 || static_cast<std::size_t>(ndim) >= most) {
    return wrong(fmt::format("an NDArray of {} dimensions does not fit its data", ndim));
  }
  const auto code = load_little_endian<std::uint8_t>(blob, 28);
  if (!is_known(code)) return wrong(fmt::format("unknown dtype code {} of an NDArray", code));

  Tensor tensor{.dtype = {static_cast<TypeCode>(code), load_little_endian<std::uint8_t>(blob, 29),
                          load_little_endian<std::int16_t>(blob, 30)}};
  std::size_t at = kFixedHeader;
  for (std::int32_t i = 0; i < ndim; ++i, at += 8) {
    tensor.shape.push_back(load_little_endian<std::int64_t>(blob, at));
  }
  const auto bytes = load_little_endian<std::int64_t>(blob, at);
  at += 8;
  if (bytes != expected_bytes(tensor)) {
    return wrong(fmt::format("an NDArray declares {} bytes, its shape takes {}", bytes,
                             expected_bytes(tensor)));
  }
  if (blob.size() - at != static_cast<std::size_t>(bytes)) {
    return wrong(fmt::format("an NDArray of {} bytes has {}", bytes, blob.size() - at));
  }
  // Moves large constants inside their buffer, without a copy.
  blob.erase(blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(at));
  tensor.data = std::move(blob);
  return tensor;
}

tl::expected<Tensor, std::string> decode_tensor(std::string_view base64) {
  auto blob = support::base64_decode(base64);
  if (!blob) {
    return tl::make_unexpected(
        fmt::format("malformed base64 at character {}", support::base64_error_offset(base64) + 1));
  }
  return tensor_of(*std::move(blob));
}

std::vector<std::byte> tensor_header(DType dtype, std::span<const std::int64_t> shape,
                                     std::size_t data_bytes) {
  std::vector<std::byte> header;
  append_little_endian(header, kMagic);
  append_little_endian(header, std::uint64_t{0});
  append_little_endian(header, kCpu);
  append_little_endian(header, std::int32_t{0});
  append_little_endian(header, static_cast<std::int32_t>(shape.size()));
  append_little_endian(header, static_cast<std::uint8_t>(dtype.code));
  append_little_endian(header, dtype.bits);
  append_little_endian(header, dtype.lanes);
  for (const std::int64_t extent : shape) append_little_endian(header, extent);
  append_little_endian(header, static_cast<std::int64_t>(data_bytes));
  return header;
}

// Makes the short header, and streams the data without a copy.
void encode_tensor(Node array, support::ByteSink& sink) {
  const auto data = array.bytes(f::NDArray::data).value_or(std::span<const std::byte>());
  support::Base64Encoder encoder(sink);
  encoder.write(tensor_header(array.dtype(f::NDArray::dtype), array.integers(f::NDArray::shape),
                              data.size()));
  encoder.write(data);
  encoder.finish();
}

}  // namespace mlf::tir::save_json

#include "mlf/tir/module.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>

#include "support/lookup.h"
#include "tir/node_queries.h"
#include "tir/tvm_features.h"

namespace mlf::tir {
namespace {

// 64-bit values take two words of a node, everything else one.
constexpr std::uint8_t words_of(FieldType type) {
  return type == FieldType::integer || type == FieldType::real ? 2 : 1;
}

// Maps and integers are ids of lists, truth values and enumerations small integers: the words do
// not tell them apart, the rows of nodes.def do.
constexpr FieldType stored_as(FieldType type) {
  switch (type) {
    case FieldType::string_map:
    case FieldType::node_map:
    case FieldType::integers:
      return FieldType::list;
    case FieldType::boolean:
    case FieldType::enumeration:
      return FieldType::integer;
    default:
      return type;
  }
}

// Nullability as a number, so that nodes.def can say `some` and `null`. Both words are macros'
// arguments in every row.
enum Nullability : bool { some = false, null = true };

// Offsets follow from the order of fields in nodes.def and are computed at compile time. An empty
// field ends each row, because an array has at least one.
template <std::size_t N>
constexpr std::array<FieldInfo, N> with_offsets(std::array<FieldInfo, N> fields) {
  std::uint8_t offset = 0;
  for (FieldInfo& field : fields) {
    field.offset = offset;
    field.stored = stored_as(field.type);
    offset = static_cast<std::uint8_t>(offset + words_of(field.type));
  }
  return fields;
}

#define MLF_NODE(name, type_key, category, encoding, ...) \
  constexpr auto k##name##Fields = with_offsets(std::to_array<FieldInfo>({__VA_ARGS__{}}));
#define MLF_FIELD(name, type, expects, role, nullable, since, until) \
  {#name, FieldType::type, Expects::expects, Role::role, nullable, since, until, 0, {}},
#define MLF_FIELD_AS(name, spelling, type, expects, role, nullable, since, until) \
  {spelling, FieldType::type, Expects::expects, Role::role, nullable, since, until, 0, {}},
#include "mlf/tir/nodes.def"
#undef MLF_NODE
#undef MLF_FIELD
#undef MLF_FIELD_AS

// The size of a node in words is that of all its fields.
constexpr KindInfo row(Kind kind, std::string_view name, std::string_view type_key,
                       Category category, Encoding encoding, std::span<const FieldInfo> with_end) {
  const auto fields = with_end.first(with_end.size() - 1);
  const std::uint8_t words = with_end.back().offset;
  std::uint8_t scope = kNoField;
  for (std::uint8_t i = 0; i < fields.size(); ++i) {
    if (fields[i].role == Role::scope) scope = std::min(scope, i);
  }
  return {kind, name, type_key, category, encoding, fields, words, scope};
}

}  // namespace

// The same file a second time, for the kinds themselves.
constexpr KindInfo detail::kind_rows[] = {
#define MLF_NODE(name, type_key, category, encoding, ...) \
  row(Kind::name, #name, type_key, Category::category, Encoding::encoding, k##name##Fields),
#include "mlf/tir/nodes.def"
#undef MLF_NODE
};

// Node::dtype reads the first word of an expression, whatever its kind.
static_assert(std::ranges::all_of(detail::kind_rows, [](const KindInfo& kind) {
  return kind.category != Category::expr || kind.fields.front().type == FieldType::dtype;
}));

namespace {

using KindIndex = std::unordered_map<std::string_view, Kind>;

// Kinds without a type key are mlf's own.
KindIndex index_by(std::string_view KindInfo::*key) {
  KindIndex index;
  for (const KindInfo& kind : detail::kind_rows) {
    if (!(kind.*key).empty()) index.emplace(kind.*key, kind.kind);  // the first row of a key wins
  }
  return index;
}

// In the order of TVM's numbers: ForKind, IterVarType, BufferType. No number of a BufferType is 0.
constexpr std::string_view kForKinds[] = {"serial", "parallel", "vectorized", "unrolled",
                                          "thread_binding"};
constexpr std::string_view kIterVarTypes[] = {"DataPar",    "ThreadIndex",  "CommReduce",
                                              "Ordered",    "Opaque",       "Unrolled",
                                              "Vectorized", "Parallelized", "Tensorized"};
constexpr std::string_view kBufferTypes[] = {"", "default", "auto"};

}  // namespace

std::span<const KindInfo> all_kinds() {
  return detail::kind_rows;
}

std::optional<Kind> kind_named(std::string_view name) {
  // Made on first use: readers of JSON ask for every node.
  static const KindIndex index = index_by(&KindInfo::name);
  return support::value_at(index, name);
}

std::optional<Kind> kind_with_type_key(std::string_view type_key) {
  // A key may belong to two kinds (Map), and a class may have moved.
  static const KindIndex index = [] {
    KindIndex keys = index_by(&KindInfo::type_key);
    keys.emplace("tir.usmp.AllocatedPoolInfo", Kind::AllocatedPoolInfo);  // its key up to v0.12
    return keys;
  }();
  return support::value_at(index, type_key);
}

std::optional<std::uint8_t> scope_field(Kind kind) {
  const std::uint8_t field = info(kind).scope;
  return field == kNoField ? std::nullopt : std::optional(field);
}

std::optional<std::uint8_t> field_named(Kind kind, std::string_view name) {
  const auto fields = info(kind).fields;
  const auto found = std::ranges::find(fields, name, &FieldInfo::name);
  if (found == fields.end()) return std::nullopt;
  return static_cast<std::uint8_t>(std::distance(fields.begin(), found));
}

std::span<const std::string_view> enum_names(Expects which) {
  switch (which) {
    case Expects::for_kind:
      return kForKinds;
    case Expects::iter_var_type:
      return kIterVarTypes;
    case Expects::buffer_type:
      return kBufferTypes;
    default:
      return {};
  }
}

// Wider than TVM's own types where a document may hold something that the table does not know.
bool fits(Kind kind, Expects slot) {
  const Category category = info(kind).category;
  switch (slot) {
    case Expects::expr:  // or a reference into a metadata section that was left out
      return category == Category::expr || kind == Kind::MissingObject;
    case Expects::var:
      return is_var(kind);
    case Expects::buffer:
      return category == Category::buffer;
    case Expects::stmt:
      return category == Category::stmt;
    case Expects::range:
      return kind == Kind::Range;
    case Expects::iter_var:
      return kind == Kind::IterVar;
    case Expects::buffer_region:
      return kind == Kind::BufferRegion;
    case Expects::match_buffer_region:
      return kind == Kind::MatchBufferRegion;
    case Expects::comm_reducer:
      return kind == Kind::CommReducer;
    case Expects::type:  // or one that came after our table
      return category == Category::type || kind == Kind::Opaque;
    case Expects::function:
      return category == Category::function || kind == Kind::RelayFunction || kind == Kind::Opaque;
    case Expects::attributes:
      return kind == Kind::DictAttrs;
    case Expects::callee:
      return category == Category::object;
    case Expects::constant:
    case Expects::tensor:
      return category == Category::constant || kind == Kind::MissingObject;
    default:
      return true;
  }
}

}  // namespace mlf::tir

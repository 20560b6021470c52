#include "mlf/tir/kind.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <unordered_map>

#include "tir/tvm_features.h"

namespace mlf::tir {
namespace {

constexpr std::uint8_t words_of(FieldType type) {
  return type == FieldType::integer || type == FieldType::real ? 2 : 1;
}

// Nullability as a number, so that nodes.def can say `some` and `null`.
enum Nullability : bool { some = false, null = true };

template <std::size_t N>
constexpr std::array<FieldInfo, N> with_offsets(std::array<FieldInfo, N> fields) {
  std::uint8_t offset = 0;
  for (FieldInfo& field : fields) {
    field.offset = offset;
    offset = static_cast<std::uint8_t>(offset + words_of(field.type));
  }
  return fields;
}

#define MLF_NODE(name, type_key, category, encoding) \
  constexpr auto k##name##Fields = with_offsets(std::to_array<FieldInfo>({
#define MLF_FIELD(name, type, expects, role, nullable, since, until) \
  {#name, FieldType::type, Expects::expects, Role::role, nullable, since, until, 0},
#define MLF_FIELD_AS(name, spelling, type, expects, role, nullable, since, until) \
  {spelling, FieldType::type, Expects::expects, Role::role, nullable, since, until, 0},
#define MLF_END(name) \
  }));
#include "mlf/tir/nodes.def"
#undef MLF_NODE
#undef MLF_FIELD
#undef MLF_FIELD_AS
#undef MLF_END

constexpr KindInfo row(Kind kind, std::string_view name, std::string_view type_key,
                       Category category, Encoding encoding, std::span<const FieldInfo> fields) {
  const FieldInfo& last = fields.back();
  const auto words = static_cast<std::uint8_t>(last.offset + words_of(last.type));
  return {kind, name, type_key, category, encoding, fields, words};
}

constexpr KindInfo kRows[] = {
#define MLF_NODE(name, type_key, category, encoding) \
  row(Kind::name, #name, type_key, Category::category, Encoding::encoding, k##name##Fields),
#define MLF_FIELD(name, type, expects, role, nullable, since, until)
#define MLF_FIELD_AS(name, spelling, type, expects, role, nullable, since, until)
#define MLF_END(name)
#include "mlf/tir/nodes.def"
#undef MLF_NODE
#undef MLF_FIELD
#undef MLF_FIELD_AS
#undef MLF_END
};

using KindIndex = std::unordered_map<std::string_view, Kind>;

KindIndex index_by(std::string_view KindInfo::*key) {
  KindIndex index;
  for (const KindInfo& kind : kRows) {
    if (!(kind.*key).empty()) index.emplace(kind.*key, kind.kind);  // the first row of a key wins
  }
  return index;
}

constexpr std::string_view kForKinds[] = {"serial", "parallel", "vectorized", "unrolled",
                                          "thread_binding"};
constexpr std::string_view kIterVarTypes[] = {"DataPar",    "ThreadIndex",  "CommReduce",
                                              "Ordered",    "Opaque",       "Unrolled",
                                              "Vectorized", "Parallelized", "Tensorized"};
constexpr std::string_view kBufferTypes[] = {"", "default", "auto"};

}  // namespace

std::span<const KindInfo> all_kinds() {
  return kRows;
}

const KindInfo& info(Kind kind) {
  return kRows[static_cast<std::size_t>(kind)];
}

std::optional<Kind> kind_named(std::string_view name) {
  static const KindIndex index = index_by(&KindInfo::name);
  const auto found = index.find(name);
  return found == index.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Kind> kind_with_type_key(std::string_view type_key) {
  static const KindIndex index = [] {
    KindIndex keys = index_by(&KindInfo::type_key);
    keys.emplace("tir.usmp.AllocatedPoolInfo", Kind::AllocatedPoolInfo);  // its key up to v0.12
    return keys;
  }();
  const auto found = index.find(type_key);
  return found == index.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint8_t> scope_field(Kind kind) {
  const auto fields = info(kind).fields;
  const auto at = std::find_if(fields.begin(), fields.end(),
                               [](const FieldInfo& field) { return field.role == Role::scope; });
  if (at == fields.end()) return std::nullopt;
  return static_cast<std::uint8_t>(at - fields.begin());
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

}  // namespace mlf::tir

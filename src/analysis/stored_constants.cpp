#include "analysis/stored_constants.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "analysis/fingerprint.h"
#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "tir/elements.h"
#include "tir/node_queries.h"
#include "tir/pools.h"

namespace mlf::analysis {
namespace {

using tir::DType;
using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// A constant as one kernel stores it.
struct Stored {
  Node variable;
  std::string name;
  StoredPlace place{};
  DType dtype{};  ///< void: not known
  std::optional<std::uint64_t> elements{};
  std::optional<std::span<const std::byte>> data{};
};

/// The elements of a tensor; nothing if they are unknown or more than a number can be.
std::optional<std::uint64_t> product_of(tir::NodeList extents) {
  return graph::bytes_of(DType::UInt(8), extents);
}

/// The values of a constant, if the TIR has them.
void take_array(Node array, Stored& stored) {
  if (!array || !array.is(Kind::NDArray)) return;
  stored.data = array.bytes(f::NDArray::data);
  stored.dtype = array.dtype(f::NDArray::dtype);
  const std::size_t bytes = std::max<std::size_t>(stored.dtype.element_bytes(), 1);
  if (stored.data) stored.elements = stored.data->size() / bytes;
}

/// The values of constants in pools, by place.
std::map<StoredPlace, Node> arrays_in_pools(Node function) {
  std::map<StoredPlace, Node> arrays;
  for (const tir::PoolUse& use : tir::pool_uses(function)) {
    const Node pool = use.allocated[f::AllocatedPoolInfo::pool_info];
    if (!pool || !pool.is(Kind::ConstantPoolInfo)) continue;
    for (const Node constant : pool.list(f::ConstantPoolInfo::constant_info_array)) {
      const auto at = tir::pool_offset(constant);
      if (!at) continue;
      arrays.emplace(StoredPlace{std::string(use.name), *at}, constant[f::ConstantInfo::data]);
    }
  }
  return arrays;
}

/// The name of a pool that is a parameter, by the parameter's buffer.
std::unordered_map<tir::NodeId, std::string> pool_names(Node function) {
  std::unordered_map<tir::NodeId, std::string> names;
  const tir::NodeMap buffers = function.map(f::PrimFunc::buffer_map);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::string_view parameter = buffers.key(i).text(f::Var::name);
    const std::string_view pool = tir::pool_name(parameter);
    names.emplace(buffers.value(i).id(), std::string(pool.empty() ? parameter : pool));
  }
  return names;
}

std::vector<Stored> constants_of(Node function) {
  std::vector<Stored> constants;
  tir::for_each_pre_order(function, [&](Node node) {
    if (!node.is(Kind::AllocateConst)) return;
    const Node variable = node[f::AllocateConst::buffer_var];
    Stored stored{.variable = variable,
                  .name = std::string(variable.text(f::Var::name)),
                  .dtype = node.dtype(f::AllocateConst::dtype),
                  .elements = product_of(node.list(f::AllocateConst::extents))};
    take_array(node[f::AllocateConst::data], stored);
    constants.push_back(std::move(stored));
  });
  const auto names = pool_names(function);
  const auto arrays = arrays_in_pools(function);
  for (const Node let : constants_in_pools(function)) {
    const Node variable = let[f::LetStmt::var];
    const Node load = let[f::LetStmt::value].list(f::Call::args)[0];
    const Node offset = load.list(f::BufferLoad::indices)[0];
    const auto name = names.find(load[f::BufferLoad::buffer].id());
    Stored stored{.variable = variable,
                  .name = std::string(variable.text(f::Var::name)),
                  .place = {name == names.end() ? std::string() : name->second,
                            static_cast<std::uint64_t>(offset.integer(f::IntImm::value))}};
    const auto array = arrays.find(stored.place);
    if (array != arrays.end()) take_array(array->second, stored);
    constants.push_back(std::move(stored));
  }
  return constants;
}

/// Texts have the form of a constant without its values in the buffers through which it is loaded.
void take_buffers(Node function, std::vector<Stored>& constants) {
  std::unordered_map<tir::NodeId, Stored*> by_variable;
  for (Stored& one : constants) by_variable.emplace(one.variable.id(), &one);
  tir::for_each_pre_order(function, [&](Node node) {
    if (!node.is(Kind::Buffer)) return;
    const auto found = by_variable.find(node[f::Buffer::data].id());
    if (found == by_variable.end()) return;
    Stored& stored = *found->second;
    if (stored.dtype.is_void()) stored.dtype = node.dtype(f::Buffer::dtype);
    if (!stored.elements) stored.elements = product_of(node.list(f::Buffer::shape));
  });
}

/// A number as text or code has it, whatever its type: equal numbers have equal parts.
struct Number {
  bool is_negative = false;
  std::uint64_t bits = 0;  ///< of an integer, or of a float64
  friend bool operator==(const Number&, const Number&) = default;
};

std::optional<Number> number_at(DType dtype, std::span<const std::byte> data, std::size_t i) {
  std::optional<Number> number;
  tir::with_number(dtype, [&]<class T>(T value) {
    value = tir::element<T>(data, i);
    if constexpr (std::is_floating_point_v<T>) {
      number = {false, std::bit_cast<std::uint64_t>(static_cast<double>(value))};
    } else {
      number = {value < T{}, static_cast<std::uint64_t>(static_cast<std::int64_t>(value))};
    }
  });
  return number;
}

/// A constant of one element has that value at each index.
bool have_equal_values(const Stored& a, const Stored& b) {
  if (a.dtype == b.dtype && a.elements == b.elements) return std::ranges::equal(*a.data, *b.data);
  const std::uint64_t count = std::max(*a.elements, *b.elements);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto value = number_at(a.dtype, *a.data, *a.elements == 1 ? 0 : i);
    if (!value || value != number_at(b.dtype, *b.data, *b.elements == 1 ? 0 : i)) return false;
  }
  return true;
}

bool is_integer(DType dtype) {
  return dtype.is_int() || dtype.is_uint();
}

bool have_other_counts(const Stored& a, const Stored& b) {
  return a.elements && b.elements && a.elements != b.elements;
}

bool may_be_the_same(const Stored& a, const Stored& b) {
  const bool are_alike = is_integer(a.dtype) == is_integer(b.dtype) &&
                         (is_integer(a.dtype) || a.dtype.code == b.dtype.code);
  const bool is_single = a.elements == 1U || b.elements == 1U;
  if (!are_alike || a.place.pool != b.place.pool) return false;
  if (have_other_counts(a, b) && !is_single) return false;
  const bool are_known =
      a.data && b.data && a.elements.value_or(0) > 0 && b.elements.value_or(0) > 0;
  return are_known ? have_equal_values(a, b) : a.place.pool.empty() || a.name == b.name;
}

}  // namespace

std::optional<std::vector<StoredConstant>> constants_in_other_form(Node before, Node after) {
  std::vector<Stored> a = constants_of(before);
  std::vector<Stored> b = constants_of(after);
  if (a.size() != b.size()) return std::nullopt;
  take_buffers(before, a);
  take_buffers(after, b);
  std::vector<StoredConstant> constants;
  std::vector<ConstantForm> forms_before;
  std::vector<ConstantForm> forms_after;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!may_be_the_same(a[i], b[i])) return std::nullopt;
    const StoredConstant& stored =
        constants.emplace_back(StoredConstant{.has_other_type = a[i].dtype != b[i].dtype,
                                              .has_other_count = have_other_counts(a[i], b[i]),
                                              .before = std::move(a[i].place),
                                              .after = std::move(b[i].place)});
    const bool is_a = a[i].dtype.element_bytes() >= b[i].dtype.element_bytes();
    const DType dtype = is_a ? a[i].dtype : b[i].dtype;
    forms_before.push_back({a[i].variable.id(), dtype, !stored.has_other_count});
    forms_after.push_back({b[i].variable.id(), dtype, !stored.has_other_count});
  }
  if (fingerprint_without_storage(before, forms_before) !=
      fingerprint_without_storage(after, forms_after)) {
    return std::nullopt;
  }
  return constants;
}

}  // namespace mlf::analysis

#include "optimize/new_constants.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "mlf/tir/builder.h"
#include "mlf/tir/visit.h"
#include "optimize/narrow_type.h"

namespace mlf::optimize {
namespace {

using tir::Builder;
using tir::Kind;
using tir::Node;
using tir::NodeId;
namespace f = tir::f;

class Rewriting {
 public:
  explicit Rewriting(tir::Module module) : root_(module.root().id()), builder_(std::move(module)) {}

  tir::Module run(std::span<const ConstantsChange> changes) && {
    for (const auto& [constants, wanted] : changes) {
      for (const ConstantUse& use : constants.uses) {
        if (const NewConstant* const after = wanted.of(use)) change_use(use, *after);
      }
      for (const ConstantPool& pool : constants.pools) change_pool(pool, wanted);
      for (const FunctionSites& function : constants.sites) {
        for (const StatedNumber& number : stated_numbers(function, wanted)) {
          set_number(number.integer, number.change.after);
        }
      }
    }
    put_casts();
    return std::move(builder_).finish(root_);
  }

 private:
  Node node(NodeId id) const { return builder_.node(id); }

  void change_use(const ConstantUse& use, const NewConstant& wanted) {
    if (!wanted.changes(use.element)) return;
    if (node(use.owner).is(Kind::AllocateConst)) {
      const NodeId array = use.spells_elements && wanted.is_single() ? single_array(use, wanted)
                                                                     : array_as(use.array, wanted);
      builder_.set(use.owner, f::AllocateConst::data, array);
    }
    if (wanted.dtype != use.element) change_dtype(use, wanted.dtype);
    if (wanted.is_single()) make_single(use);
  }

  void change_dtype(const ConstantUse& use, tir::DType dtype) {
    change_variable(use.variable, dtype);
    if (node(use.owner).is(Kind::AllocateConst)) {
      builder_.set(use.owner, f::AllocateConst::dtype, dtype);
    }
    for (const NodeId buffer : use.buffers) builder_.set(buffer, f::Buffer::dtype, dtype);
    for (const NodeId load : use.loads) {
      builder_.set(load, f::BufferLoad::dtype, dtype);
      casts_.emplace(load, builder_.make(Kind::Cast, {use.element, load}));
    }
  }

  void make_single(const ConstantUse& use) {
    if (node(use.owner).is(Kind::AllocateConst)) {
      builder_.set(use.owner, f::AllocateConst::extents,
                   filled(node(use.owner).list(f::AllocateConst::extents), 1));
    }
    for (const NodeId buffer : use.buffers) {
      builder_.set(buffer, f::Buffer::shape, filled(node(buffer).list(f::Buffer::shape), 1));
    }
    for (const NodeId load : use.loads) {
      builder_.set(load, f::BufferLoad::indices,
                   filled(node(load).list(f::BufferLoad::indices), 0));
    }
  }

  /// A list of the same length and types with this value in each element.
  tir::ListId filled(tir::NodeList old, std::int64_t value) {
    std::vector<tir::DType> dtypes;
    for (const Node item : old) dtypes.push_back(item.dtype());
    std::vector<NodeId> items;
    for (const tir::DType dtype : dtypes) {
      items.push_back(builder_.make(Kind::IntImm, {dtype, value}));
    }
    return builder_.list(items);
  }

  /// Makes a new pointer type with the same scope and other elements, because other variables may
  /// share the old type.
  void change_variable(NodeId variable, tir::DType element) {
    const Node type = node(variable)[f::Var::type_annotation];
    if (!type || !type.is(Kind::PointerType)) return;
    const std::string scope(type.text(f::PointerType::storage_scope));
    const NodeId primitive = builder_.make(Kind::PrimType, {element});
    builder_.set(variable, f::Var::type_annotation,
                 builder_.make(Kind::PointerType, {primitive, builder_.string(scope)}));
  }

  /// A text omits elements of a long constant, but never the only one.
  NodeId single_array(const ConstantUse& use, const NewConstant& wanted) {
    const std::vector<std::int64_t> shape(node(use.owner).list(f::AllocateConst::extents).size(),
                                          1);
    const tir::ListId shape_id = builder_.integers(shape);
    return builder_.make(Kind::NDArray, {wanted.dtype, shape_id, builder_.bytes(wanted.single)});
  }

  /// Makes a new NDArray: a constant of Relay, which stays, may share the old one.
  NodeId array_as(NodeId id, const NewConstant& wanted) {
    const std::tuple key{id, wanted.dtype.packed(), wanted.is_single()};
    const auto known = arrays_.find(key);
    if (known != arrays_.end()) return known->second;
    const Node array = id == NodeId::none ? Node() : node(id);
    if (!array || !array.is(Kind::NDArray)) return id;
    const auto extents = array.integers(f::NDArray::shape);
    std::vector<std::int64_t> shape(extents.begin(), extents.end());
    if (wanted.is_single()) std::ranges::fill(shape, 1);
    // Texts omit the data of long constants.
    const auto data = array.bytes(f::NDArray::data);
    std::vector<std::byte> new_data;
    if (data) {
      new_data = wanted.is_single()
                     ? wanted.single
                     : converted(array.dtype(f::NDArray::dtype), *data, wanted.dtype);
    }
    const tir::BytesId data_id = data ? builder_.bytes(std::move(new_data)) : tir::BytesId::none;
    const tir::ListId shape_id = builder_.integers(shape);
    return arrays_[key] = builder_.make(Kind::NDArray, {wanted.dtype, shape_id, data_id});
  }

  void set_number(NodeId integer, std::uint64_t value) {
    const auto [known, is_new] = numbers_.try_emplace(integer, value);
    if (!is_new && known->second != value) {
      edit::refuse("one number would need two new values: " + std::to_string(known->second) +
                   " and " + std::to_string(value));
    }
    builder_.set(integer, f::IntImm::value, static_cast<std::int64_t>(value));
  }

  void change_pool(const ConstantPool& pool, const NewConstants& all) {
    std::vector<NodeId> left;
    for (const PoolConstant& constant : pool.constants) {
      const NewConstant* const wanted = all.of(pool, constant);
      if (wanted != nullptr && wanted->is_removed) continue;
      left.push_back(constant.info);
      if (wanted == nullptr) continue;
      set_number(node(constant.info)[f::ConstantInfo::byte_offset].id(), wanted->offset);
      const Node array = constant.array == NodeId::none ? Node() : node(constant.array);
      if (!array || !array.is(Kind::NDArray)) continue;
      if (!wanted->changes(array.dtype(f::NDArray::dtype))) continue;
      builder_.set(constant.info, f::ConstantInfo::data, array_as(constant.array, *wanted));
    }
    const bool is_new = changed_pools_.insert(pool.info).second;
    if (!is_new) edit::refuse("modules share constant pool '" + pool.name + "'");
    if (left.size() == pool.constants.size()) return;
    builder_.set(pool.info, f::ConstantPoolInfo::constant_info_array, builder_.list(left));
  }

  /// Redirects every reference to a load to its cast.
  void put_casts() {
    if (casts_.empty()) return;
    std::vector<NodeId> users;
    tir::for_each_pre_order(node(root_), [&](Node user) {
      bool uses = false;
      tir::for_each_child(user, [&](Node child, const tir::FieldInfo&) {
        uses = uses || casts_.contains(child.id());
      });
      if (uses) users.push_back(user.id());
    });
    for (const NodeId user : users) put_casts_into(user);
  }

  NodeId cast_of(NodeId id) const {
    const auto found = casts_.find(id);
    return found == casts_.end() ? id : found->second;
  }

  void put_casts_into(NodeId user) {
    const auto fields = node(user).info().fields;
    for (std::uint8_t i = 0; i < fields.size(); ++i) {
      if (fields[i].type == tir::FieldType::node) {
        const Node child = node(user).node(i);
        if (child && casts_.contains(child.id())) builder_.set(user, i, cast_of(child.id()));
      } else if (fields[i].type == tir::FieldType::list) {
        std::vector<NodeId> items;
        bool changes = false;
        for (const Node item : node(user).list(i)) {
          items.push_back(cast_of(item.id()));
          changes = changes || items.back() != item.id();
        }
        if (changes) builder_.set(user, i, builder_.list(items));
      }
    }
  }

  NodeId root_;
  Builder builder_;
  std::unordered_map<NodeId, std::uint64_t> numbers_;  // new values
  std::unordered_set<NodeId> changed_pools_;           // ConstantPoolInfo
  std::unordered_map<NodeId, NodeId> casts_;           // by load
  // By old NDArray, new type, and whether the new one has a single element.
  std::map<std::tuple<NodeId, std::uint32_t, bool>, NodeId> arrays_;
};

}  // namespace

const NewConstant* NewConstants::of(const ConstantUse& use) const {
  if (use.parameter) {
    const auto found = parameters.find({use.function, *use.parameter});
    return found == parameters.end() ? nullptr : &found->second;
  }
  if (!use.pool.empty()) {
    const auto found = in_pools.find({use.pool, use.offset});
    return found == in_pools.end() ? nullptr : &found->second;
  }
  const auto found = arrays.find(use.function);
  if (found == arrays.end() || use.ordinal >= found->second.size()) return nullptr;
  return &found->second[use.ordinal];
}

const NewConstant* NewConstants::of(const ConstantPool& pool, const PoolConstant& constant) const {
  const auto found = in_pools.find({pool.name, constant.offset});
  return found == in_pools.end() ? nullptr : &found->second;
}

std::vector<StatedNumber> stated_numbers(const FunctionSites& function,
                                         const NewConstants& wanted) {
  std::vector<StatedNumber> numbers;
  for (const LetSite& let : function.lets) {
    const auto found = wanted.in_pools.find({let.pool, let.value});
    if (found == wanted.in_pools.end()) continue;
    numbers.push_back(
        {let.offset, {let.value, found->second.offset}, "the offset of '" + let.variable + "'"});
  }
  for (const SizeSite& size : function.sizes) {
    const auto found = wanted.pool_sizes.find(size.pool);
    if (found == wanted.pool_sizes.end()) continue;
    numbers.push_back({size.size, found->second, "the size of pool '" + size.pool + "'"});
  }
  return numbers;
}

tir::Module with_new_constants(tir::Module module, std::span<const ConstantsChange> changes) {
  return Rewriting(std::move(module)).run(changes);
}

}  // namespace mlf::optimize

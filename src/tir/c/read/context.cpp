#include "tir/c/read/context.h"

#include <algorithm>
#include <array>

#include "tir/c/language.h"

namespace mlf::tir::c {
namespace {

// The memory planner names the pointer into a pool after the buffer.
constexpr std::string_view kPoolSlot = "_let";

}  // namespace

/// The generator has one table of names for the whole function: the same name is the same variable.
/// People use a name again behind the block that it is from.
bool Names::bind(std::string_view name, const Binding& binding) {
  const auto reserved = reserved_words();
  const bool is_word = std::ranges::find(reserved, name) != reserved.end() || scalar_type(name);
  if (is_word) return false;
  const auto [found, is_new] = bindings_.try_emplace(name, binding);
  const bool is_free = is_new || found->second.kind == BindingKind::ended;
  if (!is_free && found->second.kind != BindingKind::pending) return false;
  found->second = binding;
  if (is_free && binding.kind != BindingKind::constant) bound_.push_back(name);
  return true;
}

void Names::end_scope(std::size_t first) {
  for (; bound_.size() > first; bound_.pop_back()) {
    const auto found = bindings_.find(bound_.back());
    if (found != bindings_.end()) found->second = {BindingKind::ended, DType::Void(), NodeId::none};
  }
}

/// `settle` sets its extent at the end.
Buffers::Use& Buffers::use(NodeId var, DType element) {
  // After storage rewriting, an array may be read with several types: each gets a buffer.
  const auto [found, is_new] = by_var_.try_emplace({var, element.packed()}, uses_.size());
  if (!is_new) return uses_[found->second];
  // A new name may move the table of strings.
  std::string name(make_->builder().node(var).text(f::Var::name));
  if (name.ends_with(kPoolSlot)) name.resize(name.size() - kPoolSlot.size());
  const NodeId buffer =
      make_->buffer({.name = name, .data = var, .dtype = element, .shape = {make_->int32(0)}});
  uses_.push_back({var, element, buffer});
  return uses_.back();
}

NodeId Buffers::access(NodeId var, DType element, const std::optional<Interval>& index) {
  Use& used = use(var, element);
  index ? static_cast<void>(used.extent = std::max(used.extent, index->high + 1)) : set_into(var);
  return used.buffer;
}

NodeId Buffers::of(NodeId var, DType element) {
  return use(var, element).buffer;
}

void Buffers::limit_bytes(NodeId var, std::int64_t bytes) {
  const auto [found, is_new] = most_.try_emplace(var, bytes);
  if (!is_new) found->second = std::min(found->second, bytes);
}

std::optional<std::int64_t> Buffers::declared_bytes(NodeId var) const {
  return support::value_at(bytes_, var);
}

/// Up to the highest index, but within the available bytes.
std::int64_t Buffers::bytes_used(const Use& use) const {
  const auto size = static_cast<std::int64_t>(use.element.element_bytes());
  const auto most = most_.find(use.var);
  const std::int64_t used = use.extent * size;
  return most == most_.end() ? used : std::min(used, most->second);
}

/// Few: one for each element type.
std::vector<std::size_t> Buffers::uses_of(NodeId var) const {
  std::vector<std::size_t> uses;
  for (auto use = by_var_.lower_bound({var, 0}); use != by_var_.end() && use->first.first == var;
       ++use) {
    uses.push_back(use->second);
  }
  return uses;
}

std::optional<std::int64_t> Buffers::bytes_of(NodeId var) const {
  if (const auto known = declared_bytes(var)) return known;
  if (unbounded_.contains(var)) return std::nullopt;
  std::int64_t most = 0;
  for (const std::size_t use : uses_of(var)) most = std::max(most, bytes_used(uses_[use]));
  return most > 0 ? std::optional(most) : std::nullopt;
}

void Buffers::rename(NodeId var, std::string_view name) {
  for (const std::size_t use : uses_of(var)) {
    make_->builder().set(uses_[use].buffer, f::Buffer::name, make_->builder().string(name));
  }
}

std::optional<DType> Buffers::element_of(NodeId var) const {
  const auto found = by_var_.lower_bound({var, 0});
  if (found == by_var_.end() || found->first.first != var) return std::nullopt;
  return uses_[found->second].element;
}

/// In elements, rounded up: elements of another type may end inside one of these. An unknown extent
/// becomes a variable.
NodeId Buffers::extent_of(const Use& use) {
  const auto bytes = bytes_of(use.var);
  if (!bytes) {
    const std::string name(make_->builder().node(use.buffer).text(f::Buffer::name));
    return make_->var(name + "_extent", make_->prim_type(DType::Int(32)));
  }
  const auto size =
      static_cast<std::int64_t>(std::max<std::size_t>(use.element.element_bytes(), 1));
  const std::int64_t extent = *bytes / size + (*bytes % size != 0 ? 1 : 0);
  return make_->integer(extent);
}

void Buffers::settle() {
  for (const Use& used : uses_) {
    const std::array shape = {extent_of(used)};
    make_->builder().set(used.buffer, f::Buffer::shape, make_->builder().list(shape));
  }
}

}  // namespace mlf::tir::c

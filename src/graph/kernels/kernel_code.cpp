#include "graph/kernels/kernel_code.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "graph/kernels/callees.h"
#include "graph/node_queries.h"
#include "support/lookup.h"
#include "tir/cmsis_nn.h"
#include "tir/ethos_u.h"
#include "tir/node_queries.h"

namespace mlf::graph {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

// Definitions come before their uses, because parents come before their parts.
Memories::Memories(Node function, const EvaluationOrder& order) : scope_(function) {
  const tir::NodeList params = function.list(f::PrimFunc::params);
  for (const Node param : params) use(param);
  // Texts give the variable of a parameter a name that is derived from that of its Buffer.
  const tir::NodeMap buffers = function.map(f::PrimFunc::buffer_map);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const auto memory = of_pointer(buffers.key(i));
    const std::string_view name = buffers.value(i).text(f::Buffer::name);
    if (memory && !name.empty()) memories_[*memory].name = std::string(name);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    define(order[i]);
    if (const Node data = data_of_access(order[i])) use(data);
    // Memory that is only passed on also counts: the callee accesses it.
    if (order[i].is(Kind::Call)) {
      for (const Node arg : order[i].list(f::Call::args)) {
        const Node pointer = tir::passed_pointer(order[i], arg);
        if (scope_.address_of(pointer).kind != AddressKind::unknown) use(pointer);
      }
    }
  }
}

// Ignores Buffers: they are views of the memory of their variable.
void Memories::define(Node node) {
  if (const auto let = let_of(node)) {
    // Generated C allocates large memory by a call instead of an Allocate.
    if (is_workspace_allocation(let->value)) {
      scope_.allocate(let->var);
    } else if (let->var.dtype().is_handle()) {
      scope_.bind(let->var, let->value);
    }
    return;
  }
  switch (node.kind()) {
    case Kind::Allocate:
      return scope_.allocate(node[f::Allocate::buffer_var]);
    case Kind::AllocateConst:
      constants_.push_back(tir::index(node[f::AllocateConst::buffer_var].id()));
      return scope_.allocate(node[f::AllocateConst::buffer_var]);
    case Kind::BufferRealize:
      return scope_.allocate(node[f::BufferRealize::buffer][f::Buffer::data]);
    case Kind::Block:
      for (const Node buffer : node.list(f::Block::alloc_buffers)) {
        scope_.allocate(buffer[f::Buffer::data]);
      }
      for (const Node match : node.list(f::Block::match_buffers)) {
        const Node source = match[f::MatchBufferRegion::source][f::BufferRegion::buffer];
        scope_.bind(match[f::MatchBufferRegion::buffer][f::Buffer::data],
                    scope_.address_of(source[f::Buffer::data]));
      }
      return;
    default:
      return;
  }
}

/// The variable of its address identifies a tensor in a pool; the address itself identifies any
/// other tensor.
Memories::Key Memories::key_of(const Address& address, Node data) {
  if (address.alias != tir::NodeId::none) {
    return {AddressKind::local, 0, 0, tir::index(address.alias)};
  }
  if (address.kind == AddressKind::unknown) {
    return {AddressKind::unknown, 0, 0, tir::index(data.id())};
  }
  return {address.kind, address.root, address.inside ? address.offset : 0, 0};
}

void Memories::use(Node data) {
  const Address address = scope_.address_of(data);
  const auto [at, is_new] = positions_.emplace(key_of(address, data), memories_.size());
  if (!is_new) return;
  Memory memory{{}, address};
  const Node variable = without_casts(data);
  if (tir::is_var(variable)) {
    memory.name = std::string(variable.text(f::Var::name));
  }
  if (address.kind == AddressKind::local) {
    memory.is_constant =
        std::find(constants_.begin(), constants_.end(), address.root) != constants_.end();
  }
  memories_.push_back(std::move(memory));
}

std::optional<std::size_t> Memories::of_pointer(Node pointer) const {
  return support::value_at(positions_, key_of(scope_.address_of(pointer), pointer));
}

std::optional<std::size_t> Memories::of_access(Node access) const {
  const Node data = data_of_access(access);
  return data ? of_pointer(data) : std::nullopt;
}

namespace {

bool is_guard(const Part& part) {
  const bool has_guard =
      part.when == When::guard_holds || part.when == When::guard_fails || part.when >= When::chosen;
  return has_guard && integer_of(part.guard) != 1;
}

bool is_loop(const Part& part) {
  return part.when == When::each_iteration || part.when == When::unknown_times;
}

/// Without an expression, it is not known.
Constraint condition_of(const Part& part) {
  switch (part.when) {
    case When::guard_holds:
    case When::chosen:
      return {part.guard, Constraint::Test::holds};
    case When::guard_fails:
    case When::not_chosen:
      return {part.guard, Constraint::Test::fails};
    default:
      return {};
  }
}

bool calls_function(Node call) {
  return call[f::Call::op].is(Kind::GlobalVar) || is_calling(operator_of(call));
}

}  // namespace

KernelCode::KernelCode(Node of)
    : function(of),
      order(of[f::PrimFunc::body]),
      bindings(bindings_of(order)),
      memories(of, order),
      bound_(of.module()) {
  find_statements();
  find_control();
  read_lets();
  find_accesses();
}

IterationDomain KernelCode::around(std::size_t position) const {
  IterationDomain domain;
  for (Level at = level_of_[position]; at != 0; at = levels_[at - 1].outer) {
    const OpenLevel& level = levels_[at - 1];
    if (level.part.when == When::each_iteration) {
      domain.loops.push_back({level.whole});
    } else {
      domain.tests.push_back({condition_of(level.part)});
    }
  }
  std::ranges::reverse(domain.loops);
  // `bindings` has one value of each variable.
  if (!rebound.empty()) domain.tests.emplace_back();
  return domain;
}

void KernelCode::find_statements() {
  statements_.assign(order.size(), SIZE_MAX);
  is_shared_.assign(order.size(), false);
  is_in_several_.assign(order.size(), false);
  std::vector<bool> has_whole(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!tir::is_expr(order[i].category())) statements_[i] = i;
    for (const Part& part : order.parts(i)) {
      const std::size_t at = part.position;
      const bool is_expression = tir::is_expr(part.node.category());
      if (is_expression) {
        const bool is_other = has_whole[at] && statements_[at] != statements_[i];
        is_in_several_[at] = is_in_several_[at] || is_other || is_in_several_[i];
        statements_[at] = std::min(statements_[at], statements_[i]);
      }
      if (is_shared_[i] || (!is_expression && has_whole[at])) is_shared_[at] = true;
      has_whole[at] = true;
    }
  }
}

void KernelCode::find_control() {
  control_.resize(order.size());
  level_of_.resize(order.size());
  std::vector<bool> is_known(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Part& part : order.parts(i)) {
      const std::size_t at = part.position;
      const bool is_guarded = control_[i].is_guarded || is_guard(part);
      const bool may_be_inside = control_[i].may_be_inside || is_guard(part) || is_loop(part);
      if (!is_known[at]) {
        const bool is_level = part.when != When::always;
        if (is_level) levels_.push_back({part, order[i], level_of_[i]});
        level_of_[at] = is_level ? static_cast<Level>(levels_.size()) : level_of_[i];
      }
      control_[at].is_guarded = is_guarded && (control_[at].is_guarded || !is_known[at]);
      control_[at].may_be_inside |= may_be_inside;
      is_known[at] = true;
    }
  }
}

void KernelCode::read_lets() {
  for (std::size_t i = 0; i < memories.size(); ++i) {
    is_packed_ |= memories[i].address.kind == AddressKind::argument;
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto let = let_of(order[i]);
    if (!let) continue;
    const auto bound = bindings.find(tir::index(let->var.id()));
    if (bound->second.id() != let->value.id()) rebound.push_back(let->var);
    const Address address = address_of(let->var);
    is_packed_ |= address.kind == AddressKind::argument;
    if (address.is_of_caller()) bound_.insert(without_casts(let->value).id());
  }
}

void KernelCode::add(MemoryAccess use) {
  use.statement = statements_[use.position];
  use.address = address_of(use.pointer);
  accesses.push_back(std::move(use));
}

// tvm_access_ptr(type, data, offset, extent, mask): a mask of 1 reads, of 2 writes, of 3 does both.
void KernelCode::add_call(std::size_t position, Node call) {
  const tir::NodeList args = call.list(f::Call::args);
  if (const auto npu = tir::ethos_u_accesses(call)) {
    for (const tir::EthosUAccess& access : *npu) {
      add({.kind = AccessKind::npu,
           .position = position,
           .pointer = without_casts(tir::ethos_u_pointer(args[access.argument])),
           .is_read = access.is_read,
           .is_written = access.is_written,
           .bytes = access.bytes});
    }
    return;
  }
  if (const auto layer = tir::CmsisCall::of(call)) {
    using tir::CmsisArgument;
    for (const CmsisArgument what : layer->arguments()) {
      if (!is_memory(what) || !layer->has(what)) continue;
      const auto memory = layer->memory(what);
      const bool is_context = what == CmsisArgument::context;
      const bool is_written = is_context || what == CmsisArgument::output;
      add({.kind = AccessKind::layer,
           .position = position,
           .pointer = without_casts(layer->argument(what)),
           .is_read = !is_written,
           .is_written = is_written,
           .bytes = memory ? std::optional(memory->bytes()) : std::nullopt,
           .is_context = is_context});
    }
    return;
  }
  const std::string_view op = operator_of(call);
  if (op == "tvm_access_ptr") {
    if (args.size() != 5 || bound_.contains(call.id())) return;
    const auto extent = integer_of(args[3]);
    const auto element = static_cast<std::int64_t>(args[0].dtype().element_bytes());
    const auto mask = integer_of(args[4]).value_or(3);
    std::int64_t bytes = 0;
    const bool is_known =
        extent && *extent >= 0 && !__builtin_mul_overflow(*extent, element, &bytes);
    return add({.kind = AccessKind::stated,
                .position = position,
                .pointer = args[1],
                .is_read = (mask & 1) != 0,
                .is_written = (mask & 2) != 0,
                .bytes = is_known ? std::optional<std::uint64_t>(bytes) : std::nullopt});
  }
  const PointerUse use = pointer_use(op);
  if (use == PointerUse::none) return;
  for (const Node arg : args) {
    const Node pointer = without_casts(arg);
    if (address_of(pointer).kind == AddressKind::unknown) continue;
    // tvm_access_ptr states what the function does, and is a node of its own.
    if (operator_of(pointer) == "tvm_access_ptr") continue;
    add({.kind = use == PointerUse::kept ? AccessKind::kept : AccessKind::passed,
         .position = position,
         .pointer = pointer});
  }
}

void KernelCode::find_accesses() {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node node = order[i];
    if (node.is(Kind::Call)) {
      add_call(i, node);
    } else if (const Node data = data_of_access(node)) {
      add({.position = i,
           .pointer = data,
           .is_read = !is_store(node),
           .is_written = is_store(node)});
    } else if (node.is(Kind::Evaluate) && node[f::Evaluate::value].is(Kind::Call)) {
      // `call_extern("ethosu_conv2d", …, input[0], …)` receives the tensor there, not its value.
      const Node call = node[f::Evaluate::value];
      if (!calls_function(call) || tir::is_ethos_u_call(call)) continue;
      for (const Node arg : call.list(f::Call::args)) {
        if (!arg.is(Kind::BufferLoad)) continue;
        add({.kind = AccessKind::tensor, .position = i, .pointer = data_of_access(arg)});
      }
    }
  }
  std::ranges::stable_sort(accesses, {}, [](const MemoryAccess& use) {
    return std::pair(use.statement, use.kind == AccessKind::element && use.is_written);
  });
}

DocumentCode::DocumentCode(std::shared_ptr<const tir::Document> document)
    : document_(std::move(document)) {
  for (const tir::NamedFunction& one : tir::prim_functions_of(document_->module)) {
    functions_.try_emplace(one.name, one.function);
  }
}

tir::Node DocumentCode::find(std::string_view name) const {
  return support::value_at(functions_, name).value_or(tir::Node());
}

const KernelCode& DocumentCode::code_of(tir::Node function) const {
  const std::scoped_lock lock(reading_);
  std::unique_ptr<const KernelCode>& code = codes_[function.id()];
  if (code == nullptr) code = std::make_unique<const KernelCode>(function);
  return *code;
}

}  // namespace mlf::graph

#include "optimize/constant_uses.h"

#include <fmt/core.h>

#include <map>
#include <set>
#include <unordered_map>

#include "edit/edited_archive.h"
#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "support/error.h"
#include "support/lookup.h"
#include "tir/interval.h"
#include "tir/node_queries.h"
#include "tir/pools.h"

namespace mlf::optimize {
namespace {

using tir::Kind;
using tir::Node;
using tir::NodeId;
namespace f = tir::f;

std::uint64_t offset_of(Node info, std::string_view pool) {
  const auto value = graph::integer_of(info[f::ConstantInfo::byte_offset]);
  if (!value || *value < 0) {
    edit::refuse("an offset of constant pool '" + std::string(pool) + "' is not a number");
  }
  return static_cast<std::uint64_t>(*value);
}

/// "is passed to 'kernel'", "is an argument of address_of", "is used by BufferStore".
std::string use_of(Node user) {
  if (!user.is(Kind::Call)) return "is used by " + std::string(user.info().name);
  const std::string_view op = graph::operator_of(user);
  const tir::NodeList args = user.list(f::Call::args);
  const std::string_view callee = args.empty() ? std::string_view() : graph::string_of(args[0]);
  if (!callee.empty()) return fmt::format("is passed to '{}'", callee);
  return fmt::format("is an argument of {}", op.empty() ? "a call" : op);
}

/// The uses of all functions. Each variable and buffer belongs to one function, so one table is
/// enough for all.
class UseSearch {
 public:
  UseSearch(const tir::Module& module, std::span<const tir::NamedFunction> functions,
            const ModuleConstants& constants, const std::set<ConstantKey>& parameters)
      : module_(module), functions_(functions), parameters_(parameters) {
    for (const ConstantPool& pool : constants.pools) {
      listed_.insert(pool.name);
      for (const PoolConstant& one : pool.constants) {
        pool_constants_.try_emplace(ConstantKey::in_pool(pool.name, one.offset), one.array);
      }
    }
    for (const FunctionSites& function : constants.sites) {
      for (const LetSite& let : function.lets) lets_.emplace(let.let, &let);
    }
  }

  std::vector<ConstantUse> run() && {
    // Definitions come first: uses are known by variables, and accesses by buffers.
    walk([&](Node node, const tir::NamedFunction& function) { define(node, function); });
    if (uses_.empty()) return {};
    walk([&](Node node, const tir::NamedFunction&) { take_buffer(node); });
    walk([&](Node node, const tir::NamedFunction&) { take_uses(node); });
    keep_by_index();
    return std::move(uses_);
  }

 private:
  template <class Visit>
  void walk(Visit&& visit) const {
    tir::NodeSet seen(module_);
    for (const tir::NamedFunction& one : functions_) {
      tir::walk(
          one.function, seen,
          [&](Node node) {
            visit(node, one);
            return tir::Descend::into_children;
          },
          [](Node) {});
    }
  }

  /// A load before or behind a constant is one of its neighbours.
  void keep_by_index() {
    tir::IntegerRanges ranges(module_);
    tir::NodeSet seen(module_);
    const auto enter = [&](Node node) {
      ranges.enter(node);
      return tir::Descend::into_children;
    };
    const auto leave = [&](Node node) {
      ranges.leave(node);
      if (node.is(Kind::BufferLoad)) take_index(node, ranges);
    };
    for (const tir::NamedFunction& one : functions_) tir::walk(one.function, seen, enter, leave);
  }

  void take_index(Node load, const tir::IntegerRanges& ranges) {
    ConstantUse* const use = use_of_node(load[f::BufferLoad::buffer].id());
    const tir::NodeList indices = load.list(f::BufferLoad::indices);
    if (use == nullptr || use->array == NodeId::none || indices.size() != 1) return;
    const Node array = module_.node(use->array);
    const auto index = ranges.of(indices[0]);
    if (!index || !array.is(Kind::NDArray)) return;
    auto bytes = static_cast<std::int64_t>(use->element.element_bytes());
    for (const std::int64_t extent : array.integers(f::NDArray::shape)) bytes *= extent;
    const std::size_t loaded = load.dtype(f::BufferLoad::dtype).element_bytes();
    if (index->low >= 0 && index->high < bytes / static_cast<std::int64_t>(loaded)) return;
    use->leaves_array = true;
    keep(use->kept, "is loaded with an index outside of it");
  }

  void add(ConstantUse use) {
    by_node_.emplace(use.variable, uses_.size());
    uses_.push_back(std::move(use));
  }

  void define(Node node, const tir::NamedFunction& function) {
    const std::string symbol(function.symbol);
    if (node.is(Kind::AllocateConst)) {
      const Node variable = node[f::AllocateConst::buffer_var];
      const Node data = node[f::AllocateConst::data];
      return add({.key = {.pool = {}, .function = symbol, .number = arrays_[symbol]++},
                  .function = symbol,
                  .name = std::string(variable.text(f::Var::name)),
                  .variable = variable.id(),
                  .owner = node.id(),
                  .array = data ? data.id() : NodeId::none,
                  .element = node.dtype(f::AllocateConst::dtype)});
    }
    if (node.is(Kind::PrimFunc)) return define_parameters(node, symbol);
    const auto let = lets_.find(node.id());
    if (let != lets_.end()) define_let(node, *let->second, symbol);
  }

  void define_parameters(Node node, const std::string& symbol) {
    const tir::NodeList params = node.list(f::PrimFunc::params);
    const tir::NodeMap buffers = node.map(f::PrimFunc::buffer_map);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      std::size_t index = 0;
      while (index < params.size() && params[index] != buffers.key(i)) ++index;
      const auto key = ConstantKey::parameter(symbol, index);
      if (!parameters_.contains(key)) continue;
      const Node buffer = buffers.value(i);
      add({.key = key,
           .function = symbol,
           .name = std::string(buffer.text(f::Buffer::name)),
           .variable = buffer[f::Buffer::data].id(),
           .owner = node.id(),
           .array = NodeId::none,
           .element = buffer.dtype(f::Buffer::dtype)});
    }
  }

  void define_let(Node node, const LetSite& let, const std::string& symbol) {
    ConstantUse use{.key = ConstantKey::in_pool(let.pool, let.value),
                    .function = symbol,
                    .name = let.variable,
                    .variable = node[f::LetStmt::var].id(),
                    .owner = node.id(),
                    .array = NodeId::none};
    const auto constant = pool_constants_.find(use.key);
    if (constant == pool_constants_.end()) {
      if (listed_.contains(let.pool)) use.kept = "it does not point to the beginning of a constant";
    } else {
      use.array = constant->second;
      const Node array = module_.node(use.array);
      if (array.is(Kind::NDArray)) use.element = array.dtype(f::NDArray::dtype);
    }
    add(std::move(use));
  }

  /// Of a variable or a buffer.
  ConstantUse* use_of_node(NodeId id) {
    const auto* const index = support::find_value(by_node_, id);
    return index == nullptr ? nullptr : &uses_[*index];
  }

  void take_buffer(Node node) {
    if (!node.is(Kind::Buffer)) return;
    const auto index = support::value_at(by_node_, node[f::Buffer::data].id());
    if (!index) return;
    ConstantUse& use = uses_[*index];
    use.buffers.push_back(node.id());
    by_node_.emplace(node.id(), *index);
    // The text of a pool may have no data and therefore no other type.
    if (use.element.is_void()) use.element = node.dtype(f::Buffer::dtype);
    if (node.dtype(f::Buffer::dtype) != use.element) {
      keep(use.kept, "is accessed as " + to_string(node.dtype(f::Buffer::dtype)));
    }
  }

  /// Notes how `node` uses constants. Visits every edge of the module once.
  void take_uses(Node node) {
    const bool is_address = tir::is_call_of(node, "tir.address_of");
    tir::for_each_child(node, [&](Node child, const tir::FieldInfo&) {
      if (is_address && child.is(Kind::BufferLoad)) {
        ConstantUse* const use = use_of_node(child[f::BufferLoad::buffer].id());
        if (use != nullptr) keep(use->kept, use_of(node));
      }
      ConstantUse* const use = use_of_node(child.id());
      if (use == nullptr) return;
      if (child.is(Kind::Buffer)) return take_access(node, child.id(), *use);
      const bool is_definition = node.id() == use->owner || node.is(Kind::Buffer);
      if (!is_definition) keep(use->kept, use_of(node));
    });
  }

  /// Only parameters and constants have shapes from before flattening (v0.9 to v0.11).
  static bool is_preflattened(Node function, NodeId buffer) {
    const tir::NodeMap parameters = function.map(f::PrimFunc::buffer_map);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters.value(i).id() == buffer) return false;
    }
    return true;
  }

  static void take_access(Node node, NodeId buffer, ConstantUse& use) {
    if (node.is(Kind::DeclBuffer)) return;
    if (node.is(Kind::PrimFunc) && (use.key.is_parameter || is_preflattened(node, buffer))) return;
    if (!node.is(Kind::BufferLoad)) return keep(use.kept, use_of(node));
    use.loads.push_back(node.id());
    if (node.dtype(f::BufferLoad::dtype) != use.element) {
      keep(use.kept, "is loaded as " + to_string(node.dtype(f::BufferLoad::dtype)));
    }
    if (node[f::BufferLoad::predicate]) keep(use.kept, "is loaded under a predicate");
  }

  const tir::Module& module_;
  std::span<const tir::NamedFunction> functions_;
  const std::set<ConstantKey>& parameters_;
  std::set<std::string> listed_;  // pools whose constants are known
  std::map<ConstantKey, NodeId> pool_constants_;
  std::unordered_map<NodeId, const LetSite*> lets_;
  std::vector<ConstantUse> uses_;
  std::unordered_map<std::string, std::uint64_t> arrays_;  // those found so far
  std::unordered_map<NodeId, std::size_t> by_node_;        // variables and buffers
};

/// The constant pools that functions name, each info once.
std::vector<ConstantPool> pools_of(std::span<const tir::NamedFunction> functions) {
  std::vector<ConstantPool> pools;
  std::set<NodeId> known;
  for (const tir::NamedFunction& one : functions) {
    for (const tir::PoolUse& use : tir::pool_uses(one.function)) {
      const Node info = use.allocated[f::AllocatedPoolInfo::pool_info];
      if (!info || !info.is(Kind::ConstantPoolInfo) || !known.insert(info.id()).second) continue;
      ConstantPool pool{std::string(use.name), info.id(), {}};
      for (const Node constant : info.list(f::ConstantPoolInfo::constant_info_array)) {
        const Node data = constant[f::ConstantInfo::data];
        pool.constants.push_back({std::string(constant.text(f::ConstantInfo::name_hint)),
                                  offset_of(constant, use.name),
                                  constant[f::ConstantInfo::byte_offset].id(), constant.id(),
                                  data ? data.id() : NodeId::none});
      }
      pools.push_back(std::move(pool));
    }
  }
  return pools;
}

}  // namespace

bool has_text(Node function) {
  bool has = false;
  tir::for_each_pre_order(function, [&](Node node) {
    has = has || node.is(Kind::OpaqueStmt) || node.is(Kind::OpaqueExpr);
  });
  return has;
}

std::string unread_statement_of(std::string_view function) {
  return fmt::format("'{}' has a statement that mlf cannot read", function);
}

ModuleConstants constants_of(const tir::Module& module,
                             std::span<const tir::NamedFunction> functions,
                             std::set<std::string, std::less<>> pools,
                             const std::set<ConstantKey>& parameters) {
  ModuleConstants result;
  const auto found = support::to_result([&] {
    result.pools = pools_of(functions);
    for (const ConstantPool& pool : result.pools) pools.insert(pool.name);
    if (!pools.empty()) result.sites = sites_of(functions, pools);
  });
  if (!found) {
    support::throw_unless_invalid(found.error());
    result.pools_kept = found.error().message;
  }
  result.uses = UseSearch(module, functions, result, parameters).run();
  for (const ConstantUse& use : result.uses) {
    if (!use.leaves_array || use.key.pool.empty()) continue;
    keep(result.pools_kept, fmt::format("'{}' loads neighbours of '{}'", use.function, use.name));
  }
  return result;
}

}  // namespace mlf::optimize

#include "optimize/pool_sites.h"

#include <utility>

#include "edit/edited_archive.h"
#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "support/lookup.h"
#include "tir/node_queries.h"
#include "tir/pools.h"

namespace mlf::optimize {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// The sites of one function.
class Search {
 public:
  Search(Node function, FunctionSites& sites, const std::set<std::string, std::less<>>& pools)
      : function_(function), sites_(sites), pools_(pools) {}

  void run() {
    take_parameters();
    take_list();
    if (sites_.pools.empty()) return;
    tir::NodeSet seen(function_.module());
    tir::walk_once(
        function_[f::PrimFunc::body], [&](Node node) { return seen.insert(node.id()); },
        [&](Node node, auto&& push) { take_node(node, push); }, [](Node) {});
  }

 private:
  /// The pool of a parameter, of its buffer or of the buffer's data; null for other nodes.
  const std::string* pool_of(Node buffer_or_var) const {
    const std::size_t* const parameter = support::find_value(memory_, buffer_or_var.id());
    return parameter == nullptr ? nullptr : &sites_.pools.at(*parameter);
  }

  /// Sizes are constant before code generation: no symbolic sizes of a pool remain.
  void add_size(const std::string& pool, Node size) {
    const auto value = graph::integer_of(size);
    if (!value || *value < 0 || !size.is(Kind::IntImm)) {
      fail("the size of pool '" + pool + "' is not a number");
    }
    sites_.sizes.push_back({pool, size.id(), static_cast<std::uint64_t>(*value)});
  }

  /// The shape of a pool's buffer is the pool's size in bytes, because its type is uint8.
  void take_buffer(Node buffer, std::size_t pool) {
    memory_.emplace(buffer.id(), pool);
    memory_.emplace(buffer[f::Buffer::data].id(), pool);
    const tir::NodeList shape = buffer.list(f::Buffer::shape);
    if (shape.size() != 1) fail("pool '" + sites_.pools[pool] + "' has several dimensions");
    add_size(sites_.pools[pool], shape[0]);
  }

  /// Pools are the last parameters, with names from USMP (tir/pools.h).
  void take_parameters() {
    const tir::NodeMap buffers = function_.map(f::PrimFunc::buffer_map);
    const tir::NodeList params = function_.list(f::PrimFunc::params);
    for (std::size_t index = 0; index < params.size(); ++index) {
      const Node param = params[index];
      const std::string_view name = tir::pool_name(param.text(f::Var::name));
      if (!pools_.contains(name)) continue;
      sites_.pools.emplace(index, name);
      memory_.emplace(param.id(), index);
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (buffers.key(i) == param) take_buffer(buffers.value(i), index);
      }
    }
  }

  /// The attribute `pool_args` repeats the sizes of all pools of the function.
  void take_list() {
    for (const tir::PoolUse& use : tir::pool_uses(function_)) {
      if (!pools_.contains(use.name)) continue;
      add_size(std::string(use.name), use.allocated[f::AllocatedPoolInfo::allocated_size]);
      sites_.sizes.back().is_listed = true;
    }
  }

  /// A pool may be the base of an address in a let, or an argument of a call. Any other use might
  /// depend on the offsets of buffers and is an error.
  template <class Push>
  void take_node(Node node, Push&& push) {
    if (node.is(Kind::LetStmt) && take_let(node)) return push(node[f::LetStmt::body]);
    if (tir::is_call_of(node, "tir.tvm_stack_make_array")) take_array(node);
    const bool is_call = node.is(Kind::Call);
    if (is_call) take_arguments(node);
    tir::for_each_child(node, [&](Node child, const tir::FieldInfo&) {
      if (const std::string* pool = pool_of(child)) {
        if (!is_call || !child.is(Kind::Var)) {
          fail("pool '" + *pool + "' is used by " + std::string(node.info().name) +
               ", which TVM's planner does not generate");
        }
        take_argument(node, *pool);
        return;
      }
      push(child);
    });
  }

  /// Whether it is a let of an address.
  bool take_let(Node let) {
    const Node value = graph::without_casts(let[f::LetStmt::value]);
    if (!tir::is_call_of(value, "tir.address_of") || value.list(f::Call::args).size() != 1) {
      return false;
    }
    const Node load = value.list(f::Call::args)[0];
    if (!load.is(Kind::BufferLoad)) return false;
    const tir::NodeList indices = load.list(f::BufferLoad::indices);
    const Node buffer = load[f::BufferLoad::buffer];
    const std::string* pool = pool_of(buffer);
    if (pool == nullptr) pool = pool_of(buffer[f::Buffer::data]);
    const std::string variable(let[f::LetStmt::var].text(f::Var::name));
    const bool is_number = indices.size() == 1 && indices[0].is(Kind::IntImm) &&
                           indices[0].integer(f::IntImm::value) >= 0;
    if (!is_number) {
      if (pool == nullptr) return false;
      fail("the offset of '" + variable + "' in pool '" + *pool + "' is not a number");
    }
    if (pool != nullptr) {
      sites_.lets.push_back({variable, *pool, indices[0].id(),
                             static_cast<std::uint64_t>(indices[0].integer(f::IntImm::value)),
                             let.id()});
    }
    return true;
  }

  /// The tensor that a packed call makes from a pool: its shape is the size.
  void take_array(Node call) {
    const tir::NodeList args = call.list(f::Call::args);
    if (args.size() < 2) return;
    const std::string* pool = pool_of(args[0]);
    if (pool == nullptr) return;
    const Node shape = args[1];
    if (!tir::is_call_of(shape, "tir.tvm_stack_make_shape") ||
        shape.list(f::Call::args).size() != 1) {
      fail("the tensor of pool '" + *pool + "' has a shape that is not one number");
    }
    add_size(*pool, shape.list(f::Call::args)[0]);
  }

  /// Finds the parameters of a callee that are pools. The first argument of the call is the
  /// callee's name.
  void take_arguments(Node call) {
    const tir::NodeList args = call.list(f::Call::args);
    const std::string_view callee = args.empty() ? std::string_view() : graph::string_of(args[0]);
    if (callee.empty()) return;
    for (std::size_t i = 1; i < args.size(); ++i) {
      Node memory = args[i];
      if (tir::is_call_of(memory, "tir.tvm_stack_make_array")) {
        memory = memory.list(f::Call::args).empty() ? Node() : memory.list(f::Call::args)[0];
      }
      const std::string* const pool = memory ? pool_of(memory) : nullptr;
      if (pool != nullptr) sites_.arguments.push_back({std::string(callee), *pool, i - 1});
    }
  }

  /// An argument may be a pool, or a tensor whose memory is a pool.
  void take_argument(Node call, const std::string& pool) {
    const std::string_view op = graph::operator_of(call);
    if (op == "tvm_stack_make_array") return;
    if (op != "call_extern" && op != "tvm_call_cpacked" && op != "tvm_call_packed" &&
        op != "call_unpacked" && !op.empty()) {
      fail("pool '" + pool + "' is an argument of " + std::string(op));
    }
    const tir::NodeList args = call.list(f::Call::args);
    const std::string_view callee = args.empty() ? std::string_view() : graph::string_of(args[0]);
    if (callee.empty()) fail("pool '" + pool + "' is given to a function without a name");
    sites_.callees.emplace(callee);
  }

  // Without a place in a text: the function may come from save_json.
  [[noreturn]] void fail(const std::string& message) const {
    edit::refuse("function '" + sites_.name + "': " + message);
  }

  Node function_;
  FunctionSites& sites_;
  const std::set<std::string, std::less<>>& pools_;
  std::map<tir::NodeId, std::size_t> memory_;  // by buffer or variable: the parameter with the pool
};

}  // namespace

bool FunctionSites::takes(std::string_view pool, std::size_t parameter) const {
  const std::string* const found = support::find_value(pools, parameter);
  return found != nullptr && *found == pool;
}

std::vector<FunctionSites> sites_of(std::span<const tir::NamedFunction> functions,
                                    const std::set<std::string, std::less<>>& pools) {
  std::vector<FunctionSites> result;
  for (const tir::NamedFunction& one : functions) {
    FunctionSites sites;
    sites.name = one.name;
    sites.symbol = one.symbol;
    sites.function = one.function.id();
    Search(one.function, sites, pools).run();
    if (!sites.pools.empty()) result.push_back(std::move(sites));
  }
  return result;
}

}  // namespace mlf::optimize

#include "mlf/analysis/cost.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "analysis/cost/accumulation.h"
#include "analysis/cost/callees.h"
#include "analysis/cost/regions.h"
#include "graph/kernels/body_scan.h"
#include "graph/kernels/callees.h"
#include "graph/node_queries.h"
#include "support/lookup.h"
#include "tir/ethos_u.h"
#include "tir/interval.h"

namespace mlf::analysis {
namespace {

using graph::Address;
using graph::AddressKind;
using graph::dtype_of;
using graph::is_masked;
using graph::is_store;
using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// The operation of a binary node on data.
std::optional<Operation> operation_of(Kind kind) {
  switch (kind) {
    case Kind::Add:
    case Kind::Sub:
      return Operation::add_subtract;
    case Kind::Mul:
      return Operation::multiply;
    case Kind::Div:
    case Kind::Mod:
    case Kind::FloorDiv:
    case Kind::FloorMod:
      return Operation::divide_modulo;
    case Kind::EQ:
    case Kind::NE:
    case Kind::LT:
    case Kind::LE:
    case Kind::GT:
    case Kind::GE:
      return Operation::comparison;
    case Kind::And:
    case Kind::Or:
    case Kind::Not:
      return Operation::logic;
    case Kind::Min:
    case Kind::Max:
    case Kind::Select:
      return Operation::select;
    case Kind::Cast:
      return Operation::cast;
    default:
      return std::nullopt;
  }
}

/// Elements of a vector; for a scalable one, the number is unknown before run time.
Count lanes_of(tir::DType dtype) {
  if (dtype.lanes < 0) return {static_cast<std::uint64_t>(-dtype.lanes), std::nullopt};
  return static_cast<std::uint64_t>(std::max<std::int16_t>(dtype.lanes, 1));
}

/// The role of a parameter that a function with a known use receives. Ignores whether the function
/// or the code around it comes first: memory that both read and write may have any role.
BufferRole role_by_call(const BufferCost& buffer, const graph::Effect& effect) {
  const bool is_read = effect.read || buffer.loads.max != 0;
  const bool is_written = effect.written || buffer.stores.max != 0;
  if (is_read && is_written) return BufferRole::unknown;
  return is_written ? BufferRole::output : BufferRole::input;
}

/// Divisions in indices, without those that every compiler saves: by powers of two, of an operand
/// that is always less than the divisor, remainders that are only compared, equal ones, and those
/// of operands that the loop does not change.
class IndexDivisions {
 public:
  IndexDivisions(const graph::KernelCode& code, const EvaluatedFunction& evaluated)
      : code_(code), evaluated_(evaluated) {
    find_variation();
  }

  /// Executions of this division that are not those of another one.
  Count executed(Node node, const Evaluation& evaluation) {
    const Node divisor = tir::is_binary(node.kind()) ? node[f::Div::b] : Node();
    const auto number = divisor ? graph::integer_of(divisor) : std::nullopt;
    const std::uint32_t least = varies_at_[code_.order.position_of(node)];
    const bool is_shift = number && *number > 0 && (*number & (*number - 1)) == 0;
    const bool is_compared = number && compared_.contains(tir::index(node.id()));
    const auto operand = number ? range_of(node[f::Div::a]) : std::nullopt;
    const bool is_trivial = operand && operand->low >= 0 && operand->high < *number;
    if (is_shift || is_compared || is_trivial ||
        (number && least == 0 && !evaluated_.values.reads_memory(node)))
      return 0;
    RegionId region = evaluation.region;
    while (!evaluated_.values.reads_memory(node)) {
      const RegionId loop = evaluated_.regions[region].innermost_loop;
      if (loop == RegionId::function || evaluated_.regions[loop].depth <= least) break;
      region = evaluated_.regions[loop].parent;
    }
    const auto key = divisor ? std::tuple(region, evaluated_.values.number_of(node[f::Div::a]),
                                          evaluated_.values.number_of(divisor))
                             : std::tuple(region, evaluated_.values.number_of(node), 0U);
    if (!known_.insert(key).second) return 0;
    return evaluated_.regions[region].count * lanes_of(dtype_of(node));
  }

 private:
  /// The depth of the loop in which the values of each node change. Parts come before the whole:
  /// from the end of the order to its start.
  void find_variation() {
    std::map<std::uint32_t, std::uint32_t> variables;
    for (const Evaluations::Loop& loop : evaluated_.evaluations.loops()) {
      const Region& body = evaluated_.regions[loop.body];
      const std::uint32_t variable = tir::index(graph::loop_variable(body.loop).id());
      variables.emplace(variable, body.depth);
      add_values(variable, body.loop);
    }
    for (std::size_t i = 0; i < code_.order.size(); ++i) {
      const Node node = code_.order[i];
      if (!node.is(Kind::LetStmt) || evaluated_.evaluations[i].empty()) continue;
      const RegionId region = evaluated_.evaluations[i].front().region;
      variables.emplace(tir::index(node[f::LetStmt::var].id()), evaluated_.regions[region].depth);
    }
    for (const auto& [variable, value] : code_.bindings) variables.emplace(variable, UINT32_MAX);
    varies_at_.resize(code_.order.size());
    ranges_.resize(code_.order.size());
    for (std::size_t i = code_.order.size(); i-- > 0;) {
      const auto variable = variables.find(tir::index(code_.order[i].id()));
      if (variable != variables.end()) varies_at_[i] = variable->second;
      const Node node = code_.order[i];
      ranges_[i] = range_made_by(node);
      const bool is_test = node.is(Kind::EQ) || node.is(Kind::NE);
      if (is_test && node[f::EQ::b].is(Kind::IntImm)) {
        compared_.insert(tir::index(node[f::EQ::a].id()));
      }
      for (const graph::Part& part : code_.order.parts(i)) {
        varies_at_[i] = std::max(varies_at_[i], varies_at_[part.position]);
      }
    }
  }

  /// Loops may share a variable.
  void add_values(std::uint32_t variable, Node loop) {
    const bool is_for = loop.is(Kind::For);
    const auto first = is_for ? graph::integer_of(loop[f::For::min]) : std::nullopt;
    const auto count = is_for ? graph::integer_of(loop[f::For::extent]) : std::nullopt;
    std::int64_t last = 0;
    const bool is_known =
        first && count && *count > 0 && !__builtin_add_overflow(*first, *count - 1, &last);
    auto& values = values_[variable];
    if (!is_known) values.is_unknown = true;
    if (!is_known) return;
    values.range.low = std::min(values.range.low, *first);
    values.range.high = std::max(values.range.high, last);
  }

  std::optional<tir::Interval> range_of(Node part) const {
    if (!code_.order.contains(part)) return std::nullopt;
    return ranges_[code_.order.position_of(part)];
  }

  /// Of an expression whose parts have their ranges.
  std::optional<tir::Interval> range_made_by(Node node) const {
    if (const auto literal = tir::value_of_literal(node)) return literal;
    if (const auto* const values = support::find_value(values_, tir::index(node.id()))) {
      return values->is_unknown ? std::nullopt : std::optional(values->range);
    }
    if (!tir::is_binary(node.kind())) return std::nullopt;
    return tir::combine(node.kind(), range_of(node[f::Add::a]), range_of(node[f::Add::b]),
                        node.dtype());
  }

  struct Values {
    tir::Interval range{INT64_MAX, INT64_MIN};
    bool is_unknown = false;
  };

  const graph::KernelCode& code_;
  const EvaluatedFunction& evaluated_;
  std::vector<std::uint32_t> varies_at_;              // by position
  std::vector<std::optional<tir::Interval>> ranges_;  // by position
  std::map<std::uint32_t, Values> values_;            // of variables of loops
  std::set<std::uint32_t> compared_;                  // with a constant, for equality
  std::set<std::tuple<RegionId, std::uint32_t, std::uint32_t>> known_;
};

std::array<Count*, 4> counts_of(BufferCost& buffer) {
  return {&buffer.loads, &buffer.stores, &buffer.bytes_loaded, &buffer.bytes_stored};
}

/// Code that is not understood may increase every number, so there are no upper bounds. Code that
/// may end the kernel early leaves no lower bounds.
void widen(const graph::BodyScan& scan, KernelCost& cost) {
  const auto widened = [&](Count& count) {
    if (scan.may_end_early) count.min = 0;
    if (!scan.gaps.empty()) count.max.reset();
  };
  for (Count* const count : {&cost.mac, &cost.index_operations, &cost.index_divisions,
                             &cost.float_operations, &cost.loaded, &cost.stored}) {
    widened(*count);
  }
  for (OperationCount& one : cost.operations) widened(one.count);
  for (ExternCall& one : cost.extern_calls) widened(one.count);
  for (LoopCost& loop : cost.loops) {
    widened(loop.iterations);
    widened(loop.mac);
  }
  for (BufferCost& buffer : cost.buffers) {
    for (Count* const count : counts_of(buffer)) widened(*count);
  }
}

/// From the outside in.
std::vector<Node> loops_around(const Regions& regions, RegionId region) {
  std::vector<Node> loops;
  for (region = regions[region].innermost_loop; region != RegionId::function;
       region = regions[regions[region].parent].innermost_loop) {
    loops.push_back(regions[region].loop);
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}

bool is_of_floats(Node node) {
  const Node operand = tir::is_binary(node.kind()) ? node[f::Add::a]
                       : node.is(Kind::Cast)       ? node[f::Cast::value]
                                                   : node;
  return operand.dtype().is_float() || node.dtype().is_float();
}

/// Counts the accesses of memory, and finds the role of each.
class BufferCounter {
 public:
  BufferCounter(const graph::KernelCode& code, const graph::BodyScan& scan, Regions& regions)
      : code_(code),
        scan_(scan),
        regions_(regions),
        buffers_(code.memories.size()),
        escaped_(code.memories.size()),
        by_known_call_(code.memories.size()) {}

  /// Elements and bytes of a load or store. ProducerLoad and ProducerStore, which lowering
  /// replaces, name a tensor, not memory.
  void count_access(Node node, const Count& times) {
    const auto memory = code_.memories.of_access(node);
    if (!memory) return;
    Count elements = times;
    if (is_masked(node)) {
      regions_.explain("a mask selects the elements of a vector that are loaded or stored");
      elements *= Count(0, 1);
    }
    const Count bytes = elements * Count(dtype_of(node).element_bytes());
    BufferCost& buffer = buffers_[*memory];
    (is_store(node) ? buffer.stores : buffer.loads) += elements;
    (is_store(node) ? buffer.bytes_stored : buffer.bytes_loaded) += bytes;
  }

  /// Code that has the address may read and write the memory: a pool, and the tensor in it of one
  /// of whose elements it is the address.
  void escape(Node pointer) {
    const auto memory = code_.memories.of_pointer(pointer);
    if (!memory) return;
    const bool is_of_element = graph::operator_of(pointer) == "address_of";
    const Node element = is_of_element ? pointer.list(f::Call::args)[0] : Node();
    if (element && graph::data_of_access(element)) escape(graph::data_of_access(element));
    escaped_[*memory] = true;
    for (Count* const count : counts_of(buffers_[*memory])) *count += Count::unknown();
  }

  /// Adds the known accesses of a call, for each execution. The callee may read an element several
  /// times, so these numbers have no upper bound.
  void use(std::size_t memory, const ArgumentUse& use, const Count& calls) {
    BufferCost& buffer = buffers_[memory];
    buffer.loads += calls * use.loads;
    buffer.stores += calls * use.stores;
    buffer.bytes_loaded += calls * use.loads * Count(use.element_bytes);
    buffer.bytes_stored += calls * use.stores * Count(use.element_bytes);
    by_known_call_[memory] = true;
  }

  /// Roles and positions of parameters are those of a call's arguments; for packed functions, those
  /// of the arguments that the first parameter points to.
  void finish(KernelCost& cost) {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      BufferCost& buffer = buffers_[i];
      const Address& address = code_.memories[i].address;
      buffer.name = code_.memories[i].name;
      if (code_.is_of_call(address) && address.alias == tir::NodeId::none) {
        buffer.parameter = address.root;
      }
      buffer.role = role_of(i, buffer);
    }
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      BufferCost& buffer = buffers_[i];
      const bool is_touched = buffer.loads.max != 0 || buffer.stores.max != 0;
      if (!buffer.parameter && !is_touched) continue;
      if (!is_touched) buffer.role = role_of_pool(i);
      cost.loaded += buffer.bytes_loaded;
      cost.stored += buffer.bytes_stored;
      // A copy, because the roles of later pools depend on the tensors in them.
      cost.buffers.push_back(buffer);
    }
    std::ranges::stable_sort(
        cost.buffers, {}, [](const BufferCost& one) { return one.parameter.value_or(SIZE_MAX); });
  }

 private:
  /// The same rules as for the directions of arguments: graph::scan_body finds out what comes
  /// first.
  BufferRole role_of(std::size_t memory, const BufferCost& buffer) const {
    const bool is_parameter = buffer.parameter.has_value();
    if (buffer.loads.max == 0 && buffer.stores.max == 0) {
      return escaped_[memory] ? BufferRole::unknown : BufferRole::unused;
    }
    if (code_.memories[memory].is_constant) return BufferRole::weights;
    if (is_parameter && *buffer.parameter < scan_.effects.size()) {
      const graph::Effect& effect = scan_.effects[*buffer.parameter];
      if (by_known_call_[memory] && !escaped_[memory]) return role_by_call(buffer, effect);
      if (effect.escaped) return BufferRole::unknown;
      if (!effect.written) return effect.read ? BufferRole::input : BufferRole::unknown;
      return effect.first == graph::Effect::First::write ? BufferRole::output : BufferRole::in_out;
    }
    if (is_parameter || escaped_[memory]) return BufferRole::unknown;
    const Address& address = code_.memories[memory].address;
    // A place in a pool without writes was filled when the network was built.
    if (address.alias != tir::NodeId::none && buffer.stores.max == 0) return BufferRole::weights;
    const bool is_own = address.alias != tir::NodeId::none || address.kind == AddressKind::local;
    return is_own ? BufferRole::workspace : BufferRole::unknown;
  }

  /// A kernel does not access a pool directly: TVM's unified static memory planner
  /// (tir.usmp.enable) makes pools parameters, and a let binds the address of each tensor in a pool
  /// to a separate variable. So the roles of its tensors determine the role of a pool. A pool with
  /// a tensor of unknown use may have any role; but if it is written to, it is not a constant. A
  /// pool without used tensors has its own role: unused, unless its address goes elsewhere.
  BufferRole role_of_pool(std::size_t memory) const {
    bool has_weights = false;
    bool has_unknown = false;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const Address& address = code_.memories[i].address;
      if (address.alias == tir::NodeId::none ||
          !address.same_memory(code_.memories[memory].address))
        continue;
      if (buffers_[i].role == BufferRole::workspace) return BufferRole::workspace;
      has_weights = has_weights || buffers_[i].role == BufferRole::weights;
      has_unknown = has_unknown || buffers_[i].role == BufferRole::unknown;
    }
    if (has_unknown) return BufferRole::unknown;
    return has_weights ? BufferRole::weights : buffers_[memory].role;
  }

  const graph::KernelCode& code_;
  const graph::BodyScan& scan_;
  Regions& regions_;
  std::vector<BufferCost> buffers_;  // by memory
  std::vector<bool> escaped_;        // by memory: a function may do anything to it
  std::vector<bool> by_known_call_;  // by memory: a call with a known use receives it
};

/// Adds up the cost of one function: every node adds its cost for each evaluation.
class KernelCounter {
 public:
  explicit KernelCounter(const graph::KernelCode& code)
      : code_(code), scan_(graph::scan_body(code)), evaluated_(code) {}

  KernelCost run() && {
    // 1. Code: its nodes in an order, the memory that they touch, the loops and conditions around
    //    each, and how often each is evaluated. EvaluatedFunction has done this.
    // 2. Loops, with their extents and iterations.
    for (const Evaluations::Loop& loop : evaluated_.evaluations.loops()) add_loop(loop);
    // 3. Multiply-accumulates, before anything is counted: what belongs to one is not counted as a
    //    multiplication and an addition as well.
    find_macs();
    // 4. Every node, as often as it is evaluated.
    for (std::size_t i = 0; i < code_.order.size(); ++i) {
      for (const Evaluation& evaluation : evaluated_.evaluations[i]) count(i, evaluation);
    }
    // 5. Sums over inner loops, roles of buffers, operations as a list.
    //    Inner loops come after outer ones.
    for (std::size_t i = cost_.loops.size(); i-- > 0;) {
      if (outer_loop_[i]) cost_.loops[*outer_loop_[i]].mac += cost_.loops[i].mac;
    }
    buffers_.finish(cost_);
    for (const auto& [key, count] : operations_) {
      cost_.operations.push_back({key.first, tir::DType::unpack(key.second), count});
    }
    // 6. Code that is not understood: numbers become bounds.
    widen(scan_, cost_);
    cost_.gaps = scan_.gaps;
    for (const std::string& gap : scan_.gaps) evaluated_.regions.explain(gap);
    if (scan_.may_end_early && scan_.gaps.empty()) {
      evaluated_.regions.explain("it returns under a condition: the code after it may not run");
    }
    cost_.uncertain = evaluated_.regions.reasons();
    return std::move(cost_);
  }

 private:
  /// Outer loops come before inner ones, so the enclosing loop is known already.
  void add_loop(const Evaluations::Loop& loop) {
    const auto [at, is_new] = loop_of_region_.emplace(loop.body, cost_.loops.size());
    if (!is_new) return;
    const Region& body = evaluated_.regions[loop.body];
    LoopCost made;
    made.variable = std::string(graph::loop_variable(body.loop).text(f::Var::name));
    made.extent = body.extent;
    made.kind = body.loop.is(Kind::For) ? static_cast<tir::ForKind>(body.loop.integer(f::For::kind))
                                        : tir::ForKind::thread_binding;
    made.iterations = body.count * loop.around.times;
    made.node = body.loop.id();
    const RegionId around = evaluated_.regions[loop.around.region].innermost_loop;
    const auto outer = support::value_at(loop_of_region_, around);
    made.depth = outer ? cost_.loops[*outer].depth + 1 : 0;
    outer_loop_.push_back(outer);
    cost_.loops.push_back(std::move(made));
  }

  /// For a store in several regions, uses the first one: its loops are the same in all of them,
  /// unless loops share the code, which TVM does not generate.
  void find_macs() {
    std::vector<LoopedStore> stores;
    for (std::size_t i = 0; i < code_.order.size(); ++i) {
      const Node node = code_.order[i];
      if (!is_store(node) || evaluated_.evaluations[i].empty()) continue;
      const RegionId region = evaluated_.evaluations[i].front().region;
      stores.push_back({node, loops_around(evaluated_.regions, region)});
    }
    accumulations_ = find_accumulations(stores, code_, evaluated_.values);
    if (accumulations_.is_complete) return;
    evaluated_.regions.explain(
        "stores share expressions that are too large to look for multiply-accumulates");
    cost_.mac += Count::unknown();
    cost_.float_operations += Count::unknown();
  }

  /// Integers that do not depend on memory are addresses; floats and values from memory are data.
  bool is_on_data(Node node, const Evaluation& evaluation) const {
    return is_of_floats(node) || (!evaluation.is_address && evaluated_.values.reads_memory(node));
  }

  void count_arithmetic(Node node, Operation operation, const Evaluation& evaluation,
                        const Count& times) {
    if (is_of_floats(node)) cost_.float_operations += times;
    if (!is_on_data(node, evaluation)) {
      if (operation == Operation::cast) return;
      cost_.index_operations += times;
      if (operation == Operation::divide_modulo) {
        cost_.index_divisions += divisions_.executed(node, evaluation);
      }
      return;
    }
    const tir::DType dtype = operation == Operation::comparison && tir::is_binary(node.kind())
                                 ? node[f::Add::a].dtype()
                                 : node.dtype();
    operations_[{operation, dtype.element().packed()}] += times;
  }

  void count_mac(const Count& macs, RegionId region) {
    cost_.mac += macs;
    const RegionId loop = evaluated_.regions[region].innermost_loop;
    if (loop != RegionId::function) cost_.loops[loop_of_region_.at(loop)].mac += macs;
  }

  /// The cost of a call without its arguments. For a pointer argument of an unknown function, the
  /// numbers of loads and stores are unknown.
  void count_call(Node call, const Evaluation& evaluation, const Count& times) {
    const Callee callee = callee_of(call);
    if (callee.operation) count_arithmetic(call, *callee.operation, evaluation, times);
    const Count calls = evaluated_.regions[evaluation.region].count * evaluation.times;
    if (callee.symbol.empty()) return count_mac(calls * callee.mac, evaluation.region);
    const auto known = std::ranges::find(cost_.extern_calls, callee.symbol, &ExternCall::symbol);
    if (known == cost_.extern_calls.end()) {
      cost_.extern_calls.push_back({callee.symbol, calls});
    } else {
      known->count += calls;
    }
    if (!callee.is_known) {
      evaluated_.regions.explain(fmt::format("the effect of '{}' is unknown", callee.symbol));
      cost_.float_operations += calls * Count::unknown();
    }
    count_mac(calls * callee.mac, evaluation.region);
    for (const auto& [operation, dtype, count] : callee.arithmetic) {
      operations_[{operation, dtype.packed()}] += calls * count;
      if (dtype.is_float()) cost_.float_operations += calls * count;
    }
    // Freeing memory does not read it.
    const bool takes_no_memory = graph::is_arithmetic(callee.symbol) ||
                                 graph::pointer_use(callee.symbol) == graph::PointerUse::none;
    if (takes_no_memory) return;
    const tir::NodeList args = call.list(f::Call::args);
    std::set<std::size_t> used;
    for (const ArgumentUse& one : callee.uses) {
      const auto memory = code_.memories.of_pointer(args[one.argument]);
      if (!memory) continue;
      buffers_.use(*memory, one, calls);
      used.insert(*memory);
    }
    if (!callee.uses.empty()) {
      evaluated_.regions.explain(
          fmt::format("the number of loads and stores of '{}' is unknown", callee.symbol));
    }
    for (const Node arg : args) {
      Node pointer = tir::passed_pointer(call, arg);
      if (graph::operator_of(pointer) == "tvm_stack_make_array") {
        pointer = pointer.list(f::Call::args)[0];
      }
      const auto memory =
          pointer.dtype().is_handle() ? code_.memories.of_pointer(pointer) : std::nullopt;
      if (!memory || used.contains(*memory)) continue;
      buffers_.escape(pointer);
      if (!callee.is_known || !callee.uses.empty()) continue;
      evaluated_.regions.explain(
          fmt::format("the loads and stores of '{}' are unknown", callee.symbol));
    }
  }

  /// The cost of one node in one region, without its parts.
  void count(std::size_t position, const Evaluation& evaluation) {
    const Node node = code_.order[position];
    if (node.is(Kind::Reduce)) {
      evaluated_.regions.explain("the cost of a reduction of TE is unknown");
      cost_.float_operations += Count::unknown();
      return count_mac(Count::unknown(), evaluation.region);
    }
    if (!tir::is_expr(node.category()) && !is_store(node)) return;
    const Count times =
        evaluated_.regions[evaluation.region].count * evaluation.times * lanes_of(dtype_of(node));
    const std::uint32_t id = tir::index(node.id());
    if (is_store(node) || graph::is_load(node)) {
      buffers_.count_access(node, times);
    } else if (node.is(Kind::Call)) {
      count_call(node, evaluation, times);
    } else if (accumulations_.products.contains(id)) {
      if (node.dtype().is_float()) cost_.float_operations += times;
      count_mac(times, evaluation.region);
    } else if (const auto operation = operation_of(node.kind());
               operation && !accumulations_.sums.contains(id)) {
      count_arithmetic(node, *operation, evaluation, times);
    }
  }

  const graph::KernelCode& code_;
  const graph::BodyScan scan_;
  EvaluatedFunction evaluated_;
  IndexDivisions divisions_{code_, evaluated_};
  BufferCounter buffers_{code_, scan_, evaluated_.regions};
  std::map<RegionId, std::size_t> loop_of_region_;
  std::vector<std::optional<std::size_t>> outer_loop_;  // by loop
  Accumulations accumulations_;

  std::map<std::pair<Operation, std::uint32_t>, Count> operations_;
  KernelCost cost_;
};

}  // namespace

std::string_view to_string(Operation operation) {
  return support::name_in(
      {"add_subtract", "multiply", "divide_modulo", "comparison", "logic", "bitwise", "select",
       "cast", "rounding", "transcendental", "fixed_point"},
      operation);
}

std::string_view to_string(BufferRole role) {
  return support::name_in(
      {"input", "output", "in_out", "weights", "workspace", "unused", "unknown"}, role);
}

KernelCost kernel_cost(Node prim_func) {
  return kernel_cost(graph::KernelCode(prim_func));
}

KernelCost kernel_cost(const graph::KernelCode& code) {
  return KernelCounter(code).run();
}

}  // namespace mlf::analysis

#include "analysis/cost/accesses.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "analysis/cost/access_sets.h"
#include "analysis/cost/callees.h"
#include "analysis/cost/evaluations.h"
#include "graph/kernels/callees.h"
#include "graph/node_queries.h"
#include "support/lookup.h"
#include "tir/ethos_u.h"

namespace mlf::analysis {
namespace {

using graph::Address;
using graph::AddressKind;
using support::is_among;
using tir::Kind;
using tir::Node;
namespace f = tir::f;

// The most pairs of a write and a read to compare in one function, including their pieces.
constexpr std::size_t kMaxPairs = 8'000'000;

// The most reasons for one memory.
constexpr std::size_t kMaxReasons = 3;

/// `return 0;`, or `return -1;`, which generated C has for a failure.
bool ends_function(Node node) {
  const std::string_view op = graph::operator_of(node);
  return op == "ret" || op == "tvm_throw_last_error";
}

bool is_access(Node node) {
  return is_store(node) || node.is(Kind::Load) || node.is(Kind::BufferLoad);
}

std::vector<Node> indices_at(Node access) {
  if (access.is(Kind::Store)) return {access[f::Store::index]};
  if (access.is(Kind::Load)) return {access[f::Load::index]};
  const tir::NodeList list = access.is(Kind::BufferStore) ? access.list(f::BufferStore::indices)
                                                          : access.list(f::BufferLoad::indices);
  std::vector<Node> indices;
  for (const Node index : list) indices.push_back(index);
  return indices;
}

Node buffer_of(Node access) {
  if (access.is(Kind::BufferStore)) return access[f::BufferStore::buffer];
  return access.is(Kind::BufferLoad) ? access[f::BufferLoad::buffer] : Node();
}

void add_reason(std::vector<std::string>& reasons, std::string why) {
  if (reasons.size() == kMaxReasons || std::ranges::find(reasons, why) != reasons.end()) return;
  reasons.push_back(std::move(why));
}

/// The number of elements from one index of each dimension to the next; nullopt if one is not a
/// number.
std::optional<std::vector<std::int64_t>> strides_of(Node buffer, std::size_t dimensions) {
  if (dimensions == 1) return std::vector<std::int64_t>{1};
  if (!buffer) return std::nullopt;
  const tir::NodeList shape = buffer.list(f::Buffer::shape);
  if (buffer.list(f::Buffer::strides).size() != 0 || shape.size() != dimensions) {
    return std::nullopt;
  }
  std::vector<std::int64_t> strides(dimensions, 1);
  for (std::size_t i = dimensions; i-- > 1;) {
    const auto extent = graph::integer_of(shape[i]);
    if (!extent || __builtin_mul_overflow(strides[i], *extent, &strides[i - 1])) {
      return std::nullopt;
    }
  }
  return strides;
}

/// Bytes of many accesses, sorted once at the end.
class ByteCollector {
 public:
  void add(const ByteSet& bytes) {
    spans_.insert(spans_.end(), bytes.spans().begin(), bytes.spans().end());
    if (spans_.size() < 2 * joined_ + kMostOfSpans) return;
    const ByteSet all(std::move(spans_));
    spans_.assign(all.spans().begin(), all.spans().end());
    joined_ = spans_.size();
  }
  ByteSet take() && { return ByteSet(std::move(spans_)); }

 private:
  static constexpr std::size_t kMostOfSpans = std::size_t{1} << 20;
  std::vector<ByteSpan> spans_;
  std::size_t joined_ = 0;
};

/// Reads the accesses of one function and collects them by memory.
class AccessCollector {
 public:
  explicit AccessCollector(Node function)
      : code_(function), sets_(function.module(), code_.regions, code_.bindings, code_.values) {}

  Accesses run() && {
    for (std::size_t i = 0; i < code_.memories.size(); ++i) {
      is_packed_ = is_packed_ || code_.memories[i].address.kind == AddressKind::argument;
    }
    // 1. The order of statements, which defines "before".
    find_statements();
    check_bindings();
    // 2. Every access in every region, and the statements that may end the function.
    for (std::size_t i = 0; i < code_.order.size(); ++i) {
      for (const Evaluation& evaluation : code_.evaluations[i]) collect(i, evaluation);
    }
    const auto is_behind_end = [&](const Access& one) { return one.statement > end_; };
    if (std::ranges::any_of(accesses_, is_behind_end)) {
      add_reason(result_.unknown, "has code after its return");
    }
    // 3. For each memory: the bytes reached, the bytes read before they are written, and the bytes
    // written.
    for (auto& [root, memory] : arguments_) {
      summarize(memory);
      result_.arguments.push_back(std::move(memory.touched));
    }
    for (auto& [key, memory] : lets_) {
      summarize(memory);
      const Node variable = code_.order[0].module().node(key.second);
      memory.touched.let = variable.text(f::Var::name);
      memory.touched.let_offset = code_.memories.address_of(variable).offset;
      result_.lets.push_back(std::move(memory.touched));
    }
    return std::move(result_);
  }

 private:
  struct Access {
    Address address{};
    PlacedAccess placed{};
    bool is_write = false;
    bool is_certain = true;     // not masked, and executed once in each iteration
    std::size_t statement = 0;  // in the order of the code
  };
  struct Memory {
    TouchedBytes touched;
    std::vector<std::size_t> accesses;
  };
  using Key = std::pair<std::uint32_t, tir::NodeId>;  // the root, and of a let its variable

  /// Finds the first statement, in the order of the code, that evaluates each expression. A
  /// statement at several places has no position in that order.
  void find_statements() {
    constexpr std::size_t kNone = SIZE_MAX;
    statements_.assign(code_.order.size(), kNone);
    is_shared_.assign(code_.order.size(), false);
    std::vector<bool> has_whole(code_.order.size());
    for (std::size_t i = 0; i < code_.order.size(); ++i) {
      if (!tir::is_expr(code_.order[i].category())) statements_[i] = i;
      for (const Part& part : code_.order.parts(i)) {
        const std::size_t at = code_.order.position_of(part.node);
        const bool is_expression = tir::is_expr(part.node.category());
        if (is_expression) statements_[at] = std::min(statements_[at], statements_[i]);
        if (is_shared_[i] || (!is_expression && has_whole[at])) is_shared_[at] = true;
        has_whole[at] = true;
      }
    }
  }

  /// This analysis requires that a variable has one value in the whole function.
  void check_bindings() {
    std::map<tir::NodeId, tir::NodeId> values;
    for (std::size_t i = 0; i < code_.order.size(); ++i) {
      const Node node = code_.order[i];
      if (!node.is(Kind::LetStmt) && !node.is(Kind::Let)) continue;
      const bool is_statement = node.is(Kind::LetStmt);
      const Node variable = is_statement ? node[f::LetStmt::var] : node[f::Let::var];
      const Node value = is_statement ? node[f::LetStmt::value] : node[f::Let::value];
      if (values.emplace(variable.id(), value.id()).first->second == value.id()) continue;
      add_reason(result_.unknown, fmt::format("assigns '{}' twice", variable.text(f::Var::name)));
    }
  }

  bool is_tracked(const Address& address) const {
    return address.kind == (is_packed_ ? AddressKind::argument : AddressKind::parameter);
  }

  Memory& memory_of(const Address& address, bool by_let) {
    Memory& memory = by_let ? lets_[{address.root, address.alias}] : arguments_[address.root];
    memory.touched.argument = address.root;
    return memory;
  }

  void add_unknown(const Address& address, const std::string& why) {
    if (!is_tracked(address)) return;
    add_reason(memory_of(address, false).touched.unknown, why);
    if (address.alias != tir::NodeId::none)
      add_reason(memory_of(address, true).touched.unknown, why);
  }

  void add(Access access, std::size_t position) {
    const Address& address = access.address;
    if (!address.offset_known) {
      return add_unknown(address, "is used at an unknown offset");
    }
    if (__builtin_add_overflow(access.placed.terms.constant, address.offset,
                               &access.placed.terms.constant)) {
      return add_unknown(address, "is used at an offset that is too large");
    }
    // A read that may come first has no statement before it.
    access.statement = is_shared_[position] && !access.is_write ? 0 : statements_[position];
    access.is_certain = access.is_certain && code_.evaluations[position].size() == 1;
    const std::size_t number = accesses_.size();
    memory_of(address, false).accesses.push_back(number);
    if (address.alias != tir::NodeId::none) memory_of(address, true).accesses.push_back(number);
    accesses_.push_back(std::move(access));
  }

  /// The byte offset of an access to a Buffer or through a pointer; nullopt if the Buffer does not
  /// state it.
  std::optional<IndexTerms> terms_of(Node access, std::int64_t element_bytes) const {
    IndexTerms terms;
    const std::vector<Node> indices = indices_at(access);
    const Node buffer = buffer_of(access);
    if (buffer && buffer[f::Buffer::elem_offset] &&
        !terms.add(buffer[f::Buffer::elem_offset], element_bytes, code_.bindings)) {
      return std::nullopt;
    }
    const auto strides = strides_of(buffer, indices.size());
    if (!strides) return std::nullopt;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const Node index = indices[i].is(Kind::Ramp) ? indices[i][f::Ramp::base] : indices[i];
      std::int64_t factor = 0;
      if (__builtin_mul_overflow((*strides)[i], element_bytes, &factor) ||
          !terms.add(index, factor, code_.bindings)) {
        return std::nullopt;
      }
    }
    return terms;
  }

  void collect_access(std::size_t position, const Evaluation& evaluation) {
    const Node node = code_.order[position];
    const Address address = code_.memories.address_of(data_of_access(node));
    if (address.kind == AddressKind::unknown) {
      add_reason(result_.unknown, "uses a pointer that cannot be followed");
    }
    if (!is_tracked(address)) return;
    const tir::DType dtype = dtype_of(node);
    const std::vector<Node> indices = indices_at(node);
    const Node last = indices.empty() ? Node() : indices.back();
    // A vector with a scalar index is a row of adjacent elements; with a Ramp, its stride separates
    // them.
    const bool is_ramp = last && last.is(Kind::Ramp);
    const auto stride =
        is_ramp ? graph::integer_of(last[f::Ramp::stride]) : std::optional<std::int64_t>(1);
    const Node buffer = buffer_of(node);
    const bool counts_vectors = buffer && buffer.dtype(f::Buffer::dtype).lanes > 1;
    const auto element = static_cast<std::int64_t>(dtype.element_bytes());
    const std::int64_t unit = counts_vectors ? element * dtype.lanes : element;
    if (dtype.lanes < 1 || !stride || element == 0) {
      return add_unknown(address, "is used with vectors of unknown length");
    }
    if (!dtype.is_bool() && dtype.bits % 8 != 0) {
      return add_unknown(address, "has elements of parts of bytes");
    }
    auto terms = terms_of(node, unit);
    if (!terms) return add_unknown(address, "is used at an unknown index");
    Access access{.address = address, .is_write = is_store(node), .is_certain = !is_masked(node)};
    access.placed = {.region = evaluation.region,
                     .terms = *std::move(terms),
                     .bytes = element,
                     .lane_step = element * *stride,
                     .lanes = static_cast<std::uint64_t>(dtype.lanes)};
    add(std::move(access), position);
  }

  /// Adds the accesses of a known function to the memory of its arguments.
  void collect_use(std::size_t position, const Evaluation& evaluation, const ArgumentUse& use,
                   bool is_read, bool is_written) {
    const Node pointer = code_.order[position].list(f::Call::args)[use.argument];
    const Address address = code_.memories.address_of(pointer);
    std::int64_t bytes = 0;
    if (!use.reach || __builtin_mul_overflow(*use.reach, use.element_bytes, &bytes)) {
      return add_unknown(address, fmt::format("is passed to '{}', which may access any part of it",
                                              callee_of(code_.order[position]).symbol));
    }
    for (const bool is_write : {false, true}) {
      if (!(is_write ? is_written : is_read) || !is_tracked(address)) continue;
      Access access{.address = address, .is_write = is_write};
      access.placed = {.region = evaluation.region, .bytes = bytes};
      add(std::move(access), position);
    }
  }

  /// `tvm_access_ptr(type, data, offset, extent, mask)` states the accesses through it.
  bool collect_pointer(std::size_t position, const Evaluation& evaluation, Node pointer) {
    pointer = graph::without_casts(pointer);
    if (graph::operator_of(pointer) != "tvm_access_ptr") return false;
    const tir::NodeList args = pointer.list(f::Call::args);
    if (args.size() != 5) return false;
    const Address address = code_.memories.address_of(args[1]);
    const auto extent = graph::integer_of(args[3]);
    const auto mask = graph::integer_of(args[4]).value_or(3);
    const auto element = static_cast<std::int64_t>(args[0].dtype().element_bytes());
    std::int64_t bytes = 0;
    IndexTerms terms;
    const bool is_known = extent && !__builtin_mul_overflow(*extent, element, &bytes) &&
                          terms.add(args[2], element, code_.bindings);
    if (!is_known) return false;
    for (const bool is_write : {false, true}) {
      if ((mask & (is_write ? 2 : 1)) == 0 || !is_tracked(address)) continue;
      Access access{.address = address, .is_write = is_write};
      access.placed = {.region = evaluation.region, .terms = terms, .bytes = bytes};
      add(std::move(access), position);
    }
    return true;
  }

  void collect_call(std::size_t position, const Evaluation& evaluation) {
    const Node call = code_.order[position];
    const std::string_view op = graph::operator_of(call);
    if (graph::touches_nothing(op)) return;
    const Callee callee = callee_of(call);
    std::vector<bool> is_used(call.list(f::Call::args).size());
    for (const ArgumentUse& use : callee.uses) {
      is_used[use.argument] = true;
      collect_use(position, evaluation, use, use.loads.max != 0, use.stores.max != 0);
    }
    for (const ArgumentUse& use : callee.scratch) {
      is_used[use.argument] = true;
      collect_use(position, evaluation, use, false, true);
    }
    for (std::size_t i = 0; i < is_used.size(); ++i) {
      const Node arg = tir::passed_pointer(call, call.list(f::Call::args)[i]);
      if (is_used[i] || !graph::without_casts(arg).dtype().is_handle()) continue;
      if (collect_pointer(position, evaluation, arg)) continue;
      add_unknown(code_.memories.address_of(arg),
                  fmt::format("is passed to '{}', which may access any part of it",
                              callee.symbol.empty() ? std::string(op) : callee.symbol));
    }
  }

  /// Whether all conditions of a place depend on the arguments of the call, such as a null pointer,
  /// and not on the contents of tensors.
  bool is_check_of_call(RegionId region) const {
    for (; region != RegionId::function; region = code_.regions[region].parent) {
      const Region& one = code_.regions[region];
      const bool reads =
          std::ranges::any_of(one.constraints, [&](const graph::Constraint& constraint) {
            return code_.values.reads_memory(constraint.expression);
          });
      if (one.kind != RegionKind::conditional || reads) return false;
    }
    return true;
  }

  /// Code after the end writes nothing. If the end reports a failure that depends on the arguments,
  /// it also ends the network.
  void collect_end(std::size_t position, RegionId region) {
    const tir::NodeList args = code_.order[position].list(f::Call::args);
    const auto status = args.size() == 1 ? graph::integer_of(args[0]) : std::nullopt;
    const bool is_failure = graph::operator_of(code_.order[position]) == "tvm_throw_last_error" ||
                            (status && *status != 0);
    if (is_failure && region != RegionId::function && is_check_of_call(region)) return;
    if (region != RegionId::function) {
      add_reason(result_.unknown, "may return before it has written everything");
    }
    end_ = std::min(end_, statements_[position]);
  }

  void collect(std::size_t position, const Evaluation& evaluation) {
    const Node node = code_.order[position];
    if (is_access(node)) return collect_access(position, evaluation);
    if (ends_function(node)) return collect_end(position, evaluation.region);
    if (node.is(Kind::Call)) return collect_call(position, evaluation);
    if (node.is(Kind::AssertStmt) && code_.values.reads_memory(node[f::AssertStmt::condition])) {
      add_reason(result_.unknown, "may return before it has written everything");
    }
    if (node.is(Kind::OpaqueExpr) || node.is(Kind::OpaqueStmt)) {
      add_reason(result_.unknown, "has code that is not understood");
    } else if (node.is(Kind::Block) && node.list(f::Block::match_buffers).size() != 0) {
      add_reason(result_.unknown, "matches buffers with parts of others");
    }
  }

  // --- Putting together --------------------------------------------------------------------------

  std::optional<AccessedBytes> bytes_of(std::size_t access, RegionId level) {
    const auto [at, is_new] = known_.try_emplace({access, level});
    if (is_new) at->second = sets_.bytes_inside(accesses_[access].placed, level);
    return at->second;
  }

  /// Whether statements before the read, in one of its regions, have written all its bytes, for any
  /// number of iterations of the loops around both. A write in deeper loops has then run in all
  /// iterations of these loops. If only the first iteration of a loop around both counts, ignores
  /// that loop.
  bool is_written_in_front(const Access& read, const Memory& memory) {
    struct Level {
      std::optional<AccessedBytes> wanted;
      ByteSet written;
    };
    std::map<RegionId, Level> levels;
    // Backwards: the writer usually directly precedes the read.
    for (auto next = memory.accesses.rbegin(); next != memory.accesses.rend(); ++next) {
      const std::size_t one = *next;
      const Access& write = accesses_[one];
      if (!write.is_write || !write.is_certain || write.statement >= read.statement) continue;
      RegionId id = code_.regions.common_region(write.placed.region, read.placed.region);
      PlacedAccess placed = write.placed;
      while (code_.regions[id].loop && is_among(read.placed.first_only, code_.regions[id].loop)) {
        placed.first_only.push_back(code_.regions[id].loop);
        id = code_.regions[id].parent;
      }
      const auto bytes =
          placed.first_only.empty() ? bytes_of(one, id) : sets_.bytes_inside(placed, id);
      const auto [at, is_new] = levels.try_emplace(id);
      Level& level = at->second;
      if (is_new) level.wanted = sets_.bytes_inside(read.placed, id);
      const bool may_cover =
          bytes && level.wanted && bytes->is_exact && sets_.have_same_base(*bytes, *level.wanted);
      pairs_ += 1 + (may_cover ? bytes->bytes.spans().size() + level.written.spans().size() : 0);
      if (pairs_ > kMaxPairs) return false;
      if (!may_cover) continue;
      level.written.add(bytes->bytes);
      if (level.written.covers(level.wanted->bytes)) return true;
    }
    return false;
  }

  /// Whether each iteration of a loop after the first one reads bytes that the previous iteration
  /// wrote, as in sums and scans.
  bool is_written_by_previous_iteration(const Access& read, const Memory& memory, RegionId body) {
    const auto wanted = sets_.bytes_inside(read.placed, body);
    if (!wanted) return false;
    ByteSet written;
    for (const std::size_t one : memory.accesses) {
      const Access& write = accesses_[one];
      if (!write.is_write || !write.is_certain) continue;
      if (code_.regions.common_region(write.placed.region, body) != body) continue;
      auto bytes = bytes_of(one, body);
      pairs_ += 1 + (bytes ? bytes->bytes.spans().size() : 0);
      if (pairs_ > kMaxPairs) return false;
      if (!bytes || !bytes->is_exact || !sets_.have_same_base(*bytes, *wanted)) continue;
      if (!bytes->bytes.shift(-AccessSets::step_in(*bytes, code_.regions[body].loop))) continue;
      written.add(bytes->bytes);
    }
    return written.covers(wanted->bytes);
  }

  /// Whether this call wrote all bytes before it reads them.
  bool is_written_before(const Access& read, const Memory& memory) {
    if (is_written_in_front(read, memory)) return true;
    RegionId body = code_.regions[read.placed.region].innermost_loop;
    for (; body != RegionId::function;
         body = code_.regions[code_.regions[body].parent].innermost_loop) {
      if (!code_.regions[body].loop.is(Kind::For)) continue;
      if (!is_written_by_previous_iteration(read, memory, body)) continue;
      Access first = read;
      first.placed.first_only.push_back(code_.regions[body].loop);
      if (is_written_in_front(first, memory)) return true;
    }
    return false;
  }

  void summarize(Memory& memory) {
    TouchedBytes& touched = memory.touched;
    ByteCollector reach;
    ByteCollector read;
    ByteCollector written;
    for (const std::size_t one : memory.accesses) {
      const Access& access = accesses_[one];
      const auto bytes = bytes_of(one, RegionId::function);
      touched.is_written = touched.is_written || access.is_write;
      if (!bytes) {
        add_reason(touched.unknown, "is used at an index without a known bound");
        continue;
      }
      reach.add(bytes->bytes);
      if (access.is_write && access.is_certain && bytes->is_exact) written.add(bytes->bytes);
      if (!access.is_write && !is_written_before(access, memory)) read.add(bytes->bytes);
    }
    touched.reach = std::move(reach).take();
    touched.read = std::move(read).take();
    touched.written = std::move(written).take();
  }

  EvaluatedFunction code_;
  AccessSets sets_;
  bool is_packed_ = false;
  std::vector<std::size_t> statements_;  // by position in the order
  std::vector<bool> is_shared_;          // by position: its statement is in several places
  std::vector<Access> accesses_;
  std::map<std::pair<std::size_t, RegionId>, std::optional<AccessedBytes>> known_;
  std::map<std::uint32_t, Memory> arguments_;
  std::map<Key, Memory> lets_;
  std::size_t pairs_ = 0;
  std::size_t end_ = SIZE_MAX;  // the statement that ends the function
  Accesses result_;
};

}  // namespace

Accesses accesses_of(Node function) {
  return AccessCollector(function).run();
}

}  // namespace mlf::analysis

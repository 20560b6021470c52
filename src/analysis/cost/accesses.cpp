#include "analysis/cost/accesses.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "analysis/cost/access_sets.h"
#include "analysis/cost/callees.h"
#include "analysis/cost/regions.h"
#include "graph/node_queries.h"
#include "support/lookup.h"

namespace mlf::analysis {
namespace {

using graph::AccessKind;
using graph::Address;
using graph::AddressKind;
using graph::buffer_of;
using graph::MemoryAccess;
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

void add_reason(std::vector<std::string>& reasons, std::string why) {
  support::add_once(reasons, std::move(why), kMaxReasons);
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

struct Access {
  PlacedAccess placed{};
  bool is_write = false;
  bool is_certain = true;     // not masked, and executed once in each iteration
  std::size_t statement = 0;  // in the order of the code
};

struct TrackedMemory {
  TouchedBytes touched;
  std::vector<std::size_t> accesses;
};

/// Finds which bytes the accesses to one memory reach, and which the function has written before it
/// reads them.
class TouchedMemory {
 public:
  TouchedMemory(const EvaluatedFunction& evaluated, AccessSets& sets,
                const std::vector<Access>& accesses)
      : evaluated_(evaluated), sets_(sets), accesses_(accesses) {}

  void summarize(TrackedMemory& memory) {
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

 private:
  std::optional<AccessedBytes> bytes_of(std::size_t access, RegionId level) {
    const auto [at, is_new] = known_.try_emplace({access, level});
    if (is_new) at->second = sets_.bytes_inside(accesses_[access].placed, level);
    return at->second;
  }

  /// Whether statements before the read, in one of its regions, have written all its bytes, for any
  /// number of iterations of the loops around both. A write in deeper loops has then run in all
  /// iterations of these loops. If only the first iteration of a loop around both counts, ignores
  /// that loop.
  bool is_written_in_front(const Access& read, const TrackedMemory& memory) {
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
      RegionId id = evaluated_.regions.common_region(write.placed.region, read.placed.region);
      PlacedAccess placed = write.placed;
      while (evaluated_.regions[id].loop &&
             is_among(read.placed.first_only, evaluated_.regions[id].loop)) {
        placed.first_only.push_back(evaluated_.regions[id].loop);
        id = evaluated_.regions[id].parent;
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
  bool is_written_by_previous_iteration(const Access& read, const TrackedMemory& memory,
                                        RegionId body) {
    const auto wanted = sets_.bytes_inside(read.placed, body);
    if (!wanted) return false;
    ByteSet written;
    for (const std::size_t one : memory.accesses) {
      const Access& write = accesses_[one];
      if (!write.is_write || !write.is_certain) continue;
      if (evaluated_.regions.common_region(write.placed.region, body) != body) continue;
      auto bytes = bytes_of(one, body);
      pairs_ += 1 + (bytes ? bytes->bytes.spans().size() : 0);
      if (pairs_ > kMaxPairs) return false;
      if (!bytes || !bytes->is_exact || !sets_.have_same_base(*bytes, *wanted)) continue;
      const auto step = sets_.step_in(*bytes, evaluated_.regions[body].loop);
      if (!step || !bytes->bytes.shift(-*step)) continue;
      written.add(bytes->bytes);
    }
    return written.covers(wanted->bytes);
  }

  /// Whether this call wrote all bytes before it reads them.
  bool is_written_before(const Access& read, const TrackedMemory& memory) {
    if (is_written_in_front(read, memory)) return true;
    RegionId body = evaluated_.regions[read.placed.region].innermost_loop;
    for (; body != RegionId::function;
         body = evaluated_.regions[evaluated_.regions[body].parent].innermost_loop) {
      if (!evaluated_.regions[body].loop.is(Kind::For)) continue;
      if (!is_written_by_previous_iteration(read, memory, body)) continue;
      Access first = read;
      first.placed.first_only.push_back(evaluated_.regions[body].loop);
      if (is_written_in_front(first, memory)) return true;
    }
    return false;
  }

  const EvaluatedFunction& evaluated_;
  AccessSets& sets_;
  const std::vector<Access>& accesses_;
  std::map<std::pair<std::size_t, RegionId>, std::optional<AccessedBytes>> known_;
  std::size_t pairs_ = 0;
};

/// Reads the accesses of one function and collects them by memory.
class AccessCollector {
 public:
  explicit AccessCollector(const graph::KernelCode& code)
      : code_(code), evaluated_(code), sets_(code, evaluated_) {}

  Accesses run() && {
    // 1. This analysis requires that a variable has one value in the whole function.
    for (const Node variable : code_.rebound) {
      add_reason(result_.unknown, fmt::format("assigns '{}' twice", variable.text(f::Var::name)));
    }
    // 2. Every access in every region, and the statements that may end the function.
    for (const MemoryAccess& use : code_.accesses) {
      for (const Evaluation& one : evaluated_.evaluations[use.position]) collect(use, one.region);
    }
    for (std::size_t i = 0; i < code_.order.size(); ++i) {
      for (const Evaluation& one : evaluated_.evaluations[i]) collect(i, one.region);
    }
    const auto is_behind_end = [&](const Access& one) { return one.statement > end_; };
    if (std::ranges::any_of(accesses_, is_behind_end)) {
      add_reason(result_.unknown, "has code after its return");
    }
    // 3. For each memory: the bytes reached, the bytes read before they are written, and the bytes
    // written.
    TouchedMemory touched(evaluated_, sets_, accesses_);
    for (auto& [root, memory] : arguments_) {
      touched.summarize(memory);
      result_.arguments.push_back(std::move(memory.touched));
    }
    for (auto& [key, memory] : lets_) {
      touched.summarize(memory);
      const Node variable = code_.function.module().node(key.second);
      memory.touched.let = variable.text(f::Var::name);
      memory.touched.let_offset = code_.memories.address_of(variable).offset;
      result_.lets.push_back(std::move(memory.touched));
    }
    return std::move(result_);
  }

 private:
  using Key = std::pair<std::uint32_t, tir::NodeId>;  // the root, and of a let its variable

  TrackedMemory& memory_of(const Address& address, bool by_let) {
    TrackedMemory& memory =
        by_let ? lets_[{address.root, address.alias}] : arguments_[address.root];
    memory.touched.argument = address.root;
    return memory;
  }

  void add_unknown(const Address& address, const std::string& why) {
    if (!code_.is_of_call(address)) return;
    add_reason(memory_of(address, false).touched.unknown, why);
    if (address.alias != tir::NodeId::none)
      add_reason(memory_of(address, true).touched.unknown, why);
  }

  void add(const MemoryAccess& use, PlacedAccess placed, bool is_write) {
    const Address& address = use.address;
    if (!address.offset_known) {
      return add_unknown(address, "is used at an unknown offset");
    }
    if (__builtin_add_overflow(placed.terms.constant, address.offset, &placed.terms.constant)) {
      return add_unknown(address, "is used at an offset that is too large");
    }
    const Node node = code_.order[use.position];
    const bool is_masked = use.kind == AccessKind::element && graph::is_masked(node);
    const std::size_t number = accesses_.size();
    memory_of(address, false).accesses.push_back(number);
    if (address.alias != tir::NodeId::none) memory_of(address, true).accesses.push_back(number);
    // A read that may come first has no statement before it.
    const bool may_be_first = code_.is_shared(use.position) && !is_write;
    accesses_.push_back(
        {.placed = std::move(placed),
         .is_write = is_write,
         .is_certain = !is_masked && evaluated_.evaluations[use.position].size() == 1,
         .statement = may_be_first ? 0 : use.statement});
  }

  /// The byte offset of an access to a Buffer or through a pointer; nullopt if the Buffer does not
  /// state it.
  std::optional<IndexTerms> terms_of(Node access, std::int64_t element_bytes) const {
    IndexTerms terms;
    const std::vector<Node> indices = graph::indices_of(access);
    const Node buffer = buffer_of(access);
    if (buffer && buffer[f::Buffer::elem_offset] &&
        !add_index(buffer[f::Buffer::elem_offset], element_bytes, code_.bindings, terms)) {
      return std::nullopt;
    }
    const auto strides = strides_of(buffer, indices.size());
    if (!strides) return std::nullopt;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const Node index = indices[i].is(Kind::Ramp) ? indices[i][f::Ramp::base] : indices[i];
      std::int64_t factor = 0;
      if (__builtin_mul_overflow((*strides)[i], element_bytes, &factor) ||
          !add_index(index, factor, code_.bindings, terms)) {
        return std::nullopt;
      }
    }
    return terms;
  }

  void collect_element(const MemoryAccess& use, RegionId region) {
    const Node node = code_.order[use.position];
    const tir::DType dtype = graph::dtype_of(node);
    const std::vector<Node> indices = graph::indices_of(node);
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
      return add_unknown(use.address, "is used with vectors of unknown length");
    }
    if (!dtype.is_bool() && dtype.bits % 8 != 0) {
      return add_unknown(use.address, "has elements of parts of bytes");
    }
    auto terms = terms_of(node, unit);
    if (!terms) return add_unknown(use.address, "is used at an unknown index");
    add(use,
        {.region = region,
         .terms = *std::move(terms),
         .bytes = element,
         .lane_step = element * *stride,
         .lanes = static_cast<std::uint64_t>(dtype.lanes)},
        use.is_written);
  }

  /// Adds the accesses of a call to the memory of an argument.
  void collect_argument(const MemoryAccess& use, RegionId region) {
    const Node call = code_.order[use.position];
    const bool is_stated = use.kind == AccessKind::stated;
    PlacedAccess placed{.region = region};
    bool is_known =
        use.bytes && *use.bytes <= INT64_MAX && (use.kind == AccessKind::layer || is_stated);
    if (is_known && is_stated) {
      const tir::NodeList args = call.list(f::Call::args);
      const auto element = static_cast<std::int64_t>(args[0].dtype().element_bytes());
      is_known = add_index(args[2], element, code_.bindings, placed.terms);
    }
    if (!is_known) {
      const std::string symbol = call.is(Kind::Call) ? callee_of(call).symbol : std::string();
      return add_unknown(use.address,
                         fmt::format("is passed to {}, which may access any part of it",
                                     symbol.empty() ? "a function" : graph::quoted(symbol)));
    }
    placed.bytes = static_cast<std::int64_t>(*use.bytes);
    if (use.is_read) add(use, placed, false);
    if (use.is_written) add(use, placed, true);
  }

  void collect(const MemoryAccess& use, RegionId region) {
    const bool is_element = use.kind == AccessKind::element;
    if (is_element && use.address.kind == AddressKind::unknown) {
      add_reason(result_.unknown, "uses a pointer that cannot be followed");
    }
    if (!code_.is_of_call(use.address) || use.kind == AccessKind::kept) return;
    is_element ? collect_element(use, region) : collect_argument(use, region);
  }

  /// Whether all conditions of a place depend on the arguments of the call, such as a null pointer,
  /// and not on the contents of tensors.
  bool is_check_of_call(RegionId region) const {
    for (; region != RegionId::function; region = evaluated_.regions[region].parent) {
      const Region& one = evaluated_.regions[region];
      const bool reads =
          std::ranges::any_of(one.constraints, [&](const graph::Constraint& constraint) {
            return evaluated_.values.reads_memory(constraint.expression);
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
    end_ = std::min(end_, code_.statement_of(position));
  }

  void collect(std::size_t position, RegionId region) {
    const Node node = code_.order[position];
    if (ends_function(node)) return collect_end(position, region);
    if (node.is(Kind::AssertStmt) &&
        evaluated_.values.reads_memory(node[f::AssertStmt::condition])) {
      add_reason(result_.unknown, "may return before it has written everything");
    }
    if (node.is(Kind::OpaqueExpr) || node.is(Kind::OpaqueStmt)) {
      add_reason(result_.unknown, "has code that is not understood");
    } else if (node.is(Kind::Block) && node.list(f::Block::match_buffers).size() != 0) {
      add_reason(result_.unknown, "matches buffers with parts of others");
    }
  }

  const graph::KernelCode& code_;
  EvaluatedFunction evaluated_;
  AccessSets sets_;
  std::vector<Access> accesses_;
  std::map<std::uint32_t, TrackedMemory> arguments_;
  std::map<Key, TrackedMemory> lets_;
  std::size_t end_ = SIZE_MAX;  // the statement that ends the function
  Accesses result_;
};

}  // namespace

Accesses accesses_of(const graph::KernelCode& code) {
  return AccessCollector(code).run();
}

}  // namespace mlf::analysis

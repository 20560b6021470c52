#include <algorithm>

#include "graph/kernels/kernels.h"
#include "graph/node_queries.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// Offsets of elements in a tensor, ascending.
struct Elements {
  std::vector<std::int64_t> begins;
  std::int64_t bytes = 0;  // of each
};

bool overlap(const Elements& a, const Elements& b, std::int64_t shift) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.begins.size() && j < b.begins.size()) {
    const std::int64_t second = b.begins[j] + shift;
    if (a.begins[i] + a.bytes <= second) {
      ++i;
    } else if (second + b.bytes <= a.begins[i]) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

enum class Turn : std::uint8_t { first, later };

class OverwrittenReads {
 public:
  explicit OverwrittenReads(const KernelCode& code) : code_(code) {}

  bool found(std::uint32_t from, std::uint32_t to, std::int64_t shift) {
    for (const MemoryAccess& store : code_.accesses) {
      if (!is_element_of(store, to) || !store.is_written) continue;
      if (may_be_copy(store, from, shift)) continue;
      for (const MemoryAccess& load : code_.accesses) {
        const bool is_load = is_element_of(load, from) && load.is_read;
        if (is_load && reads_after(store, load, shift)) return true;
      }
    }
    return false;
  }

 private:
  bool is_element_of(const MemoryAccess& use, std::uint32_t argument) const {
    const bool is_place = code_.is_of_call(use.address) && use.address.root == argument;
    return use.kind == AccessKind::element && is_place && use.address.offset_known &&
           !code_.is_shared(use.position);
  }

  /// A value that is stored where it was loaded changes nothing.
  bool may_be_copy(const MemoryAccess& store, std::uint32_t from, std::int64_t shift) {
    const Node statement = code_.order[store.position];
    if (!statement.is(Kind::BufferStore)) return true;
    const Node value = statement[f::BufferStore::value];
    const auto load = std::ranges::find_if(code_.accesses, [&](const MemoryAccess& use) {
      return code_.order[use.position] == value && is_element_of(use, from);
    });
    if (load == code_.accesses.end()) return false;
    IterationDomain domain = compiled(store);
    const std::int64_t bytes = bytes_of(store);
    const bool is_known = bytes == bytes_of(*load) &&
                          domain.add_term(index_of(statement), bytes, code_.bindings) &&
                          domain.add_term(index_of(value), -bytes, code_.bindings);
    const auto nest = is_known ? domain.nest() : std::nullopt;
    const auto distances = nest ? values_in(*nest, steps_) : std::nullopt;
    const std::int64_t none = load->address.offset - store.address.offset - shift;
    return !distances || *distances == std::vector{none};
  }

  std::int64_t bytes_of(const MemoryAccess& use) const {
    return static_cast<std::int64_t>(counted_type(code_.order[use.position]).element_bytes());
  }

  /// Whether an element of `store` is there before an iteration that certainly loads it. Tries the
  /// loops around both: what the first iteration stores against what the others load.
  bool reads_after(const MemoryAccess& store, const MemoryAccess& load, std::int64_t shift) {
    const IterationDomain writing = compiled(store);
    const IterationDomain reading = compiled(load);
    const std::size_t most = std::min(writing.loops.size(), reading.loops.size());
    for (std::size_t common = 0; common <= most; ++common) {
      const bool is_one =
          common < most && writing.loops[common].node.id() == reading.loops[common].node.id();
      // Behind the last common loop, all of a later statement.
      if (!is_one && load.statement <= store.statement) return false;
      const auto written = elements(writing, store, common, Turn::first, is_one);
      const auto read =
          written ? elements(reading, load, common, Turn::later, is_one) : std::nullopt;
      if (read && overlap(*read, *written, shift)) return true;
      if (!is_one || !written) return false;
    }
    return false;
  }

  IterationDomain compiled(const MemoryAccess& use) const {
    IterationDomain around = code_.around(use.position);
    around.compile(code_.bindings);
    return around;
  }

  /// Those of an access in the first iteration of `outer` loops, and in one turn of the next one.
  std::optional<Elements> elements(IterationDomain domain, const MemoryAccess& use,
                                   std::size_t outer, Turn turn, bool has_next) {
    const Node access = code_.order[use.position];
    const Node index = index_of(access);
    const std::int64_t bytes = bytes_of(use);
    const bool is_plain = index && !index.is(Kind::Ramp) && counted_type(access).lanes == 1 &&
                          !is_masked(access) && bytes > 0;
    if (!is_plain || !domain.add_term(index, bytes, code_.bindings)) return std::nullopt;
    auto nest = domain.nest();
    if (!nest) return std::nullopt;
    for (std::size_t i = 0; i < outer + (has_next ? 1 : 0); ++i) {
      CountedLoop& loop = nest->loops[i];
      const auto min = loop.min.variables().empty() ? loop.min.run() : std::nullopt;
      const auto extent = loop.extent.variables().empty() ? loop.extent.run() : std::nullopt;
      if (!min || !extent || *extent < 1) return std::nullopt;
      const bool is_first = i < outer || turn == Turn::first;
      loop.extent = IndexProgram::constant(is_first ? 1 : *extent - 1);
      if (!is_first) loop.min = IndexProgram::constant(*min + 1);
    }
    auto begins = values_in(*std::move(nest), steps_);
    if (!begins) return std::nullopt;
    for (std::int64_t& begin : *begins) begin += use.address.offset;
    return Elements{*std::move(begins), bytes};
  }

  const KernelCode& code_;
  std::uint64_t steps_ = 10'000'000;
};

}  // namespace

bool reads_overwritten(const KernelCode& code, std::uint32_t from, std::uint32_t to,
                       std::int64_t shift) {
  return OverwrittenReads(code).found(from, to, shift);
}

}  // namespace mlf::graph

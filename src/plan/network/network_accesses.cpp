// The preconditions of a plan: every byte that a kernel touches is in the buffer that moves, and a
// known writer wrote every byte before the kernel reads it.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "graph/node_queries.h"
#include "plan/network/network_reader.h"

namespace mlf::plan {
namespace {

using analysis::ByteSet;
using analysis::ByteSpan;
using analysis::TouchedBytes;
using graph::Argument;
using graph::Call;
using graph::Direction;
using graph::Kernel;
using graph::quoted;

/// Empty if the number of bytes is unknown or impossible for a tensor.
ByteSet all_of(std::optional<std::uint64_t> bytes) {
  const bool is_possible = bytes && *bytes <= std::uint64_t{1} << 60;
  return is_possible ? ByteSet({0, static_cast<std::int64_t>(*bytes)}) : ByteSet();
}

/// The first byte of `wanted` that `there` lacks.
std::int64_t first_missing(const ByteSet& wanted, const ByteSet& there) {
  for (const ByteSpan& span : wanted.spans()) {
    std::int64_t at = span.begin;
    for (const ByteSpan& known : there.spans()) {
      if (known.begin <= at && at < known.end) at = known.end;
    }
    if (at < span.end) return at;
  }
  return wanted.hull().begin;
}

}  // namespace

/// A kernel with its place in the generated C, or else its source member.
std::string NetworkReader::kernel_at(graph::KernelId id) const {
  const Kernel& kernel = topology_.kernels[index(id)];
  for (const graph::TirInput& source : sources_) {
    if (source.stem != kernel.source) continue;
    const auto place = source.document->c_places.find(kernel.function);
    if (place != source.document->c_places.end()) {
      return fmt::format("{} ({}:{})", quoted(kernel.symbol), place->second.member,
                         place->second.line);
    }
    return fmt::format("{} ({})", quoted(kernel.symbol), source.document->source.member);
  }
  return quoted(kernel.symbol);
}

/// Follows the steps of main in order: each step finds the contents that the earlier ones left.
void NetworkReader::read_accesses() {
  contents_.resize(topology_.values.size());
  reaches_.resize(topology_.storages.size());
  for (std::size_t i = 0; i < topology_.values.size(); ++i) {
    const graph::Value& value = topology_.values[i];
    if (value.kind != graph::ValueKind::computed) {
      const auto bytes = value.bytes ? value.bytes : topology_[value.storage].bytes;
      contents_[i] = all_of(bytes);
    }
  }
  std::vector<const Call*> calls(steps_.size());
  std::vector<const graph::Copy*> copies(steps_.size());
  for (const Call& call : topology_.calls) calls[call.position] = &call;
  for (const graph::Copy& copy : topology_.copies) copies[copy.position] = &copy;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (calls[i] != nullptr) read_accesses_of(*calls[i]);
    if (copies[i] != nullptr) read_accesses_of(*copies[i]);
  }
  check_outputs();
}

/// Checks that all bytes of outputs in a pool are written, because the caller reads them.
void NetworkReader::check_outputs() {
  for (const graph::Port& port : topology_.outputs) {
    if (!port.value) continue;
    const graph::Value& value = topology_[*port.value];
    PoolProblem* const pool = problem_of(topology_[value.storage].pool);
    if (pool == nullptr || contents_[index(*port.value)].covers(all_of(value.bytes))) continue;
    refuse(*pool, "not all of the output " + quoted(port.name) + " is written");
  }
}

void NetworkReader::read_accesses_of(const graph::Copy& copy) {
  const auto all = all_of(copy.bytes);
  const graph::StorageId to = topology_[copy.writes].storage;
  reach(to, all, "a copy of main");
  contents_[index(copy.writes)] = all;
  if (!copy.reads) return;
  const graph::StorageId from = topology_[*copy.reads].storage;
  reach(from, all, "a copy of main");
  expect_written(from, all, contents_[index(*copy.reads)], "a copy of main");
}

/// Widens the buffer to all bytes that are touched.
void NetworkReader::reach(graph::StorageId id, const ByteSet& bytes, const std::string& who) {
  const graph::Storage& storage = topology_[id];
  PoolProblem* const pool = problem_of(storage.pool);
  if (pool == nullptr) return;
  const ByteSpan hull = bytes.hull();
  if (hull.begin < 0) {
    refuse(*pool, fmt::format("{} may touch byte {} of {}, which is before it", who, hull.begin,
                              quoted(storage.name)));
  }
  // A loop of unknown extent may run as often as its type permits.
  constexpr std::int64_t kNoBound = std::numeric_limits<std::int32_t>::max();
  if (hull.end >= kNoBound) {
    return refuse(*pool,
                  fmt::format("{} touches {} without a known bound", who, quoted(storage.name)));
  }
  std::uint64_t& end = reaches_[index(id)];
  end = std::max(end, static_cast<std::uint64_t>(std::max<std::int64_t>(hull.end, 0)));
}

void NetworkReader::expect_written(graph::StorageId id, const ByteSet& read, const ByteSet& there,
                                   const std::string& who) {
  const graph::Storage& storage = topology_[id];
  PoolProblem* const pool = problem_of(storage.pool);
  if (pool == nullptr || there.covers(read)) return;
  refuse(*pool, fmt::format("{} may read byte {} of {}, which is not known to be written", who,
                            first_missing(read, there), quoted(storage.name)));
}

void NetworkReader::read_accesses_of(const Call& call) {
  const std::optional<analysis::Accesses>& accesses = kernels_[index(call.kernel)].accesses;
  // Without TIR, the pools are already refused.
  if (!accesses) return;
  const std::string who = kernel_at(call.kernel);
  for (const std::string& why : accesses->unknown) refuse_all(who + " " + why);
  std::vector<const TouchedBytes*> by_argument(call.arguments.size());
  for (const TouchedBytes& touched : accesses->arguments) {
    if (touched.argument < by_argument.size()) by_argument[touched.argument] = &touched;
  }
  // All reads come before all writes: a call may pass one argument twice.
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (by_argument[i] != nullptr) read_argument(call.arguments[i], *by_argument[i], who);
  }
  static const TouchedBytes kUntouched;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    write_argument(call.arguments[i], by_argument[i] == nullptr ? kUntouched : *by_argument[i]);
  }
}

void NetworkReader::read_argument(const Argument& argument, const TouchedBytes& touched,
                                  const std::string& who) {
  if (!argument.storage) return;
  PoolProblem* const pool = problem_of(topology_[*argument.storage].pool);
  if (pool == nullptr) return;
  const std::string& name = topology_[*argument.storage].name;
  for (const std::string& why : touched.unknown) {
    pool->used.reset();
    refuse(*pool, fmt::format("{}: {} {}", who, quoted(name), why));
  }
  reach(*argument.storage, touched.reach, who);
  const ByteSet there = argument.reads ? contents_[index(*argument.reads)] : ByteSet();
  expect_written(*argument.storage, touched.read, there, who);
  if (touched.is_written && !argument.writes) {
    refuse(*pool, fmt::format("{} writes {}, which the network does not show", who, quoted(name)));
  }
}

/// A result that updates its input keeps the bytes that the kernel does not write.
void NetworkReader::write_argument(const Argument& argument, const TouchedBytes& touched) {
  if (!argument.writes || !argument.storage) return;
  ByteSet& there = contents_[index(*argument.writes)];
  there = touched.written;
  if (argument.direction == Direction::in_out && argument.reads) {
    there.add(contents_[index(*argument.reads)]);
  }
}

/// Checks the bytes of a workspace, which only the present call of this kernel may have written.
/// The address is its beginning.
std::uint64_t NetworkReader::check_workspace(graph::KernelId id,
                                             const graph::KernelBuffer& workspace,
                                             PoolProblem& pool) {
  std::uint64_t bytes = *workspace.bytes;
  const std::optional<analysis::Accesses>& accesses = kernels_[index(id)].accesses;
  if (!accesses) return bytes;
  const std::string who = kernel_at(id);
  const std::string name = quoted(workspace.name);
  for (const TouchedBytes& let : accesses->lets) {
    if (let.let != workspace.name || let.let_offset < 0 ||
        static_cast<std::uint64_t>(let.let_offset) != workspace.offset) {
      continue;
    }
    for (const std::string& why : let.unknown) {
      pool.used.reset();
      refuse(pool, fmt::format("{}: {} {}", who, name, why));
    }
    const ByteSpan hull = let.reach.hull();
    if (let.reach.is_empty()) continue;
    if (hull.begin < let.let_offset) {
      refuse(pool, fmt::format("{} may touch byte {} of {}, which is before it", who,
                               hull.begin - let.let_offset, name));
    }
    if (!let.read.is_empty()) {
      refuse(pool, fmt::format("{} may read byte {} of {} before it has written that", who,
                               let.read.hull().begin - let.let_offset, name));
    }
    const std::int64_t end = std::max<std::int64_t>(hull.end - let.let_offset, 0);
    bytes = std::max(bytes, static_cast<std::uint64_t>(end));
  }
  return bytes;
}

}  // namespace mlf::plan

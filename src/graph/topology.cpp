#include "mlf/graph/topology.h"

#include <algorithm>
#include <array>
#include <limits>

namespace mlf::graph {
namespace {

// By value of CheckCode: enum and table are made from the same rows.
constexpr std::array kChecks{
#define MLF_CHECK(name, code, severity, meaning) \
  CheckInfo{CheckCode::name, code, Severity::severity, meaning},
#include "mlf/graph/checks.def"
#undef MLF_CHECK
};

constexpr std::array kDecisions{
#define MLF_DECISION(name, code, meaning) std::string_view(code),
#include "mlf/graph/decisions.def"
#undef MLF_DECISION
};

template <class Enum, std::size_t N>
std::string_view name_in(const std::array<std::string_view, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

// By value of the enum, as the JSON spells them.
using Names = std::string_view;
constexpr std::array<Names, 6> kDirections{"input", "output",  "in-out",
                                           "pool",  "context", "unknown"};
constexpr std::array<Names, 3> kCertainties{"certain", "likely", "assumed"};
constexpr std::array<Names, 3> kOrigins{"tir", "external", "unknown"};
constexpr std::array<Names, 3> kValueKinds{"input", "constant", "computed"};
constexpr std::array<Names, 5> kStorageKinds{"parameter", "workspace", "constant", "pool",
                                             "lookup"};
constexpr std::array<Names, 2> kPoolKinds{"workspace", "constant"};
constexpr std::array<Names, 5> kMemoryKinds{"pool", "executor", "heap", "stack", "program"};
constexpr std::array<Names, 4> kExactness{"exact", "at-least", "at-most", "unknown"};
constexpr std::array<Names, 5> kHookPhases{"activate", "open", "close", "deactivate", "other"};
constexpr std::array<Names, 3> kSeverities{"error", "warning", "note"};
constexpr std::array<Names, 3> kCallForms{"unpacked", "c-packed", "packed"};
constexpr std::array<Names, 3> kArgumentForms{"pointers", "arrays", "stack"};
constexpr std::array<Names, 3> kProvenances{"main-function", "graph-json", "relay"};

}  // namespace

// Checked at every step: extents come from the input, and their product may be anything.
std::optional<std::uint64_t> TensorType::bytes() const {
  if (dtype.is_void() || !shape) return std::nullopt;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (dtype.lanes < 1) return std::nullopt;
  std::uint64_t total = dtype.element_bytes() * static_cast<std::uint64_t>(dtype.lanes);
  for (const std::int64_t extent : *shape) {
    if (extent < 0) return std::nullopt;
    const auto factor = static_cast<std::uint64_t>(extent);
    // The limit is int64: TVM counts in it, and so does JSON.
    if (factor != 0 && total > kMost / factor) return std::nullopt;
    total *= factor;
  }
  return total;
}

const TensorType& Topology::type_at(const Endpoint& end, ValueId value) const {
  // A copy goes by bytes and sees no type of its own.
  if (end.kind == EndpointKind::copy) return values[index(value)].type;
  return calls[end.step].arguments[end.argument].type;
}

const Check* Topology::first_error() const {
  const auto found = std::ranges::find_if(
      checks, [](const Check& check) { return info(check.code).severity == Severity::error; });
  return found == checks.end() ? nullptr : &*found;
}

bool Topology::is_understood() const {
  return std::ranges::find(checks, CheckCode::unknown_statement, &Check::code) == checks.end();
}

const CheckInfo& info(CheckCode check) {
  return kChecks[static_cast<std::size_t>(check)];
}

std::string_view to_string(Direction direction) {
  return name_in(kDirections, direction);
}
std::string_view to_string(DecidedBy decision) {
  return name_in(kDecisions, decision);
}
std::string_view to_string(Certainty certainty) {
  return name_in(kCertainties, certainty);
}
std::string_view to_string(KernelOrigin origin) {
  return name_in(kOrigins, origin);
}
std::string_view to_string(ValueKind kind) {
  return name_in(kValueKinds, kind);
}
std::string_view to_string(StorageKind kind) {
  return name_in(kStorageKinds, kind);
}
std::string_view to_string(PoolKind kind) {
  return name_in(kPoolKinds, kind);
}
std::string_view to_string(MemoryKind kind) {
  return name_in(kMemoryKinds, kind);
}
std::string_view to_string(Exactness exactness) {
  return name_in(kExactness, exactness);
}
std::string_view to_string(HookPhase phase) {
  return name_in(kHookPhases, phase);
}
std::string_view to_string(Severity severity) {
  return name_in(kSeverities, severity);
}
std::string_view to_string(CallForm form) {
  return name_in(kCallForms, form);
}
std::string_view to_string(ArgumentForm form) {
  return name_in(kArgumentForms, form);
}
std::string_view to_string(ProvenanceKind kind) {
  return name_in(kProvenances, kind);
}

}  // namespace mlf::graph

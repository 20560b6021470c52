#include "deployment/contradictions.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "deployment/agreement.h"
#include "deployment/member_text.h"
#include "deployment/tir_name.h"
#include "graph/network/memory_use.h"
#include "mlf/inspection.h"
#include "support/c_files.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/name_map.h"
#include "support/numbers.h"
#include "tir/c/c.h"

namespace mlf {
namespace {

using graph::Exactness;
using graph::Topology;

// --- What TVM counts, done again ---------------------------------------------------------------

bool is_graph_executor(const Topology& topology) {
  return topology.provenance.kind == graph::ProvenanceKind::graph_json;
}

std::uint64_t bytes_of_outputs(const Topology& topology) {
  std::uint64_t sum = 0;
  for (const graph::Port& port : topology.outputs) {
    if (port.value) sum += topology[*port.value].bytes.value_or(0);
  }
  return sum;
}

std::uint64_t bytes_of_values(const Topology& topology) {
  std::uint64_t sum = 0;
  for (const graph::Value& value : topology.values) sum += value.bytes.value_or(0);
  return sum;
}

/// TVM's way of counting, and the alignment that it rounds up to; 1 for none.
struct Reason {
  ClaimReason code;
  std::uint64_t alignment = 1;
};

// UpdateMainWorkspaceSize (src/relay/backend/te_compiler.cc) counts every Relay variable as an
// input and the body of main as its output. From v0.9 on, AOT's main is in A-normal form there, so
// all values are variables, and a tuple is a value in addition to its fields.
std::optional<Reason> reason_of_io(const Topology& topology, const MemoryClaim& claim) {
  if (claim.claimed < claim.found.bytes) return {};
  const std::uint64_t outputs = bytes_of_outputs(topology);
  const std::uint64_t more = claim.claimed - claim.found.bytes;
  if (is_graph_executor(topology)) {
    const bool fits = topology.outputs.size() > 1 && outputs > 0 && more % outputs == 0;
    return fits ? std::optional(Reason{ClaimReason::outputs_and_tuple}) : std::nullopt;
  }
  if (claim.claimed < bytes_of_values(topology)) return {};
  return Reason{claim.claimed == bytes_of_values(topology) ? ClaimReason::every_value
                                                           : ClaimReason::every_value_and_tuple};
}

std::optional<Reason> reason_of_constants(const Topology& topology, const MemoryClaim& claim) {
  const std::uint64_t of_kernels = bytes_of_kernel_constants(topology);
  const bool fits = of_kernels > 0 && claim.claimed + of_kernels == claim.found.bytes;
  return fits ? std::optional(Reason{ClaimReason::no_constants_of_kernels}) : std::nullopt;
}

/// CalculateWorkspaceBytes (src/tir/analysis/calculate_workspace.cc): each allocation rounded up.
/// TVM takes the maximum at one time, which is the sum for nested allocations, as TE generates
/// them.
std::uint64_t workspace_of(const graph::Kernel& kernel, std::uint64_t alignment) {
  std::uint64_t sum = 0;
  for (const graph::KernelBuffer& buffer : kernel.workspaces) {
    if (!buffer.pool) sum += support::round_up<std::uint64_t>(buffer.bytes.value_or(0), alignment);
  }
  return sum;
}

std::uint64_t largest_workspace(const Topology& topology, std::uint64_t alignment) {
  std::uint64_t largest = 0;
  for (const graph::Kernel& kernel : topology.kernels) {
    largest = std::max(largest, workspace_of(kernel, alignment));
  }
  return largest;
}

std::uint64_t allocations_of_main(const Topology& topology, std::uint64_t alignment) {
  std::uint64_t sum = 0;
  for (const graph::Storage& storage : topology.storages) {
    if (storage.kind == graph::StorageKind::workspace) {
      sum += support::round_up<std::uint64_t>(storage.bytes.value_or(0), alignment);
    }
  }
  return sum;
}

/// The bytes of the expression that makes a value. For a call, these are all its outputs, because
/// its type is a tuple of them.
std::uint64_t bytes_of_expression(const Topology& topology, const graph::Value& value) {
  if (!value.producer || value.producer->kind != graph::EndpointKind::call) {
    return value.bytes.value_or(0);
  }
  std::uint64_t sum = 0;
  for (const graph::Argument& argument : topology.calls[value.producer->step].arguments) {
    if (argument.writes) sum += topology[*argument.writes].bytes.value_or(0);
  }
  return sum;
}

/// UpdateMainWorkspaceSize: a storage id has the size of its largest expression, and each field of
/// a tuple counts as the whole tuple. The body of main counts only as an output.
std::uint64_t storage_of_expressions(const Topology& topology) {
  std::map<graph::StorageId, std::uint64_t> largest;
  for (const graph::Value& value : topology.values) {
    if (topology[value.storage].kind != graph::StorageKind::workspace) continue;
    const bool is_body = topology.outputs.size() == 1 && topology.outputs[0].value &&
                         &topology[*topology.outputs[0].value] == &value;
    if (is_body) continue;
    std::uint64_t& bytes = largest[value.storage];
    bytes = std::max(bytes, bytes_of_expression(topology, value));
  }
  std::uint64_t sum = 0;
  for (const auto& [storage, bytes] : largest) sum += bytes;
  return sum;
}

/// Storage of the graph executor that contains no output at the end.
std::uint64_t storage_but_of_outputs(const Topology& topology) {
  std::uint64_t sum = allocations_of_main(topology, 1);
  std::vector<graph::StorageId> counted;
  for (const graph::Port& port : topology.outputs) {
    if (!port.value) continue;
    const graph::StorageId id = topology[*port.value].storage;
    if (std::ranges::find(counted, id) != counted.end()) continue;
    counted.push_back(id);
    if (topology[id].kind == graph::StorageKind::workspace) sum -= topology[id].bytes.value_or(0);
  }
  return sum;
}

// The possible values of `workspace-byte-alignment`, the usual one first.
constexpr std::array<std::uint64_t, 7> kAlignments{16, 1, 4, 8, 32, 64, 128};

// The exporter (_build_function_memory_map of python/tvm/micro/model_library_format.py) adds the
// largest workspace of a kernel to main's allocations, including arrays on the stack. The
// executor's option `workspace-byte-alignment`, in v0.8 the target's, is 16 unless it is set.
std::optional<Reason> reason_of_workspace(const Topology& topology, const MemoryClaim& claim) {
  for (const std::uint64_t alignment : kAlignments) {
    const std::uint64_t kernel = largest_workspace(topology, alignment);
    if (!is_graph_executor(topology)) {
      if (claim.claimed != allocations_of_main(topology, alignment) + kernel) continue;
      return Reason{ClaimReason::largest_kernel_and_main, alignment};
    }
    if (claim.claimed == allocations_of_main(topology, 1) + kernel) {
      return Reason{ClaimReason::largest_kernel_and_storage, alignment};
    }
    if (claim.claimed == storage_but_of_outputs(topology) + kernel) {
      return Reason{ClaimReason::storage_but_of_outputs, alignment};
    }
    if (claim.claimed == storage_of_expressions(topology) + kernel) {
      return Reason{ClaimReason::outputs_together, alignment};
    }
  }
  return {};
}

// --- Claims ------------------------------------------------------------------------------------

std::optional<Reason> reason_of(const Topology& topology, const MemoryClaim& claim) {
  switch (claim.kind) {
    case ClaimKind::inputs_and_outputs:
      return reason_of_io(topology, claim);
    case ClaimKind::constants:
      return reason_of_constants(topology, claim);
    case ClaimKind::workspace:
      return reason_of_workspace(topology, claim);
  }
  return {};
}

struct ClaimReasonInfo {
  std::string_view code;
  std::string_view sentence;
};

const ClaimReasonInfo& info(ClaimReason reason) {
  static constexpr ClaimReasonInfo kInfos[] = {
#define MLF_CLAIM_REASON(name, code, sentence) {code, sentence},
#include "mlf/claim_reasons.def"
#undef MLF_CLAIM_REASON
  };
  return kInfos[static_cast<std::size_t>(reason)];
}

std::string sentence_of(const Reason& reason) {
  std::string text(info(reason.code).sentence);
  if (reason.alignment != 1) {
    text += fmt::format(", rounding allocations up to {} bytes", reason.alignment);
  }
  return text;
}

}  // namespace

std::string_view to_string(ClaimReason reason) {
  return info(reason).code;
}

std::string_view to_string(ClaimKind kind) {
  return support::name_in({"inputs-and-outputs", "constants", "workspace"}, kind);
}

bool MemoryClaim::agrees() const {
  if (found.exactness == Exactness::exact) return claimed == found.bytes;
  if (found.exactness == Exactness::at_least) return claimed >= found.bytes;
  return found.exactness == Exactness::unknown || claimed <= found.bytes;
}

std::vector<MemoryClaim> memory_claims(const Module& module) {
  std::vector<MemoryClaim> claims;
  const auto add = [&](ClaimKind kind, auto&& number) {
    std::optional<std::uint64_t> claimed;  // by all devices together
    for (const MainMemory& main : module.memory.main) {
      const std::optional<std::uint64_t> one = number(main);
      if (one) claimed = claimed.value_or(0) + *one;
    }
    if (claimed) claims.push_back({kind, *claimed, {0, Exactness::unknown}});
  };
  add(ClaimKind::inputs_and_outputs, [](const MainMemory& main) { return main.io_size_bytes; });
  add(ClaimKind::constants, [](const MainMemory& main) { return main.constants_size_bytes; });
  add(ClaimKind::workspace,
      [](const MainMemory& main) { return std::optional(main.workspace_size_bytes); });
  return claims;
}

std::vector<MemoryClaim> memory_claims(const Module& module, const Topology& topology) {
  const graph::MemoryTotals totals = graph::memory_totals(topology);
  const std::array found{totals.inputs_and_outputs, totals.constants, totals.workspace()};
  std::vector<MemoryClaim> claims = memory_claims(module);
  for (MemoryClaim& claim : claims) {
    claim.found = found[static_cast<std::size_t>(claim.kind)];
    if (claim.agrees()) continue;
    const std::optional<Reason> reason = reason_of(topology, claim);
    if (!reason) continue;
    claim.reason_code = reason->code;
    claim.reason = sentence_of(*reason);
  }
  return claims;
}

std::uint64_t bytes_of_kernel_constants(const Topology& topology) {
  std::uint64_t bytes = 0;
  for (const graph::Kernel& kernel : topology.kernels) {
    for (const graph::KernelBuffer& constant : kernel.constants) {
      if (!constant.pool) bytes += constant.bytes.value_or(0);
    }
  }
  return bytes;
}

graph::MemoryTotals linked_totals(const Topology& topology) {
  graph::MemoryTotals totals = graph::memory_totals(topology);
  for (const tir::OtherMemory& one : topology.other_memory) {
    if (one.kind == tir::OtherKind::padding) {
      totals.constants +=
          {one.bytes.value_or(0), one.bytes ? Exactness::exact : Exactness::at_least};
    } else if (one.kind == tir::OtherKind::variable && one.bytes) {
      totals.pools += {0, Exactness::at_least};
    } else if (one.kind == tir::OtherKind::constant) {
      totals.constants += {0, Exactness::at_least};
    } else if (one.kind == tir::OtherKind::constant_in_kernel) {
      totals.constants += {0, Exactness::at_most};
    }
  }
  return totals;
}

std::vector<std::uint64_t> workspaces_beside_pools(const Topology& topology) {
  std::vector<std::uint64_t> bytes{0};
  for (const std::uint64_t alignment : kAlignments) {
    bytes.push_back(allocations_of_main(topology, alignment) +
                    largest_workspace(topology, alignment));
  }
  std::ranges::sort(bytes);
  bytes.erase(std::unique(bytes.begin(), bytes.end()), bytes.end());
  return bytes;
}

namespace deployment {
namespace {

/// A file with its content, for messages with a place.
support::SourceText source_of(const archive::Archive& archive, const FileRef& file) {
  return {archive.path(), file.name, member_text(archive, file)};
}

bool is_c(const FileRef& file) {
  return file.name.ends_with(".c");
}

/// Whether the counted bytes of the claim are a certain lower bound.
bool is_evidence(const MemoryClaim& claim) {
  return claim.found.exactness == graph::Exactness::exact ||
         claim.found.exactness == graph::Exactness::at_least;
}

/// Whether a text defines the function, be it under a condition.
bool defines(std::string_view text, const std::string& function, const tir::MacroValues& macros) {
  const tir::CFile file = tir::describe_c(text, macros);
  return std::ranges::find(file.definitions, function, &tir::CDefinition::symbol) !=
         file.definitions.end();
}

/// Whether a text names the function in more than plain prototypes, or pastes names.
bool may_use(std::string_view text, const std::string& function, const tir::MacroValues& macros) {
  if (text.find("##") != text.npos) return true;
  std::size_t at = text.find(function);
  if (at == text.npos) return false;
  if (text.find("alias") != text.npos) return true;
  for (const tir::CDefinition& one : tir::describe_c(text, macros).prototypes) {
    if (one.symbol != function || at < one.range.begin) continue;
    at = text.find(function, std::max<std::size_t>(at, one.range.end));
  }
  return at != text.npos;
}

/// Whether a file of generated code other than `source` may define the function.
bool is_named_elsewhere(const archive::Archive& archive, const FileRef& source,
                        const std::string& function, const tir::MacroValues& macros) {
  return std::ranges::any_of(archive.members(), [&](const archive::Member& member) {
    const bool is_file = member.type == archive::MemberType::file;
    const bool is_code = member.name.starts_with("codegen/") || support::is_c_source(member.name);
    if (!is_file || !is_code || member.name == source.name) return false;
    return may_use(support::get_or_throw(archive.read(member)), function, macros);
  });
}

/// Main is called, and the file that defines it is not there: a linker needs it. That is proven if
/// the caller alone names main, as any other file may define it by a macro or an inclusion.
std::optional<Contradiction> missing_main(const Deployment& deployment, const Module& module) {
  if (!module.files.objects.empty()) return std::nullopt;
  const archive::Archive& archive = deployment.archive();
  const std::string prefix = "tvmgen_" + symbol_part(module.name);
  for (const std::string_view end : {"___tvm_main__", "_run_model"}) {
    const std::string main = prefix + std::string(end);
    // Those of the module first: other files are looked through only where it is broken.
    std::vector<const FileRef*> naming;
    for (const FileRef& source : module.files.sources) {
      if (may_use(member_text(archive, source), main, deployment.macros())) {
        naming.push_back(&source);
      }
    }
    if (naming.size() != 1) continue;
    const std::string_view text = member_text(archive, *naming.front());
    const bool is_called = tir::references_of(text, deployment.macros()).called.contains(main);
    if (!is_called || defines(text, main, deployment.macros())) continue;
    if (is_named_elsewhere(archive, *naming.front(), main, deployment.macros())) continue;
    return Contradiction{"missing-main", fmt::format("{} calls '{}', which no member defines",
                                                     naming.front()->name, main)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<MemoryClaim> comparable_workspace(const Module& module,
                                                const graph::Topology& network) {
  if (module.targets.size() > 1) return std::nullopt;
  // TVM leaves out parameters and adds the largest workspace of a kernel, which objects do not
  // show.
  const bool is_graph = network.provenance.kind == graph::ProvenanceKind::graph_json;
  if (is_graph && (!network.possible_parameter.empty() ||
                   !std::ranges::all_of(network.kernels, &graph::Kernel::has_tir))) {
    return std::nullopt;
  }
  for (MemoryClaim& claim : memory_claims(module, network)) {
    if (claim.kind != ClaimKind::workspace || !is_evidence(claim)) continue;
    // TVM counts blocks in another way, and may be right: so does the allocator.
    if (claim.reason_code && claim.claimed < graph::least_workspace(network)) break;
    return std::move(claim);
  }
  return std::nullopt;
}

std::optional<Contradiction> too_small_metadata(const MemoryClaim& workspace,
                                                const graph::Topology& network) {
  const std::uint64_t used = graph::least_workspace(network);
  if (workspace.claimed >= used) return std::nullopt;
  return Contradiction{"metadata-too-small",
                       fmt::format("metadata.json says that main has {} bytes of workspace, and "
                                   "the network uses {}",
                                   workspace.claimed, used)};
}

// TVM names the header in small letters, and the file includes it by the name of the module.
std::optional<MissingHeader> missing_header(const Deployment& deployment, const Module& module) {
  for (const FileRef& source : module.files.sources) {
    const std::string_view text = member_text(deployment.archive(), source);
    if (text.find("#include <tvmgen_") == text.npos) continue;
    // Under a condition of the preprocessor it may include nothing. TVM has that of __cplusplus.
    std::size_t conditions = 0;
    for (const std::string_view word : {"if", "ifdef", "ifndef", "elif"}) {
      conditions += tir::c::count_of_word(text, word);
    }
    if (conditions > tir::c::count_of_word(text, "__cplusplus")) continue;
    // Of other headers the application may know more.
    const std::string own = fmt::format("tvmgen_{}.h", symbol_part(module.name));
    for (const std::string& path : tir::references_of(text, deployment.macros()).includes) {
      if (path != own) continue;
      MissingHeader missing{source.name, path};
      bool is_there = false;
      for (const archive::Member& member : deployment.archive().members()) {
        const std::string_view name = support::leaf_of(member.name);
        is_there = is_there || name == support::leaf_of(path);
        if (support::in_capitals(name) == support::in_capitals(support::leaf_of(path))) {
          missing.similar = member.name;
        }
      }
      if (!is_there) return missing;
    }
  }
  return std::nullopt;
}

std::vector<Contradiction> invalid_c(const Deployment& deployment, const Module& module) {
  std::vector<support::SourceText> headers;
  for (const FileRef& header : module.files.headers) {
    headers.push_back(source_of(deployment.archive(), header));
  }
  std::vector<support::SourceText> sources;
  for (const FileRef& file : module.files.sources) {
    if (is_c(file)) sources.push_back(source_of(deployment.archive(), file));
  }
  std::vector<Contradiction> found;
  support::NameSet<std::string> details;
  for (const tir::c::DeclarationFault& fault :
       tir::c::declaration_faults(sources, headers, deployment.macros())) {
    std::string detail = fmt::format("{}:{}:{}: {}", fault.where.member, fault.where.line,
                                     fault.where.column, fault.message);
    // A header is read once for each file that may include it.
    if (details.insert(detail).second) found.push_back({"c-invalid", std::move(detail)});
  }
  if (auto missing = missing_main(deployment, module)) found.push_back(*std::move(missing));
  return found;
}

}  // namespace deployment

std::vector<Contradiction> contradictions_of(const Deployment& deployment, std::size_t module,
                                             const graph::Topology* network) {
  const Module& about = deployment.library().modules.at(module);
  std::vector<Contradiction> all;
  if (network != nullptr) {
    const bool is_understood = network->is_understood();
    for (const graph::Check& check : network->checks) {
      const graph::CheckInfo& code = info(check.code);
      if (code.severity != graph::Severity::error || !is_understood) continue;
      all.push_back({std::string(code.code), check.detail});
    }
    if (const auto workspace = deployment::comparable_workspace(about, *network)) {
      auto small = deployment::too_small_metadata(*workspace, *network);
      if (small) all.push_back(*std::move(small));
    }
  }
  const deployment::Agreement& agreement = *support::get_or_throw(deployment.agreement());
  for (const deployment::ComparedWithC& compared : agreement.comparisons) {
    if (compared.module != module || !compared.is_comparable()) continue;
    const auto are_proofs = deployment::are_proofs(agreement, compared, network);
    for (std::size_t i = 0; i < are_proofs.size(); ++i) {
      if (!are_proofs[i]) continue;
      all.push_back({"c-mismatch", deployment::sentence_of(compared, compared.differences[i])});
    }
  }
  std::ranges::move(deployment::invalid_c(deployment, about), std::back_inserter(all));
  std::ranges::move(deployment::operator_faults(deployment, module), std::back_inserter(all));
  return all;
}

}  // namespace mlf

#include "report/memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "analysis/cost/regions.h"
#include "graph/node_queries.h"
#include "report/constants.h"
#include "report/shared_numbers.h"
#include "support/name_map.h"
#include "support/nearest.h"

namespace mlf {
namespace report {
namespace {

using analysis::Count;

/// Inputs and outputs that the caller has on a device. Those in pools and in storages of the graph
/// executor count there.
Count memory_of_caller(const graph::Topology& network, std::optional<graph::Device> device) {
  Count sum;
  const auto add = [&](const graph::Port& port) {
    const graph::Storage* at = port.value ? &network[network[*port.value].storage] : nullptr;
    if (at != nullptr && at->memory) return;
    if (!network.is_on(device, at != nullptr ? at->device : std::nullopt)) return;
    sum += analysis::to_count(graph::bytes_of(network, port));
  };
  for (const graph::Port& port : network.inputs) add(port);
  if (!network.possible_parameter.empty()) sum.min = 0;
  for (const graph::Port& port : network.outputs) add(port);
  if (network.is_in_ram(device) && !network.knows_parameters()) sum += Count::unknown();
  return sum;
}

/// Inputs and outputs of unknown size.
void note_ports(ModuleReport& module, const std::vector<graph::Port>& ports) {
  for (const graph::Port& port : ports) {
    const bool is_known = port.type.bytes() || (port.value && (*module.network)[*port.value].bytes);
    if (!is_known) note(module, "the size of '" + port.name + "' is unknown");
  }
}

/// Whether a kernel calls no function that main calls too.
bool calls_no_kernel(const support::NameIndex<KernelReport>& kernels, const KernelReport& kernel) {
  if (!kernel.cost) return false;
  return std::ranges::none_of(kernel.cost->extern_calls, [&](const analysis::ExternCall& callee) {
    return kernels.find(callee.symbol) != nullptr;
  });
}

/// nullopt if a frame has no bound, or if main and its kernels are not the whole program.
std::optional<std::uint64_t> other_frames(const ModuleReport& module,
                                          std::optional<std::uint64_t> library) {
  const CompiledCode& code = *module.code;
  if (code.missing.empty()) library = 0;
  if (!code.uncompiled.empty() || code.may_recurse) return {};
  if (!module.network || !module.network->gaps.empty() || !library) return {};
  if (!code.functions.contains(module.network->provenance.symbol)) return {};
  const support::NameIndex kernels(module.kernels, &KernelReport::symbol);
  std::set<std::string_view> counted{module.network->provenance.symbol};
  for (const KernelReport& kernel : module.kernels) {
    if (!calls_no_kernel(kernels, kernel) || !code.functions.contains(kernel.symbol)) return {};
    counted.insert(kernel.symbol);
  }
  std::uint64_t bytes = 0;
  for (const auto& [name, function] : code.functions) {
    if (!function.frame) return {};
    if (!counted.contains(name)) bytes += *function.frame;
  }
  // Some compilers do not count the return address.
  constexpr std::uint64_t kAddress = 8;
  return bytes + kAddress * code.functions.size() + *library;
}
}  // namespace

void note(ModuleReport& module, const std::string& why) {
  if (std::ranges::find(module.uncertain, why) == module.uncertain.end()) {
    module.uncertain.push_back(why);
  }
}

void note_other_memory(ModuleReport& module, std::span<const tir::OtherMemory> memory) {
  std::vector<std::string> unused;
  for (const tir::OtherMemory& one : memory) {
    if (one.kind == tir::OtherKind::variable) {
      note(module, one.bytes ? fmt::format("variable '{}' of the C takes up to {} bytes", one.name,
                                           *one.bytes)
                             : "the size of variable '" + one.name + "' of the C is not read");
    } else if (one.kind == tir::OtherKind::constant ||
               one.kind == tir::OtherKind::constant_in_kernel) {
      unused.push_back("'" + one.name + "'");
    }
  }
  if (!unused.empty()) {
    note(module, "compilers may leave out constants that no kernel uses: " + some_of(unused, 5));
  }
}

void collect_reasons(ModuleReport& module) {
  if (module.network) {
    for (const std::string& gap : module.network->gaps) note(module, gap);
    note_other_memory(module, module.network->other_memory);
    for (const graph::Check& check : module.network->checks) {
      if (check.code == graph::CheckCode::decided_by_c) note(module, check.detail);
    }
  }
  if (module.code) {
    for (const std::string& file : module.code->uncompiled) note(module, file);
  }
  for (const std::string& why : module.peak.uncertain) note(module, why);
  for (const DeviceReport& one : module.devices) {
    for (const std::string& why : one.uncertain) note(module, why);
  }
  if (module.network) {
    note_ports(module, module.network->inputs);
    note_ports(module, module.network->outputs);
  }
  for (const KernelReport& kernel : module.kernels) {
    if (!kernel.cost) {
      note(module, "'" + kernel.symbol + "' has no TIR");
      continue;
    }
    for (const std::string& why : kernel.cost->uncertain) {
      note(module, report::about_kernel(kernel, why));
    }
  }
}

Count constants_in_sections(std::span<const tir::OtherMemory> memory,
                            const graph::MemoryTotals& totals) {
  Count bytes = analysis::to_count(totals.constants);
  for (const tir::OtherMemory& one : memory) {
    const Count all = analysis::to_count(one.bytes);
    switch (one.kind) {
      case tir::OtherKind::variable:
      case tir::OtherKind::writable:
        break;
      case tir::OtherKind::constant:
        bytes += Count{0, all.max};
        break;
      case tir::OtherKind::constant_in_kernel:
        bytes.min -= std::min(bytes.min, all.min);
        break;
      case tir::OtherKind::padding:
        bytes += all;
        break;
    }
  }
  return bytes;
}

void add_memory(ModuleReport& module, const graph::Topology& network) {
  for (const std::optional<graph::Device> device : network.devices) {
    const graph::MemoryTotals totals = graph::memory_totals(network, device);
    const Count io = memory_of_caller(network, device);
    const Count executor = analysis::to_count(totals.executor);
    const Count heap = analysis::to_count(totals.heap);
    const Count stack = analysis::to_count(totals.stack);
    if (network.is_in_ram(device)) {
      module.ram = {analysis::to_count(totals.pools), io, executor, heap, stack, {}};
      module.flash.constants = constants_in_sections(network.other_memory, totals);
      for (const tir::OtherMemory& one : network.other_memory) {
        if (one.kind == tir::OtherKind::variable && one.bytes) module.ram.pools += {0, one.bytes};
      }
      continue;
    }
    DeviceReport& one =
        module.devices.emplace_back(DeviceReport{*device, io, executor, heap, stack, {}});
    for (const graph::MemoryUse& use : network.memory) {
      if (use.device != device) continue;
      one.uncertain.insert(one.uncertain.end(), use.uncertain.begin(), use.uncertain.end());
    }
  }
  module.peak = analysis::ram_peak(network);
}

void add_writable_pools(ModuleReport& module) {
  if (!module.network || (module.code && module.code->uncompiled.empty())) return;
  for (const tir::OtherMemory& one : module.network->other_memory) {
    if (one.kind != tir::OtherKind::writable || one.section.starts_with(".rodata")) continue;
    const bool is_in_ram = one.section.empty() || one.section.starts_with(".data");
    module.ram.pools += Count(is_in_ram ? one.bytes.value_or(0) : 0, one.bytes);
    if (is_in_ram) continue;
    note(module, fmt::format("the linker script decides whether pool '{}' in section {} is in RAM",
                             one.name, one.section));
  }
}

void add_executor_files(ModuleReport& report, const ModuleFiles& files,
                        const graph::Topology& network) {
  if (network.provenance.kind != graph::ProvenanceKind::graph_json) return;
  Count& bytes = report.flash.beside_code;
  for (const graph::Value& value : network.values) {
    if (!is_in_file(network, value)) continue;
    bytes += value.bytes ? Count(*value.bytes) : Count::unknown();
  }
  const std::uint64_t file = files.parameters ? files.parameters->size : 0;
  bytes += Count(0, file - std::min(file, bytes.min) + (files.graph ? files.graph->size : 0));
  if (network.possible_parameter.empty()) return;
  bytes += Count::unknown();
  report.uncertain.push_back("the archive has no file of parameters: inputs such as '" +
                             network.possible_parameter + "' may be constants");
}
}  // namespace report

using analysis::Count;

Count RamReport::total() const {
  return pools + io + executor + heap + stack + arguments;
}

Count report::without(const Count& all, const Count& part) {
  Count rest{part.max ? all.min - std::min(all.min, *part.max) : 0, std::nullopt};
  if (all.max) rest.max = *all.max - std::min(*all.max, part.min);
  return rest;
}

Count compiled_bytes(const CompiledCode& code, std::uint64_t bytes) {
  return {bytes, code.uncompiled.empty() ? std::optional(bytes) : std::nullopt};
}

// Main calls one kernel at a time, so the largest frame counts.
Count stack_frames(const ModuleReport& module, std::optional<std::uint64_t> library) {
  if (!module.code) return Count::unknown();
  const auto frame_of = [&](std::string_view symbol) {
    const CompiledFunction* function = module.code->find(symbol);
    const std::uint64_t frame = function != nullptr ? function->frame.value_or(0) : 0;
    return frame - std::min(frame, module.code->red_zone);
  };
  std::uint64_t largest = 0;
  for (const KernelReport& kernel : module.kernels) {
    largest = std::max(largest, frame_of(kernel.symbol));
  }
  const std::uint64_t main = module.network ? frame_of(module.network->provenance.symbol) : 0;
  const auto others = report::other_frames(module, library);
  const std::uint64_t least = main + largest;
  if (!others) return {least, std::nullopt};
  return {least, least + 2 * module.code->red_zone + *others};
}

std::string parts_of_peak(const ModuleReport& module) {
  constexpr std::array kRoles{analysis::LiveRole::scratch, analysis::LiveRole::input,
                              analysis::LiveRole::in_out, analysis::LiveRole::output,
                              analysis::LiveRole::held};
  if (!module.peak.call || !module.network) return {};
  const auto tensors = analysis::live_tensors(*module.network, *module.peak.call);
  std::vector<std::string> parts;
  Count sum;
  for (const analysis::LiveRole role : kRoles) {
    Count bytes;
    for (const analysis::LiveTensor& tensor : tensors) {
      if (tensor.role == role) bytes += analysis::to_count(tensor.bytes);
    }
    // Workspaces of a pool may overlap.
    const bool is_scratch = role == analysis::LiveRole::scratch && bytes != Count{};
    if (is_scratch) bytes = module.calls[index(*module.peak.call)][CallMeasure::scratch];
    sum += bytes;
    if (bytes != Count{}) parts.push_back(fmt::format("{} {}", to_string(role), to_string(bytes)));
  }
  std::string text = fmt::format("{}", fmt::join(parts, " + "));
  // A result may overlap an input that is no longer needed.
  const Count shared = report::without(sum, module.peak.bytes);
  const bool has_some = shared.max && *shared.max > 0;
  if (has_some && module.peak.bytes != Count::unknown()) {
    text += fmt::format(" - shared {}", to_string(shared));
  }
  return text;
}

}  // namespace mlf

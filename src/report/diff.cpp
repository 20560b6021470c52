#include "mlf/diff.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/fingerprint.h"
#include "analysis/stored_constants.h"
#include "graph/node_queries.h"
#include "report/changed_members.h"
#include "report/pairing.h"
#include "support/error.h"
#include "support/name_map.h"
#include "tir/node_queries.h"

namespace mlf {
namespace report {
namespace {

using analysis::Count;
using graph::Topology;

void add_number(std::vector<NumberChange>& changes, std::string_view what, const Count& before,
                const Count& after) {
  if (before != after) changes.push_back({std::string(what), before, after});
}

/// A network that is understood has no memory on a device that it does not use.
void add_devices(std::vector<NumberChange>& changes, const ModuleReport& a, const ModuleReport& b) {
  const auto on = [](const ModuleReport& module, graph::Device device) {
    const auto found = std::ranges::find(module.devices, device, &DeviceReport::device);
    if (found != module.devices.end()) return *found;
    const bool has_devices = module.network && !module.network->devices.empty();
    if (has_devices && module.network->devices.front() == device) {
      const RamReport& ram = module.ram;
      return DeviceReport{device, ram.io, ram.executor, ram.heap, ram.stack, {}};
    }
    const bool is_known = module.network && module.network->gaps.empty();
    const Count other = is_known ? Count() : Count::unknown();
    return DeviceReport{device, other, other, other, other, {}};
  };
  std::set<graph::Device> devices;
  for (const DeviceReport& one : a.devices) devices.insert(one.device);
  for (const DeviceReport& one : b.devices) devices.insert(one.device);
  for (const graph::Device device : devices) {
    const DeviceReport before = on(a, device);
    const DeviceReport after = on(b, device);
    for (const ModuleMeasureInfo& one : module_measures()) {
      const auto number = number_of(before, one);
      if (!number) continue;
      add_number(changes, fmt::format("devices.{}.{}", device, one.name()), *number,
                 *number_of(after, one));
    }
  }
}

void add_compiled(std::vector<NumberChange>& changes, const ModuleReport& a,
                  const ModuleReport& b) {
  if (!a.code || !b.code) return;
  const auto add = [&](std::string_view what, std::uint64_t CompiledCode::*bytes) {
    add_number(changes, what, compiled_bytes(*a.code, (*a.code).*bytes),
               compiled_bytes(*b.code, (*b.code).*bytes));
  };
  add("compiled.text", &CompiledCode::text);
  add("compiled.rodata", &CompiledCode::rodata);
  add("compiled.data", &CompiledCode::data);
  add("compiled.bss", &CompiledCode::bss);
}

/// Compares the code of one kernel on both sides, even if its names differ.
void add_code(std::vector<NumberChange>& changes, const ModuleReport& a, std::size_t before,
              const ModuleReport& b, std::size_t after) {
  if (!a.code || !b.code) return;
  const CompiledFunction* left = a.code->find(a.kernels[before].symbol);
  const CompiledFunction* right = b.code->find(b.kernels[after].symbol);
  if (left != nullptr && right != nullptr) add_number(changes, "code", left->bytes, right->bytes);
}

void compare_numbers(std::vector<NumberChange>& changes, const ModuleReport& a,
                     const ModuleReport& b) {
  for (const ModuleMeasureInfo& one : module_measures()) {
    if (one.is_compared()) add_number(changes, one.key, one.value(a), one.value(b));
  }
  add_devices(changes, a, b);
  add_compiled(changes, a, b);
}

/// Compares a single call, not the sum of a kernel's calls. The memory at the call is a number of
/// the network.
void compare_calls(std::vector<NumberChange>& changes, const CallReport& a, const CallReport& b) {
  for (const CallMeasureInfo& one : call_measures()) {
    if (one.measure == CallMeasure::live) continue;
    add_number(changes, one.name, a[one.measure], b[one.measure]);
  }
}

/// Whether a profile of each build has the number, and the bounds of one exclude those of the
/// other.
bool takes_another_time(const CallReport& a, const CallReport& b) {
  return std::ranges::any_of(call_measures(), [&](const CallMeasureInfo& one) {
    if (!is_of_profile(one.measure)) return false;
    const Count& before = a[one.measure];
    const Count& after = b[one.measure];
    return (before.max && *before.max < after.min) || (after.max && *after.max < before.min);
  });
}

/// Whether the shapes are certainly different. C, and TVM v0.9 with USMP, have all elements in one
/// dimension.
bool have_other_shapes(const graph::TensorType& a, const graph::TensorType& b) {
  if (!a.shape || !b.shape || *a.shape == *b.shape) return false;
  const bool may_be_flat = std::min(a.shape->size(), b.shape->size()) <= 1;
  return !may_be_flat || (a.bytes() && b.bytes() && a.bytes() != b.bytes());
}

bool is_of_c(const KernelReport& kernel) {
  return kernel.document && kernel.document->source.dialect == tir::Dialect::c;
}

/// Whether two kernels of one program are the same: as C, it says no shapes. Those in the TIR of C
/// are what its loops may access.
bool are_same(const Side& left, std::size_t a, const Side& right, std::size_t b) {
  if (left.programs[a] != right.programs[b]) return false;
  if (is_of_c(left.module.kernels[a]) || is_of_c(right.module.kernels[b])) return true;
  const auto types_of = [](const KernelReport& kernel) {
    std::vector<graph::TensorType> types;
    if (!kernel.document) return types;
    const tir::Node function = kernel.document->module.node(kernel.function);
    const tir::NodeMap flat = function.map(tir::f::PrimFunc::buffer_map);
    const tir::NodeMap shaped = function.map(tir::f::PrimFunc::preflattened_buffer_map);
    for (const tir::Node parameter : function.list(tir::f::PrimFunc::params)) {
      tir::Node buffer = tir::value_under(shaped, parameter);
      if (!buffer) buffer = tir::value_under(flat, parameter);
      types.push_back(buffer ? graph::type_of_buffer(buffer) : graph::TensorType());
    }
    return types;
  };
  return std::ranges::equal(types_of(left.module.kernels[a]), types_of(right.module.kernels[b]),
                            std::not_fn(have_other_shapes));
}

/// If multiply-accumulates, tensor types, numbers or bytes of constants differ, it is another
/// computation. If all are equal, it counts as another schedule.
KernelChange change_of(const Side& left, const CallReport& a, const Side& right,
                       const CallReport& b) {
  const auto types_of = [](const Side& side, const CallReport& call) {
    std::vector<graph::TensorType> types;
    for (const graph::Argument& argument : (*side.module.network)[call.call].arguments) {
      if (argument.reads || argument.writes) types.push_back(argument.type);
    }
    return types;
  };
  const auto function_of = [](const Side& side, const CallReport& call) {
    const KernelReport& kernel = side.module.kernels[call.kernel];
    return kernel.document ? kernel.document->module.node(kernel.function) : tir::Node();
  };
  const tir::Node code = function_of(left, a);
  const tir::Node other_code = function_of(right, b);
  const bool has_same_values =
      (!code && !other_code) ||
      (code && other_code &&
       analysis::computed_values(code) == analysis::computed_values(other_code));
  const auto are_alike = [](const graph::TensorType& one, const graph::TensorType& other) {
    return one.dtype == other.dtype && one.shape.has_value() == other.shape.has_value() &&
           !have_other_shapes(one, other);
  };
  const auto before = types_of(left, a);
  const auto after = types_of(right, b);
  // Flat tensors say less: then the computed values are the same as well.
  const bool are_same_tensors =
      before == after || (std::ranges::equal(before, after, are_alike) && has_same_values);
  // Expressions of another form may have other numbers for the same.
  const bool has_other_numbers =
      code && has_same_values &&
      analysis::computed_numbers(code) != analysis::computed_numbers(other_code);
  const bool is_alike = a[CallMeasure::mac] == b[CallMeasure::mac] &&
                        a[CallMeasure::mac].is_exact() && are_same_tensors && !has_other_numbers &&
                        a[CallMeasure::parameters] == b[CallMeasure::parameters];
  return is_alike ? KernelChange::rescheduled : KernelChange::changed;
}

/// Whether two kernels are the same program except for the offsets of their workspaces.
bool differ_in_offsets_alone(const KernelReport& a, const KernelReport& b) {
  if (!a.document || !b.document) return false;
  return analysis::fingerprint_without_offsets(a.document->module.node(a.function)) ==
         analysis::fingerprint_without_offsets(b.document->module.node(b.function));
}

/// Kernels that store their constants in another form, by index in ModuleDifference::kernels.
using StoredDifferently = std::map<std::size_t, std::vector<analysis::StoredConstant>>;

std::optional<std::vector<analysis::StoredConstant>> stored_constants(const KernelReport& a,
                                                                      const KernelReport& b) {
  if (!a.document || !b.document) return std::nullopt;
  return analysis::constants_in_other_form(a.document->module.node(a.function),
                                           b.document->module.node(b.function));
}

/// Counts the changes. Whether constants share a place shows in all kernels together. If all have
/// the same form and place, the values of one of them are known in one build alone.
void count_changes(ModuleDifference& difference, const StoredDifferently& stored) {
  using analysis::StoredPlace;
  std::map<StoredPlace, std::set<StoredPlace>> before;  // by place after
  std::map<StoredPlace, std::set<StoredPlace>> after;   // by place before
  for (const auto& [kernel, constants] : stored) {
    for (const analysis::StoredConstant& one : constants) {
      before[one.after].insert(one.before);
      after[one.before].insert(one.after);
    }
  }
  for (const auto& [kernel, constants] : stored) {
    StorageChanges& changes = difference.kernels[kernel].constants;
    for (const analysis::StoredConstant& one : constants) {
      const bool is_in_pool = !one.before.pool.empty();
      changes.types += one.has_other_type ? 1 : 0;
      changes.counts += one.has_other_count ? 1 : 0;
      const bool is_shared = before[one.after].size() > 1 || after[one.before].size() > 1;
      changes.shared += is_in_pool && is_shared ? 1 : 0;
    }
    if (changes.any()) continue;
    const bool is_moved = std::ranges::any_of(
        constants, [](const analysis::StoredConstant& one) { return one.before != one.after; });
    difference.kernels[kernel].change = is_moved ? KernelChange::moved : KernelChange::changed;
  }
}

/// The sources of a value, as numbers that are equal on both sides if `partners` (of calls on the
/// left; empty for the right) pairs them.
std::vector<std::size_t> sources_of(const Topology& network, const graph::Call& call,
                                    const std::vector<std::size_t>& partners) {
  std::vector<std::size_t> sources;
  for (const graph::Argument& argument : call.arguments) {
    if (!argument.reads) continue;
    const graph::Value& value = network[*argument.reads];
    if (value.kind == graph::ValueKind::constant) continue;
    if (!value.producer || value.producer->kind != graph::EndpointKind::call) {
      // An input, or a copy: its storage's values come in the order of main.
      sources.push_back(kNone - 1 - index(*argument.reads));
    } else {
      const std::size_t producer = value.producer->step;
      sources.push_back(partners.empty() ? producer : partners[producer]);
    }
  }
  return sources;
}

std::string name_of_both(const KernelReport& before, const KernelReport& after) {
  if (before.short_name == after.short_name) return after.short_name;
  return before.short_name + " -> " + after.short_name;
}

void add_partner(Partners& kernels, const KernelReport& before, const KernelReport& after,
                 bool is_same) {
  const bool has_other_file = before.c && after.c && before.c->file != after.c->file;
  const bool is_moved = is_same && (before.symbol != after.symbol || has_other_file);
  kernels.try_emplace(after.symbol, Partner{before.symbol, is_moved});
}

/// A kernel that only one side has.
void add_one_sided(ModuleDifference& difference, KernelChange change, const KernelReport& kernel) {
  KernelDifference& one = difference.kernels.emplace_back();
  one = {.change = change, .name = kernel.short_name};
  (change == KernelChange::added ? one.after : one.before) = kernel.symbol;
}

/// Kernels and calls of one side that have no partner: they were removed or added.
void add_unpaired(ModuleDifference& difference, KernelChange change, const Side& side,
                  const Side& other, const std::vector<bool>& is_known_kernel,
                  const std::vector<bool>& is_paired_call) {
  if (other.may_hide_calls()) {
    difference.graph.push_back(
        fmt::format("unknown which calls were {}: main of the {} archive is not understood",
                    to_string(change), change == KernelChange::removed ? "new" : "old"));
    return;
  }
  const ModuleReport& module = side.module;
  for (std::size_t i = 0; i < module.kernels.size(); ++i) {
    if (!is_known_kernel[i]) add_one_sided(difference, change, module.kernels[i]);
  }
  for (std::size_t i = 0; i < module.calls.size(); ++i) {
    if (is_paired_call[i]) continue;
    const std::string& name = module.kernels[module.calls[i].kernel].short_name;
    difference.graph.push_back(fmt::format("call {} of {} was {}", i, name, to_string(change)));
  }
}

/// Compares kernels of paired calls with different programs, and adds kernels of calls without a
/// partner.
void compare_networks(ModuleDifference& difference, const Side& left, const Side& right,
                      Partners& kernels) {
  const ModuleReport& a = left.module;
  const ModuleReport& b = right.module;
  const std::vector<std::size_t> partners = pair_calls(left, right);
  std::vector<bool> is_known_left(a.kernels.size());
  std::vector<bool> is_known_right(b.kernels.size());
  std::vector<bool> is_paired_left(a.calls.size());
  std::vector<bool> is_paired_right(b.calls.size());
  StoredDifferently stored;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] == kNone) continue;
    is_paired_left[i] = true;
    is_paired_right[partners[i]] = true;
    const CallReport& before = a.calls[i];
    const CallReport& after = b.calls[partners[i]];
    const KernelReport& old_kernel = a.kernels[before.kernel];
    const KernelReport& new_kernel = b.kernels[after.kernel];
    const auto was = sources_of(*a.network, (*a.network)[before.call], partners);
    const auto is = sources_of(*b.network, (*b.network)[after.call], {});
    if (was != is) {
      difference.graph.push_back(fmt::format("call {} of {} reads from other calls",
                                             index(after.call), new_kernel.short_name));
    }
    // A kernel called twice is listed once, with its first pair of calls.
    const bool is_new = !is_known_left[before.kernel] || !is_known_right[after.kernel];
    is_known_left[before.kernel] = true;
    is_known_right[after.kernel] = true;
    const bool is_same = are_same(left, before.kernel, right, after.kernel);
    add_partner(kernels, old_kernel, new_kernel, is_same);
    if (!is_new || (is_same && !takes_another_time(before, after))) continue;
    KernelDifference& kernel = difference.kernels.emplace_back();
    if (is_same) {
      kernel.change = KernelChange::timing;
    } else if (differ_in_offsets_alone(old_kernel, new_kernel)) {
      kernel.change = KernelChange::moved;
    } else if (auto constants = stored_constants(old_kernel, new_kernel)) {
      kernel.change = KernelChange::constants;
      stored.emplace(difference.kernels.size() - 1, std::move(*constants));
    } else {
      kernel.change = change_of(left, before, right, after);
    }
    kernel.before = old_kernel.symbol;
    kernel.after = new_kernel.symbol;
    kernel.name = name_of_both(old_kernel, new_kernel);
    compare_calls(kernel.numbers, before, after);
    add_code(kernel.numbers, a, before.kernel, b, after.kernel);
  }
  count_changes(difference, stored);
  add_unpaired(difference, KernelChange::removed, left, right, is_known_left, is_paired_left);
  add_unpaired(difference, KernelChange::added, right, left, is_known_right, is_paired_right);
}

/// Generated C has buffers of one dimension, if it states types at all.
bool differ(const graph::TensorType& a, const graph::TensorType& b, bool is_one_from_c) {
  if (!is_one_from_c) return a != b;
  return a.bytes() && b.bytes() && a.bytes() != b.bytes();
}

/// Their order identifies inputs and outputs, because the user may have changed names.
void compare_ports(std::vector<std::string>& graph, std::string_view what,
                   const std::vector<graph::Port>& a, const std::vector<graph::Port>& b,
                   bool is_one_from_c) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= b.size()) {
      graph.push_back(fmt::format("{} {} '{}' was removed", what, i, a[i].name));
    } else if (i >= a.size()) {
      graph.push_back(fmt::format("{} {} '{}' was added", what, i, b[i].name));
    } else if (differ(a[i].type, b[i].type, is_one_from_c)) {
      graph.push_back(
          fmt::format("{} {} is {}, was {}", what, i, type_text(b[i].type), type_text(a[i].type)));
    }
  }
}

/// Compares kernels of modules without a network: first by program, then by name.
void compare_functions(ModuleDifference& difference, const Side& left, const Side& right,
                       Partners& kernels) {
  const auto& a = left.module.kernels;
  const auto& b = right.module.kernels;
  std::vector<bool> taken(b.size());
  const auto take = [&](const auto& fits) {
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (taken[i] || !fits(i)) continue;
      taken[i] = true;
      return i;
    }
    return kNone;
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t same = take([&](std::size_t k) { return are_same(left, i, right, k); });
    if (same != kNone) {
      add_partner(kernels, a[i], b[same], true);
      continue;
    }
    const std::size_t same_name = take([&](std::size_t k) { return b[k].symbol == a[i].symbol; });
    if (same_name == kNone) {
      add_one_sided(difference, KernelChange::removed, a[i]);
    } else {
      difference.kernels.push_back({.change = KernelChange::changed,
                                    .before = a[i].symbol,
                                    .after = b[same_name].symbol,
                                    .name = name_of_both(a[i], b[same_name])});
    }
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!taken[i]) add_one_sided(difference, KernelChange::added, b[i]);
  }
}

bool is_from_c(const ModuleReport& module) {
  return std::ranges::any_of(module.kernels, is_of_c);
}

/// Why the numbers of one build are not exact, if a total that changed is not.
void add_reasons(ModuleDifference& difference, std::string_view build, Count NumberChange::*number,
                 const std::vector<std::string>& reasons) {
  const auto is_exact = [&](const NumberChange& one) { return (one.*number).is_exact(); };
  if (std::ranges::all_of(difference.numbers, is_exact)) return;
  for (const std::string& why : reasons)
    difference.uncertain.push_back(fmt::format("{}: {}", build, why));
}

ModuleDifference compare(const Report& before, std::size_t at_before, const Report& after,
                         std::size_t at_after, Partners& kernels) {
  const ModuleReport& a = before.modules[at_before];
  const ModuleReport& b = after.modules[at_after];
  ModuleDifference difference{.name = b.name, .before = at_before, .after = at_after};
  compare_numbers(difference.numbers, a, b);
  add_reasons(difference, "before", &NumberChange::before, a.uncertain);
  add_reasons(difference, "after", &NumberChange::after, b.uncertain);
  ProgramsOfBoth programs = programs_of(a, b);
  const Side left{a, std::move(programs[0]), names_kept(a, b, "before")};
  const Side right{b, std::move(programs[1]), names_kept(b, a, "after")};
  if (a.network && b.network) {
    compare_networks(difference, left, right, kernels);
    const bool is_one_c = is_from_c(a) != is_from_c(b);
    compare_ports(difference.graph, "input", a.network->inputs, b.network->inputs, is_one_c);
    compare_ports(difference.graph, "output", a.network->outputs, b.network->outputs, is_one_c);
  } else {
    compare_functions(difference, left, right, kernels);
  }
  return difference;
}

std::vector<ModuleDifference> compare_modules(const Report& before, const Report& after,
                                              Partners& kernels) {
  std::vector<ModuleDifference> differences;
  const auto add = [&](ModuleDifference module) {
    if (!module.empty()) differences.push_back(std::move(module));
  };
  // If both sides have one network, it is the same one, even if the module was renamed.
  if (before.modules.size() == 1 && after.modules.size() == 1) {
    add(compare(before, 0, after, 0, kernels));
    return differences;
  }
  const support::NameIndex known_before(before.modules, &ModuleReport::name);
  const support::NameIndex known_after(after.modules, &ModuleReport::name);
  for (std::size_t i = 0; i < before.modules.size(); ++i) {
    const std::string& name = before.modules[i].name;
    const ModuleReport* const found = known_after.find(name);
    if (found == nullptr) {
      add({.name = name, .before = i});
    } else {
      const auto other = static_cast<std::size_t>(found - after.modules.data());
      add(compare(before, i, after, other, kernels));
    }
  }
  for (std::size_t i = 0; i < after.modules.size(); ++i) {
    const std::string& name = after.modules[i].name;
    if (known_before.find(name) == nullptr) add({.name = name, .after = i});
  }
  return differences;
}

/// A constant that a kernel stores in another form has other bytes for the same values.
void remove_other_forms(BuildDifference& difference) {
  std::set<std::string_view> stored;
  for (const ModuleDifference& module : difference.modules) {
    for (const KernelDifference& kernel : module.kernels) {
      if (kernel.change == KernelChange::constants) stored.insert(kernel.after);
    }
  }
  std::erase_if(difference.constants, [&](const ConstantDifference& one) {
    return one.bytes != one.bytes_before && stored.contains(one.kernel);
  });
}

void add_names(BuildDifference& difference, const Report& report) {
  for (const ModuleReport& module : report.modules) {
    for (const KernelReport& one : module.kernels) {
      difference.names.try_emplace(one.symbol, one.short_name);
    }
  }
}

}  // namespace
}  // namespace report

bool ModuleDifference::empty() const {
  return before && after && numbers.empty() && kernels.empty() && graph.empty();
}

Result<BuildDifference> diff(const ComparedBuild& before, const ComparedBuild& after) {
  return support::to_result([&] {
    BuildDifference difference{
        .members = report::changed_members(before.deployment, after.deployment),
        .contradictions_before = contradictions_of(before.report),
        .contradictions_after = contradictions_of(after.report)};
    report::Partners kernels;
    difference.modules = report::compare_modules(before.report, after.report, kernels);
    if (!difference.members.empty()) {
      report::add_names(difference, after.report);
      report::add_names(difference, before.report);
      for (const auto& [symbol, partner] : kernels) {
        if (partner.is_moved) difference.moved.push_back({partner.before, symbol});
      }
      difference.constants = report::changed_constants(before.report, after.report, kernels);
      report::remove_other_forms(difference);
      return difference;
    }
    // Equal members make equal networks, also where they are not understood.
    for (ModuleDifference& module : difference.modules) module.graph.clear();
    std::erase_if(difference.modules, &ModuleDifference::empty);
    return difference;
  });
}

}  // namespace mlf

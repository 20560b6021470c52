// The differences of two builds in words.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "mlf/diff.h"
#include "support/characters.h"
#include "support/digits.h"
#include "support/lookup.h"

namespace mlf {
namespace {

/// Adds "3 of another type" to a list; nothing if the count is 0.
void add_count(std::string& list, std::size_t count, std::string_view what) {
  if (count == 0) return;
  list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, what);
}

std::string_view kernels_of(std::size_t count) {
  return count == 1 ? "kernel" : "kernels";
}

/// What many kernels of an optimized or renumbered build have in common.
std::vector<DifferenceWords> words_of_kernels(const BuildDifference& difference) {
  std::size_t at_other_offsets = 0;
  std::size_t stored_differently = 0;
  StorageChanges changes;
  for (const ModuleDifference& module : difference.modules) {
    for (const KernelDifference& kernel : module.kernels) {
      at_other_offsets += kernel.change == KernelChange::moved ? 1 : 0;
      stored_differently += kernel.change == KernelChange::constants ? 1 : 0;
      changes.types += kernel.constants.types;
      changes.counts += kernel.constants.counts;
      changes.shared += kernel.constants.shared;
    }
  }
  std::string moved;
  const std::size_t renamed = difference.moved.size();
  add_count(moved, renamed, fmt::format("{} to another name or file", kernels_of(renamed)));
  add_count(moved, at_other_offsets,
            fmt::format("{} to other offsets in pools", kernels_of(at_other_offsets)));
  std::string forms;
  add_count(forms, changes.types, "of another type");
  add_count(forms, changes.counts, "with one element in one build and all elements in the other");
  add_count(forms, changes.shared, "that share bytes with an equal constant in one build");
  std::vector<DifferenceWords> words;
  if (!moved.empty()) words.push_back({"only moved", std::move(moved)});
  if (stored_differently > 0) {
    words.push_back(
        {"constants in another form",
         fmt::format("{} ({} {})", forms, stored_differently, kernels_of(stored_differently))});
  }
  return words;
}

std::string short_name(const BuildDifference& difference, const std::string& symbol) {
  return support::value_at(difference.names, symbol).value_or(symbol);
}

DifferenceWords words_of(const ConstantDifference& one, const BuildDifference& difference) {
  std::string where = one.name;
  const std::string kernel = short_name(difference, one.kernel);
  if (!one.layer.empty()) {
    where += fmt::format(" of {} ({})", first_layer(one.layer), kernel);
  } else if (!kernel.empty()) {
    where += " of " + kernel;
  }
  if (one.bytes != one.bytes_before) {
    return {"constant " + where, fmt::format("{} bytes, was {}", one.bytes, one.bytes_before)};
  }
  if (one.is_reordered) {
    return {"constant " + where, fmt::format("the same {} elements ({} bytes) in another order",
                                             one.elements, one.bytes)};
  }
  std::string what =
      fmt::format("{} of {} element{} ({} bytes) differ{}", one.differing, one.elements,
                  one.elements == 1 ? "" : "s", one.bytes, one.differing == 1 ? "s" : "");
  if (one.largest) what += fmt::format(", by at most {}", *one.largest);
  return {"constant " + where, what};
}

/// Kernels that only moved: their symbols before and after.
std::vector<MovedKernel> all_moved(const BuildDifference& difference) {
  std::vector<MovedKernel> moved = difference.moved;
  for (const ModuleDifference& module : difference.modules) {
    for (const KernelDifference& kernel : module.kernels) {
      if (kernel.change == KernelChange::moved) moved.push_back({kernel.before, kernel.after});
    }
  }
  return moved;
}

DifferenceWords words_of(const MemberDifference& one, const BuildDifference& difference,
                         const std::vector<MovedKernel>& all_moved) {
  constexpr std::size_t kMostFunctions = 3;
  if (!one.same_as.empty()) {
    return {fmt::format("member {} -> {}", one.same_as, one.name), "renamed"};
  }
  std::set<std::string_view> functions(one.functions.begin(), one.functions.end());
  std::set<std::string_view> moved_names;
  std::size_t moved = 0;
  for (const auto& [before, after] : all_moved) {
    if (!functions.contains(before) && !functions.contains(after)) continue;
    moved_names.insert({before, after});
    ++moved;
  }
  std::erase_if(functions, [&](std::string_view name) { return moved_names.contains(name); });
  std::string list;
  std::size_t shown = 0;
  for (const std::string_view symbol : functions) {
    if (shown++ == kMostFunctions) break;
    list += (list.empty() ? "" : ", ") + short_name(difference, std::string(symbol));
  }
  if (functions.size() > kMostFunctions) {
    const std::size_t more = functions.size() - kMostFunctions;
    list += fmt::format(" and {} more function{}", more, more == 1 ? "" : "s");
  }
  add_count(list, moved, fmt::format("{} that only moved", kernels_of(moved)));
  const std::string_view change = to_string(one.change);
  return {"member " + one.name,
          list.empty() ? std::string(change) : fmt::format("{}: {}", change, list)};
}

/// "-9216..-6912", ">=+16", or "?" where nothing bounds it.
std::string bounds_of_delta(const analysis::Count& before, const analysis::Count& after) {
  using Bound = std::optional<std::int64_t>;
  const auto between = [](std::uint64_t from, std::uint64_t to) {
    return static_cast<std::int64_t>(to - from);  // counts have 63 bits
  };
  const Bound least = before.max ? between(*before.max, after.min) : Bound();
  const Bound most = after.max ? between(before.min, *after.max) : Bound();
  const analysis::Count unknown = analysis::Count::unknown();
  if (before == unknown || after == unknown || (!least && !most)) return "?";
  if (!most) return fmt::format(">={:+}", *least);
  return least ? fmt::format("{:+}..{:+}", *least, *most) : fmt::format("<={:+}", *most);
}

}  // namespace

std::string NumberChange::label() const {
  for (const CallMeasureInfo& one : call_measures()) {
    if (one.name == what) return std::string(one.column);
  }
  for (const ModuleMeasureInfo& one : module_measures()) {
    const bool has_group = one.key == what && !one.group().empty();
    if (has_group) return fmt::format("{} {}", support::in_capitals(one.group()), one.label);
  }
  return what;
}

std::string NumberChange::delta() const {
  if (!before.is_exact() || !after.is_exact()) return bounds_of_delta(before, after);
  const char sign = after.min >= before.min ? '+' : '-';
  const std::uint64_t amount = std::max(before.min, after.min) - std::min(before.min, after.min);
  if (before.min == 0) return fmt::format("{}{}", sign, amount);
  return fmt::format("{0}{1} ({0}{2} %)", sign, amount, percent(amount, before.min));
}

std::string_view to_string(KernelChange change) {
  return support::name_in(
      {"added", "removed", "moved", "constants", "timing", "rescheduled", "changed"}, change);
}

std::vector<DifferenceWords> words_of(const BuildDifference& difference) {
  std::vector<DifferenceWords> words = words_of_kernels(difference);
  for (const ConstantDifference& one : difference.constants) {
    words.push_back(words_of(one, difference));
  }
  const auto is_runtime = [](const MemberDifference& one) {
    return one.name.starts_with("runtime/");
  };
  const auto of_runtime = std::ranges::count_if(difference.members, is_runtime);
  constexpr std::ptrdiff_t kMostOfRuntime = 10;
  const std::vector<MovedKernel> moved = all_moved(difference);
  for (const MemberDifference& one : difference.members) {
    if (is_runtime(one) && of_runtime > kMostOfRuntime) continue;
    // Renamed members are listed once.
    const bool is_listed = one.change == KernelChange::removed && !one.same_as.empty();
    if (!is_listed) words.push_back(words_of(one, difference, moved));
  }
  if (of_runtime > kMostOfRuntime) {
    words.push_back({"runtime/", fmt::format("{} members differ", of_runtime)});
  }
  return words;
}

}  // namespace mlf

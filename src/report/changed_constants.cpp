// Values of constants in two archives.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "report/changed_members.h"
#include "report/constants.h"
#include "support/lookup.h"
#include "support/name_map.h"

namespace mlf::report {
namespace {

/// A constant with its values.
struct ComparedConstant {
  ModuleConstant constant;
  std::string_view kernel{};         ///< symbol of the first that reads it; empty: not known
  const CallReport* call = nullptr;  ///< the first that reads it; null: not known
};

std::vector<ComparedConstant> constants_of(const Report& report) {
  std::vector<ComparedConstant> constants;
  ConstantReader reader;
  for (const ModuleReport& module : report.modules) {
    std::map<graph::ValueId, const CallReport*> of_values;
    support::NameMap<std::string_view, const CallReport*> of_kernels;
    for (const CallReport& call : module.calls) {
      of_kernels.try_emplace(module.kernels[call.kernel].symbol, &call);
      for (const graph::Argument& argument : (*module.network)[call.call].arguments) {
        if (argument.reads) of_values.try_emplace(*argument.reads, &call);
      }
    }
    for (ModuleConstant& one : reader.constants_of(module)) {
      if (!one.summary.data) continue;
      const auto call = one.value ? support::value_at(of_values, *one.value)
                                  : support::value_at(of_kernels, one.kernel);
      const bool is_read = one.value && call;
      const std::string_view kernel = is_read ? module.kernels[(*call)->kernel].symbol : one.kernel;
      constants.push_back({std::move(one), kernel, call.value_or(nullptr)});
    }
  }
  return constants;
}

/// The difference of two constants; nothing if their values are equal or of other types.
std::optional<ConstantDifference> compare(const ComparedConstant& before,
                                          const ComparedConstant& after) {
  const ConstantSummary& one = after.constant.summary;
  const std::span<const std::byte> a = *before.constant.summary.data;
  const std::span<const std::byte> b = *one.data;
  const auto lanes = static_cast<std::size_t>(std::max<std::int16_t>(one.dtype.lanes, 1));
  const std::size_t width = one.dtype.element_bytes() * lanes;
  const bool are_alike = before.constant.summary.dtype == one.dtype && a.size() == b.size();
  if (!are_alike || width == 0 || std::ranges::equal(a, b)) return std::nullopt;
  ConstantDifference difference{.name = std::string(after.constant.name),
                                .kernel = std::string(after.kernel),
                                .layer = after.call == nullptr ? "" : after.call->layer,
                                .bytes = b.size(),
                                .elements = b.size() / width};
  const ElementReader read = reader_of(one.dtype);
  if (read != nullptr) difference.largest = 0;
  for (std::size_t at = 0; at + width <= b.size(); at += width) {
    if (std::ranges::equal(a.subspan(at, width), b.subspan(at, width))) continue;
    ++difference.differing;
    if (!difference.largest) continue;
    const double by = std::abs(read(a.data() + at) - read(b.data() + at));
    difference.largest =
        std::isfinite(by) ? std::optional(std::max(*difference.largest, by)) : std::nullopt;
  }
  return difference;
}

/// The constants of a kernel whose names differ in numbers alone, which TVM counts anew if another
/// kernel changes; those of a lower number first.
using Numbered = std::map<std::pair<std::size_t, std::string_view>, const ComparedConstant*>;
using NumberedByName = std::map<std::pair<std::string, std::string>, Numbered>;

/// By symbol of the kernel before, and name without numbers and the suffix of the memory planner.
NumberedByName by_name(const std::vector<ComparedConstant>& constants, const Partners* partners) {
  NumberedByName result;
  for (const ComparedConstant& one : constants) {
    std::string name(one.constant.name);
    if (name.ends_with("_let")) name.resize(name.size() - 4);
    std::erase_if(name, [](char c) { return c == '_' || (c >= '0' && c <= '9'); });
    const Partner* const partner =
        partners == nullptr ? nullptr : support::find_value(*partners, one.kernel);
    const std::string kernel(partner == nullptr ? one.kernel : partner->before);
    result[{kernel, std::move(name)}].try_emplace({one.constant.name.size(), one.constant.name},
                                                  &one);
  }
  return result;
}

}  // namespace

std::vector<ConstantDifference> changed_constants(const Report& before, const Report& after,
                                                  const Partners& partners) {
  const std::vector<ComparedConstant> old_constants = constants_of(before);
  const std::vector<ComparedConstant> new_constants = constants_of(after);
  const NumberedByName known = by_name(old_constants, nullptr);
  std::map<const ComparedConstant*, const ComparedConstant*> pairs;  // by constant after
  for (const auto& [name, numbered] : by_name(new_constants, &partners)) {
    const Numbered* const old = support::find_value(known, name);
    if (old == nullptr) continue;
    // With more of them in one build, only those of one name are the same.
    const bool is_in_order = old->size() == numbered.size();
    auto next = old->begin();
    for (const auto& [number, one] : numbered) {
      const ComparedConstant* const partner =
          is_in_order ? (next++)->second : support::value_at(*old, number).value_or(nullptr);
      if (partner != nullptr) pairs.emplace(one, partner);
    }
  }
  std::vector<ConstantDifference> differences;
  for (const ComparedConstant& one : new_constants) {
    const auto partner = pairs.find(&one);
    if (partner == pairs.end()) continue;
    if (auto difference = compare(*partner->second, one)) {
      differences.push_back(*std::move(difference));
    }
  }
  return differences;
}

}  // namespace mlf::report

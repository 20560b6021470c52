#include "commands/show_constant.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "report/constants.h"
#include "support/error.h"
#include "support/nearest.h"
#include "support/numbers.h"

namespace mlf::program {
namespace {

using report::ModuleConstant;

/// The names that a constant has: its own, and that with its kernel.
std::vector<std::string> names_of(const ModuleReport& module, const ModuleConstant& constant) {
  std::vector<std::string> names{std::string(constant.name)};
  for (const KernelReport& kernel : module.kernels) {
    if (kernel.symbol != constant.kernel) continue;
    names.push_back(fmt::format("{}.{}", kernel.short_name, constant.name));
    names.push_back(fmt::format("{}.{}", kernel.symbol, constant.name));
  }
  return names;
}

std::string facts_of(const ModuleReport& module, const ModuleConstant& constant) {
  const report::ConstantSummary& summary = constant.summary;
  std::string text = fmt::format("{}\n", printable(constant.name));
  if (!constant.kernel.empty()) text += fmt::format("kernel  {}\n", printable(constant.kernel));
  text += fmt::format("type    {} {}\n", tir::to_string(summary.dtype),
                      summary.shape ? fmt::format("{}", fmt::join(*summary.shape, "x"))
                                    : fmt::format("{}", summary.elements.value_or(0)));
  text += fmt::format("bytes   {}", summary.data->size());
  if (constant.pool) {
    text += fmt::format(", in {} from {}", printable((*module.network)[*constant.pool].name),
                        to_string(analysis::to_count(constant.offset)));
  }
  text += fmt::format("\nfile    {}\n", printable(summary.source));
  if (!summary.values) return text;
  return text + fmt::format("range   {}..{}, {} zeros\n",
                            report::value_text(summary.values->least, summary.dtype),
                            report::value_text(summary.values->greatest, summary.dtype),
                            summary.values->zeros);
}

/// "[1,0,8]": the indices of an element in a tensor of this shape.
std::string index_of(std::uint64_t element, const std::vector<std::int64_t>& shape) {
  std::vector<std::uint64_t> indices(std::max<std::size_t>(shape.size(), 1));
  indices.front() = element;
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    const auto extent = static_cast<std::uint64_t>(shape[axis]);
    indices[axis] = indices.front() % extent;
    indices.front() /= extent;
  }
  return fmt::format("[{}]", fmt::join(indices, ","));
}

}  // namespace

ShownConstant shown_constant(const std::vector<const ModuleReport*>& modules,
                             const std::string& wanted) {
  report::ConstantReader reader;
  std::vector<std::string> known;
  std::vector<std::string> meant;
  std::optional<ShownConstant> found;
  bool has_other = false;
  for (const ModuleReport* module : modules) {
    for (const ModuleConstant& constant : reader.constants_of(*module)) {
      const std::vector<std::string> names = names_of(*module, constant);
      known.insert(known.end(), names.begin(), names.end());
      if (std::ranges::find(names, wanted) == names.end()) continue;
      meant.push_back(names[std::min<std::size_t>(names.size() - 1, 1)]);
      const report::ConstantSummary& summary = constant.summary;
      if (!summary.data) continue;
      ShownConstant one{facts_of(*module, constant), {}};
      one.values.name = constant.name;
      one.values.dtype = summary.dtype;
      one.values.shape = summary.shape.value_or(
          std::vector{static_cast<std::int64_t>(summary.elements.value_or(0))});
      one.values.bytes.assign(reinterpret_cast<const char*>(summary.data->data()),
                              summary.data->size());
      has_other |= found && found->values.bytes != one.values.bytes;
      found = std::move(one);
    }
  }
  if (meant.empty()) {
    const std::string_view why = known.empty() ? ": the archive has none" : "";
    throw support::Error(ErrorKind::usage,
                         fmt::format("there is no constant '{}'{}{} (mlf table --rows constant "
                                     "lists all)",
                                     wanted, why, did_you_mean(wanted, known)));
  }
  if (!found) {
    throw support::Error(ErrorKind::check_failed,
                         fmt::format("the archive does not have the values of '{}'", wanted));
  }
  if (has_other) {
    throw support::Error(ErrorKind::usage, fmt::format("several constants are called '{}': {}",
                                                       wanted, some_of(meant)));
  }
  return *std::move(found);
}

std::string text_of(const ShownConstant& constant, const Screen& screen) {
  const Tensor& values = constant.values;
  std::string text = constant.facts;
  if (report::reader_of(values.dtype) == nullptr) {
    return text + "\nNo text has elements of this type: see --format npy.\n";
  }
  const std::size_t width = values.dtype.element_bytes();
  const std::size_t count = values.bytes.size() / width;
  std::vector<std::string> cells;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* bytes = reinterpret_cast<const std::byte*>(values.bytes.data());
    cells.push_back(report::element_text(values.dtype, bytes + i * width));
    widest = std::max(widest, cells.back().size());
  }
  // A line ends with a row of the last axis; longer rows take several lines.
  const std::size_t row = values.shape.empty() || values.shape.back() <= 0
                              ? count
                              : static_cast<std::size_t>(values.shape.back());
  const std::size_t label = index_of(count == 0 ? 0 : count - 1, values.shape).size();
  constexpr std::size_t kUsualWidth = 80;
  const std::size_t left = screen.width.value_or(kUsualWidth) - std::min(label, kUsualWidth / 2);
  const std::size_t in_line = std::max<std::size_t>(1, left / (widest + 2));
  for (std::size_t i = 0; i < count; ++i) {
    const bool begins = i % row % in_line == 0;
    if (begins) text += fmt::format("\n{:<{}}", index_of(i, values.shape), label);
    text += fmt::format("  {:>{}}", cells[i], widest);
  }
  return text + "\n";
}

}  // namespace mlf::program

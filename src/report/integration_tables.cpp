#include "report/integration_tables.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "support/c_files.h"

namespace mlf::report {
namespace {

TextTable tensors_of(const ModuleIntegration& module) {
  TextTable table{{"Tensor", "Of", "Direction", "In C", "Dtype", "Shape", "#Bytes", "#Align",
                   "Scale", "#Zero point"}};
  const auto add = [&](const std::vector<IntegrationTensor>& tensors, const std::string& of,
                       const std::string& in) {
    for (const IntegrationTensor& one : tensors) {
      const auto& quantization = one.quantization;
      table.rows.push_back({or_dash(one.name), of, one.direction,
                            one.field.empty() ? "" : in + one.field, dtype_text(one.type),
                            shape_text(one.type), to_string(one.bytes),
                            std::to_string(one.alignment),
                            quantization ? fmt::format("{}", quantization->scale) : "",
                            quantization ? std::to_string(quantization->zero_point) : ""});
    }
  };
  add(module.inputs, "inputs", "inputs.");
  add(module.outputs, "outputs", "outputs.");
  for (const IntegrationFunction& function : module.functions) {
    add(function.arguments, function.symbol, "");
  }
  return table;
}

TextTable memory_of(const ModuleIntegration& module) {
  TextTable table{
      {"Memory", "Kind", "Defined by", "#Bytes", "#Align", "Section", "Content", "Why not exact"}};
  for (const IntegrationMemory& one : module.memory) {
    table.rows.push_back({or_dash(one.name), std::string(to_string(one.kind)),
                          one.is_in_archive ? "archive" : "application", to_string(one.bytes),
                          std::to_string(one.alignment), one.section, one.data, one.missing});
  }
  return table;
}

TextTable names_of(const std::string& head, const std::vector<ExternalName>& names) {
  TextTable table{{head, "Names"}};
  std::map<std::string, std::vector<std::string>> by_origin;
  for (const ExternalName& one : names) by_origin[one.origin].push_back(one.name);
  for (const auto& [origin, of_origin] : by_origin) {
    table.rows.push_back({origin, fmt::format("{}", fmt::join(of_origin, ", "))});
  }
  return table;
}

TextTable other_sizes_of(const ModuleIntegration& module) {
  TextTable table{{"Other sizes in the C header"}};
  for (const std::string& one : module.other_sizes) table.rows.push_back({one});
  return table;
}

TextTable build_of(const ModuleIntegration& module) {
  TextTable table{{"Build with", "Names"}};
  const auto add = [&](std::string label, const std::vector<std::string>& words) {
    if (words.empty()) return;
    table.rows.push_back({std::move(label), fmt::format("{}", fmt::join(words, " "))});
  };
  add("include directories", module.include_directories);
  add("definitions", module.definitions);
  add("flags", module.flags);
  add("content of", module.contents);
  return table;
}

TextTable state_of(const ModuleIntegration& module) {
  TextTable table{{"State", "#Bytes", "Why"}};
  for (const KeptState& one : module.state) {
    table.rows.push_back({one.name, to_string(one.bytes), one.why});
  }
  return table;
}

void drop_empty_columns(TextTable& table) {
  for (std::size_t at = table.heads.size(); at-- > 0;) {
    const auto has_text = [&](const std::vector<std::string>& row) { return !row[at].empty(); };
    if (std::ranges::any_of(table.rows, has_text)) continue;
    const auto column = static_cast<std::ptrdiff_t>(at);
    table.heads.erase(table.heads.begin() + column);
    for (auto& row : table.rows) row.erase(row.begin() + column);
  }
}

}  // namespace

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string shape_text(const graph::TensorType& type) {
  if (!type.shape) return "?";
  return type.shape->empty() ? "scalar" : fmt::format("{}", fmt::join(*type.shape, "x"));
}

std::string dtype_text(const graph::TensorType& type) {
  return type.dtype.is_void() ? "?" : tir::to_string(type.dtype);
}

std::vector<std::string> declarations_of(const ModuleIntegration& module) {
  std::vector<std::string> lines;
  for (const IntegrationFunction& one : module.functions) {
    lines.push_back((one.prototype.empty() ? one.symbol : one.prototype) + ";" +
                    (one.member.empty() ? "" : "  // " + one.member));
  }
  if (module.type_codes > 0) {
    lines.push_back(fmt::format("{} tensors, inputs before outputs, as DLTensor; {} type codes",
                                module.inputs.size() + module.outputs.size(), module.type_codes));
  }
  for (const CStruct& one : module.structs) {
    std::string fields;
    for (const std::string& field : one.fields) fields += fmt::format(" void* {};", field);
    lines.push_back(fmt::format("struct {} {{{} }};", one.name, fields));
  }
  return lines;
}

std::vector<TextTable> tables_of(const ModuleIntegration& module) {
  std::vector<ExternalName> functions = module.external;
  std::vector<ExternalName> variables;
  std::ranges::copy_if(functions, std::back_inserter(variables), &ExternalName::is_variable);
  std::erase_if(functions, [](const ExternalName& one) { return one.is_variable; });
  std::vector<TextTable> tables{tensors_of(module),
                                other_sizes_of(module),
                                memory_of(module),
                                names_of("Functions of", functions),
                                names_of("Variables of", variables),
                                names_of("Headers of", module.headers),
                                state_of(module),
                                build_of(module)};
  std::erase_if(tables, [](const TextTable& table) { return table.rows.empty(); });
  for (TextTable& table : tables) drop_empty_columns(table);
  return tables;
}

TextTable loops_of(const ModuleIntegration& module) {
  TextTable table{{"Loop", "C", "Variable", "#Depth", "#Extent", "#Iterations"}};
  for (const IntegrationLoop& one : module.loops) {
    table.rows.push_back(
        {one.function,
         one.line ? fmt::format("{}:{}", support::leaf_of(one.member), *one.line) : "-",
         one.cost.variable, std::to_string(one.cost.depth), to_string(one.cost.extent),
         to_string(one.cost.iterations)});
  }
  return table;
}

}  // namespace mlf::report

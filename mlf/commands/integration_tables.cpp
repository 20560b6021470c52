#include "commands/integration_tables.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <map>
#include <vector>

#include "output.h"

namespace mlf::program {
namespace {

std::string bytes_text(const std::optional<std::uint64_t>& bytes) {
  return bytes ? std::to_string(*bytes) : "?";
}

std::string functions_text(const ModuleIntegration& module, const Screen& screen) {
  std::string text;
  const auto add = [&](const std::string& line) {
    text += folded(printable(line), screen, 4) + "\n";
  };
  for (const IntegrationFunction& one : module.functions) {
    add("  " + (one.prototype.empty() ? one.symbol : one.prototype) + ";" +
        (one.member.empty() ? "" : "  // " + one.member));
  }
  if (module.type_codes > 0) {
    add(fmt::format("  {} tensors, inputs before outputs, as DLTensor; {} type codes",
                    module.inputs.size() + module.outputs.size(), module.type_codes));
  }
  for (const CStruct& one : module.structs) {
    std::string fields;
    for (const std::string& field : one.fields) fields += fmt::format(" void* {};", field);
    add(fmt::format("  struct {} {{{} }};", one.name, fields));
  }
  return text;
}

Table tensors_of(const ModuleIntegration& module) {
  Table table({"TENSOR", "OF", "IN C", "DTYPE", "SHAPE", "BYTES", "ALIGN", "SCALE", "ZERO POINT"});
  table.align_right({5, 6, 8});
  table.hide_if_empty({2, 7, 8});
  const auto add = [&](const std::vector<IntegrationTensor>& tensors, const std::string& of,
                       const std::string& in) {
    for (const IntegrationTensor& one : tensors) {
      table.add({one.name.empty() ? "-" : one.name, of, one.field.empty() ? "" : in + one.field,
                 dtype_text(one.type), shape_text(one.type), bytes_text(one.bytes),
                 std::to_string(one.alignment),
                 one.quantization ? fmt::format("{}", one.quantization->scale) : "",
                 one.quantization ? std::to_string(one.quantization->zero_point) : ""});
    }
  };
  add(module.inputs, "inputs", "inputs.");
  add(module.outputs, "outputs", "outputs.");
  for (const IntegrationFunction& function : module.functions) {
    add(function.arguments, function.symbol, "");
  }
  return table;
}

Table memory_of(const ModuleIntegration& module) {
  Table table({"MEMORY", "KIND", "DEFINED BY", "BYTES", "ALIGN", "SECTION", "CONTENT"});
  table.align_right({3, 4});
  table.hide_if_empty({5, 6});
  for (const IntegrationMemory& one : module.memory) {
    table.add({one.name.empty() ? "-" : one.name, std::string(to_string(one.kind)),
               one.is_in_archive ? "archive" : "application", to_string(one.bytes),
               std::to_string(one.alignment), one.section, one.data});
  }
  return table;
}

Table names_of(const std::string& head, const std::vector<ExternalName>& names) {
  Table table({head, "NAMES"});
  table.wrap({1});
  std::map<std::string, std::vector<std::string>> by_origin;
  for (const ExternalName& one : names) by_origin[one.origin].push_back(one.name);
  for (const auto& [origin, of_origin] : by_origin) {
    table.add({origin, fmt::format("{}", fmt::join(of_origin, ", "))});
  }
  return table;
}

Table state_of(const ModuleIntegration& module) {
  Table table({"STATE", "BYTES", "WHY"});
  table.align_right({1});
  table.wrap({2});
  for (const KeptState& one : module.state) table.add({one.name, to_string(one.bytes), one.why});
  return table;
}

Table loops_of(const ModuleIntegration& module) {
  Table table({"LOOP", "LINE", "VARIABLE", "DEPTH", "EXTENT", "ITERATIONS"});
  table.align_right({1, 3, 4, 5});
  for (const IntegrationLoop& one : module.loops) {
    table.add({one.function, one.line ? std::to_string(*one.line) : "-", one.cost.variable,
               std::to_string(one.cost.depth), to_string(one.cost.extent),
               to_string(one.cost.iterations)});
  }
  return table;
}

std::string build_text(const ModuleIntegration& module) {
  std::string text;
  const auto add = [&](std::string_view label, const std::vector<std::string>& words) {
    if (!words.empty())
      text += printable(fmt::format("{}  {}", label, fmt::join(words, " "))) + "\n";
  };
  add("INCLUDE DIRECTORIES", module.include_directories);
  add("DEFINITIONS", module.definitions);
  add("FLAGS", module.flags);
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string shape_text(const graph::TensorType& type) {
  if (!type.shape) return "?";
  return type.shape->empty() ? "scalar" : fmt::format("{}", fmt::join(*type.shape, "x"));
}

std::string dtype_text(const graph::TensorType& type) {
  return type.dtype.is_void() ? "?" : tir::to_string(type.dtype);
}

std::string loops_table(const Integration& integration, const Screen& screen) {
  std::string text;
  for (const ModuleIntegration& module : integration.modules) {
    const Table table = loops_of(module);
    if (!table.empty()) text += "\n" + table.text(screen);
  }
  return text;
}

std::string to_tables(const Integration& integration, const Screen& screen) {
  std::string text;
  for (const ModuleIntegration& module : integration.modules) {
    if (!text.empty()) text += "\n";
    text += printable(fmt::format("module {}, interface {}", module.name,
                                  module.interface ? to_string(*module.interface) : "unknown")) +
            "\n";
    text += functions_text(module, screen);
    for (const Table& table :
         {tensors_of(module), memory_of(module), names_of("FUNCTIONS OF", module.external),
          names_of("HEADERS OF", module.headers), state_of(module)}) {
      if (!table.empty()) text += "\n" + table.text(screen);
    }
    text += build_text(module);
  }
  return text;
}

}  // namespace mlf::program

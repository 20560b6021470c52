// The reader's view of an archive: a few tables.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "commands/inspection.h"
#include "table.h"

namespace mlf::program {
namespace {

std::string or_dash(std::string text) {
  return text.empty() ? "-" : text;
}

std::string bytes_or_dash(const std::optional<std::uint64_t>& bytes) {
  return bytes ? std::to_string(*bytes) : "-";
}

std::string kinds_of(const std::vector<ModuleTarget>& targets) {
  std::vector<std::string> kinds;
  for (const ModuleTarget& target : targets) kinds.push_back(target.target.kind);
  return or_dash(fmt::format("{}", fmt::join(kinds, ", ")));
}

std::string executors_of(const Module& module) {
  std::vector<std::string_view> names;
  for (const Executor executor : module.executors) names.push_back(name_of(executor));
  return or_dash(fmt::format("{}", fmt::join(names, ", ")));
}

std::string headline(const Inspection& inspection) {
  return fmt::format(
      "{}: Model Library Format {}, {}, {} members\n", inspection.deployment.archive().path(),
      inspection.deployment.library().version, name_of(inspection.deployment.archive().storage()),
      inspection.deployment.archive().members().size());
}

Table modules_table(const ModelLibrary& library) {
  Table table({"MODULE", "STYLE", "EXECUTOR", "TARGETS", "EXPORTED"});
  for (const Module& module : library.modules) {
    table.add({or_dash(module.name), std::string(name_of(module.style)), executors_of(module),
               kinds_of(module.targets), module.export_datetime.value_or("-")});
  }
  return table;
}

Table memory_table(const ModelLibrary& library) {
  Table table({"MEMORY OF MAIN", "DEVICE", "WORKSPACE", "CONSTANTS", "IN AND OUT"});
  table.align_right({2, 3, 4});
  for (const Module& module : library.modules) {
    for (const MainMemory& main : module.memory.main) {
      table.add({or_dash(module.name), std::to_string(main.device),
                 std::to_string(main.workspace_size_bytes),
                 bytes_or_dash(main.constants_size_bytes), bytes_or_dash(main.io_size_bytes)});
    }
  }
  return table;
}

Table tensors_table(const ModelLibrary& library) {
  Table table({"TENSOR", "DIRECTION", "DTYPE", "BYTES"});
  table.align_right({3});
  const auto add = [&](const std::optional<std::vector<IoTensor>>& tensors,
                       const std::string& direction) {
    if (!tensors) return;
    for (const IoTensor& tensor : *tensors) {
      table.add({tensor.name, direction, tensor.dtype, std::to_string(tensor.size_bytes)});
    }
  };
  for (const Module& module : library.modules) {
    for (const MainMemory& main : module.memory.main) {
      add(main.inputs, "input");
      add(main.outputs, "output");
    }
  }
  return table;
}

Table tir_table(const Inspection& inspection) {
  Table table({"TIR", "SOURCE", "DIALECT", "STAGE", "TVM", "FUNCTIONS", "LOSSES", "JSON"});
  table.align_right({5, 6});
  for (const TirFacts& facts : inspection.tir) {
    const bool read = facts.failure.empty();
    table.add({facts.source.stem, facts.source.name,
               read ? std::string(to_string(facts.origin.dialect)) : "not readable",
               facts.source.stage, read ? spelled(facts.origin.tvm_version) : "-",
               read ? std::to_string(facts.functions.size()) : "-",
               read ? std::to_string(facts.losses.size()) : "-", or_dash(facts.json_member)});
  }
  return table;
}

Table functions_table(const Inspection& inspection) {
  Table table({"FUNCTION", "TIR", "MODULE", "PARAMETERS"});
  table.align_right({3});
  for (const TirFacts& facts : inspection.tir) {
    for (const FunctionFacts& function : facts.functions) {
      table.add({function.name, facts.source.stem, or_dash(function.module),
                 std::to_string(function.parameters)});
    }
  }
  return table;
}

Table members_table(const archive::Archive& archive) {
  Table table({"MEMBER", "TYPE", "BYTES"});
  table.align_right({2});
  for (const archive::Member& member : archive.members()) {
    table.add({member.name, std::string(name_of(member.type)), std::to_string(member.size)});
  }
  return table;
}

}  // namespace

std::string to_tables(const Inspection& inspection) {
  std::string text = headline(inspection);
  for (const Table& table :
       {modules_table(inspection.deployment.library()),
        memory_table(inspection.deployment.library()),
        tensors_table(inspection.deployment.library()), tir_table(inspection),
        functions_table(inspection), members_table(inspection.deployment.archive())}) {
    if (!table.empty()) text += "\n" + table.text();
  }
  return text;
}

}  // namespace mlf::program

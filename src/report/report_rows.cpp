#include "mlf/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>

#include "json/text.h"
#include "json/write_document.h"
#include "report/constants.h"
#include "support/lookup.h"
#include "support/numbers.h"
#include "support/sha256.h"

namespace mlf {
namespace report {
namespace {

using analysis::Count;
using graph::Topology;

/// The data of a row: a part of a module.
template <class Part>
struct PartItem {
  const ModuleReport& module;
  const Part& part;
};
using ModuleItem = PartItem<ModuleReport>;  ///< the module itself
using CallItem = PartItem<CallReport>;
using ConstantItem = PartItem<ModuleConstant>;
using FindingItem = PartItem<CostFinding>;
using DeviceItem = PartItem<DeviceReport>;

/// A value of main, or a workspace of a kernel: the pointers of the other are null.
struct TensorItem {
  const ModuleReport& module;
  const graph::Value* value;
  const graph::Storage* storage;
  const graph::Kernel* kernel = nullptr;
  const graph::KernelBuffer* workspace = nullptr;
  std::optional<analysis::LiveRole> at_peak{};

  /// `part` of what has memory.
  auto of_memory(const auto& part) const { return value ? part(*storage) : part(*workspace); }
};

const KernelReport& kernel_of(const CallItem& item) {
  return item.module.kernels[item.part.kernel];
}

Cell number(std::optional<std::uint64_t> value) {
  return value ? Cell(*value) : Cell();
}

Cell text(std::string_view value) {
  return value.empty() ? Cell() : Cell(printable(value));
}

/// The columns of one kind of row, and how to make a cell from an item.
template <class Item>
class Columns {
 public:
  using MakeCell = std::function<Cell(const Item&)>;
  struct Column {
    RowColumn info;
    MakeCell cell;
  };

  /// Every row begins with its module.
  Columns() {
    text("module", "", [](const Item& item) { return report::text(item.module.name); });
  }

  void text(std::string_view name, std::string_view words, MakeCell cell) {
    all_.push_back({{name, words, CellType::text}, std::move(cell)});
  }

  void number(std::string_view name, std::string_view words, MakeCell cell) {
    all_.push_back({{name, words}, std::move(cell)});
  }

  /// The two columns of a number that may be inexact.
  void bounds(std::string_view name, std::string_view words,
              const std::function<Count(const Item&)>& count) {
    number(kept(fmt::format("{}_min", name)), kept(fmt::format("at least: {}", words)),
           [=](const Item& item) -> Cell { return count(item).min; });
    number(kept(fmt::format("{}_max", name)), kept(fmt::format("at most: {}", words)),
           [=](const Item& item) { return report::number(count(item).max); });
  }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::string_view kept(std::string text) { return texts_.emplace_back(std::move(text)); }

  std::vector<Column> all_;
  std::deque<std::string> texts_;  // that columns refer to
};

/// Whether main is understood completely.
bool are_calls_known(const Topology& network) {
  return network.gaps.empty() &&
         std::ranges::none_of(network.kernels, [](const graph::Kernel& kernel) {
           return kernel.origin == graph::KernelOrigin::unknown;
         });
}

/// The number of calls or kernels; unknown if main is missing or not understood completely.
Cell number_of(const ModuleReport& module, std::size_t count) {
  const bool is_operators = module.no_network == NoNetwork::operators && !module.kernels.empty();
  const bool is_known = module.network ? are_calls_known(*module.network) : is_operators;
  return is_known ? number(count) : Cell();
}

Cell shape_cell(const std::optional<std::vector<std::int64_t>>& shape) {
  if (!shape) return {};
  // A scalar has an empty text; an unknown shape is different.
  return fmt::format("{}", fmt::join(*shape, "x"));
}

Cell shape(const graph::TensorType& type) {
  return shape_cell(type.shape);
}

Cell dtype_cell(tir::DType dtype) {
  return dtype.is_void() ? Cell() : Cell(tir::to_string(dtype));
}

Cell dtype(const graph::TensorType& type) {
  return dtype_cell(type.dtype);
}

Cell value_of(const ConstantItem& item, double ConstantValues::*part) {
  const auto& values = item.part.summary.values;
  return values ? Cell(value_text((*values).*part, item.part.summary.dtype)) : Cell();
}

Cell pool_name(const ModuleReport& module, std::optional<graph::PoolId> pool) {
  return pool ? text((*module.network)[*pool].name) : Cell();
}

Cell memory_name(std::optional<graph::MemoryKind> memory) {
  return memory ? Cell(std::string(graph::to_string(*memory))) : Cell();
}

Cell file_of(const std::optional<CodeLines>& lines) {
  return lines ? Cell(lines->file) : Cell();
}
Cell first_of(const std::optional<CodeLines>& lines) {
  return lines ? Cell(std::uint64_t{lines->first}) : Cell();
}
Cell last_of(const std::optional<CodeLines>& lines) {
  return lines ? Cell(std::uint64_t{lines->last}) : Cell();
}

Cell call_at(std::optional<graph::CallId> call) {
  return call ? Cell(std::uint64_t{index(*call)}) : Cell();
}

std::string joined_contradictions(const ModuleReport& module) {
  std::vector<std::string_view> details;
  for (const Contradiction& one : module.contradictions) details.push_back(one.detail);
  return fmt::format("{}", fmt::join(details, "; "));
}

std::string_view key_of(const ModuleMeasureInfo& measure) {
  return measure.key;
}
std::string_view key_of(const CallMeasureInfo& measure) {
  return measure.name;
}

/// Adds the columns of measures in the order of measures.def, with other columns between them. The
/// last row becomes the last column.
template <class Info, class Add>
class MeasuresInOrder {
 public:
  MeasuresInOrder(std::span<const Info> measures, Add add) : left_(measures), add_(add) {}

  /// Up to `last` and with it.
  void add_to(std::string_view last) {
    while (!left_.empty()) {
      const Info& one = left_.front();
      left_ = left_.subspan(1);
      add_(one);
      if (key_of(one) == last) return;
    }
  }

  void add_others() { std::ranges::for_each(left_, add_); }

 private:
  std::span<const Info> left_;
  Add add_;
};

Columns<ModuleItem> module_columns() {
  Columns<ModuleItem> columns;
  MeasuresInOrder measures(module_measures(), [&](const ModuleMeasureInfo& one) {
    if (one.column.empty()) return;
    columns.bounds(one.column, one.words,
                   [&one](const auto& item) { return one.value(item.module); });
  });
  columns.text("no_network", "why there are no calls", [](const auto& item) {
    return item.module.no_network ? text(to_string(*item.module.no_network)) : Cell();
  });
  columns.number("calls", "number of calls; empty if main is not fully understood",
                 [](const auto& item) { return number_of(item.module, item.module.calls.size()); });
  columns.number(
      "kernels", "number of kernels; empty if main is not fully understood",
      [](const auto& item) { return number_of(item.module, item.module.kernels.size()); });
  measures.add_to("flash.copies");
  columns.number("peak_call", "call with the most bytes in use",
                 [](const auto& item) { return call_at(item.module.peak.call); });
  measures.add_to("peak.lower_bound");
  columns.text("exported", "when, as metadata.json has it",
               [](const auto& item) { return text(item.module.exported.value_or("")); });
  columns.text("targets", "their kinds, with commas between", [](const auto& item) {
    return text(fmt::format("{}", fmt::join(item.module.targets, ",")));
  });
  measures.add_to("ram.arguments");
  columns.text("contradictions", "what of the archive cannot all be true, with semicolons between",
               [](const auto& item) { return text(joined_contradictions(item.module)); });
  measures.add_others();
  return columns;
}

Columns<CallItem> call_columns() {
  Columns<CallItem> columns;
  columns.number("call", "position among the calls, from 0",
                 [](const auto& item) { return call_at(item.part.call); });
  columns.text("kernel", "symbol of the function",
               [](const auto& item) { return text(kernel_of(item).symbol); });
  columns.text("dtype", "of the first output",
               [](const auto& item) { return dtype(item.part.output); });
  columns.text("shape", "of the first output",
               [](const auto& item) { return shape(item.part.output); });
  MeasuresInOrder measures(call_measures(), [&](const CallMeasureInfo& one) {
    columns.bounds(one.name, one.words,
                   [&one](const auto& item) { return item.part[one.measure]; });
  });
  measures.add_to("live");
  columns.text("c_file", "generated C",
               [](const auto& item) { return file_of(kernel_of(item).c); });
  columns.number("c_first_line", "", [](const auto& item) { return first_of(kernel_of(item).c); });
  columns.number("c_last_line", "", [](const auto& item) { return last_of(kernel_of(item).c); });
  columns.text("tir_file", "text of TIR",
               [](const auto& item) { return file_of(kernel_of(item).tir); });
  columns.number("tir_first_line", "",
                 [](const auto& item) { return first_of(kernel_of(item).tir); });
  columns.number("tir_last_line", "",
                 [](const auto& item) { return last_of(kernel_of(item).tir); });
  columns.text("layer", "name in the model, if Relay's spans have it",
               [](const auto& item) { return text(item.part.layer); });
  columns.number("relay_line", "in the text of Relay",
                 [](const auto& item) { return first_of(item.part.relay); });
  measures.add_others();
  columns.text("scale", "of the result of its layer, if Relay states it", [](const auto& item) {
    const auto& known = item.part.result.quantization;
    return known ? Cell(fmt::format("{}", known->scale)) : Cell();
  });
  columns.text("zero_point",
               "of that result; a kernel may subtract it, and apply the scale, for its readers",
               [](const auto& item) {
                 const auto& known = item.part.result.quantization;
                 return known ? Cell(std::to_string(known->zero_point)) : Cell();
               });
  return columns;
}

/// The role of a tensor for main's caller.
std::string role_of(const TensorItem& item) {
  const graph::Topology& network = *item.module.network;
  const auto is_value = [&](const graph::Port& port) {
    return port.value && &network[*port.value] == item.value;
  };
  const bool is_input = item.value->kind == graph::ValueKind::input;
  const bool is_output = std::ranges::any_of(network.outputs, is_value);
  if (is_input && is_output) return "input+output";
  return is_input ? "input" : is_output ? "output" : "inner";
}

/// The calls that read a value, each once, by `word_of`.
std::string readers_of(const TensorItem& item, const auto& word_of) {
  std::string words;
  std::optional<std::uint32_t> last;
  for (const graph::Endpoint& reader : item.value->consumers) {
    if (reader.kind == graph::EndpointKind::copy || reader.step == last) continue;
    words += fmt::format("{}{}", last ? "," : "", word_of(item.module.calls[reader.step]));
    last = reader.step;
  }
  return words;
}

/// The call that writes a tensor: of a workspace, and of a copy, none.
const CallReport* writer_of(const TensorItem& item) {
  if (!item.value || !item.value->producer) return nullptr;
  const graph::Endpoint& writer = *item.value->producer;
  return writer.kind == graph::EndpointKind::call ? &item.module.calls[writer.step] : nullptr;
}

/// A cell that workspaces of kernels do not have.
auto of_value(const auto& cell) {
  return [=](const TensorItem& item) { return item.value ? cell(*item.value) : Cell(); };
}

Columns<TensorItem> tensor_columns() {
  Columns<TensorItem> columns;
  columns.text("tensor", "", [](const auto& item) {
    return text(item.value ? item.value->name : item.workspace->name);
  });
  columns.text("kind", "input, computed or workspace", [](const auto& item) {
    return text(item.value ? graph::to_string(item.value->kind) : "workspace");
  });
  columns.text("dtype", "", of_value([](const auto& value) { return dtype(value.type); }));
  columns.text("shape", "", of_value([](const auto& value) { return shape(value.type); }));
  columns.number("bytes", "", [](const auto& item) {
    return number(item.value ? item.value->bytes : item.workspace->bytes);
  });
  columns.text("storage", "name of the memory that it is in", [](const auto& item) {
    return item.of_memory([](const auto& memory) { return text(memory.name); });
  });
  columns.text("memory", "pool, executor, heap, stack, program; empty: of the caller",
               [](const auto& item) {
                 return item.of_memory([](const auto& one) { return memory_name(one.memory); });
               });
  columns.text("pool", "", [](const auto& item) {
    return item.of_memory([&](const auto& one) { return pool_name(item.module, one.pool); });
  });
  columns.number("offset", "bytes from the start of the pool", [](const auto& item) {
    return item.of_memory([](const auto& one) { return one.pool ? number(one.offset) : Cell(); });
  });
  columns.number("consumers", "number of readers",
                 of_value([](const auto& value) { return number(value.consumers.size()); }));
  columns.number("first_definition", "step that writes it; empty: before the first",
                 of_value([](const auto& value) { return number(value.first_definition); }));
  columns.number("last_use", "step that touches it last",
                 of_value([](const auto& value) { return number(value.last_use); }));
  columns.text("role", "of the network: input, output, input+output or inner",
               [](const auto& item) { return item.value ? text(role_of(item)) : Cell(); });
  columns.text("kernel", "symbol of the function that has the workspace",
               [](const auto& item) { return item.kernel ? text(item.kernel->symbol) : Cell(); });
  columns.number("writer", "call that writes it; empty: none, or a copy in main",
                 [](const auto& item) {
                   const CallReport* writer = writer_of(item);
                   return writer ? call_at(writer->call) : Cell();
                 });
  columns.text("writer_kernel", "its symbol", [](const auto& item) {
    const CallReport* writer = writer_of(item);
    return writer ? text(item.module.kernels[writer->kernel].symbol) : Cell();
  });
  columns.text("layer", "of the writer, as in the rows of calls", [](const auto& item) {
    const CallReport* writer = writer_of(item);
    return writer ? text(writer->layer) : Cell();
  });
  columns.text("readers", "calls that read it, with commas between", [](const auto& item) {
    const auto number_of = [](const CallReport& call) { return index(call.call); };
    return item.value ? text(readers_of(item, number_of)) : Cell();
  });
  columns.text("reader_kernels", "their symbols", [](const auto& item) {
    const auto symbol_of = [&](const CallReport& call) -> const std::string& {
      return item.module.kernels[call.kernel].symbol;
    };
    return item.value ? text(readers_of(item, symbol_of)) : Cell();
  });
  columns.text(
      "at_peak", "in RAM in the peak call, as input, output, in_out, scratch or held",
      [](const auto& item) { return item.at_peak ? text(to_string(*item.at_peak)) : Cell(); });
  return columns;
}

std::optional<CodeLines> c_lines_of(const ConstantItem& item) {
  return support::value_at(item.module.constants.c, item.part.name);
}

Columns<ConstantItem> constant_columns() {
  Columns<ConstantItem> columns;
  columns.text("kernel", "symbol of the function; empty: of main",
               [](const auto& item) { return text(item.part.kernel); });
  columns.text("constant", "", [](const auto& item) { return text(item.part.name); });
  columns.number("bytes", "", [](const auto& item) { return number(item.part.bytes); });
  columns.text("memory", "pool, executor or program",
               [](const auto& item) { return memory_name(item.part.memory); });
  columns.text("pool", "", [](const auto& item) { return pool_name(item.module, item.part.pool); });
  columns.number("offset", "bytes from the start of the pool",
                 [](const auto& item) { return number(item.part.offset); });
  columns.text("dtype", "", [](const auto& item) { return dtype_cell(item.part.summary.dtype); });
  columns.text("shape", "empty if only generated C has it",
               [](const auto& item) { return shape_cell(item.part.summary.shape); });
  columns.number("elements", "",
                 [](const auto& item) { return number(item.part.summary.elements); });
  columns.number("zeros", "elements that are 0; empty if the data is unknown",
                 [](const auto& item) -> Cell {
                   const auto& values = item.part.summary.values;
                   return values ? Cell(values->zeros) : Cell();
                 });
  columns.text("least", "element",
               [](const auto& item) { return value_of(item, &ConstantValues::least); });
  columns.text("greatest", "element",
               [](const auto& item) { return value_of(item, &ConstantValues::greatest); });
  columns.text("sha256", "of its elements; empty if they are unknown", [](const auto& item) {
    const auto& data = item.part.summary.data;
    if (!data) return Cell();
    return Cell(support::sha256_hex({reinterpret_cast<const char*>(data->data()), data->size()}));
  });
  columns.text("file", "the member that has its elements",
               [](const auto& item) { return text(item.part.summary.source); });
  columns.text("c_file", "generated C that defines it",
               [](const auto& item) { return file_of(c_lines_of(item)); });
  columns.number("c_first_line", "", [](const auto& item) { return first_of(c_lines_of(item)); });
  columns.number("c_last_line", "", [](const auto& item) { return last_of(c_lines_of(item)); });
  return columns;
}

Columns<FindingItem> finding_columns() {
  Columns<FindingItem> columns;
  columns.text("finding", "its code",
               [](const auto& item) { return text(info(item.part.code).code); });
  columns.text("where", "symbol of the kernel, or name of the constant",
               [](const auto& item) { return text(item.part.where); });
  columns.bounds("bytes", "that could be saved", [](const auto& item) { return item.part.bytes; });
  columns.text("evidence", "", [](const auto& item) { return text(item.part.evidence); });
  return columns;
}

Columns<DeviceItem> device_columns() {
  Columns<DeviceItem> columns;
  columns.number("device", "its DLDeviceType",
                 [](const auto& item) { return number(item.part.device); });
  for (const ModuleMeasureInfo& one : module_measures()) {
    if (!number_of(DeviceReport(), one)) continue;
    columns.bounds(one.column, one.words,
                   [&one](const auto& item) { return *number_of(item.part, one); });
  }
  return columns;
}

/// The columns that `make` makes. Only commands with rows need them, so no start makes them.
template <auto make>
const auto& once() {
  static const auto columns = make();
  return columns;
}

// The items of each kind: call `visit` with every one, in order.

constexpr auto kModules = [](const Report& report, const auto& visit) {
  for (const ModuleReport& module : report.modules) visit(ModuleItem{module, module});
};

template <class Part>
auto parts(std::vector<Part> ModuleReport::*list) {
  return [list](const Report& report, const auto& visit) {
    for (const ModuleReport& module : report.modules) {
      for (const Part& part : module.*list) visit(PartItem<Part>{module, part});
    }
  };
}

constexpr auto kTensors = [](const Report& report, const auto& visit) {
  for (const ModuleReport& module : report.modules) {
    if (!module.network) continue;
    const Topology& network = *module.network;
    std::map<const graph::Value*, analysis::LiveRole> at_peak;
    const graph::Kernel* fullest = nullptr;
    if (module.peak.call) {
      for (const auto& live : analysis::live_tensors(network, *module.peak.call)) {
        if (live.value) at_peak.emplace(&network[*live.value], live.role);
      }
      fullest = &network.kernel_of(network[*module.peak.call]);
    }
    for (const graph::Value& value : network.values) {
      if (value.kind == graph::ValueKind::constant) continue;
      TensorItem item{module, &value, &network[value.storage]};
      if (const auto found = at_peak.find(&value); found != at_peak.end()) {
        item.at_peak = found->second;
      }
      visit(item);
    }
    for (const graph::Kernel& kernel : network.kernels) {
      const bool is_scratch = &kernel == fullest && network.is_in_ram(kernel.device);
      for (const graph::KernelBuffer& one : kernel.workspaces) {
        visit(TensorItem{module, nullptr, nullptr, &kernel, &one,
                         is_scratch ? std::optional(analysis::LiveRole::scratch) : std::nullopt});
      }
    }
  }
};

constexpr auto kConstantItems = [](const Report& report, const auto& visit) {
  ConstantReader reader;
  for (const ModuleReport& module : report.modules) {
    for (const ModuleConstant& constant : reader.constants_of(module)) {
      visit(ConstantItem{module, constant});
    }
  }
};

/// Calls `use` with the columns of a kind and its items.
decltype(auto) with_columns(RowKind kind, const auto& use) {
  switch (kind) {
    case RowKind::archive:
      return use(once<module_columns>(), kModules);
    case RowKind::call:
      return use(once<call_columns>(), parts(&ModuleReport::calls));
    case RowKind::tensor:
      return use(once<tensor_columns>(), kTensors);
    case RowKind::constant:
      return use(once<constant_columns>(), kConstantItems);
    case RowKind::finding:
      return use(once<finding_columns>(), parts(&ModuleReport::findings));
    case RowKind::device:
      break;
  }
  return use(once<device_columns>(), parts(&ModuleReport::devices));
}

template <class Item>
std::vector<RowColumn> infos_of(const Columns<Item>& columns) {
  std::vector<RowColumn> infos;
  for (const auto& column : columns) infos.push_back(column.info);
  return infos;
}

}  // namespace
}  // namespace report

std::span<const RowKindInfo> row_kinds() {
  static constexpr RowKindInfo kKinds[] = {
      {RowKind::archive, "archive", "a module of an archive"},
      {RowKind::call, "call", "a call of a network"},
      {RowKind::tensor, "tensor", "a tensor or workspace of a network"},
      {RowKind::constant, "constant", "a constant"},
      {RowKind::finding, "finding", "a finding of mlf report"},
      {RowKind::device, "device", "a device other than the CPU, such as a GPU"}};
  return kKinds;
}

std::span<const RowColumn> columns_of(RowKind kind) {
  return report::with_columns(
      kind, [](const auto& columns, const auto&) -> std::span<const RowColumn> {
        static const std::vector<RowColumn> infos = report::infos_of(columns);
        return infos;
      });
}

std::vector<std::vector<Cell>> rows_of(const Report& report, RowKind kind) {
  return report::with_columns(kind, [&](const auto& columns, const auto& for_each_item) {
    std::vector<std::vector<Cell>> rows;
    for_each_item(report, [&](const auto& item) {
      std::vector<Cell>& row = rows.emplace_back();
      for (const auto& column : columns) row.push_back(column.cell(item));
    });
    return rows;
  });
}

namespace {

/// Whether a spreadsheet would take the text of a cell for a formula, and not for a number.
bool is_formula(std::string_view text) {
  constexpr std::string_view kFirst = "=+-@\t\r";
  if (text.empty() || kFirst.find(text.front()) == kFirst.npos) return false;
  const auto number = support::whole_number<double>(text);
  return !number || !std::isfinite(*number);
}

std::string csv_text(std::string_view text) {
  std::string cell = is_formula(text) ? "'" : "";
  cell += text;
  if (cell.find_first_of(",\"\r\n") == cell.npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_cell(const Cell& cell) {
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) return std::to_string(*number);
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? std::string() : csv_text(*text);
}

void write_cell(json::Writer& out, std::string_view name, const Cell& cell) {
  out.key(name);
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) return out.value(*number);
  // Names from archives may be any bytes.
  if (const auto* text = std::get_if<std::string>(&cell))
    return out.string(json::valid_utf8(*text));
  out.null();
}

}  // namespace

std::string csv_line(std::span<const Cell> cells) {
  std::string line;
  for (const Cell& cell : cells) line += (&cell == cells.data() ? "" : ",") + csv_cell(cell);
  return line + "\r\n";
}

std::string json_line(std::span<const std::string> names, std::span<const Cell> cells) {
  return json::object_text(JsonLayout::compact, [&](json::Writer& out) {
    for (std::size_t i = 0; i < cells.size(); ++i) write_cell(out, names[i], cells[i]);
  });
}

}  // namespace mlf

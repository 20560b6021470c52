#include "mlf/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <functional>

#include "json/text.h"
#include "json/writer.h"
#include "report/constants.h"
#include "support/byte_sink.h"

namespace mlf {
namespace report {
namespace {

using analysis::Count;
using graph::Topology;

/// What a row of each kind is made from.
struct ModuleItem {
  const ModuleReport& module;
};
struct CallItem {
  const ModuleReport& module;
  const CallReport& call;
  const KernelReport& kernel() const { return module.kernels[call.kernel]; }
};
struct TensorItem {
  const ModuleReport& module;
  const graph::Value& value;
  const graph::Storage& storage() const { return (*module.network)[value.storage]; }
};
struct ConstantItem {
  const ModuleReport& module;
  const ModuleConstant& constant;
  const ConstantSummary& summary() const { return constant.summary; }
};

struct FindingItem {
  const ModuleReport& module;
  const CostFinding& finding;
};

/// A column and how its cell is made from an item.
template <class Item>
struct ColumnOf {
  RowColumn info;
  std::function<Cell(const Item&)> cell;
};

template <class Item>
using Columns = std::vector<ColumnOf<Item>>;

Cell number(std::optional<std::uint64_t> value) {
  return value ? Cell(*value) : Cell();
}

/// Whether all that main calls are kernels and nothing else is called.
bool are_calls_known(const Topology& network) {
  return network.gaps.empty() &&
         std::ranges::none_of(network.kernels, [](const graph::Kernel& kernel) {
           return kernel.origin == graph::KernelOrigin::unknown;
         });
}

/// Calls or kernels: without a main, or with what is not understood of it, these are others.
Cell number_of(const ModuleReport& module, std::size_t count) {
  const bool is_operators = module.no_network == NoNetwork::operators && !module.kernels.empty();
  const bool is_known = module.network ? are_calls_known(*module.network) : is_operators;
  return is_known ? Cell(std::uint64_t{count}) : Cell();
}

Cell text(std::string_view value) {
  return value.empty() ? Cell() : Cell(printable(value));
}

Cell shape_cell(const std::optional<std::vector<std::int64_t>>& shape) {
  if (!shape) return {};
  // Of a scalar: an empty text, which is not an unknown shape.
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
  const auto& values = item.summary().values;
  return values ? Cell(value_text((*values).*part, item.summary().dtype)) : Cell();
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

/// A text that columns refer to, to the end of the program.
std::string_view kept(std::string text) {
  static std::deque<std::string> texts;  // filled while the tables below are made
  return texts.emplace_back(std::move(text));
}

/// The two columns of a number that may not be exact.
template <class Item>
void add_bounds(Columns<Item>& columns, std::string_view name, std::string_view words,
                const std::function<Count(const Item&)>& count) {
  columns.push_back({{kept(fmt::format("{}_min", name)), kept(fmt::format("at least: {}", words))},
                     [=](const Item& item) -> Cell { return count(item).min; }});
  columns.push_back({{kept(fmt::format("{}_max", name)), kept(fmt::format("at most: {}", words))},
                     [=](const Item& item) -> Cell { return number(count(item).max); }});
}

/// The measures between other columns, each of which stands before a measure or at the end.
template <class Item>
struct ColumnBefore {
  std::string_view measure;
  ColumnOf<Item> column;
};

template <class Item>
void add_columns_before(std::string_view measure, const std::vector<ColumnBefore<Item>>& others,
                        Columns<Item>& columns) {
  for (const ColumnBefore<Item>& one : others) {
    if (one.measure == measure) columns.push_back(one.column);
  }
}

const std::vector<ColumnBefore<ModuleItem>> kOfModules{
    {"mac",
     {{"module", "", CellType::text},
      [](const ModuleItem& item) { return text(item.module.name); }}},
    {"mac",
     {{"no_network", "why there are no calls", CellType::text},
      [](const ModuleItem& item) {
        return item.module.no_network ? text(to_string(*item.module.no_network)) : Cell();
      }}},
    {"mac",
     {{"calls", "number of calls; empty if main is not fully understood"},
      [](const ModuleItem& item) { return number_of(item.module, item.module.calls.size()); }}},
    {"mac",
     {{"kernels", "number of kernels; empty if main is not fully understood"},
      [](const ModuleItem& item) { return number_of(item.module, item.module.kernels.size()); }}},
    {"peak",
     {{"peak_call", "call with the most bytes in use"},
      [](const ModuleItem& item) { return call_at(item.module.peak.call); }}},
    {"arguments",
     {{"exported", "when, as metadata.json has it", CellType::text},
      [](const ModuleItem& item) { return text(item.module.exported.value_or("")); }}},
    {"arguments",
     {{"targets", "their kinds, with commas between", CellType::text},
      [](const ModuleItem& item) {
        return text(fmt::format("{}", fmt::join(item.module.targets, ",")));
      }}},
    {"",
     {{"contradictions", "what of the archive cannot all be true, with semicolons between",
       CellType::text},
      [](const ModuleItem& item) {
        std::string all;
        for (const Contradiction& one : item.module.contradictions) {
          all += (all.empty() ? "" : "; ") + one.detail;
        }
        return text(all);
      }}},
};

Columns<ModuleItem> module_columns() {
  Columns<ModuleItem> columns;
  for (const ModuleMeasureInfo& one : module_measures()) {
    if (one.column.empty()) continue;
    add_columns_before(one.column, kOfModules, columns);
    add_bounds<ModuleItem>(columns, one.column, one.words,
                           [&one](const ModuleItem& item) { return one.value(item.module); });
  }
  add_columns_before("", kOfModules, columns);
  return columns;
}

const std::vector<ColumnBefore<CallItem>> kOfCalls{
    {"mac",
     {{"module", "", CellType::text}, [](const CallItem& item) { return text(item.module.name); }}},
    {"mac",
     {{"call", "position among the calls, from 0"},
      [](const CallItem& item) -> Cell { return std::uint64_t{index(item.call.call)}; }}},
    {"mac",
     {{"kernel", "symbol of the function", CellType::text},
      [](const CallItem& item) { return text(item.kernel().symbol); }}},
    {"mac",
     {{"dtype", "of the first output", CellType::text},
      [](const CallItem& item) { return dtype(item.call.output); }}},
    {"mac",
     {{"shape", "of the first output", CellType::text},
      [](const CallItem& item) { return shape(item.call.output); }}},
    {"",
     {{"c_file", "generated C", CellType::text},
      [](const CallItem& item) { return file_of(item.kernel().c); }}},
    {"", {{"c_first_line", ""}, [](const CallItem& item) { return first_of(item.kernel().c); }}},
    {"", {{"c_last_line", ""}, [](const CallItem& item) { return last_of(item.kernel().c); }}},
    {"",
     {{"tir_file", "text of TIR", CellType::text},
      [](const CallItem& item) { return file_of(item.kernel().tir); }}},
    {"",
     {{"tir_first_line", ""}, [](const CallItem& item) { return first_of(item.kernel().tir); }}},
    {"", {{"tir_last_line", ""}, [](const CallItem& item) { return last_of(item.kernel().tir); }}},
    {"",
     {{"layer", "name in the model, if Relay's spans have it", CellType::text},
      [](const CallItem& item) { return text(item.call.layer); }}},
    {"",
     {{"relay_line", "in the text of Relay"},
      [](const CallItem& item) { return first_of(item.call.relay); }}},
};

Columns<CallItem> call_columns() {
  Columns<CallItem> columns;
  for (const CallMeasureInfo& one : call_measures()) {
    add_columns_before(one.name, kOfCalls, columns);
    add_bounds<CallItem>(columns, one.name, one.words,
                         [&one](const CallItem& item) { return item.call[one.measure]; });
  }
  add_columns_before("", kOfCalls, columns);
  return columns;
}

/// What main's caller has it as.
std::string role_of(const TensorItem& item) {
  const graph::Topology& network = *item.module.network;
  const auto is_value = [&](const graph::Port& port) {
    return port.value && &network[*port.value] == &item.value;
  };
  const bool is_input = item.value.kind == graph::ValueKind::input;
  const bool is_output = std::ranges::any_of(network.outputs, is_value);
  if (is_input && is_output) return "input+output";
  return is_input ? "input" : is_output ? "output" : "inner";
}

const Columns<TensorItem> kTensorColumns{
    {{"module", "", CellType::text}, [](const TensorItem& item) { return text(item.module.name); }},
    {{"tensor", "", CellType::text}, [](const TensorItem& item) { return text(item.value.name); }},
    {{"kind", "input, constant or computed", CellType::text},
     [](const TensorItem& item) { return text(graph::to_string(item.value.kind)); }},
    {{"dtype", "", CellType::text}, [](const TensorItem& item) { return dtype(item.value.type); }},
    {{"shape", "", CellType::text}, [](const TensorItem& item) { return shape(item.value.type); }},
    {{"bytes", ""}, [](const TensorItem& item) { return number(item.value.bytes); }},
    {{"storage", "name of the memory that it is in", CellType::text},
     [](const TensorItem& item) { return text(item.storage().name); }},
    {{"memory", "pool, executor, heap, stack, program; empty: of the caller", CellType::text},
     [](const TensorItem& item) { return memory_name(item.storage().memory); }},
    {{"pool", "", CellType::text},
     [](const TensorItem& item) { return pool_name(item.module, item.storage().pool); }},
    {{"offset", "bytes from the start of the pool"},
     [](const TensorItem& item) { return number(item.storage().offset); }},
    {{"consumers", "number of readers"},
     [](const TensorItem& item) -> Cell { return std::uint64_t{item.value.consumers.size()}; }},
    {{"first_definition", "step that writes it; empty: before the first"},
     [](const TensorItem& item) {
       return item.value.first_definition ? Cell(std::uint64_t{*item.value.first_definition})
                                          : Cell();
     }},
    {{"last_use", "step that touches it last"},
     [](const TensorItem& item) {
       return item.value.last_use ? Cell(std::uint64_t{*item.value.last_use}) : Cell();
     }},
    {{"role", "of the network: input, output, input+output or inner", CellType::text},
     [](const TensorItem& item) { return text(role_of(item)); }},
};

const Columns<ConstantItem> kConstantColumns{
    {{"module", "", CellType::text},
     [](const ConstantItem& item) { return text(item.module.name); }},
    {{"kernel", "symbol of the function; empty: of main", CellType::text},
     [](const ConstantItem& item) { return text(item.constant.kernel); }},
    {{"constant", "", CellType::text},
     [](const ConstantItem& item) { return text(item.constant.name); }},
    {{"bytes", ""}, [](const ConstantItem& item) { return number(item.constant.bytes); }},
    {{"memory", "pool, executor or program", CellType::text},
     [](const ConstantItem& item) { return memory_name(item.constant.memory); }},
    {{"pool", "", CellType::text},
     [](const ConstantItem& item) { return pool_name(item.module, item.constant.pool); }},
    {{"offset", "bytes from the start of the pool"},
     [](const ConstantItem& item) { return number(item.constant.offset); }},
    {{"dtype", "", CellType::text},
     [](const ConstantItem& item) { return dtype_cell(item.summary().dtype); }},
    {{"shape", "empty if only generated C has it", CellType::text},
     [](const ConstantItem& item) { return shape_cell(item.summary().shape); }},
    {{"elements", ""}, [](const ConstantItem& item) { return number(item.summary().elements); }},
    {{"zeros", "elements that are 0; empty if the data is unknown"},
     [](const ConstantItem& item) -> Cell {
       const auto& values = item.summary().values;
       return values ? Cell(values->zeros) : Cell();
     }},
    {{"least", "element", CellType::text},
     [](const ConstantItem& item) { return value_of(item, &ConstantValues::least); }},
    {{"greatest", "element", CellType::text},
     [](const ConstantItem& item) { return value_of(item, &ConstantValues::greatest); }},
};

Columns<FindingItem> finding_columns() {
  Columns<FindingItem> columns{
      {{"module", "", CellType::text},
       [](const FindingItem& item) { return text(item.module.name); }},
      {{"finding", "its code", CellType::text},
       [](const FindingItem& item) { return text(info(item.finding.code).code); }},
      {{"where", "symbol of the kernel, or name of the constant", CellType::text},
       [](const FindingItem& item) { return text(item.finding.where); }}};
  add_bounds<FindingItem>(columns, "bytes", "that could be saved",
                          [](const FindingItem& item) { return item.finding.bytes; });
  columns.push_back({{"evidence", "", CellType::text},
                     [](const FindingItem& item) { return text(item.finding.evidence); }});
  return columns;
}

const Columns<ModuleItem> kModuleColumns = module_columns();
const Columns<CallItem> kCallColumns = call_columns();
const Columns<FindingItem> kFindingColumns = finding_columns();

/// Calls `visit` with every item of the kind that `visit` takes, in order.
void for_each_item(const ModuleReport& module, const Columns<ModuleItem>&, const auto& visit) {
  visit(ModuleItem{module});
}

void for_each_item(const ModuleReport& module, const Columns<CallItem>&, const auto& visit) {
  for (const CallReport& call : module.calls) visit(CallItem{module, call});
}

void for_each_item(const ModuleReport& module, const Columns<TensorItem>&, const auto& visit) {
  if (!module.network) return;
  for (const graph::Value& value : module.network->values) {
    if (value.kind != graph::ValueKind::constant) visit(TensorItem{module, value});
  }
}

void for_each_item(const ModuleReport& module, const Columns<ConstantItem>&, const auto& visit) {
  for (const ModuleConstant& constant : constants_of(module)) {
    visit(ConstantItem{module, constant});
  }
}

void for_each_item(const ModuleReport& module, const Columns<FindingItem>&, const auto& visit) {
  for (const CostFinding& finding : module.findings) visit(FindingItem{module, finding});
}

/// Calls `use` with the columns of a kind.
decltype(auto) with_columns(RowKind kind, const auto& use) {
  switch (kind) {
    case RowKind::archive:
      return use(kModuleColumns);
    case RowKind::call:
      return use(kCallColumns);
    case RowKind::tensor:
      return use(kTensorColumns);
    case RowKind::constant:
      return use(kConstantColumns);
    case RowKind::finding:
      break;
  }
  return use(kFindingColumns);
}

template <class Item>
std::vector<RowColumn> infos_of(const Columns<Item>& columns) {
  std::vector<RowColumn> infos;
  for (const ColumnOf<Item>& column : columns) infos.push_back(column.info);
  return infos;
}

}  // namespace
}  // namespace report

std::span<const RowColumn> columns_of(RowKind kind) {
  return report::with_columns(kind, [](const auto& columns) -> std::span<const RowColumn> {
    static const std::vector<RowColumn> infos = report::infos_of(columns);
    return infos;
  });
}

std::vector<std::vector<Cell>> rows_of(const Report& report, RowKind kind) {
  return report::with_columns(kind, [&](const auto& columns) {
    std::vector<std::vector<Cell>> rows;
    for (const ModuleReport& module : report.modules) {
      report::for_each_item(module, columns, [&](const auto& item) {
        std::vector<Cell>& row = rows.emplace_back();
        for (const auto& column : columns) row.push_back(column.cell(item));
      });
    }
    return rows;
  });
}

namespace {

std::string csv_cell(const Cell& cell) {
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) return std::to_string(*number);
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) return {};
  if (text->find_first_of(",\"\r\n") == text->npos) return *text;
  std::string quoted = "\"";
  for (const char c : *text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
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
  support::StringSink sink;
  json::Writer out(sink, JsonLayout::compact);
  out.begin_object();
  for (std::size_t i = 0; i < cells.size(); ++i) write_cell(out, names[i], cells[i]);
  out.end_object();
  out.end_line();
  out.flush();
  return sink.take();
}

}  // namespace mlf

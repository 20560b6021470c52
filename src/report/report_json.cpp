// Writes a report as JSON, key by key in the order of schemas/report.schema.json.
#include "analysis/count_json.h"
#include "json/writer.h"
#include "mlf/report.h"
#include "mlf/version.h"
#include "report/call_numbers.h"
#include "support/byte_sink.h"
#include "support/error.h"

namespace mlf {
namespace report {
namespace {

using analysis::Count;

class ReportJson {
 public:
  explicit ReportJson(json::Writer& out) : out_(out) {}

  void write(const Report& report);

 private:
  void module(const ModuleReport& module);
  void numbers(const ModuleReport& module, std::string_view group);
  void contradiction(const Contradiction& one);
  void ram(const ModuleReport& module);
  void flash(const ModuleReport& module);
  void peak(const ModuleReport& module);
  void live(const analysis::LiveTensor& tensor);
  void call(const ModuleReport& module, const CallReport& call);
  void kernel(const ModuleReport& module, const KernelReport& kernel);
  void compiled(const std::optional<CompiledCode>& code);
  void operation(const analysis::OperationCount& operation);
  void buffer(const analysis::BufferCost& buffer);
  void loop(const analysis::LoopCost& loop);
  void finding(const CostFinding& finding);

  void text(std::string_view key, std::string_view value);
  void text_or_null(std::string_view key, std::string_view value);
  void count(std::string_view key, const Count& count);
  void number_or_null(std::string_view key, std::optional<std::uint64_t> number);
  void reasons(const std::vector<std::string>& sentences);
  void lines(std::string_view key, const std::optional<CodeLines>& lines);
  void shape(const graph::TensorType& type);

  json::Writer& out_;
};

void ReportJson::text(std::string_view key, std::string_view value) {
  out_.key(key);
  out_.string(value);
}

/// Null where it is empty.
void ReportJson::text_or_null(std::string_view key, std::string_view value) {
  out_.key(key);
  value.empty() ? out_.null() : out_.string(value);
}

void ReportJson::number_or_null(std::string_view key, std::optional<std::uint64_t> number) {
  out_.key(key);
  if (number) {
    out_.integer(static_cast<std::int64_t>(*number));
  } else {
    out_.null();
  }
}

void ReportJson::count(std::string_view key, const Count& count) {
  out_.key(key);
  analysis::write_json(out_, count);
}

void ReportJson::reasons(const std::vector<std::string>& sentences) {
  out_.key("uncertain");
  out_.begin_array();
  for (const std::string& sentence : sentences) out_.string(sentence);
  out_.end_array();
}

void ReportJson::lines(std::string_view key, const std::optional<CodeLines>& lines) {
  out_.key(key);
  if (!lines) return out_.null();
  out_.begin_object();
  text("file", lines->file);
  number_or_null("first_line", lines->first);
  number_or_null("last_line", lines->last);
  out_.end_object();
}

void ReportJson::shape(const graph::TensorType& type) {
  out_.key("dtype");
  type.dtype.is_void() ? out_.null() : out_.string(tir::to_string(type.dtype));
  out_.key("shape");
  if (!type.shape) return out_.null();
  out_.begin_array();
  for (const std::int64_t extent : *type.shape) out_.integer(extent);
  out_.end_array();
}

/// The numbers of one group, in the order of measures.def.
void ReportJson::numbers(const ModuleReport& module, std::string_view group) {
  for (const ModuleMeasureInfo& one : module_measures()) {
    if (one.group() == group && one.is_in_documents()) count(one.name(), one.value(module));
  }
}

void ReportJson::ram(const ModuleReport& module) {
  out_.key("ram");
  out_.begin_object();
  numbers(module, "ram");
  reasons(module.peak.uncertain);
  out_.end_object();
}

void ReportJson::flash(const ModuleReport& module) {
  out_.key("flash");
  out_.begin_object();
  numbers(module, "flash");
  if (module.code) {
    reasons({});
  } else {
    reasons({"code: only a compiler knows its size"});
  }
  out_.end_object();
}

void ReportJson::live(const analysis::LiveTensor& tensor) {
  out_.begin_object();
  text("name", tensor.name);
  text("role", analysis::to_string(tensor.role));
  text("memory", graph::to_string(tensor.memory));
  number_or_null("bytes", tensor.bytes);
  out_.end_object();
}

void ReportJson::peak(const ModuleReport& module) {
  out_.key("peak");
  out_.begin_object();
  number_or_null("call", module.peak.call ? std::optional<std::uint64_t>(index(*module.peak.call))
                                          : std::nullopt);
  numbers(module, "peak");
  out_.key("live");
  out_.begin_array();
  if (module.network && module.peak.call) {
    for (const auto& tensor : analysis::live_tensors(*module.network, *module.peak.call)) {
      live(tensor);
    }
  }
  out_.end_array();
  out_.end_object();
}

void ReportJson::call(const ModuleReport& module, const CallReport& call) {
  const KernelReport& kernel = module.kernels[call.kernel];
  out_.begin_object();
  text("kernel", kernel.symbol);
  out_.key("layer");
  call.layer.empty() ? out_.null() : out_.string(call.layer);
  shape(call.output);
  for (const CallMeasureInfo& one : call_measures()) count(one.name, call[one.measure]);
  lines("c", kernel.c);
  lines("tir", kernel.tir);
  lines("relay", call.relay);
  reasons((kernel.cost ? *kernel.cost : unknown_cost()).uncertain);
  out_.end_object();
}

void ReportJson::operation(const analysis::OperationCount& operation) {
  out_.begin_object();
  text("operation", analysis::to_string(operation.operation));
  text("dtype", tir::to_string(operation.dtype));
  count("count", operation.count);
  out_.end_object();
}

void ReportJson::buffer(const analysis::BufferCost& buffer) {
  out_.begin_object();
  text("name", buffer.name);
  text("role", analysis::to_string(buffer.role));
  count("loads", buffer.loads);
  count("stores", buffer.stores);
  count("bytes_loaded", buffer.bytes_loaded);
  count("bytes_stored", buffer.bytes_stored);
  out_.end_object();
}

void ReportJson::loop(const analysis::LoopCost& loop) {
  out_.begin_object();
  text("variable", loop.variable);
  number_or_null("depth", loop.depth);
  count("extent", loop.extent);
  count("iterations", loop.iterations);
  count("mac", loop.mac);
  out_.end_object();
}

/// Bytes by section, or null without a compiler.
void ReportJson::compiled(const std::optional<CompiledCode>& code) {
  out_.key("compiled");
  if (!code) return out_.null();
  out_.begin_object();
  number_or_null("text", code->text);
  number_or_null("rodata", code->rodata);
  number_or_null("data", code->data);
  number_or_null("bss", code->bss);
  out_.end_object();
}

void ReportJson::kernel(const ModuleReport& module, const KernelReport& kernel) {
  out_.begin_object();
  text("symbol", kernel.symbol);
  text_or_null("source", kernel.source);
  text_or_null("target", kernel.target);
  lines("c", kernel.c);
  lines("tir", kernel.tir);
  std::optional<CompiledFunction> function;
  if (module.code) {
    const auto found = module.code->functions.find(kernel.symbol);
    if (found != module.code->functions.end()) function = found->second;
  }
  number_or_null("code", function ? std::optional(function->bytes) : std::nullopt);
  number_or_null("frame", function ? function->frame : std::nullopt);
  const analysis::KernelCost& cost = kernel.cost ? *kernel.cost : unknown_cost();
  count("mac", cost.mac);
  count("loaded", cost.loaded);
  count("stored", cost.stored);
  count("index_operations", cost.index_operations);
  count("index_divisions", cost.index_divisions);
  const auto list = [&](std::string_view key, const auto& elements, auto write_one) {
    out_.key(key);
    out_.begin_array();
    for (const auto& element : elements) (this->*write_one)(element);
    out_.end_array();
  };
  list("operations", cost.operations, &ReportJson::operation);
  list("buffers", cost.buffers, &ReportJson::buffer);
  list("loops", cost.loops, &ReportJson::loop);
  out_.key("extern_calls");
  out_.begin_array();
  for (const analysis::ExternCall& callee : cost.extern_calls) {
    out_.begin_object();
    text("symbol", callee.symbol);
    count("count", callee.count);
    out_.end_object();
  }
  out_.end_array();
  reasons(cost.uncertain);
  out_.end_object();
}

void ReportJson::finding(const CostFinding& finding) {
  out_.begin_object();
  text("code", info(finding.code).code);
  text("where", finding.where);
  count("bytes", finding.bytes);
  text("evidence", finding.evidence);
  out_.end_object();
}

void ReportJson::module(const ModuleReport& module) {
  out_.begin_object();
  text("name", module.name);
  out_.key("no_network");
  module.no_network ? out_.string(to_string(*module.no_network)) : out_.null();
  numbers(module, "");
  ram(module);
  flash(module);
  compiled(module.code);
  peak(module);
  out_.key("calls");
  out_.begin_array();
  for (const CallReport& one : module.calls) call(module, one);
  out_.end_array();
  out_.key("kernels");
  out_.begin_array();
  for (const KernelReport& one : module.kernels) kernel(module, one);
  out_.end_array();
  out_.key("findings");
  out_.begin_array();
  for (const CostFinding& one : module.findings) finding(one);
  out_.end_array();
  reasons(module.uncertain);
  out_.key("contradictions");
  out_.begin_array();
  for (const Contradiction& one : module.contradictions) contradiction(one);
  out_.end_array();
  out_.end_object();
}

void ReportJson::contradiction(const Contradiction& one) {
  out_.begin_object();
  text("code", one.code);
  text("detail", one.detail);
  out_.end_object();
}

void ReportJson::write(const Report& report) {
  out_.begin_object();
  text("format", "mlf-report");
  number_or_null("version", kReportVersion);
  text("generator", "mlf " + std::string(version()));
  out_.key("modules");
  out_.begin_array();
  for (const ModuleReport& one : report.modules) module(one);
  out_.end_array();
  out_.end_object();
  out_.end_line();
  out_.flush();
}

}  // namespace
}  // namespace report

Result<void> write_report_json(const Report& report, JsonLayout layout, const tir::Sink& sink) {
  return support::to_result([&] {
    support::FunctionSink bytes(sink);
    json::Writer out(bytes, layout);
    report::ReportJson(out).write(report);
  });
}

}  // namespace mlf

// Writes costs as node data of Model Explorer: its names for the fields are in the package
// ai-edge-model-explorer of PyPI, node_data_builder.py.
#include "json/write_document.h"
#include "mlf/report.h"
#include "support/error.h"

namespace mlf {
namespace report {
namespace {

/// From zero to the maximum: white to amber, which keeps black text legible.
constexpr std::string_view kGradient =
    R"([{"stop":0,"bgColor":"#ffffff"},{"stop":1,"bgColor":"#fabd5c"}])";

void write_costs(json::Writer& out, const ModuleReport& module, const CallMeasureInfo& measure) {
  out.text_key(module.network->module);
  out.begin_object();
  out.member("name", measure.words);
  out.object("results", [&] {
    for (std::size_t i = 0; i < module.calls.size(); ++i) {
      const analysis::Count count = module.calls[i][measure.measure];
      if (!count.is_exact()) continue;
      out.object("call" + std::to_string(i), [&] { out.member("value", count.min); });
    }
  });
  out.key("gradient");
  out.raw(kGradient);
  out.end_object();
}

}  // namespace
}  // namespace report

Result<void> write_node_data(const Report& report, CallMeasure measure, JsonLayout layout,
                             const Sink& sink) {
  return support::to_result([&] {
    support::FunctionSink bytes(sink);
    json::write_object(bytes, layout, [&](json::Writer& out) {
      for (const ModuleReport& module : report.modules) {
        if (!module.network) continue;
        report::write_costs(out, module, call_measures()[static_cast<std::size_t>(measure)]);
      }
    });
  });
}

}  // namespace mlf

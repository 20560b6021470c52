// Writes what an application needs as JSON, key by key in the order of
// schemas/integration.schema.json.

#include "analysis/count_json.h"
#include "deployment/files_json.h"
#include "graph/formats/type_json.h"
#include "json/text.h"
#include "json/write_document.h"
#include "mlf/integration.h"
#include "support/numbers.h"

namespace mlf {
namespace report {
namespace {

using json::Writer;

void write_quantization(Writer& out, const Quantization& quantization) {
  out.key("scale");
  out.real(quantization.scale);
  out.member("zero_point", quantization.zero_point);
}

void write_integration_tensor(Writer& out, const IntegrationTensor& tensor) {
  out.member("name", tensor.name);
  out.text_or_null("field", tensor.field);
  graph::write_type(out, tensor.type);
  out.member("bytes", tensor.bytes);
  out.member("alignment", tensor.alignment);
  out.object("quantization", tensor.quantization, write_quantization);
}

void write_integration_function(Writer& out, const IntegrationFunction& function) {
  out.member("symbol", function.symbol);
  out.text_or_null("prototype", function.prototype);
  out.text_or_null("member", function.member);
  out.objects("arguments", function.arguments, write_integration_tensor);
}

void write_integration_memory(Writer& out, const IntegrationMemory& memory) {
  out.text_or_null("name", memory.name);
  out.member("kind", to_string(memory.kind));
  out.member("in_archive", memory.is_in_archive);
  out.member("bytes", memory.bytes);
  out.member("alignment", memory.alignment);
  out.text_or_null("section", memory.section);
  out.text_or_null("data", memory.data);
}

void write_external(Writer& out, const ExternalName& external) {
  out.member("name", external.name);
  out.member("origin", external.origin);
}

void write_integration_loop(Writer& out, const IntegrationLoop& loop) {
  out.member("function", loop.function);
  out.text_or_null("member", loop.member);
  out.member("line", loop.line);
  out.member("variable", loop.cost.variable);
  out.member("depth", loop.cost.depth);
  out.member("extent", loop.cost.extent);
  out.member("iterations", loop.cost.iterations);
}

void write_integration(Writer& out, const ModuleIntegration& list, const ModuleFiles& files,
                       const ModuleReport& report) {
  out.member("name", list.name);
  out.text_or_null("interface", list.interface ? to_string(*list.interface) : std::string_view());
  out.objects("functions", list.functions, write_integration_function);
  out.objects("structs", list.structs, [&](Writer&, const CStruct& one) {
    out.member("name", one.name);
    out.member("fields", one.fields);
  });
  out.member("type_codes", list.type_codes);
  out.objects("inputs", list.inputs, write_integration_tensor);
  out.objects("outputs", list.outputs, write_integration_tensor);
  out.objects("memory", list.memory, write_integration_memory);
  out.objects("external", list.external, write_external);
  out.member("external_from", list.is_linked ? "objects" : "c");
  out.objects("headers", list.headers, write_external);
  out.member("include_directories", list.include_directories);
  out.member("definitions", list.definitions);
  out.member("flags", list.flags);
  out.objects("state", list.state, [&](Writer&, const KeptState& state) {
    out.member("name", state.name);
    out.member("bytes", state.bytes);
    out.member("why", state.why);
  });
  out.objects("loops", list.loops, write_integration_loop);
  out.object("files", files, deployment::write_files);
  out.member("uncertain", report.uncertain);
}

}  // namespace
}  // namespace report

std::string to_json(const Deployment& deployment, const Integration& integration,
                    const DocumentForm& form) {
  return json::document_text(form, "mlf-integration", kIntegrationVersion, [&](json::Writer& out) {
    out.member("archive", json::valid_utf8(deployment.archive().path()));
    out.objects("modules", support::positions(integration.modules.size()),
                [&](json::Writer&, std::size_t i) {
                  report::write_integration(out, integration.modules[i],
                                            deployment.library().modules[i].files,
                                            integration.report.modules[i]);
                });
  });
}

}  // namespace mlf

// Writes what `mlf optimize` did as JSON, key by key in the order of schemas/optimize.schema.json.
#include "json/write_document.h"
#include "mlf/optimize.h"

namespace mlf {
namespace {

using json::Writer;

void write_constant(Writer& out, const OptimizedConstant& constant) {
  out.member("name", constant.name);
  out.text_or_null("pool", constant.pool);
  out.member("dtype", to_string(constant.before));
  out.member("new_dtype", to_string(constant.after));
  out.member("bytes", constant.bytes_before);
  out.member("new_bytes", constant.bytes_after);
  out.member("collapsed", constant.is_collapsed);
  out.member("dropped", constant.is_dropped);
  out.member("parameter", constant.is_parameter);
  out.text_or_null("equal", constant.equal);
  out.text_or_null("kept", constant.kept);
}

void write_function(Writer& out, const OptimizedFunction& function) {
  out.member("name", function.symbol);
  out.member("dropped", function.is_dropped);
  out.text_or_null("kept", function.kept);
}

void write_pool(Writer& out, const OptimizedPool& pool) {
  out.member("name", pool.name);
  out.member("bytes", pool.bytes_before);
  out.member("new_bytes", pool.bytes_after);
}

void write_module(Writer& out, const OptimizedModule& module) {
  out.member("name", module.name);
  out.member("constants_bytes", module.constants_before);
  out.member("new_constants_bytes", module.constants_after);
  out.member("saved_by_narrowing", module.saved.narrowing);
  out.member("saved_by_collapsing", module.saved.collapsing);
  out.member("saved_by_sharing", module.saved.sharing);
  out.member("saved_by_dropping", module.saved.dropping);
  out.text_or_null("constants_kept", module.constants_kept);
  out.objects("constants", module.constants, write_constant);
  out.objects("unused_functions", module.functions, write_function);
  out.text_or_null("pools_kept", module.pools_kept);
  out.objects("pools", module.pools, write_pool);
}

}  // namespace

std::string to_json(const OptimizeReport& report, const DocumentForm& form) {
  return json::document_text(form, "mlf-optimize", kOptimizeVersion, [&](Writer& out) {
    out.objects("modules", report.modules, write_module);
    out.text_or_null("ram_plan",
                     report.ram_plan ? to_string(*report.ram_plan) : std::string_view());
    out.array("changed", [&] {
      for (const std::string& name : report.changed) out.value(name);
    });
  });
}

}  // namespace mlf

// TIR in any dialect: reading never does worse than a diagnostic, and what was read survives JSON
// and can be counted.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mlf/analysis/cost.h"
#include "mlf/tir/document.h"
#include "mlf/tir/write.h"

namespace {

using mlf::tir::Document;

constexpr mlf::tir::ReadLimits kLimits{.max_nesting = 10'000,
                                       .max_nodes = 1'000'000,
                                       .max_source_bytes = 1u << 20,
                                       .max_written_nodes = 1'000'000};

/// Empty where the module cannot be written (sharing that expands beyond the limit).
std::string json_of(const Document& document) {
  std::string json;
  const auto files = write_tir_json(document, {.max_written_nodes = kLimits.max_written_nodes},
                                    [&](std::string_view bytes) { json += bytes; });
  return files ? json : std::string();
}

void count_kernels(const Document& document) {
  const auto root = document.module.root();
  if (!root.is(mlf::tir::Kind::IRModule)) return;
  const auto functions = root.map(mlf::tir::f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto function = functions.value(i);
    if (function.is(mlf::tir::Kind::PrimFunc)) mlf::analysis::kernel_cost(function);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = mlf::tir::read({.file = "fuzz", .member = "", .text = text}, kLimits);
  if (!document) return 0;
  count_kernels(*document);
  const std::string json = json_of(*document);
  if (json.empty()) return 0;
  const auto again = mlf::tir::read({.file = "json", .member = "", .text = json});
  if (!again || json_of(*again) != json) std::abort();
  return 0;
}

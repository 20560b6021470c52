#include "graph/kernels/document_code.h"

#include "support/lookup.h"
#include "tir/node_queries.h"

namespace mlf::graph {

DocumentCode::DocumentCode(std::shared_ptr<const tir::Document> document)
    : document_(std::move(document)) {
  for (const tir::NamedFunction& one : tir::prim_functions_of(document_->module)) {
    functions_.try_emplace(one.name, one.function);
  }
}

tir::Node DocumentCode::find(std::string_view name) const {
  return support::value_at(functions_, name).value_or(tir::Node());
}

const KernelCode& DocumentCode::code_of(tir::Node function) const {
  const std::scoped_lock lock(reading_);
  std::unique_ptr<const KernelCode>& code = codes_[function.id()];
  if (code == nullptr) code = std::make_unique<const KernelCode>(function);
  return *code;
}

}  // namespace mlf::graph

// The functions of a document, each read once for all that ask about it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "graph/kernels/kernel_code.h"
#include "mlf/tir/document.h"

namespace mlf::graph {

/// Threads: all functions may be called from several threads at once.
class DocumentCode {
 public:
  explicit DocumentCode(std::shared_ptr<const tir::Document> document);

  const tir::Document& document() const { return *document_; }
  /// By the names of their GlobalVars.
  const std::map<std::string_view, tir::Node>& functions() const { return functions_; }
  /// Undefined if there is none with this name.
  tir::Node find(std::string_view name) const;
  /// Reads one of the functions at the first call. The result lives as long as this.
  const KernelCode& code_of(tir::Node function) const;

 private:
  std::shared_ptr<const tir::Document> document_;
  std::map<std::string_view, tir::Node> functions_;
  mutable std::mutex reading_;
  mutable std::map<tir::NodeId, std::unique_ptr<const KernelCode>> codes_;
};

}  // namespace mlf::graph

// TIR documents in Python.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"
#include "mlf/tir/write.h"

namespace mlf::python {

/// Python's objects refer to values that do not change: nanobind ignores `const`.
using DocumentPtr = std::shared_ptr<tir::Document>;
inline DocumentPtr handle_of(std::shared_ptr<const tir::Document> document) {
  return std::const_pointer_cast<tir::Document>(std::move(document));
}

/// Copies nodes of a frozen module into a builder, each once, with their spans and places.
class NodeCopier {
 public:
  NodeCopier(const tir::Module& from, tir::Builder& to)
      : from_(&from), to_(&to), copies_(from.size()) {}

  /// The copy of a node and everything below it.
  tir::NodeId copy(tir::NodeId id);
  /// The existing copy; otherwise `none`.
  tir::NodeId copied(tir::NodeId id) const { return copies_[index(id)]; }

 private:
  void copy_one(tir::Node node);
  tir::NodeId reference(tir::Node node) const { return copies_[index(node.id())]; }

  const tir::Module* from_;
  tir::Builder* to_;
  std::vector<tir::NodeId> copies_;  ///< by id; `none`: not yet copied
};

/// The whole output of a writer as a string.
template <class Write>
Result<std::string> text_of(Write&& write) {
  std::string text;
  const auto done = write([&](std::string_view part) { text += part; });
  if (!done) return tl::unexpected(done.error());
  return text;
}

}  // namespace mlf::python

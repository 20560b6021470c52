// The metadata section of printed TIR: a save_json document to which the text refers.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"
#include "support/source_text.h"
#include "tir/reader.h"

namespace mlf::tir {

/// Objects by type key.
using ObjectsByKey = std::map<std::string, std::vector<NodeId>, std::less<>>;

struct MetadataSection {
  VersionRange version;  ///< of the TVM that printed the text
  /// The objects that `metadata["Runtime"][0]` and `meta[Runtime][0]` refer to, by type key.
  ObjectsByKey objects{};
  /// Of nodes of unknown type in the section: IRModule::source_nodes.
  NodeId source_nodes = NodeId::none;
};

/// Returns `module` with these `source_nodes`, or itself if they are undefined.
NodeId with_source_nodes(Builder& builder, NodeId module, NodeId nodes);

/// Makes the objects of a section in `builder`. The bytes [begin, end) of `source` are the JSON of
/// a `Map<String, Array<ObjectRef>>`, with the surrounding text's escapes resolved. Throws
/// support::Error.
MetadataSection read_metadata(const support::SourceText& source, std::size_t begin, std::size_t end,
                              const ReadLimits& limits, Builder& builder, LossLog& losses,
                              Places* places = nullptr);

/// Writes a Map of type keys to Arrays of `objects`; shared parts stay shared.
void write_objects(const Document& document, const ObjectsByKey& objects, const Sink& sink);

}  // namespace mlf::tir

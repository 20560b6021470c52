// JSON for parts of networks: ids, types of tensors, versions of TVM.
#pragma once

#include "json/writer.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// The position of an id.
template <class Id>
requires(std::same_as<Id, CallId> || std::same_as<Id, CopyId> || std::same_as<Id, KernelId> ||
         std::same_as<Id, ValueId> || std::same_as<Id, StorageId> ||
         std::same_as<Id, PoolId>) void write_json(json::Writer& out, Id id) {
  out.integer(index(id));
}

/// Members `dtype` and `shape`; null if unknown.
inline void write_type(json::Writer& out, const TensorType& type) {
  out.text_or_null("dtype", type.dtype.is_void() ? std::string() : tir::to_string(type.dtype));
  out.member("shape", type.shape);
}

inline void write_version(json::Writer& out, const tir::VersionRange& range) {
  out.member("first", "0." + std::to_string(range.first));
  out.member("last", "0." + std::to_string(range.last));
  out.text_or_null("exact", range.exact);
}

}  // namespace mlf::graph

// Writes and reads the table of constants. Data may be in NumPy files (format version 1.0) beside
// tir-N.json.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "json/document.h"
#include "json/writer.h"
#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"
#include "mlf/tir/module.h"
#include "mlf/tir/write.h"
#include "tir/json/outline.h"

namespace mlf::tir::tir_json {

/// The required size of a constant in bytes. Lanes do not count, as in TVM.
std::uint64_t byte_size(DType dtype, std::span<const std::int64_t> shape);

/// NumPy's name for the elements: "<f4", "|b1"; an opaque type such as "|V2" if NumPy has no such
/// type.
std::string npy_descr(DType dtype);

/// The header before the data: magic, version, length and the padded dictionary.
std::string npy_header(DType dtype, std::span<const std::int64_t> shape);

/// Writes the member `constants`. Returns the files that it refers to.
std::vector<ConstantFile> write_constants(json::Writer& emitter, const Outline& outline,
                                          const Document& document, const JsonOptions& options);

struct ConstantTable {
  std::vector<NodeId> arrays;  ///< in the order of their ids
  std::vector<Recovered> recovered;
  std::vector<LeftOut> left_out;
};

/// Throws if data, size and digest do not agree. Constants in files have no data.
ConstantTable read_constants(Builder& builder, json::Value table);

}  // namespace mlf::tir::tir_json

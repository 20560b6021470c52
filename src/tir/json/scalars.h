// Fields of nodes that are no nodes: from JSON to the builder.
#pragma once

#include "json/document.h"
#include "mlf/tir/builder.h"

namespace mlf::tir::tir_json {

/// The value of a field of type string, integer, real, boolean, dtype, enumeration or integers.
/// `dtype` is that of the node itself, where it has one. Throws where the JSON type is not the one
/// that the field, or the dtype, asks for.
FieldValue read_scalar(Builder& builder, json::Value value, Kind kind, const FieldInfo& field,
                       DType dtype);

/// What stands for a field that is left out or null.
FieldValue undefined_value(const FieldInfo& field);

DType read_dtype(json::Value value);

/// The bytes of a string of the IR.
StringId read_string(Builder& builder, json::Value value);

}  // namespace mlf::tir::tir_json

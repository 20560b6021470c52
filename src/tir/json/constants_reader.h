// The table of constants.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"

namespace mlf::tir::tir_json {

/// Gives the content of a constant's NumPy file by the path in the JSON; nullopt where it is not
/// at hand, and then the constant has no data.
using FileSource = std::function<std::optional<std::string>(std::string_view path)>;

struct ConstantTable {
  std::vector<NodeId> arrays;  ///< in the order of their ids
  std::vector<Recovered> recovered;
};

/// Throws where data, size and digest do not agree.
ConstantTable read_constants(Builder& builder, json::Value table, const FileSource& files);

}  // namespace mlf::tir::tir_json

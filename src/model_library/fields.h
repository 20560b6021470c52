// Typed values of metadata objects. All functions throw `support::Error` with the JSON pointer of
// the invalid value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/document.h"
#include "mlf/model_library.h"

namespace mlf::model_library {

std::string string_of(json::Value value);
/// Returns nullopt for null.
std::optional<std::string> string_or_null(json::Value value);
/// Integers from 0 to 2^63-1, the range of the int64 TVM counts in.
std::uint64_t size_of(json::Value value);
std::int32_t device_type_of(json::Value value);
Style style_of(json::Value value);
Executor executor_of(json::Value value);
/// A list of `str(target)`; up to version 5 an object of them by DLDeviceType.
std::vector<ModuleTarget> targets_of(json::Value value);

}  // namespace mlf::model_library

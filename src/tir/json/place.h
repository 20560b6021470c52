// Errors in tir-N.json: line, column and JSON pointer.
#pragma once

#include <string>

#include "support/json_reader.h"

namespace mlf::tir::json {

/// RFC 6901 pointer of a value or key of its document.
std::string pointer_to(support::JsonValue value);

/// Throws an `Error` that points at the value.
[[noreturn]] void fail(support::JsonValue value, std::string message);

}  // namespace mlf::tir::json

// Generated C as tokens, function by function, and what the writer makes of a module.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tir/c/c.h"

namespace mlf::tir::c {

using Tokens = std::vector<std::string>;
using Functions = std::map<std::string, Tokens, std::less<>>;

/// Tokens of C without comments and preprocessor lines.
Tokens tokens_of(std::string_view text);

/// The functions with a body, head and body of each.
Functions functions_of(std::string_view text);

/// The module as C; throws where it cannot be printed.
std::string written(const Document& document);

/// A file is read and printed again: the same tokens, and read again the same module.
void expect_own_text(const std::string& file);

}  // namespace mlf::tir::c

// Names of members: which are acceptable, and their normal form.
#pragma once

#include <string>
#include <string_view>

#include "mlf/archive.h"

namespace mlf::archive {

/// Normal form of a raw name: without "." components, doubled and trailing slashes; "." for the
/// root. Throws `invalid_input` for a name that is empty, too long, absolute, escapes, or is not
/// printable UTF-8.
std::string normal_name(std::string_view raw_name, const Limits& limits);

/// Returns why the name is invalid, or an empty string. Checks the rules shared with link targets:
/// length, control characters, UTF-8.
std::string text_fault(std::string_view text, std::string_view what, const Limits& limits);

}  // namespace mlf::archive

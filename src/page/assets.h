// The style and the script of the page: the bundle of mlf/page, part of the library.
#pragma once

#include <string_view>

namespace mlf::page {

std::string_view style_sheet();
/// Runs before the body is read.
std::string_view opening_script();
/// Runs after the body.
std::string_view script();

}  // namespace mlf::page

// Large pages: their parts compressed, for the script of the page.
#pragma once

#include <span>
#include <string_view>

#include "mlf/formats.h"
#include "page/html.h"

namespace mlf::page {

/// Pages whose parts have more bytes are large.
constexpr std::size_t kMostPlainBytes = 512 * 1024;

/// Writes `markup`, with its parts as they are unless they are large together. Otherwise each part
/// is a `p` with the attribute `data-part` that names its subject, and the element `packed` at the
/// end has all of them: base64 of gzip of their markup in the same order, each with a NUL behind
/// it. Equal pages are equal bytes.
void write_with_parts(const Sink& sink, std::string_view markup, std::span<const PagePart> parts);

}  // namespace mlf::page

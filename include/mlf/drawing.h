// Pictures, laid out by Graphviz. Part of the target mlf::drawing, which exists where mlf was built
// with Graphviz; mlf::mlf does not need it. Graphviz is loaded when the first picture is drawn.
// ELK (elkjs 0.12) was measured beside it, and takes longer: mlf/page/README.md.
//
//     const auto svg = mlf::drawing::svg_from_dot("digraph { a -> b }");
//     if (svg) print(*svg);
#pragma once

#include <string>

#include "mlf/diagnostics.h"

namespace mlf::drawing {

/// Lays out a graph in Graphviz' DOT language from top to bottom and draws it as SVG. The same text
/// and version of Graphviz give the same picture. Not to be called from two threads at a time:
/// Graphviz keeps state of its own.
///
/// Errors: `invalid_input` where the text is not DOT; `io` where Graphviz cannot be loaded;
/// `internal` where it fails, for example for want of its layout plugin.
Result<std::string> svg_from_dot(const std::string& dot);

/// The same as PNG, by the renderers and with the fonts that Graphviz finds on this machine: other
/// machines draw other bytes.
///
/// Errors: as above; `internal` where Graphviz has no renderer for PNG.
Result<std::string> png_from_dot(const std::string& dot);

}  // namespace mlf::drawing

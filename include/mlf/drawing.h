// Draws pictures with Graphviz. Part of the target mlf::drawing, which exists if mlf was built with
// Graphviz; mlf::mlf does not need it. Graphviz is loaded for the first picture. ELK (elkjs 0.12)
// was measured beside it, and takes longer: mlf/page/README.md.
//
//     const auto svg = mlf::drawing::svg_from_dot("digraph { a -> b }");
//     if (svg) print(*svg);
//
// Threads: call all functions from one thread at a time. Graphviz has a state of its own.
#pragma once

#include <string>

#include "mlf/diagnostics.h"

namespace mlf::drawing {

/// Lays out a graph in Graphviz' DOT language from top to bottom and draws it as SVG. The same text
/// and version of Graphviz give the same picture.
///
/// Errors: `invalid_input` if the text is not DOT; `io` if Graphviz cannot be loaded; `internal` if
/// it fails, for example because its layout plugin is missing.
Result<std::string> svg_from_dot(const std::string& dot);

/// Draws the same as PNG, with the renderers and fonts that Graphviz finds on this machine: the
/// bytes differ between machines.
///
/// Errors: as above; `internal` if Graphviz has no renderer for PNG.
Result<std::string> png_from_dot(const std::string& dot);

}  // namespace mlf::drawing

// Graphviz, loaded for the first picture: most runs draw none, and need not wait for its libraries.
#pragma once

#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>

namespace mlf::drawing {

/// Functions of Graphviz, by their own names.
struct Graphviz {
#define MLF_GRAPHVIZ_FUNCTION(library, name) decltype(&::name) name;
#include "drawing/graphviz_functions.def"
#undef MLF_GRAPHVIZ_FUNCTION
};

/// @throws std::runtime_error if a library of Graphviz is missing or cannot be loaded
const Graphviz& graphviz();

/// Tables that Graphviz's plugin libraries export; null if the libraries are not at the paths of
/// the build.
struct Plugins {
  void* core = nullptr;        ///< writes SVG
  void* dot_layout = nullptr;  ///< places nodes in ranks
};

/// @throws std::runtime_error if a library exists and cannot be loaded
Plugins find_plugins();

}  // namespace mlf::drawing

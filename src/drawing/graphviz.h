// Graphviz, loaded when the first picture is drawn: most runs of a program draw none, and should
// not wait for its libraries.
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

/// @throws std::runtime_error where a library of Graphviz is not there or cannot be loaded
const Graphviz& graphviz();

/// Tables that Graphviz's plugin libraries export; null where the libraries are not where they were
/// when mlf was built.
struct Plugins {
  void* core = nullptr;        ///< writes SVG
  void* dot_layout = nullptr;  ///< places nodes in ranks
};

/// @throws std::runtime_error where a library is there and cannot be loaded
Plugins find_plugins();

}  // namespace mlf::drawing

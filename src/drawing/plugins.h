// The two plugins of Graphviz that drawing needs.
#pragma once

namespace mlf::drawing {

/// Tables that Graphviz's plugin libraries export; null where the libraries are not where they were
/// when mlf was built.
struct Plugins {
  void* core = nullptr;        ///< writes SVG
  void* dot_layout = nullptr;  ///< places nodes in ranks
};

/// @throws std::runtime_error where a library is there and cannot be loaded
Plugins find_plugins();

}  // namespace mlf::drawing

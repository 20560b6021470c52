// Stands in for picture.cpp in a build without Graphviz.
#include "picture.h"

namespace mlf::program {

Result<void> write_picture(const graph::Topology&, const tir::Sink&) {
  return tl::make_unexpected(Diagnostics{
      Diagnostic{ErrorKind::usage,
                 "this mlf was built without Graphviz: give --format dot to its dot -Tsvg",
                 {}}});
}

}  // namespace mlf::program

// The header of the C interface, codegen/host/include/tvmgen_<m>.h: it alone names the inputs and
// outputs of TVM v0.8, and it has them in the order of main's parameters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mlf::deployment {

/// Fields of two of the header's structs, in their order; empty where the header has no such
/// struct.
struct HeaderFields {
  std::vector<std::string> inputs;   ///< of `struct tvmgen_<m>_inputs`
  std::vector<std::string> outputs;  ///< of `struct tvmgen_<m>_outputs`
};

/// Reads a header line by line, as TVM writes it; everything else in it is passed over.
HeaderFields read_header(std::string_view text);

}  // namespace mlf::deployment

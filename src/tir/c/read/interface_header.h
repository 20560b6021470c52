// The header of the C interface, codegen/host/include/tvmgen_<m>.h. Only this file names inputs and
// outputs in TVM v0.8, in the order of main's parameters, and memory pools of the application.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tir/c/c.h"

namespace mlf::tir::c {

/// An input or output whose size the header states (TVM v0.11+).
struct HeaderTensor {
  std::string name;     ///< of its field
  std::uint64_t bytes;  ///< of `TVMGEN_<M>_<NAME>_SIZE`
};

/// A struct whose fields are pointers.
struct HeaderStruct {
  std::string name;  ///< "tvmgen_<m>_inputs"
  std::vector<std::string> fields;
};

/// Fields of the header's structs, in their order; empty if the header has no such struct.
struct HeaderFields {
  std::vector<HeaderStruct> structs;  ///< all that begin with `tvmgen_`
  std::vector<std::string> inputs;    ///< of `struct tvmgen_<m>_inputs`
  std::vector<std::string> outputs;   ///< of `struct tvmgen_<m>_outputs`
  /// Of `struct tvmgen_<m>_workspace_pools`, if `TVMGEN_<M>_<NAME>_WORKSPACE_POOL_SIZE` or
  /// `…_CONSTANT_POOL_SIZE` states their size.
  std::vector<CPool> pools;
  /// Sizes of inputs and outputs whose macro names are unambiguous.
  std::vector<HeaderTensor> sizes;
  std::string run{};  ///< the function that is declared: `tvmgen_<m>_run`
  /// Value of `TVMGEN_<M>_WORKSPACE_SIZE`: the workspace of the module as TVM counted it.
  std::optional<std::uint64_t> workspace_bytes;
};

/// Reads what TVM writes into such a header, and ignores everything else.
HeaderFields read_header(std::string_view text);

}  // namespace mlf::tir::c

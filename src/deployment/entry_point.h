// The entry point of a module: the function that a program calls, and its interface for tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/archive.h"
#include "mlf/inspection.h"
#include "mlf/model_library.h"
#include "mlf/tir/document.h"

namespace mlf::deployment {

/// Finds `tvmgen_<module>_run` of the AOT executor in a header of the module, else in its C.
/// Members of structs are in the order of the inputs and outputs of `network`, or in that of the
/// header if it is null or has other names. Throws `Error`.
std::optional<EntryPoint> entry_point_of(const archive::Archive& archive, const Module& module,
                                         const graph::Topology* network);

/// The same, or main, if no C of the module has that function: TVM's development versions of 2021
/// only declared it, and others have none. Throws `Error`.
std::optional<EntryPoint> called_function(const archive::Archive& archive, const Module& module,
                                          const graph::Topology* network);

/// The parameters of a packed function are an array of TVMValue, in TVM v0.8 `void*`, and their
/// type codes.
CInterface interface_of(std::string_view prototype);

/// Bytes of the arrays of TVMValue on the stack in which an entry point with packed arguments
/// passes them on to main; 0 for another one. Nothing: it is not found, or the preprocessor
/// decides. Throws `Error`.
std::optional<std::uint64_t> passed_arguments(const archive::Archive& archive, const Module& module,
                                              const tir::MacroValues& macros);

/// What the text of an entry point says about its call of main, and what else it may do.
struct CallOfMain {
  /// The words of each argument, in their order; none where the preprocessor may choose. Of a
  /// packed main, those of each value: `args[0]`, or `& pool` for a tensor whose data that is.
  std::vector<std::vector<std::string_view>> arguments{};
  bool is_packed = false;
  bool is_reached = true;         ///< false: the entry point returns before it does anything
  bool is_single = true;          ///< false: it has several calls, or one in a loop
  std::string_view other_call{};  ///< a function or macro that may take memory; empty: none
  bool multiplies = false;        ///< and has loops
  bool has_arrays = false;        ///< on the stack, without those of `passed_arguments`
  bool has_texts = false;         ///< string literals that are no arguments
};

/// The first call of main in `tvmgen_<module>_run`, also if it is certainly not reached; nothing if
/// the archive has no C with one. Throws `Error`.
std::optional<CallOfMain> call_of_main(const archive::Archive& archive, const Module& module,
                                       const tir::MacroValues& macros = {});

/// The declaration or definition of a function up to its parameters, in one line; empty if the text
/// has none.
std::string prototype_in(std::string_view text, const std::string& symbol);

/// A memory pool that the application must provide.
struct GivenPool {
  std::string name{};  ///< of its field
  std::uint64_t bytes = 0;
  std::string data{};  ///< macro with its content; empty: it is a workspace
};

/// The pools for which the header has a struct, and those of the network without a size in it.
std::vector<GivenPool> given_pools(std::string_view header, const graph::Topology& network,
                                   const std::string& module);

}  // namespace mlf::deployment

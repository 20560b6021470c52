// The bytes that a function reads and writes in the memory of its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/cost/byte_set.h"
#include "graph/kernels/kernel_code.h"

namespace mlf::analysis {

/// The accesses to the memory of one argument of a call, in bytes from its pointer.
struct TouchedBytes {
  std::size_t argument = 0;
  /// For a let of an address inside of the argument: the let's variable, and the address.
  std::string let{};
  std::int64_t let_offset = 0;
  ByteSet reach{};          ///< all bytes that may be touched; not valid if `unknown` is not empty
  ByteSet read{};           ///< bytes that may be read before this function has written them
  ByteSet written{};        ///< bytes that are certainly written
  bool is_written = false;  ///< perhaps
  /// Why the touched bytes are unknown, one sentence each, without a subject.
  std::vector<std::string> unknown{};
};

struct Accesses {
  std::vector<TouchedBytes> arguments{};  ///< each argument that is touched, including through lets
  std::vector<TouchedBytes> lets{};       ///< addresses inside of arguments, by let
  /// Accesses through pointers whose target is not known, one sentence each.
  std::vector<std::string> unknown{};
};

/// Computes the accesses of a function. Its arguments are its parameters or, after MakePackedAPI,
/// the values of its packed arguments.
Accesses accesses_of(const graph::KernelCode& code);

}  // namespace mlf::analysis

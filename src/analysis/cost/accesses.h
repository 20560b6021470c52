// The bytes that a function reads and writes of the memory that it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/cost/byte_set.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

/// What happens to memory behind one argument of a call, in bytes from where the argument points.
struct TouchedBytes {
  std::size_t argument = 0;
  /// Of an address inside of the argument that a let has: the let's variable, and the address.
  std::string let{};
  std::int64_t let_offset = 0;
  ByteSet reach{};          ///< all that may be touched; means nothing where there is any `unknown`
  ByteSet read{};           ///< what may be read before this function has written it
  ByteSet written{};        ///< what is certainly written
  bool is_written = false;  ///< perhaps
  /// Why it is not known what is touched, one sentence each, without a subject.
  std::vector<std::string> unknown{};
};

struct Accesses {
  std::vector<TouchedBytes> arguments{};  ///< each that is touched, with all that lets touch of it
  std::vector<TouchedBytes> lets{};       ///< addresses inside of arguments, by let
  /// Accesses through pointers whose target is not known, one sentence each.
  std::vector<std::string> unknown{};
};

/// Of a PrimFunc: plain parameters are its arguments, or, where MakePackedAPI ran, what it takes
/// out of its packed arguments.
Accesses accesses_of(tir::Node function);

}  // namespace mlf::analysis

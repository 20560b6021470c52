// Compares two modules field by field.
//
//     for (const mlf::tir::Difference& one : mlf::tir::differences(module, other)) {
//       print(to_string(one));
//     }
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlf/export.h"
#include "mlf/tir/module.h"

namespace mlf::tir {

/// What a difference is about.
enum class DifferenceIn : std::uint8_t {
  node,       ///< a node or a field of it, wherever it is
  name,       ///< the name of a variable or a buffer, which no code depends on
  attribute,  ///< an attribute of a function, or something below it
  function,   ///< a function that one side does not have
};

/// A place in which two modules differ.
struct Difference {
  std::string path;   ///< `functions["f"].body.seq[3].value.a`; the middle of a long one is "…"
  std::string left;   ///< the value there, briefly
  std::string right;  ///< its counterpart, briefly
  DifferenceIn in = DifferenceIn::node;
  std::string function{};  ///< the name of the function that contains it, or empty
  /// Source ranges of the innermost node around the place that has one.
  std::optional<SourceRange> left_range;
  std::optional<SourceRange> right_range;
};

/// Returns the differences of two modules, in the order of `left`; empty if they are equal.
///
/// Matches functions by name and everything else by position. Var, Buffer, constants and objects
/// must correspond one to one. Every field counts, and so do order, sharing of identities and
/// spans. Compares shared nodes once per pair: time and memory grow with the number of nodes, not
/// of paths. Does not compare below two nodes of different kinds.
MLF_API std::vector<Difference> differences(const Module& left, const Module& right);

/// Returns one line for people: the path and both sides.
MLF_API std::string to_string(const Difference& difference);

}  // namespace mlf::tir

// Which calls of two builds are the same one: what mlf diff compares with what.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/report.h"

namespace mlf::report {

/// By kernel of two modules. Equal where kernels are the same as read, or as C.
using ProgramsOfBoth = std::array<std::vector<std::uint64_t>, 2>;

ProgramsOfBoth programs_of(const ModuleReport& a, const ModuleReport& b);

/// The names of the kernels of `module`. A number counts only if the other module has as many
/// kernels of that name: else they may be numbered anew, and have names that occur nowhere else.
std::vector<std::string> names_kept(const ModuleReport& module, const ModuleReport& other,
                                    std::string_view build);

/// One side of the comparison.
struct Side {
  const ModuleReport& module;
  std::vector<std::uint64_t> programs;  ///< by kernel
  std::vector<std::string> kept_names;  ///< by kernel

  /// Whether main may make unknown calls.
  bool may_hide_calls() const { return !module.network->gaps.empty(); }
};

std::string type_text(const graph::TensorType& type);

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// For each call on the left, its partner on the right, or kNone. Pairs the closest likeness first,
/// and equal calls in order.
std::vector<std::size_t> pair_calls(const Side& left, const Side& right);

}  // namespace mlf::report

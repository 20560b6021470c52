// Types and constants as C spells them, what happens where there is no spelling, and which forms of
// generated C the version at hand prints.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mlf/tir/module.h"
#include "tir/node_queries.h"
#include "tir/tvm_features.h"

namespace mlf::tir::c {

/// Throws support::Error: "… cannot be printed as C".
[[noreturn]] void cannot_print(std::string_view what);

/// `int32_t`, `float`, `void*`. Throws for a type that the generator has no word for.
std::string type_text(DType dtype);
/// The type of a Var: of a pointer what it points to, with a star.
std::string type_text(Node var);
/// The elements behind a pointer whose type says so; void for others.
DType pointee_of(Node var);

/// The 64-bit type in which packed functions take a value.
DType api_type(DType dtype);

/// An integer: bare for int32, with its type before it otherwise.
std::string integer_text(DType dtype, std::int64_t value);
/// A float with seven digits, as `%e`.
std::string float_text(DType dtype, double value);

/// The full name of the operator that a Call calls; empty for a call of something else.
std::string_view operator_of(Node call);

class Forms {
 public:
  /// Where the range leaves a choice, its last version that prints a `?:` as the reader reads it:
  /// what else can be told apart, was.
  explicit Forms(const VersionRange& version);

  /// Whether C has a feature, one of the rows `c_…` of tvm_versions.def.
  bool has(TvmFeature feature) const;

 private:
  std::uint8_t minor_;
  bool is_between_11_and_12_;
  bool is_between_15_and_16_;
};

}  // namespace mlf::tir::c

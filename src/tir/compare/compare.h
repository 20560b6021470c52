// Compares two modules and decides which differences the losses of a dialect explain. Threads:
// functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/compare.h"
#include "mlf/tir/document.h"
#include "mlf/tir/module.h"

namespace mlf::tir {

/// How two values may differ under a row of the tolerance table. "Left" is the compiler's module,
/// "right" the one that was read from the dialect. tolerances.def defines what each rule allows.
enum class ToleranceRule : std::uint8_t {
#define MLF_RULE(name, hides_below) name,
#include "tir/compare/tolerances.def"
};

/// The property of a node that a row is about, if it is not a field.
enum class Aspect : std::uint8_t {
  field,     ///< the field that the row names
  kind,      ///< that the right node is of another kind
  identity,  ///< that one node on one side corresponds to several on the other
  span,      ///< TVM's span of the node
};

/// One row of tolerances.def.
struct ToleranceRow {
  Dialect dialect;
  LossCode loss;
  std::optional<Kind> kind;  ///< the kind on the left; nothing: any kind
  Aspect aspect;
  std::uint8_t field;  ///< meaningful for Aspect::field only
  ToleranceRule rule;
};

/// All rows, in the order of tolerances.def.
std::span<const ToleranceRow> all_tolerances();
std::string_view to_string(ToleranceRule rule);
/// `Kind.field`, `Kind (aspect)` or `any (aspect)`, and the name of the rule.
std::string to_string(const ToleranceRow& row);
/// Whether the comparison skips the nodes below a field that this rule tolerates.
bool hides_below(ToleranceRule rule);

/// The expected differences: none, or those that a dialect does not express.
class Tolerance {
 public:
  /// Every field of every node counts, as do order, shared identities and spans.
  static Tolerance none() { return {}; }
  /// The rows of `dialect`, to compare a module printed in it with the same module in save_json.
  /// Includes the rows of save_json.
  static Tolerance of(Dialect dialect);
  /// The order of entries in maps and of the constants of a module, which differs from run to run
  /// of TVM.
  static Tolerance of_order();

  /// Positions in all_tolerances of the rows that apply.
  std::span<const std::uint16_t> rows() const { return rows_; }
  bool has_constants_in_any_order() const { return constants_in_any_order_; }

 private:
  std::vector<std::uint16_t> rows_;
  bool constants_in_any_order_ = false;
};

/// A difference that the dialect explains.
struct Tolerated {
  LossCode loss;
  std::string path;
  std::uint16_t row;  ///< position in all_tolerances
};

struct Comparison {
  std::vector<Difference> differences;  ///< in the order of the left module
  std::vector<Tolerated> tolerated;
  std::size_t nodes = 0;      ///< pairs of nodes compared
  std::size_t functions = 0;  ///< pairs of functions compared

  bool equal() const { return differences.empty(); }
};

/// Compares `left`, the compiler's module, with `right`, the module that was read from a dialect.
/// Functions are matched by name, the rest by position; Var, Buffer, constants and objects must
/// correspond one to one. Shared nodes are compared once per pair: time and memory grow with the
/// number of nodes, not of paths. If two nodes differ in kind, nothing below them is compared.
Comparison compare(const Module& left, const Module& right,
                   const Tolerance& tolerance = Tolerance::none());

}  // namespace mlf::tir

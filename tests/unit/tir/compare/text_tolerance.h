// What a text loses of a module that save_json has: which differences of the two its losses
// explain.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/document.h"
#include "tir/compare/compare.h"

namespace mlf::tir {

/// How two values may differ under a row of the tolerance table. "Left" is the compiler's module,
/// "right" the module that was read from the text. tolerances.def defines what each rule allows.
enum class ToleranceRule : std::uint8_t {
#define MLF_RULE(name, hides_below) name,
#include "tolerances.def"
};

/// One row of tolerances.def.
struct ToleranceRow {
  Dialect dialect;
  LossCode loss;
  std::optional<Kind> kind;  ///< the kind on the left; nothing: any kind
  Aspect aspect;             ///< of a map, a field means its order and its entries
  std::uint8_t field;        ///< meaningful for Aspect::field only
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
class TextTolerance {
 public:
  static TextTolerance none() { return {}; }
  /// The rows of `dialect`, to compare a module printed in it with the same module in save_json.
  /// Includes the rows of save_json.
  static TextTolerance of(Dialect dialect);

  /// Positions in all_tolerances of the rows that apply.
  std::span<const std::uint16_t> rows() const { return rows_; }

 private:
  std::vector<std::uint16_t> rows_;
};

/// A difference that the dialect explains.
struct Tolerated {
  LossCode loss;
  std::string path;
  std::uint16_t row;  ///< position in all_tolerances
};

struct TextComparison : Comparison {
  std::vector<Tolerated> tolerated;
};

/// Compares `left`, the compiler's module, with `right`, the module that was read from a dialect.
TextComparison compare(const Module& left, const Module& right, const TextTolerance& tolerance);

}  // namespace mlf::tir

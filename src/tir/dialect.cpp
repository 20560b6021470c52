#include <algorithm>
#include <array>

#include "mlf/tir/document.h"

namespace mlf::tir {
namespace {

struct DialectName {
  Dialect dialect;
  std::string_view name;
};

constexpr std::array kDialects = {
    DialectName{Dialect::save_json, "save_json"},
    DialectName{Dialect::tvmscript, "tvmscript"},
    DialectName{Dialect::legacy_text, "legacy_text"},
    DialectName{Dialect::tir_json, "tir_json"},
    DialectName{Dialect::old_tvmscript, "old_tvmscript"},
    DialectName{Dialect::repr_text, "repr_text"},
    DialectName{Dialect::c, "c"},
};

}  // namespace

std::string_view to_string(Dialect dialect) {
  return std::ranges::find(kDialects, dialect, &DialectName::dialect)->name;
}

std::optional<Dialect> dialect_named(std::string_view name) {
  const auto* const found = std::ranges::find(kDialects, name, &DialectName::name);
  if (found == kDialects.end()) return std::nullopt;
  return found->dialect;
}

}  // namespace mlf::tir

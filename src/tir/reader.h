// What every dialect's reader takes and gives. Readers throw support::Error; tir::read makes a
// Result of that.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/tir/document.h"
#include "support/source_text.h"

namespace mlf::tir {

/// What the losses of a whole dialect are losses of (dialect_losses.def).
enum class LossSite : std::uint8_t {
  module,
  function,
  buffers,  ///< of a function that has some
};

/// Collects losses: the same code at the same place is one entry with a count.
class LossLog {
 public:
  /// `detail` is what was lost; equal (code, where, detail) are counted, not repeated.
  void add(LossCode code, std::string_view where, std::string_view detail, std::size_t times = 1);
  /// Adds what every text of the dialect loses, whatever is in it. `where` is the function, or
  /// empty for the module.
  void add_all(Dialect dialect, LossSite site, std::string_view where);
  /// Takes back every loss of this code and detail, wherever it was: what was lost turned up.
  void withdraw(LossCode code, std::string_view detail);
  std::vector<Loss> finish() const;

 private:
  struct Key {
    LossCode code;
    std::string where;
    std::string detail;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::size_t> counts_;
};

struct Reading {
  Module module;
  VersionRange version;
  std::vector<Loss> losses;
  std::vector<Recovered> recovered{};
};

/// Readers get their text without it; columns are counted as editors count them.
std::string_view without_byte_order_mark(std::string_view text);

Reading read_save_json(const support::SourceText& source, const ReadLimits& limits);
Reading read_tvmscript(const support::SourceText& source, const ReadLimits& limits,
                       const ConstantFinder& constants);
Reading read_old_tvmscript(const support::SourceText& source, const ReadLimits& limits,
                           const ConstantFinder& constants);
Reading read_legacy_text(const support::SourceText& source, const ReadLimits& limits,
                         const ConstantFinder& constants);

Reading read_repr_text(const support::SourceText& source, const ReadLimits& limits,
                       const ConstantFinder& constants);

/// tir-N.json names its own source, losses and target.
Document read_tir_json(const support::SourceText& source, const ReadLimits& limits);

}  // namespace mlf::tir

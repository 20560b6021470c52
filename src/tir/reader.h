// What every dialect's reader takes and gives. Readers throw support::Error; tir::read makes a
// Result of that.
#pragma once

#include <future>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "mlf/tir/document.h"
#include "support/sha256.h"
#include "support/source_text.h"
#include "tir/places.h"

namespace mlf::tir {

/// Collects losses: the same code at the same place is one entry with a count.
class LossLog {
 public:
  /// `where` is the function, or empty for the module's own fields; `name` is that of the
  /// code's subject, if there is one. Equal (code, where, name) are counted, not repeated.
  void add(LossCode code, std::string_view where, std::string_view name = {},
           std::size_t times = 1);
  /// A loss that may be in any function.
  void add_everywhere(LossCode code, std::string_view name = {});
  /// Adds what every text of the dialect loses, whatever is in it (dialect_losses.def).
  void add_all(Dialect dialect);
  /// Takes back every loss of this code and name, wherever it was: what was lost turned up.
  void withdraw(LossCode code, std::string_view name);
  std::vector<Loss> finish() const;

 private:
  struct Key {
    LossCode code;
    LossScope scope;
    std::string where;
    std::string name;
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

/// The names of the entries of one map. Readers refuse a map that has one twice: TVM writes none,
/// and as JSON it could not be read again.
class EntryNames {
 public:
  /// False if the map has an entry of that name.
  bool add(StringId name) { return names_.insert(name).second; }

 private:
  std::unordered_set<StringId> names_;
};
/// What readers say of such a map.
std::string message_of_repeated(std::string_view name);

/// Readers get their text without it; columns are counted as editors count them.
std::string_view without_byte_order_mark(std::string_view text);

/// Where a text of this dialect begins behind lines that do not belong to it; 0 if its reader
/// knows what may come first.
std::size_t begin_of_text(std::string_view text, Dialect dialect);

/// Why a text of another TVM is refused, `named` such as "TVMScript of TVM 0.24 or later": it says
/// which versions mlf reads.
std::string refusal_of_other_tvm(std::string_view named);

Reading read_save_json(const support::SourceText& source, const ReadLimits& limits);
// `places` is null if they are not needed.
Reading read_tvmscript(const support::SourceText& source, const ReadLimits& limits,
                       const ConstantFinder& constants, Places* places);
Reading read_old_tvmscript(const support::SourceText& source, const ReadLimits& limits,
                           const ConstantFinder& constants);
Reading read_legacy_text(const support::SourceText& source, const ReadLimits& limits,
                         const ConstantFinder& constants, Places* places);

/// tir-N.json names its own source, losses and target.
Document read_tir_json(const support::SourceText& source, const ReadLimits& limits);

/// Counted while the source is read, where that takes long enough to be worth a thread. `input`
/// must outlive it.
class SourceDigest {
 public:
  explicit SourceDigest(const Input& input)
      : hex_(std::async(support::launch_policy(input.text.size()), [&input] {
          return input.sha256 ? input.sha256() : support::sha256_hex(input.text);
        })) {}

  /// Lower-case hexadecimal digits; once.
  std::string hex() { return hex_.get(); }

 private:
  std::future<std::string> hex_;
};

}  // namespace mlf::tir

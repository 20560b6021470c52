// Constants that an archive holds beside the TIR that lacks them: in its generated C and among its
// parameters.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/tir/document.h"

namespace mlf::deployment {

/// Gives every text that may lack constants the members that can have them. Throws `Error`.
void add_constant_sources(const archive::Archive& archive, const ModelLibrary& library,
                          std::vector<TirSource>& sources);

/// Whether `data` begins with what the text shows of a constant, as far as its digits go.
bool begins_with(std::span<const std::byte> data, const tir::ConstantQuery& query);

/// The constants of one archive. The members are parsed when one is first asked for, and their
/// constants kept for all texts of the archive: generated C of large networks takes longer to parse
/// than the texts that lack its arrays. The bytes of the members must outlive it.
///
/// Thread-safe: `find` may be called from several threads, the first call parses.
class ConstantLibrary {
 public:
  explicit ConstantLibrary(ConstantSources sources) : sources_(std::move(sources)) {}

  /// The constant of the query's place, with the type, number of elements and first elements that
  /// it states; one of its function if anything there fits. Nothing where two with other data fit
  /// alike. Where only generated C has it, its shape is flat. Its bytes live as long as this does.
  /// `limits` are those of parsing, where this is the first call.
  std::optional<tir::FoundConstant> find(const tir::ConstantQuery& query,
                                         const tir::ReadLimits& limits = {});

 private:
  using FunctionNames = std::set<std::string, std::less<>>;

  /// A constant that can be the wanted one.
  struct Candidate {
    tir::ConstantSite site;
    const FunctionNames*
        module;            ///< whose functions it belongs to; null for a parameter of the archive
    std::string function;  ///< empty: of the archive
    std::string name;
    std::optional<std::int64_t> pool_offset;
    tir::FoundConstant constant;
  };

  void load(const tir::ReadLimits& limits);
  void add_module(const tir::Document& document);
  void add_params(const tir::Input& file);
  static bool has_place(const Candidate& candidate, const tir::ConstantQuery& query);
  static bool fits(const Candidate& candidate, const tir::ConstantQuery& query);
  std::vector<tir::FoundConstant> all(const tir::ConstantQuery& query) const;

  const ConstantSources sources_;
  std::once_flag loaded_;
  std::vector<tir::Document> documents_;
  std::deque<FunctionNames> functions_;  // of each document
  std::vector<Candidate> candidates_;
};

}  // namespace mlf::deployment

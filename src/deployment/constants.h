// Constants that an archive holds beside the TIR that lacks them: in its generated C and among its
// parameters.
#pragma once

#include <deque>
#include <functional>
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

/// Reads the members when it is first asked.
class ConstantLibrary {
 public:
  ConstantLibrary(const ConstantSources& sources, const tir::ReadLimits& limits)
      : sources_(sources), limits_(limits) {}

  /// The constant of the query's place, with the type, number of elements and first elements that
  /// it states; one of its function if anything there fits. Nothing where two with other data fit
  /// alike. Where only generated C has it, its shape is flat.
  std::optional<tir::FoundConstant> find(const tir::ConstantQuery& query);

 private:
  using FunctionNames = std::set<std::string, std::less<>>;

  /// A constant that can be the wanted one.
  struct Candidate {
    tir::ConstantSite site;
    const FunctionNames* module;  ///< where it stands; null for a parameter of the archive
    std::string function;         ///< empty: of the archive
    std::string name;
    std::optional<std::int64_t> pool_offset;
    tir::FoundConstant constant;
  };

  void load();
  void add_module(const tir::Document& document);
  void add_params(const tir::Input& file);
  static bool has_place(const Candidate& candidate, const tir::ConstantQuery& query);
  static bool fits(const Candidate& candidate, const tir::ConstantQuery& query);
  std::vector<tir::FoundConstant> all(const tir::ConstantQuery& query) const;

  const ConstantSources& sources_;
  const tir::ReadLimits& limits_;
  bool is_loaded_ = false;
  std::vector<tir::Document> documents_;
  std::deque<FunctionNames> functions_;  // of each document
  std::vector<Candidate> candidates_;
};

}  // namespace mlf::deployment

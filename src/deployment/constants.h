// Constants that an archive holds beside the TIR that lacks them: in captured save_json, in its
// generated C and among its parameters.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "mlf/tir/document.h"

namespace mlf::deployment {

/// Whether `data` begins with what the text shows of a constant, as far as its digits go.
bool begins_with(std::span<const std::byte> data, const tir::ConstantQuery& query);

/// The constants of one archive, kept for all its texts: generated C of large networks takes longer
/// to parse than the texts that lack its arrays. Filled first, then asked by any number of threads.
class ConstantLibrary {
 public:
  /// Those of a module that was read from save_json or generated C.
  void add_module(std::shared_ptr<const tir::Document> document);
  /// Those of a file parameters/<module>.params, whose bytes must outlive the library. One that
  /// does not read has none: it is not what was asked for.
  void add_params(const tir::Input& file);

  /// The constant of the query's place, with the type, number of elements and first elements that
  /// it states; one of its function if anything there fits. Nothing where two with other data fit
  /// alike. Where only generated C has it, its shape is flat.
  std::optional<tir::FoundConstant> find(const tir::ConstantQuery& query) const;

 private:
  using FunctionNames = std::set<std::string, std::less<>>;

  /// A constant that can be the wanted one.
  struct Candidate {
    tir::ConstantSite site;
    const FunctionNames* module;  ///< whose it is; null for a parameter of the archive
    std::string function;         ///< empty: of the archive
    std::string name;
    std::optional<std::int64_t> pool_offset;
    tir::FoundConstant constant;
  };

  static bool has_place(const Candidate& candidate, const tir::ConstantQuery& query);
  static bool fits(const Candidate& candidate, const tir::ConstantQuery& query);
  std::vector<tir::FoundConstant> all(const tir::ConstantQuery& query) const;

  std::vector<std::shared_ptr<const tir::Document>> documents_;  // own the data
  std::deque<FunctionNames> functions_;                          // of each document
  std::vector<Candidate> candidates_;
};

}  // namespace mlf::deployment

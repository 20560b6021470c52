// Constants of an archive for TIR that lacks their data: from captured save_json, generated C and
// parameters.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mlf/tir/document.h"

namespace mlf::deployment {

/// Returns whether `data` begins with the elements that the text shows, within its number of
/// digits.
bool begins_with(std::span<const std::byte> data, const tir::ConstantQuery& query);

/// The constants of one archive, kept for all its texts: generated C of large networks takes longer
/// to parse than the texts that lack its arrays. Fill it first; then any number of threads may
/// search it.
class ConstantLibrary {
 public:
  /// Adds the constants of a module that was read from save_json, or from these files of C.
  void add_module(std::shared_ptr<const tir::Document> document,
                  std::span<const tir::Input> files = {});
  /// Adds the constants of a file parameters/<module>.params, whose bytes must outlive the library.
  /// Ignores a file that cannot be read, as the caller did not ask for it.
  void add_params(const tir::Input& file);

  /// Returns the constant that matches the query's place, type, number of elements and first
  /// elements; prefers constants of the query's function. Returns nullopt if two constants with
  /// different data match equally. A constant that only generated C has gets a flat shape.
  std::optional<tir::FoundConstant> find(const tir::ConstantQuery& query) const;

 private:
  using FunctionNames = std::set<std::string, std::less<>>;

  /// A candidate for a query.
  struct Candidate {
    tir::ConstantSite site;
    const FunctionNames* module;  ///< that contains it; null for a parameter of the archive
    std::string function;         ///< that contains it; empty for a parameter of the archive
    std::string name;
    std::optional<std::int64_t> pool_offset;
    tir::FoundConstant constant;
  };

  static bool has_place(const Candidate& candidate, const tir::ConstantQuery& query);
  static bool fits(const Candidate& candidate, const tir::ConstantQuery& query);
  void add(Candidate candidate);
  std::vector<tir::FoundConstant> all(const tir::ConstantQuery& query) const;

  std::vector<std::shared_ptr<const tir::Document>> documents_;  // own the data
  std::deque<FunctionNames> functions_;                          // of each document
  std::vector<Candidate> candidates_;
  // Indices of candidates, by name as a text may print it, and by function and name.
  std::map<std::string, std::vector<std::size_t>> by_name_;
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> by_function_;
};

}  // namespace mlf::deployment

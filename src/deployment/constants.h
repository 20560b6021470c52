// Constants that an archive holds beside the TIR that lacks them: in its generated C and among its
// parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/tir/document.h"
#include "mlf/tir/visit.h"

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

  /// The constant of the query's name, type, number of elements and first elements, in its function
  /// if anything there fits. Nothing where two with other data fit alike.
  std::optional<tir::FoundConstant> find(const tir::ConstantQuery& query);

 private:
  /// A constant that can be the wanted one.
  struct Candidate {
    std::string function;  ///< empty: of the archive
    std::string name;
    tir::DType dtype;
    std::span<const std::byte> data;
    std::string source;
  };

  void load();
  void add_module(const tir::Module& module, const std::string& source);
  void add_function(std::string_view name, tir::Node function, const std::string& source,
                    tir::NodeSet& seen);
  void add(std::string_view function, std::string_view name, tir::Node array,
           const std::string& source);
  void add_params(const tir::Input& file);
  static bool fits(const Candidate& candidate, const tir::ConstantQuery& query);

  const ConstantSources& sources_;
  const tir::ReadLimits& limits_;
  bool is_loaded_ = false;
  std::vector<tir::Document> documents_;
  std::vector<Candidate> candidates_;
};

}  // namespace mlf::deployment

// Compares generated C with the TIR that was captured while it was generated. C is what runs: where
// the two are not proven to be equal, networks and costs come from the C.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "deployment/tir_name.h"
#include "mlf/deployment.h"
#include "mlf/tir/compare.h"
#include "mlf/tir/document.h"

namespace mlf::deployment {

/// Symbols of functions.
using Symbols = std::set<std::string, std::less<>>;

/// One capture of the stage "lowered", and the C of its module and target.
struct ComparedWithC {
  const TirSource* captured = nullptr;
  const TirSource* c = nullptr;
  std::size_t module = 0;  ///< index into ModelLibrary::modules
  /// Why the capture is not compared: it is not of the program in the C, but of another stage or
  /// another build, or it is too large.
  std::string other_stage{};
  std::string other_build{};
  std::vector<tir::Difference> differences{};  ///< of functions whose C was read completely
  /// Places of the functions that differ, by their names in C.
  std::map<std::string, tir::CodePlace, std::less<>> c_places{};
  std::map<std::string, std::string> unread{};  ///< why others were not compared, by name

  bool is_comparable() const { return other_stage.empty() && other_build.empty(); }
};

/// A function that the C decides.
struct DecidedByC {
  std::size_t module = 0;
  std::string function;  ///< its name; empty: all functions of the module
  std::string why;
};

/// The results for all modules that have both.
struct Agreement {
  std::vector<ComparedWithC> comparisons{};
  /// Numbers of functions of C, and the symbols of all others.
  std::size_t agreeing = 0;
  std::size_t differing = 0;
  std::vector<std::string> not_compared{};
  std::vector<DecidedByC> decided{};
  /// The C that decides, with stems that no other source has.
  std::vector<TirSource> c{};
  /// By the stem of a source: the symbols of its functions that another source decides.
  std::map<std::string, Symbols, std::less<>> not_from{};
  /// By module: why its C cannot be read.
  std::map<std::size_t, std::string> unreadable{};
  /// The networks of captures alone, of modules whose main differs in C.
  Networks captured{};
};

/// `stems` has those of all sources of the deployment. Throws `Error`.
Agreement agreement_of(const Deployment& deployment, const Stems& stems);

/// Returns a sentence about one of `differences`.
std::string sentence_of(const ComparedWithC& compared, const tir::Difference& difference);

/// Whether each of `differences` is a fault. It is none if main has statements that are not
/// understood, or if both mains make the same calls with the same memory.
std::vector<bool> are_proofs(const Agreement& agreement, const ComparedWithC& compared,
                             const graph::Topology* network);

/// Returns a sentence about the contradiction between the generated C and one capture. Empty if
/// there is none, or if there is no C of the capture's module and target.
std::optional<std::string> contradiction_with_c(const Deployment& deployment,
                                                const TirSource& captured);

}  // namespace mlf::deployment

// The TIR of one archive, each read once.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "mlf/deployment.h"
#include "mlf/tir/document.h"

namespace mlf::process {

class Documents {
 public:
  Documents(const ModelLibrary& library, const tir::ReadLimits& limits)
      : library_(library), limits_(limits) {}

  /// Reads it when asked for the first time. Throws `Error`.
  const tir::Document& of(const TirSource& source);

 private:
  using Key = std::pair<std::string, std::string>;  // path and member

  const ModelLibrary& library_;
  const tir::ReadLimits& limits_;
  std::map<Key, tir::Document> documents_;
};

}  // namespace mlf::process

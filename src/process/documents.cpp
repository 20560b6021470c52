#include "process/documents.h"

#include "support/error.h"

namespace mlf::process {

const tir::Document& Documents::of(const TirSource& source) {
  const Key key{source.path, source.name};
  const auto found = documents_.find(key);
  if (found != documents_.end()) return found->second;
  return documents_.emplace(key, support::get_or_throw(read_tir(source, library_, limits_)))
      .first->second;
}

}  // namespace mlf::process

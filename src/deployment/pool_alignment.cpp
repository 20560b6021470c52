#include "deployment/pool_alignment.h"

#include <algorithm>
#include <map>

#include "support/error.h"
#include "support/lookup.h"
#include "tir/c/c.h"

namespace mlf {

std::vector<plan::PoolAlignment> pool_alignments(const Deployment& deployment, std::size_t module,
                                                 const graph::Topology& network) {
  std::vector<plan::PoolAlignment> alignments;
  if (network.pools.empty()) return alignments;
  const auto sources = support::get_or_throw(deployment.generated_c(module));
  if (sources.empty() || !sources.front().c) return alignments;
  std::map<std::string, std::uint64_t> stated;
  for (const tir::Input& file : sources.front().c->files) {
    for (const tir::CArray& array : tir::describe_c(file.text, deployment.macros()).arrays) {
      if (!array.alignment) continue;
      const auto [known, is_new] = stated.try_emplace(array.name, *array.alignment);
      known->second = std::min(known->second, *array.alignment);
    }
  }
  for (const graph::Pool& pool : network.pools) {
    const auto found = support::value_at(stated, pool.name);
    if (found) alignments.push_back({pool.name, *found});
  }
  return alignments;
}

}  // namespace mlf

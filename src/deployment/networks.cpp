#include "mlf/networks.h"

#include <map>

#include "deployment/tir_name.h"
#include "support/error.h"

namespace mlf {

std::vector<std::vector<TirSource>> by_stage(std::span<const TirSource> sources) {
  std::map<std::string_view, std::vector<TirSource>> stages;
  for (const TirSource& source : sources) stages[source.stage].push_back(source);
  std::vector<std::vector<TirSource>> ordered;
  if (auto preferred = stages.extract(deployment::kDefaultStage)) {
    ordered.push_back(std::move(preferred.mapped()));
  }
  for (auto& [stage, its_sources] : stages) ordered.push_back(std::move(its_sources));
  return ordered;
}

Result<Networks> find_networks(const archive::Archive& archive, const ModelLibrary& library,
                               std::span<const TirSource> sources, const tir::ReadLimits& limits) {
  return support::to_result([&] {
    using support::get_or_throw;
    NetworkSearch search = get_or_throw(NetworkSearch::over(archive, library));
    for (const std::vector<TirSource>& stage : by_stage(sources)) {
      std::vector<tir::Document> documents;
      for (const TirSource& source : stage) {
        documents.push_back(get_or_throw(read_tir(source, library, limits)));
      }
      std::vector<graph::TirInput> inputs;
      for (std::size_t i = 0; i < stage.size(); ++i)
        inputs.push_back({&documents[i], stage[i].stem});
      get_or_throw(search.offer(inputs));
    }
    return get_or_throw(std::move(search).finish());
  });
}

}  // namespace mlf

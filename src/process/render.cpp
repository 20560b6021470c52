#include "process/render.h"

#include "mlf/graph/graph_json.h"
#include "mlf/graph/write.h"
#include "process/output_names.h"
#include "support/error.h"

namespace mlf::process {
namespace {

using support::get_or_throw;

std::optional<ManifestTarget> manifest_target(const Target* target) {
  if (target == nullptr) return std::nullopt;
  return ManifestTarget{target->kind, target->text, target->device_type};
}

ManifestTir describe(const TirSource& source, const Job& job) {
  const TirOwners owners = get_or_throw(job.deployment.owners_of(source));
  ManifestTir entry{.member = tir_json_name(source.stem),
                    .source = source.name,
                    .stage = source.stage,
                    .modules = {},
                    .target = manifest_target(owners.target)};
  for (const std::size_t i : owners.modules) entry.modules.push_back(job.modules()[i].name);
  return entry;
}

/// What the writers take, made from what the spool gives.
tir::Sink sink_to(support::ByteSink& out) {
  return [&out](std::string_view bytes) { out.write(bytes); };
}

/// The member whose time and owner the files of a network get: the one that it was read from.
const archive::Member* model_for(const graph::Provenance& provenance, const Job& job) {
  const archive::Member* graph = job.archive().find(provenance.source);
  if (graph != nullptr) return graph;
  const TirSource* source = job.deployment.find_tir(provenance.source);
  const bool has_member = source != nullptr && source->member != nullptr;
  return has_member ? source->member : &job.metadata();
}

}  // namespace

std::pair<std::vector<Output>, ManifestTir> render_tir(const TirSource& source, const Job& job,
                                                       Spool& spool) {
  const auto document = get_or_throw(job.deployment.document(source));
  const archive::Member* like = source.member != nullptr ? source.member : &job.metadata();
  const tir::JsonOptions json{.layout = tir::JsonLayout::compact,
                              .constants = job.options.constants,
                              .npy_threshold = 0,
                              .npy_folder = constants_folder(source.stem),
                              .max_written_nodes = job.options.tir_limits.max_written_nodes};

  ManifestTir entry = describe(source, job);
  std::vector<Output> outputs;
  std::vector<tir::ConstantFile> constants;
  const SpooledBytes text = spool.add([&](support::ByteSink& out) {
    constants = get_or_throw(tir::write_tir_json(*document, json, sink_to(out)));
  });
  outputs.push_back({entry.member, like, text});
  for (const tir::ConstantFile& constant : constants) {
    const SpooledBytes data = spool.add([&](support::ByteSink& out) {
      get_or_throw(tir::write_npy(document->module.node(constant.constant), sink_to(out)));
    });
    outputs.push_back({beside_tir_json(constant.path), like, data});
  }
  return {std::move(outputs), std::move(entry)};
}

std::pair<std::vector<Output>, ManifestNetwork> render_network(const Network& network,
                                                               const Job& job, Spool& spool) {
  const graph::Topology& topology = network.topology;
  const std::string& module = job.modules()[network.module].name;
  const archive::Member* like = model_for(topology.provenance, job);
  ManifestNetwork entry{.module = module,
                        .topology = topology_name(module, job.archive().path()),
                        .graph = std::nullopt,
                        .source = topology.provenance.source};
  std::vector<Output> outputs;
  outputs.push_back(
      {entry.topology, like, spool.add([&](support::ByteSink& out) {
         get_or_throw(graph::write_topology_json(topology, tir::JsonLayout::compact, sink_to(out)));
       })});
  if (!topology.is_sound()) return {std::move(outputs), std::move(entry)};
  entry.graph = graph_name(module, job.archive().path());
  outputs.push_back(
      {*entry.graph, like, spool.add([&](support::ByteSink& out) {
         get_or_throw(graph::write_graph_json(topology, tir::JsonLayout::compact, sink_to(out)));
       })});
  return {std::move(outputs), std::move(entry)};
}

}  // namespace mlf::process

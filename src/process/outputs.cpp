#include "process/outputs.h"

#include <algorithm>
#include <array>
#include <future>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "archive/fault.h"
#include "deployment/network_search.h"
#include "mlf/graph/write.h"
#include "process/manifest.h"
#include "support/error.h"
#include "support/sha256.h"

namespace mlf::process {
namespace {

using support::get_or_throw;

/// Stops writing before outputs that exceed the archive's limits fill the disk.
class BoundedSink final : public support::ByteSink {
 public:
  BoundedSink(support::FileSink& next, const std::string& name, const archive::Limits& limits)
      : next_(next), name_(name), limits_(limits), begin_(next.written()) {}

  void write(std::string_view bytes) override {
    next_.write(bytes);
    archive::check_member_size(next_.written() - begin_, name_, limits_);
    archive::check_total_size(next_.written(), limits_);
  }

 private:
  support::FileSink& next_;
  const std::string& name_;
  const archive::Limits& limits_;
  std::uint64_t begin_;
};

ManifestTir describe(const TirSource& source, const Job& job) {
  const TirOwners owners = get_or_throw(job.deployment.owners_of(source));
  ManifestTir entry{.member = job.names.tir_json(source.stem),
                    .source = source.name,
                    .stage = source.stage,
                    .modules = {},
                    .target = owners.target};
  for (const std::size_t i : owners.modules) entry.modules.push_back(job.modules()[i].name);
  return entry;
}

/// Makes the input of archive writers from the content of the spool.
Sink sink_to(support::ByteSink& out) {
  return [&out](std::string_view bytes) { out.write(bytes); };
}

/// The member whose time and owner the files of a network get: the source of the network.
const archive::Member* model_for(const graph::Provenance& provenance, const Job& job) {
  const archive::Member* graph = job.archive().find(provenance.source);
  if (graph != nullptr) return graph;
  const TirSource* source = job.deployment.find_tir(provenance.source);
  const bool has_member = source != nullptr && source->member != nullptr;
  return has_member ? source->member : &job.anchor();
}

NetworkReport report_on(const graph::Topology& topology, std::string module) {
  NetworkReport report{.module = std::move(module), .calls = topology.calls.size()};
  for (const graph::Check& check : topology.checks) {
    if (info(check.code).severity != graph::Severity::error) continue;
    if (report.failed_checks++ == 0) report.first_failure = check.detail;
  }
  return report;
}

/// A module's name is part of the names of its members, and the user chooses that name.
void refuse_equal_names(const std::vector<Output>& outputs, const std::string& file) {
  std::set<std::string_view> names;
  for (const Output& output : outputs) {
    if (names.insert(output.name).second) continue;
    throw support::Error(ErrorKind::invalid_input,
                         "the names of a module and of a TIR stage lead to one member",
                         {.file = file, .member = output.name});
  }
}

/// Finding the network of a text takes about as long as hashing 16 times its bytes.
constexpr std::uint64_t kDigestsOfText = 16;

class OutputWriter {
 public:
  OutputWriter(Job& job, Outputs& outputs) : job_(job), outputs_(outputs) {}

  void make() {
    deployment::NetworkSearch search(job_.deployment);
    // The preferred stage first: it determines the network; later ones only add modules that it
    // lacks.
    for (const auto& stage : deployment::by_stage(job_.deployment.tir_sources())) {
      make_stage(stage, search);
    }
    const Networks networks = std::move(search).finish();
    for (const Network& network : networks.found) make_network(network);
    report(networks);
    refuse_equal_names(outputs_.list, job_.archive().path());
    // An archive without TIR gets no outputs and no manifest.
    if (!outputs_.list.empty()) make_manifest();
  }

 private:
  void add(const std::string& name, const archive::Member* like,
           const std::function<void(support::ByteSink&)>& write) {
    const SpooledBytes content = outputs_.spool.add(name, write);
    manifest_.written.push_back({name, content.sha256});
    outputs_.list.push_back({name, like, content});
  }

  /// Documents are large: those of one stage are released before the next is read.
  void make_stage(std::span<const TirSource* const> stage, deployment::NetworkSearch& search) {
    std::uint64_t bytes = 0;
    for (const TirSource* source : stage) bytes += source->text.size();
    // Finds the networks while this thread writes the documents: both only read them.
    std::future<void> searching = std::async(support::launch_policy(kDigestsOfText * bytes),
                                             [&] { search.add_next_stage(stage); });
    for (const TirSource* source : stage) make_tir(*source);
    searching.get();
    // Known now; it belongs to the first stage.
    if (!std::exchange(has_c_, true)) {
      const auto* const agreement = get_or_throw(job_.deployment.agreement());
      for (const TirSource& c : agreement->c) make_tir(c);
    }
    job_.deployment.release_documents();
  }

  /// First the JSON of a TIR, then its constants.
  void make_tir(const TirSource& source) {
    const auto document = get_or_throw(job_.deployment.document(source));
    // Time and owner of the source, so the same inputs give the same bytes.
    const archive::Member* like = source.member != nullptr ? source.member : &job_.anchor();
    const tir::JsonOptions json{.layout = JsonLayout::compact,
                                .constants = job_.options.constants,
                                .npy_threshold = 0,
                                .npy_directory = constants_directory(source.stem),
                                .max_written_nodes = job_.options.tir_limits.max_written_nodes};
    ManifestTir entry = describe(source, job_);
    std::vector<tir::ConstantFile> constants;
    add(entry.member, like, [&](support::ByteSink& out) {
      constants = get_or_throw(tir::write_tir_json(*document, json, sink_to(out)));
    });
    for (const tir::ConstantFile& constant : constants) {
      add(job_.names.member(constant.path), like, [&](support::ByteSink& out) {
        get_or_throw(tir::write_npy(document->module.node(constant.constant), sink_to(out)));
      });
    }
    outputs_.tir.push_back({entry.member, entry.source, tir::functions_of(document->module).size(),
                            document->losses.size()});
    manifest_.tir.push_back(std::move(entry));
  }

  /// The topology, and its graph unless a check fails.
  void make_network(const Network& network) {
    const graph::Topology& topology = network.topology;
    const std::string& module = job_.modules()[network.module].name;
    const archive::Member* like = model_for(topology.provenance, job_);
    ManifestNetwork entry{.module = module,
                          .topology = job_.names.topology(module, job_.archive().path()),
                          .graph = std::nullopt,
                          .source = topology.provenance.source};
    add(entry.topology, like, [&](support::ByteSink& out) {
      get_or_throw(graph::write_topology_json(topology, JsonLayout::compact, sink_to(out)));
    });
    // The topology shows errors to its readers; a graph would be executed.
    if (topology.is_sound()) {
      entry.graph = job_.names.graph(module, job_.archive().path());
      add(*entry.graph, like, [&](support::ByteSink& out) {
        get_or_throw(graph::write_graph_json(topology, JsonLayout::compact, sink_to(out)));
      });
    }
    manifest_.networks.push_back(std::move(entry));
  }

  void make_manifest() {
    manifest_.inputs = job_.inputs(job_.options.constants);
    const std::string name = job_.names.manifest();
    const SpooledBytes text =
        outputs_.spool.add(name, [&](support::ByteSink& out) { write_manifest(manifest_, out); });
    // Comes last, because it lists the digests of all others; `update_directory` relies on it.
    outputs_.list.push_back({name, &job_.anchor(), text});
  }

  void report(const Networks& networks) {
    const auto name_of = [&](std::size_t module) { return job_.modules()[module].name; };
    for (const Network& network : networks.found) {
      outputs_.networks.push_back(report_on(network.topology, name_of(network.module)));
    }
    for (const MissingNetwork& without : networks.missing) {
      outputs_.networks.push_back({.module = name_of(without.module), .reason = without.reason});
    }
  }

  Job& job_;
  Outputs& outputs_;
  Manifest manifest_{};
  bool has_c_ = false;  // whether the C that decides was written
};

}  // namespace

SpooledBytes Spool::add(const std::string& name,
                        const std::function<void(support::ByteSink&)>& write) {
  const std::uint64_t offset = sink_.written();
  BoundedSink bounded(sink_, name, limits_);
  // Computes the digest for the manifest during writing, so outputs are not read again.
  support::HashingSink hashing(bounded);
  write(hashing);
  sink_.flush();
  return {offset, sink_.written() - offset, hashing.hex()};
}

void Spool::copy(const SpooledBytes& bytes, support::ByteSink& out) const {
  std::array<char, 65536> buffer;
  for (std::uint64_t done = 0; done < bytes.size;) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size - done, buffer.size()));
    const std::size_t count = file_.read_some_at(bytes.offset + done, buffer.data(), wanted);
    if (count == 0) throw support::Error(ErrorKind::io, "the temporary file was cut short");
    out.write(std::string_view(buffer.data(), count));
    done += count;
  }
}

void make_outputs(Job& job, Outputs& outputs) {
  OutputWriter(job, outputs).make();
}

}  // namespace mlf::process

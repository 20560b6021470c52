#include "process/job.h"

#include <set>
#include <utility>

#include "process/output_names.h"
#include "support/error.h"
#include "support/sha256.h"

namespace mlf::process {
namespace {

using archive::Archive;
using archive::Member;
using support::get_or_throw;

/// Locks the archive where it will be changed: two runs on one archive wait for each other. A run
/// that only looks does not wait.
Deployment open_deployment(const std::string& path, const ProcessOptions& options) {
  const bool update = in_place(path, options) && options.effect == Effect::write;
  Archive archive = get_or_throw(update ? Archive::open_for_update(path, options.archive_limits)
                                        : Archive::open(path, options.archive_limits));
  return get_or_throw(Deployment::open(
      std::move(archive), {.tir_files = get_or_throw(load_tir_files(
                               options.tir_files, options.tir_limits.max_source_bytes)),
                           .tir_limits = options.tir_limits}));
}

std::string digest_of(const Archive& archive, const Member& member) {
  return support::sha256_hex(get_or_throw(archive.read(member)));
}

/// Members that are read, each once, in the order in which they are come by.
class Readings {
 public:
  explicit Readings(const Archive& archive) : archive_(archive) {}

  void add(const Member* member) {
    // Generated C and parameters serve several TIR sources.
    if (!seen_.insert(member).second) return;
    digests_.push_back({member->name, digest_of(archive_, *member)});
  }
  std::vector<Digest> take() && { return std::move(digests_); }

 private:
  const Archive& archive_;
  std::set<const Member*> seen_;
  std::vector<Digest> digests_;
};

/// All that the outputs follow from, by content. Their order is the order in which they are used,
/// and the manifest keeps it.
Inputs inputs_of(const Job& job) {
  Inputs inputs{job.options.constants, {}, {}};
  Readings members(job.archive());
  members.add(&job.metadata());
  for (const TirSource& source : job.deployment.tir_sources()) {
    if (source.member == nullptr) {
      // A file beside the archive: by its name alone, since its path is the caller's business.
      inputs.files.push_back({source.name, support::sha256_hex(source.text)});
      continue;
    }
    for (const Member* member : get_or_throw(job.deployment.members_of(source))) {
      members.add(member);
    }
  }
  // Headers, Relay text and graphs name and type what TIR leaves open: a change of theirs changes
  // networks.
  for (const Member* member : job.deployment.network_members()) members.add(member);
  inputs.members = std::move(members).take();
  return inputs;
}

std::optional<Manifest> previous_manifest(const Archive& archive) {
  const Member* member = archive.find(kManifestName);
  // A folder or link of this name is not ours.
  if (member == nullptr || member->type != archive::MemberType::file) return std::nullopt;
  return read_manifest(get_or_throw(archive.read(*member)));
}

}  // namespace

bool in_place(const std::string& path, const ProcessOptions& options) {
  return options.output.empty() && path != kStandardStream;
}

OutputState state_of(const Archive& archive, const Digest& written) {
  const Member* member = archive.find(written.name);
  if (member == nullptr || member->type != archive::MemberType::file) return OutputState::missing;
  // By content alone: times and owners change whenever somebody repacks the archive.
  return digest_of(archive, *member) == written.sha256 ? OutputState::intact : OutputState::changed;
}

Job prepare(const std::string& path, const ProcessOptions& options) {
  return prepare(open_deployment(path, options), options);
}

Job prepare(Deployment deployment, const ProcessOptions& options) {
  Job job{options, std::move(deployment), {}, {}};
  job.inputs = inputs_of(job);
  job.previous = previous_manifest(job.archive());
  return job;
}

}  // namespace mlf::process

#include "process/job.h"

#include <set>
#include <utility>

#include "mlf/networks.h"
#include "process/output_names.h"
#include "support/error.h"
#include "support/sha256.h"

namespace mlf::process {
namespace {

using archive::Archive;
using archive::Member;
using support::get_or_throw;

Archive open_archive(const std::string& path, const ProcessOptions& options) {
  const bool update = in_place(path, options) && options.effect == Effect::write;
  return get_or_throw(update ? Archive::open_for_update(path, options.archive_limits)
                             : Archive::open(path, options.archive_limits));
}

std::string digest_of(const Archive& archive, const Member& member) {
  return support::sha256_hex(get_or_throw(archive.read(member)));
}

/// Members that are read, each once, in the order in which they are come by.
class Readings {
 public:
  explicit Readings(const Archive& archive) : archive_(archive) {}

  void add(const Member* member) {
    if (!seen_.insert(member).second) return;
    digests_.push_back({member->name, digest_of(archive_, *member)});
  }
  std::vector<Digest> take() && { return std::move(digests_); }

 private:
  const Archive& archive_;
  std::set<const Member*> seen_;
  std::vector<Digest> digests_;
};

Inputs inputs_of(const Job& job) {
  Inputs inputs{job.options.constants, {}, {}};
  Readings members(job.archive);
  members.add(&job.metadata());
  for (const TirSource& source : job.sources) {
    if (source.member == nullptr) {
      inputs.files.push_back({source.name, support::sha256_hex(source.text)});
      continue;
    }
    members.add(source.member);
    for (const Member* file : source.c_members) members.add(file);
    for (const Member* file : source.constants.members) members.add(file);
  }
  for (const Member* member : network_members(job.archive, job.library)) members.add(member);
  inputs.members = std::move(members).take();
  return inputs;
}

std::optional<Manifest> previous_manifest(const Archive& archive) {
  const Member* member = archive.find(kManifestName);
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
  return digest_of(archive, *member) == written.sha256 ? OutputState::intact : OutputState::changed;
}

Job prepare(const std::string& path, const ProcessOptions& options) {
  // `files` have to be in place before the sources that look into them.
  Job job{options,
          open_archive(path, options),
          get_or_throw(load_tir_files(options.tir_files)),
          {},
          {},
          {},
          {}};
  job.library = get_or_throw(read_model_library(job.archive));
  job.sources = get_or_throw(find_tir(job.archive, job.library, job.files));
  job.inputs = inputs_of(job);
  job.previous = previous_manifest(job.archive);
  return job;
}

}  // namespace mlf::process

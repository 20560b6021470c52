#include "archive/load.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "archive/directory.h"
#include "archive/fault.h"
#include "archive/filter.h"
#include "archive/libarchive_view.h"
#include "archive/tar_walk.h"
#include "support/error.h"

namespace mlf::archive {
namespace {

using support::File;

constexpr std::size_t kStreamBuffer = 256 * 1024;

void load_tar(Archive::Contents& contents) {
  contents.storage = storage_of(contents.source);
  if (contents.storage != Storage::tar) {
    contents.unpacked = decompress(contents.source, contents.storage, contents.limits);
  }
  contents.mapped = support::MappedFile(contents.tar());
  const std::string_view bytes = contents.mapped.bytes();
  if (bytes.empty()) refuse("the archive is empty");
  TarLayout layout = walk_tar(bytes, contents.limits);
  check_agreement(bytes, layout.members);
  contents.members = std::move(layout.members);
  contents.end_of_members = layout.end_of_members;
}

/// Sorts the index; two members of one name are an error, as readers differ on which one counts.
void index_names(Archive::Contents& contents) {
  const std::vector<Member>& members = contents.members;
  contents.by_name.resize(members.size());
  std::iota(contents.by_name.begin(), contents.by_name.end(), 0U);
  std::stable_sort(
      contents.by_name.begin(), contents.by_name.end(),
      [&](std::uint32_t a, std::uint32_t b) { return members[a].name < members[b].name; });
  const auto twin = std::adjacent_find(
      contents.by_name.begin(), contents.by_name.end(),
      [&](std::uint32_t a, std::uint32_t b) { return members[a].name == members[b].name; });
  if (twin == contents.by_name.end()) return;
  refuse(fmt::format("the archive has two members of this name, at byte {} and at byte {}",
                     members[twin[0]].header_offset, members[twin[1]].header_offset),
         members[*twin].name);
}

}  // namespace

File spool(const File& stream, const Limits& limits) {
  File file = File::anonymous();
  const auto buffer = std::make_unique<char[]>(kStreamBuffer);
  std::uint64_t total = 0;
  while (const std::size_t count = stream.read_some(buffer.get(), kStreamBuffer)) {
    total += count;
    if (total > limits.max_total_bytes) {
      refuse(fmt::format("the archive is larger than {} bytes (limit max_total_bytes)",
                         limits.max_total_bytes));
    }
    file.write({buffer.get(), count});
  }
  return file;
}

std::unique_ptr<Archive::Contents> load(File source, std::string path, const Limits& limits) {
  auto contents = std::make_unique<Archive::Contents>();
  contents->path = std::move(path);
  contents->limits = limits;
  const mode_t mode = source.status().st_mode;
  const bool seekable = S_ISREG(mode) || S_ISDIR(mode);
  contents->source = seekable ? std::move(source) : spool(source, limits);
  contents->opened = contents->source.status();
  if (S_ISDIR(mode)) {
    contents->storage = Storage::directory;
    contents->members = scan_directory(contents->source, limits);
  } else {
    load_tar(*contents);
  }
  index_names(*contents);
  return contents;
}

void check_unchanged(const Archive::Contents& contents) {
  const struct stat now = contents.source.status();
  const struct stat& then = contents.opened;
  if (now.st_size == then.st_size && now.st_mtim.tv_sec == then.st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == then.st_mtim.tv_nsec) {
    return;
  }
  throw support::Error(ErrorKind::io, "the archive was changed while it was processed",
                       {.file = contents.path});
}

}  // namespace mlf::archive

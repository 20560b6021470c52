#include "mlf/archive.h"

#include <algorithm>
#include <utility>

#include "archive/contents.h"
#include "archive/directory.h"
#include "archive/fault.h"
#include "archive/load.h"
#include "archive/lock.h"
#include "support/error.h"

namespace mlf::archive {
namespace {

template <class Body>
auto at_door_of(const std::string& path, Body&& body) {
  return support::to_result(std::forward<Body>(body)).map_error([&](Diagnostics&& diagnostics) {
    return in_file(std::move(diagnostics), path);
  });
}

std::string_view what_it_is(MemberType type) {
  switch (type) {
    case MemberType::file:
      return "a file";
    case MemberType::directory:
      return "a directory";
    case MemberType::hard_link:
      return "a hard link";
    case MemberType::symbolic_link:
      return "a symbolic link";
    case MemberType::character_device:
      return "a character device";
    case MemberType::block_device:
      return "a block device";
    case MemberType::fifo:
      return "a FIFO";
    case MemberType::socket:
      return "a socket";
  }
  return "unknown";
}

std::string_view read_loaded(const Archive::Contents& contents, const Member& member) {
  const std::scoped_lock lock(contents.reading);
  const auto known = contents.loaded.find(member.name);
  if (known != contents.loaded.end()) return known->second;
  return contents.loaded.emplace(member.name, read_file_below(contents.source, member))
      .first->second;
}

}  // namespace

Archive::Archive(std::unique_ptr<Contents> contents) noexcept : contents_(std::move(contents)) {}
Archive::Archive(Archive&& other) noexcept = default;
Archive& Archive::operator=(Archive&& other) noexcept = default;
Archive::~Archive() = default;

Result<Archive> Archive::open(const std::string& path, const Limits& limits) {
  return at_door_of(path, [&] {
    return Archive(path == "-"
                       ? load(spool(support::File::duplicate(0, path), limits), path, limits)
                       : load(support::File::open(path, O_RDONLY), path, limits));
  });
}

Result<Archive> Archive::from_bytes(std::string_view bytes, const std::string& path,
                                    const Limits& limits) {
  return at_door_of(path, [&] {
    support::File file = support::File::anonymous();
    file.write(bytes);
    return Archive(load(std::move(file), path, limits));
  });
}

Result<Archive> Archive::open_for_update(const std::string& path, const Limits& limits) {
  return at_door_of(path, [&] {
    if (path == "-") {
      throw support::Error(ErrorKind::usage, "standard input cannot be updated in place");
    }
    std::string resolved = resolve(path);
    std::unique_ptr<Contents> contents = load(open_locked(resolved, path), path, limits);
    contents->resolved = std::move(resolved);
    return Archive(std::move(contents));
  });
}

const std::string& Archive::path() const noexcept {
  return contents_->path;
}
Storage Archive::storage() const noexcept {
  return contents_->storage;
}
const std::vector<Member>& Archive::members() const noexcept {
  return contents_->members;
}

const Member* Archive::find(std::string_view name) const noexcept {
  const auto& order = contents_->by_name;
  const auto& all = contents_->members;
  const auto found = std::lower_bound(
      order.begin(), order.end(), name,
      [&](std::uint32_t index, std::string_view wanted) { return all[index].name < wanted; });
  return found != order.end() && all[*found].name == name ? &all[*found] : nullptr;
}

Result<std::string_view> Archive::read(const Member& member) const {
  return at_door_of(contents_->path, [&]() -> std::string_view {
    if (member.type != MemberType::file) {
      refuse("is " + std::string(what_it_is(member.type)) + ", only files can be read",
             member.name);
    }
    if (contents_->storage == Storage::directory) return read_loaded(*contents_, member);
    return contents_->mapped.bytes().substr(member.data_offset, member.size);
  });
}

}  // namespace mlf::archive

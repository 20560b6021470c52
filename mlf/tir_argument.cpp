#include "tir_argument.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "mlf/deployment.h"
#include "refusal.h"

namespace mlf::program {
namespace {

using std::string_view_literals::operator""sv;

struct Place {
  std::string path;
  std::optional<std::string> member;
};

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// A path that exists is meant as it stands, even with a colon in it.
Place split(const std::string& argument) {
  if (argument == "-" || exists(argument)) return {argument, std::nullopt};
  const std::size_t colon = argument.rfind(':');
  if (colon == std::string::npos) return {argument, std::nullopt};
  const std::string path = argument.substr(0, colon);
  if (path != "-" && !exists(path)) return {argument, std::nullopt};
  return {path, argument.substr(colon + 1)};
}

/// A folder, a tar, or something compressed: TIR is text.
bool is_archive(const std::string& path) {
  if (path == "-") return false;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return true;
  std::array<char, 512> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  const std::string_view bytes(head.data(), head.size());
  const auto compressed = {"\x1f\x8b"sv,
                           "\xfd"
                           "7zXZ\0"sv,
                           "\x28\xb5\x2f\xfd"sv};
  return bytes.substr(257, 5) == "ustar" ||
         std::any_of(compressed.begin(), compressed.end(),
                     [&](std::string_view magic) { return bytes.starts_with(magic); });
}

Result<tir::Document> read_file(const std::string& path, const Limits& limits) {
  return load_tir_file(path).and_then([&](const TirFile& file) {
    return tir::read({.file = file.path, .member = {}, .text = file.text}, limits.tir);
  });
}

/// A member that is TIR whatever it is called.
Result<tir::Document> read_member(const archive::Archive& archive, const archive::Member& member,
                                  const Limits& limits) {
  return archive.read(member).and_then([&](std::string_view text) {
    return tir::read({.file = archive.path(), .member = member.name, .text = text}, limits.tir);
  });
}

Result<TirSource> choose(const std::vector<TirSource>& sources, const Place& place) {
  if (place.member) {
    const auto wanted = std::find_if(sources.begin(), sources.end(), [&](const TirSource& source) {
      return source.stem == *place.member || source.name == *place.member;
    });
    if (wanted != sources.end()) return *wanted;
    return refuse(ErrorKind::invalid_input, fmt::format("no member '{}'", *place.member),
                  place.path);
  }
  if (sources.size() == 1) return sources.front();
  if (sources.empty()) {
    return refuse(ErrorKind::check_failed, "no TIR in this archive", place.path);
  }
  std::vector<std::string> stems;
  for (const TirSource& source : sources) stems.push_back(place.path + ":" + source.stem);
  return refuse(ErrorKind::usage, fmt::format("several TIRs, name one: {}", fmt::join(stems, ", ")),
                place.path);
}

Result<tir::Document> read_from_archive(const Place& place, const Limits& limits) {
  const auto archive = archive::Archive::open(place.path, limits.archive);
  if (!archive) return tl::make_unexpected(archive.error());
  const auto library = read_model_library(*archive);
  if (!library) return tl::make_unexpected(library.error());
  const auto sources = find_tir(*archive, *library);
  if (!sources) return tl::make_unexpected(sources.error());
  const auto source = choose(*sources, place);
  if (source) return read_tir(*source, *library, limits.tir);
  const std::string name = std::filesystem::path(place.member.value_or("")).lexically_normal();
  const archive::Member* member = archive->find(name);
  if (member == nullptr) return tl::make_unexpected(source.error());
  return read_member(*archive, *member, limits);
}

}  // namespace

Result<tir::Document> read_tir_argument(const std::string& argument, const Limits& limits) {
  const Place place = split(argument);
  if (place.member || is_archive(place.path)) return read_from_archive(place, limits);
  return read_file(place.path, limits);
}

}  // namespace mlf::program

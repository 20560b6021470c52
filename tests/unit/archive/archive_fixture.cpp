#include "unit/archive/archive_fixture.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "support/error.h"
#include "unit/archive/tar_builder.h"

namespace mlf::test {

ArchiveTest::ArchiveTest() {
  std::string name = (std::filesystem::temp_directory_path() / "mlf-test-XXXXXX").string();
  directory_ = std::filesystem::canonical(::mkdtemp(name.data()));
}

ArchiveTest::~ArchiveTest() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string ArchiveTest::write(std::string_view name, std::string_view bytes) const {
  std::filesystem::create_directories((directory_ / name).parent_path());
  std::ofstream(directory_ / name, std::ios::binary) << bytes;
  return path(name);
}

std::string ArchiveTest::write_tar(
    const std::vector<std::pair<std::string_view, std::string_view>>& members) const {
  TarBuilder tar;
  for (const auto& [name, text] : members) tar.file(std::string("./").append(name), text);
  return write("a.tar", tar.finish());
}

std::vector<std::string> ArchiveTest::listing() const {
  std::vector<std::string> entries;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
    entries.push_back(entry.path().lexically_relative(directory_).string());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

archive::Archive open_good(const std::string& path, const archive::Limits& limits) {
  Result<archive::Archive> archive = archive::Archive::open(path, limits);
  if (!archive) throw std::runtime_error(to_string(archive.error()));
  return *std::move(archive);
}

archive::Archive open_good_for_update(const std::string& path) {
  Result<archive::Archive> archive = archive::Archive::open_for_update(path);
  if (!archive) throw std::runtime_error(to_string(archive.error()));
  return *std::move(archive);
}

std::string refusal(const std::string& path, const archive::Limits& limits) {
  const Result<archive::Archive> archive = archive::Archive::open(path, limits);
  if (archive) return "accepted";
  Diagnostic error = archive.error();
  if (error.kind != ErrorKind::invalid_input) return "another kind: " + to_string(error);
  if (error.where.file != path) return "another file: " + to_string(error);
  error.where.file.clear();
  return to_string(error);
}

std::vector<std::string> names(const archive::Archive& archive) {
  std::vector<std::string> result;
  for (const archive::Member& member : archive.members()) result.push_back(member.name);
  return result;
}

archive::NewMember new_member(std::string name, std::string content, const archive::Member& like) {
  const std::uint64_t size = content.size();
  return {std::move(name), &like,
          [content = std::move(content)](support::ByteSink& sink) { sink.write(content); }, size};
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const support::Error& error) {
    return to_string(error.diagnostic());
  }
  return "no error";
}

}  // namespace mlf::test

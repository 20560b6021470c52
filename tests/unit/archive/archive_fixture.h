// A directory of its own for every test, and the shorthand that tests of the layer `archive` share.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/rewrite.h"
#include "mlf/archive.h"

namespace mlf::test {

class ArchiveTest : public testing::Test {
 protected:
  ArchiveTest();
  ~ArchiveTest() override;

  std::string path(std::string_view name) const { return (directory_ / name).string(); }
  /// Writes a file into the directory and returns its path.
  std::string write(std::string_view name, std::string_view bytes) const;
  /// Writes a tar with files of these names and contents, and returns its path.
  std::string write_tar(
      const std::vector<std::pair<std::string_view, std::string_view>>& members) const;
  /// Everything in the directory, by name: shows files left behind.
  std::vector<std::string> listing() const;

 private:
  std::filesystem::path directory_;
};

std::string read_file(const std::string& path);

/// Opens an archive that must be acceptable.
archive::Archive open_good(const std::string& path, const archive::Limits& limits = {});
archive::Archive open_good_for_update(const std::string& path);

/// The one error of an archive that must be refused, as the program prints it, without the path.
std::string refusal(const std::string& path, const archive::Limits& limits = {});

/// The names of all members.
std::vector<std::string> names(const archive::Archive& archive);

/// A new member like an existing one.
archive::NewMember new_member(std::string name, std::string content, const archive::Member& like);

/// The error that `action` throws, as the program prints it.
std::string error_of(const std::function<void()>& action);

}  // namespace mlf::test

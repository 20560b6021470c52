// Files in a ZIP archive, which an .npz file is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mlf::run {

struct ZipFile {
  std::string name;
  std::string bytes;
};

bool begins_as_zip(std::string_view bytes);

/// Stored files and deflated ones. Throws `Error` (invalid_input) for anything else, for a wrong
/// sum of bytes, for two files of one name, and for more than 4 GiB altogether.
std::vector<ZipFile> read_zip(std::string_view bytes);

/// All of them stored, from the same time: the same files are the same bytes. Throws `Error`
/// (invalid_input) for more than 4 GiB and for more than 65,535 files.
std::string zip_bytes(const std::vector<ZipFile>& files);

}  // namespace mlf::run

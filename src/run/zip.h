// Files in a ZIP archive, the format of .npz files.
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

/// Reads stored and deflated files. Throws `Error` (invalid_input) for other files, a wrong
/// checksum, two files of one name, or more than 4 GiB in total.
std::vector<ZipFile> read_zip(std::string_view bytes);

/// Stores all files uncompressed with one fixed date, so equal files give equal bytes. Throws
/// `Error` (invalid_input) for more than 4 GiB or more than 65,535 files.
std::string zip_bytes(const std::vector<ZipFile>& files);

}  // namespace mlf::run

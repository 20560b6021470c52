// Arrays in NumPy's format .npy: versions 1.0 and 2.0, little-endian, C order. Files of .npz, which
// are ZIP archives of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mlf/export.h"
#include "mlf/run.h"

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

/// Throws `Error` (invalid_input) for other files, and if the size of the data differs from the
/// head.
Tensor read_npy(std::string_view bytes, std::string name);

/// Version 1.0. Throws `Error` for an element type of less than a byte.
MLF_API std::string npy_bytes(const Tensor& tensor);

}  // namespace mlf::run

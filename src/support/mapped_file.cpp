#include "support/mapped_file.h"

#include <sys/mman.h>

#include <utility>

namespace mlf::support {

MappedFile::MappedFile(const File& file) {
  const auto size = static_cast<std::size_t>(file.status().st_size);
  if (size == 0) return;
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd(), 0);
  if (memory == MAP_FAILED) file.fail("cannot map into memory");
  bytes_ = {static_cast<const char*>(memory), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace mlf::support

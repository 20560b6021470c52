// Archives: opened under limits or refused; what is found in them can be read or is refused.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "mlf/archive.h"
#include "mlf/deployment.h"

namespace {

constexpr mlf::archive::Limits kLimits{.max_members = 1000,
                                       .max_total_bytes = 64u << 20,
                                       .max_member_bytes = 16u << 20,
                                       .max_expansion = 100};

/// A file without a name that holds the input; the archive opens it through /proc.
class InputFile {
 public:
  InputFile(const std::uint8_t* data, std::size_t size) : fd_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (fd_ < 0 || write(fd_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  ~InputFile() { close(fd_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const InputFile file(data, size);
  const auto archive = mlf::archive::Archive::open(file.path(), kLimits);
  if (!archive) return 0;
  const auto library = mlf::read_model_library(*archive);
  if (!library) return 0;
  const auto sources = mlf::find_tir(*archive, *library, {});
  if (!sources) return 0;
  for (const mlf::TirSource& source : *sources) static_cast<void>(read_tir(source, *library));
  return 0;
}

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "mlf/deployment.h"
#include "support/error.h"
#include "support/file.h"

namespace mlf {

std::string_view TirFile::name() const noexcept {
  const std::string_view whole = path;
  return whole.substr(whole.rfind('/') + 1);
}

Result<TirFile> load_tir_file(const std::string& path) {
  return support::to_result([&] {
    const support::File file = path == "-" ? support::File::duplicate(STDIN_FILENO, path)
                                           : support::File::open(path, O_RDONLY);
    TirFile result{path, {}};
    std::array<char, 65536> buffer;
    while (const std::size_t count = file.read_some(buffer.data(), buffer.size())) {
      result.text.append(buffer.data(), count);
    }
    return result;
  });
}

Result<std::vector<TirFile>> load_tir_files(std::span<const std::string> paths) {
  return support::to_result([&] {
    std::vector<TirFile> files;
    for (const std::string& path : paths)
      files.push_back(support::get_or_throw(load_tir_file(path)));
    return files;
  });
}

}  // namespace mlf

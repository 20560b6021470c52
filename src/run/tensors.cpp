#include <fcntl.h>

#include <utility>

#include "mlf/run.h"
#include "run/npy.h"
#include "run/zip.h"
#include "support/error.h"
#include "support/file.h"

namespace mlf {
namespace {

constexpr std::string_view kEnd = ".npy";

std::vector<Tensor> tensors_of(std::string_view bytes) {
  std::vector<Tensor> tensors;
  if (run::begins_as_npy(bytes)) {
    tensors.push_back(run::read_npy(bytes, {}));
    return tensors;
  }
  if (!run::begins_as_zip(bytes)) {
    throw support::Error(ErrorKind::invalid_input, "this is no .npy and no .npz file");
  }
  for (run::ZipFile& file : run::read_zip(bytes)) {
    if (file.name.ends_with(kEnd)) file.name.resize(file.name.size() - kEnd.size());
    tensors.push_back(run::read_npy(file.bytes, std::move(file.name)));
  }
  return tensors;
}

}  // namespace

Result<std::vector<Tensor>> load_tensors(const std::string& path) {
  return support::to_result_in(path, [&] {
    const auto file = support::FileContent::copy(support::File::open(path, O_RDONLY));
    return tensors_of(file.bytes());
  });
}

Result<std::string> npz_bytes(std::span<const Tensor> tensors) {
  return support::to_result([&] {
    std::vector<run::ZipFile> files;
    for (const Tensor& tensor : tensors) {
      files.push_back({tensor.name + std::string(kEnd), run::npy_bytes(tensor)});
    }
    return run::zip_bytes(files);
  });
}

}  // namespace mlf

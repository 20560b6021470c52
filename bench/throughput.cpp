// mlf_bench [ARCHIVE|TIR…]: how fast mlf reads and writes, and how much memory it takes.
//
// Every row is measured in a process of its own, over the TIR given (in archives, or files of text
// or JSON), or of one real network in each dialect (from the corpus where it is there, else
// bundled). Without archives it reads constants of generated C as well: 150 MB of each element
// type.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "constants.h"
#include "measure.h"
#include "mlf/deployment.h"
#include "mlf/process.h"
#include "mlf/tir/write.h"
#include "tir/c/c.h"

namespace mlf::bench {
namespace {

namespace fs = std::filesystem;

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

void print_row(const std::string& what, std::size_t bytes, const Measurement& measured) {
  if (!measured.succeeded) {
    fmt::print("{:<64} failed\n", what);
    return;
  }
  const double megabytes = static_cast<double>(bytes) / 1e6;
  fmt::print("{:<64} {:>9.3f} {:>9.2f} {:>9.1f} {:>9.1f}\n", what, megabytes,
             measured.seconds * 1e3, megabytes / measured.seconds,
             static_cast<double>(measured.peak_kib) / 1024);
  std::fflush(stdout);
}

tir::Document read_text(const std::string& text) {
  return value_or_throw(tir::read({.file = "bench", .member = {}, .text = text}));
}

std::string written(const tir::Document& document, const tir::JsonOptions& options = {}) {
  std::string json;
  value_or_throw(
      tir::write_tir_json(document, options, [&](std::string_view bytes) { json += bytes; }));
  return json;
}

void bench_reader(const std::string& label, const std::string& text) {
  print_row("read " + label, text.size(),
            measure([&] { return worked([&] { read_text(text); }); }));
}

/// The reader of a text, both writers of what it says, and the reader of our own JSON.
void bench_text(const std::string& label, const std::string& text) {
  // Before there is a document: a child begins with the memory of its parent.
  bench_reader(label, text);
  const tir::Document document = read_text(text);
  const std::string json = written(document);
  // The output is dropped: a string that grows to the whole document would cost as much as writing
  // it.
  const auto write = [&] {
    value_or_throw(tir::write_tir_json(document, {}, [](std::string_view) {}));
  };
  print_row("write tir-N.json of " + label, json.size(), measure([&] { return worked(write); }));
  bench_reader("tir-N.json of " + label, json);
}

/// What processing cannot be faster than: a copy, on the disk, in the place of the original.
void copy_and_sync(const fs::path& from, const fs::path& to) {
  const fs::path temporary = to.string() + ".new";
  fs::copy_file(from, temporary, fs::copy_options::overwrite_existing);
  const int fd = open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  fsync(fd);
  close(fd);
  fs::rename(temporary, to);
}

void bench_process(const std::string& label, const fs::path& archive) {
  const fs::path directory = fs::temp_directory_path() / fmt::format("mlf-bench-{}", getpid());
  fs::create_directory(directory);
  const fs::path copy = directory / "module.tar";
  const std::size_t bytes = fs::file_size(archive);
  print_row("cp and fsync " + label, bytes,
            measure([&] { return timed([&] { copy_and_sync(archive, copy); }); }));
  print_row("process " + label, bytes, measure([&] {
              fs::copy_file(archive, copy, fs::copy_options::overwrite_existing);
              return timed([&] { value_or_throw(process_archive(copy.string())); });
            }));
  print_row("process again " + label, bytes, measure([&] {
              return timed([&] { value_or_throw(process_archive(copy.string())); });
            }));
  fs::remove_all(directory);
}

/// Bundled archives have names; those of the corpus are named by their directories.
std::string label_of(const fs::path& archive) {
  if (archive.filename() != "module.tar") return archive.stem().string();
  const fs::path directory = fs::absolute(archive).parent_path();
  return (directory.parent_path().filename() / directory.filename()).string();
}

void bench_archive(const std::string& path) {
  const fs::path place(path);
  const std::string label = label_of(place);
  const auto deployment = value_or_throw(Deployment::open(path));
  for (const TirSource& source : deployment.tir_sources()) {
    bench_text(label + " " + source.name, std::string(source.text));
  }
  const fs::path save = place.parent_path() / "save-1.json";
  if (fs::exists(save)) {
    bench_text(label + " save_json", value_or_throw(load_tir_file(save.string())).text);
  }
  bench_process(label, place);
}

bool is_tir(const fs::path& path) {
  const std::string suffix = path.extension();
  return suffix == ".py" || suffix == ".txt" || suffix == ".json";
}

void bench_input(const std::string& path) {
  if (!is_tir(path)) return bench_archive(path);
  bench_text(fs::path(path).filename(), value_or_throw(load_tir_file(path)).text);
}

constexpr std::size_t kConstantFile = 150'000'000;
constexpr double kKibInMib = 1024;

/// One file of constants. `beyond` is memory that is neither the text nor the bytes of constants.
void bench_constants(const Spelling& spelling) {
  const ConstantFile file = spelling.make(kConstantFile);
  const tir::CSources sources{.files = {{.file = "bench", .member = {}, .text = file.text}},
                              .signatures = {}};
  const Measurement idle = measure([] { return 1.0; });
  const Measurement measured = measure([&] { return worked([&] { tir::read_c(sources); }); });
  print_row(fmt::format("read C, {} constants", spelling.name), file.text.size(), measured);
  const double beyond = static_cast<double>(measured.peak_kib - idle.peak_kib) / kKibInMib -
                        static_cast<double>(file.data_bytes) / (kKibInMib * kKibInMib);
  fmt::print("{:>64} {:>9} MB/s, {:.1f} MiB beyond text and constants\n", "goal",
             spelling.goal > 0 ? std::to_string(spelling.goal) : "none", beyond);
}

std::vector<std::string> default_archives() {
  std::vector<std::string> found;
  for (const char* name : {"tvm-0.9/resnet8-aot-packed", "tvm-0.18/resnet8-aot-packed"}) {
    const fs::path path = fs::path(MLF_CORPUS) / name / "module.tar";
    if (fs::exists(path)) found.push_back(path.string());
  }
  if (!found.empty()) return found;
  const fs::path bundled = fs::path(MLF_TEST_DATA) / "archives";
  return {bundled / "tvm-0.9-qnn_conv-aot-c.tar", bundled / "tvm-0.18-qnn_conv-aot-c.tar"};
}

}  // namespace
}  // namespace mlf::bench

int main(int argc, char** argv) {
  try {
    std::vector<std::string> inputs(argv + 1, argv + argc);
    const bool has_inputs = !inputs.empty();
    if (!has_inputs) inputs = mlf::bench::default_archives();
    fmt::print("{}\n{:<64} {:>9} {:>9} {:>9} {:>9}\n", mlf::bench::machine(), "", "MB", "ms",
               "MB/s", "peak MiB");
    for (const std::string& input : inputs) mlf::bench::bench_input(input);
    if (has_inputs) return 0;
    for (const auto& spelling : mlf::bench::spellings()) mlf::bench::bench_constants(spelling);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mlf_bench: {}\n", error.what());
    return 1;
  }
}

#include "archive/filter.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>

#include "archive/fault.h"
#include "support/error.h"

namespace mlf::archive {
namespace {

using support::File;

constexpr std::size_t kBuffer = 256 * 1024;
constexpr std::uint64_t kFreeExpansion = 1024 * 1024;

/// What tells one compression from another, and how libarchive is told.
struct Codec {
  Storage storage;
  std::string_view magic;
  int (*read)(::archive*);
  int (*write)(::archive*);
};

constexpr std::array<Codec, 3> kCodecs{{
    {Storage::tar_gzip,
     {"\x1f\x8b", 2},
     archive_read_support_filter_gzip,
     archive_write_add_filter_gzip},
    {Storage::tar_xz,
     {"\xfd"
      "7zXZ\0",
      6},
     archive_read_support_filter_xz,
     archive_write_add_filter_xz},
    {Storage::tar_zstd,
     {"\x28\xb5\x2f\xfd", 4},
     archive_read_support_filter_zstd,
     archive_write_add_filter_zstd},
}};

const Codec& codec_of(Storage storage) {
  return *std::find_if(kCodecs.begin(), kCodecs.end(),
                       [&](const Codec& codec) { return codec.storage == storage; });
}

struct FreeReader {
  void operator()(::archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<::archive, FreeReader>;

struct FreeWriter {
  void operator()(::archive* writer) const { archive_write_free(writer); }
};
using Writer = std::unique_ptr<::archive, FreeWriter>;

struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

[[noreturn]] void refuse_data(::archive* reader) {
  const char* const reason = archive_error_string(reader);
  refuse(fmt::format("damaged compressed data: {}",
                     printable_name(reason != nullptr ? reason : "no reason given")));
}

Reader open_reader(const File& file, const Codec& codec) {
  Reader reader(archive_read_new());
  if (reader == nullptr) throw std::bad_alloc();
  file.rewind();
  archive_entry* entry = nullptr;
  if (codec.read(reader.get()) != ARCHIVE_OK ||
      archive_read_support_format_raw(reader.get()) != ARCHIVE_OK ||
      archive_read_support_format_empty(reader.get()) != ARCHIVE_OK ||
      archive_read_open_fd(reader.get(), file.fd(), kBuffer) != ARCHIVE_OK) {
    refuse_data(reader.get());
  }
  const int status = archive_read_next_header(reader.get(), &entry);
  if (status == ARCHIVE_EOF) refuse("the archive is empty");
  if (status != ARCHIVE_OK) refuse_data(reader.get());
  // libarchive peels layer after layer; the last "filter" is the file itself.
  if (archive_filter_count(reader.get()) > 2) refuse("the archive is compressed more than once");
  return reader;
}

/// Counts what comes out of the decompressor, and stops it.
class OutputBudget {
 public:
  OutputBudget(std::uint64_t input_bytes, const Limits& limits)
      : limits_(limits),
        by_ratio_(std::max(kFreeExpansion, saturating_product(input_bytes, limits.max_expansion))) {
  }

  void take(std::uint64_t bytes) {
    used_ += bytes;
    if (used_ > limits_.max_total_bytes) {
      refuse(fmt::format("the archive is larger than {} bytes (limit max_total_bytes)",
                         limits_.max_total_bytes));
    }
    if (used_ > by_ratio_) {
      refuse(fmt::format("the archive expands to more than {} times its size (limit max_expansion)",
                         limits_.max_expansion));
    }
  }

 private:
  static std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
  }

  const Limits& limits_;
  std::uint64_t by_ratio_;
  std::uint64_t used_ = 0;
};

/// What libarchive's write callback knows; an exception must not cross the C code.
struct Output {
  const File& file;
  std::exception_ptr failure;
};

la_ssize_t write_output(::archive* /*writer*/, void* data, const void* bytes, std::size_t size) {
  auto& output = *static_cast<Output*>(data);
  try {
    output.file.write({static_cast<const char*>(bytes), size});
  } catch (...) {
    output.failure = std::current_exception();
    return -1;
  }
  return static_cast<la_ssize_t>(size);
}

void check_write(int status, ::archive* writer, const Output& output) {
  if (status >= ARCHIVE_WARN) return;
  if (output.failure) std::rethrow_exception(output.failure);
  const char* const reason = archive_error_string(writer);
  throw std::runtime_error(reason != nullptr ? reason : "compression failed");
}

void start_raw_stream(::archive* writer, Output& output) {
  check_write(archive_write_set_format_raw(writer), writer, output);
  // Without padding of the compressed stream to tar records.
  check_write(archive_write_set_bytes_per_block(writer, 0), writer, output);
  check_write(archive_write_open(writer, &output, nullptr, write_output, nullptr), writer, output);
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  if (entry == nullptr) throw std::bad_alloc();
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  check_write(archive_write_header(writer, entry.get()), writer, output);
}

}  // namespace

Storage storage_of(const File& file) {
  std::array<char, 8> head{};
  const std::size_t size = file.read_some_at(0, head.data(), head.size());
  const std::string_view start(head.data(), size);
  for (const Codec& codec : kCodecs) {
    if (start.starts_with(codec.magic)) return codec.storage;
  }
  return Storage::tar;
}

File decompress(const File& file, Storage storage, const Limits& limits) {
  const Reader reader = open_reader(file, codec_of(storage));
  const auto input_bytes = static_cast<std::uint64_t>(file.status().st_size);
  OutputBudget budget(input_bytes, limits);
  File spool = File::anonymous();
  const auto buffer = std::make_unique<char[]>(kBuffer);
  while (true) {
    const la_ssize_t count = archive_read_data(reader.get(), buffer.get(), kBuffer);
    if (count < 0) refuse_data(reader.get());
    if (count == 0) break;
    const auto size = static_cast<std::size_t>(count);
    budget.take(size);
    spool.write({buffer.get(), size});
  }
  if (static_cast<std::uint64_t>(archive_filter_bytes(reader.get(), -1)) != input_bytes) {
    refuse("data behind the end of the compressed stream");
  }
  return spool;
}

void compress(const File& tar, Storage storage, const File& out) {
  const Writer writer(archive_write_new());
  if (writer == nullptr) throw std::bad_alloc();
  Output output{out, nullptr};
  check_write(codec_of(storage).write(writer.get()), writer.get(), output);
  if (storage == Storage::tar_gzip) {
    check_write(archive_write_set_filter_option(writer.get(), "gzip", "timestamp", nullptr),
                writer.get(), output);
  }
  start_raw_stream(writer.get(), output);
  const auto buffer = std::make_unique<char[]>(kBuffer);
  tar.rewind();
  while (const std::size_t size = tar.read_some(buffer.get(), kBuffer)) {
    const la_ssize_t count = archive_write_data(writer.get(), buffer.get(), size);
    check_write(count < 0 ? static_cast<int>(count) : ARCHIVE_OK, writer.get(), output);
  }
  check_write(archive_write_close(writer.get()), writer.get(), output);
}

}  // namespace mlf::archive

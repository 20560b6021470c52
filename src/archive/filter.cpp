#include "archive/filter.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <new>

#include "archive/fault.h"
#include "support/error.h"

namespace mlf::archive {
namespace {

using support::File;

// --- gzip ----------------------------------------------------------------------------------------

constexpr std::size_t kGzipBuffer = 256 * 1024;

/// The largest window, with gzip's header and trailer instead of zlib's: inflateInit2 expects both
/// in one number.
constexpr int kWindowBits = MAX_WBITS + 16;

/// A stream of gzip members, each with a header, a deflated text and a trailer.
class GzipReader {
 public:
  explicit GzipReader(const support::File& file) : file_(file) {
    if (::inflateInit2(&stream_, kWindowBits) != Z_OK) throw std::bad_alloc();
  }
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader() { ::inflateEnd(&stream_); }

  void run(const TakeBytes& take) {
    file_.rewind();
    do {
      read_member(take);
    } while (begins_member());
  }

 private:
  /// Returns false at the end of the file.
  bool fill() {
    if (stream_.avail_in != 0) return true;
    const std::size_t count = file_.read_some(input_.get(), kGzipBuffer);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.get());
    stream_.avail_in = static_cast<uInt>(count);
    return count != 0;
  }

  /// zlib returns Z_STREAM_END only if the checksum and length in the trailer match the output.
  void read_member(const TakeBytes& take) {
    for (int status = Z_OK; status != Z_STREAM_END;) {
      if (!fill()) refuse("damaged compressed data: cut off");
      stream_.next_out = reinterpret_cast<Bytef*>(output_.get());
      stream_.avail_out = static_cast<uInt>(kGzipBuffer);
      status = ::inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && status != Z_STREAM_END) {
        refuse(fmt::format("damaged compressed data: {}",
                           stream_.msg != nullptr ? stream_.msg : "not gzip"));
      }
      take({output_.get(), kGzipBuffer - stream_.avail_out});
    }
  }

  bool begins_member() {
    if (!fill()) return false;
    constexpr Bytef kFirstByte = 0x1f;
    if (*stream_.next_in != kFirstByte) refuse("data behind the end of the compressed stream");
    ::inflateReset(&stream_);
    return true;
  }

  const support::File& file_;
  std::unique_ptr<char[]> input_ = std::make_unique<char[]>(kGzipBuffer);
  std::unique_ptr<char[]> output_ = std::make_unique<char[]>(kGzipBuffer);
  z_stream stream_{};
};

/// Decompresses all members of `file` and passes the output to `take`. Throws `invalid_input` if
/// the data is damaged or truncated, if its checksum or length is wrong, or if anything but another
/// member follows; `io` if it cannot be read.  Uses zlib because libarchive up to 3.7 ignores the
/// checksum and the length.
void decompress_gzip(const support::File& file, const TakeBytes& take) {
  GzipReader(file).run(take);
}

constexpr std::size_t kBuffer = 256 * 1024;
// Small archives may expand without limit: a tar of zeros is a thousand times larger than its gzip.
constexpr std::uint64_t kFreeExpansion = 1024 * 1024;

template <int (*add_filter)(::archive*)>
void decompress_with_libarchive(const File& file, const TakeBytes& take);

/// The signature of a compression, and its libarchive functions.
struct Codec {
  Storage storage;
  std::string_view magic;
  void (*decompress)(const File&, const TakeBytes&);
  int (*write)(::archive*);
};

constexpr std::array<Codec, 3> kCodecs{{
    {Storage::tar_gzip, {"\x1f\x8b", 2}, decompress_gzip, archive_write_add_filter_gzip},
    {Storage::tar_xz,
     {"\xfd"
      "7zXZ\0",
      6},
     decompress_with_libarchive<archive_read_support_filter_xz>,
     archive_write_add_filter_xz},
    {Storage::tar_zstd,
     {"\x28\xb5\x2f\xfd", 4},
     decompress_with_libarchive<archive_read_support_filter_zstd>,
     archive_write_add_filter_zstd},
}};

// Never called for a plain tar or a directory.
const Codec& codec_of(Storage storage) {
  return *std::ranges::find(kCodecs, storage, &Codec::storage);
}

using Reader = std::unique_ptr<::archive, support::Close<archive_read_free>>;
using Writer = std::unique_ptr<::archive, support::Close<archive_write_free>>;
using Entry = std::unique_ptr<archive_entry, support::Close<archive_entry_free>>;

/// The data of libarchive's read callback; an exception must not cross the C code.
struct Input {
  const File& file;
  std::unique_ptr<char[]> buffer = std::make_unique<char[]>(kBuffer);
  std::exception_ptr failure{};
};

la_ssize_t read_input(::archive* /*reader*/, void* data, const void** bytes) {
  auto& input = *static_cast<Input*>(data);
  *bytes = input.buffer.get();
  try {
    return static_cast<la_ssize_t>(input.file.read_some(input.buffer.get(), kBuffer));
  } catch (...) {
    input.failure = std::current_exception();
    return ARCHIVE_FATAL;
  }
}

/// An unreadable file is not a damaged one, although libarchive may call it truncated.
[[noreturn]] void refuse_data(::archive* reader, const Input& input) {
  if (input.failure) std::rethrow_exception(input.failure);
  const char* const reason = archive_error_string(reader);
  refuse(fmt::format("damaged compressed data: {}",
                     printable_name(reason != nullptr ? reason : "no reason given")));
}

/// Returns false if there is no output.
template <int (*add_filter)(::archive*)>
bool start_reading(::archive* reader, Input& input) {
  input.file.rewind();
  if (add_filter(reader) != ARCHIVE_OK || archive_read_support_format_raw(reader) != ARCHIVE_OK ||
      archive_read_support_format_empty(reader) != ARCHIVE_OK ||
      archive_read_open(reader, &input, nullptr, read_input, nullptr) != ARCHIVE_OK) {
    refuse_data(reader, input);
  }
  archive_entry* entry = nullptr;
  const int status = archive_read_next_header(reader, &entry);
  if (status == ARCHIVE_EOF) return false;
  if (status != ARCHIVE_OK) refuse_data(reader, input);
  // libarchive removes one filter after the other; the last "filter" is the file itself.
  if (archive_filter_count(reader) > 2) refuse("the archive is compressed more than once");
  return true;
}

/// xz and zstd. Both check their output themselves if the stream has a checksum.
template <int (*add_filter)(::archive*)>
void decompress_with_libarchive(const File& file, const TakeBytes& take) {
  const Reader reader(archive_read_new());
  if (reader == nullptr) throw std::bad_alloc();
  Input input{file};
  if (!start_reading<add_filter>(reader.get(), input)) return;
  const auto buffer = std::make_unique<char[]>(kBuffer);
  while (true) {
    const la_ssize_t count = archive_read_data(reader.get(), buffer.get(), kBuffer);
    if (count < 0 || input.failure) refuse_data(reader.get(), input);
    if (count == 0) break;
    take({buffer.get(), static_cast<std::size_t>(count)});
  }
  if (archive_filter_bytes(reader.get(), -1) != file.status().st_size) {
    refuse("data behind the end of the compressed stream");
  }
}

/// After each block: a decompression bomb is stopped before it fills the disk.
void check_expanded(std::uint64_t bytes, std::uint64_t compressed, const Limits& limits) {
  check_total_size(bytes, limits);
  std::uint64_t by_ratio = 0;
  if (__builtin_mul_overflow(compressed, limits.max_expansion, &by_ratio)) return;
  if (bytes <= std::max(kFreeExpansion, by_ratio)) return;
  refuse(fmt::format("the archive expands to more than {} times its size (--limit expansion=N)",
                     limits.max_expansion));
}

/// The data of libarchive's write callback; an exception must not cross the C code.
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
  // An error of mlf's own callback is more precise than libarchive's message about it.
  if (output.failure) std::rethrow_exception(output.failure);
  const char* const reason = archive_error_string(writer);
  // Where libarchive gets no memory, it gives this number, or neither number nor reason.
  if (reason == nullptr || archive_errno(writer) == ENOMEM) throw std::bad_alloc();
  throw std::runtime_error(reason);
}

void start_raw_stream(::archive* writer, Output& output) {
  check_write(archive_write_set_format_raw(writer), writer, output);
  // Does not pad the compressed stream to tar records.
  check_write(archive_write_set_bytes_per_block(writer, 0), writer, output);
  check_write(archive_write_open(writer, &output, nullptr, write_output, nullptr), writer, output);
  const Entry entry(archive_entry_new());
  if (entry == nullptr) throw std::bad_alloc();
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  check_write(archive_write_header(writer, entry.get()), writer, output);
}

}  // namespace

bool begins_as_archive(std::string_view bytes) noexcept {
  // The offset of the magic word in a tar header.
  constexpr std::size_t kMagicOfTar = 257;
  return (bytes.size() > kMagicOfTar && bytes.substr(kMagicOfTar).starts_with("ustar")) ||
         std::ranges::any_of(kCodecs,
                             [&](const Codec& codec) { return bytes.starts_with(codec.magic); });
}

Storage storage_of(const File& file) {
  std::array<char, 8> head{};
  // Decides by content: tvmc accepts any compression with any name.
  const std::size_t size = file.read_some_at(0, head.data(), head.size());
  const std::string_view start(head.data(), size);
  for (const Codec& codec : kCodecs) {
    if (start.starts_with(codec.magic)) return codec.storage;
  }
  return Storage::tar;
}

File decompress(const File& file, Storage storage, const Limits& limits) {
  const auto compressed = static_cast<std::uint64_t>(file.status().st_size);
  std::uint64_t size = 0;
  File spool = File::anonymous();
  codec_of(storage).decompress(file, [&](std::string_view bytes) {
    size += bytes.size();
    check_expanded(size, compressed, limits);
    spool.write(bytes);
  });
  if (storage_of(spool) != Storage::tar) refuse("the archive is compressed more than once");
  return spool;
}

void check_expansion(const File& tar, const File& compressed, const Limits& limits) {
  check_expanded(static_cast<std::uint64_t>(tar.status().st_size),
                 static_cast<std::uint64_t>(compressed.status().st_size), limits);
}

void compress(const File& tar, Storage storage, const File& out) {
  const Writer writer(archive_write_new());
  if (writer == nullptr) throw std::bad_alloc();
  Output output{out, nullptr};
  check_write(codec_of(storage).write(writer.get()), writer.get(), output);
  // gzip stores the time of compression, which would make equal archives differ.
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

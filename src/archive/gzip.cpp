#include "archive/gzip.h"

#include <fmt/core.h>
#include <zlib.h>

#include <memory>
#include <new>

#include "archive/fault.h"

namespace mlf::archive {
namespace {

constexpr std::size_t kGzipBuffer = 256 * 1024;

/// The largest window, and gzip's header and trailer instead of zlib's: inflateInit2 takes both in
/// one number.
constexpr int kWindowBits = MAX_WBITS + 16;

/// One stream of members, each a header, a deflated text and a trailer.
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
  /// False at the end of the file.
  bool fill() {
    if (stream_.avail_in != 0) return true;
    const std::size_t count = file_.read_some(input_.get(), kGzipBuffer);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.get());
    stream_.avail_in = static_cast<uInt>(count);
    return count != 0;
  }

  /// zlib answers Z_STREAM_END only where checksum and length of the trailer are those of what
  /// came out.
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

}  // namespace

void decompress_gzip(const support::File& file, const TakeBytes& take) {
  GzipReader(file).run(take);
}

}  // namespace mlf::archive

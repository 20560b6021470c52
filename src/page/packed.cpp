#include "page/packed.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <numeric>
#include <string>

#include "support/base64.h"

namespace mlf::page {
namespace {

/// Makes a gzip file of texts, without time and name.
class Gzip {
 public:
  Gzip() {
    constexpr int kGzipHeader = 16;
    constexpr int kMostMemory = 9;
    if (deflateInit2(&stream_, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipHeader, kMostMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() { deflateEnd(&stream_); }

  void add(std::string_view text) {
    while (!text.empty()) {
      // zlib counts in 32 bits.
      const std::string_view block = text.substr(0, std::size_t{1} << 20U);
      text.remove_prefix(block.size());
      // zlib takes a pointer to mutable bytes, but only reads them.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
      stream_.avail_in = static_cast<uInt>(block.size());
      deflate_all(Z_NO_FLUSH);
    }
  }

  /// The file. Call it last.
  std::string finish() {
    deflate_all(Z_FINISH);
    return std::move(file_);
  }

 private:
  void deflate_all(int flush) {
    std::array<char, 16 * 1024> block;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(block.data());
      stream_.avail_out = static_cast<uInt>(block.size());
      deflate(&stream_, flush);
      file_.append(block.data(), block.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  std::string file_;
};

void write_packed(HtmlWriter& html, std::string_view file) {
  html.open("script", {{"type", "application/gzip"}, {"id", "packed"}});
  std::string text;
  support::append_base64(text, std::as_bytes(std::span(file)));
  html.trusted(text);
  html.close("script");
  html.trusted("\n");
}

}  // namespace

void write_with_parts(const Sink& sink, std::string_view markup, std::span<const PagePart> parts) {
  const auto add = [](std::size_t sum, const PagePart& part) {
    return sum + part.end - part.begin;
  };
  if (std::accumulate(parts.begin(), parts.end(), std::size_t{0}, add) <= kMostPlainBytes) {
    sink(markup);
    return;
  }
  HtmlWriter html(sink);
  Gzip gzip;
  std::size_t at = 0;
  for (const PagePart& part : parts) {
    html.trusted(markup.substr(at, part.begin - at));
    html.element("p", {{"class", "note"}, {"data-part", ""}},
                 fmt::format("{}: compressed, for the script of this page.", part.subject));
    gzip.add(markup.substr(part.begin, part.end - part.begin));
    gzip.add({"\0", 1});
    at = part.end;
  }
  html.trusted(markup.substr(at));
  write_packed(html, gzip.finish());
  html.flush();
}

}  // namespace mlf::page

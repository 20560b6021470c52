// What was read in any dialect is written as TVMScript and as save_json, or refused; what is
// written is read again, and from the second time on it is the same text.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mlf/tir/document.h"
#include "mlf/tir/write.h"

namespace {

using mlf::Sink;
using mlf::tir::Document;

constexpr mlf::tir::ReadLimits kLimits{.max_nesting = 10'000,
                                       .max_nodes = 100'000,
                                       .max_source_bytes = 1u << 20,
                                       .max_written_nodes = 100'000};

mlf::Result<Document> read(std::string_view text) {
  return mlf::tir::read({.file = "fuzz", .member = "", .text = text}, kLimits);
}

using Write = mlf::Result<void>(const Document& document, const Sink& sink);

mlf::Result<void> write_script(const Document& document, const Sink& sink) {
  return write_tvmscript(document, {.max_written_nodes = kLimits.max_written_nodes}, sink);
}

std::string text_of(const Document& document, Write* write) {
  std::string text;
  const auto written = write(document, [&](std::string_view bytes) { text += bytes; });
  return written ? text : std::string();
}

/// What reading its text gives, as text again. A text does not say for which TVM it is: several are
/// possible, with defaults of their own.
std::string again(const std::string& text, const Document& first, Write* write) {
  auto document = read(text);
  if (!document) std::abort();
  document->source.tvm_version = first.source.tvm_version;
  return text_of(*document, write);
}

/// The first text may lose names; from then on nothing changes.
void check(const Document& document, Write* write) {
  const std::string text = text_of(document, write);
  if (text.empty()) return;
  const std::string second = again(text, document, write);
  if (again(second, document, write) != second) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = read({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  check(*document, write_script);
  check(*document, mlf::tir::write_save_json);
  return 0;
}

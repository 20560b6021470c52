// tir::read: one text in, one document or its diagnostics out.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "mlf/tir/document.h"
#include "support/error.h"
#include "support/source_text.h"
#include "tir/c/c.h"
#include "tir/node_queries.h"
#include "tir/reader.h"

namespace mlf::tir {
namespace {

using support::fail_at;
using support::SourceText;

// The path inside the archive, or the file's name: documents do not depend on where the file lies.
std::string name_of_source(const Input& input) {
  if (!input.member.empty()) return input.member;
  return input.file.substr(input.file.rfind('/') + 1);
}

void check_size(const SourceText& source, const ReadLimits& limits) {
  // Source ranges are 32 bits wide, whatever the caller allows.
  const std::uint64_t most = std::min<std::uint64_t>(limits.max_source_bytes, UINT32_MAX);
  if (source.text.size() <= most) return;
  fail_at(source, 0,
          fmt::format("the source has {} bytes, more than {}", source.text.size(), most));
}

// Two messages, because an empty file is a mistake of another kind.
Dialect detect_or_fail(const SourceText& source) {
  if (const auto dialect = detect(source.text)) return *dialect;
  const std::size_t first = source.text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) fail_at(source, 0, "expected TIR, found nothing");
  for (const std::string_view begin : {"IRModule({", "PrimFunc(["}) {
    const std::size_t at = source.text.find(begin);
    if (at == std::string_view::npos) continue;
    fail_at(source, at,
            "this is a repr text (legacy_repr() of TVM v0.12 and later), which mlf does not read: "
            "capture the module with tvm.ir.save_json, or print it with script()");
  }
  fail_at(source, first,
          "expected TIR: TVMScript, legacy text (primfn), C that TVM generated, JSON of "
          "tvm.ir.save_json or mlf's own");
}

// One call for each dialect: each reader gets the text, the limits, and whom to ask for constants.
Reading read_dialect(Dialect dialect, const SourceText& source, const ReadLimits& limits,
                     const ConstantFinder& constants, Places* places) {
  switch (dialect) {
    case Dialect::save_json:
      return read_save_json(source, limits);
    case Dialect::tvmscript:
      return read_tvmscript(source, limits, constants, places);
    case Dialect::legacy_text:
      return read_legacy_text(source, limits, constants, places);
    case Dialect::old_tvmscript:
      return read_old_tvmscript(source, limits, constants);
    case Dialect::c:
    case Dialect::tir_json:
      break;  // not a Reading: `read` takes them
  }
  throw support::Error(ErrorKind::internal, "no reader for this dialect");
}

/// The text with blanks for the lines in front of it, so that places stay the same; nothing where
/// there are none.
std::string without_foreign_lines(std::string_view text, Dialect dialect) {
  std::string bare(text.substr(0, begin_of_text(text, dialect)));
  if (bare.empty()) return bare;
  std::ranges::replace_if(
      bare, [](char c) { return c != '\n'; }, ' ');
  bare += text.substr(bare.size());
  return bare;
}

/// Points at the second function if its text is known: save_json has no places.
void check_function_names(const SourceText& source, const Module& module) {
  const auto repeated = repeated_function(module);
  if (!repeated) return;
  std::string message = message_of_repeated_function(repeated->name);
  const auto range = module.source_range(repeated->function.id());
  if (!range) throw support::Error(ErrorKind::invalid_input, std::move(message));
  support::fail_at(source, range->begin, std::move(message));
}

// JSON of ours brings its own description; of every other text the source is described here.
Document read_document(const Input& input, const SourceText& source, const ReadLimits& limits,
                       Places* places) {
  // Before anything looks at the text.
  check_size(source, limits);
  const Dialect dialect = detect_or_fail(source);
  if (dialect == Dialect::tir_json) return read_tir_json(source, limits);
  // One file of several: pools and metadata are in others.
  if (dialect == Dialect::c) {
    return places == nullptr ? read_c({.files = {input}}, limits)
                             : read_c_with_places({.files = {input}}, limits, *places);
  }
  SourceDigest digest(input);
  const std::string bare = without_foreign_lines(source.text, dialect);
  const SourceText text{source.file, source.member, bare.empty() ? source.text : bare};
  Reading reading = read_dialect(dialect, text, limits, input.constants, places);
  check_function_names(text, reading.module);
  return {.source = {.member = name_of_source(input),
                     .dialect = dialect,
                     .stage = input.stage,
                     .tvm_version = std::move(reading.version),
                     .sha256 = digest.hex()},
          .target = std::nullopt,
          .module = std::move(reading.module),
          .losses = std::move(reading.losses),
          .recovered = std::move(reading.recovered)};
}

Result<Document> read_any(const Input& input, const ReadLimits& limits, Places* places) {
  // Places in messages are those behind the mark, as editors count.
  const SourceText source{input.file, input.member, without_byte_order_mark(input.text)};
  auto document = support::to_result([&] { return read_document(input, source, limits, places); });
  if (document) return document;
  // Readers know offsets in a text; which file and member it is they need not know.
  Diagnostic diagnostic = in_file(std::move(document.error()), input.file);
  if (diagnostic.where.member.empty()) diagnostic.where.member = input.member;
  return tl::make_unexpected(std::move(diagnostic));
}

}  // namespace

std::string refusal_of_other_tvm(std::string_view named) {
  return fmt::format("this is {}: mlf reads TIR of TVM 0.{} to 0.{}", named, kOldestTvm,
                     kNewestTvm);
}

std::string message_of_repeated(std::string_view name) {
  return fmt::format("duplicate key \"{}\"", printable(name));
}

Result<Document> read(const Input& input, const ReadLimits& limits) {
  return read_any(input, limits, nullptr);
}

Document read_with_places(const Input& input, const ReadLimits& limits, Places& places) {
  return support::get_or_throw(read_any(input, limits, &places));
}

}  // namespace mlf::tir

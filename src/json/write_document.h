// What all documents of ours begin with, and how they end.
#pragma once

#include <string>
#include <string_view>

#include "json/writer.h"
#include "mlf/formats.h"
#include "support/byte_sink.h"

namespace mlf::json {

/// One object: what it is ("mlf-report"), the version of that format, who wrote it, and what
/// `write_members(Writer&)` writes.
template <class WriteMembers>
void write_document(support::ByteSink& sink, JsonLayout layout, std::string_view format,
                    int format_version, WriteMembers write_members) {
  Writer out(sink, layout);
  out.begin_object();
  out.member("format", format);
  out.member("version", format_version);
  out.member("generator", "mlf " + std::string(version()));
  write_members(out);
  out.end_object();
  out.end_line();
  out.flush();
}

/// The same as a text.
template <class WriteMembers>
std::string document_text(JsonLayout layout, std::string_view format, int format_version,
                          WriteMembers write_members) {
  support::StringSink sink;
  write_document(sink, layout, format, format_version, write_members);
  return sink.take();
}

}  // namespace mlf::json

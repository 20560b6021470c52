// Writes a whole JSON text: one object, and the common beginning of mlf's documents.
#pragma once

#include <string>
#include <string_view>

#include "json/writer.h"
#include "mlf/formats.h"
#include "support/byte_sink.h"

namespace mlf::json {

/// Writes one object with the members that `write_members(Writer&)` writes, and ends its line.
template <class WriteMembers>
void write_object(support::ByteSink& sink, JsonLayout layout, WriteMembers write_members) {
  Writer out(sink, layout);
  out.begin_object();
  write_members(out);
  out.end_object();
  out.end_line();
  out.flush();
}

/// The same as a text.
template <class WriteMembers>
std::string object_text(JsonLayout layout, WriteMembers write_members) {
  support::StringSink sink;
  write_object(sink, layout, write_members);
  return sink.take();
}

/// Writes one object: its format ("mlf-report"), version and generator, and the members that
/// `write_members(Writer&)` writes.
template <class WriteMembers>
void write_document(support::ByteSink& sink, JsonLayout layout, std::string_view format,
                    int format_version, WriteMembers write_members) {
  write_object(sink, layout, [&](Writer& out) {
    out.member("format", format);
    out.member("version", format_version);
    out.member("generator", "mlf " + std::string(version()));
    write_members(out);
  });
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

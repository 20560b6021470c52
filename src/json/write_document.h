// Writes a whole JSON text: one object, and the common beginning of mlf's documents.
#pragma once

#include <string>
#include <string_view>

#include "json/text.h"
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

inline void write_digest(Writer& out, const FileDigest& digest) {
  out.member("name", valid_utf8(digest.name));
  out.text_or_null("sha256", digest.sha256);
}

inline void write_archive_origin(Writer& out, const ArchiveOrigin& origin) {
  write_digest(out, origin.archive);
  out.member("version", origin.version);
  out.objects("members", origin.members, write_digest);
  out.objects("files", origin.files, write_digest);
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

/// The same for a document that states its origin.
template <class WriteMembers>
void write_document(support::ByteSink& sink, const DocumentForm& form, std::string_view format,
                    int format_version, WriteMembers write_members) {
  write_document(sink, form.layout, format, format_version, [&](Writer& out) {
    out.object("origin", [&] {
      out.text_or_null("command", valid_utf8(form.origin.command));
      out.objects("archives", form.origin.archives, write_archive_origin);
    });
    write_members(out);
  });
}

/// The same as a text.
template <class WriteMembers>
std::string document_text(const DocumentForm& form, std::string_view format, int format_version,
                          WriteMembers write_members) {
  support::StringSink sink;
  write_document(sink, form, format, format_version, write_members);
  return sink.take();
}

}  // namespace mlf::json

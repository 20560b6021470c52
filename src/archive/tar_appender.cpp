#include "archive/tar_appender.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "archive/fault.h"
#include "archive/tar_header.h"
#include "support/error.h"

namespace mlf::archive {
namespace {

std::string_view as_bytes(const TarHeader& header) {
  return {reinterpret_cast<const char*>(&header), kBlock};
}

template <std::size_t N>
bool put_text(char (&field)[N], std::string_view text) {
  if (text.size() > N) return false;
  std::copy(text.begin(), text.end(), field);
  return true;
}

/// A name goes into `name`, or is cut at a slash into `prefix` and `name`.
bool put_name(TarHeader& header, std::string_view name) {
  if (put_text(header.name, name)) return true;
  // The rest behind the slash has to fit into `name`; the slash itself is in neither.
  const std::size_t earliest = name.size() - sizeof header.name - 1;
  const std::size_t slash = name.find('/', earliest);
  if (slash == std::string_view::npos || slash > sizeof header.prefix) return false;
  return put_text(header.prefix, name.substr(0, slash)) &&
         put_text(header.name, name.substr(slash + 1));
}

TarHeader blank_header(char type) {
  TarHeader header{};
  header.type = type;
  // POSIX ustar: every reader knows it, and PAX headers extend it.
  std::memcpy(header.magic, "ustar", sizeof header.magic);
  std::memcpy(header.version, "00", sizeof header.version);
  for (const std::span<char> field :
       {std::span<char>(header.mode), std::span<char>(header.uid), std::span<char>(header.gid),
        std::span<char>(header.size), std::span<char>(header.mtime),
        std::span<char>(header.device_major), std::span<char>(header.device_minor)}) {
    put_octal(field, 0);
  }
  return header;
}

/// The member's header except for its size, and the PAX records it needs.
struct Headers {
  TarHeader header = blank_header('0');
  std::string pax;

  void number(std::span<char> field, std::string_view key, std::uint64_t value) {
    // A PAX record only where the field is too small: plain archives stay plain.
    if (!put_octal(field, value)) pax += pax_record(key, std::to_string(value));
  }
  template <std::size_t N>
  void text(char (&field)[N], std::string_view key, std::string_view value) {
    // Readers want a NUL behind user and group names.
    if (value.size() >= N || !put_text(field, value)) pax += pax_record(key, value);
  }
};

Headers headers_of(const std::string& name, const Member& like) {
  Headers made;
  if (!put_name(made.header, name)) {
    made.pax += pax_record("path", name);
    // For tools without PAX, which see at least the beginning.
    put_text(made.header.name, std::string_view(name).substr(0, sizeof made.header.name));
  }
  // Permissions only: content that mlf writes has no business with set-id bits.
  put_octal(made.header.mode, like.mode & 0777);
  made.number(made.header.uid, "uid", like.uid);
  made.number(made.header.gid, "gid", like.gid);
  // Before 1970: octal has no sign.
  if (like.mtime < 0) {
    made.pax += pax_record("mtime", std::to_string(like.mtime));
  } else {
    made.number(made.header.mtime, "mtime", static_cast<std::uint64_t>(like.mtime));
  }
  made.text(made.header.uname, "uname", like.uname);
  made.text(made.header.gname, "gname", like.gname);
  return made;
}

TarHeader pax_header(std::uint64_t size) {
  TarHeader header = blank_header('x');
  put_text(header.name, "././@PaxHeader");  // the name Python's tarfile gives it
  put_octal(header.mode, 0644);
  put_octal(header.size, size);
  seal(header);
  return header;
}

}  // namespace

void TarAppender::put(std::string_view bytes) {
  out_.write(bytes);
  offset_ += bytes.size();
}

void TarAppender::put_padding(std::uint64_t unit) {
  put(std::string(round_up(offset_, unit) - offset_, '\0'));
}

void TarAppender::append(const NewMember& member) {
  Headers made = headers_of(prefix_ + member.name, *member.like);
  if (!made.pax.empty()) {
    put(as_bytes(pax_header(made.pax.size())));
    put(made.pax);
    put_padding(kBlock);
  }
  // The size is known only after the content: the header is written twice.
  const std::uint64_t header_offset = offset_;
  put(as_bytes(made.header));
  support::FileSink content(out_);
  member.write(content);
  content.flush();
  offset_ += content.written();
  put_padding(kBlock);
  if (!put_octal(made.header.size, content.written())) {
    refuse("the new member is larger than 8 GiB, which a tar header cannot say", member.name);
  }
  seal(made.header);
  out_.write_at(header_offset, as_bytes(made.header));
}

void TarAppender::finish(Padding padding) {
  put(std::string(2 * kBlock, '\0'));
  if (padding == Padding::records) {
    put_padding(kRecord);
  } else if (offset_ % kRecord == 0) {
    // One block more, as a multiple of a record would make the next run pad to records.
    put(std::string(kBlock, '\0'));
  }
}

}  // namespace mlf::archive

#include "archive/libarchive_view.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/core.h>
#include <locale.h>

#include <memory>

#include "archive/fault.h"

namespace mlf::archive {
namespace {

/// libarchive converts PAX names to the thread's locale; mlf wants them as the UTF-8 they are.
/// Gives the current thread a UTF-8 character set for the length of a scope. Where the system has
/// no C.UTF-8, names beyond ASCII may fail to compare, which refuses the archive.
class Utf8Locale {
 public:
  Utf8Locale() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (locale_ != nullptr) before_ = ::uselocale(locale_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;
  ~Utf8Locale() {
    if (locale_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(locale_);
  }

 private:
  locale_t locale_ = nullptr;
  locale_t before_ = nullptr;
};

struct FreeView {
  void operator()(::archive* reader) const { archive_read_free(reader); }
};
using View = std::unique_ptr<::archive, FreeView>;

[[noreturn]] void refuse_reading(::archive* reader) {
  const char* const reason = archive_error_string(reader);
  refuse(fmt::format("libarchive refuses the archive: {}",
                     printable_name(reason != nullptr ? reason : "no reason given")));
}

View open_view(std::string_view bytes) {
  View reader(archive_read_new());
  if (reader == nullptr) throw std::bad_alloc();
  // No filter: the bytes were decompressed under our own limits.
  if (archive_read_support_format_tar(reader.get()) != ARCHIVE_OK ||
      archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    refuse_reading(reader.get());
  }
  return reader;
}

/// False at the end of the archive. Warnings pass: the comparison judges what they are about.
bool next_entry(::archive* reader, archive_entry*& entry) {
  const int status = archive_read_next_header(reader, &entry);
  if (status == ARCHIVE_EOF) return false;
  if (status != ARCHIVE_OK && status != ARCHIVE_WARN) refuse_reading(reader);
  return true;
}

std::string describe(std::string_view name, std::int64_t size, std::int64_t offset) {
  return fmt::format("'{}' of {} bytes at {}", printable_name(name), size, offset);
}

}  // namespace

void check_agreement(std::string_view bytes, const std::vector<Member>& members) {
  const Utf8Locale locale;
  const View reader = open_view(bytes);
  archive_entry* entry = nullptr;
  for (const Member& member : members) {
    if (!next_entry(reader.get(), entry)) {
      refuse("two readings of the archive disagree: libarchive sees its end before this member",
             member.name);
    }
    const char* const path = archive_entry_pathname(entry);
    // Name, size and place of the content: whoever agrees on these reads the same bytes.
    const std::string theirs = describe(path != nullptr ? path : "", archive_entry_size(entry),
                                        archive_filter_bytes(reader.get(), 0));
    const std::string ours = describe(member.raw_name, static_cast<std::int64_t>(member.size),
                                      static_cast<std::int64_t>(member.data_offset));
    if (theirs != ours) {
      refuse(fmt::format("two readings of the archive disagree: libarchive sees {}, the headers "
                         "say {}",
                         theirs, ours),
             member.name);
    }
  }
  if (next_entry(reader.get(), entry)) {
    refuse("two readings of the archive disagree: libarchive sees more members");
  }
}

}  // namespace mlf::archive

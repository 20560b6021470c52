// libarchive converts PAX names to the thread's locale; mlf wants them as the UTF-8 they are.
#pragma once

#include <locale.h>

namespace mlf::archive {

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

}  // namespace mlf::archive

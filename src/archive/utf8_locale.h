// The character set of names that libarchive reads.
// Threads: a Utf8Locale changes its own thread alone.
#pragma once

#include <locale.h>

namespace mlf::archive {

/// libarchive converts names to the thread's locale; mlf needs them as UTF-8. Gives the current
/// thread a UTF-8 character set until the end of the scope. If the system has no C.UTF-8, names
/// beyond ASCII are not as in the archive, which rejects it.
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

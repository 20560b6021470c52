// Which forms of generated C the version at hand prints.
#pragma once

#include <cstdint>

#include "mlf/tir/document.h"

namespace mlf::tir::c {

enum class Form : std::uint8_t {
#define MLF_C_FORM(name, since, until, meaning) name,
#include "tir/c/write/forms.def"
};

class Forms {
 public:
  /// Where the range leaves a choice, its last version that prints a `?:` as the reader reads it:
  /// what else can be told apart, was.
  explicit Forms(const VersionRange& version);

  bool has(Form form) const;

 private:
  int version_;
};

}  // namespace mlf::tir::c

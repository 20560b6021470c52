// The digest that a document has of its source.
#pragma once

#include <future>
#include <string>

#include "mlf/tir/document.h"

namespace mlf::tir {

/// Counted while the source is read, where that takes long enough to be worth a thread. `input`
/// must outlive it.
class SourceDigest {
 public:
  explicit SourceDigest(const Input& input);

  /// Lower-case hexadecimal digits; once.
  std::string hex() { return hex_.get(); }

 private:
  std::future<std::string> hex_;
};

}  // namespace mlf::tir

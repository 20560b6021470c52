// The digest that a document has of its source.
#pragma once

#include <future>
#include <string>

#include "mlf/tir/document.h"
#include "support/sha256.h"

namespace mlf::tir {

/// Counted while the source is read, where that takes long enough to be worth a thread. `input`
/// must outlive it.
class SourceDigest {
 public:
  explicit SourceDigest(const Input& input)
      : hex_(std::async(support::launch_policy(input.text.size()), [&input] {
          return input.sha256 ? input.sha256() : support::sha256_hex(input.text);
        })) {}

  /// Lower-case hexadecimal digits; once.
  std::string hex() { return hex_.get(); }

 private:
  std::future<std::string> hex_;
};

}  // namespace mlf::tir

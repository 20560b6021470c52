#include "tir/source_digest.h"

#include "support/sha256.h"

namespace mlf::tir {

SourceDigest::SourceDigest(const Input& input)
    : hex_(std::async(support::how_to_count(input.text.size()), [&input] {
        return input.sha256 ? input.sha256() : support::sha256_hex(input.text);
      })) {}

}  // namespace mlf::tir

#include "corpus_directory.h"

#include <cstdlib>

namespace mlf::test {
namespace {

const std::filesystem::path kBundled = MLF_TEST_DATA "/corpus";

}  // namespace

std::filesystem::path corpus_directory() {
  const char* given = std::getenv("MLF_CORPUS");
  if (given != nullptr && *given != '\0') return given;
  return std::filesystem::is_directory(MLF_CORPUS) ? MLF_CORPUS : kBundled;
}

std::size_t of_corpus(std::size_t whole, std::size_t bundled) {
  return std::filesystem::equivalent(corpus_directory(), kBundled) ? bundled : whole;
}

}  // namespace mlf::test

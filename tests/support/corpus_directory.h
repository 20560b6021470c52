// Where the archives of real TVM are that the tests named `Corpus` read.
#pragma once

#include <cstddef>
#include <filesystem>

namespace mlf::test {

/// $MLF_CORPUS, else the corpus beside the checkout, else the few archives of it that are bundled.
std::filesystem::path corpus_directory();

/// How many of something the corpus has at least: `whole`, or `bundled` where it is the bundled
/// one.
std::size_t of_corpus(std::size_t whole, std::size_t bundled);

}  // namespace mlf::test

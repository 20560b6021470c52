// Words of C that name a constant or a pool outside of what the reader of C understands.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "mlf/archive.h"

namespace mlf::optimize {

/// Calls `use(word, place)` for each word of a C text that is not a number; `place` is the offset of
/// its first character.
void for_each_word(std::string_view text,
                   const std::function<void(std::string_view, std::size_t)>& use);

/// Counts watched words in C texts, and checks that a pool occurs only in the forms that TVM
/// writes: `struct POOL {`, `} POOL =`, and once `&POOL`, as an argument of a function that
/// `is_taker` accepts or as the data of the tensor that the entry of packed calls makes of it.
class WordCounts {
 public:
  explicit WordCounts(std::function<bool(std::string_view)> is_taker = {})
      : is_taker_(std::move(is_taker)) {}

  void watch(const std::string& word) { counts_.try_emplace(word); }
  void watch_pool(const std::string& pool);
  void read(std::string_view text);

  std::size_t of(std::string_view word) const;
  bool is_pool_clear(const std::string& pool) const;

 private:
  struct PoolWords {
    bool is_given = false;  ///< to functions that TVM wrote
    bool is_used = false;   ///< in another way
  };

  void take(std::string_view text, std::string_view word, std::size_t begin);
  bool is_given(std::string_view text, const std::string& pool, std::size_t begin, char next) const;

  std::function<bool(std::string_view)> is_taker_;
  std::map<std::string, std::size_t, std::less<>> counts_;
  std::map<std::string, PoolWords, std::less<>> pools_;
};

/// Returns whether macros or line ends may join parts of words.
bool joins_words(std::string_view text);

/// Returns the first type name of constants that a C text defines as a macro; empty if there is
/// none.
std::string_view type_macro(std::string_view text);

/// Returns whether the user may have added this file, with code that uses declarations of a
/// module's C.
bool may_have_code(const archive::Member& member);

}  // namespace mlf::optimize

// The plan in generated C, by the forms of TVM's code generator (src/target/source/codegen_c.cc).
#include <string>

#include "replan/edits.h"
#include "replan/words.h"
#include "support/error.h"

namespace mlf::replan {
namespace {

class CEdits {
 public:
  CEdits(const support::SourceText& source, tir::SourceRange definition,
         const ModuleAssignment& assignment, const FunctionSites& function,
         std::vector<Edit>& edits)
      : source_(source),
        words_(words_of(source.text, definition, Comments::c)),
        assignment_(assignment),
        function_(function),
        edits_(edits) {}

  void run() {
    offsets();
    for (std::size_t at = 0; at < words_.size(); ++at) tensor_size(at);
  }

 private:
  void put(const Word& word, std::uint64_t value) {
    edits_.push_back({word.offset, word.text.size(), value});
  }

  /// The offset of `void* x = (&(pool[128]));` or `void* x = (&(((uint8_t*)pool)[128]));`, where
  /// the pool is typed or not; null for any other words.
  const Word* offset_at(std::size_t at) const {
    if (matches(words_, at,
                {"void", "*", "", "=", "(", "&", "(", "", "[", "", "]", ")", ")", ";"})) {
      return &words_[at + 9];
    }
    if (matches(words_, at, {"void", "*", "", "=", "(", "&", "(", "(", "(", "",
                             "*",    ")", "", ")", "[", "",  "]", ")", ")", ";"})) {
      return &words_[at + 15];
    }
    return nullptr;
  }

  /// As many lets as the function has, in its order and with the old offsets: C that says anything
  /// else was not made from this TIR.
  void offsets() {
    const auto wanted = new_offsets(assignment_, function_);
    std::size_t next = 0;
    for (std::size_t at = 0; at < words_.size(); ++at) {
      const Word* const number = offset_at(at);
      if (number == nullptr || !number_of(*number)) continue;
      if (next == wanted.size() || *number_of(*number) != function_.lets[next].value) {
        refuse_at(*number, "an address that is not one of the lets of its function");
      }
      if (wanted[next]) put(*number, *wanted[next]);
      ++next;
    }
    if (next != wanted.size()) {
      refuse_at(words_.front(), "the C does not show all buffers of this function");
    }
  }

  /// Main with packed calls writes the shape of a pool's tensor in front of its data:
  /// `((int64_t*)stack_shape)[5] = (int64_t)260; (((DLTensor*)stack_array)[3].data) = pool;
  /// (((DLTensor*)stack_array)[3].shape) = (&(((int64_t*)stack_shape)[5]));`
  void tensor_size(std::size_t at) {
    const PoolNames* const pool = data_of_tensor(at);
    if (pool == nullptr) return;
    // `at` is `.data`; the statement ends with ';', and that of the shape comes next.
    const std::size_t shape = at + 5;
    if (!matches(words_, shape, {"(", "(",      "(", "DLTensor", "*", ")", "",  ")", "[", "",
                                 "]", ".shape", ")", "=",        "(", "&", "(", "(", "(", "int64_t",
                                 "*", ")",      "",  ")",        "[", "",  "]", ")", ")", ";"})) {
      refuse_at(words_[at], "the tensor of pool '" + pool->pool + "' has no shape here");
    }
    const std::string_view array = words_[shape + 22].text;
    const std::string_view index = words_[shape + 25].text;
    for (std::size_t back = at; back-- > 0;) {
      if (!matches(words_, back,
                   {"(", "(", "int64_t", "*", ")", array, ")", "[", index, "]", "=", "(", "int64_t",
                    ")", "", ";"})) {
        continue;
      }
      const Word& number = words_[back + 14];
      const PoolSize& size = assignment_.sizes.find(pool->pool)->second;
      if (number_of(number) != size.old_size) {
        refuse_at(number, "it is not " + std::to_string(size.old_size) + ", the size of pool '" +
                              pool->pool + "' in the plan");
      }
      put(number, size.new_size);
      return;
    }
    refuse_at(words_[at], "the shape of pool '" + pool->pool + "' is nowhere in front of it");
  }

  /// The pool of `.data) = pool;` at `at`.
  const PoolNames* data_of_tensor(std::size_t at) const {
    if (!matches(words_, at, {".data", ")", "=", "", ";"})) return nullptr;
    const std::string_view data = words_[at + 3].text;
    for (const PoolNames& pool : function_.pools) {
      if (data == pool.data || data == pool.parameter || data == pool.parameter + "_1")
        return &pool;
    }
    return nullptr;
  }

  [[noreturn]] void refuse_at(const Word& word, std::string message) const {
    throw support::Error(ErrorKind::check_failed, std::move(message),
                         source_.locate(word.offset, word.text.size()));
  }

  const support::SourceText& source_;
  std::vector<Word> words_;
  const ModuleAssignment& assignment_;
  const FunctionSites& function_;
  std::vector<Edit>& edits_;
};

}  // namespace

void add_c_edits(const support::SourceText& source, tir::SourceRange definition,
                 const ModuleAssignment& assignment, const FunctionSites& function,
                 std::vector<Edit>& edits) {
  CEdits(source, definition, assignment, function, edits).run();
}

}  // namespace mlf::replan

// The plan in TVMScript and legacy text, by what is around its numbers there.
#include <string>

#include "replan/edits.h"
#include "replan/words.h"
#include "support/error.h"

namespace mlf::replan {
namespace {

class TextEdits {
 public:
  TextEdits(const support::SourceText& source, tir::SourceRange range,
            const ModuleAssignment& assignment, const FunctionSites& function,
            std::vector<Edit>& edits)
      : source_(source),
        words_(words_of(source.text, range, Comments::python)),
        assignment_(assignment),
        function_(function),
        edits_(edits) {}

  void run() {
    offsets();
    for (std::size_t at = 0; at < words_.size(); ++at) {
      buffer_size(at);
      tensor_size(at);
    }
    listed_sizes();
  }

 private:
  void put(const Word& word, std::uint64_t value) {
    edits_.push_back({word.offset, word.text.size(), value});
  }

  /// `x: T.handle(…) = T.address_of(pool[128])`, `with T.LetStmt(T.address_of(pool[128])`,
  /// `let x: Pointer(…) = @tir.address_of(pool[128], dtype=handle)`.
  bool is_let(std::size_t at) const {
    const std::string_view word = words_[at].text;
    if (word != "T.address_of" && word != "@tir.address_of") return false;
    if (!matches(words_, at + 1, {"(", "", "[", "", "]"}) || !number_of(words_[at + 4])) {
      return false;
    }
    if (at >= 1 && words_[at - 1].text == "=") return true;
    return at >= 2 && words_[at - 1].text == "(" && words_[at - 2].text == "T.LetStmt";
  }

  /// The lets of the text and those of the function that was read are held against each other: as
  /// many, in one order, with the same offsets.
  void offsets() {
    const auto wanted = new_offsets(assignment_, function_);
    std::size_t next = 0;
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if (!is_let(at)) continue;
      const Word& number = words_[at + 4];
      if (next == wanted.size() || *number_of(number) != function_.lets[next].value) {
        refuse_at(number, "an address that is not one of the lets of its function");
      }
      if (wanted[next]) put(number, *wanted[next]);
      ++next;
    }
    if (next != wanted.size()) {
      refuse_at(words_.front(), "the text does not show all lets of this function");
    }
  }

  /// The new size, where the number is the old one.
  std::uint64_t size_of(const PoolNames& pool, const Word& number) const {
    const auto value = number_of(number);
    const PoolSize& size = assignment_.sizes.find(pool.pool)->second;
    if (value != size.old_size)
      refuse_at(number, "it is not " + std::to_string(size.old_size) + ", the size of pool '" +
                            pool.pool + "' in the plan");
    return size.new_size;
  }

  /// `T.match_buffer(pool_var, (104192,)` and `pool_buffer: Buffer(…, uint8, [104192]`.
  void buffer_size(std::size_t at) {
    for (const PoolNames& pool : function_.pools) {
      if (matches(words_, at, {"T.match_buffer", "(", pool.parameter, ",", "(", "", ",", ")"})) {
        put(words_[at + 5], size_of(pool, words_[at + 5]));
      }
      if (matches(words_, at,
                  {pool.buffer, ":", "Buffer", "(", pool.data, ":", "Pointer", "(", "global",
                   "uint8", ")", ",", "uint8", ",", "[", "", "]"})) {
        put(words_[at + 15], size_of(pool, words_[at + 15]));
      }
    }
  }

  /// `tvm_stack_make_array(pool, tvm_stack_make_shape(104192`.
  void tensor_size(std::size_t at) {
    if (!words_[at].text.ends_with("tir.tvm_stack_make_array") &&
        words_[at].text != "T.tvm_stack_make_array") {
      return;
    }
    if (!matches(words_, at + 1, {"(", "", ",", "", "("}) ||
        !words_[at + 4].text.ends_with(".tvm_stack_make_shape")) {
      return;
    }
    for (const PoolNames& pool : function_.pools) {
      const std::string_view data = words_[at + 2].text;
      if (data == pool.data || data == pool.parameter || data == pool.buffer + ".data") {
        put(words_[at + 6], size_of(pool, words_[at + 6]));
      }
    }
  }

  /// `I.AllocatedPoolInfo(pool_info=…, allocated_size=104192)`, in the order of `pool_args`. A text
  /// may have them in its metadata instead.
  void listed_sizes() {
    std::vector<std::size_t> found;
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if (matches(words_, at, {"allocated_size", "="}) && at + 2 < words_.size()) {
        found.push_back(at + 2);
      }
    }
    // The list is in a metadata section then (metadata_section_edits.cpp).
    if (found.empty()) return;
    if (found.size() != function_.listed.size()) {
      refuse_at(words_[found.front()], "a list of other pools than those of its function");
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      // A pool of constants, or one that stays as it is.
      if (function_.listed[i].empty()) continue;
      const Word& number = words_[found[i]];
      put(number, size_of({function_.listed[i], {}, {}, {}}, number));
    }
  }

  [[noreturn]] void refuse_at(const Word& word, std::string message) const {
    support::Error error(ErrorKind::check_failed, std::move(message),
                         source_.locate(word.offset, word.text.size()));
    throw error;
  }

  const support::SourceText& source_;
  std::vector<Word> words_;
  const ModuleAssignment& assignment_;
  const FunctionSites& function_;
  std::vector<Edit>& edits_;
};

}  // namespace

void add_text_edits(const support::SourceText& source, tir::SourceRange function_range,
                    const ModuleAssignment& assignment, const FunctionSites& function,
                    std::vector<Edit>& edits) {
  TextEdits(source, function_range, assignment, function, edits).run();
}

}  // namespace mlf::replan

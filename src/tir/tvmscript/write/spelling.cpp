#include "tir/tvmscript/write/spelling.h"

#include <iterator>

#include "mlf/tir/tvm_version.h"

namespace mlf::tir::tvmscript {
namespace {

constexpr std::string_view kOldHeader =
    "# from tvm.script import tir as T\n"
    "@tvm.script.ir_module\n"
    "class Module:\n";
/// The printer of v0.8 to v0.11 ends every module so.
constexpr std::string_view kOldFooter = "    __tvm_meta__ = None\n";
constexpr std::string_view kNone = " -> None";

using S = Spelling;

constexpr Spelling kOf08{.first_version = 8,
                         .last_version = 8,
                         .header = kOldHeader,
                         .footer = kOldFooter,
                         .void_result = kNone,
                         .operators = S::Operators::construct,
                         .scopes = S::Scopes::take,
                         .calls = S::Calls::keyword,
                         .allocation = S::Allocation::pointer,
                         .buffer_param = S::BufferParam::none,
                         .pointer = S::Pointer::scope_first,
                         .infinity = S::Infinity::number,
                         .loop_bounds = S::LoopBounds::begin_and_end,
                         .regions = S::Regions::list};

// Each version is spelled as the one before, but for what its function changes.
constexpr Spelling make_09() {
  Spelling s = kOf08;
  s.first_version = s.last_version = 9;
  s.allocation = S::Allocation::buffer;
  s.buffer_param = S::BufferParam::brackets;
  s.pointer = S::Pointer::scope_last;
  s.loop_bounds = S::LoopBounds::end;
  s.regions = S::Regions::arguments;
  return s;
}

constexpr Spelling make_10() {
  Spelling s = make_09();
  s.first_version = s.last_version = 10;
  s.allocation = S::Allocation::pointer;
  s.infinity = S::Infinity::string;
  return s;
}

constexpr Spelling make_11() {
  Spelling s = make_10();
  s.first_version = s.last_version = 11;
  s.void_result = {};
  s.operators = S::Operators::compute;
  return s;
}

constexpr Spelling kOf12{.first_version = 12,
                         .last_version = kNewestTvm,
                         .header =
                             "# from tvm.script import ir as I\n"
                             "# from tvm.script import tir as T\n\n"
                             "@I.ir_module\n"
                             "class Module:\n",
                         .footer = {},
                         .void_result = {},
                         .operators = S::Operators::compute,
                         .scopes = S::Scopes::define,
                         .calls = S::Calls::by_operator,
                         .allocation = S::Allocation::pointer,
                         .buffer_param = S::BufferParam::call,
                         .pointer = S::Pointer::handle,
                         .infinity = S::Infinity::string,
                         .loop_bounds = S::LoopBounds::end,
                         .regions = S::Regions::arguments};

constexpr Spelling kSpellings[] = {kOf08, make_09(), make_10(), make_11(), kOf12};

}  // namespace

/// Newer versions than the known ones are spelled as the newest.
const Spelling& spelling_of(std::uint8_t minor) {
  for (const Spelling& spelling : kSpellings) {
    if (minor <= spelling.last_version) return spelling;
  }
  return *std::rbegin(kSpellings);
}

}  // namespace mlf::tir::tvmscript

// The text of generated C with other constants: declarations, values, loads, offsets and sizes.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "optimize/c_constants.h"
#include "optimize/metadata_copies.h"
#include "support/error.h"
#include "tir/c/write/code.h"
#include "tir/c/write/constants.h"
#include "tir/pools.h"

namespace mlf::optimize {
namespace {

using archive::Member;
using tir::SourceRange;
namespace f = tir::f;

class CEditor {
 public:
  CEditor(const CConstants& constants, edit::EditedMembers& edited)
      : constants_(constants), edited_(edited) {}

  void run() && {
    for (const CConstant& constant : constants_.all) {
      if (constant.after.is_removed) {
        remove(constant);
      } else {
        declare(constant);
      }
    }
    for (const CPoolOfConstants& pool : constants_.pools) change_total(pool);
    const NewConstants wanted = new_constants_of(constants_);
    for (const CReading& reading : constants_.readings) {
      TirChanges changes;
      add_changes(reading.constants, wanted, changes);
      add_edits(edits_, changes.edits(reading.tir, edited_));
      restrict_pools(reading);
    }
    for (const Member* const file : files_of(constants_)) change_copies(*file);
    apply_edits(edited_, std::move(edits_));
  }

 private:
  void edit(const Member& member, SourceRange range, std::string text) {
    edits_[&member].push_back({range, std::move(text)});
  }

  void remove(const CConstant& constant) {
    const std::string_view text = edited_.text_of(*constant.member);
    edit(*constant.member, edit::whole_lines(text, constant.place.declaration), {});
    if (constant.pool.empty()) return;
    edit(*constant.member, edit::whole_lines(text, constant.place.initializer), {});
  }

  void declare(const CConstant& constant) {
    const tir::DType dtype = constant.after.dtype;
    if (constant.after.is_single()) edit(*constant.member, constant.place.count, "1");
    if (dtype != constant.dtype) {
      edit(*constant.member, constant.place.type, tir::c::type_text(dtype));
      if (dtype.element_bytes() == 1) drop_packed(constant);
    }
    if (constant.after.changes(constant.dtype)) {
      edit(*constant.member, constant.place.values, values_of(constant));
    }
    if (!constant.pool.empty()) change_comment(constant);
  }

  /// gcc warns about `packed` members that have no alignment requirement.
  void drop_packed(const CConstant& constant) {
    constexpr std::array<std::string_view, 2> kPacked{"packed, ", ", packed"};
    const std::string_view text = edited_.text_of(*constant.member);
    const auto [begin, end] = constant.place.declaration;
    for (const std::string_view form : kPacked) {
      const std::size_t packed = text.substr(0, end).find(form, begin);
      if (packed == text.npos) continue;
      return edit(*constant.member, edit::at(packed, packed + form.size()), {});
    }
  }

  /// The blanks after the last row stay.
  std::string values_of(const CConstant& constant) const {
    const std::string_view text = edited_.text_of(*constant.member);
    const auto [begin, end] = constant.place.values;
    const std::string_view old = text.substr(begin, end - begin);
    std::string values = old.starts_with('\n') ? "\n" : "";
    tir::c::write_data([&](std::string_view rows) { values += rows; }, constant.after.dtype,
                       constant.new_data());
    const std::size_t last = old.find_last_not_of(' ');
    if (last != old.npos && old[last] == '\n') values += old.substr(last + 1);
    return values;
  }

  /// `// 8192 bytes, aligned offset: 24576` after a member. A comment with other text stays,
  /// because nothing depends on it.
  void change_comment(const CConstant& constant) {
    const std::string_view text = edited_.text_of(*constant.member);
    const std::string old = comment(constant.bytes(), constant.offset);
    const std::size_t end = constant.place.declaration.end;
    const std::size_t begin = text.substr(0, text.find('\n', end)).find("//", end);
    if (begin == text.npos || text.substr(begin, old.size()) != old) return;
    edit(*constant.member, edit::at(begin, begin + old.size()),
         comment(constant.new_bytes(), constant.after.offset));
  }
  static std::string comment(std::uint64_t bytes, std::uint64_t offset) {
    return fmt::format("// {} bytes, aligned offset: {}\n", bytes, offset);
  }

  /// `}// of total size 53296 bytes` after the values of a pool.
  void change_total(const CPoolOfConstants& pool) {
    if (!pool.kept.empty() || pool.constants.empty()) return;
    const CConstant& last = constants_.all[pool.constants.back()];
    const std::string_view text = edited_.text_of(*last.member);
    const std::string old = fmt::format("// of total size {} bytes", pool.bytes);
    const std::size_t begin = text.find(old, last.place.initializer.end);
    if (begin == text.npos) return;
    edit(*last.member, edit::at(begin, begin + old.size()),
         fmt::format("// of total size {} bytes", pool.new_bytes));
  }

  void change_copies(const Member& file) {
    const std::string_view text = edited_.text_of(file);
    for (const MetadataCopy& copy : metadata_copies(text)) {
      for (const CConstant& constant : constants_.all) {
        if (!is_copy_of(copy, constant)) continue;
        auto edits = edits_of(copy, text, constant);
        if (!edits) continue;
        std::ranges::move(*edits, std::back_inserter(edits_[&file]));
      }
    }
  }

  void restrict_pools(const CReading& reading) {
    for (const ConstantUse& use : reading.constants.uses) {
      const auto index = reading.constant_of(use);
      if (!index || use.pool.empty() || use.loads.empty()) continue;
      const CConstant& constant = constants_.all[*index];
      const bool is_byte = constant.after.dtype.element_bytes() == 1;
      if (is_byte && constant.after.changes(constant.dtype)) restrict_pool(reading, use);
    }
  }

  /// Compilers must assume that bytes overlap everything that a loop stores. No program writes to a
  /// pool of constants, so its pointer may be `restrict` (C11 6.7.3.1). With it, gcc -O2 needs a
  /// tenth fewer instructions for keyword spotting than for the wider type.
  void restrict_pool(const CReading& reading, const ConstantUse& use) {
    for (const FunctionSites& function : reading.constants.sites) {
      if (function.symbol != use.function) continue;
      const tir::Node node = reading.tir.document.module.node(function.function);
      const tir::NodeMap buffers = node.map(f::PrimFunc::buffer_map);
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (tir::pool_name(buffers.key(i).text(f::Var::name)) != use.pool) continue;
        const tir::Place* const name =
            reading.tir.places.parameter(buffers.value(i)[f::Buffer::data].id());
        if (name == nullptr) continue;
        const Member& member = *reading.tir.files[name->file];
        const std::string_view before = edited_.text_of(member).substr(0, name->range.begin);
        const bool is_restrict = before.ends_with("restrict ") || before.ends_with("restrict__ ");
        if (!is_restrict) edit(member, name->range, "__restrict ");
      }
    }
  }

  const CConstants& constants_;
  edit::EditedMembers& edited_;
  TirChanges::FileEdits edits_;
};

}  // namespace

void edit_c(const CConstants& constants, edit::EditedMembers& edited) {
  CEditor(constants, edited).run();
}

}  // namespace mlf::optimize

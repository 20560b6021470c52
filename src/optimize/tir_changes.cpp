#include "optimize/tir_changes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "mlf/tir/builder.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "optimize/narrow_type.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/lookup.h"
#include "tir/c/write/code.h"
#include "tir/node_queries.h"

namespace mlf::optimize {

using archive::Member;
using edit::NumberChange;
using tir::Kind;
using tir::Node;
using tir::NodeId;
using tir::SourceRange;
namespace f = tir::f;

void TirChanges::set_number(StatedNumber number) {
  const std::uint64_t value = number.change.after;
  const auto [known, is_new] = numbers_.try_emplace(number.integer, std::move(number));
  if (is_new || known->second.change.after == value) return;
  edit::refuse(fmt::format("one number would need two new values: {} and {}",
                           known->second.change.after, value));
}

namespace {

/// Whether the array goes. A constant of a pool goes from the list of the pool.
bool is_removed(const ConstantUse& use, const NewConstant& after) {
  return after.is_removed && use.key.pool.empty();
}

}  // namespace

/// `wanted` has one for each constant of the pool; null: it stays.
void TirChanges::set_pool(const ConstantPool& pool, std::vector<const NewConstant*> wanted) {
  if (std::ranges::count(wanted, nullptr) == std::ssize(wanted)) return;
  const auto [known, is_new] = pools_.try_emplace(pool.info, Pool{&pool, std::move(wanted)});
  if (!is_new) edit::refuse("modules share constant pool '" + pool.name + "'");
  for (std::size_t i = 0; i < pool.constants.size(); ++i) {
    const PoolConstant& one = pool.constants[i];
    const NewConstant* const after = known->second.wanted[i];
    if (after == nullptr) continue;
    if (after->is_removed) {
      removed_.insert(one.info);
    } else {
      set_number({one.stated, {one.offset, after->offset}, "the offset of '" + one.name + "'"});
    }
  }
}

void TirChanges::set_order(const std::vector<edit::CallSlot>& slots,
                           const std::vector<std::size_t>& order) {
  edit::check_order(slots, order);
  std::set<NodeId> calls;
  for (const edit::CallSlot& slot : slots) {
    if (!calls.insert(slot.call).second) edit::refuse("two calls of main are one node");
  }
  orders_.push_back({slots, order});
}

bool TirChanges::empty() const {
  const auto changes_number = [](const auto& one) {
    return one.second.change.before != one.second.change.after;
  };
  return constants_.empty() && pools_.empty() && orders_.empty() && dropped_.empty() &&
         std::ranges::none_of(numbers_, changes_number);
}

namespace {

/// The offsets of constants in lets and the sizes of constant pools for which `wanted` has a
/// change.
void add_numbers(const FunctionSites& function, const NewConstants& wanted, TirChanges& changes) {
  for (const LetSite& let : function.lets) {
    const NewConstant* const after = wanted.of(ConstantKey::in_pool(let.pool, let.value));
    if (after == nullptr) continue;
    changes.set_number(
        {let.offset, {let.value, after->offset}, "the offset of '" + let.variable + "'"});
  }
  for (const SizeSite& size : function.sizes) {
    const auto found = wanted.pool_sizes.find(size.pool);
    if (found == wanted.pool_sizes.end()) continue;
    changes.set_number({size.size, found->second, "the size of pool '" + size.pool + "'"});
  }
}

}  // namespace

void TirChanges::add(const ModuleConstants& constants, const NewConstants& wanted) {
  for (const ConstantUse& use : constants.uses) {
    const NewConstant* const after = wanted.of(use.key);
    const bool changes =
        after != nullptr && (is_removed(use, *after) || after->changes(use.element));
    if (changes) constants_.push_back({&use, after});
  }
  for (const ConstantPool& pool : constants.pools) {
    std::vector<const NewConstant*> of_pool;
    for (const PoolConstant& one : pool.constants) {
      of_pool.push_back(wanted.of(ConstantKey::in_pool(pool.name, one.offset)));
    }
    set_pool(pool, std::move(of_pool));
  }
  for (const FunctionSites& function : constants.sites) add_numbers(function, wanted, *this);
}

/// Makes changes in a module.
class IrChange {
 public:
  IrChange(const TirChanges& changes, tir::Module module)
      : changes_(changes), root_(module.root().id()), builder_(std::move(module)) {}

  tir::Module run() && {
    for (const auto& [use, after] : changes_.constants_) {
      if (is_removed(*use, *after)) {
        removed_.insert(use->owner);
      } else {
        change_use(*use, *after);
      }
    }
    for (const NodeId constant : removed_) replaced_.emplace(constant, body_without(constant));
    for (const auto& [info, pool] : changes_.pools_) change_pool(pool);
    for (const auto& [integer, number] : changes_.numbers_) {
      builder_.set(integer, f::IntImm::value, static_cast<std::int64_t>(number.change.after));
    }
    for (const auto& [slots, order] : changes_.orders_) {
      for (std::size_t i = 0; i < order.size(); ++i) {
        replaced_.emplace(slots[i].call, slots[order[i]].call);
      }
    }
    put_replacements();
    drop_functions();
    return std::move(builder_).finish(root_);
  }

 private:
  Node node(NodeId id) const { return builder_.node(id); }

  /// Several constants that are removed may be around one body.
  NodeId body_without(NodeId constant) const {
    while (removed_.contains(constant)) constant = node(constant)[f::AllocateConst::body].id();
    return constant;
  }

  void change_use(const ConstantUse& use, const NewConstant& wanted) {
    if (node(use.owner).is(Kind::AllocateConst)) {
      const NodeId array = use.spells_elements && wanted.is_single() ? single_array(use, wanted)
                                                                     : array_as(use.array, wanted);
      builder_.set(use.owner, f::AllocateConst::data, array);
    }
    if (wanted.dtype != use.element) change_dtype(use, wanted.dtype);
    if (wanted.is_single()) make_single(use);
  }

  void change_dtype(const ConstantUse& use, tir::DType dtype) {
    change_variable(use.variable, dtype);
    if (node(use.owner).is(Kind::AllocateConst)) {
      builder_.set(use.owner, f::AllocateConst::dtype, dtype);
    }
    for (const NodeId buffer : use.buffers) builder_.set(buffer, f::Buffer::dtype, dtype);
    for (const NodeId load : use.loads) {
      builder_.set(load, f::BufferLoad::dtype, dtype);
      replaced_.emplace(load, builder_.make(Kind::Cast, {use.element, load}));
    }
  }

  void make_single(const ConstantUse& use) {
    if (node(use.owner).is(Kind::AllocateConst)) {
      builder_.set(use.owner, f::AllocateConst::extents,
                   filled(node(use.owner).list(f::AllocateConst::extents), 1));
    }
    for (const NodeId buffer : use.buffers) {
      builder_.set(buffer, f::Buffer::shape, filled(node(buffer).list(f::Buffer::shape), 1));
    }
    for (const NodeId load : use.loads) {
      builder_.set(load, f::BufferLoad::indices,
                   filled(node(load).list(f::BufferLoad::indices), 0));
    }
  }

  /// A list of the same length and types with this value in each element.
  tir::ListId filled(tir::NodeList old, std::int64_t value) {
    std::vector<tir::DType> dtypes;
    for (const Node item : old) dtypes.push_back(item.dtype());
    std::vector<NodeId> items;
    for (const tir::DType dtype : dtypes) {
      items.push_back(builder_.make(Kind::IntImm, {dtype, value}));
    }
    return builder_.list(items);
  }

  /// Makes a new pointer type with the same scope and other elements, because other variables may
  /// share the old type.
  void change_variable(NodeId variable, tir::DType element) {
    const Node type = node(variable)[f::Var::type_annotation];
    if (!type || !type.is(Kind::PointerType)) return;
    const std::string scope(type.text(f::PointerType::storage_scope));
    const NodeId primitive = builder_.make(Kind::PrimType, {element});
    builder_.set(variable, f::Var::type_annotation,
                 builder_.make(Kind::PointerType, {primitive, builder_.string(scope)}));
  }

  /// A text omits elements of a long constant, but never the only one.
  NodeId single_array(const ConstantUse& use, const NewConstant& wanted) {
    const std::vector<std::int64_t> shape(node(use.owner).list(f::AllocateConst::extents).size(),
                                          1);
    const tir::ListId shape_id = builder_.integers(shape);
    return builder_.make(Kind::NDArray, {wanted.dtype, shape_id, builder_.bytes(wanted.single)});
  }

  /// Makes a new NDArray: a constant of Relay, which stays, may share the old one.
  NodeId array_as(NodeId id, const NewConstant& wanted) {
    const std::tuple key{id, wanted.dtype.packed(), wanted.is_single()};
    const auto known = arrays_.find(key);
    if (known != arrays_.end()) return known->second;
    const Node array = id == NodeId::none ? Node() : node(id);
    if (!array || !array.is(Kind::NDArray)) return id;
    const auto extents = array.integers(f::NDArray::shape);
    std::vector<std::int64_t> shape(extents.begin(), extents.end());
    if (wanted.is_single()) std::ranges::fill(shape, 1);
    // Texts omit the data of long constants.
    const auto data = array.bytes(f::NDArray::data);
    std::vector<std::byte> new_data;
    if (data) {
      new_data = wanted.is_single()
                     ? wanted.single
                     : converted(array.dtype(f::NDArray::dtype), *data, wanted.dtype);
    }
    const tir::BytesId data_id = data ? builder_.bytes(std::move(new_data)) : tir::BytesId::none;
    const tir::ListId shape_id = builder_.integers(shape);
    return arrays_[key] = builder_.make(Kind::NDArray, {wanted.dtype, shape_id, data_id});
  }

  void change_pool(const TirChanges::Pool& change) {
    const auto& [pool, wanted] = change;
    std::vector<NodeId> left;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const PoolConstant& constant = pool->constants[i];
      if (changes_.removed_.contains(constant.info)) continue;
      left.push_back(constant.info);
      if (wanted[i] == nullptr) continue;
      const Node array = constant.array == NodeId::none ? Node() : node(constant.array);
      if (!array || !array.is(Kind::NDArray)) continue;
      if (!wanted[i]->changes(array.dtype(f::NDArray::dtype))) continue;
      builder_.set(constant.info, f::ConstantInfo::data, array_as(constant.array, *wanted[i]));
    }
    if (left.size() == wanted.size()) return;
    builder_.set(pool->info, f::ConstantPoolInfo::constant_info_array, builder_.list(left));
  }

  /// Redirects every reference to a node to the one in its place. The new nodes are not among those
  /// that refer to others.
  void put_replacements() {
    if (replaced_.empty()) return;
    std::vector<NodeId> users;
    tir::for_each_pre_order(node(root_), [&](Node user) {
      bool uses = false;
      tir::for_each_child(user, [&](Node child, const tir::FieldInfo&) {
        uses = uses || replaced_.contains(child.id());
      });
      if (uses) users.push_back(user.id());
    });
    const auto of = [&](Node child) {
      return support::value_at(replaced_, child.id()).value_or(child.id());
    };
    for (const NodeId user : users) {
      const auto fields = node(user).info().fields;
      for (std::uint8_t i = 0; i < fields.size(); ++i) {
        if (fields[i].type != tir::FieldType::node && fields[i].type != tir::FieldType::list)
          continue;
        builder_.set(user, i, tir::copied_field(builder_, node(user), i, of));
      }
    }
  }

  void drop_functions() {
    if (changes_.dropped_.empty()) return;
    std::vector<tir::NodePair> left;
    const tir::NodeMap functions = node(root_).map(f::IRModule::functions);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      if (changes_.dropped_.contains(functions.value(i).id())) continue;
      left.push_back({functions.key(i).id(), functions.value(i).id()});
    }
    builder_.set(root_, f::IRModule::functions, builder_.map(left));
  }

  const TirChanges& changes_;
  NodeId root_;
  tir::Builder builder_;
  std::set<NodeId> removed_;                     // AllocateConst
  std::unordered_map<NodeId, NodeId> replaced_;  // the node in the place of another
  // By old NDArray, new type, and whether the new one has a single element.
  std::map<std::tuple<NodeId, std::uint32_t, bool>, NodeId> arrays_;
};

namespace {

/// The extents of the constant and of its buffers.
std::vector<Node> extents_of(const ConstantUse& use, const tir::Module& module) {
  std::vector<Node> extents;
  const Node owner = module.node(use.owner);
  if (owner.is(Kind::AllocateConst)) {
    for (const Node extent : owner.list(f::AllocateConst::extents)) extents.push_back(extent);
  }
  for (const NodeId buffer : use.buffers) {
    for (const Node extent : module.node(buffer).list(f::Buffer::shape)) extents.push_back(extent);
  }
  return extents;
}

/// "0" for each index; keeps the text between them.
std::string zeros_for(std::string_view indices) {
  std::string zeros = "0";
  std::size_t depth = 0;
  for (const char c : indices) {
    if (c == '(') ++depth;
    if (c == ')' && depth > 0) --depth;
    if (c == ',' && depth == 0) zeros += ", 0";
  }
  return zeros;
}

/// The text between the last brackets of a load, if it consists of numbers, variables, operators
/// and calls, but no other load; nullopt for any other index.
std::optional<tir::SourceRange> plain_index(std::string_view text, tir::SourceRange load) {
  constexpr std::string_view kOther = "_.()*+-/%,<> ";
  if (load.end <= load.begin || text[load.end - 1] != ']') return std::nullopt;
  std::uint32_t begin = load.end - 1;
  while (begin > load.begin && text[begin - 1] != '[') {
    --begin;
    if (!support::is_word_character(text[begin]) && kOther.find(text[begin]) == kOther.npos)
      return std::nullopt;
  }
  if (begin == load.begin || begin + 1 == load.end) return std::nullopt;
  return tir::SourceRange{begin, load.end - 1};
}

/// Whether all indices of a BufferLoad may become the number 0: they are int32, and call nothing
/// but operators on bits.
bool has_plain_indices(Node load) {
  constexpr std::array<std::string_view, 6> kPure{"tir.shift_left",  "tir.shift_right",
                                                  "tir.bitwise_and", "tir.bitwise_or",
                                                  "tir.bitwise_xor", "tir.bitwise_not"};
  bool are_plain = true;
  for (const Node index : load.list(f::BufferLoad::indices)) {
    are_plain = are_plain && index.dtype() == tir::DType::Int(32);
    tir::for_each_pre_order(index, [&](Node node) {
      const auto is_it = [&](std::string_view op) { return tir::is_call_of(node, op); };
      are_plain = are_plain && (!node.is(Kind::Call) || std::ranges::any_of(kPure, is_it));
    });
  }
  return are_plain;
}

/// The elements of `[1, 1, 1]` behind the first one; nullopt for another text.
std::optional<SourceRange> other_elements(std::string_view text, SourceRange values) {
  const std::size_t comma = text.substr(0, values.end).find(',', values.begin);
  if (text[values.begin] != '[' || comma == text.npos) return std::nullopt;
  return edit::at(comma, values.end - 1);
}

}  // namespace

/// Makes changes in texts.
class TextChange {
 public:
  TextChange(const TirChanges& changes, const edit::PlacedTir& tir,
             const edit::EditedMembers& edited, edit::FileEdits& edits)
      : changes_(changes), tir_(tir), edited_(edited), edits_(edits) {}

  void run() && {
    for (const auto& [use, after] : changes_.constants_) change_use(*use, *after);
    for (const auto& [integer, number] : changes_.numbers_) {
      const tir::Place* const place = tir_.places.find(integer);
      if (place != nullptr) change_number(*place, number.change, number.what);
    }
    change_lists();
    for (const auto& [slots, order] : changes_.orders_) change_order(slots, order);
    if (dialect() != tir::Dialect::c) {
      for (const NodeId function : changes_.dropped_) drop(function);
    }
  }

 private:
  tir::Dialect dialect() const { return tir_.document.source.dialect; }
  std::string_view text_of(std::uint32_t file) const { return edited_.text_of(*tir_.files[file]); }
  std::vector<edit::Edit>& of_text() { return edits_[tir_.files[0]]; }
  void edit(std::uint32_t file, SourceRange range, std::string text) {
    edits_[tir_.files[file]].push_back({range, std::move(text)});
  }

  void change_number(const tir::Place& place, const NumberChange& change, std::string_view what) {
    if (change.before == change.after) return;
    edits_[tir_.files[place.file]].push_back(edit::number_edit(
        {{}, tir_.files[place.file]->name, text_of(place.file)}, place.range, change, what));
  }

  void change_use(const ConstantUse& use, const NewConstant& after) {
    if (is_removed(use, after)) return;  // with its declaration in the C
    if (after.dtype != use.element) {
      change_dtypes(use.variable, after.dtype);
      for (const NodeId buffer : use.buffers) change_dtypes(buffer, after.dtype);
    }
    if (after.is_single()) {
      for (const Node extent : extents_of(use, tir_.document.module)) {
        const tir::Place* const place = tir_.places.find(extent.id());
        if (place != nullptr) edit(place->file, place->range, "1");
      }
      const tir::Place* const values = support::find_value(tir_.places.values, use.variable);
      const auto others =
          values == nullptr ? std::nullopt : other_elements(text_of(values->file), values->range);
      if (others) edit(values->file, *others, {});
    }
    for (const tir::Place& load : tir_.loads_of(use.variable)) change_load(use, after, load);
  }

  void change_dtypes(NodeId id, tir::DType dtype) {
    for (const tir::Place& place : tir_.places.dtypes(id)) {
      edit(place.file, place.range, to_string(dtype));
    }
  }

  /// `((T*)x)[i]` of C becomes `((T)((S*)x)[i])`. The conversion to T gives what the load gave.
  void change_load(const ConstantUse& use, const NewConstant& after, const tir::Place& load) {
    const auto [file, range] = load;
    const std::string_view text = text_of(file);
    const bool is_c = dialect() == tir::Dialect::c;
    const auto type = is_c ? type_of_c_load(text, range) : SourceRange{};
    const auto index = plain_index(text, range);
    if (!type || (after.is_single() && !index)) {
      edit::refuse("a load of '" + use.name + "' has an unknown form", tir_.files[file]->name);
    }
    if (after.is_single()) edit(file, *index, is_c ? "0" : zeros_for(edit::text_in(text, *index)));
    if (after.dtype == use.element) return;
    edit(file, {range.begin, range.begin}, cast_to(use.element));
    if (type->end > 0) edit(file, *type, tir::c::type_text(after.dtype));
    edit(file, {range.end, range.end}, ")");
  }

  std::string cast_to(tir::DType dtype) const {
    if (dialect() == tir::Dialect::c) return "((" + tir::c::type_text(dtype) + ")";
    const std::string name = to_string(dtype);
    return dialect() == tir::Dialect::tvmscript ? "T.Cast(\"" + name + "\", "
                                                : "cast(" + name + ", ";
  }

  /// Edits each mention of a constant in a pool: its offset, or the whole mention if it goes.
  void change_lists() {
    std::vector<SourceRange> list;
    std::vector<bool> removed;
    for (const tir::ListedConstant& listed : tir_.places.listed) {
      if (listed.mention.begin > 0 && text_of(0)[listed.mention.begin - 1] == '[') {
        edit::remove_elements(std::exchange(list, {}), std::exchange(removed, {}), of_text());
      }
      list.push_back(listed.mention);
      removed.push_back(changes_.removed_.contains(listed.info));
      const Node offset = tir_.document.module.node(listed.info)[f::ConstantInfo::byte_offset];
      const auto number = changes_.numbers_.find(offset.id());
      if (removed.back() || number == changes_.numbers_.end()) continue;
      change_number({0, listed.offset}, number->second.change, number->second.what);
    }
    edit::remove_elements(list, removed, of_text());
  }

  void change_order(const std::vector<edit::CallSlot>& slots,
                    const std::vector<std::size_t>& order) {
    if (slots.empty()) return;
    const std::uint32_t file = slots.front().place.file;
    std::ranges::move(
        edit::edits_in_order({{}, tir_.files[file]->name, text_of(file)}, dialect(), slots, order),
        std::back_inserter(edits_[tir_.files[file]]));
  }

  /// With its decorator and the empty line behind it.
  void drop(NodeId function) {
    const auto range = tir_.document.module.source_range(function);
    if (!range) return;
    const std::string_view text = text_of(0);
    // A place is that of the name in legacy text.
    const std::size_t begin = text.substr(0, range->begin).rfind('\n') + 1;
    const std::size_t last = text.substr(0, range->end).find_last_not_of(" \n");
    SourceRange lines = edit::whole_lines(text, edit::at(begin, last + 1));
    const std::size_t line = text.substr(0, begin == 0 ? 0 : begin - 1).rfind('\n') + 1;
    const std::size_t first = text.find_first_not_of(' ', line);
    const bool is_decorated = first < begin && text.substr(first).starts_with("@T.");
    if (is_decorated) lines.begin = static_cast<std::uint32_t>(line);
    edit(0, edit::with_empty_line(text, lines), {});
  }

  const TirChanges& changes_;
  const edit::PlacedTir& tir_;
  const edit::EditedMembers& edited_;
  edit::FileEdits& edits_;
};

tir::Module TirChanges::made_in(tir::Module module) const {
  return IrChange(*this, std::move(module)).run();
}

void TirChanges::add_edits(const edit::PlacedTir& tir, const edit::EditedMembers& edited,
                           edit::FileEdits& edits) const {
  TextChange(*this, tir, edited, edits).run();
}

void change_all(std::vector<ChangedTir> all, edit::FileEdits edits, edit::EditedMembers& edited) {
  const auto is_text = [](const ChangedTir& one) {
    return one.before.document.source.dialect != tir::Dialect::save_json;
  };
  for (const ChangedTir& one : all) {
    if (is_text(one)) one.changes.add_edits(one.before, edited, edits);
  }
  std::erase_if(edits, [](const auto& of_member) { return of_member.second.empty(); });
  const auto is_edited = [&](const Member* file) { return edits.contains(file); };
  std::vector<edit::PlacedTir> unchanged;
  std::erase_if(all, [&](ChangedTir& one) {
    const bool stays = one.changes.empty() && std::ranges::none_of(one.before.files, is_edited);
    if (stays) unchanged.push_back(std::move(one.before));
    return stays;
  });
  edited.edit(std::move(edits));
  for (edit::PlacedTir& one : unchanged) edited.keep_tir(std::move(one));
  for (auto& [before, changes] : all) {
    tir::Document& document = before.document;
    const bool is_twin = document.source.dialect == tir::Dialect::save_json;
    document.module = changes.made_in(std::move(document.module));
    if (is_twin) {
      std::string text;
      support::get_or_throw(
          tir::write_save_json(document, [&](std::string_view bytes) { text += bytes; }));
      edited.replace({before.name(), std::move(text)});
      continue;
    }
    edit::PlacedTir after = edited.take_tir(before);
    edit::require_equal(document.module, after.document.module, before.name());
    edited.keep_tir(std::move(after));
  }
}

bool may_have_one_element(const ConstantUse& use, const edit::PlacedTir& tir,
                          const edit::EditedMembers& edited) {
  const tir::Module& module = tir.document.module;
  const tir::Dialect dialect = tir.document.source.dialect;
  const auto is_number = [&](Node extent) {
    return dialect == tir::Dialect::c ||
           (extent.is(Kind::IntImm) &&
            (dialect == tir::Dialect::save_json || tir.places.find(extent.id()) != nullptr));
  };
  const auto is_plain = [&](NodeId load) { return has_plain_indices(module.node(load)); };
  const auto is_spelled = [&](const tir::Place& load) {
    return plain_index(edited.text_of(*tir.files[load.file]), load.range).has_value();
  };
  const tir::Place* const values = support::find_value(tir.places.values, use.variable);
  return std::ranges::all_of(extents_of(use, module), is_number) &&
         std::ranges::all_of(use.loads, is_plain) &&
         std::ranges::all_of(tir.loads_of(use.variable), is_spelled) &&
         (values == nullptr ||
          other_elements(edited.text_of(*tir.files[values->file]), values->range));
}

std::optional<SourceRange> type_of_c_load(std::string_view text, SourceRange load) {
  const std::string_view spelled = edit::text_in(text, load);
  if (!spelled.empty() && support::is_word_character(spelled.front())) return SourceRange{};
  constexpr std::string_view kCast = "((";
  const std::size_t star = spelled.find('*');
  if (!spelled.starts_with(kCast) || star == spelled.npos) return std::nullopt;
  const std::string_view type = spelled.substr(kCast.size(), star - kCast.size());
  if (type.empty() || !std::ranges::all_of(type, support::is_word_character)) return std::nullopt;
  const std::size_t begin = load.begin + kCast.size();
  return edit::at(begin, begin + type.size());
}

}  // namespace mlf::optimize

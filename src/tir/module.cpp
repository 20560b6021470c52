#include "mlf/tir/module.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "support/error.h"
#include "support/name_map.h"
#include "tir/node_queries.h"
#include "tir/storage.h"

namespace mlf::tir {
namespace {

// Uses chunks, so that a string's address never changes: callers have views of it.
constexpr std::size_t kChunkBytes = 64 * 1024;

}  // namespace

StringPool::StringPool() {
  strings_.emplace_back();  // StringId::none
}

// Names repeat with every use of a variable in an attribute or annotation.
StringId StringPool::intern(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) {
    return static_cast<StringId>(found->second);
  }
  const auto id = static_cast<std::uint32_t>(strings_.size());
  const std::string_view stored = store(text);
  strings_.push_back(stored);
  ids_.emplace(stored, id);
  return static_cast<StringId>(id);
}

std::string_view StringPool::store(std::string_view text) {
  if (text.empty()) return {};
  // A long string gets a chunk of its own size; the rest of the previous chunk stays unused.
  if (text.size() > room_) {
    const std::size_t size = std::max(kChunkBytes, text.size());
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    next_ = chunks_.back().get();
    room_ = size;
  }
  char* const place = next_;
  std::memcpy(place, text.data(), text.size());
  next_ += text.size();
  room_ -= text.size();
  return {place, text.size()};
}

// std::realloc, because it moves the pages of a large arena instead of copying them. Ids have 32
// bits: an input that needs more is an error instead of a wraparound.
void* grown(void* data, std::size_t& capacity, std::size_t least, std::size_t element) {
  if (least >= UINT32_MAX) {
    throw support::Error(ErrorKind::invalid_input, "more than 2^32 nodes in one module");
  }
  const std::size_t wanted = std::max({std::size_t{1024}, 2 * capacity, least});
  const std::size_t possible = std::min<std::size_t>(wanted, UINT32_MAX);
  void* const larger = std::realloc(data, possible * element);
  if (larger == nullptr) throw std::bad_alloc();
  capacity = possible;
  return larger;
}

// Entry 0 of everything is "undefined", list 1 the empty list.
Module::Storage::Storage() : lists{0, 0}, integers{0}, bytes(1) {
  *kinds.extend(1) = Kind{};
  *first.extend(1) = 0;
}

Module::Module(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {
  refresh();
}
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() = default;

Node Module::root() const {
  return {*this, storage_->root};
}

void Module::refresh() {
  kinds_ = storage_->kinds.data();
  first_ = storage_->first.data();
  words_ = storage_->words.data();
  size_ = static_cast<std::uint32_t>(storage_->kinds.size());
}

// Few nodes have a span, so it is not a field of each.
Node Module::span(NodeId id) const {
  const auto found = storage_->spans.find(index(id));
  return {*this, found == storage_->spans.end() ? NodeId::none : found->second};
}

std::optional<SourceRange> Module::source_range(NodeId id) const {
  const auto& ranges = storage_->ranges;
  const auto found = std::ranges::lower_bound(ranges, index(id), {},
                                              &std::pair<std::uint32_t, SourceRange>::first);
  if (found == ranges.end() || found->first != index(id)) return std::nullopt;
  return found->second;
}

namespace detail {

// An error of the program that uses the library, not of an input, so it has its own exception.
void misuse(std::string_view what) {
  throw NodeMisuse("misuse of a node: " + std::string(what));
}

void refuse_id(NodeId id) {
  misuse(id == NodeId::none ? "it is undefined" : "its module has no such id");
}

}  // namespace detail

void refuse_field(Kind kind, FieldRef field, std::string_view problem) {
  std::string name = std::to_string(field.position());
  if (field.is_named()) {
    const KindInfo& owner = info(field.kind());
    name = std::string(owner.name) + "::" + std::string(owner.fields[field.position()].name);
  }
  detail::misuse("field " + name + " of a " + std::string(info(kind).name) + ' ' +
                 std::string(problem));
}

void check_family(Kind kind, FieldRef field, const FieldInfo& row) {
  if (info(field.kind()).fields[field.position()].name != row.name) {
    refuse_field(kind, field, "does not exist");
  }
}

// Every accessor uses this check: it rejects fields that the kind does not have before it reads a
// word.
#define MLF_FIELD_WORDS(expected)                                        \
  const Kind its_kind = kind();                                          \
  const FieldInfo& row = row_of(its_kind, field);                        \
  if (!(expected)) refuse_field(its_kind, field, "is not of that type"); \
  const Module::Storage& storage = *module_->storage_;                   \
  const std::uint32_t* const words = storage.words_of(id_, row.offset)

Node Node::node(FieldRef field) const {
  MLF_FIELD_WORDS(row.type == FieldType::node);
  return {*module_, static_cast<NodeId>(*words)};
}

NodeList Node::list(FieldRef field) const {
  MLF_FIELD_WORDS(row.type == FieldType::list);
  return {*module_, storage.list(*words), *words != 0};
}

NodeMap Node::map(FieldRef field) const {
  MLF_FIELD_WORDS(row.type == FieldType::string_map || row.type == FieldType::node_map);
  const bool has_names = row.type == FieldType::string_map;
  return {*module_, storage.list(*words), *words != 0,
          has_names ? NodeMap::Keys::names : NodeMap::Keys::nodes};
}

std::string_view Node::text(FieldRef field) const {
  MLF_FIELD_WORDS(row.type == FieldType::string);
  return storage.strings.get(static_cast<StringId>(*words));
}

bool Node::has_text(FieldRef field) const {
  MLF_FIELD_WORDS(row.type == FieldType::string);
  return static_cast<void>(storage), *words != 0;
}

std::int64_t Node::integer(FieldRef field) const {
  MLF_FIELD_WORDS(row.type == FieldType::integer || row.type == FieldType::boolean ||
                  row.type == FieldType::enumeration);
  static_cast<void>(storage);
  return row.type == FieldType::integer ? read_int64(words) : *words;
}

double Node::real(FieldRef field) const {
  MLF_FIELD_WORDS(row.type == FieldType::real);
  return static_cast<void>(storage), std::bit_cast<double>(read_int64(words));
}

DType Node::dtype(FieldRef field) const {
  MLF_FIELD_WORDS(row.type == FieldType::dtype);
  return static_cast<void>(storage), DType::unpack(*words);
}

std::span<const std::int64_t> Node::integers(FieldRef field) const {
  MLF_FIELD_WORDS(row.type == FieldType::integers);
  const std::int64_t* const values = &storage.integers[*words];
  return {values + 1, static_cast<std::size_t>(*values)};
}

std::optional<std::span<const std::byte>> Node::bytes(FieldRef field) const {
  MLF_FIELD_WORDS(row.type == FieldType::bytes);
  if (*words == 0) return std::nullopt;
  return std::span<const std::byte>(storage.bytes[*words]);
}

#undef MLF_FIELD_WORDS

std::string_view NodeMap::name(std::size_t i) const {
  if (keys_ != Keys::names) detail::misuse("the keys of this map are nodes");
  detail::check_index(i, size());
  return module_->storage_->strings.get(static_cast<StringId>(words_[2 * i]));
}

// Attributes are few; a search needs no index.
Node NodeMap::find(std::string_view name) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (this->name(i) == name) return value(i);
  }
  return {*module_, NodeId::none};
}

namespace {

/// TVMScript of v0.14 and later omits a symbol that equals the name.
std::string_view symbol_of(Node function, std::string_view name) {
  const std::string_view symbol = string_of(attribute_of(function, "global_symbol"));
  return symbol.empty() ? name : symbol;
}

}  // namespace

std::vector<NamedFunction> functions_of(const Module& module) {
  std::vector<NamedFunction> result;
  if (!module.root().is(Kind::IRModule)) return result;
  const NodeMap functions = module.root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const Node key = functions.key(i);
    const Node function = functions.value(i);
    const auto name = key.is(Kind::GlobalVar) ? key.text(f::GlobalVar::name_hint) : "";
    result.push_back({name, symbol_of(function, name), key, function});
  }
  return result;
}

std::vector<NamedFunction> prim_functions_of(const Module& module) {
  std::vector<NamedFunction> result = functions_of(module);
  std::erase_if(result, [](const NamedFunction& one) { return !one.function.is(Kind::PrimFunc); });
  return result;
}

std::optional<NamedFunction> repeated_function(const Module& module) {
  support::NameSet<std::string_view> names;
  for (const NamedFunction& one : functions_of(module)) {
    if (one.key.is(Kind::GlobalVar) && !names.insert(one.name).second) return one;
  }
  return std::nullopt;
}

std::string message_of_repeated_function(std::string_view name) {
  return "two functions are named '" + printable(name) + "'";
}

void refuse_repeated_functions(const Module& module) {
  if (const auto repeated = repeated_function(module)) {
    throw support::Error(ErrorKind::invalid_input, message_of_repeated_function(repeated->name));
  }
}

// --- Equal nodes -------------------------------------------------------------------------------

bool same_scalar(Node a, Node b, std::uint8_t field) {
  switch (a.info().fields[field].type) {
    case FieldType::string:
      return a.has_text(field) == b.has_text(field) && a.text(field) == b.text(field);
    case FieldType::real:
      return std::bit_cast<std::uint64_t>(a.real(field)) ==
             std::bit_cast<std::uint64_t>(b.real(field));
    case FieldType::dtype:
      return a.dtype(field) == b.dtype(field);
    case FieldType::integers:
      return std::ranges::equal(a.integers(field), b.integers(field));
    case FieldType::bytes: {
      const auto left = a.bytes(field);
      const auto right = b.bytes(field);
      return left.has_value() == right.has_value() && (!left || std::ranges::equal(*left, *right));
    }
    default:
      return a.integer(field) == b.integer(field);
  }
}

namespace {

constexpr std::size_t kMostPairs = 10'000;

// These are different objects even with equal content: two buffers of one shape are two.
bool is_unique(Node node) {
  const Category category = node.category();
  return is_var(node) || category == Category::buffer || category == Category::object ||
         category == Category::constant;
}

// Compares a field's own content; puts the nodes that it refers to into `rest`.
bool same_field(Node a, Node b, std::uint8_t i, std::vector<std::pair<Node, Node>>& rest) {
  const FieldType type = a.info().fields[i].type;
  if (!holds_nodes(type)) return same_scalar(a, b, i);
  if (type == FieldType::node) rest.emplace_back(a.node(i), b.node(i));
  if (type != FieldType::list) return type == FieldType::node;  // such trees contain no maps
  const NodeList left = a.list(i);
  const NodeList right = b.list(i);
  if (left.size() != right.size()) return false;
  for (std::size_t k = 0; k < left.size(); ++k) rest.emplace_back(left[k], right[k]);
  return true;
}

}  // namespace

// The remaining comparisons are on a stack: expressions nest deeper than the call stack allows.
bool same_tree(Node a, Node b) {
  std::vector<std::pair<Node, Node>> rest{{a, b}};
  for (std::size_t pairs = 0; !rest.empty(); ++pairs) {
    const auto [left, right] = rest.back();
    rest.pop_back();
    if (left == right) continue;
    if (!left || !right || left.kind() != right.kind() || is_unique(left)) return false;
    if (pairs > kMostPairs) return false;
    for (std::uint8_t i = 0; i < left.info().fields.size(); ++i) {
      if (!same_field(left, right, i, rest)) return false;
    }
  }
  return true;
}

}  // namespace mlf::tir

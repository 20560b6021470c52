#include "mlf/tir/builder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "support/error.h"
#include "tir/node_queries.h"
#include "tir/storage.h"

namespace mlf::tir {
namespace {

// Ids have 32 bits. An input that needs more is an error instead of a wraparound.
inline std::uint32_t next_index(std::size_t size) {
  if (size >= UINT32_MAX) [[unlikely]] {
    throw support::Error(ErrorKind::invalid_input, "more than 2^32 nodes in one module");
  }
  return static_cast<std::uint32_t>(size);
}

// A field is one word, 64-bit values two, low half first.
inline void store(std::uint32_t* words, const FieldInfo& field, const FieldValue& value) {
  if (field.stored != value.type()) [[unlikely]] {
    detail::misuse("it is made with a value of another type than its field '" +
                   std::string(field.name) + "' has");
  }
  words[field.offset] = static_cast<std::uint32_t>(value.bits());
  if (field.type == FieldType::integer || field.type == FieldType::real) {
    words[field.offset + 1] = static_cast<std::uint32_t>(value.bits() >> 32);
  }
}

// Maps are lists of pairs, in the order of the text: TVM's own order is that of a hash table.
template <class Entry, class Key>
ListId add_map(std::vector<std::uint32_t>& lists, std::span<const Entry> entries, Key Entry::*key) {
  if (entries.empty()) return ListId{1};  // the one empty list
  const auto id = static_cast<ListId>(next_index(lists.size()));
  lists.push_back(static_cast<std::uint32_t>(2 * entries.size()));
  for (const Entry& entry : entries) {
    lists.push_back(static_cast<std::uint32_t>(entry.*key));
    lists.push_back(index(entry.value));
  }
  return id;
}

}  // namespace

Builder::Builder() : module_(std::make_unique<Module::Storage>()) {}
Builder::Builder(Module&& module) : module_(std::move(module)) {}
Builder::Builder(Builder&&) noexcept = default;
Builder& Builder::operator=(Builder&&) noexcept = default;
Builder::~Builder() = default;

NodeId Builder::make(Kind kind, std::initializer_list<FieldValue> fields) {
  return make(kind, std::span(fields.begin(), fields.size()));
}

// Checks number and types of fields against the row in nodes.def. Modules are therefore well-formed
// by construction, and accessors only need to compare kinds.
NodeId Builder::make(Kind kind, std::span<const FieldValue> fields) {
  Module::Storage& storage = *module_.storage_;
  const KindInfo& row = info(kind);
  // Fields that may be undefined can be left out at the end.
  if (fields.size() > row.fields.size() ||
      !std::ranges::all_of(row.fields.subspan(fields.size()), &FieldInfo::nullable)) {
    detail::misuse("it is made with a wrong number of fields");
  }
  const auto id = static_cast<NodeId>(storage.kinds.size());
  const auto begin = static_cast<std::uint32_t>(storage.words.size());
  std::uint32_t* const words = storage.words.extend(row.words);
  for (std::size_t i = 0; i < row.fields.size(); ++i) {
    store(words, row.fields[i], i < fields.size() ? fields[i] : undefined_value(row.fields[i]));
  }
  *storage.first.extend(1) = begin;
  *storage.kinds.extend(1) = kind;
  module_.refresh();
  return id;
}

// Sets the field in place: the row has the position of its words.
void Builder::set(NodeId id, FieldRef field, FieldValue value) {
  Module::Storage& storage = *module_.storage_;
  const FieldInfo& row = row_of(module_.node(id).kind(), field);
  store(storage.words.data() + storage.first[index(id)], row, value);
}

// Equal strings have one id, so they compare as numbers.
StringId Builder::string(std::string_view text) {
  return module_.storage_->strings.intern(text);
}

ListId Builder::list(std::span<const NodeId> ids) {
  std::vector<std::uint32_t>& lists = module_.storage_->lists;
  if (ids.empty()) return ListId{1};  // the one empty list
  const auto id = static_cast<ListId>(next_index(lists.size()));
  lists.push_back(static_cast<std::uint32_t>(ids.size()));
  for (const NodeId element : ids) lists.push_back(index(element));
  return id;
}

ListId Builder::map(std::span<const NamedNode> entries) {
  return add_map(module_.storage_->lists, entries, &NamedNode::name);
}

ListId Builder::map(std::span<const NodePair> entries) {
  return add_map(module_.storage_->lists, entries, &NodePair::key);
}

ListId Builder::integers(std::span<const std::int64_t> values) {
  std::vector<std::int64_t>& pool = module_.storage_->integers;
  const auto id = static_cast<ListId>(next_index(pool.size()));
  pool.push_back(static_cast<std::int64_t>(values.size()));
  pool.insert(pool.end(), values.begin(), values.end());
  return id;
}

// Constants are moved in, not copied.
BytesId Builder::bytes(std::vector<std::byte> data) {
  auto& pool = module_.storage_->bytes;
  const auto id = static_cast<BytesId>(next_index(pool.size()));
  pool.push_back(std::move(data));
  return id;
}

void Builder::set_span(NodeId id, NodeId span) {
  module_.storage_->spans[index(id)] = span;
}

void Builder::set_source_range(NodeId id, SourceRange range) {
  module_.storage_->ranges.emplace_back(index(id), range);
}

// Sorts ranges for binary search; stable, because a node may have two.
Module Builder::finish(NodeId root) && {
  Module::Storage& storage = *module_.storage_;
  storage.root = root;
  std::ranges::stable_sort(storage.ranges, {}, &std::pair<std::uint32_t, SourceRange>::first);
  return std::move(module_);
}

}  // namespace mlf::tir

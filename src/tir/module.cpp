#include "mlf/tir/module.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "tir/storage.h"

namespace mlf::tir {
namespace {

constexpr std::size_t kChunkBytes = 64 * 1024;

}  // namespace

StringPool::StringPool() {
  strings_.emplace_back();  // StringId::none
}

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

Module::Storage::Storage() : kinds(1), first(1), lists{0, 0}, integers{0}, bytes(1) {}

Module::Module(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() = default;

Node Module::root() const {
  return {*this, storage_->root};
}

std::uint32_t Module::size() const {
  return static_cast<std::uint32_t>(storage_->kinds.size());
}

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

Kind Node::kind() const {
  assert(id_ != NodeId::none);
  return module_->storage_->kinds[index(id_)];
}

// Every accessor reads through here, so that a wrong field is caught where it is asked for.
#define MLF_FIELD_WORDS(expected)                      \
  const FieldInfo& row = info().fields[field];         \
  assert(expected);                                    \
  const Module::Storage& storage = *module_->storage_; \
  const std::uint32_t* const words = storage.words_of(id_, row.offset)

DType Node::dtype() const {
  assert(category() == Category::expr);
  return dtype(std::uint8_t{0});
}

Node Node::node(std::uint8_t field) const {
  MLF_FIELD_WORDS(row.type == FieldType::node);
  return {*module_, static_cast<NodeId>(*words)};
}

NodeList Node::list(std::uint8_t field) const {
  MLF_FIELD_WORDS(row.type == FieldType::list);
  return {*module_, storage.list(*words), *words != 0};
}

NodeMap Node::map(std::uint8_t field) const {
  MLF_FIELD_WORDS(row.type == FieldType::string_map || row.type == FieldType::node_map);
  return {*module_, storage.list(*words), *words != 0};
}

std::string_view Node::text(std::uint8_t field) const {
  MLF_FIELD_WORDS(row.type == FieldType::string);
  return storage.strings.get(static_cast<StringId>(*words));
}

bool Node::has_text(std::uint8_t field) const {
  MLF_FIELD_WORDS(row.type == FieldType::string);
  return static_cast<void>(storage), *words != 0;
}

std::int64_t Node::integer(std::uint8_t field) const {
  MLF_FIELD_WORDS(row.type == FieldType::integer || row.type == FieldType::boolean ||
                  row.type == FieldType::enumeration);
  static_cast<void>(storage);
  return row.type == FieldType::integer ? read_int64(words) : *words;
}

double Node::real(std::uint8_t field) const {
  MLF_FIELD_WORDS(row.type == FieldType::real);
  return static_cast<void>(storage), std::bit_cast<double>(read_int64(words));
}

DType Node::dtype(std::uint8_t field) const {
  MLF_FIELD_WORDS(row.type == FieldType::dtype);
  return static_cast<void>(storage), DType::unpack(*words);
}

std::span<const std::int64_t> Node::integers(std::uint8_t field) const {
  MLF_FIELD_WORDS(row.type == FieldType::integers);
  const std::int64_t* const values = &storage.integers[*words];
  return {values + 1, static_cast<std::size_t>(*values)};
}

std::optional<std::span<const std::byte>> Node::bytes(std::uint8_t field) const {
  MLF_FIELD_WORDS(row.type == FieldType::bytes);
  if (*words == 0) return std::nullopt;
  return std::span<const std::byte>(storage.bytes[*words]);
}

#undef MLF_FIELD_WORDS

std::string_view NodeMap::name(std::size_t i) const {
  return module_->storage_->strings.get(static_cast<StringId>(words_[2 * i]));
}

Node NodeMap::find(std::string_view name) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (this->name(i) == name) return value(i);
  }
  return {*module_, NodeId::none};
}

}  // namespace mlf::tir

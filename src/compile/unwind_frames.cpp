#include "compile/unwind_frames.h"

#include <algorithm>
#include <string_view>

namespace mlf::compile {
namespace {

/// Little-endian, like all targets of TVM. A read past the end sets `is_good` to false.
class Bytes {
 public:
  Bytes(std::span<const std::byte> bytes, std::size_t at, std::size_t end)
      : bytes_(bytes), at_(at), end_(std::min(end, bytes.size())) {}

  bool is_good() const { return is_good_; }
  bool at_end() const { return !is_good_ || at_ >= end_; }
  std::size_t at() const { return at_; }

  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    if (!has(size)) return 0;
    for (std::size_t i = size; i-- > 0;) {
      value = value << 8 | std::to_integer<std::uint64_t>(bytes_[at_ + i]);
    }
    at_ += size;
    return value;
  }

  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; has(1); shift += 7) {
      const auto byte = number(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return 0;
  }
  /// The sign does not matter here.
  void skip_leb() { uleb(); }

  void skip(std::uint64_t count) {
    if (has(count)) at_ += count;
  }
  std::string_view text() {
    const std::size_t begin = at_;
    while (has(1) && bytes_[at_] != std::byte{0}) ++at_;
    const std::size_t size = at_ - begin;
    skip(1);
    return {reinterpret_cast<const char*>(bytes_.data()) + begin, size};
  }

 private:
  bool has(std::uint64_t count) {
    is_good_ = is_good_ && at_ <= end_ && count <= end_ - at_;
    return is_good_;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_;
  std::size_t end_;
  bool is_good_ = true;
};

/// Fields that the entries of many functions share (CIE).
struct Common {
  std::size_t address_bytes = 8;
  bool has_augmentation_data = false;
  /// The register and the offset that determine a frame's address.
  std::optional<std::uint64_t> register_number{};
  std::uint64_t offset = 0;
  bool is_known = true;
};

/// Runs the instructions to the end, and keeps the largest offset from the stack pointer.
class Rows {
 public:
  explicit Rows(const Common& common)
      : common_(common),
        register_(common.register_number),
        offset_(common.offset),
        largest_(common.offset),
        is_known_(common.is_known) {}

  void run(Bytes bytes) {
    while (!bytes.at_end()) step(bytes);
    is_known_ = is_known_ && bytes.is_good();
  }

  /// The register of the last rule.
  std::optional<std::uint64_t> register_number() const { return register_; }
  std::uint64_t offset() const { return offset_; }
  bool is_known() const { return is_known_; }
  std::optional<std::uint64_t> largest() const {
    return is_known_ ? std::optional(largest_) : std::nullopt;
  }

 private:
  void set_offset(std::uint64_t offset) {
    offset_ = offset;
    largest_ = std::max(largest_, offset);
  }
  void set_register(std::uint64_t number) {
    // After a change to another register, the stack pointer is unknown. The CIE names the first
    // register.
    is_known_ = is_known_ && (!register_ || number == *register_);
    register_ = number;
  }

  void step(Bytes& bytes) {
    const auto code = bytes.number(1);
    switch (code & 0xc0) {
      case 0x40:  // DW_CFA_advance_loc
      case 0xc0:  // DW_CFA_restore
        return;
      case 0x80:  // DW_CFA_offset
        return bytes.skip_leb();
      default:
        return extended(code, bytes);
    }
  }

  void extended(std::uint64_t code, Bytes& bytes) {
    switch (code) {
      case 0x00:  // DW_CFA_nop
      case 0x0a:  // DW_CFA_remember_state
      case 0x2d:  // DW_CFA_AARCH64_negate_ra_state
        return;
      case 0x0b:  // DW_CFA_restore_state: an earlier offset, which was counted
        return;
      case 0x01:  // DW_CFA_set_loc
        return bytes.skip(common_.address_bytes);
      case 0x02:  // DW_CFA_advance_loc1
        return bytes.skip(1);
      case 0x03:
        return bytes.skip(2);
      case 0x04:
        return bytes.skip(4);
      case 0x05:  // DW_CFA_offset_extended
      case 0x09:  // DW_CFA_register
      case 0x11:  // DW_CFA_offset_extended_sf
      case 0x14:  // DW_CFA_val_offset
      case 0x15:  // DW_CFA_val_offset_sf
        bytes.skip_leb();
        return bytes.skip_leb();
      case 0x06:  // DW_CFA_restore_extended
      case 0x07:  // DW_CFA_undefined
      case 0x08:  // DW_CFA_same_value
        return bytes.skip_leb();
      case 0x0c:  // DW_CFA_def_cfa
        set_register(bytes.uleb());
        return set_offset(bytes.uleb());
      case 0x0d:  // DW_CFA_def_cfa_register
        return set_register(bytes.uleb());
      case 0x0e:  // DW_CFA_def_cfa_offset
        return set_offset(bytes.uleb());
      case 0x10:  // DW_CFA_expression
      case 0x16:  // DW_CFA_val_expression
        bytes.skip_leb();
        return bytes.skip(bytes.uleb());
      case 0x2e:  // DW_CFA_GNU_args_size: pushed arguments, which offsets count
        return bytes.skip_leb();
      default:  // an expression, or an extension
        is_known_ = false;
        return bytes.skip(UINT64_MAX);
    }
  }

  const Common& common_;
  std::optional<std::uint64_t> register_;
  std::uint64_t offset_;
  std::uint64_t largest_;
  bool is_known_;
};

class Reader {
 public:
  explicit Reader(const UnwindTable& table) : table_(table) {}

  std::map<SectionPlace, std::optional<std::uint64_t>> read() && {
    std::size_t at = 0;
    while (at + 4 < table_.bytes.size()) {
      Bytes head(table_.bytes, at, table_.bytes.size());
      const std::uint64_t length = head.number(4);
      // Objects of this size do not need 64-bit DWARF.
      if (length == 0 || length >= 0xfffffff0 || length > table_.bytes.size() - head.at()) break;
      const std::size_t end = head.at() + length;
      entry(at, Bytes(table_.bytes, head.at(), end), end);
      at = end;
    }
    return std::move(frames_);
  }

 private:
  void entry(std::size_t begin, Bytes bytes, std::size_t end) {
    const std::size_t id_at = bytes.at();
    const std::uint64_t id = bytes.number(4);
    const bool is_common = id == (table_.is_eh_frame ? 0 : 0xffffffff);
    if (is_common) {
      commons_[begin] = common(bytes, end);
      return;
    }
    const auto relocated = table_.relocations.find(id_at);
    const std::uint64_t common_at = table_.is_eh_frame ? id_at - id
                                    : relocated != table_.relocations.end()
                                        ? relocated->second.offset
                                        : id;
    const auto found = commons_.find(common_at);
    if (found != commons_.end()) function(found->second, bytes, end);
  }

  Common common(Bytes bytes, std::size_t end) const {
    Common common{.address_bytes = table_.address_bytes};
    const auto version = bytes.number(1);
    const std::string_view augmentation = bytes.text();
    if (!table_.is_eh_frame && version >= 4) bytes.skip(2);  // sizes of addresses and segments
    bytes.skip_leb();
    bytes.skip_leb();
    version == 1 ? bytes.skip(1) : bytes.skip_leb();
    common.has_augmentation_data = augmentation.starts_with('z');
    if (common.has_augmentation_data) {
      const std::uint64_t size = bytes.uleb();
      const std::size_t data_end = bytes.at() + std::min<std::uint64_t>(size, end);
      common.address_bytes = encoded_bytes(augmentation.substr(1), bytes);
      bytes = Bytes(table_.bytes, data_end, end);
    }
    Rows rows(common);
    rows.run(bytes);
    common.register_number = rows.register_number();
    common.offset = rows.offset();
    common.is_known = rows.is_known() && (augmentation.empty() || common.has_augmentation_data);
    return common;
  }

  /// Bytes of an address, by the letter R of the augmentation, such as DW_EH_PE_sdata4.
  std::size_t encoded_bytes(std::string_view letters, Bytes& data) const {
    for (const char letter : letters) {
      if (letter == 'S' || letter == 'B') continue;
      const auto encoding = data.number(1) & 0x0f;
      const std::size_t size = encoding == 0x02 || encoding == 0x0a   ? 2
                               : encoding == 0x03 || encoding == 0x0b ? 4
                               : encoding == 0x04 || encoding == 0x0c ? 8
                                                                      : table_.address_bytes;
      if (letter == 'R') return size;
      if (letter == 'P') data.skip(size);
    }
    return table_.address_bytes;
  }

  void function(const Common& common, Bytes bytes, std::size_t end) {
    const auto begin = table_.relocations.find(bytes.at());
    bytes.skip(2 * common.address_bytes);
    if (common.has_augmentation_data) bytes.skip(bytes.uleb());
    if (!bytes.is_good() || begin == table_.relocations.end()) return;
    Rows rows(common);
    rows.run(Bytes(table_.bytes, bytes.at(), end));
    frames_.insert_or_assign(begin->second, rows.largest());
  }

  const UnwindTable& table_;
  std::map<std::size_t, Common> commons_;  // by offset of the entry
  std::map<SectionPlace, std::optional<std::uint64_t>> frames_;
};

}  // namespace

std::map<SectionPlace, std::optional<std::uint64_t>> unwind_frames(const UnwindTable& table) {
  return Reader(table).read();
}

}  // namespace mlf::compile

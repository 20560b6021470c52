#include "mlf/model_library.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "json/text.h"
#include "support/error.h"
#include "support/name_map.h"

namespace mlf {
namespace {

// kTVMNDArrayListMagic (src/runtime/file_utils.cc) and kTVMNDArrayMagic (runtime/ndarray.h). The
// format has not changed from v0.8 to v0.18.
constexpr std::uint64_t kListMagic = 0xF7E58D4F05049CB7;
constexpr std::uint64_t kArrayMagic = 0xDD5E40F096B4A13F;
constexpr std::uint64_t kMaxArrayBytes = std::numeric_limits<std::int64_t>::max();

/// nullopt if the size does not fit in 63 bits. TVM ignores lanes in this sum; a bool of one bit
/// takes a byte.
std::optional<std::uint64_t> byte_size(const Param& param) {
  std::uint64_t size = (param.type.bits + 7u) / 8u;
  // Comes first, because a later extent may overflow, and an empty array has no bytes for any other
  // extents.
  if (std::find(param.shape.begin(), param.shape.end(), 0) != param.shape.end()) return 0;
  for (const std::int64_t extent : param.shape) {
    const auto factor = static_cast<std::uint64_t>(extent);
    if (size > kMaxArrayBytes / factor) return std::nullopt;
    size *= factor;
  }
  return size;
}

/// Reads the file once. Does not copy data: `Param::data` refers to the caller's bytes.
class ParamsReader {
 public:
  ParamsReader(std::span<const std::byte> bytes, std::string_view member)
      : bytes_(bytes), member_(member) {}

  std::vector<Param> read() {
    expect_magic(kListMagic, "a parameter file");
    // TVM writes 0 and ignores it.
    number<std::uint64_t>("the reserved word of the file");
    std::vector<Param> params = read_names();
    read_array_count(params.size());
    for (Param& param : params) read_array(param);
    if (cursor_ != bytes_.size()) {
      fail(cursor_, fmt::format("{} bytes behind the last array", bytes_.size() - cursor_));
    }
    return params;
  }

 private:
  std::vector<Param> read_names() {
    const std::size_t begin = cursor_;
    const auto count = number<std::uint64_t>("the number of names");
    // Each name takes at least the bytes of its length.
    if (count > left() / sizeof(std::uint64_t)) {
      fail(begin, fmt::format("{} names do not fit in the file", count));
    }
    std::vector<Param> params(static_cast<std::size_t>(count));
    support::NameSet<std::string_view> seen;
    for (Param& param : params) {
      const std::size_t at = cursor_;
      const auto length = number<std::uint64_t>("the length of a name");
      const std::span<const std::byte> name = take(length, "a name");
      param.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
      if (!seen.insert(param.name).second) {
        fail(at, fmt::format("the name {} is given twice", json::quoted(param.name)));
      }
    }
    return params;
  }

  /// TVM writes the number twice: for the names and for the arrays.
  void read_array_count(std::size_t names) {
    const std::size_t begin = cursor_;
    const auto count = number<std::uint64_t>("the number of arrays");
    if (count != names) fail(begin, fmt::format("{} arrays for {} names", count, names));
  }

  void read_array(Param& param) {
    expect_magic(kArrayMagic, "an array");
    number<std::uint64_t>("the reserved word of an array");
    // Always CPU 0: TVM copies arrays there before it writes them.
    param.device_type = static_cast<std::int32_t>(number<std::uint32_t>("a device type"));
    param.device_id = static_cast<std::int32_t>(number<std::uint32_t>("a device id"));
    const std::size_t rank_at = cursor_;
    const auto rank = static_cast<std::int32_t>(number<std::uint32_t>("a rank"));
    param.type.code = number<std::uint8_t>("a type code");
    param.type.bits = number<std::uint8_t>("the bits of a type");
    param.type.lanes = number<std::uint16_t>("the lanes of a type");
    if (rank < 0) fail(rank_at, fmt::format("negative rank {}", rank));
    read_shape(param, static_cast<std::size_t>(rank), rank_at);
    read_data(param);
  }

  void read_shape(Param& param, std::size_t rank, std::size_t rank_at) {
    // Checked before any allocation: each extent takes eight bytes of the file.
    if (rank > left() / sizeof(std::int64_t)) {
      fail(rank_at, fmt::format("a shape of rank {} does not fit in the file", rank));
    }
    for (std::size_t i = 0; i < rank; ++i) {
      const std::size_t at = cursor_;
      const auto extent = static_cast<std::int64_t>(number<std::uint64_t>("an extent"));
      if (extent < 0) fail(at, fmt::format("negative extent {}", extent));
      param.shape.push_back(extent);
    }
  }

  void read_data(Param& param) {
    const std::size_t at = cursor_;
    const auto size = number<std::uint64_t>("a data size");
    const std::optional<std::uint64_t> expected = byte_size(param);
    if (!expected) fail(at, "type and shape make more than 2^63-1 bytes");
    // TVM's reader requires the same.
    if (size != *expected) {
      fail(at, fmt::format("data size {}, but type {} and shape make {} bytes", size,
                           to_string(param.type), *expected));
    }
    param.offset = cursor_;
    param.data = take(size, "the data of an array");
  }

  void expect_magic(std::uint64_t magic, std::string_view what) {
    const std::size_t at = cursor_;
    const auto found = number<std::uint64_t>("a magic number");
    if (found == magic) return;
    fail(at, fmt::format("{} begins with the magic number 0x{:016x}, found 0x{:016x}", what, magic,
                         found));
  }

  /// Little-endian on every machine.
  template <class Unsigned>
  Unsigned number(std::string_view what) {
    std::uint64_t value = 0;
    const std::span<const std::byte> bytes = take(sizeof(Unsigned), what);
    for (std::size_t i = sizeof(Unsigned); i-- > 0;) {
      value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    }
    return static_cast<Unsigned>(value);
  }

  std::span<const std::byte> take(std::uint64_t size, std::string_view what) {
    if (size > left()) {
      fail(cursor_,
           fmt::format("the file ends within {}: {} bytes wanted, {} left", what, size, left()));
    }
    const auto count = static_cast<std::size_t>(size);
    const std::span<const std::byte> result = bytes_.subspan(cursor_, count);
    cursor_ += count;
    return result;
  }

  std::size_t left() const { return bytes_.size() - cursor_; }

  /// A binary file has no lines: a place in it is a byte.
  [[noreturn]] void fail(std::size_t at, std::string message) const {
    Location where;
    where.member = member_;
    throw support::Error(ErrorKind::invalid_input, fmt::format("byte {}: {}", at, message),
                         std::move(where));
  }

  std::span<const std::byte> bytes_;
  std::string_view member_;
  std::size_t cursor_ = 0;
};

/// By DLDataTypeCode, in the spelling of TVM's `runtime::DLDataType2String`.
constexpr std::string_view kCodes[] = {"int", "uint", "float", "handle", "bfloat", "complex"};

}  // namespace

std::string to_string(ParamType type) {
  // TVM writes booleans as uint1.
  const std::string lanes = type.lanes == 1 ? "" : fmt::format("x{}", type.lanes);
  if (type.code == 1 && type.bits == 1 && type.lanes == 1) return "bool";
  if (type.code < std::size(kCodes)) {
    return fmt::format("{}{}{}", kCodes[type.code], type.bits, lanes);
  }
  return fmt::format("code{}_{}{}", type.code, type.bits, lanes);
}

Result<std::vector<Param>> read_params(std::span<const std::byte> bytes, std::string_view member) {
  return support::to_result([&] { return ParamsReader(bytes, member).read(); });
}

}  // namespace mlf

#include "archive/tar_walk.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "archive/fault.h"
#include "archive/member_name.h"
#include "archive/tar_header.h"
#include "support/numbers.h"

namespace mlf::archive {
namespace {

constexpr std::string_view kNotATar =
    "not a tar archive, plain or compressed with gzip, xz or zstd";
constexpr std::string_view kLibrary =
    "a static library: name its directory, where mlf reads mod.a and codegen/host/lib/*.a";
constexpr std::string_view kC =
    "a file of C: name its directory, which mlf reads as an archive; mlf tir reads the file";

constexpr std::string_view kTir = "TIR outside of an archive: mlf tir reads the file";
constexpr std::string_view kJson =
    "a file of JSON, not a tar archive: name the archive, or the directory that the file is in";
constexpr std::string_view kModel =
    "a model of TensorFlow Lite: compile it with TVM (tvmc compile --output-format mlf)";

/// The name of what a file is that is no tar.
std::string_view other_kind(std::string_view bytes) {
  if (bytes.starts_with("!<arch>\n")) return kLibrary;
  const auto begins_with = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](auto word) { return bytes.starts_with(word); });
  };
  if (begins_with({"//", "/*", "#include"})) return kC;
  if (begins_with({"# from tvm.script", "from tvm.script", "primfn(", "@main", "{\"root\"",
                   "{\n  \"root\""})) {
    return kTir;
  }
  if (begins_with({"{", "["})) return kJson;
  // A FlatBuffer has its identifier behind the offset of its root.
  return bytes.size() > 8 && bytes.substr(4, 4) == "TFL3" ? kModel : kNotATar;
}

/// Type flags of headers that describe the next header.
constexpr char kPax = 'x';
constexpr char kGlobalPax = 'g';
constexpr char kLongName = 'L';
constexpr char kLongLink = 'K';

bool is_extension(char type) {
  return type == kPax || type == kGlobalPax || type == kLongName || type == kLongLink;
}

std::optional<MemberType> member_type(char flag) {
  constexpr std::pair<char, MemberType> kTypes[] = {{'\0', MemberType::file},
                                                    {'0', MemberType::file},
                                                    {'1', MemberType::hard_link},
                                                    {'2', MemberType::symbolic_link},
                                                    {'3', MemberType::character_device},
                                                    {'4', MemberType::block_device},
                                                    {'5', MemberType::directory},
                                                    {'6', MemberType::fifo},
                                                    // "Contiguous", a file for every system.
                                                    {'7', MemberType::file}};
  for (const auto& [known, type] : kTypes) {
    if (known == flag) return type;
  }
  return std::nullopt;
}

std::int64_t number(std::string_view field, std::string_view what, const HeaderPlace& place) {
  const auto value = parse_number(field);
  if (value.has_value()) return *value;
  place.fail(fmt::format("{} is {}", what,
                         value.error() == NumberFault::too_large ? "too large" : "not a number"));
}

std::uint64_t natural(std::string_view field, std::string_view what, const HeaderPlace& place) {
  const std::int64_t value = number(field, what, place);
  if (value < 0) place.fail(fmt::format("{} is negative", what));
  return static_cast<std::uint64_t>(value);
}

/// The headers before a member's own header.
struct Extensions {
  Attributes pax;
  std::optional<std::string> long_name;
  std::optional<std::string> long_link;
  bool has_pax = false;
  std::uint64_t bytes = 0;
};

std::string raw_name_of(const TarHeader& header) {
  std::string name;
  if (format_of(header) == HeaderFormat::ustar && header.prefix[0] != '\0') {
    name = field_text(header.prefix);
    if (name.back() != '/') name += '/';
  }
  name += field_text(header.name);
  return name;
}

/// Reads the headers in one pass. Stricter than tar: rejects everything that two readers could
/// interpret differently, with the place of the header.
class TarWalk {
 public:
  TarWalk(std::string_view bytes, const Limits& limits) : bytes_(bytes), limits_(limits) {}

  TarLayout run() {
    TarLayout layout;
    while (!at_end()) {
      // Checks the limit before it reads the member.
      check_member_count(layout.members.size() + 1, limits_);
      if (std::optional<Member> member = read_member())
        layout.members.push_back(*std::move(member));
    }
    layout.end_of_members = offset_;
    check_end();
    return layout;
  }

 private:
  bool at_end() const {
    if (offset_ == bytes_.size()) {
      refuse("truncated: the archive ends without end-of-archive blocks");
    }
    return bytes_.size() - offset_ >= kBlock && is_zero(bytes_.substr(offset_, kBlock));
  }

  /// Two zero blocks, then only zeros: readers disagree about everything else.
  void check_end() const {
    const std::string_view rest = bytes_.substr(offset_);
    if (rest.size() < 2 * kBlock) refuse("truncated: the second end-of-archive block is missing");
    if (!is_zero(rest.substr(0, 2 * kBlock))) {
      refuse(fmt::format("a lone zero block at byte {} inside the archive", offset_));
    }
    const std::size_t garbage = rest.find_first_not_of('\0');
    if (garbage != std::string_view::npos) {
      refuse(fmt::format("data behind the end of the archive, at byte {}", offset_ + garbage));
    }
  }

  TarHeader read_header(HeaderPlace& place) {
    place.offset = offset_;
    // An error in the first header may only mean that this is not a tar.
    if (bytes_.size() < kBlock) refuse(std::string(other_kind(bytes_)));
    if (bytes_.size() - offset_ < kBlock) place.fail("truncated: the header is cut off");
    const TarHeader header = header_at(bytes_, offset_);
    const auto stored = parse_number(field_bytes(header.checksum));
    if (!stored.has_value() || *stored != checksum_of(header)) {
      // A ZIP file may store a tar as it is.
      const bool is_zip = bytes_.starts_with("PK\x03\x04");
      if (offset_ == 0 && (is_zip || format_of(header) == HeaderFormat::unknown)) {
        refuse(std::string(other_kind(bytes_)));
      }
      place.fail("bad header checksum");
    }
    if (format_of(header) == HeaderFormat::unknown) place.fail("unknown tar format");
    offset_ += kBlock;
    return header;
  }

  /// The data of an extension header; moves after it.
  std::string_view read_body(const TarHeader& header, std::uint64_t& total,
                             const HeaderPlace& place) {
    const std::uint64_t size =
        natural(field_bytes(header.size), "size of the extended header", place);
    if (size > limits_.max_header_bytes || (total += size) > limits_.max_header_bytes) {
      place.fail(fmt::format("extended headers are longer than {} bytes (--limit header-bytes=N)",
                             limits_.max_header_bytes));
    }
    if (support::round_up<std::uint64_t>(size, kBlock) > bytes_.size() - offset_) {
      place.fail("truncated: the extended header is cut off");
    }
    const std::string_view body = bytes_.substr(offset_, size);
    offset_ += support::round_up<std::uint64_t>(size, kBlock);
    return body;
  }

  std::string read_long_text(const TarHeader& header, Extensions& extensions,
                             const HeaderPlace& place) {
    std::string_view text = read_body(header, extensions.bytes, place);
    const std::size_t end = std::min(text.find('\0'), text.size());
    // Padding is zeros; another reader may take later bytes as part of the name.
    if (!is_zero(text.substr(end))) place.fail("GNU long name contains a NUL byte");
    return std::string(text.substr(0, end));
  }

  void read_global(const TarHeader& header, const HeaderPlace& place) {
    std::uint64_t total = 0;
    Attributes attributes;
    parse_pax(read_body(header, total, place), place, attributes);
    // It would give all members one name, or one size.
    if (attributes.path || attributes.link_path || attributes.size) {
      place.fail("a global PAX header must not set path, linkpath or size");
    }
    // A later global header replaces the keys in it and keeps the others.
    if (attributes.mtime) global_.mtime = std::move(attributes.mtime);
    if (attributes.uid) global_.uid = attributes.uid;
    if (attributes.gid) global_.gid = attributes.gid;
    if (attributes.uname) global_.uname = std::move(attributes.uname);
    if (attributes.gname) global_.gname = std::move(attributes.gname);
  }

  /// Each kind at most once, and either PAX or GNU: readers differ on which one wins.
  void read_extension(const TarHeader& header, Extensions& extensions, const HeaderPlace& place) {
    if (header.type == kPax) {
      if (extensions.has_pax) place.fail("two PAX headers for one member");
      extensions.has_pax = true;
      parse_pax(read_body(header, extensions.bytes, place), place, extensions.pax);
    } else {
      auto& slot = header.type == kLongName ? extensions.long_name : extensions.long_link;
      if (slot.has_value()) place.fail("two GNU long names for one member");
      slot = read_long_text(header, extensions, place);
    }
    if (extensions.has_pax && (extensions.long_name || extensions.long_link)) {
      place.fail("PAX and GNU headers mixed for one member");
    }
  }

  /// Reads one member with its extension headers; nullopt for a global header, which belongs to no
  /// member.
  std::optional<Member> read_member() {
    const std::uint64_t start = offset_;
    Extensions extensions;
    HeaderPlace place;
    TarHeader header = read_header(place);
    // Alone, as git archive writes it at the beginning.
    if (header.type == kGlobalPax) {
      read_global(header, place);
      return std::nullopt;
    }
    // Any number of headers may come before the member's own.
    while (is_extension(header.type)) {
      if (header.type == kGlobalPax)
        place.fail("a global PAX header between a member and its header");
      read_extension(header, extensions, place);
      if (at_end()) place.fail("an extended header without a member");
      header = read_header(place);
    }
    Member member = describe(header, std::move(extensions), place);
    member.header_offset = start;
    member.data_offset = offset_;
    if (support::round_up<std::uint64_t>(member.size, kBlock) > bytes_.size() - offset_) {
      place.fail("truncated: the member's content is cut off");
    }
    offset_ += support::round_up<std::uint64_t>(member.size, kBlock);
    member.end_offset = offset_;
    return member;
  }

  Member describe(const TarHeader& header, Extensions&& extensions, HeaderPlace& place) {
    Member member;
    // Python's tarfile puts it before the name for any magic, other readers do not: GNU stores
    // times there, V7 nothing.
    if (format_of(header) != HeaderFormat::ustar && header.prefix[0] != '\0') {
      place.fail("a name prefix in a header that is not of POSIX ustar");
    }
    Attributes& pax = extensions.pax;
    member.raw_name = pax.path               ? *std::move(pax.path)
                      : extensions.long_name ? *std::move(extensions.long_name)
                                             : raw_name_of(header);
    if (member.raw_name.empty()) place.fail("member name is empty");
    // From here on, messages name the member.
    member.name = normal_name(member.raw_name, limits_);
    place.member = member.name;

    const std::optional<MemberType> type = member_type(header.type);
    if (!type.has_value()) {
      if (header.type == 'S') place.fail("sparse members are not supported");
      place.fail(fmt::format("unknown member type '{}'", printable_name({&header.type, 1})));
    }
    member.type = *type;
    member.size = member_size(header, pax, place);
    // V7 had no type for directories.
    if (member.type == MemberType::file && member.raw_name.back() == '/') {
      member.type = MemberType::directory;
    }
    // Some readers skip it and others do not: the next header would have two places.
    if (member.type != MemberType::file && member.size != 0) {
      place.fail("a member that is not a file has content");
    }
    member.link_target = pax.link_path          ? *std::move(pax.link_path)
                         : extensions.long_link ? *std::move(extensions.long_link)
                                                : std::string(field_text(header.link_name));
    const std::string fault = text_fault(member.link_target, "link target", limits_);
    if (!fault.empty()) place.fail(fault);
    describe_owner(member, header, pax, place);
    return member;
  }

  std::uint64_t member_size(const TarHeader& header, const Attributes& pax,
                            const HeaderPlace& place) const {
    // Sizes determine the place of the next header: two interpretations of them are two archives.
    const std::uint64_t stored = natural(field_bytes(header.size), "member size", place);
    const std::uint64_t size = pax.size.value_or(stored);
    // If the header can store the size, both must agree. Above 8 GiB it cannot.
    constexpr std::uint64_t kHeaderHolds = std::uint64_t{1} << 33;
    if (size != stored && (size < kHeaderHolds || stored != 0)) {
      place.fail(fmt::format("the PAX header gives size {}, the member's header {}", size, stored));
    }
    if (size > limits_.max_member_bytes) {
      place.fail(fmt::format("the member is larger than {} bytes (--limit member-bytes=N)",
                             limits_.max_member_bytes));
    }
    return size;
  }

  void describe_owner(Member& member, const TarHeader& header, const Attributes& pax,
                      const HeaderPlace& place) const {
    member.mode =
        static_cast<std::uint32_t>(natural(field_bytes(header.mode), "member mode", place) & 07777);
    // PAX overrides global, which overrides the header: the more specific one counts.
    member.mtime = number(field_bytes(header.mtime), "member mtime", place);
    if (const auto& mtime = pax.mtime ? pax.mtime : global_.mtime) member.mtime = *mtime;
    const std::uint64_t uid = natural(field_bytes(header.uid), "member uid", place);
    const std::uint64_t gid = natural(field_bytes(header.gid), "member gid", place);
    member.uid = pax.uid.value_or(global_.uid.value_or(uid));
    member.gid = pax.gid.value_or(global_.gid.value_or(gid));
    member.uname =
        pax.uname ? *pax.uname : global_.uname.value_or(std::string(field_text(header.uname)));
    member.gname =
        pax.gname ? *pax.gname : global_.gname.value_or(std::string(field_text(header.gname)));
  }

  std::string_view bytes_;
  const Limits& limits_;
  std::uint64_t offset_ = 0;
  Attributes global_;
};

}  // namespace

TarLayout walk_tar(std::string_view bytes, const Limits& limits) {
  check_total_size(bytes.size(), limits);
  return TarWalk(bytes, limits).run();
}

}  // namespace mlf::archive

// A Model Library Format archive as a list of members: a tar (plain, gzip, xz or zstd), an unpacked
// directory, or standard input. Nothing is ever extracted to disk.
//
// A tar is read twice, by libarchive for its meaning and by mlf's own walk over the 512-byte
// headers for the place of every byte. Both must agree on the name, the size and the data offset of
// every member, or mlf rejects the archive: an attacker hides members where two readers disagree.
// mlf also rejects the following, each with one error that names the member or the byte:
//  - names that escape ("..", absolute, drive letters), are empty, not UTF-8, or hold control
//    characters; two members of one name;
//  - bad checksums, malformed or negative numbers, PAX sizes that contradict the header, sparse
//    and vendor members, links and devices with content;
//  - truncated archives, missing end-of-archive blocks, anything but zeros behind them;
//  - whatever exceeds a limit of `Limits`.
// Links, devices and FIFOs are listed and kept, but never followed and never read.
//
//     const auto archive = mlf::archive::Archive::open("module.tar");
//     if (!archive) return fail(archive.error());
//     for (const mlf::archive::Member& member : archive->members()) print(member.name);
//
// Threads: all const functions of an Archive may be called from several threads at once.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"

namespace mlf::archive {

/// Limits on an untrusted archive. mlf checks them before libarchive sees a byte, so the result
/// does not depend on the version of libarchive.
struct Limits {
  std::uint64_t max_members = 250'000;
  std::uint64_t max_total_bytes = std::uint64_t{4}
                                  << 30;  ///< of the uncompressed tar, or of all files
  std::uint64_t max_member_bytes = std::uint64_t{2} << 30;  ///< of one member
  /// Uncompressed bytes per compressed byte. The first MiB of output is free: a small tar is
  /// mostly zero padding.
  std::uint64_t max_expansion = 1000;
  std::uint64_t max_name_bytes = 4096;          ///< of one member name or link target
  std::uint64_t max_header_bytes = 256 * 1024;  ///< of the PAX and GNU records of one member
  /// Modules that metadata.json or generated code names. `Deployment::open` checks this one.
  std::uint64_t max_modules = 10'000;
  /// Tars up to this size are copied when they are opened. Larger ones are mapped, which takes less
  /// time and memory; a process that truncates the file then ends this one with SIGBUS. Programs
  /// that handle the signal can set 0.
  std::uint64_t max_copied_bytes = std::numeric_limits<std::uint64_t>::max();
};

enum class MemberType : std::uint8_t {
  file,
  directory,
  hard_link,
  symbolic_link,
  character_device,
  block_device,
  fifo,
  socket,  ///< in an unpacked directory only
};

/// "file", "hard link", …
MLF_API std::string_view to_string(MemberType type);

/// One entry of an archive. In an unpacked directory the three offsets are 0.
struct Member {
  /// Without leading "./" and trailing "/"; "." is the root directory. A Deployment names members
  /// as the Model Library Format does, even if the archive stores them below another directory.
  std::string name;
  std::string raw_name;  ///< as the archive spells it
  std::string link_target;
  MemberType type = MemberType::file;
  std::uint64_t size = 0;  ///< bytes of content; 0 for everything but files
  std::int64_t mtime = 0;  ///< seconds since the epoch, rounded down
  std::uint32_t mode = 0;  ///< permission bits, 07777 at most
  std::uint64_t uid = 0;
  std::uint64_t gid = 0;
  std::string uname;
  std::string gname;
  std::uint64_t header_offset = 0;  ///< first byte of its headers, PAX and GNU records included
  std::uint64_t data_offset = 0;    ///< first byte of its content
  std::uint64_t end_offset = 0;     ///< first byte behind its padding
};

/// How the archive is stored. An update keeps it.
enum class Storage : std::uint8_t { tar, tar_gzip, tar_xz, tar_zstd, directory };

/// "tar", "tar.gz", …
MLF_API std::string_view to_string(Storage storage);

/// An open archive. It has its own copy of a tar of up to `Limits::max_copied_bytes`: the file may
/// be replaced, changed or truncated meanwhile, and only an update notices, which fails.
class MLF_API Archive {
 public:
  /// Opens `path` for reading; "-" is standard input. Copies a tar of up to 256 MiB into memory;
  /// larger, compressed and unseekable ones into an unnamed temporary file ($TMPDIR or /tmp).
  /// Errors: `io` if the system refuses, `invalid_input` if mlf rejects the archive.
  static Result<Archive> open(const std::string& path, const Limits& limits = {});

  /// Opens a tar in memory, compressed or not, and copies its bytes. Messages name it `path`.
  static Result<Archive> from_bytes(std::string_view bytes, const std::string& path,
                                    const Limits& limits = {});

  /// Opens `path` under an exclusive lock (flock), and holds the lock as long as the Archive lives,
  /// so that processes that read and then replace one archive run one after the other. Waits for
  /// the lock. Resolves symbolic links once, here: an update replaces the target. Errors: those of
  /// `open`; `usage` for standard input; `io` for anything but a regular file or a directory.
  static Result<Archive> open_for_update(const std::string& path, const Limits& limits = {});

  Archive(Archive&& other) noexcept;
  Archive& operator=(Archive&& other) noexcept;
  ~Archive();

  /// The path as given to `open`.
  const std::string& path() const noexcept;
  Storage storage() const noexcept;

  /// In the order of the archive; sorted by name in a directory.
  const std::vector<Member>& members() const noexcept;

  /// Returns the member with this normalised name, or null.
  const Member* find(std::string_view name) const noexcept;

  /// Returns the content of a file, valid as long as the Archive lives, even if it is moved. Reads
  /// a file of a directory at the first call. Safe to call from several threads. Errors:
  /// `invalid_input` for anything but a file, `io`.
  Result<std::string_view> read(const Member& member) const;

  /// Returns the SHA-256 of a file's content, as sha256sum prints it. Computes it once and keeps
  /// it; a call from another thread meanwhile waits. Errors: those of `read`.
  Result<std::string> sha256(const Member& member) const;

  /// Private to the library: what rewriting needs.
  struct Contents;
  const Contents& contents() const noexcept { return *contents_; }
  Contents& contents() noexcept { return *contents_; }

 private:
  explicit Archive(std::unique_ptr<Contents> contents) noexcept;

  std::unique_ptr<Contents> contents_;
};

/// Removes the temporary files of all library calls in progress in this process. Call it from the
/// handler of a signal that ends the process: it is async-signal-safe, and no library call may
/// continue afterwards. If a process is killed, the next call for the same archive removes its
/// temporary files.
MLF_API void remove_temporary_files() noexcept;

/// Returns whether `bytes` begin as a tar, plain or compressed. Looks at the first 512 bytes.
MLF_API bool begins_as_archive(std::string_view bytes) noexcept;

}  // namespace mlf::archive

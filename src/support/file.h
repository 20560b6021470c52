// Open files with their names, for clear error messages; and contents of whole files.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/byte_sink.h"

namespace mlf::support {

/// Lets a std::unique_ptr end a handle of a C library.
template <auto close>
struct Close {
  void operator()(auto* handle) const { close(handle); }
};

/// Throws an `Error` of kind `io` about `path`: "<action>: <what the system says>".
[[noreturn]] void fail_io(std::string_view action, std::string_view path, int error_number);

/// Owns a file descriptor. All calls retry on EINTR and throw `Error` (kind `io`).
class File {
 public:
  File() = default;
  /// Takes over `fd`; `name` is for messages.
  File(int fd, std::string name) noexcept : fd_(fd), name_(std::move(name)) {}
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  /// Opens an existing `path` with `flags` (O_CLOEXEC is added).
  static File open(const std::string& path, int flags);
  /// Creates `path` for writing, readable and writable as the umask allows. Fails if it exists.
  static File create(const std::string& path);
  /// Duplicates an inherited descriptor, such as standard input.
  static File duplicate(int fd, std::string name);
  /// Opens an unnamed temporary file in $TMPDIR or /tmp, which vanishes with its descriptor.
  static File anonymous();

  explicit operator bool() const noexcept { return fd_ >= 0; }
  int fd() const noexcept { return fd_; }
  const std::string& name() const noexcept { return name_; }

  struct stat status() const;
  /// Reads up to `size` bytes; 0 is the end of the file.
  std::size_t read_some(char* buffer, std::size_t size) const;
  /// Returns the next bytes; fewer than `size` only at the end of the file.
  std::string read_up_to(std::size_t size) const;
  std::size_t read_some_at(std::uint64_t offset, char* buffer, std::size_t size) const;
  void write(std::string_view bytes) const;
  void write_at(std::uint64_t offset, std::string_view bytes) const;
  void rewind() const;
  void sync() const;
  /// Appends `length` bytes of `from`, starting at `offset`, at this file's position. The kernel
  /// moves them (copy_file_range) where it can.
  void append_range(const File& from, std::uint64_t offset, std::uint64_t length) const;

  /// Throws an error about this file with the text of errno.
  [[noreturn]] void fail(std::string_view action) const;

 private:
  int fd_ = -1;
  std::string name_;
};

/// Writes to a file at its position through a buffer, and counts bytes. Call `flush` at the end:
/// the destructor does not write.
class FileSink final : public ByteSink {
 public:
  explicit FileSink(const File& file) : file_(file) {}

  void write(std::string_view bytes) override;
  void flush();
  std::uint64_t written() const noexcept { return written_; }

 private:
  const File& file_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

/// The bytes of a whole file, which outlive its descriptor.
class FileContent {
 public:
  FileContent() = default;
  /// Copies a file that other processes may change: they change neither the copy nor, by truncating
  /// the file, end this process with SIGBUS. Copies a small file into memory, a large one into an
  /// anonymous file. Throws `io` if the file becomes shorter meanwhile.
  static FileContent copy(const File& file);
  /// Maps a file without copying it. If another process truncates the file, reading behind its new
  /// end raises SIGBUS.
  static FileContent map(const File& file);
  FileContent(FileContent&& other) noexcept;
  FileContent& operator=(FileContent&& other) noexcept;
  ~FileContent();

  std::string_view bytes() const noexcept { return bytes_; }

 private:
  explicit FileContent(std::string_view pages) noexcept : bytes_(pages) {}

  std::string_view bytes_;  ///< whole pages of memory
};

}  // namespace mlf::support

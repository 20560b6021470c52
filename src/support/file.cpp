#include "support/file.h"

#include <sys/mman.h>
#include <unistd.h>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include "support/error.h"

namespace mlf::support {
namespace {

constexpr std::size_t kSinkBuffer = 64 * 1024;
constexpr std::size_t kCopyBuffer = 1024 * 1024;
/// A copy of a larger file is on the disk.
constexpr std::size_t kLargestInMemory = std::size_t{256} << 20;

/// Repeats a system call that a signal interrupted.
template <class Call>
auto retry(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Moves bytes inside the kernel and returns how many; stops where the kernel declines.
/// copy_file_range declines between some file systems and for pipes; the caller then copies what is
/// left by hand.
std::uint64_t kernel_copy(int from, std::uint64_t offset, std::uint64_t length, int to) {
  std::uint64_t done = 0;
  auto position = static_cast<off64_t>(offset);
  while (done < length) {
    const ssize_t moved = retry([&] {
      return ::copy_file_range(from, &position, to, nullptr,
                               static_cast<std::size_t>(length - done), 0);
    });
    if (moved <= 0) break;
    done += static_cast<std::uint64_t>(moved);
  }
  return done;
}

/// The file was truncated meanwhile: bytes that it had are not there.
[[noreturn]] void fail_shortened(const File& file) {
  throw Error(ErrorKind::io, "became shorter while it was read", {.file = file.name()});
}

std::string temporary_directory() {
  const char* directory = std::getenv("TMPDIR");
  return directory != nullptr && *directory != '\0' ? directory : "/tmp";
}

}  // namespace

// The system's own words: people search for them.
void fail_io(std::string_view action, std::string_view path, int error_number) {
  Location where;
  where.file = path;
  throw Error(ErrorKind::io,
              std::string(action) + ": " + std::generic_category().message(error_number),
              std::move(where));
}

File::File(File&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), name_(std::move(other.name_)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(name_, other.name_);
  return *this;
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

File File::open(const std::string& path, int flags) {
  // Without a mode, a new file would get permission bits by accident: `create` gives one.
  assert((flags & O_CREAT) == 0);
  // Programs that this process starts do not inherit it.
  const int fd = retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC); });
  if (fd < 0) fail_io("cannot open", path, errno);
  return {fd, path};
}

File File::create(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  constexpr mode_t kMode = 0666;
  const int fd = retry([&] { return ::open(path.c_str(), kFlags, kMode); });
  if (fd < 0) fail_io("cannot create", path, errno);
  return {fd, path};
}

// Closing it leaves the inherited one open.
File File::duplicate(int fd, std::string name) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) fail_io("cannot open", name, errno);
  return {copy, std::move(name)};
}

// No other process can open or replace it, and it is gone whatever happens to this one.
File File::anonymous() {
  const std::string directory = temporary_directory();
  int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {  // a file system without O_TMPFILE
    std::string path = directory + "/mlf-XXXXXX";
    fd = ::mkostemp(path.data(), O_CLOEXEC);
    if (fd < 0) fail_io("cannot create a temporary file", directory, errno);
    ::unlink(path.c_str());
  }
  return {fd, "temporary file in " + directory};
}

struct stat File::status() const {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) fail("cannot read the file's status");
  return status;
}

// May be fewer than asked for, as from a pipe.
std::size_t File::read_some(char* buffer, std::size_t size) const {
  const ssize_t count = retry([&] { return ::read(fd_, buffer, size); });
  if (count < 0) fail("cannot read");
  return static_cast<std::size_t>(count);
}

std::string File::read_up_to(std::size_t size) const {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (const std::size_t count = read_some(bytes.data() + done, size - done)) done += count;
  bytes.resize(done);
  return bytes;
}

std::size_t File::read_some_at(std::uint64_t offset, char* buffer, std::size_t size) const {
  const ssize_t count =
      retry([&] { return ::pread(fd_, buffer, size, static_cast<off_t>(offset)); });
  if (count < 0) fail("cannot read");
  return static_cast<std::size_t>(count);
}

// The system may take less than it is given.
void File::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = retry([&] { return ::write(fd_, bytes.data(), bytes.size()); });
    if (count < 0) fail("cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void File::write_at(std::uint64_t offset, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = retry(
        [&] { return ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (count < 0) fail("cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

void File::rewind() const {
  if (::lseek(fd_, 0, SEEK_SET) < 0) fail("cannot seek");
}

// A rename may reach the disk before the data does.
void File::sync() const {
  if (retry([&] { return ::fsync(fd_); }) != 0) fail("cannot flush to the disk");
}

// The kernel first, which may share blocks instead of copying them; what it declines goes through
// memory.
void File::append_range(const File& from, std::uint64_t offset, std::uint64_t length) const {
  const std::uint64_t moved = kernel_copy(from.fd(), offset, length, fd_);
  offset += moved;
  length -= moved;
  if (length == 0) return;
  const auto buffer = std::make_unique<char[]>(kCopyBuffer);
  while (length != 0) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(length, kCopyBuffer));
    // pread leaves the position of the other file alone.
    const std::size_t count = from.read_some_at(offset, buffer.get(), wanted);
    if (count == 0) fail_shortened(from);
    write({buffer.get(), count});
    offset += count;
    length -= count;
  }
}

void File::fail(std::string_view action) const {
  fail_io(action, name_, errno);
}

// What is larger than the buffer goes around it.
void FileSink::write(std::string_view bytes) {
  written_ += bytes.size();
  if (buffer_.size() + bytes.size() < kSinkBuffer) {
    buffer_ += bytes;
    return;
  }
  flush();
  file_.write(bytes);
}

void FileSink::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

FileContent FileContent::copy(const File& file) {
  const auto size = static_cast<std::size_t>(file.status().st_size);
  if (size == 0) return {};
  if (size > kLargestInMemory) {
    const File copy = File::anonymous();
    copy.append_range(file, 0, size);
    return map(copy);
  }
  // Its pages are made at once, which takes less time than at the first write to each.
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (memory == MAP_FAILED) file.fail("cannot read into memory");
  char* const bytes = static_cast<char*>(memory);
  FileContent content({bytes, size});
  for (std::size_t done = 0; done < size;) {
    const std::size_t count = file.read_some_at(done, bytes + done, size - done);
    if (count == 0) fail_shortened(file);
    done += count;
  }
  return content;
}

FileContent FileContent::map(const File& file) {
  const auto size = static_cast<std::size_t>(file.status().st_size);
  // mmap refuses an empty range.
  if (size == 0) return {};
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd(), 0);
  if (memory == MAP_FAILED) file.fail("cannot map into memory");
  return FileContent({static_cast<const char*>(memory), size});
}

FileContent::FileContent(FileContent&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

FileContent& FileContent::operator=(FileContent&& other) noexcept {
  // The other one unmaps what this one had.
  std::swap(bytes_, other.bytes_);
  return *this;
}

FileContent::~FileContent() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace mlf::support

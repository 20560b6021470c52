#include "process/spool.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "archive/fault.h"
#include "support/error.h"
#include "support/sha256.h"

namespace mlf::process {

namespace {

/// Ends writing before the disk is full of an archive that could not be read again.
class BoundedSink final : public support::ByteSink {
 public:
  BoundedSink(support::FileSink& next, const std::string& name, const archive::Limits& limits)
      : next_(next), name_(name), limits_(limits), begin_(next.written()) {}

  void write(std::string_view bytes) override {
    next_.write(bytes);
    archive::check_member_size(next_.written() - begin_, name_, limits_);
    archive::check_total_size(next_.written(), limits_);
  }

 private:
  support::FileSink& next_;
  const std::string& name_;
  const archive::Limits& limits_;
  std::uint64_t begin_;
};

}  // namespace

SpooledBytes Spool::add(const std::string& name,
                        const std::function<void(support::ByteSink&)>& write) {
  const std::uint64_t offset = sink_.written();
  BoundedSink bounded(sink_, name, limits_);
  // The digest for the manifest is taken on the way: outputs are not read twice.
  support::HashingSink hashing(bounded);
  write(hashing);
  sink_.flush();
  return {offset, sink_.written() - offset, hashing.hex()};
}

void Spool::copy(const SpooledBytes& bytes, support::ByteSink& out) const {
  std::array<char, 65536> buffer;
  for (std::uint64_t done = 0; done < bytes.size;) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size - done, buffer.size()));
    const std::size_t count = file_.read_some_at(bytes.offset + done, buffer.data(), wanted);
    if (count == 0) throw support::Error(ErrorKind::io, "the temporary file was cut short");
    out.write(std::string_view(buffer.data(), count));
    done += count;
  }
}

}  // namespace mlf::process
